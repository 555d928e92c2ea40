import pytest

from dbench.estimates.evidence import evidence_folders
from dbench.metrics import dci_disentanglement
from dbench.zoo.arrays import load_arrays
from dbench.zoo.profiles import Profile, Sweep
from dbench.zoo.table import load_manifest, load_runs, run_keys
from dbench.zoo.verify import verify_start


@pytest.fixture(scope="module", params=evidence_folders(), ids=lambda folder: folder.name)
def folder(request):
    return request.param


def test_shipped_evidence_is_whole_of_clean_code_and_of_the_profile_it_names(folder):
    table, manifest = load_runs(folder), load_manifest(folder)
    described = manifest["profile"]
    # The profile of that name may be another by now: a table is read by the one it carries.
    sweeps = tuple(
        Sweep(**{**sweep, "data": tuple(sweep["data"]), "constants": tuple(map(tuple, sweep.get("constants", ())))})
        for sweep in described["sweeps"]
    )
    profile = Profile(**{**described, "sweeps": sweeps, "data": tuple(described["data"])})
    planned = profile.runs(data=set(table["data"]), seeds=set(table["seed"]))
    assert set(run_keys(table, manifest).values()) == set(planned)
    assert set(manifest["scores"]) == set(table["score"])
    assert set(table["status"]) == {"done"}
    assert not any("dirty" in commit for commit in table["commit"].unique())
    learnt = 0.1 if "scream" in folder.name else 0.2  # of 1, chance being 0; the best Scream model has 0.14
    of_score = {score: rows.set_index("run")["value"] for score, rows in table.groupby("score")}
    assert of_score["linear_accuracy"].max() > learnt
    # The arrays are those of the same runs.
    arrays = load_arrays(folder, table, manifest)
    runs = list(arrays.runs)
    for kind in ("importance", "predictability", "mutual_information"):
        matrices = arrays.of_runs[f"relation.{kind}"]
        assert matrices.shape == (table["run"].nunique(), 10, 5)
        some = range(0, len(runs), 7)
        own = [dci_disentanglement(matrices[i]) for i in some]
        assert own == pytest.approx(of_score[f"blend.{kind}.dci_disentanglement"].loc[[runs[i] for i in some]].tolist())
    informative = (arrays.of_runs["kl.code"] > 0.01).sum(axis=1)
    assert informative.tolist() == of_score["kl.informative"].loc[runs].tolist()


@pytest.mark.nightly
def test_a_shipped_run_starts_as_the_table_says(folder):
    """The cheap part of verification: a changed engine, network or key shows within a hundred steps."""
    comparison = verify_start(folder, seed=11)
    assert comparison["score"].tolist() == ["loss.100", "loss.1000"]
    assert comparison["result"].iloc[0] in ("same", "agrees")
    assert comparison["result"].iloc[1] != "differs"
