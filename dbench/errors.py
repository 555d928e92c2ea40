"""Errors a user can act on: each message names the argument, the rule and the value received."""

import difflib
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

T = TypeVar("T")
_MOST_LISTED = 20


class DbenchError(Exception):
    """Base of everything dbench raises on purpose; the command line turns it into one line and exit code 2."""


class InvalidInput(DbenchError, ValueError):
    """An argument breaks a stated rule (wrong shape, NaN, out of range)."""


class DamagedData(DbenchError):
    """A file is corrupt, truncated, edited by hand, or not what its checksum promises."""


class CaptureFailed(DbenchError):
    """A device refuses to record a step of training as a graph."""


class UnknownName(DbenchError, LookupError):
    """A name that no registry knows (profile, metric, objective, claim, data set)."""


class EvidenceLacking(UnknownName):
    """Evidence that cannot carry a claim: no such objective or score, or too few data sets. Leaves the claim open."""


def refused(error: OSError) -> str:
    """Return in words what the operating system refused, and for which file."""
    place = f" ({error.filename})" if error.filename else ""
    return f"the operating system refused: {error.strerror or error}{place}"


def unknown_name(kind: str, name: str, known: Iterable[str]) -> UnknownName:
    """Return the error for an unknown name: its message has the nearest match and all names, or the nearest five."""
    names = sorted(known)
    listed = f"Known: {', '.join(names)}"
    if len(names) > _MOST_LISTED:
        nearest = _nearest(name, names, n=5, cutoff=0.0)
        listed = f"Nearest of {len(names)}: {', '.join(nearest)}"
    return UnknownName(f"unknown {kind} {name!r}{nearest_to(name, names) or '.'} {listed}")


def nearest_to(name: str, known: Iterable[str]) -> str:
    """Return the end of a message, which asks whether the nearest known name was meant; empty where none is near."""
    close = _nearest(name, known, n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def _nearest(name: str, known: Iterable[str], **options: Any) -> list[str]:
    """Return the known names nearest to a name, upper and lower case being the same."""
    by_lower = {known_name.lower(): known_name for known_name in known}
    return [by_lower[match] for match in difflib.get_close_matches(name.lower(), by_lower, **options)]


def find(kind: str, name: str, known: Mapping[str, T]) -> T:
    """Return the entry of that name, or raise the error of :func:`unknown_name`."""
    if name not in known:
        raise unknown_name(kind, name, known)
    return known[name]
