"""Train what a store lacks of a plan: one ensemble at a time in each of several processes, here or on a Ray cluster."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from rich.console import Console

from dbench.errors import DbenchError, InvalidInput
from dbench.shown import terminal
from dbench.zoo.checkpoints import steps_taken
from dbench.zoo.engine import Group, train_group
from dbench.zoo.keys import RunKey
from dbench.zoo.plan import Setup, Speed, cut_groups, expected_seconds, whole_seeds
from dbench.zoo.progress import Meter, clock, teller
from dbench.zoo.ray_engine import capacity, connected, run_on_ray
from dbench.zoo.store import Store
from dbench.zoo.survey import FINISHED, of_other_data, precisions_of, state_of
from dbench.zoo.workers import News, cores, run_tasks, terminable

Tell = Callable[[str], None]


@dataclass(frozen=True)
class TrainSummary:
    """What a call of :func:`train_runs` did, in numbers of runs.

    Runs of the plan were ``present`` before, ``trained`` now, or finished ``elsewhere`` by another process meanwhile;
    these include ``diverged`` ones. ``left`` are not finished, of which the system refuses to show those
    ``unreadable``; ``damaged`` were trained anew. ``cancelled`` says whether Ctrl-C ended it.
    """

    present: int
    trained: int
    diverged: int
    left: int
    damaged: int
    seconds: float
    cancelled: bool
    unreadable: int = 0
    elsewhere: int = 0

    def __str__(self) -> str:
        parts = [f"trained {self.trained} runs in {clock(self.seconds)}", f"{self.present} were there before"]
        if self.elsewhere > 0:
            parts.append(f"{self.elsewhere} were finished by others meanwhile")
        if self.damaged:
            parts.append(f"{self.damaged} were damaged and are trained anew")
        if self.diverged:
            parts.append(f"{self.diverged} diverged")
        if self.unreadable:
            parts.append(f"{self.unreadable} cannot be read and were left alone")
        if self.left > self.unreadable:
            parts.append(f"{self.left - self.unreadable} are left (the same command goes on)")
        return "; ".join(parts)


def train_runs(
    store: Store, keys: Sequence[RunKey], *, budget: float | None = None, console: Console | None = None, **setup: Any
) -> TrainSummary:
    """Train every run of the plan that the store does not hold whole; docs/zoo.md says what becomes of which.

    ``budget`` are seconds after which to stop, spent on whole seeds of all settings first; ``setup`` are the fields of
    :class:`dbench.zoo.plan.Setup`.
    Plan and progress are written to the console, standard error when none is given.

    Raises:
        DbenchError: a group failed or its worker died (the first such error, after the others are done), or the store
            cannot be read or written.
        InvalidInput: a device that is not there, a store in this process's memory or with runs of another precision,
            or a budget of nothing.
        UnknownName: an objective, network, data set or engine nobody knows.
    """
    asked = Setup(**setup)
    if budget is not None and not budget > 0:
        raise InvalidInput(f"budget must be above zero seconds, got {budget:g}")
    console = console or terminal(stderr=True)
    tell = teller(console)
    begin = time.monotonic()
    deadline = None if budget is None else begin + budget
    store.check_shared()
    states = {key: state_of(store, key) for key in keys}
    _tell_outdated(store, [key for key in keys if states[key] == "damaged"], tell)
    todo = [key for key in keys if states[key] not in (*FINISHED, "unreadable")]
    if todo and (others := precisions_of(store) - {asked.precision}):
        has = ", ".join(sorted(others))
        raise InvalidInput(f"precision must be that of the runs in {store.url}, {has}, got {asked.precision!r}")
    cancelled, trained = _train(store, todo, asked, deadline, console, tell) if todo else (False, 0)
    after = Counter(state_of(store, key) for key in keys)
    finished = sum(after[state] for state in FINISHED)
    present = sum(state in FINISHED for state in states.values())
    trained = finished - present if cancelled else trained  # workers that were stopped do not say what they ended
    return TrainSummary(
        present=present,
        trained=trained,
        elsewhere=finished - present - trained,
        diverged=after["diverged"],
        left=len(keys) - finished,
        damaged=sum(state == "damaged" for state in states.values()),
        seconds=time.monotonic() - begin,
        cancelled=cancelled,
        unreadable=after["unreadable"],
    )


def _train(
    store: Store, keys: Sequence[RunKey], setup: Setup, deadline: float | None, console: Console, tell: Tell
) -> tuple[bool, int]:
    """Train the runs; return whether it was cancelled, and how many this process ended."""
    ended = 0
    with ExitStack() as stack:
        stack.enter_context(terminable())
        news: News | None = None
        try:
            at_once, start = _engine(stack, store, setup)
            taken = {key: _steps_taken(store, key) for key in keys}
            speeds: dict[tuple[Any, ...], Speed] = {}

            def expected(groups: Sequence[Group]) -> float | None:
                busy = min(at_once, len(groups))
                return expected_seconds(groups, busy, setup, deadline, taken=taken.__getitem__, speeds=speeds)

            cut = partial(cut_groups, store.address, at_once=at_once, setup=setup)
            groups = cut(keys) if deadline is None else _seed_by_seed(keys, cut, expected, deadline, setup, tell)
            steps = float(sum(key.steps - taken[key] for group in groups for key in group.keys))
            _announce(groups, steps, min(at_once, len(groups)), setup, expected(groups), tell)
            news = stack.enter_context(closing(start(groups, deadline=deadline, tell=tell)))
            runs = sum(len(group.keys) for group in groups)
            meter = stack.enter_context(Meter(runs=runs, units=steps, unit="model-steps", console=console))
            for kind, content in news:
                if kind == "news":
                    meter.advance(**content)
                else:
                    ended += content
        except KeyboardInterrupt:
            if news is not None:
                news.close()
            return True, ended
    return False, ended


def _seed_by_seed(
    keys: Sequence[RunKey],
    cut: Callable[[Sequence[RunKey]], list[Group]],
    expected: Callable[[Sequence[Group]], float | None],
    deadline: float,
    setup: Setup,
    tell: Tell,
) -> list[Group]:
    """Cut a plan so that a budget ends with whole seeds: as many as fit first, then one after the other.

    On a GPU the others are left: checkpoints are worth nothing on another one, which the next call may be given.
    """
    first, seconds = whole_seeds(keys, lambda some: expected(cut(some)), deadline)
    others = sorted({key.seed for key in keys} - set(first))
    if seconds is not None and seconds > (left := deadline - time.monotonic()):
        tell(f"not even one seed is expected to be finished: it takes about {clock(seconds)}, {clock(left)} are left")
    if others:
        then = "the others are left" if setup.on_gpu else "then one after the other"
        tell(f"whole seeds first, {', '.join(map(str, first))}; {then} ({', '.join(map(str, others))})")
    parts = [first, *([] if setup.on_gpu else [[seed] for seed in others])]
    return [group for part in parts for group in cut([key for key in keys if key.seed in part])]


def _tell_outdated(store: Store, damaged: Sequence[RunKey], tell: Tell) -> None:
    """Say which of the damaged runs are so because their data set was replaced."""
    outdated = Counter[str]()
    for key in damaged:
        with suppress(DbenchError):
            outdated[key.data] += of_other_data(key, store.record(key))
    for name, count in (+outdated).items():
        tell(f"{count} runs were trained on another version of {name} than is installed, and are trained anew")


def _engine(stack: ExitStack, store: Store, setup: Setup) -> tuple[int, Callable[..., News]]:
    if setup.engine == "local":
        at_once = setup.workers or (1 if setup.on_gpu else cores())
        return at_once, partial(run_tasks, train_group, workers=at_once)
    ray, share = stack.enter_context(connected()), setup.gpu_share
    start = partial(run_on_ray, ray, train_group, store=store, workers=setup.workers, num_gpus=share)
    return setup.workers or max(capacity(ray, share), 1), start


def _steps_taken(store: Store, key: RunKey) -> int:
    try:
        return steps_taken(store.record(key), key)
    except DbenchError:
        return 0


def _announce(
    groups: Sequence[Group], steps: float, at_once: int, setup: Setup, expected: float | None, tell: Tell
) -> None:
    place = "a Ray cluster" if setup.engine == "ray" else setup.device
    many, most = "group" if len(groups) == 1 else "groups", max(len(group.keys) for group in groups)
    runs = sum(len(group.keys) for group in groups)
    length = "the first report tells how long" if expected is None else f"about {clock(expected)} if nothing else runs"
    tell(
        f"{runs} runs in {len(groups)} {many} of at most {most}, {at_once} at once on {place}: "
        f"{steps:,.0f} model-steps, {length}"
    )
