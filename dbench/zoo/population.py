"""Scores of a run that need other runs: how well models of one population agree (Duan et al. 2020)."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from dbench import seeds
from dbench.errors import DamagedData
from dbench.zoo.arrays import AGREEMENTS
from dbench.zoo.executor import Channel, Processes, run_tasks, terminable
from dbench.zoo.keys import KEY_SCHEMA, RunKey
from dbench.zoo.progress import ProgressBar
from dbench.zoo.store import Store

if TYPE_CHECKING:
    from dbench.metrics.udr import Relation

Scores = dict[str, float | list[float]]

POINTS = 10_000
"""Grid points at which models are compared, the same for all models of a data set."""

UDR_VERSION = 3
"""Raised when the comparison changes what it computes."""

_RELATIONS: tuple[Relation, ...] = ("lasso", "spearman")


def score_population(store: Store, keys: Iterable[RunKey], *, workers: int | None = None) -> dict[str, Scores]:
    """Compare every run with the others of its objective: those of its strength, and all.

    The result is kept in the store under a name made from what went into it, so that it is computed again only when a
    run was added or trained anew. Runs that are not done are left out.

    Returns:
        Digest -> the scores ``udr.*`` of docs/design.md. Empty where a run is the only one of its strength that is
        done: it has no agreement within it, and all done runs of a table have the same scores.

    Raises:
        DamagedData: codes that are not what their record promises.
        InvalidInput: a store in this process's memory.
    """
    store.check_shared()
    populations: dict[RunKey, list[tuple[RunKey, str]]] = defaultdict(list)
    for key in sorted(keys):
        record = store.record(key)
        if record is not None and record["status"] == "done":
            shared = replace(key, strength=0, seed=0)
            populations[shared].append((key, record["files"]["codes.safetensors"]))
    cells = Counter((shared, key.strength) for shared, members in populations.items() for key, _ in members)
    if 1 in cells.values():
        return {}
    tasks, parts, scores = [], list[dict[str, Scores]](), dict[str, Scores]()
    for members in populations.values():
        for relation in _RELATIONS:
            name = _name(members, relation)
            with suppress(DamagedData):
                if (known := store.read_document(name)) is not None:
                    parts.append(known["scores"])
                    continue
            tasks.append((store.url, tuple(key for key, _ in members), relation, name))
    with terminable():
        bar = ProgressBar(runs=len(tasks), units=len(tasks), unit="populations")
        outcome = run_tasks(Processes(_compare, workers), tasks, bar).checked()
    if outcome.cancelled:
        raise KeyboardInterrupt
    for part in (*parts, *outcome.results):
        for digest, values in part.items():
            scores.setdefault(digest, {}).update(values)
    return scores


def _name(members: list[tuple[RunKey, str]], relation: str) -> str:
    text = json.dumps([UDR_VERSION, KEY_SCHEMA, POINTS, relation, [[key.digest, codes] for key, codes in members]])
    return f"populations/udr-{relation}-{hashlib.sha256(text.encode()).hexdigest()[:16]}"


def _compare(channel: Channel, task: tuple[str, tuple[RunKey, ...], Relation, str]) -> dict[str, Scores]:
    import numpy as np

    from dbench.metrics.posterior import informative_mask
    from dbench.metrics.udr import agreements_by
    from dbench.zoo.scorers import ACTIVE

    url, keys, relation, name = task
    store = Store(url)
    codes, informative = [], []
    for key in keys:
        whole = store.tensors(key, "codes")
        points = seeds.generator(purpose="udr", data=key.data).integers(len(whole["mean"]), size=POINTS)
        codes.append(whole["mean"][points].astype(np.float64))
        informative.append(informative_mask(whole["mean"], whole["logvar"], threshold=ACTIVE))
    stack, flags = np.stack(codes), np.stack(informative)
    others = ~np.eye(len(keys), dtype=bool)
    alike = np.equal.outer(*[np.array([key.strength for key in keys])] * 2) & others
    scores: dict[str, Scores] = {key.digest: {} for key in keys}
    by = agreements_by(stack, flags, relation=relation, aggregations=["strongest", "entropy"])
    for score, agreements in zip((f"udr.{relation}", f"udr.{relation}.entropy"), by, strict=True):
        for key, row, cell, rest in zip(keys, agreements, alike, others, strict=True):
            scores[key.digest] |= {score: float(np.median(row[cell])), f"{score}.all": float(np.median(row[rest]))}
            if score == "udr.lasso":
                scores[key.digest][AGREEMENTS] = row.tolist()
    store.write_document(name, {"scores": scores})
    channel.report(runs=1, units=1)
    return scores
