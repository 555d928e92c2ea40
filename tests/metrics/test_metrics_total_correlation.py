import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dbench.codes import Sample
from dbench.metrics import gaussian_total_correlation, informative_codes, informative_mask, kl_per_code


@given(st.integers(0, 10_000))
@settings(max_examples=30)
def test_it_is_the_divergence_from_the_product_of_marginals(seed):
    rng = np.random.default_rng(seed)
    codes = rng.normal(size=(50, 4)) @ rng.normal(size=(4, 4))
    apart = stats.norm(scale=codes.std(axis=0, ddof=1)).entropy().sum()
    divergence = apart - stats.multivariate_normal(cov=np.cov(codes.T)).entropy()
    assert gaussian_total_correlation(codes).value == pytest.approx(divergence, rel=1e-6)


def test_dead_codes_are_left_out_and_counted():
    rng = np.random.default_rng(0)
    codes = rng.normal(size=(100, 3)) @ rng.normal(size=(3, 3))
    with_dead = np.concatenate([codes, np.full((100, 2), 0.1)], axis=1)
    result = gaussian_total_correlation(with_dead)
    assert result.value == pytest.approx(gaussian_total_correlation(codes).value)
    assert (result.details["active"], result.details["dead"]) == (3, 2)


def test_duplicates_count_once_each_at_the_floor():
    codes = np.random.default_rng(0).normal(size=(100, 2))
    result = gaussian_total_correlation(np.concatenate([codes, codes[:, :1]], axis=1))
    assert result.details["singular"] == 1
    assert 10 < result.value < 14.0 + gaussian_total_correlation(codes).value


def test_a_sample_gives_what_its_codes_give_and_codes_may_be_huge_or_tiny():
    codes = np.random.default_rng(0).normal(size=(100, 3)).cumsum(axis=1)
    expected = gaussian_total_correlation(codes).value
    assert gaussian_total_correlation(Sample(codes, np.arange(100)[:, None])).value == expected
    assert gaussian_total_correlation(codes * 1e200).value == pytest.approx(expected)
    assert gaussian_total_correlation((codes + 8) * 2.0**1019).value == pytest.approx(expected)
    # Their variance is so small that floats hold but a few digits of it.
    assert gaussian_total_correlation(codes * 1e-160, dead=0.0).value == pytest.approx(expected)


def test_a_code_is_informative_above_a_hundredth_of_a_nat():
    mean = np.zeros((10, 3))
    mean[:, 1], mean[:, 2] = np.sqrt(0.019), np.sqrt(0.021)
    assert informative_mask(mean, np.zeros((10, 3))).tolist() == [False, False, True]
    score = informative_codes(mean, np.zeros((10, 3)))
    assert (score.value, score.details) == (1.0, {"threshold": 0.01, "kl": pytest.approx(0.02)})
    assert score.per_code == pytest.approx([0.0, 0.0095, 0.0105])
    assert informative_codes(mean, np.zeros((10, 3)), threshold=0.009).value == 2


def test_informative_codes_are_those_that_the_integral_of_the_divergence_counts():
    # KL(q || p) = E_q[log q - log p], by quadrature, mixed over observations.
    mean, spread = np.array([[0.3, 0.02], [-0.1, 0.01]]), np.array([[0.9, 0.98], [0.95, 1.0]])
    z = np.linspace(-12, 12, 200_001)[:, None, None]
    log_q = -0.5 * ((z - mean) / spread) ** 2 - np.log(spread)
    integrand = np.exp(log_q) / np.sqrt(2 * np.pi) * (log_q + 0.5 * z**2)
    by_quadrature = integrand.sum(axis=0).mean(axis=0) * 24 / 200_000
    score = informative_codes(mean, 2 * np.log(spread))
    assert score.per_code == pytest.approx(by_quadrature, abs=1e-9)
    stacked = kl_per_code(np.stack([mean, 0 * mean]), np.stack([2 * np.log(spread), 0 * mean]))
    np.testing.assert_allclose(stacked, [score.per_code, [0, 0]])
    assert score.value == (by_quadrature > 0.01).sum() == 1
