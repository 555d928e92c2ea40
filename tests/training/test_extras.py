"""What some objectives have beyond a batch and a network: heads, an adversary, factors, labels, a second batch."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from reference_network import reference
from torch import nn

from dbench.errors import InvalidInput
from dbench.models import NETWORKS
from dbench.models.objectives import OBJECTIVES, ObjectiveCard, beta_vae, find_card
from dbench.models.objectives.discriminator import discriminate
from dbench.models.stacked import dense_shapes
from dbench.training import Member, State, train
from dbench.training.state import draw_block, draw_labelled, draw_second_block, initial_extra, initial_parameters

NETWORK = replace(NETWORKS["mlp"](image_shape=(1, 8, 8), latents=4, hidden=(24, 16)), discriminator=(12, 12))
SETTINGS = {"batch_size": 16, "learning_rate": 1e-3}
NEEDY = [
    name
    for name in sorted(OBJECTIVES)
    if find_card(name).shared_settings != beta_vae.card.shared_settings or find_card(name).needs_factors
]
SIZES = (5, 5)


def _members(objective, strengths=(1.0, 4.0), seeds=(0, 1)):
    return [
        Member(objective, strength, {"objective": objective, "strength": strength, "seed": seed})
        for strength in strengths
        for seed in seeds
    ]


@pytest.mark.parametrize("objective", NEEDY)
def test_members_train_all_they_have_to_the_same_bits_in_another_order_and_interrupted(
    objective, images, factors, block, same
):
    members, steps = _members(objective), block + 5
    settings = {**SETTINGS, "factors": factors, "steps": steps}
    whole = train(members, images, NETWORK, **settings)
    assert not whole.diverged.any()
    drawn = initial_extra(members[0], whole.extra)
    assert set(whole.parameters) == set(NETWORK.shapes) | set(drawn)
    assert not any(torch.equal(whole.parameters[name][0], start) for name, start in drawn.items())

    state = train(members[::-1], images, NETWORK, each_block=lambda _: True, **settings)
    assert state.step == block
    stored = {name: tensor.clone() for name, tensor in state.to_tensors().items()}
    state = State.from_tensors(stored, NETWORK, find_card(objective).extra_shapes(NETWORK, SIZES))
    state = train(members[::-1], images, NETWORK, state=state, **settings)
    assert same(state, whole, other_rows=torch.arange(len(members) - 1, -1, -1))


def _train_factor_vae_alone(member, images, steps):
    """The ordinary way: modules, two of torch's optimisers, cross-entropies of two classes."""
    vae = reference(NETWORK, initial_parameters(member, NETWORK))
    drawn = initial_extra(member, find_card("factor_vae").extra_shapes(NETWORK, ()))
    layers = [nn.Linear(4, 12), nn.LeakyReLU(0.2), nn.Linear(12, 12), nn.LeakyReLU(0.2), nn.Linear(12, 2)]
    discriminator = nn.Sequential(*layers)
    with torch.no_grad():
        for ours, values in zip(discriminator.parameters(), drawn.values(), strict=True):
            ours.copy_(values.T if values.ndim == 2 else values)
    vae_optimiser = torch.optim.Adam(vae.parameters(), lr=1e-3, fused=False)
    optimiser = torch.optim.Adam(discriminator.parameters(), lr=1e-3, betas=(0.5, 0.9), fused=False)
    settings = {"data_size": len(images), "batch_size": 16, "latents": 4}
    rows, noise = draw_block(member, 0, **settings)
    other_rows, other_noise, order = draw_second_block(member, 0, **settings)
    losses = []
    for i in range(steps):
        x = images[rows[i]].float() / 255
        mean, logvar = vae.encode(x)
        z = mean + (logvar / 2).exp() * noise[i]
        reconstruction = nn.functional.binary_cross_entropy_with_logits(vae.decode(z), x, reduction="sum") / 16
        kl = (0.5 * (mean**2 + logvar.exp() - logvar - 1)).sum() / 16
        loss = reconstruction + kl + member.strength * (discriminator(z)[:, 0] - discriminator(z)[:, 1]).mean()
        vae_optimiser.zero_grad()
        loss.backward()
        with torch.no_grad():
            other_mean, other_logvar = vae.encode(images[other_rows[i]].float() / 255)
            other = other_mean + (other_logvar / 2).exp() * other_noise[i]
            permuted = torch.stack([other[order[i, :, k], k] for k in range(4)], dim=1)
        optimiser.zero_grad()  # the network's loss has left gradients in the discriminator
        classes = torch.tensor([0] * 16 + [1] * 16)
        nn.functional.cross_entropy(discriminator(torch.cat([z.detach(), permuted])), classes).backward()
        vae_optimiser.step()
        optimiser.step()
        losses.append(loss.item())
    return vae, discriminator, losses


