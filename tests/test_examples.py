"""Examples in docstrings say what they show."""

import doctest
import importlib
from pathlib import Path

import pytest

import dbench
from dbench.metrics import METRICS
from dbench.models.objectives import OBJECTIVES

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


@pytest.mark.extension
@pytest.mark.parametrize(
    "function", [*METRICS.values(), *OBJECTIVES.values()], ids=lambda function: function.__module__
)
def test_a_metric_or_an_objective_has_an_example(function):
    assert ">>>" in function.__doc__
