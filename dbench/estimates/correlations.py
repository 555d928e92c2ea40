"""Contrasts between rank correlations of several scores, with intervals over seeds."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from dbench.errors import EvidenceLacking, InvalidInput
from dbench.estimates.population import Population
from dbench.estimates.zoo_among import Among, half_of, varies_without_any
from dbench.stats import Estimate, jackknife_each, rank_correlations

Correlation = Callable[[str, str], float]
"""Spearman's correlation of two scores, by their names."""


def from_correlations(
    population: Population,
    scores: Sequence[str],
    combine: Callable[[Correlation], Sequence[float]],
    *,
    among: Among | None = None,
    within: bool = False,
    settings: float = 0.0,
) -> list[Estimate]:
    """Combine the rank correlations of some scores into estimates, jackknifed over seeds.

    Over all models pooled, two scores can correlate only because both differ between objectives. With ``within`` they
    are correlated over the models of each objective (strengths and seeds), and these correlations are averaged.

    With ``within`` an objective counts if at least half of its models are left and every score varies among them, with
    all seeds and without any one seed. At least half of the objectives must count.

    ``combine`` takes a function that returns the correlation of any two of ``scores``, and returns numbers, such as
    differences and means of correlations. Each becomes one estimate, whose interval is not adjusted for the others
    (see :func:`dbench.stats.smallest_of`).

    ``among`` is a score and the least value of it that a model must have to be counted; ``settings`` is the share of
    its settings that a seed must then have left.

    Raises:
        InvalidInput: fewer than two models are left.
        EvidenceLacking: no seed has enough settings left, or too few objectives have enough models left.

    Example:
        The lead of one pair over another::

            from_correlations(zoo, ("mig", "dci", "sap"), lambda rho: [rho("mig", "dci") - rho("mig", "sap")])
    """
    names = list(dict.fromkeys(scores))
    column = {name: position for position, name in enumerate(names)}
    seeds, objectives = population.enough_seeds(), population.objectives
    # By objective: the scores, seeds x settings x scores, and which models are left, seeds x settings.
    models = {o: np.stack([population.scores(name, o, seeds=seeds) for name in names], axis=2) for o in objectives}
    if among is None:
        left = {o: np.ones(models[o].shape[:2], dtype=np.bool_) for o in objectives}
    else:
        left = {o: population.scores(among[0], o, seeds=seeds) >= among[1] for o in objectives}
    rows = np.flatnonzero(np.hstack([left[o] for o in objectives]).mean(axis=1) >= settings)
    if len(rows) == 0:
        raise EvidenceLacking(f"{population.name} holds no seed with {settings:.0%} of its settings left by {among}")
    counted = [o for o in objectives if not within or _counts(models[o][rows], left[o][rows])]
    if len(counted) < half_of(len(objectives)):
        raise EvidenceLacking(
            f"{population.name} holds {len(counted)} of {len(objectives)} objectives with half of their models left by "
            f"{among}, and scores that vary: too few"
        )

    def statistics(kept: NDArray[np.int64]) -> list[float]:
        tables = [models[o][rows[kept]][left[o][rows[kept]]] for o in counted]
        if not within:
            tables = [np.concatenate(tables)]
        fewest = min(len(table) for table in tables)
        if fewest < 2:
            least = "" if among is None else f" of {among[0]} at least {among[1]:g}"
            raise InvalidInput(f"among must leave at least 2 models of {population.name}, got {fewest}{least}")
        matrix = np.mean([rank_correlations(table) for table in tables], axis=0)
        return list(combine(lambda first, second: float(matrix[column[first], column[second]])))

    return jackknife_each(statistics, len(rows))


def _counts(models: NDArray[np.float64], left: NDArray[np.bool_]) -> bool:
    """Whether half of an objective's models are left and every score varies among them, without any one seed too."""
    return bool(left.mean() >= 0.5 and all(varies_without_any(models[:, :, s], left) for s in range(models.shape[2])))
