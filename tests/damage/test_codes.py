"""Damaged files of codes through the reader: an error on purpose, or what an independent reader finds in them."""

import csv
import io
import warnings
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from pyarrow import parquet

from dbench.codes.reading import CodesFile, read_codes
from dbench.errors import DbenchError
from dbench.seeds import generator

FORMATS = ("npz", "npz deflated", "npy", "csv", "parquet")

CODES = np.random.default_rng(1).normal(size=(40, 3)).round(3)
FACTORS = np.stack([np.arange(40) % 4, np.arange(40) // 4], axis=1)
COLUMNS = ["code_0", "code_1", "code_2", "factor_a", "factor_b"]
USUAL = (("code_", "z_"), "factor_")


def arrays() -> dict[str, NDArray]:
    names = np.array(["a", "b"])
    return {"codes": CODES, "factors": FACTORS, "factor_names": names, "logvar": np.zeros_like(CODES)}


def intact(kind: str) -> dict[str, bytes]:
    """The files of a format, by name."""
    table = pd.DataFrame(np.concatenate([CODES, FACTORS], axis=1), columns=COLUMNS)
    buffer = io.BytesIO()
    if kind == "npy":
        found = {}
        for name in ("codes", "factors"):
            np.save(buffer := io.BytesIO(), arrays()[name])
            found[f"{name}.npy"] = buffer.getvalue()
        return found
    if kind == "csv":
        table.to_csv(buffer, index=False)
    elif kind == "parquet":
        table.astype({"factor_a": "int64", "factor_b": "int64"}).to_parquet(buffer, write_page_checksum=True)
    else:
        (np.savez if kind == "npz" else np.savez_compressed)(buffer, **arrays())
    return {f"codes.{kind.partition(' ')[0]}": buffer.getvalue()}


def swapped(data: bytes, stream: np.random.Generator) -> bytes:
    """An archive whose members changed names."""
    source, target = zipfile.ZipFile(io.BytesIO(data)), io.BytesIO()
    names = source.namelist()
    with zipfile.ZipFile(target, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # names that occur twice are the point
        for name, other in zip(
            names, stream.choice(names, size=len(names), replace=stream.random() < 0.3), strict=True
        ):
            archive.writestr(str(other), source.read(name))
    return target.getvalue()


def damaged(damage, data: bytes, stream: np.random.Generator, kind: str) -> bytes:
    if kind.startswith("npz") and stream.random() < 0.1:
        return swapped(data, stream)
    if kind in ("npy", "csv", "parquet") and stream.random() < 0.3:  # where names and shapes are declared
        return damage.bytes(
            data, stream, at=lambda place: place % 128 if kind != "parquet" else max(len(data) - 1 - place % 2000, 0)
        )
    return damage.bytes(data, stream)


def expected(kind: str, paths: list[Path]) -> tuple[NDArray, NDArray]:
    """Codes and factors by other means than the reader's."""
    if kind == "npy":
        codes, factors = (np.load(path, allow_pickle=False) for path in paths)
    elif kind.startswith("npz"):
        with np.load(paths[0], allow_pickle=False) as archive:
            codes, factors = archive["codes"], archive["factors"]
    elif kind == "csv":
        with paths[0].open(encoding="utf-8-sig", newline="") as file:
            names, *rows = [row for row in csv.reader(file) if row]
        codes, factors = (
            np.array([[float(t) for t, name in zip(row, names, strict=True) if name.startswith(start)] for row in rows])
            for start in USUAL
        )
    else:
        # Its pages have checksums, so that only names can come to be others.
        names = parquet.read_schema(paths[0]).names
        whole = np.concatenate([CODES, FACTORS], axis=1)
        codes, factors = (whole[:, [name.startswith(start) for name in names]] for start in USUAL)
    return (np.reshape(codes, (len(codes), -1)), np.reshape(factors, (len(factors), -1)))


def read(damage, files: dict[str, bytes], folder: Path) -> tuple[CodesFile | None, list[Path]]:
    paths = [folder / name for name in files]
    for path in paths:
        path.write_bytes(files[path.name])
    with damage.bounded():
        try:
            return read_codes(*paths), paths
        except DbenchError:
            return None, paths


@pytest.mark.parametrize("kind", FORMATS)
def test_a_damaged_file_gives_an_error_on_purpose_or_what_it_says(damage, kind: str, tmp_path: Path) -> None:
    whole, refused, count = intact(kind), 0, damage.share(0.4 / len(FORMATS))
    # What is whole is read: else the refusals would show nothing.
    assert read(damage, whole, tmp_path)[0] is not None
    for number in range(count):
        stream = generator(test="fuzz", kind=kind, number=number)
        files = dict(whole)
        name = str(stream.choice(list(files)))
        files[name] = damaged(damage, files[name], stream, kind)
        found, paths = read(damage, files, tmp_path)
        if found is None:
            refused += 1
            continue
        codes, factors = expected(kind, paths)
        np.testing.assert_array_equal(found.sample.codes, codes, err_msg=f"{kind} {number}")
        np.testing.assert_array_equal(found.sample.factors, factors, err_msg=f"{kind} {number}")
    print(f"{kind}: {refused} of {count} damaged files refused")  # noqa: T201
    assert refused > count // 10
