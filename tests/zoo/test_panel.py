"""A panel of trained models, and metrics asked of it."""

import json
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner
from safetensors import safe_open
from safetensors.numpy import load_file, save_file

from dbench.cli import main
from dbench.data import load
from dbench.errors import DamagedData, InvalidInput
from dbench.models.stacked import glorot_uniform
from dbench.zoo.engine import network_of
from dbench.zoo.pack import shapes_of
from dbench.zoo.panel import SHIPPED, choose_runs, read_panel, write_panel
from dbench.zoo.profiles import PROFILES
from dbench.zoo.rank import BESIDE, agreement, disagreements, score_panel
from dbench.zoo.table import load_manifest, load_runs, run_keys


@pytest.fixture
def made(trained, short, store, tmp_path):
    """A panel of four models: two strengths, two seeds."""
    trained(store, short)
    write_panel(store, choose_runs(store.contents().keys, 2), tmp_path / "panel.safetensors")
    return tmp_path / "panel.safetensors"


def run(*arguments):
    return CliRunner().invoke(main, list(map(str, arguments)), catch_exceptions=False)


def test_a_panel_encodes_as_the_runs_do_up_to_half_precision(made, store):
    panel = read_panel(made)
    assert list(panel.keys) == sorted(store.contents().keys)
    assert panel.weights.keys() == shapes_of(panel.keys[0]).keys()
    for number, key in enumerate(panel.keys):
        codes = store.tensors(key, "codes")["mean"]
        found = panel.source(number).grid_codes
        assert found.shape == codes.shape
        np.testing.assert_allclose(found, codes, atol=0.01 * np.abs(codes).max())


def test_as_many_seeds_of_every_strength_are_chosen(short):
    keys = replace(short, seeds=5).runs()
    assert [(key.strength, key.seed) for key in choose_runs(keys[::-1], 2)] == [(1, 0), (1, 1), (4, 0), (4, 1)]


def test_a_metric_agrees_with_itself_and_with_its_opposite_not_at_all(made):
    scores = score_panel(read_panel(made), ["mig", "sap[r2]", "gaussian_total_correlation"], observations=1_000)
    assert {len(values) for values in scores.values()} == {4}
    assert (scores["gaussian_total_correlation"] < 0).all()  # of which less is better
    both = {**scores, "opposite": -scores["mig"]}
    assert agreement(both, "mig", "mig").value == pytest.approx(1)
    assert agreement(both, "mig", "opposite").value == pytest.approx(-1)
    worst = disagreements(both, "mig", "opposite", 2)
    assert {(one.rank, one.other) for one in worst} == {(1.0, 4.0), (4.0, 1.0)}


