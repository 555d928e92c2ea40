"""Every metric of somebody's own codes: ``dbench score`` and :func:`score_codes`."""

from dbench.codes.reading import CodesFile, read_codes
from dbench.scoring.frame import score_codes
from dbench.scoring.hinton import hinton_svg

__all__ = ["CodesFile", "hinton_svg", "read_codes", "score_codes"]
