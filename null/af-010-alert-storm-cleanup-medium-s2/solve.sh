#!/usr/bin/env bash
# Nothing of af-010-alert-storm-cleanup-medium-s2
# canary df3559a3-57ad-47e7-a725-65604cf87216
#
# Edits the repo in $AF_WORKSPACE, by default /workspace/monitoring. Each file is written whole.
set -euo pipefail
cd -- "${AF_WORKSPACE:-/workspace/monitoring}"
