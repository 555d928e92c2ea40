"""Scores that some seeds lack: who asks for one is asked again of the others alone."""

from collections.abc import Callable
from typing import Any, TypeVar

from dbench.errors import DbenchError

Result = TypeVar("Result")


class PartlyScored(DbenchError):
    """A score of some seeds alone, or agreements of parts of them; ``having`` leaves the others out."""

    def __init__(self, holder: str, score: str) -> None:
        super().__init__(f"{holder} has {score} of some seeds alone: judge those, as Population.having gives them")
        self.score = score


def on_scored_seeds(function: Callable[..., Result], given: dict[str, Any]) -> Result:
    """Call a function; where it asks for a score that some seeds lack, call it again with the others alone.

    ``given`` are its arguments by name. Populations among them are replaced by those that it was called with at last.
    """
    asked = set[str]()
    while True:
        try:
            return function(**given)
        except PartlyScored as partly:
            if partly.score in asked:  # of a population that is none of the arguments
                raise
            asked.add(partly.score)
            given |= {name: one.having(partly.score) for name, one in given.items() if hasattr(one, "having")}
