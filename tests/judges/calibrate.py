"""Measure how often the rules of the claims over zoos err, and write docs/calibration.md.

From the root of the repository: ``python tests/judges/calibrate.py``. Every place is judged in some worlds, and each
margin at which many came out wrong once more in many others. The work is cut into pieces that any process may take;
with ``--scratch FILE`` each finished piece is kept there, and a run that was interrupted goes on where it stopped.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import os
import sys
import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

# One thread a process, before numpy is read.
os.environ["OMP_NUM_THREADS"] = "1"

import calibration_page as page
from calibration import Frequencies, Place, judged, places_of, sharpened
from conftest import CALIBRATIONS, claim_file
from counter_worlds import card_of

from dbench.seeds import generator

# Worlds of one piece of work: seconds, of the slowest claims.
PIECE = 100


@dataclass(frozen=True)
class Piece:
    """Work of one process: find the places of an entry, or judge worlds of one of them.

    Attributes:
        entry: position in the registry.
        place: which of its places; none finds them all.
        start: first world.
        stop: one past the last.
    """

    entry: int
    place: int | None = None
    start: int = 0
    stop: int = 0


def read_claims() -> None:
    """Import every claim file at once: those that are edited meanwhile must not come in halfway."""
    for entry in CALIBRATIONS:
        claim_file(entry.file)


def work(piece: Piece, place: Place | None) -> list[dict[str, Any]]:
    """Do one piece; what comes back can be written as JSON."""
    entry = CALIBRATIONS[piece.entry]
    module = claim_file(entry.file)
    claim = card_of(module, entry.card)
    if place is not None:
        return [asdict(judged(entry, module, claim, place, range(piece.start, piece.stop)))]
    rough = places_of(entry, module, claim)
    return [asdict(sharpened(entry, module, p) if p.name == "margin" else p) for p in rough]


@cache
def fingerprint(index: int) -> str:
    """Hash an entry's card and its estimates in a few worlds: what was found before holds while these are the same."""
    entry = CALIBRATIONS[index]
    module = claim_file(entry.file)
    claim = card_of(module, entry.card)
    told = [repr((claim.rule, claim.confidence, claim.min_n, entry.seeds, entry.truth_seeds, entry.effects, entry.at))]
    for number, share in enumerate((0.25, 0.5, 0.75)):
        effect = entry.effects[0] + share * (entry.effects[1] - entry.effects[0])
        stream = generator(fingerprint=f"{entry.file} {entry.card}", world=number)
        world = entry.world(effect=effect, generator=stream, seeds=entry.seeds, point_only=False)
        found = entry.estimate(module, world)
        told.append(f"{found.value:.8g} {found.low:.8g} {found.high:.8g}")
    return hashlib.sha256("\n".join(told).encode()).hexdigest()[:16]


