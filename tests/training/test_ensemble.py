import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from dbench.errors import DamagedData, InvalidInput
from dbench.models import NETWORKS
from dbench.models.objectives import OBJECTIVES, beta_vae, find_card
from dbench.training import Member, State, train
from dbench.training.state import draw_block, initial_parameters

NETWORK = NETWORKS["mlp"](image_shape=(1, 8, 8), hidden=(24, 16))
SETTINGS = {"batch_size": 16, "learning_rate": 1e-3}
# Objectives with parameters of their own or a need of factors have their turn in test_extras.py.
PLAIN = [
    name
    for name in sorted(OBJECTIVES)
    if find_card(name).shared_settings == beta_vae.card.shared_settings and not find_card(name).needs_factors
]
MEMBERS = [
    Member(objective, strength, {"objective": objective, "strength": strength, "seed": seed})
    for objective in PLAIN
    for strength in (1.0, 4.0)
    for seed in (0, 1)
]


@pytest.fixture(scope="module")
def together(images, block):
    return train(MEMBERS, images, NETWORK, steps=2 * block, **SETTINGS)


EVERYBODY = list(range(len(MEMBERS)))


@pytest.mark.parametrize("which", [[0], [5], [1, 2], EVERYBODY[3:8], EVERYBODY[:7], EVERYBODY[::-1]], ids=str)
def test_a_member_comes_out_the_same_to_the_bit_in_any_ensemble_and_order(images, together, which, block, same):
    apart = train([MEMBERS[i] for i in which], images, NETWORK, steps=2 * block, **SETTINGS)
    assert same(apart, together, other_rows=which)


def test_a_member_comes_out_the_same_to_the_bit_in_thirty_of_the_real_shape(same):
    network = NETWORKS["mlp"]()
    pixels = np.random.default_rng(0).integers(0, 256, size=(300, *network.image_shape), dtype=np.uint8)
    members = [Member(("beta_vae", "beta_tcvae")[i % 2], 1 + i % 4, {"seed": i}) for i in range(30)]
    crowd = train(members, torch.from_numpy(pixels), network, steps=5)
    for size in (1, 2, 7):
        few = train(members[-size:], torch.from_numpy(pixels), network, steps=5)
        assert same(few, crowd, other_rows=slice(-size, None))


def test_members_of_other_constants_train_side_by_side(images, block, same):
    """Each takes its own: the lighter weight is that of a member of its own, and the objective's own is the default."""
    axes = {"seed": 0}
    gammas = ((), (("gamma", 1000.0),), (("gamma", 12.5),))
    members = [Member("annealed_vae", 5.0, axes, constants) for constants in gammas]
    together = train(members, images, NETWORK, steps=block, **SETTINGS)
    assert same(together, together, slice(0, 1), slice(1, 2))
    assert not same(together, together, slice(0, 1), slice(2, 3))
    alone = train(members[2:], images, NETWORK, steps=block, **SETTINGS)
    assert same(alone, together, other_rows=slice(2, 3))


def test_the_number_of_threads_does_not_matter_and_is_put_back(images, together, block, same):
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        assert same(train(MEMBERS, images, NETWORK, steps=2 * block, **SETTINGS), together)
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


def test_training_interrupted_after_every_block_and_stored_ends_at_the_same_bits(images, block, same):
    steps, settings = 3 * block - 3, {**SETTINGS, "cooldown": 0.5}
    kept = []
    whole = train(MEMBERS, images, NETWORK, steps=steps, each_block=kept.append, **settings)
    assert [each.step for each in kept] == [block, 2 * block, steps]
    state = None
    for given_out in kept:  # which stays as it was while training went on
        state = train(MEMBERS, images, NETWORK, steps=steps, state=state, each_block=lambda _: True, **settings)
        state = State.from_tensors({name: t.clone() for name, t in state.to_tensors().items()}, NETWORK)
        assert same(state, given_out)
        assert torch.equal(state.loss, given_out.loss)
    assert state.step == whole.step == steps
    assert same(state, whole)
    assert torch.equal(state.loss, whole.loss)


