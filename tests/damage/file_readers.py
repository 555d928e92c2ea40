"""Readers of files from outside: codes in five formats, and archives of data sets."""

import csv
import gzip
import hashlib
import io
import struct
import tarfile
import warnings
import zipfile
from collections.abc import Callable, Sequence
from gzip import compress, decompress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import torch
from damage import Reader, damaged, spoil_file
from numpy.typing import NDArray
from pyarrow import parquet
from safetensors.numpy import load_file, save_file
from scipy.io import loadmat, savemat

from dbench.codes.reading import read_codes
from dbench.data.archives import git_blob_id
from dbench.data.cars3d import Cars3d
from dbench.data.dsprites import Dsprites
from dbench.data.mpi3d import Mpi3d
from dbench.data.smallnorb import FILES, MAGIC, SmallNorb
from dbench.seeds import generator


def md5(path: Path) -> str:
    return hashlib.md5(path.read_bytes()).hexdigest()


def images(*shape: int) -> np.ndarray:
    return generator(test="damaged archives").integers(2, size=shape, dtype=np.uint8)


def npz_reader(folder: Path, what: str) -> Reader:
    """Archives of dSprites, or of MPI3D; stored or compressed, so that damage reaches the arrays too."""
    path = folder / "archive.npz"
    if what == "dsprites":
        classes = np.array([(0, *point) for point in np.ndindex(3, 1, 2, 2, 1)])
        np.savez(path, imgs=images(12, 64, 64), latents_classes=classes)
    else:
        np.savez_compressed(path, images=images(8, 64, 64, 3))

    def read(folder: Path) -> object:
        path = folder / "archive.npz"
        if what == "dsprites":
            data = Dsprites(path, blob_id=git_blob_id(path), factor_sizes=(3, 1, 2, 2, 1))
            np.testing.assert_array_equal(data.grid_images()[:, 0], 255 * images(12, 64, 64))
            return data
        sizes = ((2, 2, 2, 1, 1, 1, 1),)
        return Mpi3d("toy", lambda: path, md5=md5(path), folder=folder / "cache", layouts=sizes).grid_images()

    return Reader(folder, lambda folder, stream: spoil_file(folder / "archive.npz", stream), read)


def mesh(image: np.ndarray) -> bytes:
    """Bytes of a MATLAB file with that image."""
    savemat(content := io.BytesIO(), {"im": image}, do_compression=True)
    return content.getvalue()


def tarred(members: dict[str, bytes], *links: tarfile.TarInfo) -> bytes:
    with tarfile.open(fileobj=(whole := io.BytesIO()), mode="w") as archive:
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
        for link in links:
            archive.addfile(link)
    return whole.getvalue()


def cars_reader(folder: Path, what: str) -> Reader:
    members = {"data/cars/list.txt": b"car_1_mesh\ncar_2_mesh\n"}
    members |= {f"data/cars/car_{i}_mesh.mat": mesh(images(128, 128, 3, 1, 1)) for i in (1, 2)}
    (folder / "cars.tar.gz").write_bytes(compress(tarred(members), 1))

    def spoil(folder: Path, stream: np.random.Generator) -> None:  # inside of the compression, or outside
        data = decompress((folder / "cars.tar.gz").read_bytes())
        inside = stream.random() < 0.8
        data = compress(damaged(data, stream) if inside else data, 1)
        (folder / "cars.tar.gz").write_bytes(data if inside else damaged(data, stream))

    def read(folder: Path) -> object:
        path = folder / "cars.tar.gz"
        return Cars3d(path, md5=md5(path), factor_sizes=(1, 1, 2)).grid_images()

    return Reader(folder, spoil, read)


def matrix(array, *, magic=None, dims=None, ndim=None, extra=b""):
    """Bytes of a binary matrix, with a header that may lie."""
    dims = array.shape if dims is None else dims
    padded = [*dims, 1, 1][: max(3, len(dims))]
    magic = MAGIC[array.dtype] if magic is None else magic
    head = struct.pack(f"<ii{len(padded)}i", magic, array.ndim if ndim is None else ndim, *padded)
    return head + array.tobytes() + extra


