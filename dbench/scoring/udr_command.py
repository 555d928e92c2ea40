"""``dbench udr``: which of several models to pick when there are no factors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

if TYPE_CHECKING:
    from rich.console import Console

    from dbench.scoring.ranking import Ranking

_MOST_COLUMNS = 12  # of a matrix beside the scores; a wider matrix is printed below, in parts


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
    from dbench.scoring.ranking import rank_models, read_codes_alone

    ranking = rank_models(read_codes_alone(files, codes=codes, rows=rows, seed=seed), relation=relation)
    if as_json:
        order = zip(ranking.names, ranking.scores, ranking.spread, ranking.informative, ranking.agreements, strict=True)
        records = [
            {
                "model": name,
                "udr": float(score),
                "spread": float(spread),
                "informative": int(informative),
                "agreements": dict(zip(ranking.names, row.tolist(), strict=True)),
            }
            for name, score, spread, informative, row in order
        ]
        pick = None if ranking.best is None else ranking.names[ranking.best]
        click.echo(json.dumps({"pick": pick, "relation": relation, "models": records}, indent=1))
    else:
        _show(ranking)


def _show(ranking: Ranking) -> None:
    from rich.text import Text

    from dbench.scoring.ranking import FINDINGS
    from dbench.scoring.tables import Table
    from dbench.shown import terminal

    console = terminal(highlight=False)
    order = ranking.order
    # A number takes five characters, and two before the next.
    with_matrix = len(order) <= min(_MOST_COLUMNS, (console.width - 50) // 7)
    heads = ["", "model", "udr \u2191", "spread", "codes"]
    heads += [f"with {place}" for place in range(1, len(order) + 1)] * with_matrix
    rows = []
    for place, number in enumerate(order, 1):
        cells = [f"{ranking.scores[number]:.3f}", f"{ranking.spread[number]:.3f}", str(ranking.informative[number])]
        if with_matrix:
            cells += ["" if number == other else f"{ranking.agreements[number, other]:.3f}" for other in order]
        rows.append([str(place), ranking.names[number], *cells])
    console.print(Table(heads, rows, (1,), (1, *range(5, len(heads)))).terminal())
    best, second = order[:2]
    close = ranking.scores[best] - ranking.scores[second] <= max(ranking.spread[best], ranking.spread[second])
    doubt = f" It is not clearly ahead of {ranking.names[second]}: the spread is as large." if close else ""
    advice = f"Pick {ranking.names[best]}: its codes agree best with those of the others.{doubt}"
    if ranking.best is None:
        why = "no codes agree" if ranking.informative.any() else "no model has an informative code"
        if ranking.scores.any():
            why = "of two models each agrees with the other alone"
        advice = f"No model to pick: {why}."
    sentences = [
        *ranking.notes,
        f"{advice} Score: median of the comparisons; "
        "spread: from their first to their third quartile; codes: how many are informative.",
    ]
    for line in sentences:
        console.print(Text(f"\n{line}"))
    if not with_matrix:
        _show_matrix(console, ranking)
    console.print(Text("\nAgreement is not disentanglement. How far to trust it, dbench claims show ID:"))
    for name, stake in FINDINGS:
        console.print(Text(f"  {name}: {stake}"))


def _show_matrix(console: Console, ranking: Ranking) -> None:
    """Print the matrix of agreements by place in the ranking, in parts that fit the width of the terminal."""
    from rich.text import Text

    from dbench.scoring.tables import Table

    order, step = ranking.order, max((console.width - 5) // 7, 1)
    console.print(Text("\nAgreement of the model at each place (row) with those at the others:"))
    for start in range(0, len(order), step):
        heads = ["", *(str(place + 1) for place in range(start, min(start + step, len(order))))]
        rows = [
            [str(place), *("" if i == j else f"{ranking.agreements[i, j]:.3f}" for j in order[start : start + step])]
            for place, i in enumerate(order, 1)
        ]
        console.print(Table(heads, rows, (), ()).terminal())
