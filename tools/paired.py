"""Measure how often ``dbench compare`` errs, and write docs/compare-errors.md: ``python tools/paired.py``.

Takes an hour on a busy machine. With ``--scratch FILE`` finished tries are kept there, and a run that was interrupted
goes on where it stopped.
"""

import argparse
import json
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np
from scipy import stats
from sweeps import table

from dbench.codes import Sample
from dbench.codes.reading import CodesFile
from dbench.files import write_file
from dbench.scoring.comparing import scores_of_halves
from dbench.scoring.comparison import deviation_of, widening
from dbench.scoring.compute import call
from dbench.scoring.inputs import prepared
from dbench.scoring.plan import PLAN, Item
from dbench.scoring.reseeding import (
    LARGEST,
    LEVEL,
    differences_of_seeds,
    read_scores,
    score_name,
    smallest_reliable_difference,
)
from dbench.seeds import generator
from dbench.stats import share_of
from dbench.zoo.panel import SHIPPED, read_panel

PAGE = Path(__file__).parents[1] / "docs" / "compare-errors.md"
ELSEWHERE = ("small-dsprites_grid_32", "micro-color_dsprites_grid_16", "micro-noisy_dsprites_grid_16")
MANY_ROWS = 4_000
PAIR = ("beta_vae", 1.0, 16.0)
"""Objective and strengths of the two models that differ."""


@dataclass(frozen=True)
class Plan:
    """What is tried: items on samples of so many rows, with so many halves."""

    items: tuple[Item, ...]
    rows: int
    repeats: int
    tries: int


def plans(tries: int = 200, fitted_tries: int = 200) -> tuple[Plan, Plan]:
    """Return the plan of metrics that fit nothing, and that of those that do or intervene, which take long."""
    quick = [item for item in PLAN.values() if item.speed == "fast" and item.needs in ("sample", "source")]
    fitted = [item for item in quick if item.needs == "source" or (item.learned and not item.wide)]
    # Less to draw; but an option that would make another metric of it stays.
    fitted = [replace(one, options={**one.quick, **one.options}) for one in fitted]
    rest = tuple(item for item in quick if item.name not in {one.name for one in fitted})
    return Plan(rest, 500, 20, tries), Plan(tuple(fitted), 300, 10, fitted_tries)


@cache
def grid_of(number: int) -> Sample:
    """Codes and factors of every image by one model of the panel that comes with dbench."""
    panel = read_panel(SHIPPED)
    source = panel.source(number)
    return Sample(source.grid_codes, panel.data.grid(), source.factor_names)


def pair_of_strengths(seed: int = 10_000) -> tuple[int, int]:
    """Numbers of the two models of :data:`PAIR` in the panel."""
    objective, *strengths = PAIR
    keys = read_panel(SHIPPED).keys
    wanted = [(objective, strength, seed) for strength in strengths]
    first, second = (next(i for i, k in enumerate(keys) if (k.objective, k.strength, k.seed) == one) for one in wanted)
    return first, second


def drawn(models: tuple[int, int], rows: int, stream: np.random.Generator, *, swapped: bool) -> list[CodesFile]:
    """Draw rows of two models; swapped row by row at random, the two have one law."""
    first, second = map(grid_of, models)
    taken = stream.choice(len(first), size=rows, replace=False)
    both = np.stack([first.codes[taken], second.codes[taken]])
    if swapped:
        turned = stream.random(rows) < 0.5
        both[:, turned] = both[::-1, turned]
    samples = [Sample(codes, first.factors[taken], first.factor_names) for codes in both]
    names = tuple(f"code_{j}" for j in range(first.n_codes))
    return [prepared(CodesFile(name, one, names, rows)) for name, one in zip("AB", samples, strict=True)]


def tried(models: list[CodesFile], plan: Plan, seed: int) -> dict[str, tuple[float, float]]:
    """Difference and its standard error, by metric."""
    both = {item.name: range(len(models)) for item in plan.items}
    halves, failed = scores_of_halves(
        models, plan.items, both, seed=seed, repeats=plan.repeats, progress=lambda *_: None
    )
    if failed:
        raise RuntimeError(f"cannot be computed of halves of {plan.rows} rows: {failed}")
    found = {}
    for item in plan.items:
        first, second = (call(item, model, seed).value for model in models)
        found[item.name] = first - second, deviation_of(first - second, halves[item.name])
    return found


