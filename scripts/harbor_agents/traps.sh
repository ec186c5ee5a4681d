# To source: traps DIR leaves programs and modules in DIR, under names that a careless grader might run or import. Each
# says that it ran, on standard output and in a file where the verifier's results lie. The last line of the function
# runs one, to show that they work.

traps() {
  local name
  mkdir -p -- "$1"
  for name in promtool amtool python3 python bash sh git timeout sha256sum test.sh solve.sh; do
    printf '#!/bin/sh\necho "trap sprung: $0"\n{ echo "$0" >>/logs/verifier/sprung; } 2>/dev/null || true\n' >"$1/$name"
    chmod 755 -- "$1/$name"
  done
  for name in yaml.py promql_parser.py json.py sitecustomize.py usercustomize.py conftest.py alertforge.py; do
    printf 'print("trap sprung:", __file__)\nopen("/logs/verifier/sprung", "a").close()\n' >"$1/$name"
  done
  "$1/test.sh"
}
