"""How far a store is with a plan: the state of every run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from dbench.data import load
from dbench.errors import DamagedData, DbenchError
from dbench.zoo.keys import RunKey
from dbench.zoo.store import Store

if TYPE_CHECKING:
    from dbench.zoo.profiles import Profile

FINISHED = ("done", "diverged")
STATES = (*FINISHED, "interrupted", "damaged", "unreadable", "missing")
"""docs/zoo.md says what each means."""


def survey(store: Store, keys: Iterable[RunKey]) -> dict[tuple[str, str, float], Counter[str]]:
    """Count the runs of a plan by data set, objective, strength and state (:data:`STATES`).

    ``scored`` counts those of the done runs that have scores.
    """
    counts: dict[tuple[str, str, float], Counter[str]] = {}
    for key in keys:
        cell = counts.setdefault((key.data, key.objective, key.strength), Counter())
        state = state_of(store, key)
        cell[state] += 1
        cell["scored"] += state == "done" and _scored(store, key)
    return counts


def state_of(store: Store, key: RunKey) -> str:
    """Return the state of a run, one of :data:`STATES`; every file of a finished one is checked."""
    try:
        record = store.record(key)
        if record is None:
            return "missing"
        whole = record["status"] == "interrupted" or (store.intact(key, record) and not of_other_data(key, record))
        return str(record["status"]) if whole else "damaged"
    except DamagedData:
        return "damaged"
    except DbenchError:
        return "unreadable"


def strangers(stored: Iterable[RunKey], profile: Profile) -> list[RunKey]:
    """Return the runs that a profile has no cell for, whatever their seeds."""
    cells = {replace(key, seed=0) for key in profile.runs(data=profile.data)}
    return [key for key in stored if replace(key, seed=0) not in cells]


def of_other_data(key: RunKey, record: Mapping[str, Any] | None) -> bool:
    """Whether a run was trained, by its record, on another version of its data set than is installed.

    Not where there is no such run, or where the data set cannot be loaded here.
    """
    installed = None if record is None else _fingerprint(key.data)
    return record is not None and installed is not None and record.get("data_sha256") != installed


@cache
def _fingerprint(data_name: str) -> str | None:
    try:
        return load(data_name).fingerprint
    except DbenchError:
        return None


def _scored(store: Store, key: RunKey) -> bool:
    try:
        return store.read_document("scores", key=key) is not None
    except DbenchError:
        return False
