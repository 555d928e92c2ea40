"""Measure how often the rules of the claims over zoos err, and write docs/calibration.md.

From the root of the repository: ``python tools/calibrate.py``. Every place is judged in some worlds, and each
margin at which many came out wrong once more in many others. With ``--heavy-tails`` the primary claims alone, in worlds
of heavy-tailed noise: docs/heavy-tails.md. With ``--scratch FILE`` what is known of a claim is kept there, and a run
that was interrupted goes on where it stopped.
"""

import argparse
import hashlib
import json
import multiprocessing
import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import asdict, replace
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

# One thread a process: numpy reads this when it is imported.
os.environ["OMP_NUM_THREADS"] = "1"

from calibration import page
from calibration.families import ROWS
from calibration.judging import Frequencies, Place, judged, places_of, sharpened
from calibration.row import claim_file

from dbench.errors import InvalidInput

# Worlds whose estimates give one value of the spread; of more worlds the mean over such pieces is taken.
PIECE = 100


def read_claims() -> None:
    """Import every claim file at once: a file that is edited during the run must not change it halfway."""
    for entry in ROWS:
        claim_file(entry.file)


def measured(index: int, chosen: argparse.Namespace) -> list[dict[str, Any]]:
    """Find the places of an entry and judge worlds at each; return dictionaries that can be written as JSON."""
    entry = replace(ROWS[index], heavy_tails=chosen.heavy_tails)
    claim = entry.claim

    def frequencies_of(place: Place, start: int, stop: int) -> Frequencies:
        pieces = (range(first, min(first + PIECE, stop)) for first in range(start, stop, PIECE))
        return reduce(add, (judged(entry, claim, place, piece) for piece in pieces))

    measurements = []
    for rough in places_of(entry, claim):
        place = sharpened(entry, rough) if rough.name == "margin" else rough
        frequencies = frequencies_of(place, 0, chosen.worlds)
        if place.name == "margin" and max(share.value for share in frequencies.wrong) > chosen.suspect:
            frequencies = frequencies_of(place, chosen.worlds, chosen.worlds + chosen.more)
        measurements.append(asdict(frequencies))
    return measurements


def fingerprint(index: int) -> str:
    """Hash an entry's card and its estimates in a few worlds: kept results hold while the hash stays the same."""
    entry = ROWS[index]
    claim = entry.claim
    parts = [repr((claim.rule, claim.confidence, claim.min_n, entry.seeds, entry.truth_seeds, entry.effects, entry.at))]
    for number, share in enumerate((0.25, 0.5, 0.75)):
        effect = entry.effects[0] + share * (entry.effects[1] - entry.effects[0])
        interval = entry.estimate(entry.draw(effect, fingerprint=number)).at(claim.confidence)
        parts.append(f"{interval.value:.8g} {interval.low:.8g} {interval.high:.8g}")
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


class Scratch:
    """Results of finished claims, kept in a file as one JSON object a line; without a file nothing is kept."""

    def __init__(self, path: Path | None, chosen: argparse.Namespace) -> None:
        tails = " heavy tails" if chosen.heavy_tails else ""
        self._path, self._chosen = path, f"{chosen.worlds} {chosen.more} {chosen.suspect}{tails}"
        self._known: dict[str, list[dict[str, Any]]] = {}
        if path is None or not path.exists():
            return
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        if lines and not lines[-1].endswith("\n"):  # the last line was cut off while it was written
            path.write_text("".join(lines[:-1]), encoding="utf-8")
        for text in lines:
            if text.endswith("\n"):
                kept = json.loads(text)
                self._known[kept["claim"]] = kept["found"]

    def _key(self, index: int) -> str:
        entry = ROWS[index]
        return f"{entry.file} {entry.name} {self._chosen} {fingerprint(index)}"

    def get(self, index: int) -> list[dict[str, Any]] | None:
        """Return the kept results of an entry; None if there are none, or its fingerprint has changed."""
        return self._known.get(self._key(index)) if self._known else None

    def keep(self, index: int, found: list[dict[str, Any]]) -> None:
        if self._path:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"claim": self._key(index), "found": found}) + "\n")


