"""Score noise and exact copies with each metric as rows, codes and factors change: ``python tools/sweeps.py``.

Writes docs/sweeps.md and a figure for each metric. Takes minutes.
"""

import time
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path

import click
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dbench.codes import Sample
from dbench.errors import DbenchError
from dbench.files import write_file
from dbench.metrics import exact_copies
from dbench.scoring.plan import PLAN, Item
from dbench.seeds import generator

DOCS = Path(__file__).parents[1] / "docs"
EVIDENCE = Path(__file__).parents[1] / "fixtures" / "evidence" / "micro-dsprites_grid_16" / "runs.parquet"
DRAWS = 3
SIZES = (4, 4, 4)
# Each point: rows, codes, kind of factors.
ROWS = [(n, 10, "independent") for n in (100, 300, 1000, 3000)]
CODES = [(300, d, "independent") for d in (3, 10, 30, 100, 300)] + [(100, 1000, "independent")]
KINDS = [(1000, 10, kind) for kind in ("independent", "correlated", "redundant", "continuous")]
POINTS = list(dict.fromkeys([*ROWS, *CODES, *KINDS]))
COST = (10_000, 10, "independent")

Point = tuple[int, int, str]

_HEAD = f"""# Chance and bias of the metrics

Written by `python tools/sweeps.py`; a figure for each metric stands below. Three factors of four equally likely values
and d Gaussian codes, on n rows: codes of *noise* tell nothing, of *copies* the first three are exact copies of the
factors and the others noise. Means of {DRAWS} draws. *Correlated* factors agree with a hidden cause with probability
0.8, the third of the *redundant* ones is the upper half of the first, *continuous* ones are uniform. `-`: not defined.
[Which metrics should I report?](which-metrics.md) reads these tables.
"""


def factors_of(kind: str, n: int, stream: np.random.Generator) -> NDArray[np.int64] | NDArray[np.float64]:
    """Draw n x 3 factors: ``independent``, ``correlated``, ``redundant`` or ``continuous``."""
    if kind == "continuous":
        return stream.uniform(-1, 1, size=(n, 3))
    factors = stream.integers(SIZES, size=(n, 3))
    if kind == "correlated":
        factors = np.where(stream.uniform(size=(n, 3)) < 0.8, stream.integers(4, size=(n, 1)), factors)
    if kind == "redundant":
        factors[:, 2] = factors[:, 0] // 2
    return factors


def worlds(point: Point, draw: int) -> tuple[Sample, Sample]:
    """Return two samples of one draw with the same factors: codes of noise, and exact copies beside noise."""
    n, d, kind = point
    stream = generator(sweep="worlds", n=n, d=d, kind=kind, draw=draw)
    noise = Sample(stream.standard_normal((n, d)), factors_of(kind, n, stream))
    copies = np.hstack([exact_copies(noise).codes, noise.codes[:, 3:]])
    return noise, Sample(copies, noise.factors)


def swept() -> list[Item]:
    """Return the fast metrics of codes and factors whose higher scores are better."""
    return [
        item for item in PLAN.values() if item.needs == "sample" and item.speed == "fast" and item.better == "higher"
    ]


def measure(item: Item, point: Point, draws: int = DRAWS) -> tuple[float, float, float]:
    """Return mean scores of noise and of copies, and processor seconds of one score; NaN where it is not defined."""
    scores, start = [], time.process_time()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for draw in range(draws):
                scores.append([item.function(sample, **item.options).value for sample in worlds(point, draw)])
    except DbenchError:
        return float("nan"), float("nan"), float("nan")
    noise, copies = np.mean(scores, axis=0)
    return float(noise), float(copies), (time.process_time() - start) / draws / 2


def figure(name: str, found: dict[Point, tuple[float, float, float]]) -> bytes:
    """Draw noise and copies of one metric over rows, codes and kinds of factors, as SVG."""
    import io

    import matplotlib.pyplot as plt

    with plt.rc_context({"svg.hashsalt": name, "font.size": 8}):
        fig, axes = plt.subplots(1, 3, figsize=(9, 2.2), sharey=True, layout="constrained")
        for axis, points, title, names in zip(
            axes,
            (ROWS, CODES, KINDS),
            ("10 codes", "300 rows; last, 100", "1,000 rows, 10 codes"),
            ([f"{n:,}" for n, _, _ in ROWS], [f"{d:,}" for _, d, _ in CODES], [kind for _, _, kind in KINDS]),
            strict=True,
        ):
            for place, what in enumerate(("noise", "copies")):
                axis.plot(names, [found[p][place] for p in points], "o-", ms=3, label=what)
            axis.set_title(title)
        for axis, label in zip(axes, ("rows", "codes", "factors"), strict=True):
            axis.set_xlabel(label)
        axes[0].set_ylabel(name)
        axes[0].legend()
        drawn = io.BytesIO()
        fig.savefig(drawn, format="svg", metadata={"Date": None})
        plt.close(fig)
    return drawn.getvalue()


