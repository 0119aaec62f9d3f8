# `make lab` opens JupyterLab on the notebooks, `make check` is the inner loop, `make test` what a landing needs. Each
# sets up what it needs in .venv, once: a stamp file in .venv says what is done, and is older than pyproject.toml or the
# front end when there is more to do.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check
OLDEST := .venv-oldest
NPM := $(BIN)/python widgets/npm.py
# Tests start many processes, which would compile the package each time if its bytecode were not kept.
unexport PYTHONDONTWRITEBYTECODE
LAB_FLAGS ?=
PYTEST_FLAGS ?=
# Processes that share the tests.
WORKERS ?= 2
PYTEST := $(BIN)/python -m pytest --numprocesses $(WORKERS) --dist worksteal
SIDE_BY_SIDE := $(MAKE) --no-print-directory --jobs 2 --output-sync=target

PACKAGE := pyproject.toml widgets/hatch_build.py widgets/npm.py widgets/package-lock.json
FRONT_END := widgets/build.mjs $(shell find widgets/src -type f 2>/dev/null)
BUNDLES := $(addprefix adviz/static/,graphs.js sweeps.js eliminations.js pictures.js)

.DEFAULT_GOAL := help
.PHONY: help lab watch check test test-all bench clean style types front-end oldest build-on-save lab-that-reloads

help: ## show this list
	@sed -n 's/^\([a-z-]*\): .*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 18

lab: $(VENV)/lab.stamp ## install adviz with its notebook dependencies and open JupyterLab on notebooks/
	$(BIN)/jupyter lab $(if $(filter 0,$(shell id -u)),--allow-root) $(LAB_FLAGS) notebooks

watch: $(VENV)/dev.stamp ## open JupyterLab; the front end is built and reloaded whenever one of its sources is saved
	@$(MAKE) --no-print-directory --jobs 2 build-on-save lab-that-reloads

check: $(VENV)/test.stamp $(BUNDLES) ## the inner loop: style, types, front end, and each quick test of Python once
	@$(SIDE_BY_SIDE) front-end style types
	$(PYTEST) --hypothesis-profile quick --cases 1 -m "not (long or slow or browser or numba)" $(PYTEST_FLAGS)

test: $(VENV)/test.stamp $(BUNDLES) ## what a landing needs: each test on some of its cases, notebooks, wheel, shows in a browser
	@tests/browser/chromium.sh > $(VENV)/chromium
	@$(SIDE_BY_SIDE) front-end style types
	$(PYTEST) --hypothesis-profile quick --cases 8 -m "not (slow or browser or numba) or smoke" $(PYTEST_FLAGS)

test-all: $(VENV)/test.stamp $(BUNDLES) $(OLDEST)/test.stamp ## everything: all cases, many examples, the oldest versions, Numba
	@tests/browser/chromium.sh > $(VENV)/chromium
	@$(SIDE_BY_SIDE) oldest front-end style types
	$(PYTEST) $(PYTEST_FLAGS)

bench: $(VENV)/bench.stamp ## measure adviz beside its peers (installs PyTorch, JAX, CasADi, SymPy, autograd)
	$(BIN)/python bench/trace.py
	$(BIN)/python bench/explore.py
	$(BIN)/python bench/engine.py
	$(BIN)/python bench/player.py
	$(BIN)/python bench/elimination.py
	$(BIN)/python bench/kernels.py
	$(BIN)/python bench/lazy.py
	$(BIN)/python bench/op_training.py

clean: ## remove what the commands above have made
	rm -rf $(VENV) $(OLDEST) build dist adviz/static widgets/node_modules .mypy_cache .pytest_cache .ruff_cache \
		.hypothesis .numba_cache

# Parts of `make check`, `make test` and `make watch`.

style:
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types:
	$(BIN)/mypy

# The tests play shows that Python has made.
front-end:
	$(BIN)/python -m tests.stage.goldens
	$(NPM) run --silent check
	$(NPM) run --silent test

oldest:
	$(OLDEST)/bin/python -m pytest $$($(BIN)/python tests/oldest.py tests)

build-on-save:
	$(NPM) run --silent watch

lab-that-reloads:
	ANYWIDGET_HMR=1 $(BIN)/jupyter lab $(if $(filter 0,$(shell id -u)),--allow-root) $(LAB_FLAGS) notebooks

$(BIN)/python:
	@echo "adviz: making the environment $(VENV)"
	@$(PYTHON) -m venv $(VENV)

$(VENV)/lab.stamp: $(PACKAGE) $(FRONT_END) | $(BIN)/python
	@echo "adviz: installing adviz with JupyterLab and building its front end (the first time takes a minute or two)"
	@$(PIP_INSTALL) --editable '.[lab]'
	@touch $@

# The extra `test` includes the extra `lab`.
$(VENV)/test.stamp: $(PACKAGE) | $(BIN)/python
	@echo "adviz: installing adviz with its test dependencies and building its front end (the first time takes a few minutes)"
	@$(PIP_INSTALL) --editable '.[test]'
	@test widgets/node_modules/.package-lock.json -nt widgets/package-lock.json || $(NPM) ci --silent
	@touch $(BUNDLES) $(VENV)/lab.stamp $@

# When nothing but a source of the front end has changed, there is nothing to install.
$(BUNDLES): $(FRONT_END) | $(VENV)/test.stamp
	$(NPM) run --silent build
	@touch $(VENV)/lab.stamp $@

# No front end there, and adviz itself is not installed: pytest finds it here.
$(OLDEST)/test.stamp: pyproject.toml tests/oldest.py | $(BIN)/python
	@echo "adviz: making the environment $(OLDEST) with the oldest versions of what adviz depends on"
	@$(PYTHON) -m venv --clear $(OLDEST)
	@$(BIN)/python tests/oldest.py quick > $(OLDEST)/requirements.txt
	@$(BIN)/python -m pip --python $(OLDEST)/bin/python install --quiet --disable-pip-version-check \
		--requirement $(OLDEST)/requirements.txt
	@touch $@

# The extra `dev` includes the extra `test`.
$(VENV)/dev.stamp: $(VENV)/test.stamp
	@$(PIP_INSTALL) --editable '.[dev]'
	@touch $@

$(VENV)/bench.stamp: $(PACKAGE) $(FRONT_END) | $(BIN)/python
	@echo "adviz: installing adviz with the libraries it is measured against (the first time takes several minutes)"
	@$(PIP_INSTALL) --editable '.[bench]'
	@touch $@
