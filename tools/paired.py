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
    """What is tried: metrics on samples of ``rows`` rows, halved ``repeats`` times, in ``tries`` tries."""

    items: tuple[Item, ...]
    rows: int
    repeats: int
    tries: int


def plans(tries: int = 200, fitted_tries: int = 200) -> tuple[Plan, Plan]:
    """Return two plans: of metrics that fit nothing, and of those that fit predictors or intervene, which take long."""
    quick = [item for item in PLAN.values() if item.speed == "fast" and item.needs in ("sample", "source")]
    fitted = [item for item in quick if item.needs == "source" or (item.learned and not item.wide)]
    # Quick options draw less; an item's own options stay, since they make it the metric that it is.
    fitted = [replace(item, options={**item.quick, **item.options}) for item in fitted]
    rest = tuple(item for item in quick if item.name not in {slow.name for slow in fitted})
    return Plan(rest, 500, 20, tries), Plan(tuple(fitted), 300, 10, fitted_tries)


@cache
def grid_of(number: int) -> Sample:
    """Return codes and factors of every image by one model of the panel that comes with dbench."""
    panel = read_panel(SHIPPED)
    source = panel.source(number)
    return Sample(source.grid_codes, panel.data.grid(), source.factor_names)


def pair_of_strengths(seed: int = 10_000) -> tuple[int, int]:
    """Return the numbers of the two models of :data:`PAIR` in the panel."""
    objective, *strengths = PAIR
    settings = [(key.objective, key.strength, key.seed) for key in read_panel(SHIPPED).keys]
    first, second = (settings.index((objective, strength, seed)) for strength in strengths)
    return first, second


def drawn(models: tuple[int, int], rows: int, stream: np.random.Generator, *, swapped: bool) -> list[CodesFile]:
    """Draw rows of two models; ``swapped`` exchanges their codes row by row at random, so that both have one law."""
    first, second = map(grid_of, models)
    chosen = stream.choice(len(first), size=rows, replace=False)
    both = np.stack([first.codes[chosen], second.codes[chosen]])
    if swapped:
        exchanged = stream.random(rows) < 0.5
        both[:, exchanged] = both[::-1, exchanged]
    samples = [Sample(codes, first.factors[chosen], first.factor_names) for codes in both]
    names = tuple(f"code_{j}" for j in range(first.n_codes))
    return [prepared(CodesFile(name, sample, names, rows)) for name, sample in zip("AB", samples, strict=True)]


def tried(models: list[CodesFile], plan: Plan, seed: int) -> dict[str, tuple[float, float]]:
    """Return the difference of two models and its standard error, by metric."""
    both_models = {item.name: range(len(models)) for item in plan.items}
    halves, failed = scores_of_halves(
        models, plan.items, both_models, seed=seed, repeats=plan.repeats, progress=lambda *_: None
    )
    if failed:
        raise RuntimeError(f"cannot be computed of halves of {plan.rows} rows: {failed}")
    estimates = {}
    for item in plan.items:
        first, second = (call(item, model, seed).value for model in models)
        estimates[item.name] = first - second, deviation_of(first - second, halves[item.name])
    return estimates


def told_apart(difference: float, deviation: float, repeats: int, asked: int = 1) -> bool:
    """Whether the interval of a difference excludes 0; it is widened for ``asked`` metrics asked for together."""
    return abs(difference) > deviation * widening(repeats, asked)


def tries_of(plan: Plan, what: str, start: int = 0) -> Iterator[dict[str, tuple[float, float]]]:
    """Try a plan on two models of one law (``null``), or on the two models that differ (``power``, ``law``)."""
    for number in range(start, plan.tries):
        stream = generator(tool="paired", what=what, rows=plan.rows, number=number)
        models = pair_of_strengths()
        if what == "null":
            first, second = stream.choice(12, size=2, replace=False)  # of twelve of the panel's models
            models = int(first) * 6, int(second) * 6
        yield tried(drawn(models, plan.rows, stream, swapped=what == "null"), plan, number)


