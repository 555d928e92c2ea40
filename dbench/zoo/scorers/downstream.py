"""What codes are good for: accuracy of classifiers (A Sober Look, sections 4.2.8, 7; Mahon et al., section 5.2)."""

from collections.abc import Sequence

from dbench.data import HeldOut
from dbench.metrics.downstream import Model, downstream_accuracy
from dbench.metrics.novel_combinations import novel_combinations
from dbench.zoo.scorers import protocol
from dbench.zoo.scorers.encoded_run import EncodedRun


def _scores(
    run: EncodedRun, name: str, model: Model, sizes: Sequence[int], tuning: int | None = None
) -> dict[str, float]:
    """Accuracies averaged over factors, and those of few points as shares of the one of most (0 if that is 0)."""
    generator = run.key.generator(f"downstream.{name}")
    found = downstream_accuracy(run.sample, sizes, model=model, test=protocol.TEST, tuning=tuning, generator=generator)
    accuracy = {size: float(row.mean()) for size, row in zip(sizes, found, strict=True)}
    most = accuracy[max(sizes)]
    few = [size for size in sizes if 100 <= size < max(sizes)]
    return {f"downstream.{name}.{size}": value for size, value in accuracy.items()} | {
        f"efficiency.{name}.{size}": accuracy[size] / most if most else 0.0 for size in few
    }


def logistic(run: EncodedRun) -> dict[str, float]:
    """Logistic regressions: ``downstream.logistic.<n>`` and ``efficiency.logistic.<n>``."""
    return _scores(run, "logistic", "logistic", protocol.DOWNSTREAM, protocol.TUNING)


def trees(run: EncodedRun) -> dict[str, float]:
    """Boosted trees: ``downstream.trees.<n>`` and ``efficiency.trees.<n>``."""
    return _scores(run, "trees", "gbt", protocol.TREES)


def novel(run: EncodedRun) -> dict[str, float]:
    """``novel`` and its details as ``novel.<detail>``; nothing where the data set holds out no combination."""
    if not isinstance(run.data, HeldOut):
        return {}
    held_out = run.data.held_out()
    score = novel_combinations(
        run.grid,
        held_out,
        run.data.combined,
        train=min(protocol.NOVEL, int((~held_out).sum())),
        epochs=protocol.EPOCHS,
        generator=run.key.generator("novel"),
    )
    return {"novel": score.value, **{f"novel.{name}": value for name, value in score.details.items()}}
