"""``dbench rank``: compare how a metric and those of dbench rank trained models."""

import json
import math
from pathlib import Path

import click

from dbench.outside import user_code
from dbench.shown import say


@click.command()
@click.argument("metrics", metavar="METRIC...", nargs=-1, required=True)
@click.option("--panel", type=click.Path(path_type=Path), help="File of dbench zoo panel.  [72 models, shipped]")
@click.option("--observations", type=click.IntRange(200), default=5_000, show_default=True, help="Rows of a sample.")
@click.option("--quick", is_flag=True, help="One seed of each objective and strength: half of the shipped panel.")
@click.option("--less-is-better", is_flag=True, help="Lower scores of METRIC are better.")
@click.option("--most", type=click.IntRange(0), default=5, show_default=True, help="Disagreements to show.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object in place of tables.")
def rank(
    metrics: tuple[str, ...],
    panel: Path | None,
    observations: int,
    quick: bool,
    less_is_better: bool,
    most: int,
    as_json: bool,
) -> None:
    """Score the trained models of a panel with METRIC and with ours: do they rank the models alike?

    METRIC is module:attribute, found from the current folder too, or the name of a metric of dbench. It takes codes
    (n x d) and factors (n x k, integer labels), a Sample or a Source, and returns a number.
    """
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    from dbench.stats.estimate import finite_or_none
    from dbench.zoo.panel import SHIPPED, choose_runs, read_panel
    from dbench.zoo.progress import ProgressBar
    from dbench.zoo.rank import BESIDE, agreement, disagreements, score_panel

    models = read_panel(panel or SHIPPED)
    if quick:
        models = models.take(choose_runs(models.keys, 1))
    metrics = tuple(dict.fromkeys(metrics))
    all_metrics = list(dict.fromkeys([*metrics, *BESIDE]))
    # The models are small: with several threads, waiting for each other takes three times the processor time.
    total = len(models.keys)
    with threadpool_limits(1), ProgressBar(runs=total, units=total, unit="models") as bar, user_code():
        scores = score_panel(models, all_metrics, observations=observations, less_is_better=less_is_better, bar=bar)
    pairs = [(name, other) for i, name in enumerate(metrics) for other in all_metrics if other not in metrics[: i + 1]]
    agreements = [(name, other, agreement(scores, name, other)) for name, other in pairs]
    constant = {name for name, values in scores.items() if (values == values[0]).all()}
    apart = {
        name: disagreements(scores, name, BESIDE[0], most) for name in metrics if name not in (BESIDE[0], *constant)
    }
    if as_json:
        record = {
            "models": [key.axes for key in models.keys],
            "scores": {name: values.tolist() for name, values in scores.items()},
            "agreement": [
                {
                    "metric": name,
                    "with": other,
                    "spearman": None if constant & {name, other} else estimate.value,
                    "low": finite_or_none(estimate.low),
                    "high": finite_or_none(estimate.high),
                }
                for name, other, estimate in agreements
            ],
            "disagreements": {name: [model._asdict() for model in farthest] for name, farthest in apart.items()},
        }
        click.echo(json.dumps(record, indent=1))
        return
    say(f"{len(models.keys)} models on {models.data.name}; Spearman's correlation of scores over the models,")
    say("with the 95% interval of models drawn anew:")
    for name, other, estimate in agreements:
        text = f"{estimate.value:.2f} [{estimate.low:.2f}, {estimate.high:.2f}]"
        if not math.isfinite(estimate.low):
            text = f"{estimate.value:.2f} ({len(models.keys)} models are too few for an interval)"
        if same := [metric for metric in (name, other) if metric in constant]:
            text = f"not defined, {same[0]} gives every model the same score"
        say(f"  {name} with {other}: {text}")
    for name, farthest in apart.items():
        say(f"\nRanked farthest apart by {name} and {BESIDE[0]} (1 is the best):")
        for model in farthest:
            say(f"  {model.rank:g} and {model.other:g}: {models.keys[model.model]}")
