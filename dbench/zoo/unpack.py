"""Take packs into a store: check them, and make the codes of their runs on this processor."""

import os
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from rich.console import Console

from dbench.errors import DamagedData, DbenchError, InvalidInput
from dbench.provenance import commit, utc_now, versions
from dbench.training.execution import device_name
from dbench.zoo.engine import EARLY, Finished, finish, images_of, kept, network_of
from dbench.zoo.executor import FAILED, Channel, Processes, environment, run_tasks, terminable
from dbench.zoo.keys import RunKey
from dbench.zoo.pack import PackedRun, Weights, checksum, read_pack, shapes_of
from dbench.zoo.progress import ProgressBar, Summary, log_to
from dbench.zoo.store import Store
from dbench.zoo.survey import FINISHED, precisions_of, read_state
from dbench.zoo.table import PROVENANCE

_AT_ONCE = 2
"""Runs encoded together: the convolutional network takes as long for one as for two."""

_ALLOCATOR = {"MALLOC_TRIM_THRESHOLD_": "1000000000", "MALLOC_MMAP_THRESHOLD_": "1000000000"}
"""With these glibc keeps memory from pass to pass, and the convolutional network encodes in half the time.

Where the workers are forked, the process that they are forked from has them: if it was not started before.
"""


def unpack_runs(
    store: Store, paths: Iterable[Path], *, workers: int | None = None, console: Console | None = None
) -> Summary:
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
    begin, log, errors = time.monotonic(), log_to(console), list[DbenchError]()

    def refuse(error: DbenchError) -> None:
        errors.append(error)
        log(f"{FAILED}: {error}")

    new, present = _read(store, paths, refuse)
    if new:
        Store(store.url)  # makes it: none is left behind where every pack is refused
    if len(commits := sorted({run.record["commit"] for run in new})) > 1:
        log(f"these runs were trained by {len(commits)} versions of dbench: {', '.join(commits)}")
    with terminable(), environment({**_ALLOCATOR, **os.environ}):
        bar = ProgressBar(runs=len(new), units=len(new), unit="runs", console=console)
        outcome = run_tasks(Processes(_work, workers), _tasks(store, new), bar)
    for error in (error for result in outcome.results for error in result.errors):
        refuse(error)
    taken, held = (sum(getattr(result, name) for result in outcome.results) for name in ("taken", "held"))
    others = {"elsewhere": held, "left": len(new) - taken - held}
    summary = Summary("took in", taken, present, time.monotonic() - begin, outcome.cancelled, others)
    if (errors := errors + outcome.errors) and not outcome.cancelled:
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
                theirs, ours = (", ".join(sorted(each)) for each in (given, precision or {"one alone"}))
                raise InvalidInput(
                    f"precision of the runs of a store must be the same, here {ours}, got {theirs} in {path}; "
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
        DbenchError: the system refuses to read that of the store.
    """
    if run.done:
        run.weights()
    if twin is not None and (twin.sha256, twin.done) != (run.sha256, run.done):
        raise DamagedData(f"{run.path}: {run.key} is another than in {twin.path}")
    if (state := read_state(store, run.key)) not in FINISHED:
        return False
    same = state == run.record["status"]
    if same and run.done:
        stored = store.tensors(run.key, "weights")
        same = checksum({name: stored[name] for name in shapes_of(run.key) if name in stored}) == run.sha256
    if not same:
        raise DamagedData(f"{run.path}: {run.key} is another than in store {store.url}, which keeps its own")
    return True


_Task = tuple[str, list[PackedRun]]


def _tasks(store: Store, runs: Iterable[PackedRun]) -> list[_Task]:
    """Cut runs into tasks: of one file, data set and network each."""
    of_kind = defaultdict[tuple[Path, str, str], list[PackedRun]](list)
    for run in runs:
        of_kind[run.path, run.key.data, run.key.network].append(run)
    return [(store.address, same[i : i + _AT_ONCE]) for same in of_kind.values() for i in range(0, len(same), _AT_ONCE)]


class _Taken(NamedTuple):
    """How many runs of a task were saved, how many another process holds or took in, and what is bad of the others."""

    taken: int
    held: int
    errors: list[DbenchError]


def _work(channel: Channel, task: _Task) -> _Taken:
    """Encode a few runs and save them, each whatever is bad of the others; one thread."""
    torch.set_num_threads(1)
    store, runs, errors, taken = Store(task[0]), task[1], list[DbenchError](), 0
    with store.claim([run.key for run in runs]) as held:
        mine = dict[PackedRun, Weights]()
        for run in runs:
            with kept(errors):
                if run.key in held and read_state(store, run.key) not in FINISHED:
                    mine[run] = run.weights() if run.done else {}
        elsewhere = len(runs) - len(mine) - len(errors)
        ends = _ends({run: weights for run, weights in mine.items() if run.done})
        for run, weights in mine.items():
            with kept(errors):
                _save(store, run, weights, ends.get(run))
                taken += 1
    channel.report(runs=taken, units=taken)
    return _Taken(taken, elsewhere, errors)


def _ends(runs: Mapping[PackedRun, Weights]) -> dict[PackedRun, Finished | None]:
    """Encode runs of one data set and network."""
    if not runs:
        return {}
    keys, weights = [run.key for run in runs], [*runs.values()]
    data, images = images_of(keys[0].data)
    parameters = {name: torch.from_numpy(np.stack([one[name] for one in weights])) for name in weights[0]}
    return dict(zip(runs, finish(keys, parameters, images, network_of(keys[0], data)), strict=True))


def _save(store: Store, run: PackedRun, weights: Weights, ended: Finished | None) -> None:
    record = {name: run.record[name] for name in PROVENANCE}
    # All other scores are computed here and not believed.
    record["scores"] = {name: value for name, value in run.record["scores"].items() if name in EARLY.values()}
    if not run.done:
        record["diverged_at"] = run.record["diverged_at"]
        store.save(run.key, status="diverged", tensors={}, record=record)
        return
    if ended is None:
        raise DamagedData(f"{run.path}: {run.key} must have finite codes and bound, got others")
    record["scores"] = {**record["scores"], **ended.scores}
    record["encoded"] = {"device": device_name("cpu"), "commit": commit(), "versions": versions(), "utc": utc_now()}
    store.save(run.key, status="done", tensors={"weights": weights, "codes": ended.codes}, record=record)
