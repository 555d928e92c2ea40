"""Arrays beside a runs table: they are those of its runs; and what is missing or cut off of either is noticed."""

from dataclasses import replace

import numpy as np
import pytest

from dbench.errors import DamagedData, InvalidInput
from dbench.zoo.arrays import load_arrays
from dbench.zoo.table import load_manifest, load_runs


def _arrays(folder):
    return load_arrays(folder, load_runs(folder), load_manifest(folder))


def test_arrays_are_those_of_the_runs_that_are_done_in_the_order_of_the_table(evidence):
    table, arrays = load_runs(evidence), _arrays(evidence)
    done = table[table["status"] == "done"]
    assert list(arrays.runs) == list(dict.fromkeys(done["run"]))
    mig = done[done["score"] == "mig"].set_index("run")["value"]
    assert arrays.of_runs["kl.code"][:, 1] == pytest.approx(10 * mig.loc[list(arrays.runs)].to_numpy())
    assert set(table["score"]) == {"mig", "dci"}
    joined = arrays.with_rows(table)
    assert len(joined) == len(table) + 2 * len(arrays.runs)
    numbers = {"beta_tcvae": np.arange(3), "beta_vae": np.arange(4, 8)}
    assert arrays.agreements.keys() == numbers.keys()
    for objective, own in numbers.items():
        np.testing.assert_array_equal(arrays.agreements[objective], np.subtract.outer(own, own))


@pytest.mark.parametrize("size", [0, 10, -10])
@pytest.mark.parametrize(
    ("name", "message"),
    [("arrays.safetensors", "cannot be read as arrays of runs"), ("runs.parquet", "cannot be read as a Parquet table")],
)
def test_a_truncated_file_is_noticed_even_with_a_new_checksum(evidence, forge, name, message, size):
    path = evidence / name
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(DamagedData, match="SHA-256"):
        _arrays(evidence)
    forge(evidence)
    with pytest.raises(DamagedData, match=message):
        _arrays(evidence)


@pytest.mark.parametrize("name", ["runs.parquet", "manifest.json", "arrays.safetensors"])
def test_a_missing_file_is_named(evidence, name):
    (evidence / name).unlink()
    with pytest.raises(InvalidInput, match=name):
        _arrays(evidence)


def _apart(parts):
    return np.where(np.equal.outer(parts, parts), 1, np.nan).astype(np.float32)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda a: replace(a, runs=a.runs[::-1]), "done runs of the table in their order"),
        (lambda a: replace(a, runs=a.runs[1:]), "got 6 runs"),
        (lambda a: replace(a, of_runs={"kl.code": a.of_runs["kl.code"][1:]}), r"kl\.code must have 7 runs, got .*6, 2"),
        (lambda a: replace(a, of_runs={"kl.code": a.of_runs["kl.code"] + np.inf}), "finite real numbers"),
        (
            lambda a: replace(a, of_runs={"kl.code": a.of_runs["kl.code"] * np.nan}),
            "for all done runs of some .*100% missing",
        ),
        (lambda a: replace(a, of_runs={"kl.code": np.r_[[[np.nan, 1]], np.ones((6, 2))]}), "got 7% missing"),
        (lambda a: replace(a, agreements={"beta_vae": np.zeros((4, 3), np.float32)}), "must have 4 runs, got shape"),
        (
            lambda a: replace(a, agreements={"beta_vae": np.diag([1.0, 1, 1, np.nan]).astype("f")}),
            "of some seeds, .* 6%",
        ),
        (lambda a: replace(a, agreements={"beta_vae": np.diag([np.nan] * 4).astype("f")}), "of some seeds, .* 25%"),
        (lambda a: replace(a, agreements={"beta_vae": _apart([0, 0, 1, 1])}), "of some seeds, .* 50% missing"),
        (
            lambda a: replace(a, agreements={"mtd": np.zeros((2, 2), np.float32)}),
            "of an objective with done runs",
        ),
    ],
)
def test_arrays_that_break_a_rule_are_refused(evidence, forge, change, message):
    data, described = change(_arrays(evidence)).encoded()
    (evidence / "arrays.safetensors").write_bytes(data)
    forge(evidence, arrays=described)
    with pytest.raises(DamagedData, match=message):
        _arrays(evidence)


@pytest.mark.parametrize(
    ("promised", "message"),
    [
        ({"shapes": {"kl.code": [7, 3]}}, r"kl\.code must have shape \[7, 3\], got \[7, 2\]"),
        *(({name: value}, "not a manifest of this version: ") for name in ("sha256", "shapes") for value in (None, 3)),
    ],
)
def test_arrays_of_which_a_manifest_promises_others_or_nothing_are_refused(evidence, forge, promised, message):
    arrays = load_manifest(evidence)["arrays"] | promised
    forge(evidence, arrays={name: value for name, value in arrays.items() if value is not None})
    with pytest.raises(DamagedData, match=message):
        _arrays(evidence)
