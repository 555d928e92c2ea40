# make claims: judge every finding, write reports/latest/.   make test: lint, types, all tests.   make lint: the quick part.
# make docs: lists of what there is, and the site in build/site.   make picture: docs/report.png.
# make pages: what takes minutes and is committed: docs/properties.md, docs/sweeps.md and the figures of the report.
# make peers: other libraries' metrics beside ours, in an environment of their own; writes docs/peers*.md. It takes an hour.
# --no-compile: most modules that are installed are never imported.
# Bytecode is kept, whatever the environment says: a session would rewrite the asserts of all its files anew.
PYTHON ?= python3
BIN := .venv/bin
export PYTHONDONTWRITEBYTECODE :=

.PHONY: claims test lint docs pages peers picture format clean

.venv/runtime: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "dbench needs python 3.11 or newer, found " + sys.version.split()[0])'
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --no-compile -c constraints.txt -e .
	@touch $@

.venv/installed: .venv/runtime
	$(BIN)/pip install --quiet --disable-pip-version-check --no-compile -c constraints.txt -e '.[dev]'
	@touch $@

claims: .venv/runtime
	$(BIN)/pytest claims/ -n auto

lint: .venv/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

test: lint
	$(BIN)/pytest tests/ -n auto

docs: .venv/installed
	$(BIN)/python tools/pages.py
	$(BIN)/mkdocs build

pages: .venv/installed
	$(BIN)/python tools/properties.py --new docs/properties.md
	$(BIN)/python tools/sweeps.py
	$(BIN)/dbench figures --small --out docs/figures

build/peers/installed: pyproject.toml constraints.txt tools/peers/requirements.txt
	$(PYTHON) -m venv build/peers
	build/peers/bin/pip install --quiet --disable-pip-version-check --no-compile -c constraints.txt -e .
	build/peers/bin/pip install --quiet --disable-pip-version-check --no-compile --no-deps -r tools/peers/requirements.txt
	@touch $@

peers: build/peers/installed
	build/peers/bin/python tools/referee.py faults
	build/peers/bin/python tools/referee.py matrix
	build/peers/bin/python tools/referee.py values

picture:
	chromium --headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking --disable-component-update \
	  --user-data-dir=build/chromium --hide-scrollbars --window-size=1280,1000 --screenshot=docs/report.png "file://$(CURDIR)/reports/latest/index.html"

format: .venv/installed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf .venv build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis reports/latest
