"""Networks and objectives, written for many models at once: every tensor has a leading member axis.

A network holds no parameters. Its ``shapes`` say which it needs; its methods are given those of M members at once.
"""

from collections.abc import Callable
from functools import partial

from dbench.errors import find
from dbench.models.conv import Conv
from dbench.models.mlp import Mlp

__all__ = ["NETWORKS", "Network", "find_network"]

Network = Conv | Mlp

_SIX_LAYERS = (64,) * 6

NETWORKS: dict[str, Callable[..., Network]] = {
    "conv": Conv,
    "mlp": Mlp,
    "mlp_128": partial(Mlp, hidden=(128, 128)),
    "mlp_256": partial(Mlp, hidden=(256, 256)),
    "mlp_d6": partial(Mlp, discriminator=_SIX_LAYERS),
    "mlp_128_d6": partial(Mlp, hidden=(128, 128), discriminator=_SIX_LAYERS),
}
"""Network name -> its constructor, which takes an ``image_shape``; ``d6`` means a discriminator of six layers."""


def find_network(name: str) -> Callable[..., Network]:
    """Return the constructor of the network of that name; the error for an unknown name lists all."""
    return find("network", name, NETWORKS)
