#!/usr/bin/env bash
# Nothing of af-009-alert-storm-cleanup-medium-s1
# canary 4ac28a1b-9ae5-452b-a883-c66050e7f31d
#
# Edits the repo in $AF_WORKSPACE, by default /workspace/monitoring. Each file is written whole.
set -euo pipefail
cd -- "${AF_WORKSPACE:-/workspace/monitoring}"
