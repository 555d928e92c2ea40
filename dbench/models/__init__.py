"""Networks and objectives, written for many models at once: every tensor has a leading member axis.

A network holds no parameters. It says which it needs (``shapes``), and maps with those of M members at once.
"""

from collections.abc import Callable
from functools import partial

from dbench.errors import find
from dbench.models.conv import Conv
from dbench.models.mlp import Mlp

__all__ = ["NETWORKS", "Network", "find_network"]

Network = Conv | Mlp

_SIX = (64,) * 6

NETWORKS: dict[str, Callable[..., Network]] = {
    "conv": Conv,
    "mlp": Mlp,
    "mlp_128": partial(Mlp, hidden=(128, 128)),
    "mlp_256": partial(Mlp, hidden=(256, 256)),
    "mlp_d6": partial(Mlp, discriminator=_SIX),
    "mlp_128_d6": partial(Mlp, hidden=(128, 128), discriminator=_SIX),
}
"""What builds a network, given its ``image_shape``; ``d6`` are those with a discriminator of six layers."""


def find_network(name: str) -> Callable[..., Network]:
    """Return what builds the network of that name, or say which there are."""
    return find("network", name, NETWORKS)