def norb_reader(folder: Path, what: str) -> Reader:
    sizes = (2, 2, 1, 1, 1)
    points = np.indices(sizes).reshape(5, -1).T.astype(np.int32)
    for split, prefix in enumerate(sorted({name.rpartition("-")[0] for name in FILES})):
        here = points[points[:, 1] == split]
        parts = {"dat": images(2, 2, 96, 96), "cat": here[:, 0].copy(), "info": here[:, 1:].copy()}
        for part, array in parts.items():
            (folder / f"{prefix}-{part}.mat.gz").write_bytes(compress(matrix(array), 1))

    def spoil(folder: Path, stream: np.random.Generator) -> None:
        path = folder / str(stream.choice(sorted(FILES)))
        data = damaged(decompress(path.read_bytes()), stream, at=lambda at: at % 40 if at % 2 else at)
        data = compress(data, 1)
        path.write_bytes(damaged(data, stream) if stream.random() < 0.2 else data)

    def read(folder: Path) -> object:
        return SmallNorb(folder, files={name: md5(folder / name) for name in FILES}, sizes=sizes)

    return Reader(folder, spoil, read)


def shapes_reader(folder: Path, what: str) -> Reader:
    h5py = pytest.importorskip("h5py")
    from dbench.data.shapes3d import Shapes3d

    sizes = (2, 1, 1, 2, 1, 2)
    with h5py.File(folder / "3dshapes.h5", "w") as file:
        file.create_dataset("images", data=images(8, 64, 64, 3), compression="gzip")
        file.create_dataset("labels", data=np.indices(sizes).reshape(6, -1).T.astype(float))

    def read(folder: Path) -> object:
        path = folder / "3dshapes.h5"
        return Shapes3d(lambda: path, md5=md5(path), folder=folder / "cache", factor_sizes=sizes).grid_images()

    def spoil(folder: Path, stream: np.random.Generator) -> None:
        path = folder / "3dshapes.h5"
        path.write_bytes(damaged(path.read_bytes(), stream, at=lambda at: at % 4096 if at % 2 else at))

    return Reader(folder, spoil, read)


