#!/usr/bin/env bash
# Nothing of af-029-team-reorg-migration-hard-s1
# canary f372e3d7-75b4-48ce-9a8d-8adc58adb675
#
# Edits the repo in $AF_WORKSPACE, by default /workspace/monitoring. Each file is written whole.
set -euo pipefail
cd -- "${AF_WORKSPACE:-/workspace/monitoring}"
