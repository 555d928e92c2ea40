"""The checks of many codes and of dependent factors, on metrics of which the answer is known."""

import numpy as np
import pytest

from dbench.audit import audit
from dbench.audit.checks import WIDTH, small_copies, wide_noise
from dbench.metrics import mcc, minimality, mutual_information, sufficiency

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
    assert asked(sufficiency)["many codes of noise, few rows"].status == "pass"  # few rows alone move it


def test_noise_of_few_rows_is_compared_with_noise_of_as_many():
    """Four codes are looked at, so that the width changes nothing; of few rows information is biased."""
    found = asked(lambda codes, factors: mutual_information(codes[:, :4], factors).max(axis=0).mean() / np.log(4))
    assert {found[case].status for case in CASES[:2]} == {"pass"}


def test_dependence_is_compared_with_as_many_factors_of_the_same_sizes():
    found = asked(lambda codes, factors: factors.shape[1] + factors.max(axis=0).sum(), bounds=(0.0, 40.0))
    assert {found[case].status for case in CASES[2:]} == {"pass"}


def test_what_charges_for_dependence_fails_where_factors_depend():
    found = asked(best_correlation_alone)
    assert found["correlated factors"].status == found["redundant factors"].status == "fail"
    assert asked("mig")["redundant factors"].value < 0.6
    assert asked(minimality)["correlated factors"].status == "pass"


def test_metrics_that_draw_rows_themselves_are_not_asked_for_fewer():
    (record,) = audit("factor_vae", only=["regime[many codes of noise, few rows]"])
    assert record.status == "not applicable"


def test_the_worlds_are_what_they_are_called():
    sample = small_copies(redundant=True).sample(500, np.random.default_rng(0))
    np.testing.assert_array_equal(sample.factors[:, 2], sample.factors[:, 0] // 2)
    np.testing.assert_array_equal(sample.codes, sample.factors)
    noise = wide_noise(WIDTH).sample(2000, np.random.default_rng(0))
    assert noise.n_codes == WIDTH
    assert np.abs(np.corrcoef(noise.codes.T, noise.factors.T)[:WIDTH, WIDTH:]).max() < 0.12
