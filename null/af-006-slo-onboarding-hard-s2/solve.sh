#!/usr/bin/env bash
# Nothing of af-006-slo-onboarding-hard-s2
# canary 404f575e-8011-4268-9745-9468c6065053
#
# Edits the repo in $AF_WORKSPACE, by default /workspace/monitoring. Each file is written whole.
set -euo pipefail
cd -- "${AF_WORKSPACE:-/workspace/monitoring}"
