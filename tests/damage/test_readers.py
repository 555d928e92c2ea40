"""Damaged codes, stores, tables, reports and archives: an error on purpose or an answer, within bounds.

``make test`` reads a thousand damaged inputs. ``DBENCH_FUZZ=100000 pytest tests/damage -n 2`` reads so many.
"""

import copy
import csv
import hashlib
import io
import json
import os
import resource
import shutil
import struct
import sys
import tarfile
import time
import warnings
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from gzip import compress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from pyarrow import parquet
from scipy.io import savemat

from dbench.claims import Claim, above, load_expected, record_of
from dbench.codes.reading import read_codes
from dbench.data import load
from dbench.data.archives import git_blob_id
from dbench.data.cars3d import Cars3d
from dbench.data.dsprites import Dsprites
from dbench.data.mpi3d import Mpi3d
from dbench.data.smallnorb import FILES, MAGIC, SmallNorb
from dbench.errors import DamagedData, DbenchError
from dbench.report import build_document, read_report, write_report
from dbench.seeds import generator
from dbench.stats import Estimate
from dbench.zoo.checkpoints import checkpoint_name, find_checkpoint
from dbench.zoo.complete import build_table, write_table
from dbench.zoo.engine import Group, images_of, network_of, train_group
from dbench.zoo.keys import RunKey
from dbench.zoo.profiles import Profile, Sweep
from dbench.zoo.store import Store, seal
from dbench.zoo.table import load_runs

INPUTS = int(os.environ.get("DBENCH_FUZZ", "1000"))
# Of one input: seconds of the processor, and bytes of address space beyond what the process has when it begins
# (an allocator reserves a good deal that it never uses).
SECONDS, BYTES = 10.0, 8 * 2**30
ODD = [None, True, -1, 0, 10**30, 1.5, -0.0, float("nan"), float("inf"), "", "x" * 1000, "\x00", "../..", [], {}, [[]]]


def damaged(data: bytes, stream: np.random.Generator, *, at: Callable[[int], int] = lambda place: place) -> bytes:
    """Some bytes lost, doubled, overwritten or flipped; ``at`` may move the place to where more depends on it."""
    place, length = at(int(stream.integers(len(data)))), int(stream.integers(1, 64))
    damage = int(stream.integers(6))
    if damage == 0:
        return data[:place]
    if damage == 1:
        return data[:place] + data[place + length :]
    if damage == 2:
        return data[: place + length] + data[place:]
    if damage == 3:
        return data[:place] + stream.bytes(length) + data[place + length :]
    if damage == 4:
        filler = bytes([int(stream.choice([0, 10, 13, 34, 44, 45, 127, 255]))])
        return data[:place] + filler * length + data[place + length :]
    flipped = bytearray(data)
    for index in (place + stream.integers(0, 40, size=int(stream.integers(1, 6)))) % len(data):
        flipped[index] ^= 1 << int(stream.integers(8)) if stream.random() < 0.7 else int(stream.integers(1, 256))
    return bytes(flipped)


def edited(document: Any, stream: np.random.Generator) -> Any:
    """A JSON document with one to three of its values lost, replaced by odd ones, doubled or exchanged."""
    document = copy.deepcopy(document)
    for _ in range(int(stream.integers(1, 4))):
        places = list(_places(document))
        if not places:
            break
        holder, key = places[int(stream.integers(len(places)))]
        damage = int(stream.integers(4))
        if damage == 0:
            del holder[key]
        elif damage == 1:
            other, name = places[int(stream.integers(len(places)))]
            holder[key] = copy.deepcopy(other[name])
        elif damage == 2 and isinstance(holder, list):
            holder.insert(key, copy.deepcopy(holder[key]))
        else:
            holder[key] = copy.deepcopy(ODD[int(stream.integers(len(ODD)))])
    return document


