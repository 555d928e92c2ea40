"""How far rounding alone moves the loss of a run's first hundred steps.

Another processor rounds otherwise, and training amplifies that: in the median run of a data set hardly at all, in a few
by a thousandth, for where a unit switches on or off everything after it differs. So each run is asked itself, by
starting it again from weights that are one rounding away. On pilot seeds of four data sets such starts moved this loss
as far as the plainest instructions did in place of the usual ones (docs/benchmarks.md).
"""

import torch

from dbench import seeds
from dbench.training import extra_shapes
from dbench.training.state import initial_state
from dbench.zoo.engine import EARLY, images_of, member_of, network_of, train_keys
from dbench.zoo.keys import RunKey

FIRST_LOSS = f"loss.{EARLY[0]}"

_STARTS, _AT_ONCE = 99, 33


def early_tolerance(key: RunKey, loss: float) -> float:
    """Return how far the table's loss of the first hundred steps may lie from that of a run retrained here, in nats.

    Twice as far as the furthest of 99 starts one rounding away, for the table's loss and the one here are both rounded.

    Args:
        key: the run.
        loss: what it was here, from the run's own weights.
    """
    data, _ = images_of(key.data)
    members, network = [member_of(key)] * _AT_ONCE, network_of(key, data)
    extra = extra_shapes(members, network, data.factor_sizes)
    generator = seeds.generator(purpose="rounding", run=key.digest)
    furthest = torch.finfo(torch.float32).eps * abs(loss)
    for _ in range(_STARTS // _AT_ONCE):
        start = initial_state(members, network, extra)
        for row in start.rows.values():
            row *= torch.from_numpy(1 + 2.0**-23 * generator.choice([-1.0, 1.0], size=row.shape)).float()
        moved = train_keys([key] * _AT_ONCE, state=start, each_block=lambda _: True).loss - loss
        furthest = max(furthest, float(moved.abs().nan_to_num(0.0).max()))
    return 2 * furthest
