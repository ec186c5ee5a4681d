#!/usr/bin/env bash
# Nothing of af-014-missed-page-postmortem-easy-s2
# canary 328c83d2-e406-4c13-a3ed-5bdbb18e61cf
#
# Edits the repo in $AF_WORKSPACE, by default /workspace/monitoring. Each file is written whole.
set -euo pipefail
cd -- "${AF_WORKSPACE:-/workspace/monitoring}"
