import numpy as np
import pytest
import torch

from dbench.models.objectives import dip_vae_i, dip_vae_ii

WEIGHTS = torch.tensor([1.0, 5.0, 50.0], dtype=torch.float64)
# Four images whose means have covariance [[1, 0.5], [0.5, 0.25]] and whose variances average to 0.5 and 1.5.
_MEAN = torch.tensor([[2.0, 0.0], [0.0, -1.0], [2.0, 0.0], [0.0, -1.0]], dtype=torch.float64)
_VARIANCE = torch.tensor([[0.1, 1.0], [0.9, 2.0], [0.5, 1.0], [0.5, 2.0]], dtype=torch.float64)


@pytest.mark.parametrize(
    ("objective", "off_diagonal", "diagonal", "factor"),
    [(dip_vae_i, 2 * 0.25, (0.25 - 1) ** 2, 10), (dip_vae_ii, 2 * 0.25, (1.5 - 1) ** 2 + (1.75 - 1) ** 2, 1)],
)
def test_the_penalty_of_known_moments(make_batch, objective, off_diagonal, diagonal, factor):
    """The covariance has weight one over the batch's size, and every pair of codes counts in both orders."""
    batch = make_batch(images=4, codes=2, mean=_MEAN.expand(3, 4, 2), logvar=_VARIANCE.log().expand(3, 4, 2))
    terms = objective(batch, lambda_od=WEIGHTS)
    np.testing.assert_allclose(terms.others["off_diagonal"], off_diagonal, rtol=1e-10)
    np.testing.assert_allclose(terms.others["diagonal"], diagonal, rtol=1e-10)
    expected = terms.reconstruction + terms.kl + WEIGHTS * (off_diagonal + factor * diagonal)
    np.testing.assert_allclose(terms.loss, expected, rtol=1e-10)