def test_factor_vae_agrees_with_ordinary_modules_and_optimisers(images):
    member = Member("factor_vae", 30.0, {"seed": 1})
    vae, discriminator, losses = _train_factor_vae_alone(member, images, 10)
    for steps in (1, 2, 10):
        state = train([member], images, NETWORK, steps=steps, **SETTINGS)
        assert float(state.loss) == pytest.approx(np.mean(losses[:steps]), rel=1e-5)
    theirs = [*vae.parameters(), *discriminator.parameters()]
    for values, stacked in zip(theirs, state.parameters.values(), strict=True):
        ours = stacked[0].T if stacked.ndim == 3 else stacked[0]
        torch.testing.assert_close(ours, values.detach(), rtol=1e-3, atol=1e-5)


SEEN = []


def _asks_for_everything(batch, *, strength):
    """The VAE with a head that predicts the factors and an adversary; losses of strength 7 explode at step 13."""
    SEEN.append(replace(batch, step=float(batch.step)))  # its tensors are filled anew for the next step
    terms = beta_vae(batch, beta=torch.ones_like(strength))
    guess = discriminate(batch.extra, "head", batch.z)
    error = ((guess - batch.factors) ** 2).sum(2) * batch.labelled
    adversary_loss = discriminate(batch.extra, "adversary", batch.other.z.detach()).square().mean((1, 2)) + 1
    wild = (strength == 7) & (batch.step >= 13)
    return replace(terms, loss=terms.loss + error.mean(1), adversary_loss=adversary_loss.where(~wild, math.inf))


_asks_for_everything.card = ObjectiveCard(
    name="asks_for_everything",
    strength="strength",
    swept=(1,),
    swept_in="nowhere",
    cite="nobody",
    label="Everything",
    summary="Ask for everything.",
    needs_factors=True,
    labels=0.25,
    second_batch=True,
    extra=lambda network, sizes: dense_shapes("head", (network.latents, len(sizes))),
    adversary=lambda network, sizes: dense_shapes("adversary", (network.latents, *sizes)),
    adversary_rate=0.5,
    adversary_betas=(0.5, 0.9),
)


@pytest.fixture
def greedy(monkeypatch):
    monkeypatch.setitem(OBJECTIVES, "asks_for_everything", _asks_for_everything)
    SEEN.clear()
    return _members("asks_for_everything", strengths=(1.0,))


def test_an_objective_is_given_what_its_card_asks_for(images, factors, greedy, block):
    stop = {"steps": 300, "each_block": lambda _: True}
    state = train(greedy, images, NETWORK, factors=factors, factor_sizes=(5, 6), **stop, **SETTINGS)
    assert (len(SEEN), SEEN[-1].step, SEEN[-1].steps) == (block, block - 1, 300)
    for batch in SEEN:
        # The square's upper left corner is at its factors.
        corners = batch.x[:, :, 0].flatten(2).argmax(2)
        assert torch.equal(corners, batch.factors[..., 0] * 8 + batch.factors[..., 1])
    # One in four images, always the same of a member, others of another.
    masks = [draw_labelled(member, data_size=200, share=0.25) for member in greedy]
    assert [int(mask.sum()) for mask in masks] == [50, 50]
    assert not torch.equal(*masks)
    rows = torch.stack([draw_block(m, 0, data_size=200, batch_size=16, latents=4)[0] for m in greedy], dim=1)
    assert all(
        torch.equal(batch.labelled, torch.stack([mask[row] for mask, row in zip(masks, step, strict=True)]))
        for batch, step in zip(SEEN, rows, strict=True)
    )
    assert all(not torch.isin(batch.other.mean, batch.mean).all() for batch in SEEN)
    assert (
        list(state.extra)
        == list(SEEN[0].extra)
        == [f"{layer}.{part}" for layer in ("head.0", "adversary.0", "adversary.1") for part in ("weight", "bias")]
    )
    assert SEEN[0].extra["adversary.1.weight"].shape == (2, 5, 6)


