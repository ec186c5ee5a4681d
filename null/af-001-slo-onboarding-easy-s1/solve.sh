#!/usr/bin/env bash
# Nothing of af-001-slo-onboarding-easy-s1
# canary 096a99de-cd1d-402c-8b45-d9cf0e6b085f
#
# Edits the repo in $AF_WORKSPACE, by default /workspace/monitoring. Each file is written whole.
set -euo pipefail
cd -- "${AF_WORKSPACE:-/workspace/monitoring}"
