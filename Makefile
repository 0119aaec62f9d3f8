# `make lab` opens JupyterLab on the notebooks, `make test` runs every test. Both set up what they need in .venv, once:
# a stamp file in .venv says what is done, and is older than pyproject.toml or the front end when there is more to do.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check
OLDEST := .venv-oldest
NPM := $(BIN)/python widgets/npm.py
LAB_FLAGS ?=
PYTEST_FLAGS ?=

# What asks most of NumPy, and takes a minute or two.
QUICK_TESTS := tests/graph $(addprefix tests/engine/test_,$(addsuffix .py,trace derivatives functions writes in_place \
	object_arrays casts linalg special coverage names_in_programs maths))

PACKAGE := pyproject.toml widgets/hatch_build.py widgets/npm.py
FRONT_END := widgets/package-lock.json widgets/build.mjs $(shell find widgets/src -type f 2>/dev/null)

.DEFAULT_GOAL := help
.PHONY: help lab test bench clean

help: ## show this list
	@sed -n 's/^\([a-z]*\): .*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 14

lab: $(VENV)/lab.stamp ## install adviz with its notebook dependencies and open JupyterLab on notebooks/
	$(BIN)/jupyter lab $(if $(filter 0,$(shell id -u)),--allow-root) $(LAB_FLAGS) notebooks

test: $(VENV)/test.stamp $(OLDEST)/test.stamp ## style, types, front end, Python, notebooks, wheel, browser
	@echo "adviz: style and types"
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	@echo "adviz: front end"
	$(NPM) run --silent check
	$(NPM) run --silent test
	@tests/browser/chromium.sh > $(VENV)/chromium
	@echo "adviz: quick tests on the oldest versions of what adviz depends on"
	$(OLDEST)/bin/python -m pytest $(QUICK_TESTS)
	@echo "adviz: Python, notebooks, wheel, browser (some minutes)"
	$(BIN)/python -m pytest $(PYTEST_FLAGS)

bench: $(VENV)/bench.stamp ## measure adviz beside its peers (installs PyTorch, JAX, CasADi, SymPy, autograd)
	$(BIN)/python bench/trace.py
	$(BIN)/python bench/explore.py
	$(BIN)/python bench/engine.py
	$(BIN)/python bench/player.py
	$(BIN)/python bench/elimination.py
	$(BIN)/python bench/kernels.py

clean: ## remove what the commands above have made
	rm -rf $(VENV) $(OLDEST) build dist adviz/static widgets/node_modules .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(BIN)/python:
	@echo "adviz: making the environment $(VENV)"
	@$(PYTHON) -m venv $(VENV)

$(VENV)/lab.stamp: $(PACKAGE) $(FRONT_END) | $(BIN)/python
	@echo "adviz: installing adviz with JupyterLab and building its front end (the first time takes a minute or two)"
	@$(PIP_INSTALL) --editable '.[lab]'
	@touch $@

# The extra `test` includes the extra `lab`.
$(VENV)/test.stamp: $(PACKAGE) $(FRONT_END) | $(BIN)/python
	@echo "adviz: installing adviz with its test dependencies and building its front end (the first time takes a few minutes)"
	@$(PIP_INSTALL) --editable '.[test]'
	@test widgets/node_modules/.package-lock.json -nt widgets/package-lock.json || $(NPM) ci --silent
	@touch $(VENV)/lab.stamp $@

# No front end there, and adviz itself is not installed: pytest finds it here.
$(OLDEST)/test.stamp: pyproject.toml tests/oldest.py | $(BIN)/python
	@echo "adviz: making the environment $(OLDEST) with the oldest versions of what adviz depends on"
	@$(PYTHON) -m venv --clear $(OLDEST)
	@$(BIN)/python tests/oldest.py quick > $(OLDEST)/requirements.txt
	@$(BIN)/python -m pip --python $(OLDEST)/bin/python install --quiet --disable-pip-version-check \
		--requirement $(OLDEST)/requirements.txt
	@touch $@

$(VENV)/bench.stamp: $(PACKAGE) $(FRONT_END) | $(BIN)/python
	@echo "adviz: installing adviz with the libraries it is measured against (the first time takes several minutes)"
	@$(PIP_INSTALL) --editable '.[bench]'
	@touch $@
