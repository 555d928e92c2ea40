"""Every metric of a user's own codes: ``dbench score``, :func:`score` and :func:`score_codes`."""

from dbench.scoring.scorer import scorer
from dbench.scoring.scores import Scores, score, score_codes
from dbench.scoring.watch import Watch

__all__ = ["Scores", "Watch", "score", "score_codes", "scorer"]
