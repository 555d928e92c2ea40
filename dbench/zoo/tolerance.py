"""How far a score of a retrained run may lie from the table's, where the bits are not the same.

Such a run is another draw of the law that the seeds of its setting are drawn from; docs/zoo.md says why. The loss of
the first hundred steps is held to less: to what rounding alone moves it by, which in most runs is hardly anything and
in a few a thousandth, for where a unit switches on or off everything after it differs. So each run is asked itself, by
starts from weights that are a rounding away. On pilot seeds of four data sets such starts moved this loss as far as the
plainest instructions did in place of the usual ones (docs/benchmarks.md, 'Rounding').
"""

import re
from collections import defaultdict
from collections.abc import Iterable

import numpy as np
import pandas as pd
import torch
from scipy import stats
from torch import Tensor

from dbench import seeds
from dbench.errors import InvalidInput
from dbench.training import extra_shapes
from dbench.training.state import initial_state
from dbench.zoo.engine import EARLY, images_of, member_of, network_of, train_keys
from dbench.zoo.keys import RunKey

FIRST_LOSS = EARLY[min(EARLY)]

OF_A_POPULATION = ("udr.",)
"""Scores that a run has only among all others; a few retrained runs cannot tell them."""

REFUSED = 0.01
"""How often a run whose every score were drawn anew, each from a normal law, would have one beyond its tolerance."""

OUTLIERS = 0.02
"""Share of its scores that a rerun which is another draw may have beyond tolerance. Laws of scores are not normal:
of two seeds of a setting, taken for a run and its rerun, one pair in twenty has such a score, and one in two hundred
has more than this share (docs/benchmarks.md, 'Rounding')."""

_OTHER_SEEDS = 9
"""What other settings say of a setting's variance counts as so many seeds of its own, for few seeds hardly tell it."""

_ROUNDING = 1e-6
_TURNS, _AT_ONCE = 7, 15  # starts from weights a rounding away

_OF_A_CODE = re.compile(r"(kl\.code|irs\.(?:code|mean|one_nuisance)|relation\.[a-z_]+)\.(\d+)(\.\d+)?")


def in_order_of_size(values: pd.DataFrame) -> pd.DataFrame:
    """Sort what single codes have of each array (runs x scores), the largest first.

    The codes of two draws have no order in common: which of them holds a factor says nothing of the run.

    Example:
        >>> in_order_of_size(pd.DataFrame({"mig": [0.5], "kl.code.0": [1.0], "kl.code.1": [3.0]})).iloc[0].tolist()
        [0.5, 3.0, 1.0]
    """
    arrays = defaultdict[tuple[str, str | None], dict[int, str]](dict)
    for name in values.columns:
        if cell := _OF_A_CODE.fullmatch(name):
            arrays[cell[1], cell[3]][int(cell[2])] = name
    ordered = values.copy()
    for cells in arrays.values():
        names = [cells[code] for code in sorted(cells)]
        ordered[names] = -np.sort(-values[names].to_numpy(), axis=1)
    return ordered


def accepted(table: pd.DataFrame, run: str, scores: Iterable[str]) -> pd.DataFrame:
    """Return for each of some scores of a run that is done how far a retrained value may lie from the table's.

    The tolerance is sqrt(2), for the difference of two draws, times the standard deviation over the seeds of the run's
    setting (objective and strength) times a quantile of Student's law. The mean variance within the settings of the
    objective (of all objectives, where that has fewer degrees of freedom than nine) counts as nine further seeds.
    Scores of single codes are those of :func:`in_order_of_size`.

    Returns:
        Indexed by score: ``tolerance``, and ``range``, the width of the score over all runs of the table. A tolerance
        that is not below the range tests nothing: any run of the table would pass for this one.

    Raises:
        InvalidInput: a table without two seeds of any setting.
    """
    names = list(scores)
    done = table[(table["status"] == "done") & table["score"].isin(names)]
    values = in_order_of_size(done.pivot(index="run", columns="score", values="value")[names])
    settings = done.drop_duplicates("run").set_index("run")[["objective", "strength"]].loc[values.index]
    objective = settings["objective"][run]
    grouped = values.groupby([settings["objective"], settings["strength"]])
    variances, freedom = grouped.var(ddof=1), (grouped.count() - 1).clip(lower=0)
    if not freedom.any(axis=None):
        raise InvalidInput("a table must hold two seeds of some setting to tell how far a rerun may lie, got one")
    like = freedom.index.get_level_values("objective") == objective
    near, every = ((variances * weights).sum() / weights.sum() for weights in (freedom[like], freedom))
    pooled = near.where(freedom[like].sum() >= _OTHER_SEEDS, every)
    setting = values[(settings["objective"] == objective) & (settings["strength"] == settings["strength"][run])]
    own = (setting.count() - 1).clip(lower=0)
    variance = (_OTHER_SEEDS * pooled + own * setting.var(ddof=1).fillna(0.0)) / (_OTHER_SEEDS + own)
    quantile = stats.t.ppf(1 - REFUSED / len(names) / 2, _OTHER_SEEDS + own)
    tolerance = quantile * np.sqrt(2 * variance)
    # A score that is the same for all seeds may still be rounded otherwise.
    tolerance = np.maximum(tolerance, _ROUNDING * values.abs().max())
    tolerance = tolerance.fillna(np.inf)  # of a score that no two seeds of a setting have nothing is known
    return pd.DataFrame({"tolerance": tolerance, "range": values.max() - values.min()})


def moved_losses(key: RunKey, number: int, generator: np.random.Generator) -> Tensor:
    """Return the first loss of some starts of a run from weights a rounding away, in nats.

    Weights are multiplied by 1 + 2^-23 or 1 - 2^-23, which moves them by one or two units in the last place.
    """
    data, _ = images_of(key.data)
    members, network = [member_of(key)] * number, network_of(key, data)
    start = initial_state(members, network, extra_shapes(members, network, data.factor_sizes))
    for row in start.rows.values():
        row *= torch.from_numpy(1 + 2.0**-23 * generator.choice([-1.0, 1.0], size=row.shape)).float()
    return train_keys([key] * number, state=start, each_block=lambda _: True).loss


def rounding_tolerance(key: RunKey, here: float, there: float) -> float:
    """Return how far the first loss of a run may lie from that of the table, in nats.

    Twice as far as the furthest of some starts from weights a rounding away, since both losses are rounded. Starts go
    on, 15 at once, until that covers the difference, or 105 are done.

    Args:
        key: the run.
        here: its loss here, from its own weights.
        there: its loss in the table.
    """
    generator = seeds.generator(purpose="rounding", run=key.digest)
    furthest = torch.finfo(torch.float32).eps * abs(here)
    for _ in range(_TURNS):
        if abs(here - there) <= 2 * furthest:
            break
        losses = moved_losses(key, _AT_ONCE, generator)
        furthest = max([furthest, *(losses[losses.isfinite()] - here).abs().tolist()])
    return 2 * furthest
