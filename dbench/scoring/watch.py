"""Metrics of an encoder while it trains."""

from collections.abc import Collection
from math import prod
from typing import Any

from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from dbench.codes import GridSource, Source
from dbench.data import DataSet, load
from dbench.errors import InvalidInput
from dbench.metrics.inputs import require_count
from dbench.scoring.encoders import ROWS, encode_data
from dbench.scoring.loggers import Log
from dbench.scoring.plan import choose
from dbench.scoring.scores import score


class Watch:
    """Scores an encoder every so many steps of a training loop, always on the same points.

    Of a grid of more than ``rows`` points so many are drawn. Metrics that intervene look a grid of at most 50,000
    points up, whatever ``rows`` is, since that is faster than an encoder that is asked anew. A call computes in one
    thread. ``history`` holds one dictionary for each time it scored: ``step``, and the score of each metric; ``log`` is
    called with these scores and the step, see :func:`dbench.scoring.loggers.to_tensorboard`.

    Raises:
        UnknownName: a metric or data set that does not exist.
        InvalidInput: ``every`` or ``rows`` that is no integer of at least 1, no metric or one that compares models,
            or ``data`` that is no data set.

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
        log: Log | None = None,
    ) -> None:
        # What is wrong shall not wait for the training.
        for what, value in (("every", every), ("rows", rows)):
            require_count(what, value, 1)
        names = (metrics,) if isinstance(metrics, str) else tuple(metrics)
        if not names:
            raise InvalidInput("metrics must name at least one, got none")
        if several := [item.name for item in choose(names) if item.needs == "models"]:
            raise InvalidInput(f"metrics must be of the codes of one model, got {several[0]!r}, which compares several")
        self.data = load(data) if isinstance(data, str) else data
        if not hasattr(self.data, "draw_factors"):
            raise InvalidInput(f"data must be a data set or the name of one, got {data!r}")
        self.metrics, self.every, self.rows, self.seed, self.log = names, every, rows, seed, log
        needs = {item.needs for item in choose(names)} if prod(self.data.factor_sizes) <= ROWS else set()
        self._looks_up = "source" in needs
        if "grid" in needs:  # every combination of factor values
            self.rows = ROWS
        self.history: list[dict[str, float]] = []

    def __call__(self, encode: Any, step: int) -> dict[str, float]:
        """Return an encoder's scores by name; nothing on steps in between."""
        if step % self.every:
            return {}
        source: Source | None
        found, source = encode_data(encode, self.data, rows=self.rows, seed=self.seed)
        if source is not None and self._looks_up:
            grid, _ = encode_data(encode, self.data, rows=ROWS, seed=self.seed)
            source = GridSource(grid.sample.codes, self.data.factor_sizes, grid.sample.factor_names)
        # Threads of libraries that wait for those of the training take many times as long as one.
        with threadpool_limits(1):
            scores = score(found, source=source, metrics=self.metrics, repeats=0, seed=self.seed, progress=False)
        values = {name: scores[name] for name in self.metrics}
        self.history.append({"step": step, **values})
        if self.log is not None:
            self.log(values, step)
        return values
