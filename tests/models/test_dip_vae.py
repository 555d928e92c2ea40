import numpy as np
import pytest
import torch

from dbench.models.objectives import dip_vae_i, dip_vae_ii
from dbench.models.objectives.dip_vae_i import batch_covariance, distance_from_identity

WEIGHTS = torch.tensor([1.0, 5.0, 50.0], dtype=torch.float64)


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
