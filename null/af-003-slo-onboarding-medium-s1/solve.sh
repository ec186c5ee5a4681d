#!/usr/bin/env bash
# Nothing of af-003-slo-onboarding-medium-s1
# canary 4429f687-8994-4ea9-8d38-b4f9342f5c5f
#
# Edits the repo in $AF_WORKSPACE, by default /workspace/monitoring. Each file is written whole.
set -euo pipefail
cd -- "${AF_WORKSPACE:-/workspace/monitoring}"
