#!/usr/bin/env bash
# Nothing of af-020-latency-slo-easy-s2
# canary c6af9ef4-d964-4c28-98e1-65d91c40c3a1
#
# Edits the repo in $AF_WORKSPACE, by default /workspace/monitoring. Each file is written whole.
set -euo pipefail
cd -- "${AF_WORKSPACE:-/workspace/monitoring}"
