"""What a session judges a claim on: tables and their roles, filters, scored seeds, units within a condition."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest


def test_a_primary_on_a_further_table_and_cases_with_a_role_of_their_own(session):
    source = """
@card(role="primary", quote="It holds indeed, we find.", roles={"active": "probe"}).covers
@pytest.mark.parametrize("evidence_folder", ["near", "far"])
@pytest.mark.parametrize("codes", ["all", "active", "few"])
def test_it(evidence_folder, codes):
    return around(0.7)
"""
    records = session(source).records
    roles = {name: record["role"] for name, record in records.items()}
    assert roles == {
        "test_it[all-near]": "primary",
        "test_it[active-near]": "probe",
        "test_it[few-near]": "primary",
        "test_it[all-far]": "cell",
        "test_it[few-far]": "cell",
        "test_it[active-far]": "probe",
    }


def test_a_primary_on_larger_images_or_fresh_seeds_of_the_same_data_has_a_role_of_its_own(session, tmp_path):
    near = "dsprites_grid_16"
    tables = {"near": near, "near-fresh": near, "large": "dsprites_grid_32", "far": "color_dsprites_grid_16"}
    for name, data in tables.items():
        (tmp_path / name).mkdir()
        # Not by pandas: what it registers on import cannot be registered twice, and pytester forgets such imports.
        pq.write_table(pa.table({"profile": ["own"], "data": [data]}), tmp_path / name / "runs.parquet")
    source = f"""
from pathlib import Path

@card(role="primary", quote="It holds indeed, we find.").covers
@pytest.mark.parametrize("evidence_folder", [Path({str(tmp_path)!r}, name) for name in {list(tables)}])
def test_it(evidence_folder):
    return around(0.7)
"""
    records = session(source).records.values()
    roles = {record["params"]["evidence_folder"]: record["role"] for record in records}
    assert roles == {"near": "primary", "near-fresh": "fresh", "large": "size", "far": "cell"}


def test_a_case_of_fresh_seeds_has_a_role_of_its_own_and_that_of_declared_ones_no_parameter(session):
    records = session(
        """
@card(role="primary", quote="It holds indeed, we find.").covers
@pytest.mark.parametrize("evidence_seeds", ["", "fresh"], ids=[pytest.HIDDEN_PARAM, "fresh"])
def test_it(evidence_seeds):
    return around(0.7)
"""
    ).records
    assert {name: (record["role"], record["params"]) for name, record in records.items()} == {
        "test_it": ("primary", {}),
        "test_it[fresh]": ("fresh", {"evidence_seeds": "fresh"}),
    }


def test_what_a_filter_leaves_stands_beside_in_the_record_and_decides_nothing(session):
    done = session(
        """
from dbench.errors import EvidenceLacking
from dbench.estimates.filters import filtered

def of(kept):
    if not any(kept):
        raise EvidenceLacking("no model is left")
    return filtered(around(0.7 if all(kept) else 0.2), kept)

@card(given={"kept": [1, 1]}, filtered={"kept": [0, 1]}).covers
def test_some(kept):
    return of(kept)

@card("flaws.misalignment", given={"kept": [1, 1]}, filtered={"kept": [1, 1]}).covers
def test_none(kept):
    return of(kept)

@card("hownot.fact-4", given={"kept": [1, 1]}, filtered={"kept": [0, 0]}).covers
def test_all(kept):
    return of(kept)
"""
    )
    assert done.code == 0
    assert set(done.verdicts.values()) == {"reproduced"}
    some, none, every = (done.records[f"test_{name}"]["filtered"] for name in ("some", "none", "all"))
    assert (some["estimate"], some["left_out"], some["verdict"]) == (0.2, [1, 2], "contradicted")
    assert none is None
    assert (every["estimate"], every["verdict"], every["reason"]) == (None, "not tested", "no model is left")


PARTLY_SCORED = """
import pandas as pd
from dbench.claims import Predicate, above
from dbench.estimates.population import Population

@pytest.fixture
def population():
    run = {"objective": "beta_vae", "strength": 1.0, "status": "done"}
    rows = [
        run | {"run": str(seed), "seed": seed, "score": score, "value": 0.7 if seed < least else None}
        for seed in range(9)
        for score, least in (("mig", 9), ("nk", 6), ("trees", 5))
    ]
    return Population("micro", pd.DataFrame(rows))

def trees(population, unit):
    return float(population.scores("trees", "beta_vae").mean())

KNOWN = Predicate("p", "trees", above(0.5), "source", "reason", trees)

@card("flaws.misalignment", evidence="zoo", regime=(KNOWN,)).covers
@pytest.mark.parametrize("score", ["mig", "nk"])
def test_it(population, score):
    return Estimate(0.7, len(population.scores(score, "beta_vae")), lambda level: (0.6, 0.8))
"""


def test_a_claim_is_judged_on_the_seeds_that_have_what_it_asks_for(session):
    records = session(PARTLY_SCORED, "-n0").records
    said = "3 of 9 complete seeds left out, of which nk was not computed"
    for score, n, deviates in (("mig", 9, False), ("nk", 6, True)):
        record = records[f"test_it[{score}]"]
        assert (record["verdict"], record["n"]) == ("reproduced", n)
        assert record["regime"][0]["holds"]
        assert (said in record["deviations"]) == deviates


MODELS = """
import numpy as np
import pandas as pd
from dbench.claims import Predicate, above
from dbench.estimates.evidence import OnDemand
from dbench.estimates.population import Population, PopulationPair

def table(name, **means):
    run = {"strength": 1.0, "status": "done", "score": "mig"}
    rows = [
        run | {"run": f"{objective}-{seed}", "objective": objective, "seed": seed, "value": mean}
        for objective, mean in means.items()
        for seed in range(6)
    ]
    return Population(name, pd.DataFrame(rows))

def mig(population, unit):
    return float(population.scores("mig", unit).mean())

def mean_of(*parts):
    return around(float(np.mean([mig(part, name) for part in parts for name in part.objectives])))

HIGH = Predicate("p", "mig", above(0.5), "source", "reason", mig)
"""


def test_units_outside_a_condition_are_left_out_of_models_that_a_test_asks_for(session):
    source = """
@pytest.fixture
def models():
    return OnDemand(lambda: table("micro", beta_vae=0.9, dip_vae_i=0.1, factor_vae=0.7))

@card("flaws.misalignment", evidence="zoo", regime=(HIGH,)).covers
def test_it(models):
    return mean_of(models())
"""
    record = session(MODELS + source, "-n0").records["test_it"]
    assert (record["verdict"], record["regime"][0]["outside"]) == ("reproduced", ["dip_vae_i"])
    assert record["estimate"] == pytest.approx(0.8)
    assert record["all_units"]["estimate"] == pytest.approx(1.7 / 3)


def test_a_condition_is_asked_of_both_parts_of_a_pair(session):
    source = """
@pytest.fixture
def pair():
    known = table("first", beta_vae=0.8, dip_vae_i=0.9, factor_vae=0.6)
    return OnDemand(lambda: PopulationPair(known, table("second", beta_vae=0.9, dip_vae_i=0.1, factor_vae=0.7)))

@card("flaws.misalignment", evidence="zoo", regime=(HIGH,)).covers
def test_it(pair):
    return mean_of(*pair().parts)
"""
    record = session(MODELS + source, "-n0").records["test_it"]
    assert [found["outside"] for found in record["regime"]] == [[], ["dip_vae_i"]]
    assert record["estimate"] == pytest.approx(3.0 / 4)
    assert record["all_units"]["estimate"] == pytest.approx(4.0 / 6)
