#!/usr/bin/env bash
# Nothing of af-002-slo-onboarding-easy-s2
# canary 6f9ee6bb-2b2d-4d46-bd15-cb1749083018
#
# Edits the repo in $AF_WORKSPACE, by default /workspace/monitoring. Each file is written whole.
set -euo pipefail
cd -- "${AF_WORKSPACE:-/workspace/monitoring}"
