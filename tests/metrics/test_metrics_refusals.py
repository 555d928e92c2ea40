"""What a metric cannot work with is refused in one line; of every option test_metrics_properties.py holds that."""

import numpy as np
import pytest

from dbench.codes import GridSource, Sample
from dbench.errors import InvalidInput
from dbench.metrics import (
    beta_vae_metric,
    dci,
    domain_shift_robustness,
    downstream,
    explicitness,
    factor_vae,
    gaussian_total_correlation,
    independent_groups,
    infoe,
    informative_codes,
    interventional_robustness,
    irs,
    kl_per_code,
    lasso_importance,
    linear_accuracy,
    mig_gap,
    mutual_information,
    nk,
    sap,
    squared_correlation,
    tree_importance,
    udr_scores,
)
from dbench.metrics.inputs import as_codes, require_matrix
from dbench.metrics.interventions import crossed_empida
from dbench.metrics.lasso import cross_validated_lasso

BITS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
SAMPLE = Sample(BITS.astype(float), BITS)
SOURCE = GridSource(BITS.astype(float), (2, 2))
REAL = Sample(np.eye(4), np.eye(4))
ONES = np.ones((3, 2))
TWO, FLAGS = np.ones((2, 9, 3)), np.ones((2, 3), dtype=bool)  # models
HUGE = 1e141 * BITS
NAN, INF = (np.array([[1, 1], [1, spoilt], [1, 1]]) for spoilt in (np.nan, np.inf))


def trees(**options):
    return tree_importance(SAMPLE, SAMPLE, generator=np.random.default_rng(0), **options)


