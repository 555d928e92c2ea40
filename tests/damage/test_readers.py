"""Damaged codes, stores, tables, reports and archives: an error on purpose or an answer, within bounds.

``make test`` reads two thousand damaged or hostile inputs. ``DBENCH_FUZZ=100000 pytest tests/damage -n 2`` reads so
many, and ``DBENCH_FUZZ_FIRST=7000000`` counts them from another number, which decides how each is damaged.
"""

import functools
import hashlib
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from damage import Reader, bounded, damaged, edited, spoil_file
from file_readers import ARCHIVES, cars_reader, codes_reader, norb_reader, npz_reader, shapes_reader
from hostile_answers import ANSWERERS, answer_reader
from safetensors import safe_open
from safetensors.numpy import load_file, save_file

from dbench.claims import Claim, above, load_expected, record_of
from dbench.data import load
from dbench.errors import DamagedData, DbenchError
from dbench.models.stacked import glorot_uniform
from dbench.report import build_document, read_report, write_report
from dbench.seeds import generator
from dbench.stats import mean_of
from dbench.zoo.checkpoints import checkpoint_name, find_checkpoint
from dbench.zoo.complete import build_table, write_table
from dbench.zoo.engine import Group, images_of, network_of, train_group
from dbench.zoo.keys import RunKey
from dbench.zoo.pack import pack_runs, read_pack
from dbench.zoo.profiles import Profile, Sweep
from dbench.zoo.scorers import SCORING_SCHEMA
from dbench.zoo.store import Store, seal
from dbench.zoo.table import load_runs

INPUTS = int(os.environ.get("DBENCH_FUZZ", "2000"))
FIRST = int(os.environ.get("DBENCH_FUZZ_FIRST", "0"))

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


@functools.cache
def stopped() -> TemporaryDirectory[str]:
    """A store of two runs that were stopped after their first block."""
    folder = TemporaryDirectory()
    stops = SimpleNamespace(stopping=True, report=lambda **_: None)
    train_group(stops, Group(Store(folder.name).url, tuple(PROFILE.runs())))
    return folder


def store_reader(folder: Path, what: str) -> Reader:
    """Two runs, the one done and scored, the other stopped at a checkpoint."""
    store, (key, other) = Store(shutil.copytree(stopped().name, folder, dirs_exist_ok=True)), PROFILE.runs()
    made = {"status": "done", "record": {**store.record(key), "scores": {"elbo": -20.0}}}
    for name in ("key", "status", "files", "schema", "step", "sha256"):
        made["record"].pop(name, None)
    codes = {"mean": np.zeros((6, 2), np.float32), "logvar": np.zeros((6, 2), np.float32)}
    store.save(key, **made, tensors={"weights": {"bias": np.zeros(3, np.float32)}, "codes": codes})
    digest = store.record(key)["files"]["codes.safetensors"]
    scored = {
        "schema": SCORING_SCHEMA,
        "codes": digest,
        "scores": {"mig": 0.5, "dci": 0.25},
        "groups": {},
        "seconds": {},
    }
    store.write_document("scores", scored, key=key)
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
        if found.step == 0 and what == "checkpoint":
            raise DamagedData("the run starts anew")
        assert found.step == 0 or checkpoint_name(found.step) == "checkpoint-100"
        store.tensors(key, "codes")
        build_table(store, [key], PROFILE)

    return Reader(folder, spoil, read)


def table_reader(folder: Path, what: str) -> Reader:
    source = store_reader(folder / "store", "")
    table, _ = build_table(Store(source.folder), PROFILE.runs()[:1], PROFILE)
    write_table(folder / "table", table, PROFILE)
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


def pack_reader(folder: Path, what: str) -> Reader:
    """A run that is done, and one that diverged."""
    store, (key, other) = Store(folder / "store"), PROFILE.runs()
    data = images_of(key.data)[0]
    drawn = glorot_uniform(network_of(key, data).shapes, generator(test="pack"))
    said = dict.fromkeys(("commit", "versions", "device", "trained_utc"), "x") | {"data_sha256": data.fingerprint}
    said |= {"precision": "float32", "trained_seconds": 1.5}
    weights = {name: values.numpy() for name, values in drawn.items()}
    store.save(key, status="done", tensors={"weights": weights}, record={**said, "scores": {"loss.100": 20.0}})
    store.save(other, status="diverged", tensors={}, record={**said, "scores": {}, "diverged_at": 7})
    (folder / "pack").mkdir()
    (path,) = pack_runs(store, [key, other], folder / "pack").files

    def spoil(folder: Path, stream: np.random.Generator) -> None:
        spoilt = folder / path.name
        if stream.random() < 0.5:
            spoilt.write_bytes(damaged(spoilt.read_bytes(), stream, at=lambda at: at % 4000))
            return
        with safe_open(spoilt, framework="numpy") as file:
            header = json.loads(file.metadata()["pack"])
        text = resealed(edited(header, stream)).decode()
        save_file(load_file(spoilt), spoilt, metadata={"pack": text})

    def read(folder: Path) -> None:
        for run in read_pack(folder / path.name):
            if run.done:
                run.weights()

    return Reader(folder / "pack", spoil, read)


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
    found = card.judge(mean_of([0.6, 0.7, 0.8, 0.7, 0.7]))
    record = record_of(card, found, params={"metric": "mig"}, ids=("mig",), nodeid="a::b")
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


# Which reader, of what, and its part of all damaged inputs: those of stores take longest.
READERS = {
    **{f"codes {kind}": (codes_reader, 0.062) for kind in ("npz", "npz deflated", "npy", "csv", "parquet")},
    **{f"codes {kind}": (codes_reader, 0.03) for kind in ("tsv", "csv.gz", "feather", *ARCHIVES)},
    **{f"answer of {what}": (answer_reader, 0.05) for what in ANSWERERS},
    "run record": (store_reader, 0.03),
    "scores": (store_reader, 0.02),
    "checkpoint": (store_reader, 0.02),
    "runs table": (table_reader, 0.015),
    "manifest": (table_reader, 0.015),
    "pack": (pack_reader, 0.03),
    "report": (report_reader, 0.025),
    "expected verdicts": (expectation_reader, 0.025),
    "dsprites": (npz_reader, 0.02),
    "mpi3d": (npz_reader, 0.02),
    "cars3d": (cars_reader, 0.02),
    "smallnorb": (norb_reader, 0.02),
    "shapes3d": (shapes_reader, 0.02),
}


@pytest.mark.filterwarnings("ignore:no image of:UserWarning")  # these are small numbers
@pytest.mark.parametrize("what", READERS)
def test_a_damaged_input_gives_an_error_on_purpose_or_an_answer_within_bounds(what, tmp_path):
    make, part = READERS[what]
    (tmp_path / "whole").mkdir()
    reader, refused, count = make(tmp_path / "whole", what), 0, max(round(INPUTS * part), 1)
    # What is whole is read: else the refusals would show nothing.
    reader.read(shutil.copytree(reader.folder, tmp_path / "as it was"))
    for number in range(FIRST, FIRST + count):
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
    print(f"{what}: {refused} of {count} damaged inputs from number {FIRST} refused")  # noqa: T201
    assert refused > count // 10