@pytest.fixture
def rank(made, tmp_path, monkeypatch):
    """Call ``dbench rank`` beside two cheap metrics, with metrics of one's own in the current folder."""
    monkeypatch.setattr("dbench.zoo.rank.BESIDE", ("sap[r2]", "mig"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_panel_metrics.py").write_text(
        "import numpy as np\n\n"
        "def loss(codes, factors):\n    return float(np.abs(codes).mean())\n\n"
        "def flat(codes, factors):\n    return 0.5\n\n"
        "def nan(codes, factors):\n    return float('nan')\n"
    )
    return lambda *arguments: run("rank", *arguments, "--panel", made, "--observations", 500).stdout


def test_a_metric_of_ones_own_is_ranked_beside_ours(rank):
    name = "my_panel_metrics:loss"
    shown = rank(name)
    assert "4 models on dsprites_grid_16" in shown
    assert f"{name} with sap[r2]: " in shown
    assert f"Ranked farthest apart by {name} and sap[r2]" in shown
    assert "(4 models are too few for an interval)" in shown
    texts = [rank(name, *more, "--json") for more in ([], ["--less-is-better"])]
    assert "Infinity" not in texts[0]  # the interval of four models has no ends
    one, other = map(json.loads, texts)
    assert one["scores"][name] == [-value for value in other["scores"][name]]
    assert one["scores"]["mig"] == other["scores"]["mig"]
    assert one["agreement"][0]["spearman"] == pytest.approx(-other["agreement"][0]["spearman"])


def test_metrics_named_are_compared_with_each_other_once_and_a_flat_one_with_none(rank):
    name = "my_panel_metrics:flat"
    shown = rank("mig", name, "mig")
    assert f"mig with {name}: not defined, {name} gives every model" in shown
    assert [shown.count(f"  {one} with ") for one in ("mig", name)] == [2, 1]
    assert "apart by my_panel" not in shown
    pairs = json.loads(rank("mig", name, "mig", "--json"))["agreement"]
    assert {pair["spearman"] for pair in pairs if "flat" in pair["with"] + pair["metric"]} == {None}


def test_the_quick_half_is_one_seed_of_each_setting(rank):
    assert rank("mig", "--quick").startswith("2 models on dsprites_grid_16")
    scores, whole = (json.loads(rank("mig", "--json", *more)) for more in (["--quick"], []))
    assert scores["models"] == whole["models"][::2]  # the second of each two is another seed
    assert scores["scores"]["mig"] == whole["scores"]["mig"][::2]


def test_a_metric_that_fails_names_the_model(rank, made):
    with pytest.raises(InvalidInput, match=r"one model's codes and factors, got udr, of models"):
        score_panel(read_panel(made), ["udr"])
    with pytest.raises(InvalidInput, match="my_panel_metrics:nan returned nan, not a finite number on model 0"):
        score_panel(read_panel(made), ["my_panel_metrics:nan"])


def test_every_metric_that_stands_beside_scores_a_panel(made):
    panel = read_panel(made)
    scores = score_panel(panel.take(panel.keys[:1]), BESIDE, observations=200)
    assert all(0 <= value[0] <= 1 for value in scores.values())


def test_zoo_panel_takes_what_is_done(store, finish, tiny, tmp_path, monkeypatch):
    monkeypatch.setitem(PROFILES, "tiny", tiny)
    network = network_of(tiny.runs()[0], load(tiny.data[0]))
    weights = {
        name: values.numpy() for name, values in glorot_uniform(network.shapes, np.random.default_rng(0)).items()
    }
    record = {"data_sha256": load(tiny.data[0]).fingerprint}
    for number, key in enumerate(tiny.runs()):
        tensors = {"weights": weights} if number else {}
        store.save(key, status="done" if number else "diverged", tensors=tensors, record=record)
    arguments = ["zoo", "panel", "--profile", "tiny", "--store", store.url, "--each", 1, "--out", tmp_path / "p"]
    assert run(*arguments).output.startswith("4 models")
    finish(store, tiny.runs()[-1])  # with weights of no network
    refused = run(*arguments, "--each", 2)
    assert (refused.exit_code, "must hold encoder.0.weight of shape (256, 64), got None" in refused.stderr) == (2, True)
    finish(store, tiny.runs()[-1], data_sha256="cd" * 32)
    refused = run(*arguments, "--each", 2)
    assert (refused.exit_code, "trained on another version of dsprites_grid_16" in refused.stderr) == (2, True)


@pytest.mark.parametrize(
    ("models", "change", "message"),
    [
        (4, None, "cannot be read as a panel"),
        (1, {}, "must hold encoder.0.weight of shape"),
        (4, {"data_sha256": "0"}, "trained on another version of dsprites_grid_16"),
        (4, {"schema": 2}, "must be a panel of schema 1, got 2"),
        (4, {"keys": [[1]]}, "cannot be read as a panel"),
    ],
)
def test_a_panel_that_breaks_a_rule_is_refused(made, tmp_path, models, change, message):
    with safe_open(made, framework="numpy") as file:
        header = json.loads(file.metadata()["panel"])
    weights = {name: values[:models] for name, values in load_file(made).items()}
    save_file(weights, tmp_path / "p", metadata=None if change is None else {"panel": json.dumps(header | change)})
    with pytest.raises(DamagedData, match=message):
        read_panel(tmp_path / "p")


def test_what_is_no_panel_is_refused(tmp_path, store, short):
    (tmp_path / "text").write_text("no panel")
    with pytest.raises(DamagedData, match="cannot be read as a panel"):
        read_panel(tmp_path / "text")
    with pytest.raises(InvalidInput, match="panel must be a file that dbench zoo panel wrote"):
        read_panel(tmp_path / "none")
    with pytest.raises(InvalidInput, match="at least one finished run, got none"):
        write_panel(store, [], tmp_path / "p")
    own = [replace(key, data="os:abort") for key in short.runs()[:1]]
    with pytest.raises(InvalidInput, match="of data sets that dbench knows, got os:abort"):
        write_panel(store, own, tmp_path / "p")
    header = {"keys": [key.axes for key in own], "schema": 1}
    save_file({"w": np.zeros(1)}, tmp_path / "p", metadata={"panel": json.dumps(header)})
    with pytest.raises(DamagedData, match="os:abort, which is code"):
        read_panel(tmp_path / "p")
    others = [replace(key, data="dsprites_grid_32") for key in short.runs()[:1]]
    with pytest.raises(InvalidInput, match="must be of one data set and network"):
        write_panel(store, [*short.runs()[:1], *others], tmp_path / "p")
    header = {"keys": [key.axes for key in [*short.runs()[:1], *others]], "schema": 1}
    save_file({"w": np.zeros(1)}, tmp_path / "p", metadata={"panel": json.dumps(header)})
    with pytest.raises(DamagedData, match="must be of one data set and network"):
        read_panel(tmp_path / "p")


def test_the_shipped_panel_is_of_the_shipped_runs_and_of_every_objective_and_strength():
    panel = read_panel(SHIPPED)
    table = SHIPPED.parent / "evidence" / "micro-dsprites_grid_16"
    micro = set(run_keys(load_runs(table), load_manifest(table)).values())
    assert set(panel.keys) <= micro
    assert {(key.objective, key.strength) for key in panel.keys} == {(key.objective, key.strength) for key in micro}
    assert len(panel.keys) == 72
    # A model that learned keeps some codes and lets others go.
    spread = panel.source(0).grid_codes.std(axis=0)
    assert spread.max() > 0.5
