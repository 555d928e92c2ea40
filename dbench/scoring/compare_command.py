"""``dbench compare``: two or more models on the same rows."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dbench.errors import InvalidInput
from dbench.files import same_file, write_file
from dbench.scoring.commands import of_codes, pairs_of
from dbench.shown import cell, one_line, terminal

if TYPE_CHECKING:
    from dbench.scoring.comparison import Comparison


@click.command()
@click.argument("files", type=click.Path(path_type=Path), nargs=-1, metavar="FILE FILE...")
@of_codes
@click.option("--repeats", type=click.IntRange(2), help="Halves of the rows behind each interval.  [20]")
@click.option("--table", metavar="NAME", help="Shipped runs that say what a seed moves.  [micro-dsprites_grid_16]")
@click.option("--json", "as_json", is_flag=True, help="Print a list of records in place of tables.")
@click.option("--csv", "csv_file", type=click.Path(path_type=Path), help="Also write all numbers to this file.")
@click.pass_context
def compare(
    context: click.Context,
    /,
    files: tuple[Path, ...],
    codes: str | None,
    factors: str | None,
    continuous: tuple[str, ...],
    discrete: tuple[str, ...],
    rows: int | None,
    repeats: int | None,
    table: str | None,
    as_json: bool,
    csv_file: Path | None,
    **options: Any,
) -> None:
    """Compare the models whose codes are in each FILE: differences with intervals, and what another seed moves.

    Each FILE holds the codes of one model and the factors of the same rows, in the forms that dbench score reads. All
    quick metrics are compared; --metric names others. Ctrl-C compares by the halves of the rows that are done.
    """
    from dbench.codes.reading import MOST_ROWS, read_codes
    from dbench.errors import find
    from dbench.scoring.compared import show
    from dbench.scoring.comparing import REPEATS, compare_codes
    from dbench.scoring.plan import choose
    from dbench.scoring.progress import bar
    from dbench.scoring.reseeding import LARGEST, tables

    choose(options["metrics"], options["family"])  # a misspelt name shall not wait for a long file
    find("table", table or LARGEST, tables())
    pairs = pairs_of(files)
    if csv_file and any(same_file(csv_file, file) for file in files):
        raise InvalidInput(f"--csv must be no file that is compared, got {str(csv_file)!r}")
    if csv_file and csv_file.is_dir():
        raise InvalidInput(f"--csv must be a file, got the folder {str(csv_file)!r}")
    if len(pairs) < 2:
        raise InvalidInput(f"compare takes the files of at least 2 models, got {len(pairs)}")
    reading: dict[str, Any] = {"codes": codes, "factors": factors, "continuous": continuous, "discrete": discrete}
    read = [
        read_codes(first, second, rows=rows or MOST_ROWS, seed=options["seed"], **reading) for first, second in pairs
    ]
    if len({found.name for found in read}) < len(read):
        read = [replace(found, name=str(first)) for found, (first, _) in zip(read, pairs, strict=True)]
    with bar("compare") as advance:
        found = compare_codes(read, repeats=repeats or REPEATS, table=table or LARGEST, progress=advance, **options)
    written = write_file(csv_file, _csv(found)) if csv_file else None
    if as_json:
        click.echo(json.dumps(found.records, indent=1, allow_nan=False))
    else:
        show(terminal(highlight=False), found)
    if written:
        click.echo(f"Written: {one_line(str(written))}", err=as_json)
    if found.stopped:
        click.echo("dbench: stopped; what was compared by then stands above", err=True)
        context.exit(130)
    if found.asked == 0:
        raise InvalidInput("no difference could be told; the reasons stand above")


def _csv(found: Comparison) -> str:
    frame = found.frame
    texts = frame.select_dtypes(exclude="number").columns
    return frame.assign(**{name: [cell(str(text)) for text in frame[name]] for name in texts}).to_csv(index=False)
