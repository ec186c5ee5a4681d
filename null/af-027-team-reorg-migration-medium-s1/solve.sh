#!/usr/bin/env bash
# Nothing of af-027-team-reorg-migration-medium-s1
# canary 35cd2a0e-aafd-4891-8002-0beaa980dcb2
#
# Edits the repo in $AF_WORKSPACE, by default /workspace/monitoring. Each file is written whole.
set -euo pipefail
cd -- "${AF_WORKSPACE:-/workspace/monitoring}"
