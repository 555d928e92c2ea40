import math

import numpy as np
import pytest
import torch

from dbench.models import NETWORKS
from dbench.models.objectives import SecondBatch, factor_vae

GAMMAS = torch.tensor([10.0, 20.0, 100.0], dtype=torch.float64)


def _sigmoid(u):
    return 1 / (1 + math.exp(-u))


def test_a_linear_discriminator_of_two_images_gives_the_values_by_hand(make_batch):
    """D's logits are (z0 + 2 z1, 3 z0), so its log-odds u are 2 z1 - 2 z0."""
    weight = torch.tensor([[[1.0, 3.0], [2.0, 0.0]]], dtype=torch.float64)
    extra = {"adversary.0.weight": weight, "adversary.0.bias": torch.zeros(1, 2, dtype=torch.float64)}
    z = torch.tensor([[[0.5, 1.0], [-1.0, 0.25]]], dtype=torch.float64)  # u = 1, 2.5
    second = torch.tensor([[[0.1, 0.2], [0.3, 0.7]]], dtype=torch.float64)
    order = torch.tensor([[[1, 0], [0, 1]]])  # the first code is swapped: (0.3, 0.2) and (0.1, 0.7); u = -0.2, 1.2
    other = SecondBatch(second, second, second, order)
    batch = make_batch(members=1, images=2, codes=2, z=z, other=other, extra=extra)
    terms = factor_vae(batch, gamma=torch.tensor([20.0], dtype=torch.float64))
    tc = (1 + 2.5) / 2
    assert float(terms.others["total_correlation"]) == pytest.approx(tc, rel=1e-12)
    assert float(terms.loss - terms.reconstruction - terms.kl) == pytest.approx(20 * tc, rel=1e-10)
    told_apart = [_sigmoid(1), _sigmoid(2.5), 1 - _sigmoid(-0.2), 1 - _sigmoid(1.2)]
    assert float(terms.adversary_loss) == pytest.approx(-np.log(told_apart).mean(), rel=1e-12)


def test_the_papers_discriminator_goes_with_the_convolutional_network():
    shapes = factor_vae.card.extra_shapes(NETWORKS["conv"](), (3, 6))
    weights = [shape for name, shape in shapes.items() if name.endswith("weight")]
    assert weights == [(10, 1000), *[(1000, 1000)] * 5, (1000, 2)]
    assert (factor_vae.card.adversary_rate, factor_vae.card.adversary_betas) == (1, (0.5, 0.9))


def _gradients(loss, tensors):
    return torch.autograd.grad(loss.sum(), tensors, allow_unused=True, retain_graph=True)


def test_no_gradient_passes_between_the_discriminator_and_the_network(make_batch):
    batch = make_batch(objective="factor_vae")
    codes = [part.requires_grad_() for part in (batch.logits, batch.z, batch.mean, batch.logvar)]
    second = [part.requires_grad_() for part in (batch.other.z, batch.other.mean, batch.other.logvar)]
    own = [part.requires_grad_() for part in batch.extra.values()]
    terms = factor_vae(batch, gamma=GAMMAS)
    assert all(gradient is None for gradient in _gradients(terms.loss, [*own, *second]))
    assert all(gradient is None for gradient in _gradients(terms.adversary_loss, [*codes, *second]))
    assert all(gradient is not None for gradient in _gradients(terms.loss, codes))
    assert all(gradient is not None for gradient in _gradients(terms.adversary_loss, own))
