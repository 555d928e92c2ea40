"""Every metric of somebody's own codes: ``dbench score``, :func:`score` and :func:`score_codes`."""

from dbench.codes.arrays import read_arrays
from dbench.codes.reading import CodesFile, read_codes
from dbench.scoring.hinton import hinton_svg
from dbench.scoring.scorer import scorer
from dbench.scoring.scores import Scores, score, score_codes
from dbench.scoring.watch import Watch

__all__ = ["CodesFile", "Scores", "Watch", "hinton_svg", "read_arrays", "read_codes", "score", "score_codes", "scorer"]
