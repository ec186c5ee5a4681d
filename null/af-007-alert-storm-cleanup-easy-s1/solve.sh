#!/usr/bin/env bash
# Nothing of af-007-alert-storm-cleanup-easy-s1
# canary bee2712d-1b31-4d04-8ce3-c5858d5475aa
#
# Edits the repo in $AF_WORKSPACE, by default /workspace/monitoring. Each file is written whole.
set -euo pipefail
cd -- "${AF_WORKSPACE:-/workspace/monitoring}"
