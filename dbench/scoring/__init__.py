"""Every metric of a user's own codes: ``dbench score``, :func:`score` and :func:`compare`."""

from dbench.scoring.comparing import compare
from dbench.scoring.comparison import Comparison, Difference
from dbench.scoring.scorer import scorer
from dbench.scoring.scores import Scores, score, score_codes
from dbench.scoring.watch import Watch

__all__ = ["Comparison", "Difference", "Scores", "Watch", "compare", "score", "score_codes", "scorer"]
