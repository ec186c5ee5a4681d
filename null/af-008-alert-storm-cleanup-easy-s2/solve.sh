#!/usr/bin/env bash
# Nothing of af-008-alert-storm-cleanup-easy-s2
# canary 11061407-5ba3-47ee-b9c7-3ba33ecc472c
#
# Edits the repo in $AF_WORKSPACE, by default /workspace/monitoring. Each file is written whole.
set -euo pipefail
cd -- "${AF_WORKSPACE:-/workspace/monitoring}"
