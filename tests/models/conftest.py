from collections.abc import Callable
from typing import Any

import pytest
import torch

from dbench.models import NETWORKS
from dbench.models.objectives import Batch, SecondBatch, find_card

FACTOR_SIZES = (3, 4, 2)


def random_batch(
    members: int = 3, images: int = 8, codes: int = 4, seed: int = 0, *, objective: str = "beta_vae", **changed: Any
) -> Batch:
    g = torch.Generator().manual_seed(seed)
    parts = {
        "x": torch.rand(members, images, 1, 3, 3, generator=g, dtype=torch.float64),
        "logits": torch.randn(members, images, 1, 3, 3, generator=g, dtype=torch.float64),
        "z": torch.randn(members, images, codes, generator=g, dtype=torch.float64),
        "mean": torch.randn(members, images, codes, generator=g, dtype=torch.float64),
        "logvar": torch.randn(members, images, codes, generator=g, dtype=torch.float64),
        "noise": torch.randn(members, images, codes, generator=g, dtype=torch.float64),
    }
    needed = _needed(objective, members, images, codes, g)
    return Batch(**{**parts, "data_size": 1000, "step": 0, "steps": 1, **needed, **changed})


def _needed(objective: str, members: int, images: int, codes: int, g: torch.Generator) -> dict[str, Any]:
    """Draw what the objective's card asks for beside one batch."""
    card, needed = find_card(objective), {"factor_sizes": FACTOR_SIZES}
    if card.needs_factors:
        columns = [torch.randint(size, (members, images), generator=g) for size in FACTOR_SIZES]
        needed["factors"] = torch.stack(columns, dim=2)
    if card.labels is not None:
        needed["labelled"] = torch.arange(images).expand(members, images) % 2 == 0
    if card.second_batch:
        mean, logvar, noise, places = (
            torch.randn(members, images, codes, generator=g, dtype=torch.float64) for _ in range(4)
        )
        needed["other"] = SecondBatch(mean + (logvar / 2).exp() * noise, mean, logvar, places.argsort(1))
    network = NETWORKS["mlp"](image_shape=(1, 3, 3), latents=codes, hidden=(5,))
    needed["extra"] = {
        name: 0.5 * torch.randn(members, *shape, generator=g, dtype=torch.float64)
        for name, shape in card.extra_shapes(network, FACTOR_SIZES).items()
    }
    return needed


@pytest.fixture
def make_batch() -> Callable[..., Batch]:
    """Build a random batch of some members in double precision, with what an objective needs; keywords replace it."""
    return random_batch
