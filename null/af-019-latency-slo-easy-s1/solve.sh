#!/usr/bin/env bash
# Nothing of af-019-latency-slo-easy-s1
# canary e12578a9-ede8-4272-9d5f-88c49c7430a3
#
# Edits the repo in $AF_WORKSPACE, by default /workspace/monitoring. Each file is written whole.
set -euo pipefail
cd -- "${AF_WORKSPACE:-/workspace/monitoring}"
