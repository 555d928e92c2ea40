"""What a network is, and which there are.

A network holds no parameters. It says which it needs (``shapes``), draws those of one member (``init``), and maps
with those of M members at once: parameters are a dictionary of tensors with a leading member axis.
"""

from collections.abc import Callable
from functools import partial

from dbench.errors import find
from dbench.models.conv import Conv
from dbench.models.mlp import Mlp

Network = Conv | Mlp

NETWORKS: dict[str, Callable[..., Network]] = {
    "conv": Conv,
    "mlp": Mlp,
    "mlp_128": partial(Mlp, hidden=(128, 128)),
    "mlp_256": partial(Mlp, hidden=(256, 256)),
}
"""What builds a network; each takes ``image_shape`` and ``latents``, both with defaults."""


def find_network(name: str) -> Callable[..., Network]:
    """Return what builds the network of that name.

    Raises:
        UnknownName: no such network.
    """
    return find("network", name, NETWORKS)
