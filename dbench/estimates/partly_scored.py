"""Scores that some seeds lack: a function that needs one is called again without those seeds."""

from collections.abc import Callable
from typing import Any, TypeVar

from dbench.errors import DbenchError

Result = TypeVar("Result")


class PartlyScored(DbenchError):
    """Raised where only some seeds have a score or can be compared; ``Population.having`` leaves the others out."""

    def __init__(self, holder: str, score: str) -> None:
        super().__init__(f"{holder} has {score} of some seeds alone: judge those, as Population.having gives them")
        self.score = score


def on_scored_seeds(function: Callable[..., Result], given: dict[str, Any]) -> Result:
    """Call a function; whenever it needs a score that some seeds lack, call it again without those seeds.

    ``given`` holds its arguments by name. It is changed: its populations become those of the last call.
    """
    restricted_to = set[str]()
    while True:
        try:
            return function(**given)
        except PartlyScored as partly:
            if partly.score in restricted_to:  # then the population that lacks it is not among the arguments
                raise
            restricted_to.add(partly.score)
            populations = {name: value for name, value in given.items() if hasattr(value, "having")}
            given |= {name: population.having(partly.score) for name, population in populations.items()}
