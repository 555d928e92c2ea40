from collections.abc import Callable
from typing import Any

import pytest
import torch

from dbench.models.objectives import Batch


def random_batch(members: int = 3, images: int = 8, codes: int = 4, seed: int = 0, **changed: Any) -> Batch:
    g = torch.Generator().manual_seed(seed)
    parts = {
        "x": torch.rand(members, images, 1, 3, 3, generator=g, dtype=torch.float64),
        "logits": torch.randn(members, images, 1, 3, 3, generator=g, dtype=torch.float64),
        "z": torch.randn(members, images, codes, generator=g, dtype=torch.float64),
        "mean": torch.randn(members, images, codes, generator=g, dtype=torch.float64),
        "logvar": torch.randn(members, images, codes, generator=g, dtype=torch.float64),
    }
    return Batch(**{**parts, "data_size": 1000, "step": 0, "steps": 1, **changed})


@pytest.fixture
def make_batch() -> Callable[..., Batch]:
    """Build a random batch of some members in double precision; keywords replace its parts."""
    return random_batch
