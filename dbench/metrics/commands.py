"""``dbench metrics``: every metric by its card."""

from __future__ import annotations

import click

__all__ = ["metrics"]


@click.command()
def metrics() -> None:
    """List the metrics: bounds, what they need, where they come from."""
    from rich.console import Console
    from rich.table import Table

    import dbench.metrics  # noqa: F401  (fills the dictionary of metrics)
    from dbench.metrics.registry import METRICS

    table = Table(box=None, header_style="bold")
    for column in ("metric", "bounds", "perfect", "needs", "cite", "summary"):
        table.add_column(column, overflow="fold")
    for name, function in sorted(METRICS.items()):
        card = function.card  # type: ignore[attr-defined]
        low, high = ("" if bound is None else f"{bound:g}" for bound in card.bounds)
        perfect = "" if card.perfect is None else f"{card.perfect:g}"
        table.add_row(name, f"{low} .. {high}", perfect, card.needs, card.cite, card.summary)
    Console().print(table)
