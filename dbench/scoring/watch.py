"""Metrics of an encoder while it trains; written to TensorBoard, Weights & Biases or the Trainer of Hugging Face.

Objects of the first two libraries are passed in, so neither is imported; the third is imported only when it is used.
"""

from collections.abc import Callable, Collection, Mapping
from math import prod
from typing import Any

from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from dbench.codes import GridSource, Source
from dbench.data import DataSet, load
from dbench.errors import InvalidInput
from dbench.metrics.inputs import require_count
from dbench.scoring.encoders import ROWS, encode_data
from dbench.scoring.plan import choose
from dbench.scoring.scores import score

Log = Callable[[Mapping[str, float], int], None]


class Watch:
    """Scores an encoder at every ``every``-th step of a training loop, always on the same points.

    If the grid has more than ``rows`` points, so many are drawn. For metrics that intervene, a grid of at most 50,000
    points is encoded whole, whatever ``rows`` is: looking codes up is faster than calling the encoder again. A call
    computes in one thread. ``history`` holds a dictionary for each scored step: ``step``, and the score of each metric;
    ``log`` is called with these scores and the step, see :func:`to_tensorboard`.

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
        # Wrong arguments are refused here, not in the middle of the training.
        for name, value in (("every", every), ("rows", rows)):
            require_count(name, value, 1)
        names = (metrics,) if isinstance(metrics, str) else tuple(metrics)
        if not names:
            raise InvalidInput("metrics must name at least one, got none")
        items = choose(names)
        if several := [item.name for item in items if item.needs == "models"]:
            raise InvalidInput(f"metrics must be of the codes of one model, got {several[0]!r}, which compares several")
        self.data = load(data) if isinstance(data, str) else data
        if not hasattr(self.data, "draw_factors"):
            raise InvalidInput(f"data must be a data set or the name of one, got {data!r}")
        self.metrics, self.every, self.rows, self.seed, self.log = names, every, rows, seed, log
        needs = {item.needs for item in items} if prod(self.data.factor_sizes) <= ROWS else set()
        self._looks_up = "source" in needs
        if "grid" in needs:  # every combination of factor values
            self.rows = ROWS
        self.history: list[dict[str, float]] = []

    def __call__(self, encode: Any, step: int) -> dict[str, float]:
        """Return an encoder's scores by name of the metric; empty on steps that are not scored."""
        if step % self.every:
            return {}
        source: Source | None
        codes, source = encode_data(encode, self.data, rows=self.rows, seed=self.seed)
        if source is not None and self._looks_up:
            grid, _ = encode_data(encode, self.data, rows=ROWS, seed=self.seed)
            source = GridSource(grid.sample.codes, self.data.factor_sizes, grid.sample.factor_names)
        # One thread is many times faster than threads that compete with those of the training.
        with threadpool_limits(1):
            scores = score(codes, source=source, metrics=self.metrics, repeats=0, seed=self.seed, progress=False)
        values = {name: scores[name] for name in self.metrics}
        self.history.append({"step": step, **values})
        if self.log is not None:
            self.log(values, step)
        return values


def to_tensorboard(writer: Any, prefix: str = "dbench/") -> Log:
    """Return a function that writes scores as scalars: ``Watch(data, log=to_tensorboard(SummaryWriter()))``.

    Args:
        writer: a ``torch.utils.tensorboard.SummaryWriter``, or any object with its ``add_scalar(name, value, step)``.
        prefix: text before the name of each metric.

    Raises:
        InvalidInput: no such writer.
    """
    add_scalar = _method("writer", writer, "add_scalar")

    def log(scores: Mapping[str, float], step: int) -> None:
        for name, value in scores.items():
            add_scalar(prefix + name, value, step)

    return log


def to_wandb(run: Any, prefix: str = "dbench/") -> Log:
    """Return a function that logs scores to Weights & Biases: ``Watch(data, log=to_wandb(wandb.init()))``.

    A run takes steps in rising order, so log with the same steps as the training does.

    Args:
        run: a run of wandb, or any object with its ``log(values, step=...)``.
        prefix: text before the name of each metric.

    Raises:
        InvalidInput: no such run.
    """
    write = _method("run", run, "log")

    def log(scores: Mapping[str, float], step: int) -> None:
        write({prefix + name: value for name, value in scores.items()}, step=step)

    return log


def trainer_callback(watch: Watch, encoder: Callable[[Any], Any]) -> Any:
    """Return a callback of Hugging Face's Trainer: ``Trainer(..., callbacks=[trainer_callback(watch, encoder)])``.

    The watch is called after each step of the optimiser; its scores are also added to the trainer's own logs.

    Args:
        watch: computes the scores, and says at which steps.
        encoder: takes the model in training and returns its encoder, as ``operator.attrgetter("encoder")`` does.

    Raises:
        InvalidInput: transformers is not installed.
    """
    try:
        from transformers import TrainerCallback
    except ModuleNotFoundError:
        raise InvalidInput("trainer_callback needs transformers: pip install 'dbench[huggingface]'") from None

    class Scored(TrainerCallback):  # type: ignore[misc, unused-ignore]
        def on_step_end(self, args: Any, state: Any, control: Any, model: Any = None, **others: Any) -> None:
            if scores := watch(encoder(model), state.global_step):
                state.log_history.append({"step": state.global_step, **scores})

    return Scored()


def _method(argument: str, owner: Any, name: str) -> Callable[..., Any]:
    attribute = getattr(owner, name, None)
    if not callable(attribute):
        raise InvalidInput(f"{argument} must have a method {name}, got {type(owner).__name__}")
    method: Callable[..., Any] = attribute
    return method
