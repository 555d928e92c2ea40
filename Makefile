# make claims: judge every finding, write reports/latest/.   make test: lint, types, all tests.   make lint: the quick part.
# make docs: lists of what there is, and the site in build/site.   make picture: docs/report.png.
# make pages: what takes minutes and is committed: docs/properties.md, docs/sweeps.md and the figures of the report.
# --no-compile: most modules that are installed are never imported.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: claims test lint docs pages picture format clean

.venv/installed: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "dbench needs python 3.11 or newer, found " + sys.version.split()[0])'
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --no-compile -c constraints.txt -e '.[dev]'
	@touch $@

claims: .venv/installed
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

picture:
	chromium --headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking --disable-component-update \
	  --user-data-dir=build/chromium --hide-scrollbars --window-size=1280,1000 --screenshot=docs/report.png "file://$(CURDIR)/reports/latest/index.html"

format: .venv/installed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf .venv build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis reports/latest
