import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from scipy import integrate, stats

from dbench.errors import InvalidInput
from dbench.models import NETWORKS
from dbench.models.objectives import find_card, parted_vae, parted_vae_semi
from dbench.models.objectives.parted_vae import class_factor, class_logits, overlap

BETAS = torch.tensor([0.5, 1.0, 4.0], dtype=torch.float64)


@pytest.mark.parametrize(("means", "sds"), [((0, 0), (1, 1)), ((0, 2), (1, 1)), ((-1, 0.5), (0.3, 2))])
def test_the_overlap_of_two_gaussians_is_the_integral_of_the_root_of_their_product(means, sds):
    first, second = (stats.norm(mean, sd) for mean, sd in zip(means, sds, strict=True))
    integral, _ = integrate.quad(lambda u: math.sqrt(first.pdf(u) * second.pdf(u)), -20, 20, points=means)
    mean, logvar = torch.tensor(means, dtype=torch.float64), 2 * torch.tensor(sds, dtype=torch.float64).log()
    table = overlap(mean.view(2, 1), logvar.view(2, 1))
    assert float(table[0, 1]) == pytest.approx(integral, abs=1e-7)
    np.testing.assert_allclose(table, table.T)
    np.testing.assert_allclose(table.diagonal(), 1)


def test_the_overlap_of_gaussians_of_two_dimensions_is_the_product_over_them():
    g = torch.Generator().manual_seed(0)
    mean, logvar = (torch.randn(3, 2, generator=g, dtype=torch.float64) for _ in range(2))
    single = [overlap(mean[:, i : i + 1], logvar[:, i : i + 1]) for i in range(2)]
    np.testing.assert_allclose(overlap(mean, logvar), single[0] * single[1], rtol=1e-12)


def _divergence(m, v, a, b):
    """Of N(m, v) from N(a, b), both variances."""
    return 0.5 * (math.log(b / v) - 1 + v / b + (m - a) ** 2 / b)


def test_a_small_case_comes_to_what_it_is_by_hand(make_batch):
    mean = torch.tensor([[[1.0, 0.5], [-1.0, 0.0]]], dtype=torch.float64)
    logvar = torch.log(torch.tensor([[[0.5, 0.25], [2.0, 1.0]]], dtype=torch.float64))
    extra = {  # two classes at +1 and 0, log-variances 2 tanh(0) - 1 = -1; logits (2u, 0)
        "head.prior.mean": torch.tensor([[[1.0], [0.0]]], dtype=torch.float64),
        "head.prior.spread": torch.zeros(1, 2, 1, dtype=torch.float64),
        "head.class.0.weight": torch.tensor([[[2.0, 0.0]]], dtype=torch.float64),
        "head.class.0.bias": torch.zeros(1, 2, dtype=torch.float64),
    }
    batch = make_batch(1, 2, 2, mean=mean, logvar=logvar, extra=extra)
    terms = parted_vae(batch, beta=torch.tensor([3.0], dtype=torch.float64))

    first = [1 / (1 + math.exp(-2)), 1 / (1 + math.exp(2))]  # q of the first class, of either image
    spread = math.exp(-1)
    bound = sum(
        q * _divergence(m, v, 1, spread) + (1 - q) * _divergence(m, v, 0, spread)
        for q, m, v in zip(first, (1, -1), (0.5, 2), strict=True)
    )
    free = _divergence(0.5, 0.25, 0, 1) + _divergence(0, 1, 0, 1)
    entropy = -sum(q * math.log(q) + (1 - q) * math.log(1 - q) for q in first)
    crowding = max(math.exp(-1 / (8 * spread)) - 0.1, 0)
    assert float(terms.kl) == pytest.approx((bound + free) / 2, rel=1e-12)
    assert float(terms.others["entropy"]) == pytest.approx(entropy / 2, rel=1e-12)
    assert float(terms.others["balance"]) == pytest.approx(0, abs=1e-12)  # the two images mirror each other
    assert float(terms.others["crowding"]) == pytest.approx(crowding, rel=1e-12)
    extras = 3 * (bound + free) / 2 + 10 * entropy / 2 + 10 * crowding
    assert float(terms.loss - terms.reconstruction) == pytest.approx(extras, rel=1e-10)


def test_the_balance_is_the_divergence_of_the_mean_class_from_the_uniform_law(make_batch):
    batch = make_batch(objective="parted_vae")
    q = class_logits(batch).softmax(2).mean(1).numpy()
    balance = parted_vae(batch, beta=BETAS).others["balance"]
    np.testing.assert_allclose(balance, [stats.entropy(row, [0.5, 0.5]) for row in q], rtol=1e-9)


def test_certain_classes_give_finite_losses_and_gradients(make_batch):
    batch = make_batch(objective="parted_vae")
    batch = replace(batch, mean=(200 * batch.mean.abs()).requires_grad_())
    extra = {name: 30 * values for name, values in batch.extra.items()}
    loss = parted_vae(replace(batch, extra=extra), beta=BETAS).loss
    (gradient,) = torch.autograd.grad(loss.sum(), batch.mean)
    assert loss.isfinite().all()
    assert gradient.isfinite().all()


def test_without_labels_semi_supervision_is_parted_vae_to_the_bit(make_batch):
    batch = make_batch(objective="parted_vae_semi")
    nobody = replace(batch, labelled=torch.zeros_like(batch.labelled))
    assert torch.equal(parted_vae_semi(nobody, beta=BETAS).loss, parted_vae(nobody, beta=BETAS).loss)


def test_labelled_classes_add_ten_times_their_mean_cross_entropy(make_batch):
    batch = make_batch(objective="parted_vae_semi")
    added = parted_vae_semi(batch, beta=BETAS).loss - parted_vae(batch, beta=BETAS).loss
    q, classes = class_logits(batch).softmax(2).numpy(), batch.factors[..., 2].numpy()
    by_hand = [-np.mean([math.log(q[m, i, classes[m, i]]) for i in range(0, 8, 2)]) for m in range(3)]
    np.testing.assert_allclose(added, 10 * np.array(by_hand), rtol=1e-9)


def test_the_class_is_the_first_factor_of_fewest_values_that_varies():
    assert class_factor((3, 6, 10, 16, 16)) == 0
    assert class_factor((1, 4, 2, 2)) == 2
    with pytest.raises(InvalidInput, match="at least two values"):
        class_factor((1, 1))


def test_both_forms_have_the_same_heads_so_that_they_train_together():
    assert find_card("parted_vae").shared_settings == find_card("parted_vae_semi").shared_settings
    shapes = find_card("parted_vae").extra_shapes(NETWORKS["mlp"](), (3, 6, 10, 16, 16))
    assert shapes["head.prior.mean"] == (3, 1)
    with pytest.raises(InvalidInput, match="more than 1 codes"):
        find_card("parted_vae").extra_shapes(NETWORKS["mlp"](latents=1), (3, 6))
