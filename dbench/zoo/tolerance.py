"""Tolerances: how far a score of a retrained run may lie from the table's, where the two are not equal to the last bit.

A retrained run that differs counts as another draw from the distribution over seeds of its setting; docs/zoo.md says
why. The loss of the first hundred steps has a smaller tolerance: the change that rounding alone causes. In most runs it
is tiny, in a few a thousandth, since everything differs after a unit that switches on or off. It is therefore measured
for each run, by starts from weights perturbed by one rounding error. On pilot seeds of four data sets such starts moved
this loss as far as the plainest instructions did in place of the usual ones (docs/benchmarks.md, 'Rounding').
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
"""Prefixes of scores that compare a run with all others, so that a few retrained runs cannot reproduce them."""

REFUSED = 0.01
"""Probability that a rerun with all scores drawn anew from normal distributions has any beyond its tolerance."""

OUTLIERS = 0.02
"""Share of its scores that a rerun which is another draw may have beyond tolerance. Scores are not normally
distributed: of pairs of seeds of a setting, taken for a run and its rerun, one in twenty has a score beyond its
tolerance, and one in two hundred has more than this share (docs/benchmarks.md, 'Rounding')."""

_OTHER_SEEDS = 9
"""Weight, in seeds, of the pooled variance beside a setting's own, because a few seeds estimate a variance poorly."""

_ROUNDING = 1e-6
_TURNS, _AT_ONCE = 7, 15  # batches of starts from perturbed weights, and starts in a batch

_OF_A_CODE = re.compile(r"(kl\.code|irs\.(?:code|mean|one_nuisance)|relation\.[a-z_]+)\.(\d+)(\.\d+)?")


def in_order_of_size(values: pd.DataFrame) -> pd.DataFrame:
    """Sort the elements of each array of scores (runs x scores) over the codes, the largest first.

    The order of the codes is arbitrary and differs between two draws, so they can only be compared after sorting.

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
    """Return how far retrained values of a done run's scores may lie from those of the table.

    The tolerance is sqrt(2), for the difference of two draws, times the standard deviation over the seeds of the run's
    setting (objective and strength), times a quantile of Student's t distribution. The pooled variance within the
    settings of the objective, or of all objectives if this one has fewer than nine degrees of freedom, counts as nine
    further seeds. Scores of single codes are sorted by :func:`in_order_of_size`.

    Returns:
        Indexed by score: ``tolerance``, and ``range``, the width of the score over all runs of the table. A tolerance
        that is not below the range tests nothing, because any run of the table would pass.

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
    of_objective = freedom[freedom.index.get_level_values("objective") == objective]
    within_objective, overall = ((variances * weights).sum() / weights.sum() for weights in (of_objective, freedom))
    pooled = within_objective.where(of_objective.sum() >= _OTHER_SEEDS, overall)
    setting = values[(settings["objective"] == objective) & (settings["strength"] == settings["strength"][run])]
    setting_freedom = (setting.count() - 1).clip(lower=0)
    total_freedom = _OTHER_SEEDS + setting_freedom
    variance = (_OTHER_SEEDS * pooled + setting_freedom * setting.var(ddof=1).fillna(0.0)) / total_freedom
    tolerance = stats.t.ppf(1 - REFUSED / len(names) / 2, total_freedom) * np.sqrt(2 * variance)
    # A score that is the same for all seeds may still be rounded differently.
    tolerance = np.maximum(tolerance, _ROUNDING * values.abs().max())
    tolerance = tolerance.fillna(np.inf)  # unknown for a score that no setting has for two seeds
    return pd.DataFrame({"tolerance": tolerance, "range": values.max() - values.min()})


def moved_losses(key: RunKey, number: int, generator: np.random.Generator) -> Tensor:
    """Return the first loss, in nats, of ``number`` starts of a run from perturbed initial weights.

    Each weight is multiplied by 1 + 2^-23 or 1 - 2^-23 at random, which moves it by one or two units in the last place.
    """
    data, _ = images_of(key.data)
    members, network = [member_of(key)] * number, network_of(key, data)
    start = initial_state(members, network, extra_shapes(members, network, data.factor_sizes))
    for row in start.rows.values():
        row *= torch.from_numpy(1 + 2.0**-23 * generator.choice([-1.0, 1.0], size=row.shape)).float()
    return train_keys([key] * number, state=start, each_block=lambda _: True).loss


def rounding_tolerance(key: RunKey, here: float, there: float) -> float:
    """Return how far, in nats, the first loss of a retrained run may lie from that of the table.

    This is twice the largest change of the loss by perturbed weights (:func:`moved_losses`), since both losses are
    rounded. Batches of 15 starts are added until that covers the difference, or 105 starts are done.

    Args:
        key: the run.
        here: its loss when retrained here, from unperturbed weights.
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
