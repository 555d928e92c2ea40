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

LARGEST = 700.0  # bound of log variances: floats can hold the variance and its inverse
CELLS = 1 << 22  # largest number of densities (draws x posteriors) in memory at once


def posterior_information(
    mean: Array, logvar: Array, factors: NDArray[np.int64], generator: np.random.Generator
) -> Array:
    """Mutual information in nats of each code with each factor (d x k), estimated by one draw from each posterior.

    It is the mean over draws z of log q(z | v) - log q(z), at least 0, where q(z) is the mean of the n Gaussian
    posteriors (means and logarithms of variances n x d), and q(z | v) that of the rows of the same label.
    """
    labels, sizes = label_indices(factors)
    n, d = mean.shape
    draws = mean + np.exp(logvar / 2) * generator.standard_normal(mean.shape)
    block = max(CELLS // n, 1)
    result = np.zeros((d, len(sizes)))
    masks = [label[:, None] == label for label in labels.T] if n * n <= CELLS else None
    counts = [np.bincount(label)[label] for label in labels.T]
    for i in range(d):
        draw, row_means, row_logvars = draws[:, i], mean[:, i], logvar[:, i]
        for start in range(0, n, block):
            rows = slice(start, start + block)
            # The constant of the log density cancels in the difference below.
            with np.errstate(over="ignore"):  # an overflow means a density of 0
                density = -0.5 * (row_logvars + (draw[rows, None] - row_means) ** 2 * np.exp(-row_logvars))
            log_marginal = logsumexp(density, axis=1) - np.log(n)
            for j, label in enumerate(labels.T):
                same_label = masks[j][rows] if masks is not None else label[rows, None] == label
                log_conditional = logsumexp(np.where(same_label, density, -np.inf), axis=1) - np.log(counts[j][rows])
                result[i, j] += (log_conditional - log_marginal).sum()
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

    Chen et al. (section 4.1, Appendix C): information is the mean of log q(z | v) - log q(z) over draws z from the
    posteriors, where q(z | v) is the mixture of the Gaussian posteriors of the rows with label v, and q(z) that of all
    rows. Nothing is binned, and the noise of the posteriors counts. The authors take 10,000 draws from all rows of a
    full grid; here there is one draw from each of at most ``draws`` rows. The mixture of a draw's label contains its
    own posterior, so few rows per label bias the estimate upwards (``chance``), the more the narrower the posteriors
    are. Bounds 0 and 1.

    Args:
        sample: means of the posteriors as codes, and n x k labels.
        logvar: n x d, natural logarithms of the variances, clipped to -700 and 700.
        draws: largest number of rows used; of more rows, so many are drawn at random.
        generator: draws rows and codes, and shuffles labels; by default one derived from the metric's name.

    Returns:
        Score with per-factor values and the information in nats as relation; details ``chance`` (of the same
        posteriors, shuffled) and ``rows`` (number used). With a single code the second largest information is 0.

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
    clipped = np.clip(as_codes("logvar", logvar), -LARGEST, LARGEST)
    if clipped.shape != sample.codes.shape:
        raise InvalidInput(f"logvar must have the shape of the codes, {sample.codes.shape}, got {clipped.shape}")
    generator = given_generator(generator, metric="posterior_mig")
    if len(sample) > draws:
        rows = generator.choice(len(sample), size=draws, replace=False)
        sample, clipped = sample.take(rows), clipped[rows]
        require_varying(sample)
    entropies = entropy(sample.factors)
    labels = sample.factors.astype(np.int64)
    information = posterior_information(sample.codes, clipped, labels, generator)
    shuffled_labels = labels[generator.permutation(len(labels))]
    shuffled_information = posterior_information(sample.codes, clipped, shuffled_labels, generator)
    per_factor, chance = (
        np.minimum(gap_per_factor(matrix) / entropies, 1.0) for matrix in (information, shuffled_information)
    )
    return Score(
        "posterior_mig",
        float(per_factor.mean()),
        per_factor=per_factor,
        relation=information,
        details={"chance": float(chance.mean()), "rows": len(sample)},
        factor_names=sample.factor_names,
    )