def run(
    picked: list[int], chosen: argparse.Namespace, pool: ProcessPoolExecutor, scratch: Scratch
) -> Iterator[tuple[int, list[Frequencies]]]:
    """Yield the results of each entry as it is done, the kept ones first; print the error of an entry without place."""
    futures: dict[Future[list[dict[str, Any]]], int] = {}
    for index in picked:
        kept = scratch.get(index)
        if kept is None:
            futures[pool.submit(measured, index, chosen)] = index
        else:
            yield index, [Frequencies(**place) for place in kept]
    for future in as_completed(futures):
        try:
            found = future.result()
        except InvalidInput as error:
            sys.stderr.write(f"{error}\n")
        else:
            scratch.keep(futures[future], found)
            yield futures[future], [Frequencies(**place) for place in found]


def rows(index: int, found: list[Frequencies]) -> list[list[str]]:
    """Return the rows of one claim: one for each of its margins, with the effect beside it."""
    entry = ROWS[index]
    claim = entry.claim
    effect = next((place for place in found if place.place == "effect"), None)
    return [page.cells_of(claim, margin, effect, entry.at_says) for margin in margins_of(found)]


def margins_of(found: list[Frequencies]) -> list[Frequencies]:
    """Return those of a claim's results that are of margins."""
    return [place for place in found if place.place == "margin"]


def options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, default=200, help="worlds at each place of each claim")
    parser.add_argument("--more", type=int, default=2_000, help="other worlds at the margins that look suspect")
    parser.add_argument("--suspect", type=float, default=0.03, help="share of wrong verdicts above which one does")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--scratch", type=Path, help="file of finished claims: an interrupted run goes on with it")
    parser.add_argument("--heavy-tails", action="store_true", help="primary claims in worlds of heavy-tailed noise")
    parser.add_argument("--only", nargs="+", help="claims whose file and card hold such a text; nothing is written")
    return parser.parse_args()


def main() -> int:
    """Measure the claims asked for; return 1 if a rule errs too often or a claim could not be measured."""
    chosen, started = options(), time.perf_counter()
    read_claims()
    names = [f"{entry.file} {entry.name}" for entry in ROWS]
    picked = [i for i, name in enumerate(names) if any(text in name for text in chosen.only or [""])]
    primaries = [i for i in picked if ROWS[i].claim.role == "primary"]
    if chosen.heavy_tails:
        picked = [i for i in primaries if not ROWS[i].log_normal]
    spawn = multiprocessing.get_context("spawn")
    every: dict[int, list[Frequencies]] = {}
    with ProcessPoolExecutor(chosen.processes, mp_context=spawn, initializer=read_claims) as pool:
        try:
            for index, found in run(picked, chosen, pool, Scratch(chosen.scratch, chosen)):
                every[index] = found
                blur = max(margin.blur for margin in margins_of(found))
                minutes = (time.perf_counter() - started) / 60
                sys.stdout.write("".join(f"{page.line(row)}\n" for row in rows(index, found)))
                sys.stdout.write(f"  margin known to {blur:.1%}; {len(every)} of {len(picked)}, {minutes:.1f} min\n")
                sys.stdout.flush()
        except KeyboardInterrupt:
            pool.shutdown(cancel_futures=True)
            raise
    margins = [margin for found in every.values() for margin in margins_of(found)]
    if len(every) < len(picked):
        sys.stderr.write("nothing is written: families that miss their rule's edge have to be changed first\n")
        return 1
    if not chosen.only:
        table = [row for index in picked for row in rows(index, every[index])]
        passes = page.passes_text(chosen.worlds, chosen.more, chosen.suspect, margins)
        erring = [ROWS[i].claim for i in picked if any(margin.errs for margin in margins_of(every[i]))]
        left_out = [ROWS[i].claim for i in primaries if i not in picked]
        page.write(table, passes, outcome=page.outcome_text(erring, left_out) if chosen.heavy_tails else "")
    return 1 if any(margin.errs for margin in margins) else 0


if __name__ == "__main__":
    sys.exit(main())
