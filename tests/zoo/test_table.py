from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dbench.errors import DamagedData, DbenchError, InvalidInput
from dbench.estimates.evidence import load_population
from dbench.zoo.complete import build_table, read_rules, write_population_table, write_table
from dbench.zoo.profiles import Sweep
from dbench.zoo.table import COLUMNS, load_manifest, load_runs, run_keys


@pytest.fixture
def rewrite(evidence, forge):
    def write(change):
        path = evidence / "runs.parquet"
        table = change(pq.read_table(path).to_pandas())
        pq.write_table(pa.Table.from_pandas(table, preserve_index=False), path)
        forge(evidence)

    return write


def test_a_table_comes_back_as_it_was_written_and_diverged_runs_stay_in_without_values(evidence, tiny_keys):
    table = load_runs(evidence)
    assert list(table.columns) == list(COLUMNS)
    assert len(table) == 2 * len(tiny_keys)
    assert set(table["run"]) == {key.digest for key in tiny_keys}
    assert table["strength"].dtype == np.float64
    diverged = table[table["status"] == "diverged"]
    assert len(diverged) == 2
    assert diverged["value"].isna().all()
    assert table[table["status"] == "done"]["value"].notna().all()


def test_the_same_store_gives_the_same_bytes(eight_runs, tiny, tiny_keys, tmp_path):
    store, folder = eight_runs
    again = write_table(tmp_path, build_table(store, tiny_keys[::-1], tiny)[0], tiny)
    assert again.read_bytes() == (folder / "runs.parquet").read_bytes()


def test_the_manifest_is_renamed_last_when_all_is_written(store, tiny, tiny_keys, finish, tmp_path, renames):
    finish(store, *tiny_keys, scores={"mig": 0.1})
    renames.clear()
    write_table(tmp_path / "table", build_table(store, tiny_keys, tiny)[0], tiny)
    assert renames == [("runs.parquet", 3), ("arrays.safetensors", 2), ("manifest.json", 1)]


def test_population_scores_join_the_table(store, tiny, tiny_keys, finish):
    finish(store, *tiny_keys, scores={"mig": 0.1})
    udr = {key.digest: {"udr.lasso": 0.25} for key in tiny_keys}
    table, _ = build_table(store, tiny_keys, tiny, udr)
    assert set(table["score"]) == {"mig", "udr.lasso"}
    del udr[tiny_keys[2].digest]
    with pytest.raises(InvalidInput, match=r"lacks the scores udr\.lasso"):
        build_table(store, tiny_keys, tiny, udr)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"codes": "0" * 64}, InvalidInput, "not scored yet"),
        ({"scores": {}}, DamagedData, "the scores of run .* must hold at least one number"),
        ({"scores": {"kl.code": [0.5]}}, DamagedData, "the scores of run .* must hold at least one number"),
        ({"scores": {"mig": "high"}}, DamagedData, "the scores of run .* must be numbers or arrays"),
        ({"scores": ["mig"]}, DamagedData, "the scores of run .* must be numbers or arrays"),
    ],
)
def test_scores_of_other_codes_or_without_a_number_are_refused(store, tiny, key, finish, change, error, message):
    finish(store, key, scores={"mig": 0.5})
    store.write_document("scores", store.read_document("scores", key=key) | change, key=key)
    with pytest.raises(error, match=message):
        build_table(store, [key], tiny)


def test_text_that_is_not_utf_8_is_refused(evidence, forge):
    path = evidence / "runs.parquet"
    table = pq.read_table(path)
    texts = table["commit"].cast(pa.binary()).to_pylist()
    spoilt = pa.array([b"\x8f" + texts[0][1:], *texts[1:]], pa.binary()).cast(pa.string(), safe=False)
    pq.write_table(table.set_column(table.schema.get_field_index("commit"), "commit", spoilt), path)
    forge(evidence)
    with pytest.raises(DamagedData, match=r"cannot be read as a Parquet table: .*UTF8"):
        load_runs(evidence)


@pytest.mark.parametrize("column", COLUMNS)
def test_a_missing_column_is_noticed(evidence, rewrite, column):
    rewrite(lambda table: table.drop(columns=column))
    with pytest.raises(DamagedData, match=f"lacks the columns {column}"):
        load_runs(evidence)


