# Everything a fresh clone needs is Python 3.11 or newer, make and a package index; `make help` lists the targets.

PYTHON ?= python3
WORKERS ?= 2

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/stamp
LOCK_TOOLS := .lock-tools

MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test check bench laws-long kafka kafka-stop lock clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# The stamp is written last: a half-made environment is finished at the next call, a whole one is kept until the lock or the project changes.
$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("rerate needs Python 3.11 or newer: make PYTHON=python3.x ..." if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $(STAMP)

demo: $(STAMP) ## a season on the embedded log, no broker
	$(BIN)/rerate demo

test: $(STAMP) ## the tests, without the long laws
	$(BIN)/python -m pytest -n $(WORKERS)

check: $(STAMP) ## what CI runs: format, lint, types, imports, tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -n $(WORKERS)

bench: $(STAMP) ## measure, and print the numbers
	$(BIN)/python -m ops.bench

laws-long: $(STAMP) ## the laws over 10,000 histories each
	RERATE_LAWS=10000 $(BIN)/python -m pytest -n $(WORKERS) -m long

kafka: $(STAMP) ## start a real Kafka on loopback (Java, Maven) and print its address
	$(BIN)/python -m ops.kafka start

kafka-stop: $(STAMP) ## end it; its data stays
	$(BIN)/python -m ops.kafka stop

# uv is needed here only. Without the header and the sources a lock says which packages, never from where.
lock: ## remake requirements.lock from pyproject.toml
	$(PYTHON) -m venv $(LOCK_TOOLS)
	$(LOCK_TOOLS)/bin/python -m pip install --quiet --disable-pip-version-check uv
	$(LOCK_TOOLS)/bin/uv pip compile pyproject.toml --extra dev --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-emit-find-links --custom-compile-command "make lock" --quiet --upgrade --output-file requirements.lock
	@if grep -nE '://|^ *--(extra-)?index|^ *--find-links| @ |(^|[ =])/' requirements.lock; then echo "the lock names a place"; rm requirements.lock; exit 1; fi

clean: ## remove what make and the tools made
	rm -rf $(VENV) $(LOCK_TOOLS) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache services/*.egg-info
	find services tests ops -name __pycache__ -type d -prune -exec rm -rf {} +
