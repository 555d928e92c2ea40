"""``dbench score``: every metric of a file of codes."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dbench.errors import DbenchError, InvalidInput
from dbench.files import same_file, write_file
from dbench.outside import load_callable
from dbench.shown import cell, one_line, terminal

if TYPE_CHECKING:
    from dbench.codes.reading import CodesFile
    from dbench.scoring.scores import Scores


_OF_CODES = (
    click.option(
        "--codes",
        metavar="NAME",
        help="Array of an archive, or columns of a table (a,b or mu_*).  [codes; code_*, z_*]",
    ),
    click.option("--factors", metavar="NAME", help="The same for the factors.  [factors; factor_*]"),
    click.option(
        "--continuous", multiple=True, metavar="NAME", help="Factor that is no label (repeatable; * for all)."
    ),
    click.option("--discrete", multiple=True, metavar="NAME", help="Factor that is a label (repeatable; * for all)."),
    click.option("--metric", "metrics", multiple=True, metavar="NAME", help="Metric to compute (repeatable).  [all]"),
    click.option(
        "--family",
        default="papers",
        show_default=True,
        help="Metrics without --metric: papers (the five papers'), identifiability (later ones'), or all.",
    ),
    click.option("--rows", type=click.IntRange(1), help="Rows to keep of a longer file, drawn at random.  [2,000,000]"),
    click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Decides all draws."),
)


def of_codes(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say what is read of files, and which metrics are computed of it."""
    return reduce(lambda made, option: option(made), reversed(_OF_CODES), command)


@click.command()
@click.argument("files", type=click.Path(path_type=Path), nargs=-1, metavar="FILE...")
@click.option("--encoder", metavar="MODULE:NAME", help="Score this encoder of images (with --data) in place of a file.")
@click.option("--data", metavar="NAME", help="Data set for --encoder: one of dbench's, or module:class.")
@click.option("--decoder", metavar="MODULE:NAME", help="Draw traversals of this decoder (with --encoder and --out).")
@of_codes
@click.option("--fast", is_flag=True, help="Leave out the slow ones.")
@click.option(
    "--repeats",
    type=click.IntRange(0),
    help="Repeats behind each interval.  [10; 0 with predictors]",
)
@click.option("--most", type=click.IntRange(1), help="Codes of most information to fit predictors on.  [all]")
@click.option("--json", "as_json", is_flag=True, help="Print a list of records in place of tables.")
@click.option("--csv", "csv_file", type=click.Path(path_type=Path), help="Also write all numbers to this file.")
@click.option("--html", "html_file", type=click.Path(path_type=Path), help="Also write a page: tables and diagrams.")
@click.option("--out", type=click.Path(path_type=Path), help="Also write diagrams of the relations to this folder.")
@click.pass_context
def score(
    context: click.Context,
    /,
    files: tuple[Path, ...],
    encoder: str | None,
    data: str | None,
    decoder: str | None,
    codes: str | None,
    factors: str | None,
    continuous: tuple[str, ...],
    discrete: tuple[str, ...],
    rows: int | None,
    as_json: bool,
    csv_file: Path | None,
    html_file: Path | None,
    out: Path | None,
    **options: Any,
) -> None:
    """Score the codes in each FILE with every metric it allows; several stand side by side.

    FILE is an .npz, .safetensors, .h5, .mat or .pt with arrays codes (n x d) and factors (n x k), optionally
    factor_names, factor_sizes, and logvar or std; a .csv, .tsv, .parquet or .feather with columns code_* or z_*, and
    factor_*; or an .npy of the codes, followed by one of the factors. Text, whole numbers and few distinct values are
    labels; other factors are continuous.

    --encoder names a function or torch module that takes float32 images in 0..1 (n x C x H x W) and returns codes
    (n x d), or a pair: means and logarithms of variances.

    Quick metrics come first. Ctrl-C prints and writes what there is by then, and ends with exit code 130.
    """
    from dbench.codes.reading import MOST_ROWS, read_codes
    from dbench.data import load
    from dbench.scoring.compute import STOPPED, long_work
    from dbench.scoring.encoders import ROWS, encode_data
    from dbench.scoring.html import page
    from dbench.scoring.plan import choose
    from dbench.scoring.terminal import show

    choose(options["metrics"], options["family"])  # a misspelt name shall not wait for a long file
    pairs = pairs_of(files)
    if out and len(pairs) > 1:
        raise InvalidInput(f"--out takes the diagrams of one file, got {len(pairs)} files")
    for option, place in (("--csv", csv_file), ("--html", html_file)):
        if place and any(same_file(place, file) for file in files):
            raise InvalidInput(f"{option} must be no file that is scored, got {str(place)!r}")
        if place and place.is_dir():
            raise InvalidInput(f"{option} must be a file, got the folder {str(place)!r}")
    if csv_file and html_file and same_file(csv_file, html_file):
        raise InvalidInput(f"--csv and --html must be two files, got {str(csv_file)!r} for both")
    if out and out.exists() and not out.is_dir():
        raise InvalidInput(f"--out must be a folder, got the file {str(out)!r}")
    reading: dict[str, Any] = {"codes": codes, "factors": factors, "continuous": continuous, "discrete": discrete}
    read = [
        read_codes(first, second, rows=rows or MOST_ROWS, seed=options["seed"], **reading) for first, second in pairs
    ]
    source = None
    if encoder and data and not read:
        if given := [f"--{name}" for name, value in reading.items() if value]:
            raise InvalidInput(f"with --encoder, codes and factors come from --data: leave out {', '.join(given)}")
        encode, points = load_callable("encoder", encoder), load(data)
        found, source = encode_data(encode, points, name=encoder, rows=rows or ROWS, seed=options["seed"])
        read = [found]
    elif encoder or data or not read:
        raise InvalidInput("score takes files, or --encoder together with --data, got neither or a mixture")
    if decoder:
        if out is None or read[0].logvar is None or not encoder:
            raise InvalidInput("--decoder goes with --out and an --encoder that returns (mean, logvar), got it without")
        click.echo(f"Written: {one_line(str(_draw(decoder, read[0], out)))}", err=True)
    if len({found.name for found in read}) < len(read):
        read = [replace(found, name=str(first)) for found, (first, _) in zip(read, pairs, strict=True)]
    scored: list[Scores] = []
    for found in read:
        if said := long_work(found.sample):
            click.echo(f"dbench: {one_line(found.name)}: {said}", err=True)
        scored.append(_with_progress(found, options | {"source": source}))
        if any(result.reason == STOPPED for result in scored[-1].results):
            break
    texts = dict[Path, str]()
    if csv_file:
        texts[csv_file] = _csv(scored)
    if html_file:
        texts[html_file] = page(scored)
    if out:
        texts |= {out / f"{name}.svg": picture for name, picture in scored[0].pictures.items()}
    # Written before anything is shown, and shown whatever could not be: a pipe may be closed, a disk full.
    written, failed = list[Path](), list[DbenchError]()
    for place, text in texts.items():
        try:
            written.append(write_file(place, text))
        except DbenchError as error:
            failed.append(error)
    if as_json:
        click.echo(json.dumps([record for one in scored for record in one.records], indent=1, allow_nan=False))
    else:
        show(terminal(highlight=False), scored)
    for path in written:
        click.echo(f"Written: {one_line(str(path))}", err=as_json)
    if failed:
        raise failed[0]
    results = [result for one in scored for result in one.results]
    if any(result.reason == STOPPED for result in results):
        click.echo("dbench: stopped; what was computed by then stands above", err=True)
        context.exit(130)
    if all(result.score is None for result in results):
        raise InvalidInput("no metric could be computed; the reasons stand above")


