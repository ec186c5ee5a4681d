#!/usr/bin/env bash
# Nothing of af-018-missed-page-postmortem-hard-s2
# canary ba6bf7be-d21c-4698-80b1-92715ea5b0f0
#
# Edits the repo in $AF_WORKSPACE, by default /workspace/monitoring. Each file is written whole.
set -euo pipefail
cd -- "${AF_WORKSPACE:-/workspace/monitoring}"
