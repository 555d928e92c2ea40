"""A record says the same in every session and holds nothing but JSON."""

import importlib
import pkgutil
from dataclasses import is_dataclass

import numpy as np
import pytest

import dbench.claims
import dbench.stats
from dbench.claims.record import _plain


def encode(codes):
    return codes


@pytest.mark.parametrize(
    ("value", "plain"),
    [(encode, "encode"), (np.float64(0.5), 0.5), (np.int64(3), 3), ((1, "a"), [1, "a"]), (None, None), (True, True)],
)
def test_a_parameter_is_named_without_its_address(value, plain):
    assert _plain(value) == plain
    assert type(_plain(value)) is type(plain)


def test_what_verdicts_rest_on_never_changes():
    """All data classes of claims and statistics are frozen but for those that collect a session's reports."""
    found = {}
    for package in (dbench.claims, dbench.stats):
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            for thing in vars(importlib.import_module(module.name)).values():
                if isinstance(thing, type) and is_dataclass(thing):
                    found[thing.__name__] = thing.__dataclass_params__.frozen
    assert {name for name, frozen in found.items() if not frozen} == {"Outcome", "Session"}
    assert len(found) > 10
