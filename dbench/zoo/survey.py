"""The states of the runs of a plan in a store, and checks of stored runs and scores."""

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

_fingerprint = cache(fingerprint_of)
FINISHED = ("done", "diverged")
STATES = (*FINISHED, "interrupted", "damaged", "unreadable", "missing")
"""docs/zoo.md says what each means."""


def survey(store: Store, keys: Iterable[RunKey]) -> dict[tuple[str, str, float], Counter[str]]:
    """Count the runs of a plan by data set, objective, strength and state (:data:`STATES`).

    A done run is also counted as ``scored``, ``partly scored`` or ``unscored``.
    """
    counts: dict[tuple[str, str, float], Counter[str]] = {}
    for key in keys:
        cell = counts.setdefault((key.data, key.objective, key.strength), Counter())
        state = state_of(store, key)
        cell[state] += 1
        if state == "done":
            cell[_scored(store, key)] += 1
    return counts


def _scored(store: Store, key: RunKey) -> str:
    with suppress(DbenchError):
        if document := stored_scores(store, key):
            return "partly scored" if missing_groups(document) else "scored"
    return "unscored"


def state_of(store: Store, key: RunKey) -> str:
    """Return the state of a run, one of :data:`STATES`; every file of a finished one is checked."""
    try:
        return read_state(store, key)
    except DbenchError:
        return "unreadable"


def read_state(store: Store, key: RunKey) -> str:
    """Return the state of a run, never ``unreadable``: that is raised, because such a run may be finished.

    Raises:
        DbenchError: the system refuses to read the run.
    """
    try:
        record = store.record(key)
        if record is None:
            return "missing"
        usable = record["status"] == "interrupted" or (store.intact(key, record) and not of_other_data(key, record))
        return str(record["status"]) if usable else "damaged"
    except DamagedData:
        return "damaged"


def unplanned(stored: Iterable[RunKey], profile: Profile) -> list[RunKey]:
    """Return the stored runs that the profile does not have, with any seed."""
    cells = {replace(key, seed=0) for key in profile.runs(data=profile.data)}
    return [key for key in stored if replace(key, seed=0) not in cells]


def of_other_data(key: RunKey, record: Mapping[str, Any] | None) -> bool:
    """Whether the record of a run says that it was trained on another version of its data set than is installed.

    False if ``record`` is ``None``, or if the data set cannot be loaded here.
    """
    try:
        return record is not None and record.get("data_sha256") != _fingerprint(key.data)
    except DbenchError:
        return False


def check_data(key: RunKey, data_sha256: str) -> None:
    """Refuse a run that was trained on another version of its data set than is installed.

    Raises:
        DamagedData: it was.
    """
    if _fingerprint(key.data) != data_sha256:
        raise DamagedData(f"run {key} was trained on another version of {key.data} than is installed")


def stored_scores(store: Store, key: RunKey) -> dict[str, Any] | None:
    """Return the document of a done run's scores; ``None`` if missing, damaged, of another layout or other codes."""
    from dbench.zoo.scorers import SCORING_SCHEMA

    record = store.record(key)
    try:
        document = store.read_document("scores", key=key)
    except DamagedData:
        return None
    if record is None or document is None or document.get("schema") != SCORING_SCHEMA:
        return None
    well_formed = isinstance(document.get("groups"), dict) and isinstance(document.get("versions", {}), dict)
    of_these_codes = document.get("codes") == record["files"].get("codes.safetensors")
    return document if well_formed and of_these_codes else None


def missing_groups(document: Mapping[str, Any] | None) -> set[str]:
    """Return the groups of scores that a document of :func:`stored_scores` lacks or has in another version."""
    from dbench.zoo.scorers import SCORERS

    return set(SCORERS) if document is None else set(SCORERS) - set(document["groups"]) | outdated(document)


def outdated(document: Mapping[str, Any]) -> set[str]:
    """Return the groups of scores that another version of their scorer computed."""
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