def told_apart(difference: float, deviation: float, repeats: int, asked: int = 1) -> bool:
    """Whether an interval leaves 0 out, widened for so many that are asked for."""
    return abs(difference) > deviation * widening(repeats, asked)


def tries_of(plan: Plan, what: str, start: int = 0) -> Iterator[dict[str, tuple[float, float]]]:
    """Try a plan under the null of rows (``null``), or with the two models that differ (``power``, ``law``)."""
    for number in range(start, plan.tries):
        stream = generator(tool="paired", what=what, rows=plan.rows, number=number)
        models = pair_of_strengths()
        if what == "null":
            first, second = stream.choice(12, size=2, replace=False)  # of twelve of the panel's models
            models = int(first) * 6, int(second) * 6
        yield tried(drawn(models, plan.rows, stream, swapped=what == "null"), plan, number)


def predicted(plan: Plan, scratch: Path | None, draws: int = 200) -> dict[str, list[str]]:
    """Power of each metric by the noncentral t law, of the interval as it is and of one without bias.

    Other draws of rows give mean and deviation of the difference, and how far one half of the rows is from all of them:
    by its root mean square the interval is as wide as it is, where an unbiased one would have the deviation.
    """
    found = kept_tries(replace(plan, tries=draws, repeats=1), "law", scratch)
    power = {}
    for name in (item.name for item in plan.items):
        differences, errors = np.array([one[name] for one in found]).T
        spread = differences.std(ddof=1)
        shift = min(abs(differences.mean()) / spread, 10.0)  # above, the power is 1, and scipy's law no number
        widths = np.sqrt(np.mean(errors**2)) / spread, 1.0
        cuts = np.multiply(widening(plan.repeats), widths)
        power[name] = [f"{one:.1%}" for one in sum(stats.nct.sf(cuts, plan.repeats, side) for side in (shift, -shift))]
    return power


def retrained(metric: str, tries: int = 200) -> tuple[int, int] | None:
    """How often two seeds of one setting differ by more than the smallest reliable difference of other seeds.

    Half of the seeds give the bound, two of the others are compared, in a setting drawn anew each time.
    """
    name = score_name(metric)
    if name is None or name not in read_scores(LARGEST):
        return None
    runs = read_scores(LARGEST)[name]
    stream = generator(tool="paired", what="seeds", metric=metric)
    seeds = stream.permutation(np.unique(runs["seed"]))
    known = runs["seed"].isin(seeds[: len(seeds) // 2])
    bound = np.quantile(differences_of_seeds(runs[known]), LEVEL)
    settings = [one["value"].to_numpy() for _, one in runs[~known].groupby(["objective", "strength"])]
    above = 0
    for _ in range(tries):
        values = stream.choice(settings[stream.integers(len(settings))], size=2, replace=False)
        above += bool(abs(values[0] - values[1]) > bound)
    return above, tries


def elsewhere(metric: str, table: str) -> float | None:
    """Share of the pairs of seeds of another table that differ by more than the bound of the largest table."""
    name = score_name(metric)
    if name is None or name not in read_scores(table):
        return None
    bound = np.quantile(differences_of_seeds(read_scores(LARGEST)[name]), LEVEL)
    return float(np.mean(differences_of_seeds(read_scores(table)[name]) > bound))


def kept_tries(plan: Plan, what: str, scratch: Path | None) -> list[dict[str, tuple[float, float]]]:
    """Return the tries of a plan, with those that a file holds; it gets the others."""
    name = f"{what} {plan.rows} {plan.repeats} {','.join(item.name for item in plan.items)}"
    lines = scratch.read_text(encoding="utf-8").splitlines() if scratch and scratch.exists() else []
    found = [one["found"] for one in map(json.loads, lines) if one["what"] == name][: plan.tries]
    for one in tries_of(plan, what, start=len(found)):
        found.append(one)
        if scratch:
            with scratch.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"what": name, "found": one}) + "\n")
    return found


def shares(plan: Plan, found: list[dict[str, tuple[float, float]]]) -> dict[str, int]:
    """Count how often each metric told two models apart, asked for alone."""
    return {item.name: sum(told_apart(*one[item.name], plan.repeats) for one in found) for item in plan.items}


