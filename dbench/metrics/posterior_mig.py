"""Mutual information gap from draws of the posterior, as its authors take it (Chen et al. 2018). Higher is better."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from dbench.codes import Sample
from dbench.errors import InvalidInput
from dbench.metrics.aggregations import gap_per_factor
from dbench.metrics.inputs import as_codes, label_indices, labels_alone, require_count, require_varying
from dbench.metrics.registry import Score, metric
from dbench.metrics.relations import entropy
from dbench.seeds import given_generator

Array = NDArray[np.float64]

LARGEST = 700.0  # logarithm of a variance, so that floats hold the variance and its inverse
CELLS = 1 << 22  # densities of a draw under a row's posterior that are held at once


def posterior_information(
    mean: Array, logvar: Array, factors: NDArray[np.int64], generator: np.random.Generator
) -> Array:
    """Information in nats of one draw from each posterior about each factor, d x k, at least 0.

    The mean over draws z of log q(z | v) - log q(z), where q(z) is the mean of the n Gaussian posteriors (means and
    logarithms of variances n x d), and q(z | v) that of the rows of the same label.
    """
    labels, sizes = label_indices(factors)
    n, d = mean.shape
    drawn = mean + np.exp(logvar / 2) * generator.standard_normal(mean.shape)
    block = max(CELLS // n, 1)
    result = np.zeros((d, len(sizes)))
    masks = [label[:, None] == label for label in labels.T] if n * n <= CELLS else None
    counts = [np.bincount(label)[label] for label in labels.T]
    for i in range(d):
        z, centre, spread = drawn[:, i], mean[:, i], logvar[:, i]
        for start in range(0, n, block):
            part = slice(start, start + block)
            # Constants of the density cancel in the difference.
            with np.errstate(over="ignore"):  # a density of 0
                density = -0.5 * (spread + (z[part, None] - centre) ** 2 * np.exp(-spread))
            whole = logsumexp(density, axis=1) - np.log(n)
            for j, label in enumerate(labels.T):
                same = masks[j][part] if masks is not None else label[part, None] == label
                among = logsumexp(np.where(same, density, -np.inf), axis=1) - np.log(counts[j][part])
                result[i, j] += (among - whole).sum()
    return np.asarray(np.maximum(result / n, 0.0))


@metric(
    needs="sample+logvar",
    bounds=(0, 1),
    family="identifiability",
    cite="chen2018",
    label="MIG (posterior)",
    labels=True,
    tolerance=1e-6,
    varies={
        "permutation": "draws are taken by code number",
        "sign": "draws keep their sign",
        "scale": "variances stay as they are",
    },
    picture=("posterior_information", "Information of the posterior (nats)"),
)
def posterior_mig(
    sample: Sample, logvar: Array, *, draws: int = 2000, generator: np.random.Generator | None = None
) -> Score:
    """Gap between the two codes whose posterior tells most of a factor, by its entropy, averaged over factors.

    Chen et al. (section 4.1, Appendix C): information is the mean of log q(z | v) - log q(z) over draws z of the
    posteriors, each the mixture of Gaussian posteriors, of the rows with the label and of all, so that nothing is cut
    into bins, and noise that a posterior has counts. The authors take 10,000 draws from all rows of a full grid; here
    one draw from each of at most ``draws`` rows. A draw stands among the rows of its own label, its own row included,
    so that few rows a label bias the estimate upwards (``chance``), the more the narrower posteriors are. Bounds 0 and
    1.

    Args:
        sample: means of the posteriors as codes, and n x k labels.
        logvar: n x d, natural logarithms of the variances, cut to -700 and 700.
        draws: most rows that are used, drawn at random of more.
        generator: by default one that is derived from the metric's name.

    Returns:
        Score with per-factor values and the information in nats as relation; details ``chance`` (of the same
        posteriors, shuffled) and ``rows``. With a single code the second best is 0.

    Raises:
        InvalidInput: continuous factors alone, a factor that does not vary, variances of another shape or not finite.

    Example:
        >>> factors = np.indices((3, 4, 25)).reshape(3, -1)[:2].T  # 300 x 2
        >>> codes = factors - factors.mean(axis=0)
        >>> for spread in (0.01, 0.3, 3.0):
        ...     print(round(posterior_mig(Sample(codes, factors), np.full((300, 2), 2 * np.log(spread))).value, 1))
        1.0
        0.9
        0.0

    See Also:
        :func:`mig`; https://doi.org/10.48550/arXiv.1802.04942
    """
    sample = labels_alone(sample, "posterior_mig")
    require_count("draws", draws, 2)
    spread = np.clip(as_codes("logvar", logvar), -LARGEST, LARGEST)
    if spread.shape != sample.codes.shape:
        raise InvalidInput(f"logvar must have the shape of the codes, {sample.codes.shape}, got {spread.shape}")
    generator = given_generator(generator, metric="posterior_mig")
    if len(sample) > draws:
        rows = generator.choice(len(sample), size=draws, replace=False)
        sample, spread = sample.take(rows), spread[rows]
        require_varying(sample)
    scale = entropy(sample.factors)
    labels = sample.factors.astype(np.int64)
    matrix = posterior_information(sample.codes, spread, labels, generator)
    shuffled = labels[generator.permutation(len(labels))]
    by_chance = posterior_information(sample.codes, spread, shuffled, generator)
    per_factor, chance = (np.minimum(gap_per_factor(information) / scale, 1.0) for information in (matrix, by_chance))
    return Score(
        "posterior_mig",
        float(per_factor.mean()),
        per_factor=per_factor,
        relation=matrix,
        details={"chance": float(chance.mean()), "rows": len(sample)},
        factor_names=sample.factor_names,
    )