def _beta_vae_that_looks_at_another_batch(batch, *, beta):
    terms = beta_vae(batch, beta=beta)
    return replace(terms, loss=terms.loss + batch.other.mean.square().mean((1, 2)))


def test_a_second_batch_is_encoded_by_the_members_that_ask_for_it(images, monkeypatch, same):
    _beta_vae_that_looks_at_another_batch.card = replace(beta_vae.card, name="looks", second_batch=True)
    monkeypatch.setitem(OBJECTIVES, "looks", _beta_vae_that_looks_at_another_batch)
    members = [*_members("beta_vae", (1.0,)), *_members("looks", (1.0,))]
    together, alone = (train(those, images, NETWORK, steps=5, **SETTINGS) for those in (members, members[2:]))
    assert same(together, alone, rows=slice(2, 4))


def test_head_and_adversary_each_follow_their_own_loss_at_their_own_rate(images, factors, greedy):
    """Adam's first step is its learning rate against the sign of the gradient, whatever the gradient's size."""
    state = train(greedy[:1], images, NETWORK, steps=1, factors=factors, **SETTINGS)
    drawn = initial_extra(greedy[0], state.extra)
    for name, rate in (("head.0.weight", 1e-3), ("adversary.0.weight", 0.5e-3)):
        moved = (state.parameters[name][0] - drawn[name]).abs()
        torch.testing.assert_close(moved, torch.full_like(moved, rate), rtol=1e-2, atol=0)
    first, second = state.first["adversary.0.bias"], state.second["adversary.0.bias"]
    torch.testing.assert_close(first[:, :5] ** 2 / 0.5**2, second[:, :5] / 0.1)  # betas 0.5 and 0.9


def test_a_member_whose_adversary_explodes_is_put_back_with_all_it_has(images, factors, greedy, block, same):
    wild = Member("asks_for_everything", 7.0, {"seed": 9})
    settings = {**SETTINGS, "factors": factors}
    state = train([greedy[0], wild], images, NETWORK, steps=3 * block, **settings)
    assert state.diverged_at.tolist() == [-1, 13]
    assert same(state, train([wild], images, NETWORK, steps=block, **settings), rows=slice(1, 2))
    assert same(state, train(greedy[:1], images, NETWORK, steps=3 * block, **settings), rows=slice(0, 1))


def test_a_second_batch_is_drawn_apart_from_the_first_and_each_code_permuted_on_its_own(monkeypatch):
    monkeypatch.setattr("dbench.training.state.BLOCK", 100)
    member, settings = Member("factor_vae", 10.0, {"seed": 0}), {"data_size": 1000, "batch_size": 16, "latents": 3}
    rows, noise = draw_block(member, 2, **settings)
    other_rows, other_noise, order = draw_second_block(member, 2, **settings)
    assert (rows == other_rows).float().mean() < 0.01
    assert not torch.isin(other_noise, noise).any()
    assert order.shape == (100, 16, 3)
    assert torch.equal(order.sort(1).values, torch.arange(16)[:, None].expand(100, 16, 3))
    # Positions agree between codes and with the unpermuted batch as often as chance has it: 1 in 16.
    for pair in ((order[..., 0], order[..., 1]), (order[..., 1], order[..., 2]), (order[..., 0], torch.arange(16))):
        assert (pair[0] == pair[1]).float().mean() == pytest.approx(1 / 16, abs=0.025)
    assert not torch.equal(order, draw_second_block(member, 3, **settings)[2])


