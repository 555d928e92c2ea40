"""What a trained run is scored on, from the codes of every grid point.

Scores are computed and stored in groups. Each draws from generators of the run's key only, so that a group comes out
the same whichever others are computed.
"""

from dbench.metrics.posterior import ACTIVE
from dbench.zoo.scorers.encoded_run import EncodedRun
from dbench.zoo.scorers.groups import SCORERS
from dbench.zoo.scorers.protocol import SCORING

__all__ = ["ACTIVE", "SCORERS", "SCORING", "SCORING_SCHEMA", "SLOW", "VERSIONS", "EncodedRun"]

SCORING_SCHEMA = 2
"""Raised when the scores of every group change, or the form they are stored in; all are computed again."""

SLOW = frozenset({"nk", "downstream.logistic", "downstream.trees", "again", "small", "interventions"})
"""Groups that take three quarters of the time; ``dbench zoo score --quick`` leaves them for a later call."""

VERSIONS: dict[str, int] = {}
"""Group -> version of what it computes, 1 where it is not named; stored groups of another version are not used."""
