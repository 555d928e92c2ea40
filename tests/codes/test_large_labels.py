"""Whole labels stay what they are, however large: identifiers, hashes, nanoseconds."""

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from numpy.typing import NDArray

from dbench.codes import Sample
from dbench.codes.arrays import read_arrays
from dbench.codes.factors import FactorTypes
from dbench.codes.reading import read_codes
from dbench.errors import InvalidInput
from dbench.metrics import METRICS, mig
from dbench.metrics.relations.predictability import squared_correlation
from dbench.scoring import score

RNG = np.random.default_rng(0)
SMALL = RNG.integers(0, [3, 4], size=(240, 2))
CODES = SMALL + RNG.normal(0, 0.1, SMALL.shape)

# What these do with n x 2 labels: files are read, the rest is given as it is.
MEMORY: dict[str, Callable[[NDArray[np.int64]], Any]] = {
    "int64": lambda labels: labels,
    "uint64": lambda labels: labels.astype(np.uint64),
    "object": lambda labels: labels.astype(object),
    "numpy integers as objects": lambda labels: np.array([[*row] for row in labels], dtype=object),
    "lists": lambda labels: labels.tolist(),
    "text": lambda labels: labels.astype(str),
    "bytes": lambda labels: labels.astype("S"),
    "torch": torch.tensor,
    "torch uint64": lambda labels: torch.tensor(labels).to(torch.uint64),
    "frame": pd.DataFrame,
    "frame of uint64": lambda labels: pd.DataFrame(labels.astype(np.uint64)),
    "nullable": lambda labels: pd.DataFrame(labels).astype("Int64"),
    "nullable uint64": lambda labels: pd.DataFrame(labels).astype("UInt64"),
    "arrow": lambda labels: pd.DataFrame(labels).astype("int64[pyarrow]"),
    "frame of objects": lambda labels: pd.DataFrame(labels).astype(object),
}
FILES = ("npz", "npz uint64", "npz text", "npy", "csv", "csv beside fractions", "parquet", "parquet of two types")


def written(folder: Path, way: str, labels: NDArray[np.int64]) -> list[Path]:
    """Write codes and labels, and return the files."""
    suffix, _, how = way.partition(" ")
    path = folder / f"codes.{suffix}"
    if suffix == "npz":
        np.savez(path, codes=CODES, factors=labels.astype({"": "i8", "uint64": "u8", "text": "U"}[how]))
        return [path]
    if suffix == "npy":
        np.save(path, CODES)
        np.save(folder / "factors.npy", labels)
        return [path, folder / "factors.npy"]
    columns = {"code_0": CODES[:, 0], "code_1": CODES[:, 1], "factor_0": labels[:, 0], "factor_1": labels[:, 1]}
    frame = pd.DataFrame(columns)
    if how == "beside fractions":
        frame["factor_2"] = 0.5 * SMALL[:, 0]
    elif how:
        frame["factor_1"] = frame["factor_1"].astype(np.uint64)
    frame.to_csv(path, index=False) if suffix == "csv" else frame.to_parquet(path)
    return [path]


@pytest.mark.parametrize("base", [2**53, 2**60, 2**63 - 4])
@pytest.mark.parametrize("way", [*MEMORY, *FILES])
def test_large_labels_are_exact_whatever_holds_them(tmp_path: Path, way: str, base: int) -> None:
    labels = SMALL + base
    found = read_arrays(CODES, MEMORY[way](labels)) if way in MEMORY else read_codes(*written(tmp_path, way, labels))
    assert found.sample.factors.dtype == np.int64
    np.testing.assert_array_equal(found.sample.factors[:, :2], labels)
    assert not any("constant" in note or "not whole" in note for note in found.notes if "factor_2" not in note)
    assert mig(found.sample.codes, found.sample.factors[:, :2]).value == mig(CODES, SMALL).value