def test_a_member_may_hold_its_adversarys_rate_at_another_value(images, monkeypatch, same):
    member = Member("factor_vae", 10.0, {"seed": 0})
    quick = replace(member, constants=(("adversary_rate", 3.0),))
    ours = train([quick], images, NETWORK, steps=5, **SETTINGS)
    assert not same(ours, train([member], images, NETWORK, steps=5, **SETTINGS))
    card = find_card("factor_vae")
    monkeypatch.setattr(OBJECTIVES["factor_vae"], "card", replace(card, adversary_rate=3.0))
    assert same(ours, train([member], images, NETWORK, steps=5, **SETTINGS))


@pytest.mark.parametrize(
    ("members", "names"),
    [
        ([Member(name, 1.0, {"seed": 0}) for name in ("beta_vae", "factor_vae")], "beta_vae, factor_vae"),
        ([Member("factor_vae", 1.0, {"seed": 0}, (("adversary_rate", rate),)) for rate in (1.0, 3.0)], "factor_vae"),
    ],
)
def test_members_of_other_parameters_or_adversaries_rates_are_no_ensemble(images, members, names):
    with pytest.raises(InvalidInput, match=f"same heads and adversary, got {names}$"):
        train(members, images, NETWORK, steps=1, **SETTINGS)


@pytest.mark.parametrize(
    ("objective", "constants", "message"),
    [
        ("beta_vae", {"adversary_rate": 3.0}, "constants of beta_vae must be among none, got adversary_rate"),
        ("factor_vae", {"rate": 3.0}, "constants of factor_vae must be among adversary_rate, got rate"),
        ("factor_vae", {"adversary_rate": 0.0}, "positive rate .* got 0.0"),
    ],
)
def test_a_rate_that_is_nobodys_or_nothing_is_refused(objective, constants, message):
    with pytest.raises(InvalidInput, match=message):
        find_card(objective).tuned(constants)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda factors: {}, "factors .* asks_for_everything, got none"),
        (lambda factors: {"factors": factors.float()}, "int64 of shape 200 x k, got torch.float32"),
        (lambda factors: {"factors": factors[:-1]}, r"200 x k, got torch.int64 of shape \(199, 2\)"),
        (lambda factors: {"factors": factors - 1}, "must lie in 0..size - 1"),
        (lambda factors: {"factors": factors, "factor_sizes": (5, 4)}, r"sizes \(5, 4\), got values up to \[4, 4\]"),
        (lambda factors: {"factors": factors, "factor_sizes": (5,)}, r"sizes \(5,\)"),
    ],
)
def test_factors_that_do_not_fit_are_refused(images, factors, greedy, change, message):
    with pytest.raises(InvalidInput, match=message):
        train(greedy, images, NETWORK, steps=1, **change(factors))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"labels": 0.0}, "labels .* got 0.0"),
        ({"needs_factors": False}, "labels .* got 0.25"),
        ({"labels": 1.1}, "labels .* got 1.1"),
        ({"adversary_betas": (0.5, 1.0)}, "betas"),
        ({"adversary_betas": (-0.1, 0.9)}, "betas"),
        ({"adversary_rate": 0.0}, "a positive rate .* got 0.0"),
    ],
)
def test_a_card_that_makes_no_sense_is_refused(changed, message):
    with pytest.raises(InvalidInput, match=message):
        replace(_asks_for_everything.card, **changed)


@pytest.mark.parametrize("just", [{"labels": 1.0}, {"adversary_betas": (0.0, 0.0)}, {"adversary_rate": 1e-9}])
def test_a_card_at_the_ends_of_its_ranges_is_taken(just):
    assert replace(_asks_for_everything.card, **just)


def test_parameters_beside_the_networks_have_their_kinds_names():
    card = replace(_asks_for_everything.card, extra=lambda network, sizes: dense_shapes("adversary", (2, 2)))
    with pytest.raises(InvalidInput, match=r"must be named head\.\*, got \['adversary.0.weight'"):
        card.extra_shapes(NETWORK, SIZES)
