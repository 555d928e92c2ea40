"""How far a store is with a plan: the state of every run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from dbench.data import fingerprint_of
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

    ``scored`` counts those of the done runs that have every score, ``partly scored`` those that have some.
    """
    counts: dict[tuple[str, str, float], Counter[str]] = {}
    for key in keys:
        cell = counts.setdefault((key.data, key.objective, key.strength), Counter())
        state = state_of(store, key)
        cell[state] += 1
        if state == "done":
            document = None
            with suppress(DbenchError):
                document = stored_scores(store, key)
            cell["unscored" if document is None else "partly scored" if missing_groups(document) else "scored"] += 1
    return counts


def state_of(store: Store, key: RunKey) -> str:
    """Return the state of a run, one of :data:`STATES`; every file of a finished one is checked."""
    try:
        return read_state(store, key)
    except DbenchError:
        return "unreadable"


def read_state(store: Store, key: RunKey) -> str:
    """Return what :func:`state_of` does, but for a run that cannot be read: it may be finished.

    Raises:
        DbenchError: the system refuses to read the run.
    """
    try:
        record = store.record(key)
        if record is None:
            return "missing"
        whole = record["status"] == "interrupted" or (store.intact(key, record) and not of_other_data(key, record))
        return str(record["status"]) if whole else "damaged"
    except DamagedData:
        return "damaged"


def unplanned(stored: Iterable[RunKey], profile: Profile) -> list[RunKey]:
    """Return the runs that a profile has no cell for, whatever their seeds."""
    cells = {replace(key, seed=0) for key in profile.runs(data=profile.data)}
    return [key for key in stored if replace(key, seed=0) not in cells]


def of_other_data(key: RunKey, record: Mapping[str, Any] | None) -> bool:
    """Whether a run was trained, by its record, on another version of its data set than is installed.

    Not where there is no such run, or where the data set cannot be loaded here.
    """
    try:
        return record is not None and record.get("data_sha256") != _fingerprint(key.data)
    except DbenchError:
        return False


def check_data(key: RunKey, data_sha256: str) -> None:
    """Insist that the data set of a run is installed in the version that it was trained on.

    Raises:
        DamagedData: it is not.
    """
    if _fingerprint(key.data) != data_sha256:
        raise DamagedData(f"run {key} was trained on another version of {key.data} than is installed")


_fingerprint = cache(fingerprint_of)


def stored_scores(store: Store, key: RunKey) -> dict[str, Any] | None:
    """Return the scores of a run that is done, where they are whole, of this layout and of the codes it has now."""
    from dbench.zoo.scorers import SCORING_SCHEMA

    record = store.record(key)
    try:
        document = store.read_document("scores", key=key)
    except DamagedData:
        return None
    if record is None or document is None or document.get("schema") != SCORING_SCHEMA:
        return None
    whole = isinstance(document.get("groups"), dict) and isinstance(document.get("versions", {}), dict)
    return document if whole and document.get("codes") == record["files"].get("codes.safetensors") else None


def missing_groups(document: Mapping[str, Any] | None) -> set[str]:
    """Return the groups of scores that are not in a document of :func:`stored_scores`, or outdated there."""
    from dbench.zoo.scorers import SCORERS

    return set(SCORERS) if document is None else set(SCORERS) - set(document["groups"]) | outdated(document)


def outdated(document: Mapping[str, Any]) -> set[str]:
    """Return the groups among the scores of a run that are of another version than this one's."""
    from dbench.zoo.scorers import VERSIONS

    versions = document.get("versions", {})
    return {name for name in document["groups"] if versions.get(name, 1) != VERSIONS.get(name, 1)}


def precisions_of(store: Store) -> set[str]:
    """Return the precisions in which the finished runs of a store were trained."""
    records = []
    for key in store.contents().keys:
        with suppress(DamagedData):
            records.append(store.record(key))
    return {record["precision"] for record in records if record is not None and record["status"] in FINISHED}
