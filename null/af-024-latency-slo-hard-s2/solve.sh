#!/usr/bin/env bash
# Nothing of af-024-latency-slo-hard-s2
# canary de76cf0b-3ce6-4e9d-a330-5bbfe72467df
#
# Edits the repo in $AF_WORKSPACE, by default /workspace/monitoring. Each file is written whole.
set -euo pipefail
cd -- "${AF_WORKSPACE:-/workspace/monitoring}"
