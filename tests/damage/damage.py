"""What spoils bytes and documents, and the bounds within which what is spoilt must be read."""

import copy
import resource
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

# Of one input: seconds of the processor, and bytes of address space beyond what the process has when it begins
# (an allocator reserves a good deal that it never uses).
SECONDS, BYTES = 10.0, 8 * 2**30
ODD = [None, True, -1, 0, 10**30, 1.5, -0.0, float("nan"), float("inf"), "", "x" * 1000, "\x00", "../..", [], {}, [[]]]


def damaged(data: bytes, stream: np.random.Generator, *, at: Callable[[int], int] = lambda place: place) -> bytes:
    """Some bytes lost, doubled, overwritten or flipped; ``at`` may move the place to where more depends on it."""
    place, length = at(int(stream.integers(len(data)))), int(stream.integers(1, 64))
    damage = int(stream.integers(6))
    if damage == 0:
        return data[:place]
    if damage == 1:
        return data[:place] + data[place + length :]
    if damage == 2:
        return data[: place + length] + data[place:]
    if damage == 3:
        return data[:place] + stream.bytes(length) + data[place + length :]
    if damage == 4:
        filler = bytes([int(stream.choice([0, 10, 13, 34, 44, 45, 127, 255]))])
        return data[:place] + filler * length + data[place + length :]
    flipped = bytearray(data)
    for index in (place + stream.integers(0, 40, size=int(stream.integers(1, 6)))) % len(data):
        flipped[index] ^= 1 << int(stream.integers(8)) if stream.random() < 0.7 else int(stream.integers(1, 256))
    return bytes(flipped)


def edited(document: Any, stream: np.random.Generator) -> Any:
    """A JSON document with one to three of its values lost, replaced by odd ones, doubled or exchanged."""
    document = copy.deepcopy(document)
    for _ in range(int(stream.integers(1, 4))):
        places = list(_places(document))
        if not places:
            break
        holder, key = places[int(stream.integers(len(places)))]
        damage = int(stream.integers(4))
        if damage == 0:
            del holder[key]
        elif damage == 1:
            other, name = places[int(stream.integers(len(places)))]
            holder[key] = copy.deepcopy(other[name])
        elif damage == 2 and isinstance(holder, list):
            holder.insert(key, copy.deepcopy(holder[key]))
        else:
            holder[key] = copy.deepcopy(ODD[int(stream.integers(len(ODD)))])
    return document


def _places(document: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(document, dict | list):
        for key in list(document) if isinstance(document, dict) else range(len(document)):
            yield document, key
            yield from _places(document[key])


@contextmanager
def bounded() -> Iterator[None]:
    """Insist on the bounds."""
    before, limits = time.process_time(), resource.getrlimit(resource.RLIMIT_AS)
    if sys.platform == "linux":
        with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123
            taken = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (taken + BYTES, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limits)
    assert time.process_time() - before < SECONDS


@dataclass
class Reader:
    """A folder that is whole, what in it is damaged and how, and what reads it."""

    folder: Path
    spoil: Callable[[Path, np.random.Generator], None]
    read: Callable[[Path], object]
    axes: dict[str, str] = field(default_factory=dict)  # of the streams of damage, where they are others


def spoil_file(path: Path, stream: np.random.Generator) -> None:
    path.write_bytes(damaged(path.read_bytes(), stream))