def _beta_vae_that_explodes(batch, *, beta):
    """Lose members of strength 7 from step 13 on."""
    terms = beta_vae(batch, beta=beta)
    return replace(terms, loss=terms.loss.where((beta != 7) | (batch.step < 13), math.inf))


def test_members_that_diverge_stay_where_their_block_began_and_others_do_not_notice(images, monkeypatch, block, same):
    _beta_vae_that_explodes.card = beta_vae.card
    monkeypatch.setitem(OBJECTIVES, "explodes", _beta_vae_that_explodes)
    early, late = Member("beta_vae", 1e38, {"seed": 9}), Member("explodes", 7.0, {"seed": 9})
    state = train([MEMBERS[0], early, late, MEMBERS[1]], images, NETWORK, steps=3 * block, **SETTINGS)
    assert state.step == 3 * block
    assert state.diverged.tolist() == [False, True, True, False]
    assert state.diverged_at[2] == 13
    assert math.isnan(state.loss[2])
    assert same(state, train(MEMBERS[:2], images, NETWORK, steps=3 * block, **SETTINGS), rows=torch.tensor([0, 3]))
    assert same(state, train([late], images, NETWORK, steps=block, **SETTINGS), rows=slice(2, 3))
    for name, start in initial_parameters(early, NETWORK).items():
        assert torch.equal(state.parameters[name][1], start)


def test_draws_depend_on_the_members_axes_and_the_block_alone(block):
    def draw(axes, number):
        return draw_block(Member("beta_vae", 1.0, axes), number, data_size=50, batch_size=8, latents=3)

    drawn = draw({"seed": 0, "data": "x"}, 3)
    assert [part.shape for part in drawn] == [(block, 8), (block, 8, 3)]
    assert all(map(torch.equal, drawn, draw({"data": "x", "seed": 0}, 3)))
    for axes, block in (({"seed": 1, "data": "x"}, 3), ({"seed": 0, "data": "x"}, 4)):
        assert not any(map(torch.equal, drawn, draw(axes, block)))


@pytest.mark.parametrize(
    ("images", "message"),
    [
        (torch.zeros(4, 1, 8, 8), "uint8 .* got torch.float32"),
        (torch.zeros(4, 1, 16, 16, dtype=torch.uint8), "N x 1 x 8 x 8"),
        (torch.zeros(0, 1, 8, 8, dtype=torch.uint8), "got torch.uint8 of shape"),
    ],
)
def test_images_that_do_not_fit_are_refused(images, message):
    with pytest.raises(InvalidInput, match=message):
        train(MEMBERS[:1], images, NETWORK, steps=10, **SETTINGS)


def test_a_state_within_a_block_is_not_gone_on_from_but_one_at_the_end_is_returned(images, block):
    state = train(MEMBERS[:1], images, NETWORK, steps=block + 5, **SETTINGS)
    assert train(MEMBERS[:1], images, NETWORK, steps=block + 5, state=state, **SETTINGS).step == block + 5
    with pytest.raises(InvalidInput, match=r"state must stand after a multiple of 10 steps .* got 15"):
        train(MEMBERS[:1], images, NETWORK, steps=2 * block, state=state, **SETTINGS)


@pytest.mark.parametrize(
    ("name", "value", "rule"),
    [
        *[("cooldown", value, "a share of the steps, 0 to 1") for value in (-0.1, 1.5, math.nan)],
        *[("batch_size", value, "a whole number of at least 1") for value in (0, 0.5, 16.0)],
        *[("steps", value, "a whole number of at least 0") for value in (-1, 1.5)],
        ("learning_rate", math.nan, "positive and finite"),
        ("likelihood_factor", math.inf, "positive and finite"),
    ],
)
def test_a_setting_outside_its_range_is_refused(images, name, value, rule):
    with pytest.raises(InvalidInput, match=f"{name} must be {rule}, got {value:g}"):
        train(MEMBERS[:1], images, NETWORK, **{"steps": 10, **SETTINGS, name: value})


