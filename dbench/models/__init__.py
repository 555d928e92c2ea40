"""Networks and objectives, written for many models at once: every tensor has a leading member axis."""

from dbench.models.networks import NETWORKS, Network, find_network

__all__ = ["NETWORKS", "Network", "find_network"]
