import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from scipy import stats

from dbench.errors import InvalidInput
from dbench.models import NETWORKS
from dbench.models.objectives import find_card, weak_de
from dbench.models.objectives.discriminator import discriminate
from dbench.models.objectives.weak_de import region

STRENGTHS = torch.tensor([1.0, 2.5, 6.0], dtype=torch.float64)
EARLY, LATE = {"step": 0, "steps": 60}, {"step": 30, "steps": 60}


def _softplus(value):
    return np.logaddexp(0, value)


def _judge(batch, codes, *, known=False):
    """Log-odds for the prior, in which labelled images (every other one) may come with their factors."""
    factors = torch.cat([torch.nn.functional.one_hot(batch.factors[..., i], n) for i, n in enumerate((3, 4, 2))], 2)
    factors = factors * (torch.arange(8) % 2 == 0).view(1, 8, 1) * known
    logits = discriminate(batch.extra, "adversary", torch.cat([codes, factors], 2)).detach()
    return (logits[..., 0] - logits[..., 1]).numpy()


def test_at_first_the_adversary_tells_codes_from_the_uniform_law(make_batch):
    batch = make_batch(objective="weak_de", **EARLY)
    uniform = torch.from_numpy(2 * stats.norm.cdf(batch.noise.numpy()) - 1)
    assert uniform.abs().max() < 1
    by_hand = 0.5 * (_softplus(-_judge(batch, uniform)) + _softplus(_judge(batch, batch.mean))).mean(1)
    terms = weak_de(batch, adversarial=STRENGTHS)
    np.testing.assert_allclose(terms.adversary_loss, by_hand, rtol=1e-9)
    np.testing.assert_allclose(terms.others["fooling"], _softplus(-_judge(batch, batch.mean)).mean(1), rtol=1e-9)
    assert (terms.others["relations"] == 0).all()


def test_later_it_tells_them_from_the_shrunk_regions_of_labelled_images(make_batch):
    batch = make_batch(objective="weak_de", **LATE)
    mean, logvar = region(batch, batch.factors)
    drawn = mean + math.sqrt(0.1) * (logvar / 2).exp() * batch.noise
    of_prior = sum(_softplus(-_judge(batch, drawn, known=known))[:, ::2].mean(1) for known in (False, True)) / 2

    def of_codes(sign):
        alone, labelled = (_softplus(sign * _judge(batch, batch.mean, known=known)) for known in (False, True))
        return (alone.mean(1) + labelled[:, ::2].mean(1)) / 2

    terms = weak_de(batch, adversarial=STRENGTHS)
    np.testing.assert_allclose(terms.adversary_loss, 0.5 * (of_prior + of_codes(1)), rtol=1e-9)
    np.testing.assert_allclose(terms.others["fooling"], of_codes(-1), rtol=1e-9)


def test_a_region_is_a_layer_on_the_sum_of_its_values_rows(make_batch):
    batch = make_batch(objective="weak_de")
    mean, logvar = region(batch, batch.factors)
    part = {name.removeprefix("head.region."): values[1].numpy() for name, values in batch.extra.items()}
    values = batch.factors[1, 3].tolist()
    hidden = np.tanh(part["bias"] + sum(part[f"factor.{i}"][value] for i, value in enumerate(values)))
    out = hidden @ part["out.0.weight"] + part["out.0.bias"]
    np.testing.assert_allclose(mean[1, 3], out[:4], rtol=1e-9)
    np.testing.assert_allclose(logvar[1, 3], 3 * np.tanh(out[4:]) - 3, rtol=1e-9)


def test_regions_are_fitted_to_the_means_of_labelled_images_by_likelihood_and_then_stand_still(make_batch):
    batch = make_batch(objective="weak_de", **EARLY)
    mean, logvar = (part.numpy() for part in region(batch, batch.factors))
    surprise = -stats.norm.logpdf(batch.mean.numpy(), mean, np.exp(logvar / 2)).sum(2) - 2 * math.log(2 * math.pi)
    fitted = weak_de(batch, adversarial=STRENGTHS).others["regions"]
    np.testing.assert_allclose(fitted, surprise[:, ::2].mean(1), rtol=1e-9)
    assert (weak_de(replace(batch, **LATE), adversarial=STRENGTHS).others["regions"] == 0).all()


