from dataclasses import replace

import numpy as np
import pytest
import torch

from dbench.models.objectives import beta_vae, dip_vae_i, dip_vae_ii
from dbench.models.objectives.dip_vae_i import batch_covariance, distance_from_identity

WEIGHTS = torch.tensor([1.0, 5.0, 50.0], dtype=torch.float64)
BOTH = pytest.mark.parametrize("objective", [dip_vae_i, dip_vae_ii])


def _plain(batch):
    return beta_vae(batch, beta=torch.ones(len(batch.x), dtype=torch.float64)).loss


def test_the_covariance_of_a_batch_has_the_weight_of_one_over_its_size(make_batch):
    codes = make_batch(images=5).mean
    by_hand = [np.cov(member, rowvar=False, bias=True) for member in codes.numpy()]
    np.testing.assert_allclose(batch_covariance(codes), by_hand, rtol=1e-10, atol=1e-12)


def test_every_pair_of_codes_counts_in_both_orders_and_every_code_once():
    covariance = torch.tensor([[[1.5, 0.2, -0.1], [0.2, 0.0, 0.3], [-0.1, 0.3, 1.0]]], dtype=torch.float64)
    off_diagonal, diagonal = distance_from_identity(covariance)
    np.testing.assert_allclose(off_diagonal, 2 * (0.04 + 0.01 + 0.09), rtol=1e-12)
    np.testing.assert_allclose(diagonal, 0.25 + 1, rtol=1e-12)


# Four images whose means have covariance [[1, 0.5], [0.5, 0.25]] and whose variances average to 0.5 and 1.5.
_MEAN = torch.tensor([[1.0, 0.5], [-1.0, -0.5], [1.0, 0.5], [-1.0, -0.5]], dtype=torch.float64)
_VARIANCE = torch.tensor([[0.1, 1.0], [0.9, 2.0], [0.5, 1.0], [0.5, 2.0]], dtype=torch.float64)


@pytest.mark.parametrize(
    ("objective", "off_diagonal", "diagonal", "factor"),
    [(dip_vae_i, 2 * 0.25, (0.25 - 1) ** 2, 10), (dip_vae_ii, 2 * 0.25, (1.5 - 1) ** 2 + (1.75 - 1) ** 2, 1)],
)
def test_the_penalty_of_known_moments(make_batch, objective, off_diagonal, diagonal, factor):
    batch = make_batch(images=4, codes=2, mean=_MEAN.expand(3, 4, 2), logvar=_VARIANCE.log().expand(3, 4, 2))
    terms = objective(batch, lambda_od=WEIGHTS)
    np.testing.assert_allclose(terms.others["off_diagonal"], off_diagonal, rtol=1e-10)
    np.testing.assert_allclose(terms.others["diagonal"], diagonal, rtol=1e-10)
    expected = terms.reconstruction + terms.kl + WEIGHTS * (off_diagonal + factor * diagonal)
    np.testing.assert_allclose(terms.loss, expected, rtol=1e-10)


@BOTH
def test_no_weight_is_the_plain_vae(make_batch, objective):
    batch = make_batch()
    assert torch.equal(objective(batch, lambda_od=0 * WEIGHTS).loss, _plain(batch))


@BOTH
def test_the_penalty_is_a_sum_over_codes_so_copies_of_a_batchs_codes_beside_it_add_up(make_batch, objective):
    """An average would stay; a sum doubles on the diagonal, and off it also counts each code with its own copy."""
    batch = make_batch()
    twice = replace(batch, **{name: getattr(batch, name).repeat(1, 1, 2) for name in ("z", "mean", "logvar")})
    once, doubled = (objective(each, lambda_od=WEIGHTS).others for each in (batch, twice))
    np.testing.assert_allclose(doubled["diagonal"], 2 * once["diagonal"], rtol=1e-10)
    own = batch_covariance(batch.mean).diagonal(dim1=1, dim2=2).square().sum(1)
    np.testing.assert_allclose(doubled["off_diagonal"], 4 * once["off_diagonal"] + 2 * own, rtol=1e-10)


@BOTH
def test_moving_all_codes_together_changes_the_divergence_and_not_the_penalty(make_batch, objective):
    batch = make_batch()
    here, there = (objective(replace(batch, mean=batch.mean + shift), lambda_od=WEIGHTS) for shift in (0.0, 3.0))
    for name in ("off_diagonal", "diagonal"):
        np.testing.assert_allclose(there.others[name], here.others[name], rtol=1e-9)
    assert (there.kl > here.kl).all()


def test_the_first_form_sees_means_alone_and_the_second_takes_noise_for_spread(make_batch):
    """Codes at the prior (mean 0, variance 1) are what the second form asks for and what the first form charges."""
    zeros = torch.zeros(3, 8, 4, dtype=torch.float64)
    idle = make_batch(mean=zeros, logvar=zeros)
    np.testing.assert_allclose(dip_vae_i(idle, lambda_od=WEIGHTS).loss, _plain(idle) + 10 * WEIGHTS * 4, rtol=1e-12)
    np.testing.assert_allclose(dip_vae_ii(idle, lambda_od=WEIGHTS).loss, _plain(idle), rtol=1e-12)


def test_the_second_form_has_the_covariance_of_many_draws_of_the_codes(make_batch):
    batch = make_batch(members=1, images=4, codes=3)
    g = torch.Generator().manual_seed(1)
    noise = torch.randn(50_000, 4, 3, generator=g, dtype=torch.float64)
    draws = (batch.mean + (0.5 * batch.logvar).exp() * noise).reshape(1, -1, 3)
    off_diagonal, diagonal = distance_from_identity(batch_covariance(draws))
    terms = dip_vae_ii(batch, lambda_od=WEIGHTS[:1])
    np.testing.assert_allclose(terms.others["off_diagonal"], off_diagonal, rtol=0.05)
    np.testing.assert_allclose(terms.others["diagonal"], diagonal, rtol=0.05)
