# make setup    Python environment in .venv
# make tools    promtool, amtool and alertmanager: found on this machine, or fetched into a per-user cache
# make demo     build one task and grade three ways of solving it
# make test     everything that is checked before each commit
# make tasks    build the committed dataset anew, each task held against the gate (an hour on two cores)
# make same-tasks     show that the committed dataset is what the generator makes, byte for byte
# make harbor-check   hold the committed dataset against Harbor's own models (no Docker)
# make harbor-e2e     run a task of each tier under the real Harbor in containers (needs Docker, or root on Debian)
# make bench    time and memory of a grade, and of the plain way to the same answers
#
# `demo` and `test` do what is still missing of `setup` and `tools`.

PYTHON ?= python3
JOBS   ?= 2
CASES  ?= 20000

VENV      := .venv
BIN       := $(VENV)/bin
INSTALLED := $(VENV)/.installed

.PHONY: setup tools demo test test-slow tasks same-tasks harbor-check harbor-e2e bench parity clean

setup: $(INSTALLED)

$(INSTALLED): pyproject.toml
	@command -v "$(PYTHON)" >/dev/null \
	  || { echo "$(PYTHON) not found; name a Python 3.11 or later: make setup PYTHON=python3.12" >&2; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "AlertForge needs Python 3.11 or later, $(PYTHON) is older; name another: make setup PYTHON=python3.12" >&2; exit 1; }
	"$(PYTHON)" -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable '.[test]'
	@touch $@

tools: $(INSTALLED)
	$(BIN)/alertforge tools install

demo: tools
	$(BIN)/alertforge demo

test: tools
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest -n $(JOBS) -m "not slow and not harbor"

# The tests that take more than a few seconds each
test-slow: tools
	$(BIN)/pytest -n $(JOBS) -m "slow and not harbor"

tasks: tools
	$(BIN)/alertforge build --out . --jobs $(JOBS)

# The rewards in the manifest are the gate's, which takes too long here
same-tasks: tools
	rm -rf build/again
	$(BIN)/alertforge build --out build/again --no-gate --jobs $(JOBS)
	for part in tasks partial null registry.json; do diff -r $$part build/again/$$part || exit 1; done
	sed 's/"rewards": {[^}]*}/"rewards": {}/' manifest.jsonl | diff - build/again/manifest.jsonl

# Needs a Python 3.12 or later: HARBOR_PYTHON, else one that is found
harbor-check:
	scripts/harbor_static_check registry.json

# The first task of each tier; the easy one also with nothing and with half of the work done
harbor-e2e: tools
	scripts/harbor_engine check
	scripts/harbor_e2e tasks/af-001-*
	scripts/harbor_e2e --agents oracle tasks/af-003-* tasks/af-005-*

bench: tools
	$(BIN)/python benchmarks/grade.py

# At least CASES random cases a section, compared with the real tools; the last line is the number of mismatches
parity: tools
	$(BIN)/python -m tests.parity --cases $(CASES)

clean:
	rm -rf $(VENV) build dist src/*.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find src tests generator benchmarks -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true