def test_a_relation_leads_to_the_region_of_the_next_value(make_batch):
    batch = make_batch(objective="weak_de", **LATE)
    mean, logvar = region(batch, batch.factors)
    drawn = mean + math.sqrt(0.1) * (logvar / 2).exp() * batch.noise
    missed = []
    for image in range(0, 8, 2):
        factor = image % 3
        after = batch.factors.clone()
        after[:, image, factor] = (after[:, image, factor] + 1) % (3, 4, 2)[factor]
        which = torch.zeros(3, 8, 3, dtype=torch.float64)
        which[:, image, factor] = 1
        reached = discriminate(batch.extra, "head.relation", torch.cat([drawn, which], 2))[:, image]
        missed.append((reached - region(batch, after)[0][:, image]).square().sum(1))
    relations = weak_de(batch, adversarial=STRENGTHS).others["relations"]
    np.testing.assert_allclose(relations.detach(), torch.stack(missed).mean(0), rtol=1e-9)


@pytest.mark.parametrize("when", [EARLY, LATE])
def test_no_gradient_passes_between_adversary_codes_and_heads(make_batch, when):
    batch = make_batch(objective="weak_de", **when)
    extra = {name: values.requires_grad_() for name, values in batch.extra.items()}
    codes = {name: getattr(batch, name).requires_grad_() for name in ("z", "mean", "logvar")}
    terms = weak_de(replace(batch, extra=extra, **codes), adversarial=STRENGTHS)

    def reached(term, names):
        found = torch.autograd.grad(
            term.sum(), [(extra | codes)[n] for n in names], allow_unused=True, retain_graph=True
        )
        return {name for name, gradient in zip(names, found, strict=True) if gradient is not None and gradient.any()}

    adversary = {name for name in extra if name.startswith("adversary.")}
    everything = sorted(extra | codes)
    assert reached(terms.adversary_loss, everything) == adversary
    in_loss = reached(terms.loss, everything)
    assert not in_loss & adversary
    taught = "head.region." if when is EARLY else "head.relation."
    assert {name for name in in_loss if name.startswith("head.")} == {name for name in extra if name.startswith(taught)}
    assert "mean" in in_loss
    for head in ("regions", "relations"):  # they follow the codes, and the codes do not follow them
        assert not reached(terms.others[head] + 0 * terms.loss, codes)


@pytest.mark.parametrize("when", [EARLY, LATE])
def test_to_an_autoencoders_loss_the_heads_and_the_weighted_adversary_are_added(make_batch, when):
    terms = weak_de(make_batch(objective="weak_de", **when), adversarial=STRENGTHS)
    added = STRENGTHS * terms.others["fooling"] + terms.others["regions"] + terms.others["relations"]
    np.testing.assert_allclose(terms.loss, terms.reconstruction + added, rtol=1e-12)


@pytest.mark.parametrize("when", [EARLY, LATE])
def test_what_fooling_asks_of_the_codes_is_the_gradient_of_finite_differences(make_batch, when):
    batch = make_batch(members=2, images=4, codes=2, objective="weak_de", **when)

    def fooling(mean):
        return weak_de(replace(batch, mean=mean), adversarial=STRENGTHS[:2]).others["fooling"]

    assert torch.autograd.gradcheck(fooling, [batch.mean.requires_grad_()])


@pytest.mark.parametrize(
    ("when", "part", "loss"),
    [(EARLY, "head.region.", "loss"), (LATE, "head.relation.", "loss"), (LATE, "adversary.", "adversary_loss")],
)
def test_gradients_of_heads_and_adversary_are_those_of_finite_differences(make_batch, when, part, loss):
    batch = make_batch(members=1, images=4, codes=2, objective="weak_de", **when)
    g = torch.Generator().manual_seed(0)
    # along a random direction: there are thousands of parameters
    directions = {name: torch.randn(v.shape, generator=g, dtype=v.dtype) for name, v in batch.extra.items()}

    def along(amount):
        moved = {n: v + amount * directions[n] if n.startswith(part) else v for n, v in batch.extra.items()}
        return getattr(weak_de(replace(batch, extra=moved), adversarial=STRENGTHS[:1]), loss)

    assert torch.autograd.gradcheck(along, [torch.zeros((), dtype=torch.float64, requires_grad=True)])


def test_heads_lead_from_factors_to_regions_and_on_to_codes():
    shapes = find_card("weak_de").extra_shapes(NETWORKS["mlp"](discriminator=(7,)), (3, 6))
    assert {name.removesuffix(".weight"): shape for name, shape in shapes.items() if len(shape) == 2} == {
        **{"head.region.factor.0": (3, 64), "head.region.factor.1": (6, 64), "head.region.out.0": (64, 20)},
        **{"head.relation.0": (12, 64), "head.relation.1": (64, 10), "adversary.0": (19, 7), "adversary.1": (7, 2)},
    }


def test_what_it_lacks_is_said(make_batch):
    with pytest.raises(InvalidInput, match="noise of the codes"):
        weak_de(make_batch(objective="weak_de", noise=None), adversarial=STRENGTHS)
    with pytest.raises(InvalidInput, match="at least one factor"):
        find_card("weak_de").extra_shapes(NETWORKS["mlp"](), ())
