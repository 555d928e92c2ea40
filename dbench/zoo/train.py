"""Train the runs of a plan that a store lacks, as ensembles in parallel processes, here or on a Ray cluster."""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from rich.console import Console

from dbench.errors import DbenchError, InvalidInput
from dbench.zoo.checkpoints import steps_taken
from dbench.zoo.cluster import Cluster, connected
from dbench.zoo.engine import train_group
from dbench.zoo.executor import Outcome, Pool, Processes, cores, run_tasks, terminable
from dbench.zoo.keys import RunKey
from dbench.zoo.plan import Log, Setup, plan_groups
from dbench.zoo.progress import ProgressBar, Summary, log_to
from dbench.zoo.store import Store
from dbench.zoo.survey import FINISHED, of_other_data, precisions_of, state_of


def train_runs(
    store: Store, keys: Sequence[RunKey], *, budget: float | None = None, console: Console | None = None, **setup: Any
) -> Summary:
    """Train every run of the plan that the store lacks or holds damaged; docs/zoo.md says how each state is treated.

    Args:
        store: where finished runs and checkpoints are saved.
        keys: the runs of the plan.
        budget: seconds after which to stop; whole seeds of all settings are trained first.
        console: where plan and progress are shown; standard error when not given.
        setup: the fields of :class:`dbench.zoo.plan.Setup`.

    Returns:
        ``done`` runs were trained now, and ``elsewhere`` ones finished by another process; ``diverged`` counts among
        both. ``left`` runs are not finished. ``damaged`` runs are trained anew, ``unreadable`` ones are not.

    Raises:
        DbenchError: a group failed or its worker died (the first such error, after the others are done), or the store
            cannot be read or written.
        InvalidInput: a device that this machine lacks, a store in this process's memory or with runs of another
            precision, or a budget that is not above zero.
        UnknownName: an objective, network, data set or engine that does not exist.
    """
    plan_setup = Setup(**setup)
    if budget is not None and not budget > 0:
        raise InvalidInput(f"budget must be above zero seconds, got {budget:g}")
    log, begin = log_to(console), time.monotonic()
    store.check_shared()
    states = {key: state_of(store, key) for key in keys}
    _log_outdated(store, [key for key in keys if states[key] == "damaged"], log)
    todo = [key for key in keys if states[key] not in (*FINISHED, "unreadable")]
    if todo and (other_precisions := precisions_of(store) - {plan_setup.precision}):
        stored = ", ".join(sorted(other_precisions))
        raise InvalidInput(f"precision must be that of the runs in {store.url}, {stored}, got {plan_setup.precision!r}")
    deadline = None if budget is None else begin + budget
    outcome = _train(store, todo, plan_setup, deadline, console, log) if todo else Outcome([], [], cancelled=False)
    outcome.checked()
    after = Counter(state_of(store, key) for key in keys)
    finished = sum(after[state] for state in FINISHED)
    before = Counter(states.values())
    present = sum(before[state] for state in FINISHED)
    # Workers that were stopped do not report how many runs they finished.
    trained = finished - present if outcome.cancelled else sum(filter(None, outcome.results))
    counts = {
        "elsewhere": finished - present - trained,
        "damaged": before["damaged"],
        "diverged": after["diverged"] - before["diverged"],
        "unreadable": after["unreadable"],
        "left": len(keys) - finished - after["unreadable"],
    }
    return Summary("trained", trained, present, time.monotonic() - begin, outcome.cancelled, counts)


def _train(
    store: Store, keys: Sequence[RunKey], setup: Setup, deadline: float | None, console: Console | None, log: Log
) -> Outcome:
    with terminable():
        try:
            with _pool(store, setup) as pool:
                taken = dict.fromkeys(keys, 0)
                for key in keys:
                    with suppress(DbenchError):
                        taken[key] = steps_taken(store.record(key), key)
                groups = plan_groups(store.address, keys, pool.room, setup, deadline=deadline, taken=taken, log=log)
                Store(store.url)  # creates the folder only now, when the plan is known to be valid
                steps = sum(key.steps - taken[key] for group in groups for key in group.keys)
                runs = sum(len(group.keys) for group in groups)
                bar = ProgressBar(runs=runs, units=steps, unit="model-steps", console=console)
                return run_tasks(pool, groups, bar, deadline=deadline)
        except KeyboardInterrupt:  # came during planning
            return Outcome([], [], cancelled=True)


@contextmanager
def _pool(store: Store, setup: Setup) -> Iterator[Pool]:
    if setup.engine == "local":
        yield Processes(train_group, setup.workers or (1 if setup.on_gpu else cores()))
    else:
        with connected() as ray:
            yield Cluster(ray, train_group, store, setup.workers, setup.gpu_share)


def _log_outdated(store: Store, damaged: Sequence[RunKey], log: Log) -> None:
    """Log how many of the damaged runs were trained on another version of their data set."""
    outdated = Counter[str]()
    for key in damaged:
        with suppress(DbenchError):
            outdated[key.data] += of_other_data(key, store.record(key))
    for name, count in (+outdated).items():
        log(f"{count} runs were trained on another version of {name} than is installed, and are trained anew")
