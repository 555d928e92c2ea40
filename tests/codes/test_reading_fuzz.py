"""Damaged files through the reader: an error on purpose, or exactly what an independent reader finds in them.

DBENCH_FUZZ=10000 pytest tests/codes/test_reading_fuzz.py reads so many files, in place of a few hundred.
"""

import csv
import io
import os
import time
import warnings
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from pyarrow import parquet

from dbench.codes import Sample
from dbench.codes.reading import CodesFile, read_codes
from dbench.errors import DbenchError
from dbench.seeds import generator

FILES = int(os.environ.get("DBENCH_FUZZ", "400"))
FORMATS = ("npz", "npz deflated", "npy", "csv", "parquet")
SLOWEST = 10.0

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


def damaged(data: bytes, stream: np.random.Generator, kind: str) -> bytes:
    damage = int(stream.integers(8))
    place, length = int(stream.integers(len(data))), int(stream.integers(1, 64))
    if kind in ("npy", "csv", "parquet") and stream.random() < 0.3:  # where names and shapes are declared
        place, length = place % 128 if kind != "parquet" else max(len(data) - 1 - place % 2000, 0), length % 4 + 1
    if damage == 0 and kind.startswith("npz"):
        return swapped(data, stream)
    if damage == 1:
        return data[:place]
    if damage == 2:
        return data[:place] + data[place + length :]
    if damage == 3:
        return data[: place + length] + data[place:]
    if damage == 4:
        return data[:place] + stream.bytes(length) + data[place + length :]
    if damage == 5:
        return (
            data[:place]
            + bytes([int(stream.choice([0, 10, 13, 34, 44, 45, 127, 255]))]) * length
            + data[place + length :]
        )
    flipped = bytearray(data)
    for at in (place + stream.integers(0, 40, size=int(stream.integers(1, 6)))) % len(data):
        flipped[at] ^= 1 << int(stream.integers(8)) if stream.random() < 0.7 else int(stream.integers(1, 256))
    return bytes(flipped)


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


def read(kind: str, files: dict[str, bytes], folder: Path) -> tuple[CodesFile | None, list[Path]]:
    paths = [folder / name for name in files]
    for path in paths:
        path.write_bytes(files[path.name])
    start = time.perf_counter()
    try:
        found = read_codes(*paths)
    except DbenchError:
        found = None
    assert time.perf_counter() - start < SLOWEST
    return found, paths


@pytest.mark.parametrize("kind", FORMATS)
def test_an_intact_file_is_read_as_it_was_written(kind: str, tmp_path: Path) -> None:
    found, _ = read(kind, intact(kind), tmp_path)
    assert found is not None
    np.testing.assert_array_equal(found.sample.codes, CODES)
    np.testing.assert_array_equal(found.sample.factors, FACTORS)
    assert found.sample.discrete


@pytest.mark.parametrize("kind", FORMATS)
def test_a_damaged_file_gives_an_error_on_purpose_or_what_it_says(kind: str, tmp_path: Path) -> None:
    whole, refused, count = intact(kind), 0, max(FILES // len(FORMATS), 1)
    for number in range(count):
        stream = generator(test="fuzz", kind=kind, number=number)
        files = dict(whole)
        name = str(stream.choice(list(files)))
        files[name] = damaged(files[name], stream, kind)
        found, paths = read(kind, files, tmp_path)
        if found is None:
            refused += 1
            continue
        assert isinstance(found.sample, Sample)
        codes, factors = expected(kind, paths)
        np.testing.assert_array_equal(found.sample.codes, codes, err_msg=f"{kind} {number}")
        np.testing.assert_array_equal(found.sample.factors, factors, err_msg=f"{kind} {number}")
    print(f"{kind}: {refused} of {count} damaged files refused")  # noqa: T201
    assert refused > count // 10
