#!/usr/bin/env bash
# Nothing of af-021-latency-slo-medium-s1
# canary 68cf5144-25e7-4e78-a451-f9b6e7d7ae7c
#
# Edits the repo in $AF_WORKSPACE, by default /workspace/monitoring. Each file is written whole.
set -euo pipefail
cd -- "${AF_WORKSPACE:-/workspace/monitoring}"
