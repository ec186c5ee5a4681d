#!/usr/bin/env bash
# Nothing of af-015-missed-page-postmortem-medium-s1
# canary c5030c3d-6897-402a-801d-f5ce30b45a5f
#
# Edits the repo in $AF_WORKSPACE, by default /workspace/monitoring. Each file is written whole.
set -euo pipefail
cd -- "${AF_WORKSPACE:-/workspace/monitoring}"
