"""The models that Mahon et al. speak of: the six systems of Table 2, without any other that a table may hold."""

from functools import cache

import pytest

from dbench.errors import EvidenceLacking
from dbench.estimates.evidence import OnDemand, describe_evidence, evidence_folders, load_population, whole_data_folders

SYSTEMS = ("beta_vae", "beta_tcvae", "factor_vae", "parted_vae", "parted_vae_semi", "weak_de")


@pytest.fixture
def six_systems(pytestconfig) -> OnDemand:
    """Return the six systems of the first table that has them all when called; with none the claim is left open."""
    return OnDemand(lambda: _six_systems(pytestconfig.getoption("dbench_evidence")))


@cache
def _six_systems(root):
    for folder in whole_data_folders(evidence_folders(root)):
        if set(SYSTEMS) <= set(describe_evidence(folder)["objectives"]):
            return load_population(folder, objectives=SYSTEMS)
    raise EvidenceLacking(f"needs the six systems of Table 2 ({', '.join(SYSTEMS)}): no evidence table has them all")
