"""dbench: executable claims about disentangled representations."""

from importlib.metadata import version

__all__ = ["__version__"]

__version__ = version("dbench")
