"""Mutual-information entropy disentanglement (Cao et al. 2022). Higher is better."""

import numpy as np

from dbench.codes import Sample
from dbench.metrics.aggregations import (
    completeness_per_factor,
    dci_completeness,
    dci_disentanglement,
    disentanglement_per_code,
)
from dbench.metrics.ceilings import between, informations
from dbench.metrics.inputs import require_varying
from dbench.metrics.registry import Score, metric
from dbench.seeds import given_generator


@metric(
    needs="sample",
    bounds=(0, 1),
    cite="cao2022",
    label="MED",
    mixes=True,
    wide=True,
    parts={"per_factor": "completeness"},
    picture=("normalised_information", "Mutual information, each factor's sum 1"),
)
def med(
    sample: Sample,
    *,
    bins: int = 20,
    normalise: bool = True,
    corrected: bool = False,
    generator: np.random.Generator | None = None,
) -> Score:
    """Disentanglement with the entropies of DCI and mutual information for importance.

    :func:`dbench.metrics.dci_disentanglement` of the mutual information, with each factor's column divided by its
    sum so that factors have equal weight. Mahon et al. (section 2, Appendix A) do not normalise; on their toy models
    only that gives the printed 46.4 (``normalise=False``), but factors with many values, whose estimates are most
    biased, then dominate. Bounds 0 and 1. The plug-in information of an exact copy about the other factors is not
    zero, so exact copies stay below 1 (``ceiling``). ``corrected`` rescales the score so that chance becomes 0 and
    exact copies 1.

    Returns:
        Score with per-code disentanglement, per-factor completeness, the matrix used as relation; details
        ``completeness``, ``ceiling`` (of one exact copy of each factor), ``chance`` (of the same codes,
        shuffled) and ``bins``. Codes without information have weight 0; if no code has any, the score is 0.

    Raises:
        InvalidInput: a factor that does not vary, or fewer than 1 bin, 2 where a factor is continuous.

    Example:
        >>> factors = np.indices((3, 4, 25)).reshape(3, -1)[:2].T  # 300 x 2
        >>> noise = np.random.default_rng(0).normal(size=(300, 2))
        >>> for codes in (1.0 * factors, factors + noise, noise):
        ...     print(round(med(codes, factors).value, 2))
        1.0
        0.29
        0.0

    See Also:
        :func:`dci`, :func:`mig`; https://doi.org/10.48550/arXiv.2206.04756
    """
    require_varying(sample)
    generator = given_generator(generator, metric="med")
    matrices = list(informations(sample, generator, bins=bins))
    if normalise:
        totals = [matrix.sum(axis=0) for matrix in matrices]
        matrices = [
            np.divide(matrix, total, out=np.zeros_like(matrix), where=total > 0)
            for matrix, total in zip(matrices, totals, strict=True)
        ]
    value, ceiling, chance = (dci_disentanglement(matrix) for matrix in matrices)
    return Score(
        "med[corrected]" if corrected else "med",
        float(between(value, chance, ceiling)) if corrected else value,
        per_factor=completeness_per_factor(matrices[0]),
        per_code=disentanglement_per_code(matrices[0]),
        relation=matrices[0],
        details={
            "completeness": dci_completeness(matrices[0]),
            "ceiling": ceiling,
            "chance": chance,
            "bins": bins,
        },
    )
