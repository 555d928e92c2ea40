"""``dbench data``: the data sets, and fetching those that others published."""

import click

from dbench.shown import say


@click.group()
def data() -> None:
    """List the data sets, and fetch those that others published."""


@data.command()
def ls() -> None:
    """List the data sets: what ships, what is rendered, and what is fetched when it is first asked for."""
    from dbench.data import DATA_SETS, NEEDS_DOWNLOAD
    from dbench.data.archives import cache_folder

    wide = max(map(len, DATA_SETS))
    for name in sorted(DATA_SETS):
        say(f"{name.ljust(wide)}  {'needs a download' if name in NEEDS_DOWNLOAD else 'works offline'}")
    say(f"Downloads are kept in {cache_folder()}; the environment variable DBENCH_DATA names another folder.")


@data.command()
@click.argument("name")
def fetch(name: str) -> None:
    """Make the data set NAME ready: download its files where there are none, check them, say what it holds.

    NAME may also be module:class, a data set of your own.
    """
    from math import prod

    from dbench.data import load

    dataset = load(name)
    factors = ", ".join(f"{each} {size}" for each, size in zip(dataset.factor_names, dataset.factor_sizes, strict=True))
    shape = " x ".join(map(str, dataset.image_shape))
    say(f"{dataset.name}: {prod(dataset.factor_sizes):,} points ({factors}), images {shape}")
    say(f"fingerprint {dataset.fingerprint}")
