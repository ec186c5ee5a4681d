#!/usr/bin/env bash
# Nothing of af-011-alert-storm-cleanup-hard-s1
# canary d5ff01d7-971d-4cfe-a427-443460d42e31
#
# Edits the repo in $AF_WORKSPACE, by default /workspace/monitoring. Each file is written whole.
set -euo pipefail
cd -- "${AF_WORKSPACE:-/workspace/monitoring}"
