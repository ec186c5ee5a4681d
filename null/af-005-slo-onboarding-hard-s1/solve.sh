#!/usr/bin/env bash
# Nothing of af-005-slo-onboarding-hard-s1
# canary ca0a1599-b9af-4582-99ef-fde373d599e6
#
# Edits the repo in $AF_WORKSPACE, by default /workspace/monitoring. Each file is written whole.
set -euo pipefail
cd -- "${AF_WORKSPACE:-/workspace/monitoring}"