def test_negative_labels_are_exact_too(tmp_path: Path) -> None:
    np.testing.assert_array_equal(read_codes(*written(tmp_path, "csv", SMALL - 2**60)).sample.factors, SMALL - 2**60)


def test_hashes_of_64_bits_without_sign_are_labels_in_a_csv_file(tmp_path: Path) -> None:
    hashes = SMALL.astype(np.uint64) + np.uint64(2**63)
    np.testing.assert_array_equal(read_codes(*written(tmp_path, "csv", hashes)).sample.factors, SMALL)  # type: ignore[arg-type]


def test_fractions_beside_large_numbers_are_numbers_however_they_are_written(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("code_0,factor_0\n1,0.5\n2,0.50\n3,1e300\n")
    found = read_codes(tmp_path / "t.csv", continuous=["factor_0"]).sample
    assert found.factors.ravel().tolist() == [0.5, 0.5, 1e300]


@pytest.mark.parametrize(
    "labels",
    [
        2.0**60 + 2**10 * SMALL,
        (2.0**60 + 2**10 * SMALL).tolist(),
        torch.tensor(2.0**60 + 2**10 * SMALL),
        np.array([[Decimal(2**60 + int(a))] for a, _ in SMALL], dtype=object),
    ],
)
@pytest.mark.parametrize("said", [{}, {"discrete": "*"}])
def test_large_whole_floats_are_refused_as_labels(labels: Any, said: dict[str, str]) -> None:
    with pytest.raises(InvalidInput, match=r"factor_0 must hold labels as integers or text .* 2\^53.*, got 1\.1529"):
        read_arrays(CODES, labels, **said)  # type: ignore[arg-type]
    assert not read_arrays(CODES, labels, continuous="*").sample.discrete


def test_large_continuous_integers_are_refused_where_floats_merge_them() -> None:
    spread = SMALL[:, 0] * 10**6 + 2**60
    with pytest.raises(InvalidInput, match="id must stay below"):
        FactorTypes(continuous="*").encode([SMALL[:, 0] + 2**60], ["id"])
    factors, _, _ = FactorTypes(continuous=["nanoseconds"]).encode([spread], ["nanoseconds"])
    assert len(np.unique(factors)) == 3


def test_labels_without_sign_that_do_not_fit_are_refused_and_not_wrapped() -> None:
    for labels in (SMALL.astype(np.uint64) + np.uint64(2**63), SMALL.astype(object) + 2**63):
        with pytest.raises(InvalidInput, match="must fit into 64 bits with sign, got 922337203685477581"):
            read_arrays(CODES, labels)
    with pytest.raises(InvalidInput, match="factors must fit into 64 bits with sign"):
        Sample(CODES, SMALL.astype(np.uint64) + np.uint64(2**63))  # type: ignore[arg-type]


LABELS_ONLY = [name for name, each in METRICS.items() if each.card.labels and each.card.needs == "sample"]  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", LABELS_ONLY)
def test_no_metric_merges_large_labels(name: str) -> None:
    options = METRICS[name].card.quick  # type: ignore[attr-defined]
    scores = {METRICS[name](Sample(CODES, SMALL + base), **options).value for base in (0, 2**60)}
    assert len(scores) == 1


@pytest.mark.parametrize("kind", [np.uint8, np.uint64, np.bool_])
def test_relations_take_labels_of_every_type_by_rank(kind: type) -> None:
    labels = np.array([0, 1, 7])[SMALL[:, :1]]
    expected = squared_correlation(CODES, labels.astype(kind).astype(np.int64))
    np.testing.assert_array_equal(squared_correlation(CODES, labels.astype(kind)), expected)


def test_all_of_a_file_of_identifiers_is_scored_as_that_of_small_labels(tmp_path: Path) -> None:
    values = [
        score(*written(tmp_path, "csv", SMALL + base), fast=True, repeats=0).frame["score"] for base in (0, 2**60)
    ]
    pd.testing.assert_series_equal(*values)
