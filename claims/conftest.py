"""Populations: the evidence tables over which claims about trained models are judged, one verdict for each."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from threadpoolctl import threadpool_limits

from dbench.claims.evidence import evidence_folders, load_population
from dbench.claims.population import Population


# One thread a process: workers do not fight over cores, and sums come out the same with any number of workers.
torch.set_num_threads(1)
threadpool_limits(limits=1)


def pytest_generate_tests(metafunc):
    """Judge every claim that asks for ``population`` once for each evidence table."""
    if "population" in metafunc.fixturenames:
        folders = evidence_folders(metafunc.config.getoption("dbench_evidence"))
        metafunc.parametrize("population", [str(f) for f in folders], ids=[f.name for f in folders], indirect=True)


_LOADED: dict[str, Population] = {}


@pytest.fixture
def population(request) -> Population:
    """One evidence table, validated and read once a process."""
    if request.param not in _LOADED:
        _LOADED[request.param] = load_population(Path(request.param))
    return _LOADED[request.param]
