"""The supervised and weakly supervised systems learn the labels they are given, and nothing of others."""

from dataclasses import replace

import pytest
import torch

from dbench.models import NETWORKS
from dbench.models.objectives import Batch, find_card
from dbench.models.objectives.mtd import value_logits
from dbench.models.objectives.parted_vae import class_logits
from dbench.models.objectives.weak_de import region
from dbench.training import Member, encode_grid, train
from dbench.training.state import draw_labelled

SIZES = (2, 5, 5)
NETWORK = NETWORKS["mlp"](image_shape=(1, 8, 8), latents=8, hidden=(32,))
SETTINGS = {"batch_size": 32, "learning_rate": 1e-2, "factor_sizes": SIZES}


@pytest.fixture(scope="module")
def factors():
    grid = torch.cartesian_prod(*(torch.arange(size) for size in SIZES))
    return grid.repeat(16, 1)


@pytest.fixture(scope="module")
def images(factors):
    """Bright and dim squares of 4 x 4 at every place."""
    pixels = torch.zeros(len(factors), 1, 8, 8, dtype=torch.uint8)
    for image, (bright, row, column) in zip(pixels, factors.tolist(), strict=True):
        image[0, row : row + 4, column : column + 4] = 255 if bright else 100
    return pixels


def _trained(objective, strength, images, factors, steps=250, network=NETWORK, **changed):
    member = Member(objective, strength, {"seed": 0})
    state = train([member], images, network, factors=factors, steps=steps, **{**SETTINGS, **changed})
    assert not state.diverged.any()
    mean, logvar = encode_grid(state.parameters, images, network)
    labelled = draw_labelled(member, data_size=len(images), share=find_card(objective).labels or 1.0)
    given = {"data_size": len(images), "step": 0, "steps": 1, "extra": state.parameters, "factor_sizes": SIZES}
    return Batch(images, images, mean, mean, logvar, **given), labelled


def test_mtd_learns_each_factor_in_its_own_part_and_nothing_else_there(images, factors):
    batch, _ = _trained("mtd", 10.0, images, factors)
    accuracy = [
        float((logits[0].argmax(1) == values).float().mean())
        for logits, values in zip(value_logits(batch, batch.mean), factors.T, strict=True)
    ]
    assert min(accuracy) > 0.9  # chance is 0.5, 0.2 and 0.2
    for i in range(3):
        part = batch.mean[0, :, 2 * i : 2 * i + 2]
        for j, size in enumerate(SIZES):
            means = torch.stack([part[factors[:, j] == value].mean(0) for value in range(size)])
            share = float(means.var(0, correction=0).sum() / part.var(0, correction=0).sum())
            assert share > 0.95 if i == j else share < 0.02


def test_parted_vae_tells_the_class_of_unlabelled_images(images, factors):
    batch, labelled = _trained("parted_vae_semi", 1.0, images, factors)
    right = class_logits(batch)[0].argmax(1) == factors[:, 0]
    assert int(labelled.sum()) == 80
    assert float(right[~labelled].float().mean()) > 0.8  # chance is 0.5


def test_weak_de_holds_unlabelled_images_to_their_regions(images, factors):
    settings = {"network": replace(NETWORK, latents=4), "batch_size": 64, "learning_rate": 3e-3}
    batch, labelled = _trained("weak_de", 10.0, images, factors, steps=300, **settings)
    mean, (centre, _) = batch.mean[0], region(batch, factors.unsqueeze(0))
    apart, spread = ((mean - place).square()[~labelled].mean() for place in (centre[0], mean.mean(0)))
    assert float(apart) < 0.7 * float(spread)
    assert 0.2 < float(mean.std(0).mean()) < 0.8  # 0.58 for the uniform law on (-1, 1)


@pytest.mark.parametrize("objective", ["parted_vae_semi", "weak_de"])
def test_labels_of_unlabelled_images_never_reach_training(objective, images, factors):
    member = Member(objective, 1.0, {"seed": 0})
    labelled = draw_labelled(member, data_size=len(images), share=find_card(objective).labels)
    spoilt = torch.where(labelled.unsqueeze(1), factors, factors.flip(0))
    lied = torch.where(labelled.unsqueeze(1), factors.flip(0), factors)
    given, same, other = (
        train([member], images, NETWORK, factors=known, steps=20, **SETTINGS) for known in (factors, spoilt, lied)
    )
    assert not torch.equal(spoilt, factors)
    assert all(torch.equal(mine, theirs) for mine, theirs in zip(given.tensors(), same.tensors(), strict=True))
    assert not all(torch.equal(mine, theirs) for mine, theirs in zip(given.tensors(), other.tensors(), strict=True))
