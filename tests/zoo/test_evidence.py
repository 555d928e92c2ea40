from importlib.resources import as_file, files

import pytest

from dbench.metrics import dci_disentanglement
from dbench.zoo.arrays import load_arrays
from dbench.zoo.profiles import Profile, Sweep
from dbench.zoo.table import load_manifest, load_runs, run_keys
from dbench.zoo.verify import verify_start

# Of the table and the arrays. Pinned here as well as in the manifest, so that editing all files of a folder does not go
# unseen.
SHA256 = {
    "micro-color_dsprites_grid_16": (
        "8af4b86f475e92aa2471c8a984f3bcacb99ba400165ae5350104aa7da2141a51",
        "20ac8c402b4c1b2ab9e4996b30425d04c0748ac0ab676c353a07a3039db91b56",
    ),
    "micro-dsprites_grid_16": (
        "0a0e1e6dd5d87453daf7d4bf879c2ed674d3933953f70d98bd55ef385c9f2d30",
        "6d7ccf2bf8d23fc0d0f1c55c228c24f0a880c040f448c7bd116be8f80bb03424",
    ),
    "novel-dsprites_grid_16-without-shape0-scale0": (
        "4cf390b71b4734300346b2009ac49b9619bcd93a0e59f7c533889284483f85f7",
        "c5cc7d6ecf314c31c3f8aca7f7a80fcd1173ff3db714234e1f1045c30835dd9b",
    ),
    "novel-dsprites_grid_16-without-shape1-scale2": (
        "504ebba7e08cabd3be6b5df2d05a4032d4a12ac0fd3be9cb1487dccc7df2321a",
        "6598ab5e893497460d620e677e2e0a07eaa005c8809ab269171489541390e7fe",
    ),
    "novel-dsprites_grid_16-without-shape1-scale3": (
        "15b59208dceb2302d38235ac4a3260492de767c752e001d1971cf95a2ce9a4fc",
        "2769b9fefbb57b98d485bdc3e31ddb90373705c794dbc3dc54954bd14aa90d2e",
    ),
    "novel-dsprites_grid_16-without-shape2-scale3": (
        "db1e9ad78f111ff87d334d8202ed809ecbe416f637ed2e4a5c2d4588d186563d",
        "5a85c02b7939dd20c3f5b4225f0409091c7c507b5b522ba1dde0867b624f6a77",
    ),
    "novel-dsprites_grid_16-without-shape2-scale5": (
        "d24acf4036a440178f1a0db7be33af236cb502b49af79ee0e0783a379c0e3483",
        "9776ac88c90803d40b3bb0df35895c7fb7ef1f1b0c6da8ed40dff3424c4d8cf8",
    ),
}


@pytest.fixture(params=sorted(SHA256))
def folder(request: pytest.FixtureRequest):
    with as_file(files("dbench_fixtures") / "evidence" / request.param) as path:
        yield path


def test_shipped_evidence_is_whole_and_of_the_profile_it_names(folder):
    table, manifest = load_runs(folder), load_manifest(folder)
    described = manifest["profile"]
    # The profile of that name may be another by now: a table is read by the one it carries.
    sweeps = tuple(
        Sweep(**{**sweep, "data": tuple(sweep["data"]), "constants": tuple(map(tuple, sweep.get("constants", ())))})
        for sweep in described["sweeps"]
    )
    profile = Profile(**{**described, "sweeps": sweeps, "data": tuple(described["data"])})
    assert set(run_keys(table, manifest).values()) == set(profile.runs(data=table["data"].unique()))
    assert set(manifest["scores"]) == set(table["score"])
    assert set(table["status"]) == {"done"}


def test_shipped_evidence_is_the_one_that_was_reviewed(folder):
    manifest = load_manifest(folder)
    assert (manifest["sha256"], manifest["arrays"]["sha256"]) == SHA256[folder.name]


def test_shipped_arrays_are_those_of_the_runs_that_are_done(folder):
    table = load_runs(folder)
    arrays = load_arrays(folder, table, load_manifest(folder))
    assert set(arrays.runs) == set(table["run"])
    cells = arrays.with_rows(table).pivot(index="run", columns="score", values="value")
    for kind in ("importance", "predictability", "mutual_information"):
        matrices = arrays.of_runs[f"relation.{kind}"]
        assert matrices.shape == (len(arrays.runs), 10, 5)
        own = [dci_disentanglement(matrix) for matrix in matrices]
        assert own == pytest.approx(cells.loc[list(arrays.runs), f"blend.{kind}.dci_disentanglement"].tolist())
    informative = (arrays.of_runs["kl.code"] > 0.01).sum(axis=1)
    assert informative.tolist() == cells.loc[list(arrays.runs), "kl.informative"].tolist()


def test_shipped_runs_come_from_clean_code(folder):
    table = load_runs(folder)
    assert not table["commit"].str.contains("dirty").any()


def test_shipped_models_have_learnt_something(folder):
    table = load_runs(folder)
    assert table.loc[table["score"] == "mig", "value"].max() > 0.15


def test_a_shipped_run_starts_as_the_table_says(folder):
    """The cheap part of verification: a changed engine, network or key shows within a hundred steps."""
    comparison = verify_start(folder, seed=11)
    assert comparison["score"].tolist() == ["loss.100", "loss.1000"]
    assert comparison["agrees"].all()
    assert comparison["tested"].iloc[0]
