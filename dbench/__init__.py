"""dbench: executable claims about disentangled representations."""

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dbench import audit, codes, data, metrics, plot, scoring, stats
    from dbench.codes import Sample
    from dbench.scoring import compare, score
    from dbench.zoo.pretrained import load

__all__ = [
    "Sample",
    "__version__",
    "audit",
    "codes",
    "compare",
    "data",
    "load",
    "metrics",
    "plot",
    "score",
    "scoring",
    "stats",
]

__version__ = version("dbench")

_LAZY = {
    "Sample": "dbench.codes",
    "compare": "dbench.scoring",
    "load": "dbench.zoo.pretrained",
    "score": "dbench.scoring",
}
_PACKAGES = ("audit", "codes", "data", "metrics", "plot", "scoring", "stats")


def __getattr__(name: str) -> Any:
    """Import packages and functions on first use: they need numpy, and the command line must start quickly."""
    if name in _PACKAGES:
        return import_module(f"dbench.{name}")
    if name not in _LAZY:
        raise AttributeError(f"module 'dbench' has no attribute {name!r}")
    return getattr(import_module(_LAZY[name]), name)
