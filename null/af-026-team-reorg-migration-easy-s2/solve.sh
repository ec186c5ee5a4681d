#!/usr/bin/env bash
# Nothing of af-026-team-reorg-migration-easy-s2
# canary 59ff14e6-2f86-4071-be59-fabcfbabf99a
#
# Edits the repo in $AF_WORKSPACE, by default /workspace/monitoring. Each file is written whole.
set -euo pipefail
cd -- "${AF_WORKSPACE:-/workspace/monitoring}"