def _csv(scored: Sequence[Scores]) -> str:
    import pandas as pd

    frames = [one.frame for one in scored]
    if len(scored) > 1:
        frames = [frame.assign(file=one.file.name) for frame, one in zip(frames, scored, strict=True)]
    table = pd.concat(frames)
    texts = table.select_dtypes(exclude="number").columns
    return table.assign(**{name: [cell(str(text)) for text in table[name]] for name in texts}).to_csv(index=False)


def _draw(decoder: str, found: CodesFile, out: Path) -> Path:
    from dbench.scoring.encoders import decoder_of
    from dbench.scoring.plots import traversals

    decode = decoder_of(load_callable("decoder", decoder), f"decoder {decoder}")
    figure = traversals(decode, found.sample.codes, found.logvar).get_figure(root=True)
    assert figure is not None
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=200, bbox_inches="tight")
    return write_file(out / "traversals.png", picture.getvalue())


def pairs_of(files: Sequence[Path]) -> list[tuple[Path, Path | None]]:
    """Sort the arguments into files: an .npy of codes is followed by one of factors."""
    pairs: list[tuple[Path, Path | None]] = []
    rest = list(files)
    while rest:
        first = rest.pop(0)
        two = first.suffix.lower() == ".npy" and bool(rest)
        pairs.append((first, rest.pop(0) if two else None))
    return pairs


def _with_progress(found: CodesFile, options: dict[str, Any]) -> Scores:
    """Compute; on a terminal the table fills as scores come."""
    from rich.console import Group
    from rich.live import Live
    from rich.text import Text

    from dbench.scoring.scores import scores_of
    from dbench.scoring.terminal import scores_table

    console = terminal(stderr=True)
    if not console.is_terminal:
        return scores_of(found, **options)
    with Live(console=console, transient=True, refresh_per_second=4) as live:

        def advance(item: Any, number: int, total: int, results: Any) -> None:
            there = [results[name] for name in sorted(results) if results[name].score is not None]
            slow = "" if item.speed == "fast" else " (slow)"
            line = Text(
                f"{one_line(found.name)}: {item.name}{slow}, step {number + 1} of {total}; Ctrl-C keeps what is there"
            )
            live.update(Group(scores_table(there, console.width), line), refresh=True)

        return scores_of(found, progress=advance, **options)
