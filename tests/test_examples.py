"""Examples in docstrings say what they show."""

import doctest
import importlib
from pathlib import Path

import pytest

import dbench

ROOT = Path(dbench.__file__).parent
MODULES = sorted(
    ".".join(("dbench", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__")
    for path in ROOT.rglob("*.py")
    if ">>>" in path.read_text(encoding="utf-8")
)


@pytest.mark.extension
@pytest.mark.parametrize("name", MODULES)
def test_examples_come_out_as_written(name):
    found = doctest.testmod(importlib.import_module(name))
    assert found.attempted
    assert found.failed == 0
