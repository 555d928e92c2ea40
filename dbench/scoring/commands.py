"""``dbench score``: every metric of a file of codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from dbench.scoring.compute import Result, Subject

__all__ = ["score"]


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("factors_file", type=click.Path(path_type=Path), required=False)
@click.option(
    "--codes", metavar="NAME", help="Array of an .npz, or columns of a table (a,b or mu_*).  [codes; code_*, z_*]"
)
@click.option("--factors", metavar="NAME", help="The same for the factors.  [factors; factor_*]")
@click.option("--metric", "metrics", multiple=True, metavar="NAME", help="Metric to compute (repeatable).  [all]")
@click.option("--fast", is_flag=True, help="Leave out the slow ones.")
@click.option("--rows", type=click.IntRange(1), help="Rows to keep of a longer file, drawn at random.  [2,000,000]")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Decides all draws.")
@click.option("--json", "as_json", is_flag=True, help="Print a list of records in place of tables.")
@click.option("--csv", "csv_file", type=click.Path(path_type=Path), help="Also write all numbers to this file.")
@click.option("--out", type=click.Path(path_type=Path), help="Also write diagrams of the relations to this folder.")
def score(
    file: Path,
    factors_file: Path | None,
    codes: str | None,
    factors: str | None,
    metrics: tuple[str, ...],
    fast: bool,
    rows: int | None,
    seed: int,
    as_json: bool,
    csv_file: Path | None,
    out: Path | None,
) -> None:
    """Score the codes in FILE with every metric it allows.

    FILE is an .npz with arrays codes (n x d) and factors (n x k), optionally factor_names, factor_sizes, and
    logvar or std; a .csv or .parquet with columns code_* or z_*, and factor_*; or an .npy of the codes, followed
    by one of the factors. Whole numbers are labels; other factors are continuous.
    """
    from rich.console import Console

    from dbench.codes.reading import MOST_ROWS, read_codes
    from dbench.errors import InvalidInput
    from dbench.scoring.compute import subject_of
    from dbench.scoring.files import write_aside
    from dbench.scoring.frame import frame_of, records_of
    from dbench.scoring.pictures import write_pictures
    from dbench.scoring.plan import choose
    from dbench.scoring.terminal import show

    choose(metrics)  # a misspelt name shall not wait for a long file
    found = read_codes(file, factors_file, codes=codes, factors=factors, rows=rows or MOST_ROWS, seed=seed)
    subject = subject_of(found)
    results = _with_progress(subject, metrics, fast, seed)
    if csv_file:
        write_aside(csv_file, frame_of(subject, results).to_csv(index=False))
    pictures = write_pictures(out, subject, results) if out else []
    if as_json:
        click.echo(json.dumps(records_of(subject, results), indent=1, allow_nan=False))
    else:
        show(Console(highlight=False), found, subject, results)
        for path in [*([csv_file] if csv_file else []), *pictures]:
            click.echo(f"Written: {path}")
    if all(result.score is None for result in results):
        raise InvalidInput("no metric could be computed; the reasons stand above")


def _with_progress(subject: Subject, metrics: tuple[str, ...], fast: bool, seed: int) -> list[Result]:
    """Compute with a line of progress on the terminal; none where standard error goes elsewhere."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from dbench.scoring.compute import compute
    from dbench.scoring.plan import Item

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(20), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=None)

        def advance(item: Item, number: int, total: int) -> None:
            label = f"{item.name} (slow)" if item.slow else item.name
            bar.update(task, description=label.replace("[", r"\["), completed=number, total=total)

        return compute(subject, metrics=metrics, fast=fast, seed=seed, progress=advance)
