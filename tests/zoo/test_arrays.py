"""Arrays beside a runs table: they are those of its runs, and damage is noticed."""

import hashlib
from dataclasses import replace

import numpy as np
import pytest

from dbench.errors import DamagedData, InvalidInput
from dbench.zoo.arrays import load_arrays
from dbench.zoo.complete import build_table
from dbench.zoo.table import load_manifest, load_runs


def _arrays(folder):
    return load_arrays(folder, load_runs(folder), load_manifest(folder))


def test_arrays_are_those_of_the_runs_that_are_done_in_the_order_of_the_table(evidence):
    table, arrays = load_runs(evidence), _arrays(evidence)
    done = table[table["status"] == "done"]
    assert list(arrays.runs) == list(dict.fromkeys(done["run"]))
    mig = done[done["score"] == "mig"].set_index("run")["value"]
    assert arrays.of_runs["kl.code"][:, 1] == pytest.approx(10 * mig.loc[list(arrays.runs)].to_numpy())
    assert "kl.code" not in set(table["score"])
    joined = arrays.with_rows(table)
    assert len(joined) == len(table) + 2 * len(arrays.runs)


@pytest.mark.parametrize("size", [0, 10, -10])
def test_truncated_arrays_are_noticed(evidence, forge, size):
    path = evidence / "arrays.safetensors"
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(DamagedData, match="SHA-256"):
        _arrays(evidence)
    promised = load_manifest(evidence)["arrays"]
    forge(evidence, arrays=promised | {"sha256": hashlib.sha256(path.read_bytes()).hexdigest()})
    with pytest.raises(DamagedData, match="not a file of arrays of runs"):
        _arrays(evidence)


def test_missing_arrays_are_named(evidence):
    (evidence / "arrays.safetensors").unlink()
    with pytest.raises(InvalidInput, match=r"arrays\.safetensors"):
        _arrays(evidence)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda a: replace(a, runs=a.runs[::-1]), "done runs of the table in their order"),
        (lambda a: replace(a, runs=a.runs[1:]), "got 6 runs"),
        (lambda a: replace(a, of_runs={"kl.code": a.of_runs["kl.code"][1:]}), r"kl\.code must have 7 runs, got .*6, 2"),
        (lambda a: replace(a, of_runs={"kl.code": a.of_runs["kl.code"] * np.nan}), "finite real numbers"),
        (lambda a: replace(a, agreements={"beta_vae": np.zeros((2, 3), np.float32)}), "must have 4 runs, got shape"),
        (lambda a: replace(a, agreements={"mtd": np.zeros((2, 2), np.float32)}), "must have 0 runs, got shape"),
    ],
)
def test_arrays_that_break_a_rule_are_refused(evidence, forge, change, message):
    data, described = change(_arrays(evidence)).encoded()
    (evidence / "arrays.safetensors").write_bytes(data)
    forge(evidence, arrays=described)
    with pytest.raises(DamagedData, match=message):
        _arrays(evidence)


def test_arrays_of_other_shapes_than_promised_are_refused(evidence, forge):
    forge(evidence, arrays=load_manifest(evidence)["arrays"] | {"shapes": {"kl.code": [7, 3]}})
    with pytest.raises(DamagedData, match=r"kl\.code must have shape \[7, 3\], got \[7, 2\]"):
        _arrays(evidence)


def test_arrays_of_runs_must_have_one_shape(store, tiny, tiny_keys, finish):
    for number, key in enumerate(tiny_keys):
        finish(store, key, scores={"mig": 0.5, "kl.code": [0.0] * (2 + (number == 4))})
    with pytest.raises(InvalidInput, match="arrays of one shape"):
        build_table(store, tiny_keys, tiny)


@pytest.mark.parametrize("name", ["sha256", "shapes"])
@pytest.mark.parametrize("value", [None, 3])
def test_a_manifest_that_promises_nothing_of_its_arrays_is_refused(evidence, forge, name, value):
    promised = load_manifest(evidence)["arrays"] | {name: value}
    if value is None:
        del promised[name]
    forge(evidence, arrays=promised)
    with pytest.raises(DamagedData, match="must hold sha256 and shapes of the arrays"):
        _arrays(evidence)
