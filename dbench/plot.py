"""One call for each plot: ``dbench.plot.relations(scores)``. Needs matplotlib: ``pip install 'dbench[figures]'``."""

from dbench.scoring.plots import models, relations, scores, training, traversals

__all__ = ["models", "relations", "scores", "training", "traversals"]
