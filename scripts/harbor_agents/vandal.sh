#!/usr/bin/env bash
# Does the work, then leaves the repo as nobody should.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/traps.sh"
bash "$here/work.sh"
cd "${AF_WORKSPACE:-/workspace/monitoring}"

first=$(find rules -name '*.yml' -type f | sort | head -n 1)
rm -f -- "$first"                                      # a file less
rm -rf -- docs
traps . && traps rules && traps bin                    # junk, and programs in the place of others
printf 'groups: [{name: broken, rules: [' >rules/broken.yml
printf 'groups:\n  - name: \377\n' >rules/latin.yaml   # not UTF-8
ln -s /etc/hostname rules/outside.yml                  # out of the workspace
ln -s ../../../.. rules/up
ln -s . rules/loop
mkfifo rules/pipe.yml                                  # a reader would wait for ever
mkdir rules/folder.yml
(yes '# padding' || true) | head -c $((200 << 20)) >rules/huge.yml
