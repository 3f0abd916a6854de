# Needs Python 3.11 or newer with venv, git and make. `make help` lists the targets.
#
# Everything is installed into .venv: repeated calls find a stamp there and start at once.
# A .venv that was moved, or whose Python is gone, is made anew.

SHELL := /bin/sh
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

# The first that is really there (a version manager's shim may only say that it is not),
# new enough, and able to make an environment.
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3; do \
	$$p -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' \
	>/dev/null 2>&1 </dev/null && { echo $$p; break; }; done)

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input
CORE := $(VENV)/.installed-core
DEV := $(VENV)/.installed-dev
HOME_NOTE := $(VENV)/.made-in

# Scripts of an environment hold its absolute path: a note says where it was made.
STALE := $(shell test "`cat $(HOME_NOTE) 2>/dev/null`" = "`pwd -P`" \
	&& $(BIN)/python -c 'import pip' >/dev/null 2>&1 </dev/null || echo stale)

# $(call summarise,FILES)
summarise = test -z "$$GITHUB_STEP_SUMMARY" || cat $(1) >> "$$GITHUB_STEP_SUMMARY"

.PHONY: help eval report nightly test check stress format bench merges docs clean stale

help: ## Show this list
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile | expand -t 10

eval: $(CORE) ## Run the golden-query suite (installs what that needs, no more)
	@$(BIN)/memidx eval queries.yaml

# Both end with make's code for a failure where memidx ends with another than 0; the verdict line
# says which. Where the machine that runs them shows a summary, the reports are added to it.
report: $(CORE) ## Write reports/latest/report.md, as a pull request shows it
	@$(BIN)/memidx eval queries.yaml --baseline evals/baseline.json --format md; code=$$?; \
	$(call summarise,reports/latest/report.md); exit $$code

nightly: $(CORE) ## Run the suite and add the run to reports/history.jsonl
	@$(BIN)/memidx eval queries.yaml --baseline evals/baseline.json --record; code=$$?; \
	$(call summarise,reports/latest/report.md reports/latest/history.md); exit $$code

test: check ## Set up .venv with the development tools and run every check

check: $(DEV) ## Format, lint, types, tests (layers and docs are tests)
	@$(BIN)/ruff format --check --quiet . || { echo "make format puts it right" >&2; exit 1; }
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy --no-error-summary
	@$(BIN)/python -m pytest -q -n auto

stress: $(DEV) ## Crash, corruption and stress tests in their large form (minutes)
	@MEMIDX_TEST_LARGE=1 $(BIN)/python -m pytest -q tests/crash tests/corruption tests/stress \
		tests/property/test_index_machine.py tests/property/test_overlay.py

format: $(DEV) ## Format and sort imports in place
	@$(BIN)/ruff format --quiet .
	@$(BIN)/ruff check --quiet --fix .

# BENCH=--record writes reports/benchmarks.md; BENCH="--only cold,warm" and BENCH=--small do less.
bench: $(DEV) ## Speed against named peers, as ratios in one run
	@$(PIP) install --quiet -e '.[dev,bench]'
	@$(BIN)/python -m tests.benchmarks $(BENCH)

merges: $(DEV) ## Merge 200 random pairs of branches, and look at every store
	@$(BIN)/python -m tests.merge.pairs 200

docs: $(DEV) ## Write docs/cli.md again from --help
	@$(BIN)/python -m tests.snapshot.cli_reference > docs/cli.md.new
	@mv docs/cli.md.new docs/cli.md

clean: ## Remove what can be made again: .venv, caches, the store's snapshot
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis \
		.benchmarks dist build store/.cache reports/latest
	find memidx tests -name __pycache__ -type d -prune -exec rm -rf {} +

stale:
	@test -n "$(PYTHON)" || { echo "No Python 3.11 or newer with venv was found." >&2; \
		echo "Name one: make PYTHON=/path/to/python3 …" >&2; exit 1; }
	@rm -rf $(VENV)
	@$(PYTHON) -m venv $(VENV)
	@pwd -P > $(HOME_NOTE)

# Editable: a change of the code is a change of the command. Only new requirements install again.
$(CORE): pyproject.toml $(STALE)
	@echo "Installing memidx into $(VENV) …" >&2
	@$(PIP) install --quiet -e .
	@touch $@

$(DEV): pyproject.toml $(STALE)
	@echo "Installing memidx and its development tools into $(VENV) …" >&2
	@$(PIP) install --quiet -e '.[dev]'
	@touch $@ $(CORE)