def _places(document: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(document, dict | list):
        for key in list(document) if isinstance(document, dict) else range(len(document)):
            yield document, key
            yield from _places(document[key])


@contextmanager
def bounded() -> Iterator[None]:
    """Insist on the bounds."""
    before, limits = time.process_time(), resource.getrlimit(resource.RLIMIT_AS)
    if sys.platform == "linux":
        with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123
            taken = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (taken + BYTES, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limits)
    assert time.process_time() - before < SECONDS


PROFILE = Profile(
    name="tiny",
    data=("dsprites_grid_16",),
    network="mlp",
    sweeps=(Sweep("beta_vae", (1, 4)),),
    steps=150,
    batch_size=8,
    learning_rate=1e-3,
    seeds=1,
)


@dataclass
class Reader:
    """A folder that is whole, what in it is damaged and how, and what reads it."""

    folder: Path
    spoil: Callable[[Path, np.random.Generator], None]
    read: Callable[[Path], object]
    axes: dict[str, str] = field(default_factory=dict)  # of the streams of damage, where they are others


class Stops:
    """A worker's line that asks to stop after the first block."""

    stopping = True

    def report(self, **_: int) -> None:
        pass


def plain(document: Any) -> bytes:
    return json.dumps(document).encode()


def spoil_json(path: Path, stream: np.random.Generator, write: Callable[[Any], bytes] = plain) -> None:
    """Damage a document's values, or now and then its bytes."""
    if stream.random() < 0.2:
        path.write_bytes(damaged(path.read_bytes(), stream))
    else:
        path.write_bytes(write(edited(json.loads(path.read_bytes()), stream)))


def resealed(document: Any) -> bytes:
    """With a checksum that is right, as far as strict JSON goes."""
    document.pop("sha256", None)
    try:
        return seal(document)
    except ValueError:
        return plain(document)


def store_reader(folder: Path, what: str) -> Reader:
    """Two runs, the one done and scored, the other stopped at a checkpoint."""
    store, keys = Store(folder), PROFILE.runs()
    train_group(Stops(), Group(store.url, tuple(keys)))
    key, other = keys
    made = {"status": "done", "record": {**store.record(key), "scores": {"elbo": -20.0}}}
    for name in ("key", "status", "files", "schema", "step", "sha256"):
        made["record"].pop(name, None)
    codes = {"mean": np.zeros((6, 2), np.float32), "logvar": np.zeros((6, 2), np.float32)}
    store.save(key, **made, tensors={"weights": {"bias": np.zeros(3, np.float32)}, "codes": codes})
    digest = store.record(key)["files"]["codes.safetensors"]
    store.write_document("scores", {"codes": digest, "scores": {"mig": 0.5, "dci": 0.25}, "seconds": {}}, key=key)
    data, network = load(key.data), network_of(key, images_of(key.data)[0])

    def place(store: Path, key: RunKey, name: str) -> Path:
        return store / "runs" / key.digest / name

    def spoil(folder: Path, stream: np.random.Generator) -> None:
        if what == "checkpoint":
            path, record = next(place(folder, other, "").glob("checkpoint-*")), place(folder, other, "run.json")
            path.write_bytes(damaged(path.read_bytes(), stream, at=lambda at: at % 600 if at % 3 else at))
            document = json.loads(record.read_bytes())
            document["files"][path.name] = hashlib.sha256(path.read_bytes()).hexdigest()
            record.write_bytes(resealed(document))
        elif what == "scores":
            spoil_json(place(folder, key, "scores.json"), stream, resealed)
        else:
            spoil_json(place(folder, key if stream.random() < 0.5 else other, "run.json"), stream, resealed)

    def read(folder: Path) -> None:
        store = Store(folder)
        store.contents(), store.intact(key), store.intact(other)
        now = {"precision": "float32", "data_sha256": data.fingerprint}
        found = find_checkpoint(store, other, network, {}, **now)
        if found is None and what == "checkpoint":
            raise DamagedData("the run starts anew")
        assert found is None or checkpoint_name(found.step) == "checkpoint-100"
        store.tensors(key, "codes")
        build_table(store, [key], PROFILE)

    return Reader(folder, spoil, read)


def table_reader(folder: Path, what: str) -> Reader:
    source = store_reader(folder / "store", "")
    table, _ = build_table(Store(source.folder), PROFILE.runs()[:1], PROFILE)
    write_table(folder / "table", table, PROFILE, {"mig": 0.1, "dci": 0.1})
    manifest, runs = "manifest.json", "runs.parquet"

    def spoil(folder: Path, stream: np.random.Generator) -> None:
        if what == "manifest":
            spoil_json(folder / manifest, stream)
            return
        data = (folder / runs).read_bytes()
        data = damaged(data, stream, at=lambda at: len(data) - 1 - at % 3000 if at % 2 else at)
        (folder / runs).write_bytes(data)
        document = json.loads((folder / manifest).read_bytes())
        document["sha256"] = hashlib.sha256(data).hexdigest()
        (folder / manifest).write_text(json.dumps(document))

    return Reader(folder / "table", spoil, load_runs)


def report_reader(folder: Path, what: str) -> Reader:
    card = Claim(
        id="flaws.xor",
        where="3.1",
        says="It holds.",
        evidence="zoo",
        role="cell",
        population="micro profile",
        unit="seed",
        statistic="mean",
        rule=above(0.5),
        min_n=5,
        deviations=("small",),
    )
    found = Estimate(0.7, 0.6, 0.8, 10, 0.95)
    record = record_of(card, found, card.judge(found), params={"metric": "mig"}, ids=("mig",), nodeid="a::b")
    record |= {"seconds": 1.0}
    write_report(folder, build_document([record, record | {"evidence": "published"}]))
    return Reader(folder, lambda folder, stream: spoil_json(folder / "report.json", stream), read_report)


def expectation_reader(folder: Path, what: str) -> Reader:
    entry = 'verdict = "weaker"\nreason = "small"\ndate = 2026-01-01\nrecords = ["flaws.xor / zoo"]'
    (folder / "expected.toml").write_text(f"[[expected]]\n{entry}")
    return Reader(
        folder,
        lambda folder, stream: spoil_file(folder / "expected.toml", stream),
        lambda folder: load_expected(folder / "expected.toml"),
    )


def spoil_file(path: Path, stream: np.random.Generator) -> None:
    path.write_bytes(damaged(path.read_bytes(), stream))


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


def cars_reader(folder: Path, what: str) -> Reader:
    with tarfile.open(folder / "cars.tar", "w") as archive:
        for name in ("list.txt", "car_1_mesh.mat", "car_2_mesh.mat"):
            content = io.BytesIO(b"car_1_mesh\ncar_2_mesh\n")
            if name != "list.txt":
                savemat(content := io.BytesIO(), {"im": images(128, 128, 3, 1, 1)}, do_compression=True)
            member = tarfile.TarInfo(f"data/cars/{name}")
            member.size = len(content.getvalue())
            archive.addfile(member, io.BytesIO(content.getvalue()))
    (folder / "cars.tar.gz").write_bytes(compress((folder / "cars.tar").read_bytes(), 1))

    def spoil(folder: Path, stream: np.random.Generator) -> None:  # inside of the compression, or outside
        data = (folder / "cars.tar").read_bytes()
        inside = stream.random() < 0.8
        data = compress(damaged(data, stream) if inside else data, 1)
        (folder / "cars.tar.gz").write_bytes(data if inside else damaged(data, stream))

    def read(folder: Path) -> object:
        path = folder / "cars.tar.gz"
        return Cars3d(path, md5=md5(path), factor_sizes=(1, 1, 2)).grid_images()

    return Reader(folder, spoil, read)


def norb_reader(folder: Path, what: str) -> Reader:
    sizes = (2, 2, 1, 1, 1)
    points = np.indices(sizes).reshape(5, -1).T.astype(np.int32)
    for split, prefix in enumerate(sorted({name.rpartition("-")[0] for name in FILES})):
        here = points[points[:, 1] == split]
        parts = {"dat": images(2, 2, 96, 96), "cat": here[:, 0].copy(), "info": here[:, 1:].copy()}
        for part, array in parts.items():
            dims = [*array.shape, 1, 1][: max(3, array.ndim)]
            head = struct.pack(f"<ii{len(dims)}i", MAGIC[array.dtype], array.ndim, *dims)
            (folder / f"{prefix}-{part}.mat").write_bytes(head + array.tobytes())
            (folder / f"{prefix}-{part}.mat.gz").write_bytes(compress(head + array.tobytes(), 1))

    def spoil(folder: Path, stream: np.random.Generator) -> None:
        chosen = str(stream.choice(sorted(FILES)))
        for name in FILES:
            data = (folder / name).with_suffix("").read_bytes()
            if name == chosen:
                data = damaged(data, stream, at=lambda at: at % 40 if at % 2 else at)
            data = compress(data, 1)
            if name == chosen and stream.random() < 0.2:
                data = damaged(data, stream)
            (folder / name).write_bytes(data)

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


def codes_reader(folder: Path, what: str) -> Reader:
    kind = what.removeprefix("codes ")
    table = pd.DataFrame(np.concatenate([CODES, FACTORS], axis=1), columns=COLUMNS)
    if kind == "npy":
        np.save(folder / "codes.npy", CODES)
        np.save(folder / "factors.npy", FACTORS)
    elif kind == "csv":
        table.to_csv(folder / "codes.csv", index=False)
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


# Which reader, of what, and its part of all damaged inputs.
READERS = {
    **{f"codes {kind}": (codes_reader, 0.08) for kind in ("npz", "npz deflated", "npy", "csv", "parquet")},
    "run record": (store_reader, 0.08),
    "scores": (store_reader, 0.05),
    "checkpoint": (store_reader, 0.06),
    "runs table": (table_reader, 0.08),
    "manifest": (table_reader, 0.08),
    "report": (report_reader, 0.05),
    "expected verdicts": (expectation_reader, 0.05),
    "dsprites": (npz_reader, 0.03),
    "mpi3d": (npz_reader, 0.03),
    "cars3d": (cars_reader, 0.03),
    "smallnorb": (norb_reader, 0.03),
    "shapes3d": (shapes_reader, 0.03),
}


@pytest.mark.parametrize("what", READERS)
def test_a_damaged_input_gives_an_error_on_purpose_or_an_answer_within_bounds(what, tmp_path):
    make, part = READERS[what]
    (tmp_path / "whole").mkdir()
    reader, refused, count = make(tmp_path / "whole", what), 0, max(round(INPUTS * part), 1)
    # What is whole is read: else the refusals would show nothing.
    reader.read(shutil.copytree(reader.folder, tmp_path / "as it was"))
    for number in range(count):
        shutil.copytree(reader.folder, copied := tmp_path / "copy")
        reader.spoil(copied, generator(**(reader.axes or {"test": "damaged", "what": what}), number=number))
        try:
            with bounded():
                reader.read(copied)
        except DbenchError:
            refused += 1
        except Exception as error:
            error.add_note(f"{what}, number {number}")
            raise
        shutil.rmtree(copied)
    print(f"{what}: {refused} of {count} damaged inputs refused")  # noqa: T201
    assert refused > count // 10
