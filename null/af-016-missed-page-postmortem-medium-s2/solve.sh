#!/usr/bin/env bash
# Nothing of af-016-missed-page-postmortem-medium-s2
# canary eb0ed15e-1956-4b92-b6f3-14d956bcafc9
#
# Edits the repo in $AF_WORKSPACE, by default /workspace/monitoring. Each file is written whole.
set -euo pipefail
cd -- "${AF_WORKSPACE:-/workspace/monitoring}"
