#!/usr/bin/env bash
# Nothing of af-025-team-reorg-migration-easy-s1
# canary eaa0919b-98e3-4726-a0a0-1bb6c7eb8e2f
#
# Edits the repo in $AF_WORKSPACE, by default /workspace/monitoring. Each file is written whole.
set -euo pipefail
cd -- "${AF_WORKSPACE:-/workspace/monitoring}"
