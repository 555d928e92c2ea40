"""The command ``dbench metrics``, which lists the cards of the metrics."""

import inspect
import json
import textwrap
from collections.abc import Iterator
from dataclasses import asdict

import click

from dbench.metrics.registry import METRICS, MetricCard, find_card, find_metric

WIDEST = 100  # longer lines are hard to read, however wide the terminal is


@click.command()
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print the cards as a JSON list.")
def metrics(name: str | None, as_json: bool) -> None:
    """List the metrics: bounds, what they need, where they come from.

    With a NAME, say all there is to know of one: formula, arguments, what it returns and when it refuses. Into a
    pipe goes one line for each metric.
    """
    if name is not None:
        name = _without_variant(name)
    cards = [find_card(each) for each in (sorted(METRICS) if name is None else [name])]
    if as_json:
        click.echo(json.dumps([asdict(card) | {"invariant": sorted(card.invariant)} for card in cards], indent=2))
    elif name is not None:
        function = find_metric(name)
        click.echo(f"{name}{inspect.signature(function)}\n\n{inspect.getdoc(function)}")
    else:
        from dbench.shown import terminal

        console = terminal()
        width = min(console.width, WIDEST) if console.is_terminal else None
        click.echo("\n".join(_lines(cards, width)))


def _without_variant(name: str) -> str:
    """Return ``sap`` for the variant ``sap[r2]``, which its docstring describes; leave any other name unchanged."""
    stem, _, variant = name.removesuffix("]").partition("[")
    return stem if stem in METRICS and variant in find_card(stem).variants else name


def _lines(cards: list[MetricCard], width: int | None) -> Iterator[str]:
    """Yield a heading and a line for each card that ends in its summary; with a width, the summary is wrapped below."""
    rows = [("metric", "bounds", "perfect", "needs", "cite"), *map(_cells, cards)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    heads = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    if width is None:
        longest = max(map(len, heads))
        yield f"{heads[0].ljust(longest)}  summary"
        for head, card in zip(heads[1:], cards, strict=True):
            yield f"{head.ljust(longest)}  {card.summary}"
        return
    yield click.style(heads[0], bold=True)
    for head, card in zip(heads[1:], cards, strict=True):
        yield click.style(head[: widths[0]], bold=True) + head[widths[0] :]
        variants = ", ".join(f"{card.name}[{variant}]" for variant in card.variants)
        also = f" Also {variants}." if variants else ""
        yield from textwrap.wrap(card.summary + also, width - 1, initial_indent="    ", subsequent_indent="    ")


def _cells(card: MetricCard) -> tuple[str, ...]:
    low, high = ("" if bound is None else f"{bound:g}" for bound in card.bounds)
    perfect = "" if card.perfect is None else f"{card.perfect:g}"
    return card.name, f"{low} .. {high}".strip(), perfect, card.needs, card.cite
