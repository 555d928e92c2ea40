"""Scores that need several runs: how well the models of one population agree, UDR (Duan et al. 2020)."""

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
"""Increased when the comparison changes what it computes."""

_RELATIONS: tuple[Relation, ...] = ("lasso", "spearman")


def score_population(store: Store, keys: Iterable[RunKey], *, workers: int | None = None) -> dict[str, Scores]:
    """Compare every done run with the other done runs of its objective: those of its strength, and all.

    The store keeps the results under names that hash the inputs, so that they are computed again only when a run was
    added or trained anew.

    Returns:
        Digest -> the scores ``udr.*`` of docs/design.md. Empty if any run is the only done one of its objective and
        strength: it cannot have these scores, and all done runs of a table must have the same ones.

    Raises:
        DamagedData: codes that do not match their record.
        InvalidInput: a store in this process's memory.
    """
    store.check_shared()
    populations: dict[RunKey, list[tuple[RunKey, str]]] = defaultdict(list)
    for key in sorted(keys):
        record = store.record(key)
        if record is not None and record["status"] == "done":
            shared = replace(key, strength=0, seed=0)
            populations[shared].append((key, record["files"]["codes.safetensors"]))
    runs_of_cell = Counter((shared, key.strength) for shared, members in populations.items() for key, _ in members)
    if 1 in runs_of_cell.values():
        return {}
    tasks, stored, scores = [], list[dict[str, Scores]](), dict[str, Scores]()
    for members in populations.values():
        for relation in _RELATIONS:
            name = _name(members, relation)
            with suppress(DamagedData):
                if (document := store.read_document(name)) is not None:
                    stored.append(document["scores"])
                    continue
            tasks.append((store.url, tuple(key for key, _ in members), relation, name))
    with terminable():
        bar = ProgressBar(runs=len(tasks), units=len(tasks), unit="populations")
        outcome = run_tasks(Processes(_compare, workers), tasks, bar).checked()
    if outcome.cancelled:
        raise KeyboardInterrupt
    for result in (*stored, *outcome.results):
        for digest, values in result.items():
            scores.setdefault(digest, {}).update(values)
    return scores


def _name(members: list[tuple[RunKey, str]], relation: str) -> str:
    """Return the name of the stored comparison of these runs, given with the checksums of their codes."""
    text = json.dumps([UDR_VERSION, KEY_SCHEMA, POINTS, relation, [[key.digest, codes] for key, codes in members]])
    return f"populations/udr-{relation}-{hashlib.sha256(text.encode()).hexdigest()[:16]}"


def _compare(channel: Channel, task: tuple[str, tuple[RunKey, ...], Relation, str]) -> dict[str, Scores]:
    """Compare the runs of one population by one relation; store and return digest -> scores."""
    import numpy as np

    from dbench.metrics.posterior import informative_mask
    from dbench.metrics.udr import agreements_by
    from dbench.zoo.scorers import ACTIVE

    url, keys, relation, name = task
    store = Store(url)
    codes, informative = [], []
    for key in keys:
        posterior = store.tensors(key, "codes")
        mean, logvar = posterior["mean"], posterior["logvar"]
        points = seeds.generator(purpose="udr", data=key.data).integers(len(mean), size=POINTS)
        codes.append(mean[points].astype(np.float64))
        informative.append(informative_mask(mean, logvar, threshold=ACTIVE))
    is_other = ~np.eye(len(keys), dtype=bool)
    strengths = np.array([key.strength for key in keys])
    same_strength = np.equal.outer(strengths, strengths) & is_other
    scores: dict[str, Scores] = {key.digest: {} for key in keys}
    stack, flags = np.stack(codes), np.stack(informative)
    matrices = agreements_by(stack, flags, relation=relation, aggregations=["strongest", "entropy"])
    for score, agreements in zip((f"udr.{relation}", f"udr.{relation}.entropy"), matrices, strict=True):
        for key, row, same, other in zip(keys, agreements, same_strength, is_other, strict=True):
            scores[key.digest] |= {score: float(np.median(row[same])), f"{score}.all": float(np.median(row[other]))}
            if score == "udr.lasso":
                scores[key.digest][AGREEMENTS] = row.tolist()
    store.write_document(name, {"scores": scores})
    channel.report(runs=1, units=1)
    return scores
