#!/usr/bin/env bash
# Nothing of af-004-slo-onboarding-medium-s2
# canary fa7a5fa9-796a-42a5-8050-95bbffc197f4
#
# Edits the repo in $AF_WORKSPACE, by default /workspace/monitoring. Each file is written whole.
set -euo pipefail
cd -- "${AF_WORKSPACE:-/workspace/monitoring}"
