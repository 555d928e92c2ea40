"""Single-neuron classification (Mahon et al., section 4.2). Higher is better."""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from dbench.codes import Sample
from dbench.metrics.aggregations import align
from dbench.metrics.ceilings import between
from dbench.metrics.inputs import label_indices, labels_alone, require_count
from dbench.metrics.registry import IN_NATS, Score, metric
from dbench.metrics.relations import mutual_information
from dbench.seeds import given_generator


def _tally(code: NDArray[np.float64], label: NDArray[np.int64], n_bins: int) -> NDArray[np.float64]:
    """Count the labels (bins x labels) in ``n_bins`` bins of equal counts along the sorted code.

    Equal codes at the edge of two bins are divided between them in proportion. Breaking ties by position would leak
    the order of the observations, which on a factor grid determines the label.
    """
    n, n_labels = len(code), int(label.max()) + 1
    values, group = np.unique(code, return_inverse=True)
    counts = np.bincount(group * n_labels + label, minlength=len(values) * n_labels).reshape(-1, n_labels)
    cumulative = np.concatenate([np.zeros((1, n_labels)), counts.cumsum(axis=0)])  # labels up to each distinct value
    position = cumulative.sum(axis=1)
    cuts = np.linspace(0, n, n_bins + 1)
    below = np.stack([np.interp(cuts, position, column) for column in cumulative.T], axis=1)
    return np.diff(below, axis=0)


def _bins_of_each_class(sizes: NDArray[np.int64], n_bins: int) -> NDArray[np.int64]:
    """Number of bins of each class: in proportion to the class sizes, rounded by largest remainder."""
    exact = sizes * n_bins / sizes.sum()
    n_bins_of = np.floor(exact).astype(np.int64)
    largest_remainders = np.argsort(n_bins_of - exact, kind="stable")[: n_bins - n_bins_of.sum()]
    n_bins_of[largest_remainders] += 1
    return np.asarray(n_bins_of)


def bin_accuracy(
    code: NDArray[np.float64], label: NDArray[np.int64], *, min_bin_size: int | None = None
) -> tuple[float, int]:
    """Accuracy of the best classifier that cuts one code into bins of equal counts (equation 3), and number of bins.

    A bin holds as many points as the greatest common divisor g of the class sizes, and a class of size s gets
    exactly s/g bins, so that the predicted distribution can match the true one; an optimal assignment decides which
    bins. If g is below ``min_bin_size`` (by default a fifth of the mean class size, at least 1), bins have that size,
    and their numbers are rounded. Labels are class numbers from 0.
    """
    sizes = np.bincount(label)
    if min_bin_size is None:
        min_bin_size = max(1, len(code) // (5 * len(sizes)))
    bin_size = max(int(np.gcd.reduce(sizes)), min_bin_size)
    n_bins = max(1, len(code) // bin_size)
    owners = np.repeat(np.arange(len(sizes)), _bins_of_each_class(sizes, n_bins))
    gain = _tally(code, label, n_bins)[:, owners]
    bins, slots = linear_sum_assignment(gain, maximize=True)
    return float(gain[bins, slots].sum() / len(code)), n_bins


@metric(
    needs="sample",
    bounds=(0, 1),
    cite="mahon2023",
    label="SNC",
    labels=True,
    picture=IN_NATS,
)
def snc(
    sample: Sample,
    *,
    bins: int = 20,
    min_bin_size: int | None = None,
    corrected: bool = False,
    generator: np.random.Generator | None = None,
) -> Score:
    """Chance-adjusted accuracy of each factor's own code, cut into bins, as its classifier.

    Every factor is assigned a code of its own (equation 2, mutual information); the code is cut into bins
    of equal counts, bins are assigned to classes (see :func:`bin_accuracy`), and max(0, (a - r)/(1 - r)) is
    averaged over factors, a the accuracy (equation 3) and r the chance level: the sum of squared class
    shares, as the text beside equation 4 says (its printed square is on the wrong symbol). Appendix A's toy
    scores (12.5 and 22.5) are the mean of a - r, in details as ``above_chance``.

    Bounds 0 and 1. All observations are used, as in the paper; no test part. An exact copy scores 1 where
    class sizes have a large common divisor, as on a full factor grid: score the grid where there is one.
    A random sample has a divisor of about 1, and bins of one point would let noise score 1, hence the minimum
    bin size (an option that the paper mentions but does not try). With its default, on 15,000 draws of 40 uniform
    values an exact copy scores 0.95 and noise 0.05. ``bins`` are those of the mutual information; ``corrected``
    rescales each factor's value so that its shuffled code scores 0 and an exact copy 1.

    Returns:
        Score with per-factor values and the mutual information as relation; details ``product`` (of the
        per-factor values), ``accuracy``, ``guessing`` (r), ``above_chance`` (means over factors), ``bins.max``,
        ``ceiling`` (of one exact copy of each factor) and ``chance`` (of the codes, shuffled). A factor left
        without a code of its own (fewer codes than factors), or with a constant one, scores 0.

    Raises:
        InvalidInput: continuous factors, or a factor that does not vary.

    Example:
        >>> factors = np.indices((3, 4, 25)).reshape(3, -1)[:2].T  # 300 x 2
        >>> noise = np.random.default_rng(0).normal(size=(300, 2))
        >>> for codes in (1.0 * factors, factors + noise, noise):
        ...     print(round(snc(codes, factors).value, 2))
        1.0
        0.35
        0.09

    See Also:
        :func:`nk`, :func:`linear_accuracy`; https://doi.org/10.48550/arXiv.2304.02335
    """
    sample = labels_alone(sample, "snc")
    if min_bin_size is not None:
        require_count("min_bin_size", min_bin_size, 1)
    generator = given_generator(generator, metric="snc")
    information = mutual_information(sample.codes, sample.factors, bins=bins)
    labels, _ = label_indices(sample.factors)
    guessing = np.array([((np.bincount(label) / len(label)) ** 2).sum() for label in labels.T])
    permutation = generator.permutation(len(sample))
    # Rows: the factor's own code, the same code shuffled, and an exact copy of the factor.
    accuracy, n_bins = np.stack([guessing, guessing, guessing]), 0
    for j, assigned in enumerate(align(information)):
        label = labels[:, j]
        accuracy[2, j], _ = bin_accuracy(label.astype(np.float64), label, min_bin_size=min_bin_size)
        code = sample.codes[:, assigned]
        if assigned >= 0 and (code != code[0]).any():
            accuracy[0, j], n_bins_used = bin_accuracy(code, label, min_bin_size=min_bin_size)
            accuracy[1, j], _ = bin_accuracy(code[permutation], label, min_bin_size=min_bin_size)
            n_bins = max(n_bins, n_bins_used)
    adjusted, chance, ceiling = np.clip((accuracy - guessing) / (1 - guessing), 0.0, 1.0)
    per_factor = between(adjusted, chance, ceiling) if corrected else adjusted
    return Score(
        "snc[corrected]" if corrected else "snc",
        float(per_factor.mean()),
        per_factor=per_factor,
        factor_names=sample.factor_names,
        relation=information,
        details={
            "product": float(per_factor.prod()),
            "accuracy": float(accuracy[0].mean()),
            "guessing": float(guessing.mean()),
            "above_chance": float((accuracy[0] - guessing).mean()),
            "ceiling": float(ceiling.mean()),
            "chance": float(chance.mean()),
            "bins.max": n_bins,
        },
    )
