#!/usr/bin/env bash
# Nothing of af-017-missed-page-postmortem-hard-s1
# canary 1630c2e0-b26b-4ac9-9ddc-46125bb8633f
#
# Edits the repo in $AF_WORKSPACE, by default /workspace/monitoring. Each file is written whole.
set -euo pipefail
cd -- "${AF_WORKSPACE:-/workspace/monitoring}"
