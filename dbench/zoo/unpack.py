"""Take packs into a store: check them, and make the codes of their runs on this processor."""

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rich.console import Console

from dbench.errors import DamagedData, DbenchError, InvalidInput
from dbench.provenance import commit, utc_now, versions
from dbench.zoo.devices import device_name
from dbench.zoo.engine import images_of, network_of
from dbench.zoo.finish import finish
from dbench.zoo.keys import RunKey
from dbench.zoo.pack import PackedRun, checksum, read_pack, shapes_of
from dbench.zoo.progress import Meter, clock, teller
from dbench.zoo.store import Store
from dbench.zoo.survey import FINISHED, precisions_of, state_of
from dbench.zoo.table import PROVENANCE
from dbench.zoo.workers import FAILED, Line, cores, run_tasks, terminable

_AT_ONCE = 2
"""Runs encoded together: the convolutional network takes as long for one as for two."""

_ALLOCATOR = {"MALLOC_TRIM_THRESHOLD_": "1000000000", "MALLOC_MMAP_THRESHOLD_": "1000000000"}
"""With these glibc keeps memory from pass to pass, and the convolutional network encodes in half the time."""


@dataclass(frozen=True)
class UnpackSummary:
    """What a call of :func:`unpack_runs` did, in numbers of runs; ``held`` are in another process's hands."""

    taken: int
    present: int
    held: int
    left: int
    seconds: float
    cancelled: bool

    def __str__(self) -> str:
        parts = [f"took in {self.taken} runs in {clock(self.seconds)}", f"{self.present} were there before"]
        if self.held:
            parts.append(f"{self.held} are held by another process")
        if self.left:
            parts.append(f"{self.left} are left (the same command goes on)")
        return "; ".join(parts)


def unpack_runs(
    store: Store, paths: Iterable[Path], *, workers: int | None = None, console: Console | None = None
) -> UnpackSummary:
    """Take the runs of packs into a store. What is bad of them is told and does not stop the others.

    Codes and bound are computed here, by processes of one thread each, one a core when ``workers`` is not given; the
    record of a run says so beside what its training said (``encoded``). A run that is there already is left.

    Raises:
        InvalidInput: a store in this process's memory, a file that is not there, or a pack of another precision than
            the runs of the store; when the others are done.
        DamagedData: a pack or run that breaks a rule, or a run that is there already and differs; likewise.
        DbenchError: a worker died; likewise.
    """
    store.check_shared()
    begin, console = time.monotonic(), console or Console(stderr=True)
    tell, errors = teller(console), list[DbenchError]()

    def refuse(error: DbenchError) -> None:
        errors.append(error)
        tell(f"{FAILED}: {error}")

    new, present = _read(store, paths, refuse)
    if len(commits := sorted({run.record["commit"] for run in new})) > 1:
        tell(f"these runs were trained by {len(commits)} versions of dbench: {', '.join(commits)}")
    taken, held, cancelled = 0, 0, False
    meter = Meter(runs=len(new), units=len(new), unit="runs", console=console)
    news = run_tasks(_work, _tasks(store, new), workers=workers or cores(), tell=tell)
    with terminable(), _environment(_ALLOCATOR), meter, closing(news):
        try:
            for kind, content in news:
                if kind == "done":
                    meter.advance(runs=content["taken"], units=content["taken"])
                    taken, held = taken + content["taken"], held + content["held"]
        except KeyboardInterrupt:
            cancelled = True
        except DbenchError as error:  # told already
            errors.append(error)
    summary = UnpackSummary(taken, present, held, len(new) - taken - held, time.monotonic() - begin, cancelled)
    if errors and not cancelled:
        raise type(errors[0])(f"{errors[0]} (otherwise {summary})")
    return summary