def test_a_precision_that_there_is_not_is_refused_and_not_taken_for_float32(images):
    with pytest.raises(InvalidInput, match="precision must be one of float32, tf32, bfloat16, got 'float16'"):
        train(MEMBERS[:1], images, NETWORK, steps=1, precision="float16", **SETTINGS)


def test_no_members_and_a_state_of_others_are_refused(images, block):
    with pytest.raises(InvalidInput, match="members must be at least one, got none"):
        train([], images, NETWORK, steps=10, **SETTINGS)
    state = train(MEMBERS[:1], images, NETWORK, steps=block, **SETTINGS)
    with pytest.raises(InvalidInput, match="state must be of the 2 members, got one of 1"):
        train(MEMBERS[:2], images, NETWORK, steps=2 * block, state=state, **SETTINGS)
    adversarial = Member("factor_vae", 10.0, {"seed": 0})
    wider = NETWORKS["mlp"](image_shape=(1, 8, 8), hidden=(32, 16))
    for member, network, name in ((adversarial, NETWORK, "adversary.0.bias"), (MEMBERS[0], wider, "decoder.1.bias")):
        with pytest.raises(InvalidInput, match=f"state must have the parameters of the .*, got another {name}"):
            train([member], images, network, steps=2 * block, state=state, **SETTINGS)


@pytest.mark.parametrize("damage", ["missing", "unknown", "shape", "type"])
def test_a_damaged_state_is_refused(images, damage):
    tensors = train(MEMBERS[:2], images, NETWORK, steps=1, **SETTINGS).to_tensors()
    if damage == "missing":
        del tensors["second.encoder.0.bias"]
    elif damage == "unknown":
        tensors["third"] = torch.zeros(2)
    elif damage == "type":
        tensors["second.encoder.0.bias"] = tensors["second.encoder.0.bias"].double()
    else:
        tensors["rows.encoder.0.weight"] = tensors["rows.encoder.0.weight"][:, :-1]
    with pytest.raises(DamagedData, match="state"):
        State.from_tensors(tensors, NETWORK)


def test_convolutional_members_come_out_the_same_to_the_bit_alone(same):
    """A lone convolution takes another path through the library, so a lone member runs as two."""
    network = NETWORKS["conv"](latents=4)
    pixels = torch.from_numpy(np.random.default_rng(0).integers(0, 256, size=(20, 1, 64, 64), dtype=np.uint8))
    members = [Member(("beta_vae", "beta_tcvae", "beta_vae")[i], 1.0 + i, {"seed": i}) for i in range(3)]
    several = train(members, pixels, network, steps=2, batch_size=16)
    for i, member in enumerate(members):
        alone = train([member], pixels, network, steps=2, batch_size=16)
        assert same(alone, several, other_rows=slice(i, i + 1))
        assert torch.equal(alone.loss, several.loss[i : i + 1])


def test_reduced_precision_stays_near_full_precision_and_keeps_parameters_full(images, block, same):
    full, reduced = (
        train(MEMBERS, images, NETWORK, steps=block, precision=precision, **SETTINGS)
        for precision in ("float32", "bfloat16")
    )
    assert all(row.dtype == torch.float32 for row in reduced.tensors())
    assert not same(full, reduced)
    torch.testing.assert_close(reduced.loss, full.loss, rtol=0.02, atol=0)


def test_images_that_are_no_tensor_are_refused_and_those_that_never_exceed_1_warned_of(images):
    with pytest.raises(InvalidInput, match=r"images must be a tensor of torch, got numpy\.ndarray"):
        train(MEMBERS[:1], images.numpy(), NETWORK, steps=1, **SETTINGS)
    with pytest.warns(UserWarning, match="no image exceeds 1, where white is 255"):
        train(MEMBERS[:1], images // 255, NETWORK, steps=1, **SETTINGS)


@pytest.mark.parametrize("strength", [math.nan, math.inf, -1.0])
def test_a_strength_that_is_none_is_refused_before_training(images, strength):
    member = replace(MEMBERS[0], strength=strength)
    with pytest.raises(InvalidInput, match="strength must be a finite number of at least 0, got"):
        train([member], images, NETWORK, steps=1, **SETTINGS)
