"""What a trained run is scored on, from the codes of every grid point.

Scores are computed and stored in groups. Each draws from generators of the run's key only, so that a group comes out
the same whichever others are computed.
"""

from collections.abc import Callable

from dbench.data import HeldOut
from dbench.metrics.posterior import ACTIVE
from dbench.zoo.scorers import downstream, stability, supervised, unsupervised
from dbench.zoo.scorers.encoded_run import EncodedRun, Scores
from dbench.zoo.scorers.interventions import interventions
from dbench.zoo.scorers.protocol import SCORING

__all__ = ["ACTIVE", "SCORERS", "SCORING", "SCORING_SCHEMA", "SLOW", "VERSIONS", "EncodedRun"]

SCORING_SCHEMA = 2
"""Raised when the scores of every group change, or the form they are stored in; all are computed again."""

Scorer = Callable[[EncodedRun], Scores]


def _of_whole_sets(scorer: Scorer) -> Scorer:
    """Leave a slow group out where a combination was held out of training: no finding asks for it there."""

    def score(run: EncodedRun) -> Scores:
        return {} if isinstance(run.data, HeldOut) else scorer(run)

    return score


SCORERS: dict[str, Scorer] = {
    "posterior": unsupervised.posterior,
    "gaussian_tc": unsupervised.gaussian_tc,
    "mutual_information": unsupervised.mutual_information,
    **supervised.SCORERS,
    "interventions": _of_whole_sets(interventions),
    "downstream.logistic": _of_whole_sets(downstream.logistic),
    "downstream.trees": _of_whole_sets(downstream.trees),
    "again": _of_whole_sets(stability.again),
    "small": _of_whole_sets(stability.small),
    "novel": downstream.novel,
}
"""Name of a group of scores -> what computes it."""

SLOW = frozenset({"nk", "downstream.logistic", "downstream.trees", "again", "small", "interventions"})
"""Groups that take three quarters of the time; ``dbench zoo score --quick`` leaves them for a later call."""

VERSIONS: dict[str, int] = {}
"""Group -> version of what it computes, 1 where it is not named; stored groups of another version are not used."""
