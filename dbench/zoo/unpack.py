"""Unpack runs into a store: check them, and encode the images with their weights on this processor."""

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
"""Runs that are encoded together: the convolutional network takes as long for one run as for two."""

_ALLOCATOR = {"MALLOC_TRIM_THRESHOLD_": "1000000000", "MALLOC_MMAP_THRESHOLD_": "1000000000"}
"""Environment variables by which glibc keeps memory between passes; the convolutional network encodes in half the time.

Forked workers have them only if the server process that forks them was not started before.
"""


def unpack_runs(
    store: Store, paths: Iterable[Path], *, workers: int | None = None, console: Console | None = None
) -> Summary:
    """Take the runs of packs into a store; a bad pack or run is logged and does not stop the others.

    Codes and ELBO are computed here, by ``workers`` processes of one thread each (one per core when not given), which
    the record of a run notes as ``encoded``, beside the device of its training. Runs that the store has are left alone.

    Raises:
        InvalidInput: a store in this process's memory, a file that does not exist, or a pack of another precision than
            the runs of the store; the last two are raised when all other runs are done.
        DamagedData: a pack or run that is damaged, or differs from a run of the store; raised when all others are done.
        DbenchError: a worker died; raised when all others are done.
    """
    store.check_shared()
    begin, log, errors = time.monotonic(), log_to(console), list[DbenchError]()

    def refuse(error: DbenchError) -> None:
        errors.append(error)
        log(f"{FAILED}: {error}")

    new, present = _read(store, paths, refuse)
    if new:
        Store(store.url)  # created only now, so that no empty store is left where every pack is refused
    if len(commits := sorted({run.record["commit"] for run in new})) > 1:
        log(f"these runs were trained by {len(commits)} versions of dbench: {', '.join(commits)}")
    with terminable(), environment({**_ALLOCATOR, **os.environ}):
        bar = ProgressBar(runs=len(new), units=len(new), unit="runs", console=console)
        outcome = run_tasks(Processes(_work, workers), _tasks(store, new), bar)
    for result in outcome.results:
        for error in result.errors:
            refuse(error)
    taken = sum(result.taken for result in outcome.results)
    held = sum(result.held for result in outcome.results)
    others = {"elsewhere": held, "left": len(new) - taken - held}
    summary = Summary("took in", taken, present, time.monotonic() - begin, outcome.cancelled, others)
    if (errors := errors + outcome.errors) and not outcome.cancelled:
        raise type(errors[0])(f"{errors[0]} (otherwise {summary})")
    return summary


def _read(store: Store, paths: Iterable[Path], refuse: Callable[[DbenchError], None]) -> tuple[list[PackedRun], int]:
    """Return the valid runs of packs that a store lacks, and how many of them it has; pass errors to ``refuse``."""
    new, present, precisions = dict[RunKey, PackedRun](), 0, precisions_of(store)
    for path in dict.fromkeys(paths):
        try:
            runs = read_pack(path)
            pack_precisions = {run.record["precision"] for run in runs}
            if len(pack_precisions | precisions) > 1:
                theirs, ours = ", ".join(sorted(pack_precisions)), ", ".join(sorted(precisions or {"one alone"}))
                raise InvalidInput(
                    f"precision of the runs of a store must be the same, here {ours}, got {theirs} in {path}; "
                    "unpack it into another --store"
                )
        except DbenchError as error:
            refuse(error)
            continue
        precisions = pack_precisions
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
    """Whether the store has a run; checks its weights against the store's and those of ``twin``, from another pack.

    Raises:
        DamagedData: the weights are damaged, or differ from those in the store or in the other pack.
        DbenchError: the system refuses to read the run in the store.
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
    """Cut runs into tasks of at most two runs, which share file, data set and network."""
    runs_by_kind = defaultdict[tuple[Path, str, str], list[PackedRun]](list)
    for run in runs:
        runs_by_kind[run.path, run.key.data, run.key.network].append(run)
    tasks = []
    for same_kind in runs_by_kind.values():
        tasks += [(store.address, same_kind[i : i + _AT_ONCE]) for i in range(0, len(same_kind), _AT_ONCE)]
    return tasks


class _Taken(NamedTuple):
    """Number of runs of a task that were saved, number that another process holds or has saved, and errors."""

    taken: int
    held: int
    errors: list[DbenchError]


def _work(channel: Channel, task: _Task) -> _Taken:
    """Encode and save the runs of a task in one thread; an error of one run does not stop the others."""
    torch.set_num_threads(1)
    store, runs, errors, taken = Store(task[0]), task[1], list[DbenchError](), 0
    with store.claim([run.key for run in runs]) as claimed:
        weights_of = dict[PackedRun, Weights]()
        for run in runs:
            with kept(errors):
                if run.key in claimed and read_state(store, run.key) not in FINISHED:
                    weights_of[run] = run.weights() if run.done else {}
        elsewhere = len(runs) - len(weights_of) - len(errors)
        encoded = _encode({run: weights for run, weights in weights_of.items() if run.done})
        for run, weights in weights_of.items():
            with kept(errors):
                _save(store, run, weights, encoded.get(run))
                taken += 1
    channel.report(runs=taken, units=taken)
    return _Taken(taken, elsewhere, errors)


def _encode(runs: Mapping[PackedRun, Weights]) -> dict[PackedRun, Finished | None]:
    """Encode all images with runs of one data set and network; ``None`` for a run with codes that are not finite."""
    if not runs:
        return {}
    keys, weights = [run.key for run in runs], [*runs.values()]
    data, images = images_of(keys[0].data)
    parameters = {name: torch.from_numpy(np.stack([run[name] for run in weights])) for name in weights[0]}
    return dict(zip(runs, finish(keys, parameters, images, network_of(keys[0], data)), strict=True))


def _save(store: Store, run: PackedRun, weights: Weights, encoded: Finished | None) -> None:
    record = {name: run.record[name] for name in PROVENANCE}
    # Only the early losses are taken from the pack; all other scores are computed here.
    record["scores"] = {name: value for name, value in run.record["scores"].items() if name in EARLY.values()}
    if not run.done:
        record["diverged_at"] = run.record["diverged_at"]
        store.save(run.key, status="diverged", tensors={}, record=record)
        return
    if encoded is None:
        raise DamagedData(f"{run.path}: {run.key} must have finite codes and bound, got others")
    record["scores"] = {**record["scores"], **encoded.scores}
    record["encoded"] = {"device": device_name("cpu"), "commit": commit(), "versions": versions(), "utc": utc_now()}
    store.save(run.key, status="done", tensors={"weights": weights, "codes": encoded.codes}, record=record)
