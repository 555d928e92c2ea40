"""Robustness of single codes to interventions, and variants of other metrics for comparison (Suter et al. 2019)."""

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
    """Score every code by interventional robustness on the whole grid, and by modularity and a forest on samples.

    Section 6 of the paper compares these. i* is the factor for which code i is most robust (equation 3).

    Returns:
        - ``irs.code``: for every code i, IRS({i} | {i*}, all other factors), estimated without noise (appendix A.1).
        - ``irs.one_nuisance``: the minimum over j of IRS({i} | {i*}, {j}); 1 where every line of Figure 4 is flat.
        - ``irs.mean``: with means instead of suprema, max_j 1 - E|z - E[z|g_j]| / E|z - E[z]|. The best factor may
          differ from i*.
        - ``modularity.bins.<n>``: modularity with n instead of 20 bins; ``modularity.bins.<n>.active``: its mean over
          the informative codes only (0 if there are none), also for 20 bins.
        - ``relation.importance_single``, codes x factors: importances by the forest of ``dci`` with one random
          candidate code for each split (appendix D.1); ``dci.single.informativeness``: its mean test accuracy over
          factors.

        A constant code scores 0 in all of them.
    """
    robustness = irs(run.grid, crossed=True)
    assert robustness.per_code is not None
    assert robustness.relation is not None
    best_factor = robustness.relation.argmax(axis=1)
    per_code = {
        "irs.code": robustness.per_code,
        "irs.one_nuisance": _against_one_nuisance(run, best_factor),
        "irs.mean": _on_average(run),
    }
    return {**per_code, **_by_bins(run), **_single_candidates(run)}


def _against_one_nuisance(run: EncodedRun, best_factor: NDArray[np.int64]) -> Array:
    """Return each code's lowest robustness to a single nuisance factor, with the code's best factor held fixed."""
    # Every combination occurs once in the grid, so no confounding must be corrected by weights.
    grid, factors = run.grid, range(run.grid.n_factors)
    classes = grid.factors.astype(np.int64)
    blocks = [[i] for i in range(grid.n_codes)]
    total = empida(grid.codes, classes, blocks, [], factors, reweight=False)
    worst = np.zeros(grid.n_codes)
    for fixed in np.unique(best_factor):
        effects = [empida(grid.codes, classes, blocks, [fixed], [j], reweight=False) for j in factors if j != fixed]
        worst = np.where(best_factor == fixed, np.max(effects, axis=0, initial=0.0), worst)
    return _one_minus(worst, total, grid.codes)


def _on_average(run: EncodedRun) -> Array:
    """Return 1 - E|z - E[z|g_j]| / E|z - E[z]| of each code for its best factor j."""
    codes, factors = run.grid.codes, run.grid.factors
    total = np.abs(codes - codes.mean(axis=0)).mean(axis=0)
    least = total
    for column in factors.T:
        _, value = np.unique(column, return_inverse=True)
        sums = np.stack([np.bincount(value, code) for code in codes.T], axis=1)
        means = sums / np.bincount(value)[:, None]
        least = np.minimum(least, np.abs(codes - means[value]).mean(axis=0))
    return _one_minus(least, total, codes)


def _one_minus(part: Array, total: Array, codes: Array) -> Array:
    """Return 1 - part / total, 0 for constant codes."""
    varies = total > 1e-12 * np.abs(codes).max(axis=0)  # constant codes may vary by rounding
    return np.where(varies, 1 - np.divide(part, total, out=np.zeros_like(part), where=varies), 0.0)


def _by_bins(run: EncodedRun) -> dict[str, float]:
    """Modularity for several numbers of bins, over all codes and over the informative ones."""
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
    generator = run.key.generator("dci")  # the generator of run.dci, so that only the candidates differ
    train, test = run.sample.split(1 / 3, generator)
    forest = tree_importance(train, test, estimator="forest", candidates=1, generator=generator)
    return {"relation.importance_single": forest.matrix, "dci.single.informativeness": float(forest.test.mean())}