@pytest.mark.parametrize("column", ["strength", "seed", "objective", "steps", "network", "data"])
def test_an_edited_axis_is_noticed_even_with_a_new_checksum(evidence, rewrite, column):
    def edit(table):
        rows = table["run"] == table["run"].iloc[0]
        first = table.loc[rows, column].iloc[0]
        table.loc[rows, column] = first + "x" if isinstance(first, str) else first + 1
        return table

    rewrite(edit)
    with pytest.raises(DamagedData, match="does not match its axes"):
        load_runs(evidence)


def test_constants_and_the_factor_are_those_of_the_manifests_profile(store, tiny, finish, tmp_path):
    here, there = tiny.data[0], "color_dsprites_grid_16"
    ours = Sweep("annealed_vae", (4,), data=(here,), constants=(("gamma", 12.5),), learning_rate=1e-4)
    sweeps = (replace(ours, data=(there,), constants=(("gamma", 9.0),)), ours, *tiny.sweeps)
    profile = replace(tiny, data=(here, there), sweeps=sweeps, likelihood_factor=16.0)
    finish(store, *profile.runs(), scores={"mig": 0.5})
    write_table(tmp_path, build_table(store, profile.runs(), profile)[0], profile)
    assert load_manifest(tmp_path)["profile"]["likelihood_factor"] == 16
    assert set(run_keys(load_runs(tmp_path), load_manifest(tmp_path)).values()) == set(profile.runs())
    manifest = tmp_path / "manifest.json"
    manifest.write_text(manifest.read_text().replace("12.5", "1000.0"))
    with pytest.raises(DamagedData, match="does not match its axes, which give annealed_vae 4 gamma=1000 "):
        load_runs(tmp_path)


def test_slow_scores_of_some_seeds_make_a_table_without_those_of_the_others(store, tiny, tiny_keys, finish, tmp_path):
    few = {"mig": 0.5, "kl.code": [0.5, 1.0]}
    for key in tiny_keys:
        finish(store, key, scores=few if key.seed else few | {"nk": 0.25, "nk.factor": [0.0, 0.5]})
    table, arrays = build_table(store, tiny_keys, tiny)
    write_table(tmp_path, table, tiny, arrays=arrays)
    population = load_population(tmp_path)
    assert len(population.scores("mig", "beta_vae")) == 2
    assert population.having("nk").seeds().tolist() == population.having("nk.factor").seeds().tolist() == [0]
    lone = tiny_keys[-1]
    finish(store, lone, scores=few | {"nk": 0.25})
    with pytest.raises(InvalidInput, match=r"lacks the scores nk, which others of its seed have"):
        build_table(store, tiny_keys, tiny)


def _with(column, value, rows=1):
    def change(table):
        if isinstance(value, type):
            return table.astype({column: value})
        done = table.index[table["status"] == "done"]
        table.loc[done[:rows], column] = value
        return table

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_with("value", np.nan), "there for all done runs of some seeds, and for none of the others"),
        (_with("value", np.nan, 99), "dci must be there .* got 100% missing"),
        (_with("value", np.inf), "finite where the run is done"),
        (_with("status", "finished", 2), "status must be done or diverged"),
        (_with("status", "diverged"), "rows of one run must agree"),
        (_with("status", "diverged", 2), "finite where the run is done"),
        (_with("seed", float), "column seed must hold int64"),
        (_with("value", str), "column value must hold float64"),
        (_with("commit", None), "column commit must be filled"),
        (lambda table: pd.concat([table.iloc[1:], table.iloc[-1:]]), "1 repeated"),
        (lambda table: table.iloc[1:], "each of 2 scores for each of 8 runs, 16 rows, got 15"),
        (_with("score", "nk"), "8 runs, got 8 runs, 3 scores and 16 rows"),
        (lambda table: table.assign(extra=1), "no runs table has: extra"),
    ],
)
def test_a_table_that_breaks_a_rule_is_refused(evidence, rewrite, change, message):
    rewrite(change)
    with pytest.raises(DamagedData, match=message):
        load_runs(evidence)


NO_MANIFEST = r"not a manifest of this version: \$"


