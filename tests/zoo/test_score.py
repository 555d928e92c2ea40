import re
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dbench import seeds
from dbench.data import load
from dbench.errors import DamagedData, InvalidInput, UnknownName
from dbench.metrics.blend import AGGREGATIONS
from dbench.zoo import scorers
from dbench.zoo.arrays import AGREEMENTS, cells
from dbench.zoo.complete import build_table
from dbench.zoo.population import _compare, score_population
from dbench.zoo.score import score_one, score_runs
from dbench.zoo.scorers import EncodedRun
from dbench.zoo.survey import survey

KINDS = ("mutual_information", "importance", "predictability")
OF_THE_STUDY = ("beta_vae_metric", "factor_vae", "mig", "dci", "modularity", "sap", "irs")
EXPECTED = {
    *("elbo", "elbo.as_trained", "reconstruction", "reconstruction.as_trained", "kl", "kl.informative", "kl.code"),
    *("gaussian_tc.mean", "gaussian_tc.sampled", "gaussian_tc.mean.active", "gaussian_tc.sampled.active"),
    *("loss.100", "factor_vae", "mig", "dci", "dci.completeness", "dci.informativeness", "sap", "snc", "nk"),
    *("alignment.collisions", "beta_vae_metric", "modularity", "explicitness", "irs", "med", "sap.r2"),
    *("mutual_information.mean", "mutual_information.sampled", "linear_accuracy", "mlp_accuracy"),
    *(f"{name}.factor" for name in ("snc", "nk", "mlp_accuracy", "linear_accuracy")),
    *(f"relation.{kind}" for kind in (*KINDS, "importance_single")),
    *(f"blend.{kind}.{name}" for kind in KINDS for name in AGGREGATIONS),
    *(f"downstream.logistic.{n}" for n in (10, 100, 200)),
    *("downstream.trees.3", "downstream.trees.6", "efficiency.logistic.100"),
    *(f"{stream}.{name}" for stream in ("again", "small", "small_again") for name in OF_THE_STUDY),
    *(f"irs.{name}" for name in ("code", "one_nuisance", "mean")),
    *("modularity.bins.30", "modularity.bins.50", "modularity.bins.100", "dci.single.informativeness"),
    *(f"modularity.bins.{bins}.active" for bins in (20, 30, 50, 100)),
}


@pytest.fixture
def run(store, short, trained, small_samples):
    """A trained run of which small samples are scored."""
    trained(store, short)
    return short.runs()[0]


def _scores(store, key):
    return store.read_document("scores", key=key)["scores"]


def test_a_run_is_scored_on_everything_and_twice_the_same(store, run):
    spent = score_one(store, run)
    assert set(spent) == set(scorers.SCORERS)
    first = _scores(store, run)
    assert set(first) == EXPECTED
    assert np.isfinite(list(cells(first).values())).all()
    assert first["kl.informative"] == sum(nats > 0.01 for nats in first["kl.code"])
    assert sum(first["kl.code"]) == pytest.approx(first["kl"], rel=1e-4)
    assert score_one(store, run) == {}
    # That the others give the same again is seen where they are held against their metrics.
    again = {"posterior", "gaussian_tc", "factor_vae", "snc", "relations", "interventions"}
    assert set(score_one(store, run, again=again)) == again
    assert _scores(store, run) == first


def test_a_new_scorer_is_added_without_computing_the_others(store, run, monkeypatch):
    monkeypatch.setattr(scorers, "SCORERS", {"mig": scorers.SCORERS["mig"]})
    score_one(store, run)
    monkeypatch.setitem(scorers.SCORERS, "seed", lambda encoded: {"seed": float(encoded.key.seed)})
    assert set(score_one(store, run)) == {"seed"}
    assert set(_scores(store, run)) == {"mig", "alignment.collisions", "seed"}
    assert set(score_one(store, run, again=["mig"])) == {"mig"}
    with pytest.raises(UnknownName, match="did you mean 'mig'"):
        score_runs(store, [run], again=["migg"])
    with pytest.raises(InvalidInput, match="no group that is left for a later call, got mig"):
        score_runs(store, [run], again=["mig"], without=["mig"])
    monkeypatch.setitem(scorers.SCORERS, "seed", lambda encoded: {"seed": np.nan, "axes": [1.0, np.inf]})
    with pytest.raises(DamagedData, match=r"scores of run .* must be finite, got others for axes, seed"):
        score_one(store, run, again=["seed"])
    # What is not true any more does not stay; the rest does.
    assert set(_scores(store, run)) == {"mig", "alignment.collisions"}
    assert survey(store, [run])[run.data, run.objective, run.strength]["partly scored"] == 1


