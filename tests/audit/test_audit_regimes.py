"""The checks of many codes and of dependent factors, on metrics of which the answer is known."""

import numpy as np
import pytest

from dbench.audit import audit
from dbench.audit.checks import WIDTH, redundant_copies, wide_noise
from dbench.metrics import mcc, minimality, sufficiency

CASES = [
    "many codes of noise",
    "many codes of noise, few rows",
    "correlated factors",
    "redundant factors",
]


def asked(metric, **options):
    records = audit(metric, only=["regime"], observations=1000, **options)
    assert [record.check for record in records] == [f"regime[{case}]" for case in CASES]
    return dict(zip(CASES, records, strict=True))


def best_correlation(codes, factors):
    both = np.corrcoef(codes.T, factors.T)[: codes.shape[1], codes.shape[1] :]
    return np.abs(np.nan_to_num(both)).max(axis=0).mean()


def best_correlation_alone(codes, factors):
    """The same less the mean of the other factors, which charges codes for what factors share."""
    both = np.abs(np.nan_to_num(np.corrcoef(codes.T, factors.T)[: codes.shape[1], codes.shape[1] :]))
    first = both.max(axis=1)
    others = (both.sum(axis=1) - first) / max(both.shape[1] - 1, 1)
    return (both.max(axis=0).mean() - others.mean()).item()


@pytest.mark.parametrize("metric", [mcc, "r2"])
def test_what_is_read_on_other_rows_passes(metric):
    assert {record.status for record in asked(metric).values()} == {"pass"}


def test_the_best_of_many_codes_fails_where_rows_are_few():
    found = asked(best_correlation)
    assert found["many codes of noise, few rows"].status == "fail"
    assert found["many codes of noise, few rows"].value > 0.2
    assert found["correlated factors"].status == found["redundant factors"].status == "pass"
    assert asked(sufficiency)["many codes of noise, few rows"].status == "fail"


def test_what_charges_for_dependence_fails_where_factors_depend():
    found = asked(best_correlation_alone)
    assert found["correlated factors"].status == found["redundant factors"].status == "fail"
    assert asked("mig")["redundant factors"].value < 0.6
    assert asked(minimality)["correlated factors"].status == "pass"


def test_metrics_that_draw_rows_themselves_are_not_asked_for_fewer():
    assert asked("factor_vae")["many codes of noise, few rows"].status == "not applicable"


def test_the_worlds_are_what_they_are_called():
    sample = redundant_copies().sample(500, np.random.default_rng(0))
    np.testing.assert_array_equal(sample.factors[:, 2], sample.factors[:, 0] // 2)
    np.testing.assert_array_equal(sample.codes, sample.factors)
    noise = wide_noise(WIDTH).sample(2000, np.random.default_rng(0))
    assert noise.n_codes == WIDTH
    assert np.abs(np.corrcoef(noise.codes.T, noise.factors.T)[:WIDTH, WIDTH:]).max() < 0.12
