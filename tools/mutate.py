"""Put wrong lines into the library, one at a time, and count those that the tests notice.

    python tools/mutate.py --out FOLDER [--areas stats,metrics] [--number 1000] [--seed 0] [--part 2/4] [--minutes 60]

The tests of an area are run once to see which lines each of them reaches. Every mutant of the sample then runs the
tests that reach its line until one fails. Results are added to ``FOLDER/results.jsonl``; what is in
there is not run again (``--again``: what survived is), so that a run can be stopped and gone on with, and files of
several parts can be put together. Mutants that no test can tell from the original are listed, with the reason, in
``tools/equivalent_mutants.toml``. Exit code 1: too few were noticed, or an entry of that list fits no mutant.

Neither mutmut nor cosmic-ray fits: the one leaves out functions with decorators (every metric, every objective) and
wants the tests to import from its own copy of the tree; the other changes the files in place and starts an interpreter
for each mutant, which takes longer to import torch and scikit-learn than most of our tests run. Here tests are
collected once, every mutant is a fork in which functions get other code (or, where a line takes effect on import, a
session of its own whose module comes from memory), and the files stay as they are.
"""

import argparse
import json
import os
import random
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mutants import Mutant, mutants_of
from trials import ROOT, reach, trial, trials

EQUIVALENT = ROOT / "tools" / "equivalent_mutants.toml"
# Tests that compare the cards with the hashes of claims/frozen.json notice any change of a card: they do not count.
_HASHES = (
    "test_the_shipped_rules_are_frozen_as_they_are",
    "test_thirty_numbers_changed_by_hand_are_each_noticed_with_the_name_of_a_card",
    "test_a_constant_of_the_library_changed_by_hand_is_noticed_by_the_cards_that_reach_it",
)
# Area -> its sources, and the tests that could notice a wrong line in them.
AREAS = {
    "stats": (("dbench/stats",), ["tests/stats"]),
    "metrics": (
        ("dbench/metrics",),
        ["tests/metrics", "tests/constructions", "tests/scoring", "tests/cli/test_command_line.py"],
    ),
    "objectives": (("dbench/models/objectives",), ["tests/models", "tests/training"]),
    "claims": (
        ("dbench/claims", "dbench/estimates"),
        ["tests/judges", "tests/published/test_errata.py"]
        + [f"--deselect=tests/judges/test_frozen.py::{name}" for name in _HASHES],
    ),
}
_LEAST = 0.95  # share of the mutants that the tests have to notice


def summary(results: list[dict[str, Any]], equivalent: dict[str, str]) -> tuple[str, bool]:
    """Return what a run found, in Markdown, and whether the tests noticed enough mutants."""
    from dbench.stats import share_of

    lines, counted = ["| area | noticed | of | equivalent | share | 95% interval |", "|---|---|---|---|---|---|"], []
    by_area = {area: [r for r in results if r["mutant"].startswith(AREAS[area][0])] for area in AREAS}
    for area, of_area in [*by_area.items(), ("all", results)]:
        counted = [r for r in of_area if r["mutant"] not in equivalent or r["outcome"] != "survived"]
        if counted:
            share = share_of(sum(r["outcome"] != "survived" for r in counted), len(counted)).at(0.95)
            lines.append(
                f"| {area} | {round(share.value * share.n)} | {share.n} | {len(of_area) - len(counted)} "
                f"| {share.value:.1%} | {share.low:.1%} to {share.high:.1%} |"
            )
    outcomes = Counter(result["outcome"] for result in results)
    lines.append(f"\n{outcomes['stopped']} of those noticed ran out of time or memory, or ended the interpreter.\n")
    for result in results:
        if result["outcome"] == "survived" and result["mutant"] not in equivalent:
            lines.append(f"- survived: {result['mutant']} (line {result['line']}, {result['tests']} tests)")
    return "\n".join(lines), not counted or share.value >= _LEAST  # of the last row, all areas


def _mutants_in(folders: tuple[str, ...]) -> list[Mutant]:
    files = [file for folder in folders for file in sorted((ROOT / folder).rglob("*.py"))]
    return [mutant for file in files for mutant in mutants_of(file, ROOT)]


def _results(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def main() -> int:
    """Run the sample, or the part of it asked for, and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="folder of the results")
    parser.add_argument("--areas", default=",".join(AREAS), help="of the library")
    parser.add_argument("--number", type=int, default=1000, help="size of the sample")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--part", default="1/1", help="which part of the sample, of how many")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="start no mutant after so many")
    parser.add_argument("--again", action="store_true", help="run those again that survived")
    options = parser.parse_args()
    areas = options.areas.split(",")
    if unknown := sorted(set(areas) - set(AREAS)):
        parser.error(f"--areas must be among {', '.join(AREAS)}, got {', '.join(unknown)}")
    part, parts = map(int, options.part.split("/"))
    options.out.mkdir(parents=True, exist_ok=True)
    sys.path.insert(0, str(ROOT))
    os.environ.update(OMP_NUM_THREADS="1", MKL_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")

    every = {area: _mutants_in(folders) for area, (folders, _) in AREAS.items()}
    listed = tomllib.loads(EQUIVALENT.read_text(encoding="utf-8")) if EQUIVALENT.exists() else {}
    equivalent = {entry["mutant"]: entry["reason"] for entry in listed.get("equivalent", [])}
    stale = sorted(set(equivalent) - {mutant.name for mutants in every.values() for mutant in mutants})
    pool = [(area, mutant) for area in areas for mutant in every[area]]
    sample = random.Random(options.seed).sample(pool, min(options.number, len(pool)))[part - 1 :: parts]

    path = options.out / "results.jsonl"
    if options.again:
        kept = [r for r in _results(path) if r["outcome"] != "survived" or r["mutant"] in equivalent]
        path.write_text("".join(json.dumps(result) + "\n" for result in kept))
    begin, terminal = time.monotonic(), os.fdopen(os.dup(2), "w", buffering=1)  # pytest captures sys.stderr

    def save(result: dict[str, Any]) -> None:
        with path.open("a") as file:
            file.write(json.dumps(result) + "\n")
        print(f"{result['outcome']:9}{result['mutant']}", file=terminal)

    def remaining(area: str) -> Iterator[Mutant]:
        finished = {r["mutant"] for r in _results(path)}
        for of_area, mutant in sample:
            if of_area == area and mutant.name not in finished:
                if time.monotonic() - begin > 60 * options.minutes:
                    return
                yield mutant

    for area in areas:
        if any(True for _ in remaining(area)):
            tests = reach(*AREAS[area], options.out / f"reach-{area}.json")
            trials(AREAS[area][1], remaining(area), tests, save)
            for mutant in remaining(area):
                save(trial(mutant, tests))
    results = {result["mutant"]: result for result in _results(path)}
    text, enough = summary([results[m.name] for _, m in sample if m.name in results], equivalent)
    (options.out / "summary.md").write_text(text + "\n", encoding="utf-8")
    print(text)
    for name in stale:
        print(f"{EQUIVALENT.name} lists what is no mutant any more: {name}")
    return int(bool(stale) or not enough)


if __name__ == "__main__":
    sys.exit(main())