def test_a_score_that_cannot_be_computed_loses_no_other(store, run, monkeypatch):
    def impossible(_):
        raise InvalidInput("every factor must take at least 2 values, got one value only for c")

    monkeypatch.setattr(scorers, "SCORERS", {"a": lambda _: {"a": 1.0}, "b": impossible, "c": lambda _: {"c": 3.0}})
    with pytest.raises(InvalidInput, match=r"must have every score, got none for b: every factor .* only for c"):
        score_one(store, run)
    assert _scores(store, run) == {"a": 1.0, "c": 3.0}


def test_groups_can_be_left_for_later_and_those_of_another_version_are_computed_again(
    store, run, monkeypatch, in_process
):
    monkeypatch.setattr(scorers, "SCORERS", {name: scorers.SCORERS[name] for name in ("posterior", "mig")})
    monkeypatch.setattr(scorers, "VERSIONS", {})
    assert set(score_one(store, run, without=["mig"])) == {"posterior"}
    assert "mig" not in _scores(store, run)
    assert score_runs(store, [run], workers=1, without=["mig"]).present == 1
    assert set(score_one(store, run)) == {"mig"}
    document = store.read_document("scores", key=run)
    del document["versions"]  # as it was stored before groups had versions
    store.write_document("scores", document, key=run)
    assert score_one(store, run) == {}
    monkeypatch.setitem(scorers.SCORERS, "mig", lambda encoded: {"mig": 2.0})
    monkeypatch.setitem(scorers.VERSIONS, "mig", 2)
    assert set(score_one(store, run)) == {"mig"}
    # The new version of a group may have other scores; those of the old are gone.
    assert _scores(store, run)["mig"] == 2
    assert "alignment.collisions" not in _scores(store, run)
    assert score_runs(store, [run], workers=1).present == 1
    monkeypatch.setitem(scorers.VERSIONS, "mig", 3)
    assert score_runs(store, [run], without=["mig"]).present == 0
    assert "mig" not in _scores(store, run)  # none rather than one that looks like the present


def test_a_damaged_run_or_score_is_never_used(store, run, monkeypatch):
    monkeypatch.setattr(scorers, "SCORERS", {"mig": scorers.SCORERS["mig"]})
    score_one(store, run)
    before = _scores(store, run)
    folder = Path(store.url) / "runs" / run.digest
    text = (folder / "scores.json").read_text()
    (folder / "scores.json").write_text(text.replace(str(before["mig"]), "0.99"))
    assert set(score_one(store, run)) == {"mig"}
    assert _scores(store, run) == before
    codes = bytearray((folder / "codes.safetensors").read_bytes())
    codes[-1] ^= 1
    (folder / "codes.safetensors").write_bytes(codes)
    with pytest.raises(DamagedData, match="checksum"):
        score_one(store, run, again=["mig"])
    with pytest.raises(DamagedData, match="not done"):
        score_one(store, replace(run, seed=77))


def _codes(mean, logvar):
    return {"mean": mean.astype(np.float32), "logvar": np.full(mean.shape, logvar, np.float32)}


def test_sampled_codes_spread_around_their_means(key):
    data = load(key.data)
    encoded = EncodedRun.of(key, data, _codes(np.zeros((len(data.grid()), 2)), np.log(0.25)), {})
    assert encoded.sampled.codes.shape == (10_000, 2)
    assert encoded.sampled.codes.std() == pytest.approx(0.5, abs=0.01)
    np.testing.assert_array_equal(encoded.train.factors, encoded.sample.factors[:10_000])


def test_models_are_compared_within_their_strength_and_within_their_objective(store, tiny, monkeypatch, in_process):
    generator = np.random.default_rng(5)
    true = generator.standard_normal((600, 3))
    many, few = replace(tiny, sweeps=tiny.sweeps[:1], seeds=3).runs(), replace(tiny, sweeps=tiny.sweeps[1:]).runs()
    keys = [*many, *few]
    for number, key in enumerate(keys):
        noise = 0.05 if key.strength == 1 else 3.0
        codes = true[:, generator.permutation(3)] + noise * generator.standard_normal((600, 3))
        store.save(key, status="done", tensors={"codes": _codes(codes, -4.0 + number * 1e-3)}, record={"scores": {}})
    found = score_population(store, keys)
    assert set(found) == {key.digest for key in keys}
    close, far = (np.mean([found[key.digest]["udr.lasso"] for key in many if key.strength == s]) for s in (1, 4))
    assert close > 0.8 > far + 0.2
    for key in keys:
        kinds = {f"udr.{relation}{by}" for relation in ("lasso", "spearman") for by in ("", ".entropy")}
        kinds |= {f"{kind}.all" for kind in kinds}
        assert set(found[key.digest]) == kinds | {AGREEMENTS}
    # The comparisons one by one, in the order of strengths and seeds, give the medians.
    for own in (many, few):
        assert own == sorted(own, key=lambda key: (key.strength, key.seed))
        for i, key in enumerate(own):
            one_by_one = np.array(found[key.digest][AGREEMENTS])
            alike = np.array([other.strength == key.strength and other != key for other in own])
            assert found[key.digest]["udr.lasso"] == np.median(one_by_one[alike])
            assert found[key.digest]["udr.lasso.all"] == np.median(np.delete(one_by_one, i))
    # The second time nothing is computed.
    monkeypatch.setattr("dbench.zoo.population._compare", lambda *_: pytest.fail("computed again"))
    assert score_population(store, keys) == found


