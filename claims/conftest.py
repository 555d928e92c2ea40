"""Populations: the evidence tables over which claims about trained models are judged, one verdict for each."""

import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from threadpoolctl import threadpool_limits

from dbench.claims import ledger
from dbench.errors import EvidenceLacking
from dbench.estimates.evidence import (
    OnDemand,
    evidence_folders,
    evidence_pairs,
    has_objectives,
    is_fresh,
    left_out_folders,
    load_left_out,
    load_population,
    repeats,
    swept_folders,
    whole_data_folders,
)
from dbench.estimates.population import Population, PopulationPair
from dbench.plugin.cases import card_of
from dbench.study import UNSUPERVISED

# The models that Mahon et al. speak of.
SIX_SYSTEMS = ("beta_vae", "beta_tcvae", "factor_vae", "parted_vae", "parted_vae_semi", "weak_de")
# One thread a process: workers do not fight over cores, and sums come out the same with any number of workers.
threadpool_limits(limits=1)
# For libraries loaded later, which that limit does not reach: torch and scikit-learn bring an OpenMP of their own.
os.environ["OMP_NUM_THREADS"] = "1"

# Each table is validated and read once a process.
_population, _study, _has_objectives = cache(load_population), cache(load_left_out), cache(has_objectives)


@cache
def _chosen(choose: Callable[[list[Path]], Any], root: str | None) -> Any:
    """What a function chooses of the evidence tables; it looks into all of them, for every test alike."""
    return choose(evidence_folders(root))


def pytest_generate_tests(metafunc):
    """Run every test that asks for evidence tables once for each of them, each pair, or each study of combinations.

    Cells and probes are judged on the table nearest to the papers alone, primaries on all, of fresh seeds on that which
    repeats the heading table of their finding; those about the six systems on tables that have them. Those that ask for
    data sets by name are judged once more where the heading table has fresh seeds. Tables of training sets with
    something held out are left to the claims about novel combinations. Without such a table, pair or study a test still
    runs, once, and leaves its claim open.
    """
    wanted = {"evidence_folder", "evidence_seeds", "evidence_pair", "evidence_left_out"} & set(metafunc.fixturenames)
    root = metafunc.config.getoption("dbench_evidence")
    card = card_of(metafunc.definition)
    heads = ledger()[card.id].table if card is not None and card.id in ledger() else ""
    fresh = [f for f in _chosen(list, root) if repeats(f, heads)] if wanted and heads else []
    if "evidence_folder" in wanted:
        of_models = {"population", "unsupervised"} & set(metafunc.fixturenames)
        chosen = _chosen(swept_folders if of_models else list, root)
        if "six_systems" in metafunc.fixturenames:
            chosen = [f for f in _chosen(whole_data_folders, root) if _has_objectives(f, SIX_SYSTEMS)] or [None]
        if card is not None:
            chosen = [f for f in chosen if f is None or not is_fresh(f) or f in fresh]
            if "primary" not in (card.role, *card.roles.values()):
                chosen = chosen[:1]
        metafunc.parametrize("evidence_folder", chosen, ids=[f.name if f else "none" for f in chosen])
    if "evidence_seeds" in wanted and fresh and card.role == "primary":
        metafunc.parametrize("evidence_seeds", ["", "fresh"], ids=[pytest.HIDDEN_PARAM, "fresh"])
    if "evidence_pair" in wanted:
        pairs = _chosen(evidence_pairs, root) or [()]
        metafunc.parametrize(
            "evidence_pair", pairs, ids=["-and-".join(f.name for f in pair) or "none" for pair in pairs]
        )
    if "evidence_left_out" in wanted:
        metafunc.parametrize("evidence_left_out", list(_chosen(left_out_folders, root)) or ["none"])


@pytest.fixture
def population(evidence_folder) -> Population:
    """One evidence table."""
    return _population(evidence_folder)


@pytest.fixture
def unsupervised(evidence_folder) -> Population:
    """The runs of one evidence table that were trained without labels: those that A Sober Look speaks of."""
    return _population(evidence_folder, objectives=UNSUPERVISED)


@pytest.fixture
def six_systems(evidence_folder) -> OnDemand:
    """Return the six systems of Table 2 when called, without any other that a table may hold; with none it is open."""

    def six() -> Population:
        if evidence_folder is None:
            needed = f"needs the six systems of Table 2 ({', '.join(SIX_SYSTEMS)})"
            raise EvidenceLacking(f"{needed}: no evidence table has them all")
        return _population(evidence_folder, objectives=SIX_SYSTEMS)

    return OnDemand(six)


@pytest.fixture
def pair(evidence_pair) -> OnDemand:
    """Return the same runs on two data sets when called; with one data set alone the claim is left open there."""

    def both() -> PopulationPair:
        if not evidence_pair:
            raise EvidenceLacking("needs two data sets: no two evidence tables of one profile on different data")
        return PopulationPair(*(_population(folder, objectives=UNSUPERVISED) for folder in evidence_pair))

    return OnDemand(both)


@pytest.fixture
def evidence_seeds() -> str:
    """Whose seeds are meant: "fresh", those drawn after the rules were frozen, or empty."""
    return ""


@pytest.fixture
def data_set(evidence_seeds, pytestconfig) -> OnDemand:
    """Return the runs on the first data set whose name begins so; with none the claim is left open there."""

    def named(beginning: str) -> Population:
        for folder in _chosen(swept_folders, pytestconfig.getoption("dbench_evidence")):
            if is_fresh(folder) == bool(evidence_seeds):
                population = _population(folder, objectives=UNSUPERVISED)
                if str(population.table["data"].iloc[0]).startswith(beginning):
                    return population
        raise EvidenceLacking(
            f"needs {beginning}: no evidence table {'of fresh seeds ' * bool(evidence_seeds)}is of it"
        )

    return OnDemand(named)


@pytest.fixture
def left_out(evidence_left_out, pytestconfig) -> OnDemand:
    """Return, when called with a family of data sets, runs without one combination each: the units of the population.

    The claim is left open where no table is of models trained without a combination, or none of that family.
    """

    def of(family: str) -> Population:
        name = evidence_left_out
        if family not in name:
            lacking = "no such evidence table" if name == "none" else f"{name} is of another data set"
            raise EvidenceLacking(f"needs {family} without combinations of factor values: {lacking}")
        return _study(name, _chosen(left_out_folders, pytestconfig.getoption("dbench_evidence"))[name])

    return OnDemand(of)