class Scratch:
    """Finished pieces, one JSON object a line."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._known: dict[str, list[dict[str, Any]]] = {}
        if path is None or not path.exists():
            return
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        if lines and not lines[-1].endswith("\n"):  # cut off while it was written
            path.write_text("".join(lines[:-1]), encoding="utf-8")
        for text in lines:
            if text.endswith("\n"):
                kept = json.loads(text)
                self._known[kept["piece"]] = kept["found"]

    @staticmethod
    def key(piece: Piece) -> str:
        entry = CALIBRATIONS[piece.entry]
        return f"{entry.file} {entry.card} {piece.place} {piece.start} {piece.stop} {fingerprint(piece.entry)}"

    def get(self, piece: Piece) -> list[dict[str, Any]] | None:
        return self._known.get(self.key(piece)) if self._known else None

    def keep(self, piece: Piece, found: list[dict[str, Any]]) -> None:
        if self._path:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"piece": self.key(piece), "found": found}) + "\n")


@dataclass
class Claimed:
    """What is known of one entry so far: its places, their worlds, and how many pieces are still out."""

    places: list[Place] = field(default_factory=list)
    first: dict[int, Frequencies] = field(default_factory=dict)
    more: dict[int, Frequencies] = field(default_factory=dict)
    out: int = 0

    def frequencies(self) -> list[Frequencies]:
        return [self.more.get(number, self.first[number]) for number in range(len(self.places))]


def pieces(entry: int, place: int, start: int, stop: int) -> Iterator[Piece]:
    for at in range(start, stop, PIECE):
        yield Piece(entry, place, at, min(at + PIECE, stop))


class Run:
    """The whole work: hands out pieces, and what follows from them."""

    def __init__(self, chosen: argparse.Namespace, pool: ProcessPoolExecutor, scratch: Scratch) -> None:
        self._chosen, self._pool, self._scratch = chosen, pool, scratch
        self._futures: dict[Future[list[dict[str, Any]]], Piece] = {}
        self._ready: deque[tuple[Piece, list[dict[str, Any]]]] = deque()
        self.entries: dict[int, Claimed] = {}

    def start(self, index: int) -> None:
        self.entries[index] = Claimed()
        self._hand_out(Piece(index))

    def finished(self) -> Iterator[int]:
        """Work until nothing is left; gives each entry as it is done."""
        while self._ready or self._futures:
            while self._ready:
                piece, found = self._ready.popleft()
                yield from self._take(piece, found)
            done = wait(self._futures, return_when=FIRST_COMPLETED).done if self._futures else ()
            for future in done:
                piece, found = self._futures.pop(future), future.result()
                self._scratch.keep(piece, found)
                self._ready.append((piece, found))

    def _hand_out(self, piece: Piece) -> None:
        state = self.entries[piece.entry]
        state.out += 1
        kept = self._scratch.get(piece)
        if kept is not None:
            self._ready.append((piece, kept))
            return
        place = None if piece.place is None else state.places[piece.place]
        self._futures[self._pool.submit(work, piece, place)] = piece

    def _take(self, piece: Piece, found: list[dict[str, Any]]) -> Iterator[int]:
        state = self.entries[piece.entry]
        state.out -= 1
        worlds, more = self._chosen.worlds, self._chosen.more
        if piece.place is None:
            state.places = [Place(**place) for place in found]
            for number in range(len(state.places)):
                for part in pieces(piece.entry, number, 0, worlds):
                    self._hand_out(part)
            return
        counted = state.first if piece.stop <= worlds else state.more
        (part_found,) = found
        new = Frequencies(**part_found)
        counted[piece.place] = counted[piece.place] + new if piece.place in counted else new
        so_far = state.first[piece.place] if counted is state.first else None
        whole = so_far is not None and so_far.worlds == worlds and so_far.place == "margin"
        if whole and max(share.value for share in so_far.wrong) > self._chosen.suspect:
            for part in pieces(piece.entry, piece.place, worlds, worlds + more):
                self._hand_out(part)
        if not state.out:
            yield piece.entry


def rows(index: int, found: list[Frequencies]) -> list[list[str]]:
    """Write one claim as rows of the table: its margins, and beside each the effect."""
    entry = CALIBRATIONS[index]
    claim = card_of(claim_file(entry.file), entry.card)
    *margins, effect = found
    return [page.cells_of(claim, margin, effect, entry.at_says) for margin in margins]


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, default=200, help="worlds at each place of each claim")
    parser.add_argument("--more", type=int, default=2_000, help="other worlds at the margins that look suspect")
    parser.add_argument("--suspect", type=float, default=0.03, help="share of wrong verdicts above which one does")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--scratch", type=Path, help="file of finished pieces: an interrupted run goes on with it")
    parser.add_argument("--only", nargs="+", help="claims whose file and card hold such a text; nothing is written")
    return parser.parse_args()


def main() -> int:
    chosen, started = options(), time.perf_counter()
    names = [f"{entry.file} {entry.card}" for entry in CALIBRATIONS]
    picked = [i for i, name in enumerate(names) if any(text in name for text in chosen.only or [""])]
    read_claims()
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(chosen.processes, mp_context=spawn, initializer=read_claims) as pool:
        run = Run(chosen, pool, Scratch(chosen.scratch))
        for index in picked:
            run.start(index)
        try:
            for count, index in enumerate(run.finished(), start=1):
                found = run.entries[index].frequencies()
                blur = max(margin.blur for margin in found[:-1])
                minutes = (time.perf_counter() - started) / 60
                sys.stdout.write("".join(f"{page.line(row)}\n" for row in rows(index, found)))
                sys.stdout.write(f"  margin known to {blur:.1%}; {count} of {len(picked)}, {minutes:.1f} min\n")
                sys.stdout.flush()
        except KeyboardInterrupt:
            pool.shutdown(cancel_futures=True)
            raise
    every = {index: run.entries[index].frequencies() for index in picked}
    margins = [margin for found in every.values() for margin in found[:-1]]
    if not chosen.only:
        table = [row for index, found in every.items() for row in rows(index, found)]
        passes = page.passes_text(chosen.worlds, chosen.more, chosen.suspect, margins)
        page.write(table, passes)
    return 1 if any(margin.errs for margin in margins) else 0


if __name__ == "__main__":
    sys.exit(main())
