"""Scores of single codes under interventions, and what they are compared with (Suter et al. 2019, section 6)."""

import numpy as np
from numpy.typing import NDArray

from dbench.metrics.interventions import empida
from dbench.metrics.irs import irs
from dbench.metrics.modularity import modularity
from dbench.metrics.relations.importance import tree_importance
from dbench.zoo.scorers.encoded_run import EncodedRun, Scores
from dbench.zoo.scorers.protocol import BINS

Array = NDArray[np.float64]


def interventions(run: EncodedRun) -> Scores:
    """Score every code on every point of the grid, and by modularity and a forest on samples.

    Returns:
        With i* the factor that a code is most robust for (equation 3):

        - ``irs.code``, of every code i: IRS({i} | {i*}, all others), estimated without noise (appendix A.1).
        - ``irs.one_nuisance``: the lowest IRS({i} | {i*}, {j}) of all j: 1 where every line of Figure 4 is flat.
        - ``irs.mean``: means in place of suprema, max_j 1 - E|z - E[z|g_j]| / E|z - E[z]|. Its best factor may be
          another than i*.
        - ``modularity.bins.<n>``: with n instead of 20 bins; ``modularity.bins.<n>.active``: the mean over informative
          codes alone (0 without any), also for 20.
        - ``relation.importance_single``, codes x factors: importances of the forest of ``dci`` with one code drawn as
          the candidate of each split (appendix D.1); and ``dci.single.informativeness``: its test accuracy, mean over
          factors.

        A constant code scores 0 throughout.
    """
    robustness = irs(run.grid, crossed=True)
    assert robustness.per_code is not None
    assert robustness.relation is not None
    own = robustness.relation.argmax(axis=1)
    codes = {
        "irs.code": robustness.per_code,
        "irs.one_nuisance": _against_one_nuisance(run, own),
        "irs.mean": _on_average(run),
    }
    return {**codes, **_by_bins(run), **_single_candidates(run)}


def _against_one_nuisance(run: EncodedRun, own: NDArray[np.int64]) -> Array:
    # Every combination occurs once in the grid, so there are no weights to correct for confounding with.
    grid, factors = run.grid, range(run.grid.n_factors)
    classes = grid.factors.astype(np.int64)
    blocks = [[i] for i in range(grid.n_codes)]
    whole = empida(grid.codes, classes, blocks, [], factors, reweight=False)
    worst = np.zeros(grid.n_codes)
    for held in np.unique(own):
        moved = [empida(grid.codes, classes, blocks, [held], [j], reweight=False) for j in factors if j != held]
        worst = np.where(own == held, np.max(moved, axis=0, initial=0.0), worst)
    return _one_minus(worst, whole, grid.codes)


def _on_average(run: EncodedRun) -> Array:
    codes, factors = run.grid.codes, run.grid.factors
    whole = np.abs(codes - codes.mean(axis=0)).mean(axis=0)
    least = whole
    for column in factors.T:
        _, value = np.unique(column, return_inverse=True)
        sums = np.stack([np.bincount(value, code) for code in codes.T], axis=1)
        means = sums / np.bincount(value)[:, None]
        least = np.minimum(least, np.abs(codes - means[value]).mean(axis=0))
    return _one_minus(least, whole, codes)


def _one_minus(part: Array, whole: Array, codes: Array) -> Array:
    alive = whole > 1e-12 * np.abs(codes).max(axis=0)  # rounding leaves constant codes a spread
    return np.where(alive, 1 - np.divide(part, whole, out=np.zeros_like(part), where=alive), 0.0)


def _by_bins(run: EncodedRun) -> dict[str, float]:
    scores = {}
    for bins in BINS:
        score = modularity(run.train, bins=bins)
        assert score.per_code is not None
        if bins != BINS[0]:
            scores[f"modularity.bins.{bins}"] = score.value
        active = score.per_code[run.active]
        scores[f"modularity.bins.{bins}.active"] = float(active.mean()) if len(active) else 0.0
    return scores


def _single_candidates(run: EncodedRun) -> Scores:
    generator = run.key.generator("dci")  # as run.dci: nothing but the candidates may differ
    train, test = run.sample.split(1 / 3, generator)
    found = tree_importance(train, test, estimator="forest", candidates=1, generator=generator)
    return {"relation.importance_single": found.matrix, "dci.single.informativeness": float(found.test.mean())}
