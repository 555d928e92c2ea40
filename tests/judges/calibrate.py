"""Measure how often the rules of the claims over zoos err, and write docs/calibration.md.

From the root of the repository: ``python tests/judges/calibrate.py``.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

# One thread a process, before numpy is read.
os.environ["OMP_NUM_THREADS"] = "1"
sys.path.insert(0, str(Path(__file__).parent))

from conftest import CALIBRATIONS, claim_file
from counter_worlds import card_of

from dbench.claims.calibration import LARGEST_ERROR, Frequencies, calibrate
from dbench.claims.rules import Verdict

PAGE = Path(__file__).parents[2] / "docs" / "calibration.md"
HEAD = f"""# How often the rules err

Each claim over trained models was judged in simulated zoos of the size of the evidence (six objectives, six strengths,
ten seeds unless its entry says otherwise). *At the margin* the finding is false by a hair: the statistic of an endless
zoo lies on the edge of the rule. 'Reproduced' is wrong there, and must not happen in more than {LARGEST_ERROR:.0%} of
worlds. *At the effect* the statistic of an endless zoo is the paper's printed one, or what the last column says.
Brackets: what the number of worlds leaves open, 95%. Written by `python tests/judges/calibrate.py`; nobody edits it.
[How a claim is calibrated](claims-guide.md#calibration).

The worlds have normal noise, a seed effect, and what the entry in `tests/judges/worlds/` says. A rule is calibrated for
worlds like these; heavy tails, or scores computed from several models as UDR is, may behave otherwise.

"""


def measure(task: tuple[int, int]) -> tuple[int, list[Frequencies], float]:
    """Calibrate one entry of the registry, in a process of its own."""
    index, worlds = task
    started, entry = time.perf_counter(), CALIBRATIONS[index]
    module = claim_file(entry.file)
    found = calibrate(entry, module, card_of(module, entry.card), worlds=worlds)
    return index, found, time.perf_counter() - started


def cell(frequencies: Frequencies, verdict: Verdict) -> str:
    share = frequencies.share(verdict)
    return f"{share.value:.1%} [{share.low:.1%}, {share.high:.1%}]"


def rows(index: int, found: list[Frequencies]) -> list[str]:
    """Write one claim as lines of a table: its margins, and beside each the effect."""
    entry = CALIBRATIONS[index]
    claim = card_of(claim_file(entry.file), entry.card)
    *margins, effect = found
    name = f"`{claim.id}`" + (f", {claim.part}" if claim.part else "")
    return [
        f"| {name} | {claim.rule} | {claim.confidence:g} | {margin.truth:g} | "
        f"{cell(margin, Verdict.REPRODUCED)}{' **too often**' if margin.errs else ''} | {effect.truth:g} | "
        f"{cell(effect, Verdict.REPRODUCED)} | {cell(effect, Verdict.NOT_REPRODUCED)} | {entry.at_says} |"
        for margin in margins
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, default=1_000, help="worlds at each place of each claim")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", default="", help="claims whose file and card hold this text; nothing is written")
    chosen = parser.parse_args()
    picked = [i for i, entry in enumerate(CALIBRATIONS) if chosen.only in f"{entry.file} {entry.card}"]
    table: dict[int, list[str]] = {}
    wrong = 0
    with ProcessPoolExecutor(chosen.processes, mp_context=multiprocessing.get_context("spawn")) as pool:
        for index, found, seconds in pool.map(measure, [(i, chosen.worlds) for i in picked]):
            table[index] = rows(index, found)
            wrong += sum(frequencies.errs for frequencies in found)
            sys.stdout.write("\n".join([*table[index], f"  {seconds:.1f} s\n"]))
            sys.stdout.flush()
    if not chosen.only:
        columns = (
            *("claim", "rule", "confidence", "margin", "wrong 'reproduced'"),
            *("effect", "'reproduced'", "'not reproduced'", "what the effect is"),
        )
        lines = ["| " + " | ".join(columns) + " |", "| --- " * len(columns) + "|"]
        lines += [line for _, found_rows in sorted(table.items()) for line in found_rows]
        footer = f"\n{chosen.worlds} worlds at each place.\n"
        aside = PAGE.with_suffix(".md.part")
        aside.write_text(HEAD + "\n".join(lines) + "\n" + footer, encoding="utf-8")
        aside.replace(PAGE)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
