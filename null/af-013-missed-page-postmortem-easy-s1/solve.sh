#!/usr/bin/env bash
# Nothing of af-013-missed-page-postmortem-easy-s1
# canary f0c43615-43ad-45d5-8990-221068562357
#
# Edits the repo in $AF_WORKSPACE, by default /workspace/monitoring. Each file is written whole.
set -euo pipefail
cd -- "${AF_WORKSPACE:-/workspace/monitoring}"
