"""Remove nodes from a Ray cluster during a sweep, and compare its runs with those of a sweep nobody disturbed.

``python tools/torture_ray.py`` makes a cluster of several nodes on this machine and trains the small plan of
``torture.py`` on it. At random moments nodes are removed without warning, at most all but one. Before the next sweep,
which begins in a new store, they are replaced, until enough are lost. Every table must equal that of a sweep by local
processes, except for when and from which commit its runs were trained.
"""

import io
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np
from rich.console import Console
from torture import STEPS, compared, differences, small_plan, trained_table

from dbench import seeds
from dbench.errors import DbenchError, InvalidInput
from dbench.zoo.keys import RunKey
from dbench.zoo.store import Store
from dbench.zoo.train import train_runs

_SMALL: dict[str, Any] = {"object_store_memory": 80 * 2**20}  # options of a node
_ATTEMPTS = 20  # starts that a sweep gets to come to its end


class _Nodes(threading.Thread):
    """Thread that removes random nodes at random moments while a sweep runs, and leaves at least one."""

    def __init__(
        self, cluster: Any, nodes: list[Any], losses: int, within: float, generator: np.random.Generator
    ) -> None:
        super().__init__(daemon=True)
        self.cluster, self.nodes, self.losses, self.within, self.generator = cluster, nodes, losses, within, generator
        self.lost, self.over = 0, threading.Event()

    def run(self) -> None:
        while min(self.losses - self.lost, len(self.nodes) - 1) > 0:
            if self.over.wait(self.generator.uniform(0.0, self.within)):
                return
            node = self.nodes.pop(int(self.generator.integers(len(self.nodes))))
            self.cluster.remove_node(node, allow_graceful=False)
            self.lost += 1


def lose_nodes(
    folder: str | Path,
    keys: Sequence[RunKey],
    *,
    losses: int,
    nodes: int,
    generator: np.random.Generator,
    tell: Callable[[str], None] = lambda _: None,
) -> Counter[str]:
    """Sweep a plan on a cluster that loses nodes, and compare the tables with that of a sweep by local processes.

    Args:
        folder: an empty folder for the stores.
        keys: the plan.
        losses: number of nodes to lose, over as many sweeps as that takes.
        nodes: number of nodes with one processor each, beside a head with none.
        generator: draws moments and nodes.
        tell: called with each line of progress.

    Returns:
        ``lost`` nodes, ``sweeps``, ``starts`` of ``train_runs``, ``cells`` compared, and ``differences`` among these.

    Raises:
        InvalidInput: a folder that is not empty, or Ray is not installed.
        DbenchError: a sweep cannot be brought to its end.
    """
    try:
        import ray
        from ray.cluster_utils import Cluster
    except ImportError:
        raise InvalidInput("torture_ray needs Ray: pip install 'dbench[ray]'") from None
    folder = Path(folder)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InvalidInput(f"folder must be empty or not there yet, got {str(folder)!r}")
    options: dict[str, Any] = {"checkpoint_every": 0.5, "group_size": 2}
    began = time.monotonic()
    undisturbed = Store(folder / "undisturbed")
    tell(f"an undisturbed sweep of {len(keys)} runs by local processes")
    train_runs(undisturbed, keys, console=_silent(), **options)
    expected, within = trained_table(undisturbed, keys), time.monotonic() - began
    tell(f"it took {within:.0f} s; now {nodes} nodes")
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False, **_SMALL})
    counts = Counter[str](differences=0)
    try:
        members: list[Any] = []
        ray.init(address=cluster.address, log_to_driver=False)
        while counts["lost"] < losses:
            members += [cluster.add_node(num_cpus=1, **_SMALL) for _ in range(nodes - len(members))]
            store = Store(folder / f"sweep-{counts['sweeps']}")
            counts["sweeps"] += 1
            attempts_left, lost = _ATTEMPTS, 0
            while attempts_left and not all(store.intact(key) for key in keys):
                remover = _Nodes(cluster, members, losses - counts["lost"] - lost, within, generator)
                remover.start()
                counts["starts"] += 1
                attempts_left -= 1
                try:
                    train_runs(store, keys, engine="ray", console=_silent(), **options)
                except DbenchError as error:  # a group was lost more often than Ray restarts it
                    tell(f"started again: {error}")
                remover.over.set()
                remover.join()
                lost += remover.lost
            counts["lost"] += lost
            table = trained_table(store, keys)
            counts["cells"] += compared(expected).size
            counts["differences"] += differences(table, expected)
            progress = f"{counts['lost']} of {losses} nodes lost, {counts['differences']} cells differ so far"
            tell(f"sweep {counts['sweeps']} is done: {progress}")
    finally:
        ray.shutdown()
        cluster.shutdown()  # type: ignore[no-untyped-call]
    return counts


def _silent() -> Console:
    return Console(file=io.StringIO())


@click.command()
@click.option("--losses", type=click.IntRange(1), default=10, show_default=True, help="Nodes to lose.")
@click.option("--nodes", type=click.IntRange(2), default=3, show_default=True, help="Nodes beside the head.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Decides moments and nodes.")
@click.option("--steps", type=click.IntRange(100), default=STEPS, show_default=True, help="Steps of each run.")
@click.option("--store", "folder", help="Empty folder for the stores, where they stay.  [a temporary one]")
def main(losses: int, nodes: int, seed: int, steps: int, folder: str | None) -> None:
    """Lose nodes of a Ray cluster; exit with 1 if any run differs from the undisturbed one, 2 on bad input."""
    generator = seeds.generator(purpose="torture-ray", seed=seed)
    with tempfile.TemporaryDirectory(prefix="dbench-torture-", ignore_cleanup_errors=True) as place:
        try:
            counts = lose_nodes(
                folder or f"{place}/stores",
                small_plan(steps=steps),
                losses=losses,
                nodes=nodes,
                generator=generator,
                tell=click.echo,
            )
        except DbenchError as error:
            click.echo(f"torture_ray: {error}", err=True)
            raise click.exceptions.Exit(2) from None
    click.echo(
        f"{counts['lost']} nodes lost in {counts['sweeps']} sweeps and {counts['starts']} starts: "
        f"{counts['cells']:,} cells compared, {counts['differences']} differ"
    )
    if counts["differences"]:
        raise click.exceptions.Exit(1)


if __name__ == "__main__":
    main()
