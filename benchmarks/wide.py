"""Wide codes through ``dbench.score``: ``OMP_NUM_THREADS=1 python benchmarks/wide.py --family all``."""

import resource
import time

import click
import numpy as np

import dbench


@click.command()
@click.option("--codes", default=16_384, show_default=True)
@click.option("--labels", default=100, show_default=True)
@click.option("--rows", default=10_000, show_default=True)
@click.option("--family", default="papers", show_default=True)
def main(codes: int, labels: int, rows: int, family: str) -> None:
    """Score noisy copies of binary labels beside noise, in single precision."""
    rng = np.random.default_rng(0)
    factors = rng.integers(2, size=(rows, labels))
    values = rng.standard_normal((rows, codes), dtype=np.float32)
    values[:, :labels] += factors
    start = time.process_time()
    scores = dbench.score(values, factors, family=family, fast=True)
    seconds = time.process_time() - start
    for result in scores.results:
        if result.score is not None:
            click.echo(f"{result.item.name:16} {result.score.value:8.4f} {result.seconds:8.1f} s of the clock")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    click.echo(f"{seconds:.0f} s of the processor, {peak:.1f} GiB at most")


if __name__ == "__main__":
    main()
