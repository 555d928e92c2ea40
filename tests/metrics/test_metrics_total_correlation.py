import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dbench.codes import Sample
from dbench.errors import InvalidInput
from dbench.metrics import gaussian_total_correlation, informative_codes, informative_mask, kl_per_code


def test_two_correlated_codes_have_the_textbook_value():
    z = np.random.default_rng(0).normal(size=(200, 2))
    z = np.linalg.qr(z - z.mean(axis=0))[0]
    rho = 0.6
    codes = np.stack([z[:, 0], rho * z[:, 0] + np.sqrt(1 - rho**2) * z[:, 1]], axis=1)
    assert gaussian_total_correlation(codes).value == pytest.approx(-0.5 * np.log(1 - rho**2))


@given(st.integers(0, 10_000))
@settings(max_examples=30, deadline=None)
def test_it_is_the_divergence_from_the_product_of_marginals(seed):
    rng = np.random.default_rng(seed)
    codes = rng.normal(size=(50, 4)) @ rng.normal(size=(4, 4))
    covariance = np.cov(codes.T)
    marginals = np.diag(np.diag(covariance))
    inverse = np.linalg.inv(marginals)
    divergence = 0.5 * (
        np.trace(inverse @ covariance) - 4 + np.linalg.slogdet(marginals)[1] - np.linalg.slogdet(covariance)[1]
    )
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


def test_more_codes_than_observations_stay_finite():
    assert np.isfinite(gaussian_total_correlation(np.random.default_rng(0).normal(size=(3, 6))).value)


def test_a_sample_gives_what_its_codes_give_and_huge_codes_do_not_overflow():
    codes = np.random.default_rng(0).normal(size=(100, 3))
    expected = gaussian_total_correlation(codes).value
    assert gaussian_total_correlation(Sample(codes, np.arange(100)[:, None])).value == expected
    assert gaussian_total_correlation(codes * 1e200).value == pytest.approx(expected)


@pytest.mark.parametrize("codes", [np.ones((1, 3)), np.full((4, 2), np.nan), np.ones(5)])
def test_codes_without_a_covariance_are_refused(codes):
    with pytest.raises(InvalidInput, match="codes must"):
        gaussian_total_correlation(codes)


def test_the_divergence_of_each_code_is_the_textbook_formula():
    mean, logvar = np.array([[1.0, 0.0], [-1.0, 0.0]]), np.log(np.array([[0.5, 1.0], [0.25, 1.0]]))
    by_hand = np.mean([0.5 * (1 + 0.5 - 1 - np.log(0.5)), 0.5 * (1 + 0.25 - 1 - np.log(0.25))])
    assert kl_per_code(mean, logvar) == pytest.approx([by_hand, 0.0])
    assert kl_per_code(np.stack([mean, 0 * mean]), np.stack([logvar, 0 * logvar])).shape == (2, 2)


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
    assert score.value == (by_quadrature > 0.01).sum() == 1


def test_moving_codes_away_from_the_prior_makes_them_informative():
    mean = 0.1 * np.random.default_rng(0).normal(size=(500, 2))
    assert informative_codes(mean, np.zeros((500, 2))).value == 0
    assert informative_codes(mean + np.array([0.0, 1.0]), np.zeros((500, 2))).value == 1
    assert informative_codes(mean * np.array([3.0, 1.0]), np.zeros((500, 2))).value == 1


def test_posteriors_that_do_not_fit_are_refused():
    with pytest.raises(InvalidInput, match="share a shape"):
        kl_per_code(np.ones((3, 2)), np.ones((3, 1)))
    with pytest.raises(InvalidInput, match="finite"):
        kl_per_code(np.ones((3, 2)), np.full((3, 2), np.inf))
    with pytest.raises(InvalidInput, match="finite"):
        kl_per_code(np.ones((3, 2)), np.full((3, 2), 1000.0))
    with pytest.raises(InvalidInput, match=r"mean must be a matrix .* got shape \(2, 3, 2\)"):
        informative_codes(np.ones((2, 3, 2)), np.ones((2, 3, 2)))
    with pytest.raises(InvalidInput, match="threshold must be a finite number of at least 0, got -1"):
        informative_codes(np.ones((3, 2)), np.ones((3, 2)), threshold=-1)
    with pytest.raises(InvalidInput, match="threshold must be a finite number of at least 0, got inf"):
        informative_mask(np.ones((3, 2)), np.ones((3, 2)), threshold=np.inf)
