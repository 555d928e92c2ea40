"""One thread a process: workers do not fight over cores, and sums come out the same everywhere."""

import os

import pytest
import torch
from threadpoolctl import threadpool_limits

torch.set_num_threads(1)
threadpool_limits(limits=1)
# For libraries loaded later, which that limit does not reach: scikit-learn brings an OpenMP of its own.
os.environ["OMP_NUM_THREADS"] = "1"

# Here and not beside the tests of the plugin: pytest takes plugins from the first conftest it reads only.
pytest_plugins = ["pytester"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long tests first: one that begins at the end lets the other workers wait."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)