REFUSED = [
    (lambda: as_codes("values", INF), "values must be finite"),
    (lambda: dci(SAMPLE, estimator="suter"), r"suter needs at least 1600 training observations .* got 3"),
    (lambda: downstream(SAMPLE, sizes=()), r"at least one training size, got \(\)"),
    (lambda: downstream(SAMPLE, sizes=60), "at least one training size, got 60"),
    (lambda: gaussian_total_correlation(ONES[:1]), "codes must hold at least 2 observations, got 1"),
    (lambda: gaussian_total_correlation(NAN), "codes must be finite"),
    (lambda: gaussian_total_correlation(ONES[0]), "codes must"),
    (lambda: independent_groups(np.eye(2), 0.0), r"thresholds must be finite numbers above 0, got \[0.0\]"),
    (lambda: informative_codes(np.ones((2, 3, 2)), np.ones((2, 3, 2))), r"mean must .* got shape \(2, 3, 2\)"),
    (lambda: kl_per_code(ONES, ONES[:, :1]), "share a shape"),
    (lambda: kl_per_code(NAN, ONES), "mean must be finite"),
    (lambda: kl_per_code(ONES, NAN), "logvar must be finite"),
    (lambda: kl_per_code(ONES, INF), "logvar must be finite"),
    (lambda: kl_per_code(ONES, np.full((3, 2), 1000.0)), "finite, got logvar up to 1000.0 and mean up to 1.0 from 0"),
    (lambda: kl_per_code(-1e200 * ONES, ONES), r"finite, got logvar up to 1.0 and mean up to 1e\+200 from 0"),
    (lambda: kl_per_code(np.ma.masked_equal(ONES, 1.0), ONES), "mean must not be masked"),
    (lambda: kl_per_code(ONES, 1j * ONES), "logvar must hold real numbers"),
    (lambda: beta_vae_metric(GridSource(HUGE, (2, 2))), r"codes must lie within 1e140 of 0 .* got 1e\+141"),
    (lambda: factor_vae(GridSource(-HUGE, (2, 2))), r"codes must lie within 1e140 of 0 .* got 1e\+141"),
    (lambda: downstream(Sample(HUGE, BITS)), r"codes must lie within 1e140 of 0 .* got 1e\+141"),
    (lambda: beta_vae_metric(SAMPLE), r"source must be a Source .* got Sample; RowSource\("),
    (lambda: factor_vae(BITS), r"source must be a Source .* got ndarray; RowSource\("),
    (lambda: require_matrix("values", INF), "values must be finite"),
    (lambda: cross_validated_lasso(ONES, ONES[:2], folds=2), "equally many rows, at least 2, got 3 and 2"),
    (lambda: mig_gap(np.eye(2), [1.0, 0.0]), "above 0"),
    (lambda: mig_gap(np.eye(2), [1.0, np.inf]), "above 0"),
    (lambda: mig_gap(np.eye(2), [1.0, np.nan]), "above 0"),
    (lambda: interventional_robustness(SAMPLE, [0], [0, 1], [1]), "must not overlap"),
    (lambda: interventional_robustness(SAMPLE, [0], [0], [1], quantile=1.5), r"quantile must .* at most 1, got 1\.5"),
    *[
        (lambda numbers=numbers: interventional_robustness(SAMPLE, numbers, [0], [1]), "codes must be distinct numbers")
        for numbers in ([0.7], [True], ["0"], [[0]], [0, 0], [2], [-1], [])
    ],
    (
        lambda: domain_shift_robustness(SAMPLE, [0], ["b"]),
        r"domain must be distinct numbers from 0 to 1, .* got \['b'\]",
    ),
    (lambda: crossed_empida(SAMPLE.codes, BITS, [[0]], [], [1]), "all factors together"),
    (lambda: irs(SAMPLE, quantile=0.0), "quantile must lie above 0 and be at most 1, got 0.0"),
    (lambda: mutual_information(np.ones((5, 1)), BITS), "equally many rows, got 5 and 4"),
    (lambda: mutual_information(NAN, BITS), "codes must be finite"),
    (lambda: squared_correlation(NAN, ONES), "codes must be finite"),
    (lambda: squared_correlation(ONES, ONES[:-1]), "equally many rows"),
    (lambda: lasso_importance(NAN, ONES), "codes must be finite"),
    (lambda: sap(REAL, relation="svm"), "must be 'r2' for continuous"),
    (lambda: sap(REAL, relation="linear"), "got 'linear'"),
    (lambda: trees(estimator="lightgbm"), "must be one of gbt, gbt_sklearn, forest, suter, got 'lightgbm'"),
    (lambda: trees(estimator="forest", candidates=0), "candidates must be from 1 to the 2 codes, got 0"),
    (lambda: trees(estimator="forest", candidates=3), "candidates must be from 1 to the 2 codes, got 3"),
    (lambda: trees(estimator="gbt", candidates=1), "for estimator forest alone, got 1 for gbt"),
    (lambda: udr_scores(TWO[0], FLAGS), "3 axes"),
    (lambda: udr_scores(TWO, np.ones((2, 4), bool)), "informative must flag 2 models x 3 codes"),
    (lambda: udr_scores(TWO, np.full((2, 3), 0.5)), "informative must hold True and False, .* got dtype float64"),
    (lambda: udr_scores(TWO, FLAGS, groups=["a", "b"]), "got 1 in group 'a'"),
    (lambda: udr_scores(TWO, FLAGS, groups=["a"]), "groups must label 2 models, got 1"),
    (lambda: udr_scores(TWO[:, :4], FLAGS), "at least 5 observations, got 4"),
    (lambda: udr_scores(TWO, FLAGS, comparisons=0), "comparisons must be an integer"),
]


@pytest.mark.parametrize(("call", "message"), REFUSED, ids=[message for _, message in REFUSED])
def test_what_a_metric_cannot_work_with_is_refused(call, message):
    with pytest.raises(InvalidInput, match=message):
        call()


@pytest.mark.parametrize(
    ("metric", "option"),
    [(explicitness, "penalty"), (infoe, "penalty"), (linear_accuracy, "penalty"), (nk, "falling_from")],
)
def test_a_strength_must_be_above_zero(metric, option):
    with pytest.raises(InvalidInput, match=f"{option} must be a finite number above 0, got 0"):
        metric(SAMPLE, **{option: 0.0})
