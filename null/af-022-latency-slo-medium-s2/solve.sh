#!/usr/bin/env bash
# Nothing of af-022-latency-slo-medium-s2
# canary a8152be6-6b07-45dc-901e-6a55ef691fa1
#
# Edits the repo in $AF_WORKSPACE, by default /workspace/monitoring. Each file is written whole.
set -euo pipefail
cd -- "${AF_WORKSPACE:-/workspace/monitoring}"
