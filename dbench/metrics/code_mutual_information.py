"""Average pairwise mutual information of the codes (A Sober Look, Appendix, Figures 31 and 32). Lower is better."""

import numpy as np
from numpy.typing import ArrayLike

from dbench.codes import Sample
from dbench.metrics.inputs import as_codes
from dbench.metrics.registry import Score, metric
from dbench.metrics.relations import mutual_information, quantise


@metric(
    needs="sample",
    bounds=(0, None),
    better="lower",
    cite="locatello2020",
    label="MI",
)
def code_mutual_information(codes: Sample | ArrayLike, *, bins: int = 20, corrected: bool = False) -> Score:
    """Mutual information of two codes in nats, averaged over all pairs of different codes.

    Both codes are cut into equal-width bins. Bounds 0 and log(bins), reached by duplicates whose values fill
    the bins evenly. The plug-in estimate is biased upwards by about (a - 1)(b - 1) / 2n nats, where a and b are the
    numbers of non-empty bins: 0.018 for 20 bins and 10,000 observations. Compare only scores of equal n and bins, or
    subtract each pair's bias, down to 0 at most (``corrected``). Codes (a sample, or n x d) are posterior means, or
    draws from the posterior.

    Returns:
        Score with the mean over its pairs as value per code; details ``bias`` (the mean expected bias, which is also
        the chance level), ``pairs`` and ``bins``. A single code scores 0; pairs with constant codes count.

    Raises:
        InvalidInput: NaN, infinity, or fewer than 1 bin.

    Example:
        >>> a, b = np.random.default_rng(0).normal(size=(2, 10_000))
        >>> for other in (b, a + b, a + 0.01 * b):
        ...     print(round(code_mutual_information(np.stack([a, other], axis=1)).value, 2))
        0.01
        0.34
        2.27

    See Also:
        :func:`gaussian_total_correlation`; https://doi.org/10.3929/ethz-b-000450167
    """
    values = codes.codes if isinstance(codes, Sample) else as_codes("codes", codes)
    n, d = values.shape
    labels = quantise(values, bins)
    information = mutual_information(values, labels, bins=bins)
    occupied = np.array([len(np.unique(column)) for column in labels.T]) - 1
    bias = np.outer(occupied, occupied) / (2 * n)
    if corrected:
        information = np.maximum(information - bias, 0.0)
    for matrix in (information, bias):
        np.fill_diagonal(matrix, 0.0)
    n_others = max(d - 1, 1)
    return Score(
        "code_mutual_information[corrected]" if corrected else "code_mutual_information",
        information.sum() / (d * n_others),
        per_code=information.sum(axis=1) / n_others,
        details={"bias": bias.sum() / (d * n_others), "pairs": d * (d - 1) // 2, "bins": bins},
    )
