#!/usr/bin/env bash
# Nothing of af-028-team-reorg-migration-medium-s2
# canary b9acb061-399b-42bf-b2bc-7da3e2e224a0
#
# Edits the repo in $AF_WORKSPACE, by default /workspace/monitoring. Each file is written whole.
set -euo pipefail
cd -- "${AF_WORKSPACE:-/workspace/monitoring}"
