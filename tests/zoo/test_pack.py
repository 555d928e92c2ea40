"""Runs travel from one store to another: packed on the one side, checked and encoded on the other."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from safetensors import safe_open
from safetensors.numpy import load_file, save_file

from dbench.cli import main
from dbench.errors import DamagedData, DbenchError, InvalidInput
from dbench.zoo import scorers
from dbench.zoo.executor import Outcome
from dbench.zoo.pack import checksum, pack_runs, read_pack, shapes_of
from dbench.zoo.profiles import PROFILES, Sweep
from dbench.zoo.scorers import SLOW
from dbench.zoo.store import Store, seal
from dbench.zoo.table import load_manifest, load_runs
from dbench.zoo.unpack import unpack_runs

SMALL = 0.5
"""MB of a file that holds two of these runs."""


@pytest.fixture(scope="module")
def plan(short):
    """Two seeds of two strengths of the plain VAE, and one of a network with an adversary."""
    return replace(short, sweeps=(*short.sweeps, Sweep("factor_vae", (10,))))


@pytest.fixture(scope="module")
def there(trained, plan, tmp_path_factory):
    """A store in which all is trained."""
    store = Store(tmp_path_factory.mktemp("there"))
    for sweep in plan.sweeps:
        trained(store, replace(plan, sweeps=(sweep,)))
    return store


@pytest.fixture(scope="module")
def packing(there, plan, tmp_path_factory):
    return pack_runs(there, plan.runs(), tmp_path_factory.mktemp("packs"), size=SMALL)


@pytest.fixture
def packs(packing, tmp_path):
    """Files of two runs each, which a test may spoil."""
    return [Path(shutil.copy(path, tmp_path)) for path in packing.files]


@pytest.fixture
def here(tmp_path):
    return Store(tmp_path / "here")


def zoo(*arguments):
    return CliRunner().invoke(main, ["zoo", *map(str, arguments)], catch_exceptions=False)


def rewrite(path, change=lambda header: None, tensors=None):
    """Write a pack again as a careful forger would, with a seal that is right as far as strict JSON goes."""
    with safe_open(path, framework="numpy") as file:
        header = json.loads(file.metadata()["pack"])
    header.pop("sha256")
    change(header)
    try:
        text = seal(header).decode()
    except ValueError:
        text = json.dumps({**header, "sha256": "0"})
    save_file(load_file(path) if tensors is None else tensors, path, metadata={"pack": text})


def test_packs_hold_whole_seeds_first_in_files_no_larger_than_asked_for(packs, plan):
    runs = [run.key for path in packs for run in read_pack(path)]
    assert runs == sorted(plan.runs(), key=lambda key: (key.seed, key))
    assert [path.name for path in packs] == [f"runs-00{first}.safetensors" for first in (0, 2, 4)]
    assert max(path.stat().st_size for path in packs) <= SMALL * 1e6
    names = {name.partition(".")[2].partition(".")[0] for path in packs for name in load_file(path)}
    assert names == {"encoder", "decoder"}


def test_what_was_packed_before_is_skipped(there, plan, packing, tmp_path):
    first = pack_runs(there, plan.runs(), tmp_path / "out", size=SMALL, files=1)
    second = pack_runs(there, plan.runs(), tmp_path / "out", size=SMALL, skip=first.runs)
    assert (first.runs, first.left, second.runs, second.left) == (2, 4, 4, 0)
    written = [path.read_bytes() for path in (*first.files, *second.files)]
    assert written == [path.read_bytes() for path in packing.files]
    with pytest.raises(InvalidInput, match="skip must be fewer than the 6 finished runs of the plan, got 6"):
        pack_runs(there, plan.runs(), tmp_path / "out", skip=6)
    for size, message in ((0.1, r"0\.\d+ MB, got 0\.1"), (float("nan"), "nan MB, got nan")):
        with pytest.raises(InvalidInput, match=f"size must hold a run, which takes {message}"):
            pack_runs(there, plan.runs(), tmp_path / "out", size=size)


@pytest.mark.long
def test_a_run_that_travelled_is_the_run_that_was_trained(there, packs, here, console):
    keys = [run.key for run in read_pack(packs[1])]
    assert {key.objective for key in keys} == {"beta_vae", "factor_vae"}
    summary = unpack_runs(here, packs[1:2], workers=1, console=console)
    assert (summary.done, summary.present, summary.others["left"]) == (2, 0, 0)
    for key in keys:
        before, after = there.record(key), here.record(key)
        for name, value in there.tensors(key, "codes").items():
            np.testing.assert_array_equal(here.tensors(key, "codes")[name], value)
        assert set(here.tensors(key, "weights")) == set(shapes_of(key))
        encoded = after.pop("encoded")
        assert encoded["device"].startswith("cpu")
        assert {name: before[name] for name in before if name != "files"} == {
            name: after[name] for name in after if name != "files"
        }
    again = unpack_runs(here, packs[1:2], workers=1, console=console)
    assert (again.done, again.present) == (0, 2)


def test_a_run_that_diverged_travels_without_weights(store, finish, short, here, tmp_path, console, in_process):
    key = short.runs()[0]
    finish(store, key, status="diverged")
    record = store.record(key)
    store.save(key, status="diverged", tensors={}, record={**record, "scores": {}, "diverged_at": 30})
    (path,) = pack_runs(store, [key], tmp_path).files
    assert unpack_runs(here, [path], workers=1, console=console).done == 1
    assert (here.record(key)["status"], here.record(key)["diverged_at"]) == ("diverged", 30)


def test_what_is_there_and_differs_is_refused_and_the_others_are_taken_in(
    there, plan, packs, here, finish, console, in_process
):
    key = read_pack(packs[0])[0].key
    finish(here, key)
    with pytest.raises(DamagedData, match=f"{key.digest}.* is another than in store .*otherwise took in 5 runs"):
        unpack_runs(here, packs, workers=1, console=console)
    assert sum(here.intact(each) for each in plan.runs()) == 6
    assert here.tensors(key, "weights").keys() == {"encoder.0.bias"}


def test_a_finished_run_that_cannot_be_read_is_left_alone(
    packs, here, finish, refuse, console, in_process, monkeypatch
):
    kept, new = (run.key for run in read_pack(packs[0]))
    finish(here, kept)
    monkeypatch.setattr("dbench.zoo.unpack._is_there", lambda *_: False)  # nor was it when the packs were read
    refuse(here, kept, file="codes.safetensors")
    with pytest.raises(DbenchError, match=r"Permission denied.*otherwise took in 1 runs"):
        unpack_runs(here, packs[:1], workers=1, console=console)
    assert here.intact(new)
    assert here.tensors(kept, "weights").keys() == {"encoder.0.bias"}


RECORD = ("runs", 0, "record")


@pytest.mark.parametrize(
    ("value", "place", "message"),
    [
        (2, ("schema",), "must be a pack of schema 1, got 2"),
        ([], ("runs",), "must hold one or more runs"),
        (3, (*RECORD, "schema"), "holds keys of schema 3, this version reads 1"),
        ("os:abort", (*RECORD, "key", "data"), "os:abort, which is code"),
        ("../../x", (*RECORD, "key", "network"), "unknown network"),
        ("none", (*RECORD, "key", "objective"), "unknown objective"),
        ("0", (*RECORD, "data_sha256"), "trained on another version of dsprites_grid_16 than is installed"),
        ("half", (*RECORD, "precision"), "in a precision that dbench knows"),
        ("interrupted", (*RECORD, "status"), "must be done or diverged"),
        (float("inf"), (*RECORD, "scores", "elbo"), "does not have the checksum it carries"),
        ("x", (*RECORD, "scores", "elbo"), "must hold finite numbers"),
        (10**400, (*RECORD, "scores", "elbo"), "cannot be read as a pack"),
        (None, (*RECORD, "device"), "must say its device"),
        (7, (*RECORD, "key", "seed"), "must hold the weights of its runs and no others"),
        ("0", ("runs", 0, "sha256"), "have not the checksum that its header gives"),
    ],
    ids=lambda value: None if isinstance(value, int | float) else str(value)[:30],
)
def test_a_header_that_breaks_a_rule_is_refused(packs, here, console, value, place, message, in_process):
    def change(header):
        for name in place[:-1]:
            header = header[name]
        header[place[-1]] = value

    rewrite(packs[0], change)
    with pytest.raises(DamagedData, match=message):
        unpack_runs(here, packs[:1], workers=1, console=console)


def test_a_file_that_is_refused_stops_no_other(packs, here, console, in_process):
    packs[0].write_bytes(b"no pack")
    with pytest.raises(DamagedData, match=r"cannot be read as a pack.*otherwise took in 2 runs"):
        unpack_runs(here, packs[:2], workers=1, console=console)
    assert here.contents().keys == sorted(run.key for run in read_pack(packs[1]))


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda values: values[:-1], "must be float32 .*, got float32 of shape"),
        (lambda values: values.astype(np.float16), "must be float32 .*, got float16"),
        (lambda values: np.full_like(values, np.nan), "must be finite"),
        (lambda values: np.full_like(values, 1e38), "must have finite codes and bound, .*otherwise took in 1 runs"),
    ],
)
def test_weights_that_break_a_rule_are_refused_by_the_name_of_their_run(
    packs, here, console, spoil, message, in_process
):
    bad, good = read_pack(packs[0])
    tensors = load_file(packs[0])
    name = f"{bad.key.digest}.encoder.0.weight"
    tensors[name] = spoil(tensors[name])
    of_run = {name: tensors[f"{bad.key.digest}.{name}"] for name in shapes_of(bad.key)}
    rewrite(packs[0], lambda header: header["runs"][0].update(sha256=checksum(of_run)), tensors)
    with pytest.raises(DamagedData, match=f"{bad.key.digest}.*{message}"):
        unpack_runs(here, packs[:1], workers=1, console=console)
    assert (here.intact(bad.key), here.intact(good.key)) == (False, True)


def test_scores_of_a_pack_that_are_computed_here_are_not_believed(there, packs, here, console, in_process):
    rewrite(packs[0], lambda header: [entry["record"]["scores"].update(nk=0.99, elbo=0) for entry in header["runs"]])
    unpack_runs(here, packs[:1], workers=1, console=console)
    for run in read_pack(packs[0]):
        assert here.record(run.key)["scores"] == there.record(run.key)["scores"]


@pytest.mark.parametrize("content", [None, b"", b"no pack", b"\xff" * 100, (10**15).to_bytes(8, "little") + b"{}"])
def test_what_is_no_pack_is_one_line_and_exit_code_2_and_makes_no_store(packs, tmp_path, content):
    """Nor does one whose every run is refused."""
    if content is None:
        rewrite(packs[0], lambda header: [entry.update(sha256="0") for entry in header["runs"]])
    else:
        packs[0].write_bytes(content)
    result = zoo("unpack", "--store", tmp_path / "here", packs[0])
    message = "have not the checksum that its header gives" if content is None else "cannot be read as a pack"
    assert (result.exit_code, message in result.stderr.splitlines()[-1]) == (2, True)
    assert zoo("unpack", "--store", tmp_path / "here", tmp_path / "none").exit_code == 2
    assert not (tmp_path / "here").exists()


def test_processes_that_encode_are_started_with_an_allocator_that_keeps_memory(packs, here, monkeypatch, console):
    seen = {}

    def run_tasks(*_):
        seen.update(os.environ)
        return Outcome([], [], cancelled=False)

    monkeypatch.setattr("dbench.zoo.unpack.run_tasks", run_tasks)
    monkeypatch.setenv("MALLOC_TRIM_THRESHOLD_", "7")  # one's own stays
    monkeypatch.delenv("MALLOC_MMAP_THRESHOLD_", raising=False)
    before = dict(os.environ)
    unpack_runs(here, packs[:1], console=console)
    assert (seen["MALLOC_TRIM_THRESHOLD_"], seen["MALLOC_MMAP_THRESHOLD_"]) == ("7", "1000000000")
    assert os.environ == before


def test_a_store_holds_runs_of_one_precision_and_may_hold_those_of_two_versions(packs, here, console, in_process):
    rewrite(packs[0], lambda header: [entry["record"].update(precision="bfloat16") for entry in header["runs"]])
    rewrite(packs[1], lambda header: header["runs"][0]["record"].update(commit="v0.0.1"))
    with pytest.raises(InvalidInput, match=r"must be the same, here float32, got bfloat16 in .*runs-000"):
        unpack_runs(here, [packs[1], packs[0]], workers=1, console=console)
    assert len(here.contents().keys) == 2
    with pytest.raises(InvalidInput, match="here float32, got bfloat16"):
        unpack_runs(here, [packs[0]], workers=1, console=console)
    assert "these runs were trained by 2 versions of dbench: " in console.file.getvalue()


def test_the_same_run_in_two_files_is_taken_in_once_unless_they_differ(packs, here, console, in_process):
    copied = packs[0].with_name("copy.safetensors")
    copied.write_bytes(packs[0].read_bytes())
    assert unpack_runs(here, [packs[0], copied, packs[0]], workers=1, console=console).done == 2
    tensors = load_file(packs[1])
    bad = read_pack(packs[1])[0]
    tensors[f"{bad.key.digest}.encoder.0.bias"] += 1
    copied.write_bytes(packs[1].read_bytes())
    of_run = {name: tensors[f"{bad.key.digest}.{name}"] for name in shapes_of(bad.key)}
    rewrite(copied, lambda header: header["runs"][0].update(sha256=checksum(of_run)), tensors)
    with pytest.raises(DamagedData, match=f"{bad.key.digest}.* is another than in .*runs-002"):
        unpack_runs(here, [packs[1], copied], workers=1, console=console)


def test_a_whole_slot(plan, tmp_path, monkeypatch, small_samples, in_process):
    """Trained within a budget, packed, unpacked elsewhere, scored, and written as a table."""
    monkeypatch.setattr(scorers, "SCORERS", {name: scorers.SCORERS[name] for name in ("posterior", "mig", *SLOW)})
    plan = replace(plan, seeds=1)
    monkeypatch.setitem(PROFILES, plan.name, plan)
    monkeypatch.chdir(tmp_path)
    ours = ["--profile", plan.name, "--store", "slot"]
    shown = zoo("train", *ours, "--budget", "5m", "--workers", 1)
    assert shown.exit_code == 0
    assert zoo("pack", *ours, "--out", "out").stdout.startswith("3 runs, 0.5 MB: out")
    shown = zoo("unpack", "--store", "home", *Path("out").iterdir(), "--workers", 1)
    assert shown.stdout.startswith("took in 3 runs in ")
    home = ["--profile", plan.name, "--store", "home"]
    assert zoo("score", *home, "--quick", "--workers", 1).exit_code == 0
    assert zoo("table", *home, "--out", "table", "--workers", 1).exit_code == 0
    table, manifest = load_runs("table"), load_manifest("table")
    assert table["run"].nunique() == 3
    assert manifest["encoded_on"] == sorted(set(table["device"]))  # the same processor here


ABSENT = ("hypothesis", "jsonschema", "pooch", "ray")
"""Packages that a machine with a GPU may lack."""

PROGRAM = """
import sys

sys.modules.update(dict.fromkeys(sys.argv[1].split(",")))
sys.path.insert(0, sys.argv[2])

from conftest import Here

from dbench.cli import main
from dbench.zoo import train

train.Processes = Here
for command in (["train", "--budget", "2m"], ["pack", "--out", "out"]):
    main.main(["zoo", *command, "--profile", "slim.toml", "--store", "slot"], standalone_mode=False)
"""


@pytest.mark.long
def test_training_and_packing_need_no_package_that_a_gpu_machine_lacks(short, spell, tmp_path):
    """In a process of its own, in which these cannot be imported."""
    spell(replace(short, steps=2, seeds=1), tmp_path / "slim.toml")
    arguments = [sys.executable, "-c", PROGRAM, ",".join(ABSENT), str(Path(__file__).parent)]
    done = subprocess.run(arguments, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out" / "runs-000.safetensors").is_file()
