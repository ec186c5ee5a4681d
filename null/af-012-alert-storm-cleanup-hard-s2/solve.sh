#!/usr/bin/env bash
# Nothing of af-012-alert-storm-cleanup-hard-s2
# canary a1827745-7019-470e-8400-f9dc83c3f37c
#
# Edits the repo in $AF_WORKSPACE, by default /workspace/monitoring. Each file is written whole.
set -euo pipefail
cd -- "${AF_WORKSPACE:-/workspace/monitoring}"
