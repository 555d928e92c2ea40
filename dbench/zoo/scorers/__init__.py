"""The scores of a trained run, computed from its codes of every grid point.

Scores are computed and stored in groups. Each group draws only from generators made from the run's key for it, so its
result does not depend on which other groups are computed.
"""

from dbench.metrics.posterior import ACTIVE
from dbench.zoo.scorers.encoded_run import EncodedRun
from dbench.zoo.scorers.groups import SCORERS
from dbench.zoo.scorers.protocol import SCORING

__all__ = ["ACTIVE", "SCORERS", "SCORING", "SCORING_SCHEMA", "SLOW", "VERSIONS", "EncodedRun"]

SCORING_SCHEMA = 2
"""Increased when the scores of every group or their stored form change; all scores are then computed again."""

SLOW = frozenset({"nk", "downstream.logistic", "downstream.trees", "again", "small", "interventions"})
"""Groups that take three quarters of the time, and that ``dbench zoo score --quick`` leaves for a later call."""

VERSIONS: dict[str, int] = {}
"""Group -> version of what it computes, 1 if it is not named; stored groups of another version are not used."""
