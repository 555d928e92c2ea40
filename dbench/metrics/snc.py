"""Single-neuron classification (Mahon et al., section 4.2). Higher is better."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from dbench.codes import Sample
from dbench.metrics.alignment import align
from dbench.metrics.inputs import label_indices, require_count, require_discrete
from dbench.metrics.registry import Score, metric
from dbench.metrics.relations import mutual_information

__all__ = ["bin_accuracy", "snc"]


def _tally(code: NDArray[np.float64], label: NDArray[np.int64], n_bins: int) -> NDArray[np.float64]:
    """Count labels in each of ``n_bins`` bins of equal counts along the sorted code.

    Equal codes that straddle a cut are shared out in proportion: the mean over all orders they could be
    sorted in. Breaking ties by position would leak the order of the observations, which on a factor grid
    is the label itself.
    """
    n, n_labels = len(code), int(label.max()) + 1
    values, group = np.unique(code, return_inverse=True)
    counts = np.bincount(group * n_labels + label, minlength=len(values) * n_labels).reshape(-1, n_labels)
    reached = np.concatenate([np.zeros((1, n_labels)), counts.cumsum(axis=0)])  # labels up to each distinct value
    position = reached.sum(axis=1)
    cuts = np.linspace(0, n, n_bins + 1)
    below = np.stack([np.interp(cuts, position, column) for column in reached.T], axis=1)
    return np.diff(below, axis=0)


def _bins_of_each_class(sizes: NDArray[np.int64], n_bins: int) -> NDArray[np.int64]:
    """Share out the bins in proportion to the class sizes, by largest remainder."""
    exact = sizes * n_bins / sizes.sum()
    whole = np.floor(exact).astype(np.int64)
    rest = np.argsort(whole - exact, kind="stable")[: n_bins - whole.sum()]
    whole[rest] += 1
    return np.asarray(whole)


def bin_accuracy(
    code: NDArray[np.float64], label: NDArray[np.int64], *, min_bin_size: int | None = None
) -> tuple[float, int]:
    """Accuracy of the best classifier that cuts one code into bins of equal counts (equation 3).

    Bins hold as many points as the greatest common divisor g of the class sizes, and a class of size s gets
    exactly s/g bins, so that the predicted distribution can match the true one; which bins is the best
    assignment. Where g is below ``min_bin_size`` that size is used, and bins are shared out by rounding.

    Args:
        code: n values.
        label: n class numbers from 0.
        min_bin_size: points in a bin, at least; by default a fifth of the mean class size (at least 1).

    Returns:
        The accuracy and the number of bins.
    """
    sizes = np.bincount(label)
    if min_bin_size is None:
        min_bin_size = max(1, len(code) // (5 * len(sizes)))
    size = max(int(np.gcd.reduce(sizes)), min_bin_size)
    n_bins = max(1, len(code) // size)
    owners = np.repeat(np.arange(len(sizes)), _bins_of_each_class(sizes, n_bins))
    gain = _tally(code, label, n_bins)[:, owners]
    bins, slots = linear_sum_assignment(gain, maximize=True)
    return float(gain[bins, slots].sum() / len(code)), n_bins


@metric(
    bounds=(0, 1), perfect=1.0, needs="sample", cite="mahon2023", invariant={"permutation", "sign", "scale", "shift"}
)
def snc(sample: Sample, *, bins: int = 20, min_bin_size: int | None = None) -> Score:
    """Chance-adjusted accuracy of each factor's own code, cut into bins, as its classifier.

    Every factor is assigned a code of its own (equation 2, mutual information); the code is cut into bins
    of equal counts, bins are assigned to classes (see :func:`bin_accuracy`), and max(0, (a - r)/(1 - r)) is
    averaged over factors, a the accuracy (equation 3) and r the chance level: the sum of squared class
    shares, as the text beside equation 4 says (its printed square is on the wrong symbol). Appendix A's toy
    scores (12.5 and 22.5) are the mean of a - r, in details as ``above_chance``.

    Bounds 0 and 1. All observations are used, as in the paper; no test part. An exact copy scores 1 where
    class sizes have a large common divisor, as on a full factor grid: score the grid where there is one.
    A random sample has a divisor of about 1, and bins of one point would let noise score 1, hence the minimum
    bin size (an option of the paper that its authors did not try). With its default, 15,000 draws of 3, 6,
    16 and 40 uniform values give exact copies 0.99, 0.98, 0.98 and 0.95, and noise 0.02, 0.03, 0.03 and 0.05;
    one bin a class would give exact copies of 40 values 0.91 and noise 0.02.

    Args:
        sample: discrete factors; about 50 ms for 15,000 observations.
        bins: equal-width bins of the mutual information.
        min_bin_size: see :func:`bin_accuracy`.

    Returns:
        Score with per-factor values and the mutual information as relation; details ``product`` (of the
        per-factor values), ``accuracy``, ``chance``, ``above_chance`` (means over factors), ``bins.max``.
        A factor left without a code of its own (fewer codes than factors), or with a constant one, scores 0.

    Raises:
        InvalidInput: continuous factors, or a factor that does not vary.
    """
    require_discrete(sample, "snc")
    if min_bin_size is not None:
        require_count("min_bin_size", min_bin_size, 1)
    information = mutual_information(sample.codes, sample.factors, bins=bins)
    labels, _ = label_indices(sample.factors)
    chance = np.array([((np.bincount(label) / len(label)) ** 2).sum() for label in labels.T])
    accuracy, n_bins = chance.copy(), 0
    for j, code in enumerate(align(information)):
        if code >= 0 and (sample.codes[:, code] != sample.codes[0, code]).any():
            accuracy[j], used = bin_accuracy(sample.codes[:, code], labels[:, j], min_bin_size=min_bin_size)
            n_bins = max(n_bins, used)
    adjusted = np.clip((accuracy - chance) / (1 - chance), 0.0, 1.0)
    return Score(
        "snc",
        float(adjusted.mean()),
        per_factor=adjusted,
        relation=information,
        details={
            "product": float(adjusted.prod()),
            "accuracy": float(accuracy.mean()),
            "chance": float(chance.mean()),
            "above_chance": float((accuracy - chance).mean()),
            "bins.max": n_bins,
        },
    )
