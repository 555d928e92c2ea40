"""How far rounding alone moves the loss of a run's first hundred steps.

Another processor rounds otherwise, and training amplifies that: in most runs hardly at all, in a few by a thousandth,
for where a unit switches on or off everything after it differs. So each run is asked itself, by starting it again from
weights that are a rounding away. On pilot seeds of four data sets such starts moved this loss as far as the plainest
instructions did in place of the usual ones (docs/benchmarks.md, 'Rounding').
"""

import numpy as np
import torch
from torch import Tensor

from dbench import seeds
from dbench.training import extra_shapes
from dbench.training.state import initial_state
from dbench.zoo.engine import EARLY, images_of, member_of, network_of, train_keys
from dbench.zoo.keys import RunKey

FIRST_LOSS = f"loss.{EARLY[0]}"

_TURNS, _AT_ONCE = 7, 15


def moved_losses(key: RunKey, number: int, generator: np.random.Generator) -> Tensor:
    """Return the first loss of some starts of a run from weights a rounding away, in nats.

    Weights are multiplied by 1 + 2^-23 or 1 - 2^-23, which moves them by one or two units in the last place.
    """
    data, _ = images_of(key.data)
    members, network = [member_of(key)] * number, network_of(key, data)
    start = initial_state(members, network, extra_shapes(members, network, data.factor_sizes))
    for row in start.rows.values():
        row *= torch.from_numpy(1 + 2.0**-23 * generator.choice([-1.0, 1.0], size=row.shape)).float()
    return train_keys([key] * number, state=start, each_block=lambda _: True).loss


def early_tolerance(key: RunKey, here: float, there: float) -> float:
    """Return how far the first loss of a run may lie from that of the table, in nats.

    Twice as far as the furthest of some starts from weights a rounding away, since both losses are rounded. Starts go
    on, 15 at once, until that covers the difference, or 105 are done.

    Args:
        key: the run.
        here: its loss here, from its own weights.
        there: its loss in the table.
    """
    generator = seeds.generator(purpose="rounding", run=key.digest)
    furthest = torch.finfo(torch.float32).eps * abs(here)
    for _ in range(_TURNS):
        if abs(here - there) <= 2 * furthest:
            break
        losses = moved_losses(key, _AT_ONCE, generator)
        furthest = max([furthest, *(losses[losses.isfinite()] - here).abs().tolist()])
    return 2 * furthest
