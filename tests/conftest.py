"""Every run alike: one thread a process, so that sums come out the same everywhere, and the same draws."""

import os
from pathlib import Path

import pytest
import torch
from hypothesis import HealthCheck, settings
from threadpoolctl import threadpool_limits

torch.set_num_threads(1)
threadpool_limits(limits=1)
# For libraries loaded later, which that limit does not reach: scikit-learn brings an OpenMP of its own.
os.environ["OMP_NUM_THREADS"] = "1"
# Kernels run on a processor, interpreted: Triton reads this when it is imported.
os.environ["TRITON_INTERPRET"] = "1"

# A red run must be red again. The nightly run draws others: --hypothesis-profile=nightly --hypothesis-seed=N.
# None is timed: on a busy machine that is a test that fails by luck.
settings.register_profile("same", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("nightly", settings.get_profile("same"), derandomize=False, print_blob=True)
settings.load_profile("same")

# Here and not beside the tests of the plugin: pytest takes plugins from the first conftest it reads only.
pytest_plugins = ["pytester"]


def pytest_report_header(config: pytest.Config) -> str:
    """Say what decides the draws of property tests."""
    given = config.getoption("--hypothesis-seed", None)
    drawn = "the same on each run" if settings.default.derandomize else f"by seed {given or 'of their own'}"
    return f"property tests draw {drawn}"


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
