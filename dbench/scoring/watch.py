"""Metrics of an encoder while it trains."""

from collections.abc import Collection
from typing import Any

from dbench.data import DataSet, load
from dbench.errors import InvalidInput
from dbench.scoring.encoders import encode_data
from dbench.scoring.plan import choose
from dbench.scoring.scores import score


class Watch:
    """Scores an encoder every so many steps of a training loop, always on the same points.

    Of a grid of more than ``rows`` points so many are drawn. ``history`` holds one dictionary for each time it scored:
    ``step``, and the score of each metric.

    Raises:
        UnknownName: a metric or data set that does not exist.
        InvalidInput: ``every`` below 1.

    Example:
        >>> watch = Watch("dsprites_grid_16", metrics=["mig"], every=100, rows=500)
        >>> for step in range(101):
        ...     scores = watch(lambda images: images.reshape(len(images), -1)[:, 100:105], step)
        >>> [entry["step"] for entry in watch.history]
        [0, 100]
    """

    def __init__(
        self,
        data: DataSet | str,
        *,
        metrics: Collection[str] = ("mig", "sap[r2]", "modularity"),
        every: int = 1,
        rows: int = 5_000,
        seed: int = 0,
    ) -> None:
        if every < 1:
            raise InvalidInput(f"every must be at least 1, got {every}")
        if not metrics:
            raise InvalidInput("metrics must name at least one, got none")
        choose(metrics)  # a misspelt name shall not wait for the training
        self.data = load(data) if isinstance(data, str) else data
        self.metrics, self.every, self.rows, self.seed = tuple(metrics), every, rows, seed
        self.history: list[dict[str, float]] = []

    def __call__(self, encode: Any, step: int) -> dict[str, float]:
        """Return an encoder's scores by name; nothing on steps in between."""
        if step % self.every:
            return {}
        found, source = encode_data(encode, self.data, rows=self.rows, seed=self.seed)
        scores = score(found, source=source, metrics=self.metrics, repeats=0, seed=self.seed)
        values = {name: scores[name] for name in self.metrics}
        self.history.append({"step": step, **values})
        return values