@pytest.mark.parametrize(
    ("promised", "message"),
    [
        ({"key_schema": 2}, "keys of schema 2"),
        ({"runs": 0, "scores": []}, rf"{NO_MANIFEST}\.runs 0 is less than"),
        *(({"rules": rules}, rf"{NO_MANIFEST}\.rules") for rules in (["mine / zoo"], None, {"mine / zoo": 5})),
        ({"schema": 7}, NO_MANIFEST),
        ({"score_versions": [3]}, rf"{NO_MANIFEST}\.score_versions \[3\] is not of type"),
    ],
)
def test_a_manifest_that_breaks_a_rule_is_refused(evidence, forge, promised, message):
    forge(evidence, **promised)
    with pytest.raises(DamagedData, match=message):
        load_runs(evidence)


@pytest.mark.parametrize("text", ["{", "[]", '{"schema": 2}'])
def test_what_is_no_manifest_is_refused(evidence, text):
    (evidence / "manifest.json").write_text(text)
    with pytest.raises(DamagedData, match=r"manifest\.json"):
        load_runs(evidence)


@pytest.mark.parametrize("name", ["arrays.safetensors", "manifest.json"])
def test_a_table_that_cannot_be_written_whole_leaves_the_earlier_one(evidence, tiny, monkeypatch, name):
    def full(path, data, write=Path.write_bytes):
        if name in path.name:
            raise OSError(28, "No space left on device")
        return write(path, data)

    before = load_runs(evidence)
    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(DbenchError, match=r"out must be a folder that can be written, .*No space left on device"):
        write_table(evidence, before.assign(value=before["value"] / 2), tiny)
    pd.testing.assert_frame_equal(load_runs(evidence), before)


def test_a_stopped_training_is_not_scored_for_the_table(monkeypatch, tmp_path, tiny):
    monkeypatch.setattr("dbench.zoo.complete.train_runs", lambda *_, **__: SimpleNamespace(cancelled=True))
    monkeypatch.setattr("dbench.zoo.complete.score_runs", lambda *_, **__: pytest.fail("went on after it was stopped"))
    with pytest.raises(DbenchError, match="stopped before the runs of profile tiny were complete"):
        write_population_table(tiny, tmp_path)


def test_a_table_of_diverged_runs_alone_keeps_them(store, tiny, tiny_keys, finish, tmp_path):
    finish(store, *tiny_keys, status="diverged")
    write_table(tmp_path / "table", build_table(store, tiny_keys, tiny)[0], tiny)
    table = load_runs(tmp_path / "table")
    assert set(table["run"]) == {key.digest for key in tiny_keys}
    assert table["value"].isna().all()


def test_two_data_sets_make_no_table(store, tiny, tiny_keys, finish, tmp_path):
    keys = [*tiny_keys, replace(tiny_keys[0], data="dsprites")]
    finish(store, *keys, scores={"mig": 0.5})
    write_table(tmp_path / "both", build_table(store, keys, tiny)[0], tiny)
    with pytest.raises(DamagedData, match="runs of one data set, got dsprites, dsprites_grid_16"):
        load_runs(tmp_path / "both")


def test_a_run_that_was_interrupted_is_of_no_table(store, tiny, tiny_keys, finish):
    finish(store, *tiny_keys[1:])
    finish(store, tiny_keys[0], status="interrupted")
    with pytest.raises(InvalidInput, match="is not trained to its end; run dbench zoo train first"):
        build_table(store, tiny_keys, tiny)


@pytest.mark.parametrize("content", ["", "[]", '{"cards": {"a": 1}}', '{"cards": {"a": {"hash": 2}}}', "{}"])
def test_rules_that_were_not_frozen_are_refused(tmp_path, content):
    (tmp_path / "rules.json").write_text(content)
    with pytest.raises(InvalidInput, match=r"^rules must "):
        read_rules(tmp_path / "rules.json")
    with pytest.raises(InvalidInput, match=r"^rules must be what .* got .*none\.json"):
        read_rules(tmp_path / "none.json")


def test_a_table_of_a_part_of_the_seeds_or_of_others_says_so(store, tiny, finish, tmp_path):
    said = ("1 instead of the 2 seeds that the profile has",)
    for seeds, notes in (((0,), said), ((7,), said), ((0, 1), ())):  # of 7 "1 of the 2" would not be true
        part = tiny.runs(seeds=seeds)
        finish(store, *part, scores={"mig": 0.5})
        write_table(tmp_path / "t", build_table(store, part, tiny)[0], tiny)
        assert load_population(tmp_path / "t").deviations == notes
