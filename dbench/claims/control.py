"""The negative control of a claim: its own test, asked where the sentence is false."""

import inspect
from collections.abc import Callable, Iterator
from typing import Any

from dbench.claims.card import CARD_ATTRIBUTE, Claim
from dbench.errors import InvalidInput
from dbench.estimates.simulated import Simulated
from dbench.seeds import generator
from dbench.stats import Estimate


def control(test: Callable[..., Estimate]) -> Estimate:
    """Call a test that covers a claim with what the card names as ``false``, else as ``given``, else its first case.

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
    """Names and values of the first case of each ``pytest.mark.parametrize``."""
    for mark in getattr(test, "pytestmark", ()):
        if mark.name == "parametrize":
            names, first = mark.args[0], next(iter(mark.args[1]))
            several = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
            values = getattr(first, "values", None)  # of pytest.param
            values = first if values is None or callable(values) else values
            yield from zip(several, values if len(several) > 1 or values is not first else [first], strict=True)
