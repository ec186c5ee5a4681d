#!/usr/bin/env bash
# Nothing of af-023-latency-slo-hard-s1
# canary 3a11e2d3-aa95-451a-8fd1-85ed33005f0d
#
# Edits the repo in $AF_WORKSPACE, by default /workspace/monitoring. Each file is written whole.
set -euo pipefail
cd -- "${AF_WORKSPACE:-/workspace/monitoring}"
