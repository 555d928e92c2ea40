"""One thread a process: workers do not fight over cores, and sums come out the same everywhere."""

import os
from pathlib import Path

import pytest
import torch
from threadpoolctl import threadpool_limits

torch.set_num_threads(1)
threadpool_limits(limits=1)
# For libraries loaded later, which that limit does not reach: scikit-learn brings an OpenMP of its own.
os.environ["OMP_NUM_THREADS"] = "1"

# Here and not beside the tests of the plugin: pytest takes plugins from the first conftest it reads only.
pytest_plugins = ["pytester"]


@pytest.fixture
def renames(monkeypatch):
    """Watch what is renamed: (name, how many files wait aside in its folder) of each, in order."""
    seen, replace = [], os.replace

    def watched(source, target, **options):
        path = Path(target)
        seen.append((path.name, len([*path.parent.glob(".*.partial")])))
        return replace(source, target, **options)

    monkeypatch.setattr(os, "replace", watched)
    return seen


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out nightly tests; long tests first: one that begins at the end lets the other workers wait."""
    if not config.option.markexpr:
        left_out = [item for item in items if item.get_closest_marker("nightly")]
        items[:] = [item for item in items if not item.get_closest_marker("nightly")]
        config.hook.pytest_deselected(items=left_out)
    items.sort(key=lambda item: item.get_closest_marker("long") is None)
