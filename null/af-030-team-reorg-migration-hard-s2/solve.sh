#!/usr/bin/env bash
# Nothing of af-030-team-reorg-migration-hard-s2
# canary 5a4a4c39-63ea-4f16-acd4-9289be5e285f
#
# Edits the repo in $AF_WORKSPACE, by default /workspace/monitoring. Each file is written whole.
set -euo pipefail
cd -- "${AF_WORKSPACE:-/workspace/monitoring}"
