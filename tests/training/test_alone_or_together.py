"""Every objective at the batch size of the profiles: a member comes out the same alone and in any ensemble."""

import numpy as np
import pytest
import torch

from dbench.models import NETWORKS
from dbench.models.objectives import OBJECTIVES, find_card
from dbench.training import Member, train

NETWORK = NETWORKS["mlp"]()
SIZES = (3, 6, 10, 16, 16)  # of dsprites_grid_16
STEPS = 5


@pytest.fixture(scope="module")
def world():
    rng = np.random.default_rng(0)
    factors = torch.from_numpy(rng.integers(0, SIZES, size=(400, len(SIZES))))
    images = torch.from_numpy(rng.integers(0, 256, size=(400, *NETWORK.image_shape), dtype=np.uint8))
    return images, {"factors": factors, "factor_sizes": SIZES, "steps": STEPS, "learning_rate": 1e-3}


def _members(objective, count):
    return [Member(objective, 1.0 + i, {"objective": objective, "seed": i}) for i in range(count)]


def _beside(objective):
    """Return another objective that has the same heads and adversary, so that both fit into one ensemble."""
    settings = {name: find_card(name).shared_settings for name in sorted(OBJECTIVES)}
    return next((name for name in settings if name != objective and settings[name] == settings[objective]), None)


@pytest.mark.extension
@pytest.mark.parametrize("objective", sorted(OBJECTIVES))
def test_a_member_alone_or_the_only_one_of_its_objective_is_the_one_it_is_among_its_like(objective, world, same):
    images, settings = world
    together = train(_members(objective, 3), images, NETWORK, batch_size=64, **settings)
    pair = train(_members(objective, 2), images, NETWORK, batch_size=64, **settings)
    for i, member in enumerate(_members(objective, 3)):
        alone = train([member], images, NETWORK, batch_size=64, **settings)
        assert same(alone, together, slice(0, 1), slice(i, i + 1))
        assert torch.equal(alone.loss[0], together.loss[i])
    assert same(pair, together, other_rows=slice(0, 2))
    if other := _beside(objective):
        mixture = [*_members(other, 1), *_members(objective, 1), *_members(other, 1)]
        assert same(train(mixture, images, NETWORK, batch_size=64, **settings), together, slice(1, 2), slice(0, 1))