def test_a_code_is_informative_over_the_whole_grid_and_not_over_the_points_compared(store, tiny, channel, monkeypatch):
    monkeypatch.setattr("dbench.zoo.population.POINTS", 100)
    keys, asked = tiny.runs()[:2], []
    points = seeds.generator(purpose="udr", data=keys[0].data).integers(5_000, size=100)
    mean = np.random.default_rng(0).standard_normal((5_000, 2))
    mean[:, 1] = np.where(np.isin(np.arange(5_000), points), 0.0, 1.0)
    for key in keys:
        codes = {"mean": mean, "logvar": np.zeros((5_000, 2))}
        store.save(key, status="done", tensors={"codes": codes}, record={"scores": {}})

    def agreements(stack, flags, **_):
        assert not stack[:, :, 1].any()  # at the points compared the second code is idle
        asked.append(flags.tolist())
        return np.zeros((2, 2, 2))

    monkeypatch.setattr(sys.modules["dbench.metrics.udr"], "agreements_by", agreements)
    _compare(channel(), (store.url, tuple(keys), "spearman", "populations/udr"))
    assert asked == [[[True, True]] * 2]


def test_a_run_left_alone_by_divergence_leaves_all_without_udr(store, tiny_keys, finish):
    finish(store, tiny_keys[0], status="diverged")
    finish(store, *tiny_keys[1:])
    assert score_population(store, tiny_keys, workers=1) == {}


def test_a_cell_that_diverged_altogether_stops_no_other(store, tiny, tiny_keys, finish, in_process):
    finish(store, *tiny_keys[:2], status="diverged")
    finish(store, *tiny_keys[2:], scores={"mig": 0.1})
    population = score_population(store, tiny_keys)
    assert set(population) == {key.digest for key in tiny_keys[2:]}
    table, _ = build_table(store, tiny_keys, tiny, population)
    done = table[table["status"] == "done"]
    assert {"udr.lasso", "udr.spearman.all"} < set(done["score"])
    assert np.isfinite(done["value"]).all()


def test_untrained_runs_are_counted_and_left_out(store, tiny_keys):
    summary = score_runs(store, tiny_keys, workers=1)
    assert (summary.done, summary.present, summary.others["missing"]) == (0, 0, 8)
    assert "8 are not trained yet" in str(summary)


def test_a_run_that_another_process_holds_is_counted(store, run, in_process):
    with store.claim([run]):
        summary = score_runs(store, [run])
    assert (summary.done, summary.others["elsewhere"]) == (0, 1)
    assert "1 are held or were finished by other processes" in str(summary)


def test_the_summary_names_what_each_group_cost_the_slowest_first(store, run, monkeypatch, in_process):
    monkeypatch.setattr(scorers, "SCORERS", {"quick": lambda _: {}, "slow": lambda _: time.sleep(0.1) or {}})
    summary = score_runs(store, [run])
    assert re.fullmatch(r"seconds a run: 0\.\d\d \(slow 0\.\d\d, quick 0\.00\)", str(summary).splitlines()[1])
    assert len(str(score_runs(store, [run])).splitlines()) == 1


@pytest.mark.parametrize(("again", "then"), [((), "goes on"), (("posterior",), "begins again")])
def test_a_stopped_call_says_what_the_same_command_does(store, tiny_keys, finish, monkeypatch, in_process, again, then):
    def stop(*_, **__):
        raise KeyboardInterrupt

    finish(store, *tiny_keys[:2])
    monkeypatch.setattr("dbench.zoo.score.score_one", stop)
    summary = score_runs(store, tiny_keys[:2], again=again)
    assert summary.cancelled
    assert f"2 are left (the same command {then})" in str(summary)
