# make setup    Python environment in .venv
# make tools    promtool, amtool and alertmanager: found on this machine, or fetched into a per-user cache
# make demo     build one task and grade three ways of solving it
# make test     everything that is checked before each commit
# make harbor-check   hold freshly built easy tasks and their registry against Harbor's own models (no Docker)
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

.PHONY: setup tools demo test test-slow harbor-check harbor-e2e bench parity clean

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

# Needs a Python 3.12 or later: HARBOR_PYTHON, else one that is found
harbor-check: tools
	rm -rf build/harbor-tasks
	$(BIN)/alertforge build --out build/harbor-tasks --only -easy- --no-gate --jobs $(JOBS)
	scripts/harbor_static_check build/harbor-tasks/registry.json

# The first task of each tier; the easy one also with nothing and with half of the work done
harbor-e2e: tools
	scripts/harbor_engine check
	rm -rf build/e2e
	for id in af-001 af-003 af-005; do $(BIN)/alertforge build --out build/e2e --only $$id --no-gate || exit 1; done
	scripts/harbor_e2e build/e2e/tasks/*-easy-*
	scripts/harbor_e2e --agents oracle build/e2e/tasks/*-medium-* build/e2e/tasks/*-hard-*

bench: tools
	$(BIN)/python benchmarks/grade.py

# At least CASES random cases a section, compared with the real tools; the last line is the number of mismatches
parity: tools
	$(BIN)/python -m tests.parity --cases $(CASES)

clean:
	rm -rf $(VENV) build dist src/*.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find src tests generator benchmarks -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true