def predicted(plan: Plan, scratch: Path | None, draws: int = 200) -> dict[str, list[str]]:
    """Predict the power of each metric by the noncentral t law: of its interval, and of an interval without bias.

    Other draws of rows give the mean and deviation of the difference, and how far its value on half of the rows is from
    that on all. The root mean square of these distances sets the width of the interval; without bias the deviation
    would set it.
    """
    tries = kept_tries(replace(plan, tries=draws, repeats=1), "law", scratch)
    power = {}
    for name in (item.name for item in plan.items):
        differences, errors = np.array([estimates[name] for estimates in tries]).T
        spread = differences.std(ddof=1)
        shift = min(abs(differences.mean()) / spread, 10.0)  # beyond this the power is 1 and scipy returns NaN
        widths = np.sqrt(np.mean(errors**2)) / spread, 1.0
        cuts = np.multiply(widening(plan.repeats), widths)
        above, below = (stats.nct.sf(cuts, plan.repeats, side) for side in (shift, -shift))
        power[name] = [f"{share:.1%}" for share in above + below]
    return power


def retrained(metric: str, tries: int = 200) -> tuple[int, int] | None:
    """Count how often two seeds of one setting differ by more than the smallest reliable difference of other seeds.

    Half of the seeds give the bound. Two of the other half are compared, in a setting drawn anew for each try. Returns
    the count and the number of tries; None where the largest table has no score of the metric.
    """
    name = score_name(metric)
    if name is None or name not in read_scores(LARGEST):
        return None
    runs = read_scores(LARGEST)[name]
    stream = generator(tool="paired", what="seeds", metric=metric)
    seeds = stream.permutation(np.unique(runs["seed"]))
    known = runs["seed"].isin(seeds[: len(seeds) // 2])
    bound = np.quantile(differences_of_seeds(runs[known]), LEVEL)
    settings = [setting["value"].to_numpy() for _, setting in runs[~known].groupby(["objective", "strength"])]
    above = 0
    for _ in range(tries):
        values = stream.choice(settings[stream.integers(len(settings))], size=2, replace=False)
        above += bool(abs(values[0] - values[1]) > bound)
    return above, tries


def elsewhere(metric: str, table: str) -> float | None:
    """Return the share of another table's pairs of seeds above the bound of the largest table; None without scores."""
    name = score_name(metric)
    if name is None or name not in read_scores(table):
        return None
    bound = np.quantile(differences_of_seeds(read_scores(LARGEST)[name]), LEVEL)
    return float(np.mean(differences_of_seeds(read_scores(table)[name]) > bound))


def kept_tries(plan: Plan, what: str, scratch: Path | None) -> list[dict[str, tuple[float, float]]]:
    """Return the tries of a plan: those that the scratch file holds, then new ones, which are added to it."""
    name = f"{what} {plan.rows} {plan.repeats} {','.join(item.name for item in plan.items)}"
    lines = scratch.read_text(encoding="utf-8").splitlines() if scratch and scratch.exists() else []
    tries = [kept["found"] for kept in map(json.loads, lines) if kept["what"] == name][: plan.tries]
    for estimates in tries_of(plan, what, start=len(tries)):
        tries.append(estimates)
        if scratch:
            with scratch.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"what": name, "found": estimates}) + "\n")
    return tries


def shares(plan: Plan, tries: list[dict[str, tuple[float, float]]]) -> dict[str, int]:
    """Count how often each metric, asked for alone, told two models apart."""
    return {item.name: sum(told_apart(*one_try[item.name], plan.repeats) for one_try in tries) for item in plan.items}


def any_told(plan: Plan, tries: list[dict[str, tuple[float, float]]]) -> int:
    """Count how often at least one metric told two models apart, all asked for together."""
    asked = len(plan.items)
    return sum(any(told_apart(*estimate, plan.repeats, asked) for estimate in one_try.values()) for one_try in tries)


def percent(count: int, of: int) -> str:
    """Return a share in percent with its exact interval."""
    share = share_of(count, of).at(0.95)
    return f"{share.value:.1%} [{share.low:.1%}, {share.high:.1%}]"


def retraining() -> list[list[str]]:
    """Return a row for each metric of the largest table: the bound, and how often seeds differ by more."""
    rows = []
    for metric in PLAN:
        if above_of_tries := retrained(metric):
            bound = smallest_reliable_difference(metric)
            other = [elsewhere(metric, name) for name in ELSEWHERE]
            cells = ["-" if share is None else f"{share:.1%}" for share in other]
            rows.append([f"`{metric}`", f"{bound:.3f}", percent(*above_of_tries), *cells])
    return rows


def page(quick: Plan, fitted: Plan, scratch: Path | None) -> str:
    """Measure everything, and return the text of the page."""
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