def _read(store: Store, paths: Iterable[Path], refuse: Callable[[DbenchError], None]) -> tuple[list[PackedRun], int]:
    """Return the good runs of packs that a store lacks, and how many it has."""
    new, present, precision = dict[RunKey, PackedRun](), 0, precisions_of(store)
    for path in dict.fromkeys(paths):
        try:
            runs = read_pack(path)
            given = {run.record["precision"] for run in runs}
            if len(given | precision) > 1:
                said, wanted = (", ".join(sorted(each)) for each in (given, precision or {"one alone"}))
                raise InvalidInput(
                    f"precision of the runs of a store must be the same, here {wanted}, got {said} in {path}; "
                    "unpack it into another --store"
                )
        except DbenchError as error:
            refuse(error)
            continue
        precision = given
        for run in runs:
            try:
                if _is_there(store, run, new.get(run.key)):
                    present += 1
                else:
                    new.setdefault(run.key, run)
            except DbenchError as error:
                refuse(error)
    return [*new.values()], present


def _is_there(store: Store, run: PackedRun, twin: PackedRun | None) -> bool:
    """Whether the store has a run; one that it has not is checked, also against its twin of another file.

    Raises:
        DamagedData: it is not whole, or not what the store or the other file has.
    """
    if run.done:
        run.weights()
    if twin is not None and (twin.sha256, twin.done) != (run.sha256, run.done):
        raise DamagedData(f"{run.path}: {run.key} is another than in {twin.path}")
    if (state := state_of(store, run.key)) == "unreadable":
        raise DbenchError(f"the system refuses to read {run.key} in store {store.url}")
    if state not in FINISHED:
        return False
    same = state == run.record["status"]
    if same and run.done:
        stored = store.tensors(run.key, "weights")
        same = checksum({name: stored[name] for name in shapes_of(run.key) if name in stored}) == run.sha256
    if not same:
        raise DamagedData(f"{run.path}: {run.key} is another than in store {store.url}, which keeps its own")
    return True


def _tasks(store: Store, runs: Iterable[PackedRun]) -> list[tuple[str, Path, tuple[str, ...]]]:
    """Cut runs into tasks: of one file, data set and network each."""

    def kind(run: PackedRun) -> tuple[str, str, str]:
        return str(run.path), run.key.data, run.key.network

    tasks = []
    for _, grouped in groupby(sorted(runs, key=kind), kind):
        same = list(grouped)
        parts = [same[place : place + _AT_ONCE] for place in range(0, len(same), _AT_ONCE)]
        tasks += [(store.address, part[0].path.resolve(), tuple(run.key.digest for run in part)) for part in parts]
    return tasks


def _work(line: Line, task: tuple[str, Path, tuple[str, ...]]) -> dict[str, int]:
    """Encode a few runs and save them; one thread."""
    torch.set_num_threads(1)
    url, path, digests = task
    store, runs = Store(url), [run for run in read_pack(path) if run.key.digest in digests]
    with store.claim([run.key for run in runs]) as held:
        mine = [run for run in runs if run.key in held and state_of(store, run.key) not in FINISHED]
        for run in mine:
            if not run.done:
                record = {**_trained(run), "diverged_at": run.record["diverged_at"]}
                store.save(run.key, status="diverged", tensors={}, record=record)
        _finish(store, [run for run in mine if run.done])
    return {"taken": len(mine), "held": len(runs) - len(mine)}  # or taken in by another process meanwhile


def _trained(run: PackedRun) -> dict[str, Any]:
    return {name: run.record[name] for name in (*PROVENANCE, "scores")}


def _finish(store: Store, runs: list[PackedRun]) -> None:
    if not runs:
        return
    keys, weights = [run.key for run in runs], [run.weights() for run in runs]
    data, images = images_of(keys[0].data)
    parameters = {name: torch.from_numpy(np.stack([one[name] for one in weights])) for name in weights[0]}
    found = finish(keys, parameters, images, network_of(keys[0], data))
    encoded = {"device": device_name("cpu"), "commit": commit(), "versions": versions(), "utc": utc_now()}
    for run, own, ended in zip(runs, weights, found, strict=True):
        if ended is None:
            raise DamagedData(f"{run.path}: {run.key} must have finite codes and bound, got others")
        record = {**_trained(run), "scores": {**run.record["scores"], **ended.scores}, "encoded": encoded}
        store.save(run.key, status="done", tensors={"weights": own, "codes": ended.codes}, record=record)


@contextmanager
def _environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Give variables to the processes that are started within the context, where they are not set."""
    own = {name: value for name, value in variables.items() if name not in os.environ}
    os.environ.update(own)
    try:
        yield
    finally:
        for name in own:
            os.environ.pop(name, None)
