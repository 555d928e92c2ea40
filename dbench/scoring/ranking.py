"""Models ranked against each other by their codes alone (UDR, Duan et al. 2020): no factors are needed."""

from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbench.codes.reading import USUAL_CODES, choose_rows, columns_of, explain, open_file, posterior
from dbench.codes.tables import StoredTable
from dbench.errors import InvalidInput
from dbench.metrics.posterior import informative_mask
from dbench.metrics.udr import Relation, udr_agreements
from dbench.seeds import generator
from dbench.shown import one_line, some

# Findings that say how far to trust the ranking: (id, question that it answers).
FINDINGS = (
    ("udr.correlates-with-supervised", "does it rank models as the supervised metrics do?"),
    ("udr.few-comparisons-suffice", "five comparisons for each model, or more?"),
    ("udr.lone-good-model-missed", "is one disentangled model among entangled ones found?"),
    ("udr.subset-bias", "are models that learn few factors marked down?"),
)


class CodesAlone(NamedTuple):
    """Codes of one model without factors; see :class:`~dbench.codes.reading.CodesFile`."""

    name: str  # path of the file, as given
    codes: NDArray[np.float64]  # n x d
    logvar: NDArray[np.float64] | None
    notes: tuple[str, ...]


def read_codes_alone(
    paths: Sequence[str | Path], *, codes: str | None = None, rows: int = 10_000, seed: int = 0
) -> list[CodesAlone]:
    """Read the codes of several models for the same observations, in the same order.

    Each file has a format of :func:`~dbench.codes.reading.read_codes`: arrays by name (``codes``, optionally ``logvar``
    or ``std``), an ``.npy``, or a table (columns ``code_*`` or ``z_*``); factors in it are ignored. The options are
    those of that function. The same rows are kept of every file that has more than ``rows``.

    Raises:
        InvalidInput: no such file, another format, or numbers of rows that differ.
        DamagedData: a file that cannot be read.
    """
    models, lengths = list[CodesAlone](), list[int]()
    for path in paths:
        with ExitStack() as files:
            opened = open_file(path, files)
            notes = list[str]()
            choose = partial(choose_rows, rows=rows, seed=seed, notes=notes)
            if isinstance(opened, StoredTable):
                columns = columns_of(opened, "codes", codes, USUAL_CODES)
                values, _, n = opened.read(columns, (), choose)
                logvar = None
            else:
                if "" in opened and codes is not None:
                    raise InvalidInput(f"--codes names arrays of .npz or columns of tables, got {Path(path).name}")
                name = "" if "" in opened else codes or "codes"
                if name not in opened:
                    raise InvalidInput(explain(Path(path).name, opened, {"codes": name}, ["codes"]))
                n = opened[name].matrix[0]
                keep = choose(n)
                values = opened[name].read(keep)
                logvar = posterior(Path(path).name, opened, name, keep, notes)
        models.append(CodesAlone(one_line(str(path)), values.astype(np.float64), logvar, tuple(notes)))
        lengths.append(n)
        if n != lengths[0]:
            raise InvalidInput(
                "all files must hold the codes of the same observations, "
                f"got {lengths[0]} rows in {paths[0]} and {n} in {path}"
            )
    return models


@dataclass(frozen=True, eq=False)
class Ranking:
    """Agreement of m models with each other, and the scores that follow from it."""

    names: tuple[str, ...]
    agreements: NDArray[np.float64]  # m x m: row i holds the comparisons of model i, its diagonal those with itself
    scores: NDArray[np.float64]  # medians of the comparisons with others: UDR
    spread: NDArray[np.float64]  # distances from first to third quartile of these comparisons
    informative: NDArray[np.int64]  # numbers of informative codes
    notes: tuple[str, ...]  # what was decided, one sentence each

    @property
    def order(self) -> NDArray[np.int64]:
        """Numbers of the models by falling score; models of equal score in the order given."""
        return np.argsort(-self.scores, kind="stable")

    @property
    def best(self) -> int | None:
        """Number of the model to pick; None for two models, or where no codes agree (or none are informative)."""
        return int(self.order[0]) if len(self.scores) > 2 and self.scores.max() > 0 else None


def rank_models(models: Sequence[CodesAlone], *, relation: Relation = "lasso") -> Ranking:
    """Score every model by the median of its agreement with the others (equation 2 of Duan et al. 2020).

    The models must hold codes of the same observations in the same order. Their numbers of codes may differ.

    Raises:
        InvalidInput: fewer than two models, or two of one name.
    """
    if len(models) < 2:
        raise InvalidInput(f"models must be at least 2, to be compared with each other, got {len(models)}")
    names = [model.name for model in models]
    if repeated := sorted(name for name, count in Counter(names).items() if count > 1):
        raise InvalidInput(f"models must have a name each, got {some(repeated)} more than once")
    # Models with fewer codes are padded with constant codes, which relate to nothing.
    width = max(model.codes.shape[1] for model in models)
    codes = np.stack([np.pad(model.codes, ((0, 0), (0, width - model.codes.shape[1]))) for model in models])
    informative = np.zeros((len(models), width), dtype=bool)
    no_posterior = [model.name for model in models if model.logvar is None]
    for row, model in zip(informative, models, strict=True):
        mask = np.ptp(model.codes, axis=0) > 0 if model.logvar is None else informative_mask(model.codes, model.logvar)
        row[: len(mask)] = mask
    # Rows are shuffled: the folds of the Lasso are runs of rows, and neighbours in a file of a grid are alike.
    order = generator(task="rank_models", step="rows").permutation(codes.shape[1])
    agreements = udr_agreements(codes[:, order], informative, relation=relation)
    others = [np.delete(row, number) for number, row in enumerate(agreements)]
    quartiles = np.array([np.percentile(row, [25, 75]) for row in others])
    notes = list(dict.fromkeys(note for model in models for note in model.notes))
    if no_posterior:
        notes.append(
            "No posterior (array logvar or std) in "
            f"{', '.join(no_posterior[:5])}{', ...' if len(no_posterior) > 5 else ''}: "
            "every code that varies counts as informative, also one that holds nothing but noise."
        )
    if len(models) < 6:
        notes.append(f"Comparisons for each model: {len(models) - 1}; the paper has five or more.")
    return Ranking(
        tuple(names),
        agreements,
        np.array([np.median(row) for row in others]),
        quartiles[:, 1] - quartiles[:, 0],
        informative.sum(axis=1),
        tuple(notes),
    )
