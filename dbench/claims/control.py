"""The negative control of a claim: its own test, run where the sentence is false."""

import inspect
from collections.abc import Callable, Iterator
from typing import Any

from dbench.claims.card import CARD_ATTRIBUTE, Claim
from dbench.errors import InvalidInput
from dbench.estimates.simulated import Simulated
from dbench.seeds import generator
from dbench.stats import Estimate


def control(test: Callable[..., Estimate]) -> Estimate:
    """Call the test of a claim where its sentence is false: with ``false``, else ``given``, else its first case.

    Raises:
        InvalidInput: an argument that none of them names, or one that the test does not take.
    """
    card: Claim = getattr(test, CARD_ATTRIBUTE)
    arguments = dict(_first_case(test)) | dict(card.given) | dict(card.false)
    taken = inspect.signature(test).parameters
    if wrong := [*(taken.keys() - arguments.keys()), *(arguments.keys() - taken.keys())]:
        rule = "must name" if wrong[0] in taken else "names"
        raise InvalidInput(f"false of {card.name!r} {rule} {wrong[0]!r}; {test.__name__} takes {', '.join(taken)}")
    for name, value in arguments.items():
        if isinstance(value, Simulated):
            arguments[name] = value.draw(generator(control=card.name, argument=name))
    return test(**arguments)


def _first_case(test: Callable[..., Any]) -> Iterator[tuple[str, Any]]:
    """Yield the argument names and values of the first case of each ``pytest.mark.parametrize`` of a test."""
    for mark in getattr(test, "pytestmark", ()):
        if mark.name == "parametrize":
            argnames, case = mark.args[0], next(iter(mark.args[1]))
            names = [name.strip() for name in argnames.split(",")] if isinstance(argnames, str) else list(argnames)
            values = getattr(case, "values", None)  # a tuple in a pytest.param, a method of a dictionary
            if values is None or callable(values):
                values = case if len(names) > 1 else [case]
            yield from zip(names, values, strict=True)
