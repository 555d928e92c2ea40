"""``dbench udr``: which of several models to pick when there are no factors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

if TYPE_CHECKING:
    from rich.console import Console

    from dbench.scoring.ranking import Ranking

_MOST_COLUMNS = 12  # of the matrix beside the scores; wider ones stand below, in parts


@click.command()
@click.argument("files", type=click.Path(path_type=Path), nargs=-1, required=True, metavar="FILE...")
@click.option("--codes", metavar="NAME", help="Array of an .npz, or columns of a table.  [codes; code_*, z_*]")
@click.option("--relation", type=click.Choice(["lasso", "spearman"]), default="lasso", show_default=True)
@click.option(
    "--rows", type=click.IntRange(5), default=10_000, show_default=True, help="Rows to keep, drawn at random."
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Decides which rows.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object in place of tables.")
def udr(
    files: tuple[Path, ...],
    codes: str | None,
    relation: Literal["lasso", "spearman"],
    rows: int,
    seed: int,
    as_json: bool,
) -> None:
    """Rank models by how well their codes agree, axis by axis (UDR, Duan et al. 2020). No factors are needed.

    Each FILE holds one model's codes of the same observations in the same order: an .npz with codes (n x d) and
    preferably logvar or std, an .npy, or a table with columns code_* or z_*.
    """
    from dbench.codes.alone import read_codes_alone
    from dbench.scoring.ranking import rank_models

    found = rank_models(read_codes_alone(files, codes=codes, rows=rows, seed=seed), relation=relation)
    if as_json:
        order = zip(found.names, found.scores, found.spread, found.informative, found.agreements, strict=True)
        records = [
            {
                "model": name,
                "udr": float(score),
                "spread": float(spread),
                "informative": int(informative),
                "agreements": dict(zip(found.names, row.tolist(), strict=True)),
            }
            for name, score, spread, informative, row in order
        ]
        pick = None if found.best is None else found.names[found.best]
        click.echo(json.dumps({"pick": pick, "relation": relation, "models": records}, indent=1))
    else:
        _show(found)


def _show(found: Ranking) -> None:
    from rich.table import Table
    from rich.text import Text

    from dbench.scoring.ranking import FINDINGS
    from dbench.shown import terminal

    console = terminal(highlight=False)
    order = found.order
    # A number takes five columns and two between.
    with_matrix = len(order) <= min(_MOST_COLUMNS, (console.width - 50) // 7)
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column("", justify="right")
    table.add_column("model", overflow="fold")
    heads = ["udr \u2191", "spread", "codes"] + [f"with {place}" for place in range(1, len(order) + 1)] * with_matrix
    for head in heads:
        table.add_column(head, justify="right", no_wrap=not head.startswith("with"))
    for place, number in enumerate(order, 1):
        cells = [f"{found.scores[number]:.3f}", f"{found.spread[number]:.3f}", str(found.informative[number])]
        if with_matrix:
            cells += ["" if number == other else f"{found.agreements[number, other]:.3f}" for other in order]
        table.add_row(str(place), Text(found.names[number]), *cells)
    console.print(table)
    best, second = order[:2]
    close = found.scores[best] - found.scores[second] <= max(found.spread[best], found.spread[second])
    doubt = f" It is not clearly ahead of {found.names[second]}: the spread is as large." if close else ""
    advice = f"Pick {found.names[best]}: its codes agree best with those of the others.{doubt}"
    if found.best is None:
        why = "no codes agree" if found.informative.any() else "no model has an informative code"
        if found.scores.any():
            why = "of two models each agrees with the other alone"
        advice = f"No model to pick: {why}."
    said = [
        *found.notes,
        f"{advice} Score: median of the comparisons; "
        "spread: from their first to their third quartile; codes: how many are informative.",
    ]
    for line in said:
        console.print(Text(f"\n{line}"))
    if not with_matrix:
        _show_matrix(console, found)
    console.print(Text("\nAgreement is not disentanglement. How far to trust it, dbench claims show ID:"))
    for name, stake in FINDINGS:
        console.print(Text(f"  {name}: {stake}"))


def _show_matrix(console: Console, found: Ranking) -> None:
    """Print the matrix of agreements by place, as many columns side by side as there is room for."""
    from rich.table import Table
    from rich.text import Text

    order, step = found.order, max((console.width - 5) // 7, 1)
    console.print(Text("\nAgreement of the model at each place (row) with those at the others:"))
    for start in range(0, len(order), step):
        table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0), pad_edge=False)
        table.add_column("", justify="right")
        for place in range(start, min(start + step, len(order))):
            table.add_column(str(place + 1), justify="right", no_wrap=True)
        for place, number in enumerate(order, 1):
            others = order[start : start + step]
            cells = ["" if number == other else f"{found.agreements[number, other]:.3f}" for other in others]
            table.add_row(str(place), *cells)
        console.print(table)
