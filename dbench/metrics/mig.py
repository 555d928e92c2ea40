"""Mutual information gap (Chen et al. 2018). Higher is better."""

from __future__ import annotations

from dbench.codes import Sample
from dbench.metrics.aggregations import gap_per_factor, mig_gap
from dbench.metrics.inputs import require_varying
from dbench.metrics.registry import Score, metric
from dbench.metrics.relations import entropy, mutual_information

__all__ = ["mig"]


@metric(
    bounds=(0, 1),
    perfect=None,
    needs="sample",
    cite="chen2018",
    invariant={"permutation", "sign", "scale", "shift"},
)
def mig(sample: Sample, *, bins: int = 20) -> Score:
    """Gap between the two codes that know most about a factor, by its entropy, averaged over factors.

    A Sober Look, section 4.2.3: codes are cut into equal-width bins from min to max; discrete factors are
    not binned (a convention: the text bins them too, which only matters above 20 values), continuous ones
    are. Bounds 0 and 1; independent codes score about 0. An exact copy of a factor with more values than
    bins cannot reach 1: exact copies of 3, 6, 40, 32 and 32 values score 0.90 with 20 bins (15,000
    observations), hence no perfect value on the card. The equal bins follow outliers, and values exactly on
    a cut fall to its right, so a change of sign can move a score where codes take few values.

    Args:
        sample: 10,000 observations in the paper; about 10 ms.
        bins: number of bins for each code.

    Returns:
        Score with per-factor values and the mutual information in nats as relation. With a single code the
        second best is 0. Constant codes have no information.

    Raises:
        InvalidInput: a factor that does not vary.
    """
    require_varying(sample)
    information = mutual_information(sample.codes, sample.factors, bins=bins)
    entropies = entropy(sample.factors, bins=bins)
    return Score(
        "mig",
        mig_gap(information, entropies),
        per_factor=gap_per_factor(information) / entropies,
        relation=information,
        details={"bins": bins},
    )
