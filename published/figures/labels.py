"""The labels of objectives and scores in figures, the look of objectives, and the width of a page."""

import re

from dbench.metrics import METRICS
from dbench.metrics.registry import find_card
from dbench.models import objectives
from dbench.scoring.style import LOOKS, Look

WIDTH = 7.0
"""Width of a page's text in inches, at which 8 points have the size of a footnote."""

# Labels of scores that are not a metric of their own; a metric's label is on its card.
_SCORES = {
    "dci.completeness": "DCI compl.",
    "dci.informativeness": "DCI inform.",
    "elbo": "ELBO",
    "gaussian_tc.mean": "TC, mean",
    "gaussian_tc.mean.active": "TC, mean, informative",
    "gaussian_tc.sampled": "TC, sampled",
    "gaussian_tc.sampled.active": "TC, sampled, informative",
    "kl": "KL",
    "mutual_information.mean": "MI, mean",
    "mutual_information.sampled": "MI, sampled",
    "reconstruction": "Reconstr. error",
    "udr.lasso": "UDR Lasso",
    "udr.lasso.all": "UDR Lasso A2A",
    "udr.spearman": "UDR Spearman",
    "udr.spearman.all": "UDR Spearman A2A",
}
_LEARNERS = {"logistic": "LR", "trees": "GBT"}


def look_of(objective: str) -> Look:
    """Return the colour and marker of an objective: a black circle for one without a look of its own."""
    return LOOKS.get(objective, Look("#000000", "o"))


def label_of(objective: str) -> str:
    """Return the label of an objective from its card, or its name if it is not registered."""
    return objectives.find_card(objective).label if objective in objectives.OBJECTIVES else objective


def score_label(score: str) -> str:
    """Return a score's name as figures print it."""
    downstream = re.fullmatch(r"(downstream|efficiency)\.(logistic|trees)\.(\d+)", score)
    if downstream:
        kind, learner, size = downstream.groups()
        words = "efficiency " if kind == "efficiency" else ""
        return f"{_LEARNERS[learner]} {words}{size}"
    again = re.fullmatch(r"(?:again|small|small_again)\.(.+)", score)
    if again:
        return score_label(again[1])
    return _SCORES.get(score) or (find_card(score).label if score in METRICS else score)
