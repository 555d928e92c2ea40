"""Score trained runs in parallel; a score that is stored is not computed again."""

import time
from collections.abc import Collection, Iterable
from functools import cache

import numpy as np
import pandas as pd

from dbench.data import load
from dbench.errors import DamagedData, DbenchError, InvalidInput, find
from dbench.zoo.executor import Channel, Processes, run_tasks, terminable
from dbench.zoo.keys import RunKey
from dbench.zoo.progress import ProgressBar, Summary
from dbench.zoo.store import Store
from dbench.zoo.survey import check_data, missing_groups, outdated, read_state, stored_scores

_data = cache(load)


def score_one(
    store: Store, key: RunKey, *, again: Collection[str] = (), without: Collection[str] = ()
) -> dict[str, float]:
    """Compute and store the scores that a done run lacks: groups in ``again`` anew, and none in ``without``.

    Returns:
        Group of scores -> seconds spent, for the groups computed now.

    Raises:
        DamagedData: the run's files do not match its record, or come from another version of the data; or one of its
            scores is not finite.
        InvalidInput: a score cannot be computed; the others are stored.
    """
    from dbench.zoo.scorers import SCORERS, SCORING_SCHEMA, VERSIONS, EncodedRun

    record = store.record(key)
    if record is None or record["status"] != "done":
        raise DamagedData(f"run {key} is not done, so it cannot be scored")
    document = stored_scores(store, key)
    if document is None:
        codes_checksum = record["files"]["codes.safetensors"]
        document = {"schema": SCORING_SCHEMA, "codes": codes_checksum, "groups": {}, "seconds": {}}
    missing = missing_groups(document)
    todo = [name for name in SCORERS if (name in again or name in missing) and name not in without]
    stale = outdated(document) & set(without)  # removed, since an outdated score would pass for a current one
    if not todo and not stale:
        return {}
    check_data(key, record["data_sha256"])
    run = EncodedRun.of(key, _data(key.data), store.tensors(key, "codes"), record["scores"])
    spent, not_finite, impossible = {}, list[str](), list[str]()
    for name in todo:
        start = time.perf_counter()
        try:
            scores = SCORERS[name](run)
        except DbenchError as error:
            impossible.append(f"{name}: {error}")
            document["groups"].pop(name, None)
            continue
        if wrong := sorted(score for score, value in scores.items() if not np.isfinite(value).all()):
            not_finite += wrong
            document["groups"].pop(name, None)  # an earlier result of the group is not what the codes give now
            continue
        document["groups"][name] = {score: np.asarray(value).tolist() for score, value in scores.items()}
        spent[name] = time.perf_counter() - start
    for name in stale:
        del document["groups"][name]
    document["seconds"].update(spent)
    document["versions"] = {**document.get("versions", {}), **{name: VERSIONS.get(name, 1) for name in spent}}
    document["scores"] = {score: value for group in document["groups"].values() for score, value in group.items()}
    store.write_document("scores", document, key=key)
    if not_finite:
        raise DamagedData(f"scores of run {key} must be finite, got others for {', '.join(not_finite)}")
    if impossible:
        raise InvalidInput(f"run {key} must have every score, got none for {'; '.join(impossible)}")
    return spent


def _work(channel: Channel, task: tuple[str, RunKey, tuple[str, ...], tuple[str, ...]]) -> dict[str, float] | None:
    """Score a run as :func:`score_one` does; return ``None`` if another process holds it."""
    import torch

    torch.set_num_threads(1)
    url, key, again, without = task
    with Store(url).claim([key]) as claimed:
        spent = score_one(Store(url), key, again=again, without=without) if claimed else None
    channel.report(runs=1, units=1)
    return spent


def score_runs(
    store: Store,
    keys: Iterable[RunKey],
    *,
    workers: int | None = None,
    again: Collection[str] = (),
    without: Collection[str] = (),
) -> Summary:
    """Score every trained run of a plan; a run that cannot be scored does not stop the others.

    Groups in ``again`` are computed once more, those in ``without`` are left for a later call. There are ``workers``
    processes of one thread each; one per core when not given.

    Raises:
        UnknownName: a group that does not exist.
        InvalidInput: a store in this process's memory, or a group both in ``again`` and in ``without``.
        DbenchError: a worker died; raised when the others are done.
        DamagedData: runs are damaged, of another version of their data set, or cannot be read; raised when the others
            are done.
    """
    from dbench.zoo.scorers import SCORERS

    for name in (*again, *without):
        find("group of scores", name, SCORERS)
    if conflicting := sorted(set(again) & set(without)):
        raise InvalidInput(f"again must name no group that is left for a later call, got {', '.join(conflicting)}")
    store.check_shared()
    begin, todo, present, missing = time.perf_counter(), [], 0, 0
    damaged, unreadable = list[RunKey](), list[DbenchError]()
    for key in keys:
        try:
            state = read_state(store, key)
            document = stored_scores(store, key) if state == "done" else None
        except DbenchError as error:
            unreadable.append(error)
            continue
        if state == "damaged":
            damaged.append(key)
            continue
        if state != "done":
            missing += state != "diverged"
            continue
        # A run with outdated groups is not complete even if they are left for a later call: they must be removed.
        if document is not None and not again and missing_groups(document) <= set(without) - outdated(document):
            present += 1
        else:
            todo.append(key)
    tasks = [(store.url, key, tuple(again), tuple(without)) for key in todo]
    with terminable():
        bar = ProgressBar(runs=len(todo), units=len(todo), unit="runs")
        outcome = run_tasks(Processes(_work, workers), tasks, bar).checked()
    done = [spent for spent in outcome.results if spent]
    problems = []
    if damaged:
        problems.append(
            f"{len(damaged)} are damaged or of another version of their data set, {damaged[0]}"
            f"{', ...' if damaged[1:] else ''}; run dbench zoo train to train them anew"
        )
    if unreadable:
        problems.append(f"{len(unreadable)} cannot be read, {unreadable[0]}")
    if problems and not outcome.cancelled:
        raise DamagedData(
            f"{len(damaged) + len(unreadable)} runs have no scores ({len(done)} others were scored now): "
            f"{'; '.join(problems)}"
        )
    costs = pd.DataFrame(done).mean().sort_values(ascending=False)
    slowest_first = ", ".join(f"{name} {seconds:.2f}" for name, seconds in costs.items())
    more = f"seconds a run: {costs.sum():.2f} ({slowest_first})" if done else ""
    others = {"missing": missing, "elsewhere": outcome.results.count(None)}
    others["left again" if again else "left"] = len(todo) - len(outcome.results)
    return Summary("scored", len(done), present, time.perf_counter() - begin, outcome.cancelled, others, more)