def _cell(value: float) -> str:
    return "-" if np.isnan(value) else f"{value:.3f}".replace("-0.000", "0.000")


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table in Markdown."""
    first = list(head)
    lines = [first, ["---"] * len(first), *map(list, rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def reseeding() -> str:
    """Return a table of how much scores change with the seed of a setting, in the largest shipped table."""
    frame = pd.read_parquet(EVIDENCE, columns=["objective", "strength", "seed", "score", "value"]).dropna()
    rows = []
    for name in (
        "mig",
        "dci",
        "sap",
        "modularity",
        "explicitness",
        "factor_vae",
        "beta_vae_metric",
        "irs",
        "med",
        "snc",
    ):
        scores = frame[frame["score"] == name]
        groups = scores.groupby(["objective", "strength"])["value"]
        spread, means = float(np.sqrt(groups.var().mean())), groups.mean()
        by_run = scores.pivot_table(index=["objective", "strength", "seed"], values="value")
        mig = frame[frame["score"] == "mig"].set_index(["objective", "strength", "seed"])["value"]
        agreement = by_run["value"].corr(mig.reindex(by_run.index), method="spearman")
        share = spread**2 / scores["value"].var()
        rows.append([f"`{name}`", f"{means.mean():.3f}", f"{spread:.3f}", f"{min(share, 1):.2f}", f"{agreement:.2f}"])
    head = ["metric", "mean", "deviation by seed", "share of all variance", "Spearman with `mig`"]
    return table(head, rows)


def page(found: dict[str, dict[Point, tuple[float, float, float]]]) -> str:
    """Return the text of the page, given what :func:`measure` returned by metric and point."""
    sizes = [(3000, 10, "independent"), (100, 10, "independent"), (300, 300, "independent"), (100, 1000, "independent")]
    chance = ([f"`{name}`", *(_cell(scores[point][0]) for point in sizes)] for name, scores in found.items())
    copies = ([f"`{name}`", *(_cell(scores[point][1]) for point in sizes)] for name, scores in found.items())
    kinds = ([f"`{name}`", *(_cell(scores[point][1]) for point in KINDS)] for name, scores in found.items())
    seconds = ([f"`{name}`", f"{scores[COST][2]:.2f}"] for name, scores in found.items())
    where = [f"n {n:,}, d {d:,}" for n, d, _ in sizes]
    parts = [
        _HEAD,
        "## Noise\n\nWhat a metric gives to codes that tell nothing. It should be 0, or the same everywhere.\n",
        table(["metric", *where], chance),
        "## Copies beside noise\n\nWhat it gives to exact copies of all factors among d codes.\n",
        table(["metric", *where], copies),
        "## Copies of factors that depend\n\nCopies among 10 codes, 1,000 rows.\n",
        table(["metric", *(kind for _, _, kind in KINDS)], kinds),
        "## Cost\n\nProcessor seconds of one score, 10,000 rows of 10 codes, in one run; the machine was shared.\n",
        table(["metric", "s"], seconds),
        "## Another seed\n\nOf 1,800 models (`micro`, dSprites of 16 x 16): the deviation between seeds of one\n"
        "objective and strength, and which share of the variance over all models that is.\n",
        reseeding(),
        "## Figures\n",
        *(f"### {name}\n\n![{name}](sweeps/{file_of(name)})\n" for name in found),
    ]
    return "\n".join(parts)


def file_of(name: str) -> str:
    """Return the file name of the figure of a metric."""
    return f"{name.replace('[', '-').rstrip(']')}.svg"


@click.command()
@click.option("--out", type=click.Path(path_type=Path), default=DOCS, help="Folder of the page.  [docs]")
def main(out: Path) -> None:
    """Measure every quick metric, and write the page and its figures."""
    found: dict[str, dict[Point, tuple[float, float, float]]] = {}
    say: Callable[[str], None] = click.echo
    for item in swept():
        found[item.name] = {point: measure(item, point) for point in POINTS} | {COST: measure(item, COST, 1)}
        write_file(out / "sweeps" / file_of(item.name), figure(item.name, found[item.name]))
        say(item.name)
    write_file(out / "sweeps.md", page(found))


if __name__ == "__main__":
    main()