CODES = np.random.default_rng(1).normal(size=(40, 3)).round(3)
FACTORS = np.stack([np.arange(40) % 4, np.arange(40) // 4], axis=1)
COLUMNS = ["code_0", "code_1", "code_2", "factor_a", "factor_b"]
USUAL = (("code_", "z_"), "factor_")


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


def _save_hdf5(path: Path) -> None:
    import h5py

    with h5py.File(path, "w") as file:
        for name, values in HELD.items():
            file.create_dataset(name, data=values)


def _load_hdf5(path: Path) -> list[NDArray]:
    import h5py

    with h5py.File(path) as file:
        return [file[name][()] for name in HELD]


def _torch(what: dict[str, NDArray]) -> dict[str, torch.Tensor]:
    return {name: torch.tensor(values) for name, values in what.items()}


HELD = {"codes": CODES, "factors": FACTORS}
# What writes each, and what reads it by other means than the reader's.
ARCHIVES: dict[str, tuple[Callable[[Path], Any], Callable[[Path], Any]]] = {
    "safetensors": (lambda path: save_file(HELD, path), lambda path: map(load_file(path).get, HELD)),
    "h5": (_save_hdf5, _load_hdf5),
    "mat": (lambda path: savemat(path, HELD, do_compression=True), lambda path: map(loadmat(path).get, HELD)),
    "pt": (
        lambda path: torch.save(_torch(HELD), path),
        lambda path: (torch.load(path, weights_only=True)[name].numpy() for name in HELD),
    ),
}


def _numbers(column: Sequence[str]) -> NDArray:
    """Text as numbers, or as labels where some are none."""
    try:
        return np.array([float(text) for text in column])
    except ValueError:
        return pd.factorize(np.array(column, dtype=object))[0]


def expected(kind: str, paths: list[Path]) -> tuple[NDArray, NDArray]:
    """Codes and factors by other means than the reader's."""
    if kind == "npy":
        codes, factors = (np.load(path, allow_pickle=False) for path in paths)
    elif kind.startswith("npz"):
        with np.load(paths[0], allow_pickle=False) as archive:
            codes, factors = archive["codes"], archive["factors"]
    elif kind == "feather":
        table = pa.ipc.open_file(paths[0].read_bytes()).read_all()
        codes, factors = (
            np.column_stack([table[name].to_numpy() for name in table.column_names if name.startswith(start)])
            for start in USUAL
        )
    elif kind in ARCHIVES:
        codes, factors = ARCHIVES[kind][1](paths[0])
    elif kind in ("csv", "tsv", "csv.gz"):
        unpack = gzip.open if kind == "csv.gz" else open
        # A column that is not used may hold any bytes.
        with unpack(paths[0], "rt", encoding="utf-8-sig", errors="replace", newline="") as file:  # type: ignore[operator]
            names, *rows = [row for row in csv.reader(file, delimiter="\t" if kind == "tsv" else ",") if row]
        columns = dict(zip(names, zip(*rows, strict=True), strict=True))
        codes, factors = (
            np.column_stack([_numbers(column) for name, column in columns.items() if name.startswith(start)])
            for start in USUAL
        )
    else:
        # Its pages have checksums, so that only names can come to be others.
        names = parquet.read_schema(paths[0]).names
        whole = np.concatenate([CODES, FACTORS], axis=1)
        codes, factors = (whole[:, [name.startswith(start) for name in names]] for start in USUAL)
    return (np.reshape(codes, (len(codes), -1)), np.reshape(factors, (len(factors), -1)))


def codes_reader(folder: Path, what: str) -> Reader:
    kind = what.removeprefix("codes ")
    table = pd.DataFrame(np.concatenate([CODES, FACTORS], axis=1), columns=COLUMNS)
    if kind == "npy":
        np.save(folder / "codes.npy", CODES)
        np.save(folder / "factors.npy", FACTORS)
    elif kind in ("csv", "tsv", "csv.gz"):
        table.to_csv(folder / f"codes.{kind}", index=False, sep="\t" if kind == "tsv" else ",")
    elif kind == "feather":
        table.astype({"factor_a": "int64", "factor_b": "int64"}).to_feather(folder / "codes.feather")
    elif kind in ARCHIVES:
        ARCHIVES[kind][0](folder / f"codes.{kind}")
    elif kind == "parquet":
        table = table.astype({"factor_a": "int64", "factor_b": "int64"})
        table.to_parquet(folder / "codes.parquet", write_page_checksum=True)
    else:
        names, logvar = np.array(["a", "b"]), np.zeros_like(CODES)
        save = np.savez if kind == "npz" else np.savez_compressed
        save(folder / "codes.npz", codes=CODES, factors=FACTORS, factor_names=names, logvar=logvar)

    def spoil(folder: Path, stream: np.random.Generator) -> None:
        path = folder / str(stream.choice(sorted(path.name for path in folder.iterdir())))
        data = path.read_bytes()
        if kind.startswith("npz"):
            path.write_bytes(swapped(data, stream) if stream.random() < 0.1 else damaged(data, stream))
        elif stream.random() < 0.3:  # where names and shapes are declared
            tail = len(data) - 1 if kind == "parquet" else 0
            path.write_bytes(damaged(data, stream, at=lambda at: max(tail - at % 2000, 0) if tail else at % 128))
        else:
            path.write_bytes(damaged(data, stream))

    def read(folder: Path) -> None:
        paths = sorted(folder.iterdir())
        sample = read_codes(*paths).sample
        codes, factors = expected(kind, paths)
        np.testing.assert_array_equal(sample.codes, codes)
        np.testing.assert_array_equal(sample.factors, factors)

    return Reader(folder, spoil, read, {"test": "fuzz", "kind": kind})
