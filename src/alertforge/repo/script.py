"""The check that people run before they commit, `bin/af-check`."""

from __future__ import annotations

from typing import Final

from alertforge.repo.brief import Brief

PATH: Final = "bin/af-check"

_SCRIPT: Final = """\
#!/usr/bin/env bash
# canary {canary}
# Checks that Prometheus and Alertmanager would load this repo, and runs the example tests.
# Everything happens in a copy, so nothing is left behind.
set -u
cd "$(dirname "${{BASH_SOURCE[0]}}")/.." || exit 1

copy=$(mktemp -d) || exit 1
trap 'rm -rf "$copy"' EXIT
failed=0

step() {{
  echo "== $1"
  shift
  "$@" || failed=1
}}

copy_rules() {{
  python3 - "$copy" <<'PYTHON'
{python}PYTHON
}}

check_rules() {{
  (cd "$copy" && find rules -type f | LC_ALL=C sort | xargs promtool check rules --lint=none)
}}

run_tests() {{
  (cd "$copy" && promtool test rules tests/visible/*.yml)
}}

step "read rule files" copy_rules
step "rules" check_rules
if compgen -G "tests/visible/*.yml" > /dev/null; then
  mkdir -p "$copy/tests/visible" && cp tests/visible/*.yml "$copy/tests/visible/"
  step "visible tests" run_tests
fi
step "alertmanager" amtool check-config alertmanager/alertmanager.yml

if [ "$failed" -ne 0 ]; then
  echo "FAILED"
  exit 1
fi
echo "OK"
"""

_PLAIN: Final = """\
import pathlib, shutil, sys

target = pathlib.Path(sys.argv[1])
for path in sorted(pathlib.Path("rules").rglob("*.y*ml")):
    (target / path).parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, target / path)
"""

_MANIFESTS: Final = """\
import pathlib, sys
import yaml

target = pathlib.Path(sys.argv[1])
bad = False
for path in sorted(pathlib.Path("rules").rglob("*.y*ml")):
    (target / path).parent.mkdir(parents=True, exist_ok=True)
    try:
        node = yaml.compose(path.read_text(), Loader=yaml.SafeLoader)
        fields = {key.value: value for key, value in node.value}
        text = yaml.serialize(fields["spec"], allow_unicode=True, width=10000)
    except (yaml.YAMLError, AttributeError, KeyError, TypeError, ValueError) as error:
        print(f"{path}: not a manifest with a spec: {error}", file=sys.stderr)
        bad = True
        continue
    (target / path).write_text(text)
sys.exit(bad)
"""


def af_check(brief: Brief) -> str:
    """The script; in a house of manifests it unwraps them first, which takes PyYAML."""
    python = _MANIFESTS if brief.world.style.manifests else _PLAIN
    return _SCRIPT.format(canary=brief.canary, python=python)