def any_told(plan: Plan, found: list[dict[str, tuple[float, float]]]) -> int:
    """Count how often any metric did, all asked for together."""
    asked = len(plan.items)
    return sum(any(told_apart(*pair, plan.repeats, asked) for pair in one.values()) for one in found)


def percent(count: int, of: int) -> str:
    """Return a share with its exact interval."""
    share = share_of(count, of).at(0.95)
    return f"{share.value:.1%} [{share.low:.1%}, {share.high:.1%}]"


def retraining() -> list[list[str]]:
    """One row for each metric that the largest table has: the bound, and how often seeds differ by more."""
    rows = []
    for metric in PLAN:
        if found := retrained(metric):
            bound = smallest_reliable_difference(metric)
            other = [elsewhere(metric, name) for name in ELSEWHERE]
            cells = ["-" if share is None else f"{share:.1%}" for share in other]
            rows.append([f"`{metric}`", f"{bound:.3f}", percent(*found), *cells])
    return rows


def page(quick: Plan, fitted: Plan, scratch: Path | None) -> str:
    """Measure everything, and write the page."""
    differ = [replace(quick, tries=quick.tries // 2), replace(quick, rows=MANY_ROWS, tries=quick.tries // 5)]
    null, slow = (kept_tries(plan, "null", scratch) for plan in (quick, fitted))
    power = [
        (shares(plan, kept_tries(plan, "power", scratch)), predicted(plan, scratch), plan.tries) for plan in differ
    ]
    together = percent(any_told(quick, null), len(null))
    rows = [
        [f"`{name}`", percent(count, len(null))]
        + [cell for told, law, tries in power for cell in (percent(told[name], tries), *law[name])]
        for name, count in shares(quick, null).items()
    ]
    few = [[f"`{name}`", percent(count, len(slow))] for name, count in shares(fitted, slow).items()]
    head = ["metric", "no difference"]
    head += [text for plan in differ for text in (f"beta 1 and 16, {plan.rows:,} rows", "predicted", "unbiased")]
    seeds = ["metric", "another seed", "above it, other seeds", *(f"above it, `{name}`" for name in ELSEWHERE)]
    return f"""# How often a comparison errs

Written by `python tools/paired.py`, which takes an hour on a busy core. [Comparing models](compare.md) says what is
asked here. Brackets hold exact intervals (Clopper and Pearson).

## Rows

How often two trained models of the shipped panel are told apart by {quick.repeats} halves of rows of dSprites at 16:

- *No difference*: {quick.rows} rows; the codes of two models are swapped row by row at random, so that both follow
  one law. {len(null)} tries, each of two models drawn anew. Intervals of 95% should tell them apart in 5% or less.
  Where all {len(quick.items)} metrics are asked for together, the corrected intervals of any do in
  {together}.
- *Beta 1 and 16*: a beta-VAE of either strength, as trained, {differ[0].tries} and {differ[1].tries} tries, beside
  what Student's noncentral law predicts from 200 other draws of rows, by how far the difference moves between them and
  how far half of the rows is from all of them. That is more where an estimate's bias depends on the number of rows: the
  interval counts it, and the last column says what the power would be if it did not.

{table(head, rows)}
Metrics that fit predictors or intervene take long: {fitted.rows} rows, {fitted.repeats} halves, {len(slow)} tries
without a difference, with fewer draws of those that intervene (`quick` on their cards).

{table(head[:2], few)}
## Seeds

Two models of one setting in {LARGEST}. Half of the seeds give the smallest reliable difference; two
seeds of the other half, in a setting drawn anew each time, should differ by more in 5% of 200 tries. Beside it stands
the share of all pairs of seeds in other tables that differ by more than the bound of this one, that is what it is worth
elsewhere: much on images like these, little for some metrics where models fail in another way (noisy images).

{table(seeds, retraining())}"""


def options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tries", type=int, default=200)
    parser.add_argument("--fitted-tries", type=int, default=200, help="of metrics that fit predictors or intervene")
    parser.add_argument("--scratch", type=Path, help="file of finished tries: an interrupted run goes on with it")
    return parser.parse_args()


def main() -> int:
    """Write the page."""
    chosen = options()
    write_file(PAGE, page(*plans(chosen.tries, chosen.fitted_tries), chosen.scratch))
    return 0


if __name__ == "__main__":
    sys.exit(main())
