"""Populations: the evidence tables over which claims about trained models are judged, one verdict for each."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import torch
from threadpoolctl import threadpool_limits

from dbench.claims.evidence import evidence_folders, load_population
from dbench.claims.population import Population

# One thread a process: workers do not fight over cores, and sums come out the same with any number of workers.
torch.set_num_threads(1)
threadpool_limits(limits=1)
# For libraries loaded later, which that limit does not reach: scikit-learn brings an OpenMP of its own.
os.environ["OMP_NUM_THREADS"] = "1"


def pytest_generate_tests(metafunc):
    """Run every test that asks for ``population`` or its ``evidence_folder`` once for each evidence table."""
    if "evidence_folder" in metafunc.fixturenames:
        folders = evidence_folders(metafunc.config.getoption("dbench_evidence"))
        metafunc.parametrize("evidence_folder", folders, ids=[f.name for f in folders])


# Those of A Sober Look. A table may hold more, trained with labels and on fewer seeds.
UNSUPERVISED = ("annealed_vae", "beta_tcvae", "beta_vae", "dip_vae_i", "dip_vae_ii", "factor_vae")

_LOADED: dict[Path, Population] = {}
_UNSUPERVISED: dict[Path, Population] = {}


@pytest.fixture
def population(evidence_folder) -> Population:
    """One evidence table, validated and read once a process."""
    if evidence_folder not in _LOADED:
        _LOADED[evidence_folder] = load_population(evidence_folder)
    return _LOADED[evidence_folder]


@pytest.fixture
def unsupervised(evidence_folder) -> Population:
    """The runs of one evidence table that were trained without labels: those that A Sober Look speaks of."""
    if evidence_folder not in _UNSUPERVISED:
        _UNSUPERVISED[evidence_folder] = load_population(evidence_folder, objectives=UNSUPERVISED)
    return _UNSUPERVISED[evidence_folder]
