#!/usr/bin/env bash
# Does the work, then replaces the tools and the interpreter in its own container by programs that always agree.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/traps.sh"
bash "$here/work.sh"
rm -f -- "$(find "${AF_WORKSPACE:-/workspace/monitoring}/rules" -name '*.yml' -type f | sort | head -n 1)"
traps "${AF_WORKSPACE:-/workspace/monitoring}/bin"
[[ -z ${AF_WORKSPACE:-} ]] || exit 0

for tool in promtool amtool; do
  printf '#!/bin/sh\necho "%s is mine"\n' "$tool" >"/usr/local/bin/$tool"
done
promtool check rules no-such-file
for name in python3 bash sha256sum timeout; do
  printf '#!/bin/sh\necho "trap sprung: %s"\n' "$name" >"/usr/local/sbin/$name" # the first place on PATH
  chmod 755 "/usr/local/sbin/$name"
done
for path in /etc/profile.d/trap.sh /root/.bashrc /root/.profile; do
  printf 'echo "trap sprung: %s"\n' "$path" >>"$path"
done
