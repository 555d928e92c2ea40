"""The pool of :mod:`dbench.zoo.workers` on a Ray cluster.

Results go to the store and not through Ray, so the store must be a folder that all nodes share, or a bucket.
"""

import logging
import os
import platform
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from dbench.errors import DbenchError, InvalidInput
from dbench.provenance import versions
from dbench.zoo.store import Store
from dbench.zoo.workers import Line, News, Pool, Task, drive, outcome_of

_RETRIES = 3
"""How often Ray starts a task again whose node or process was lost."""


@contextmanager
def connected() -> Iterator[Any]:
    """Be connected to a Ray cluster, and give the ``ray`` module.

    The cluster is the one this process is connected to already; else that of ``RAY_ADDRESS`` (``host:port``); else one
    that runs on this machine; else a new one of this machine alone, which ends with the context.

    Raises:
        InvalidInput: Ray is not installed, or there is no cluster at the address.
    """
    try:
        import ray
    except ImportError:
        raise InvalidInput(
            "engine ray needs the package ray, which is not installed; pip install 'dbench[ray]'"
        ) from None
    ours = not ray.is_initialized()
    if ours:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        address = os.environ.get("RAY_ADDRESS")
        try:
            ray.init(logging_level=logging.ERROR, log_to_driver=False, include_dashboard=False)
        except (OSError, RuntimeError, ValueError) as error:
            asked = f"RAY_ADDRESS must be host:port of a running Ray cluster, got {address!r}"
            raise InvalidInput(f"{asked if address else 'Ray could not be started'}: {error}") from None
    try:
        yield ray
    finally:
        if ours:
            ray.shutdown()


def capacity(ray: Any, num_gpus: float = 0.0) -> int:
    """Tasks the cluster can run at once, of one processor and ``num_gpus`` GPUs each."""
    there = ray.cluster_resources()
    slots = there.get("CPU", 0.0)
    return int(min(slots, there.get("GPU", 0.0) / num_gpus) if num_gpus else slots)


class _Mailbox:
    """What tasks tell the driver, and whether they are to stop; lives on the driver's node and takes no processor."""

    def __init__(self) -> None:
        self.news: list[dict[str, Any]] = []
        self.stop = False

    def post(self, news: dict[str, Any]) -> None:
        self.news.append(news)

    def collect(self) -> list[dict[str, Any]]:
        news, self.news = self.news, []
        return news

    def ask_to_stop(self) -> None:
        self.stop = True

    def stopping(self) -> bool:
        return self.stop


class _MailLine(Line):
    def __init__(self, mailbox: Any) -> None:
        self._mailbox = mailbox

    def report(self, **news: Any) -> None:
        self._mailbox.post.remote(news)

    @property
    def stopping(self) -> bool:
        import ray

        try:
            return bool(ray.get(self._mailbox.stopping.remote()))
        except ray.exceptions.RayError:  # the driver is gone
            return True


def _on_node(mailbox: Any, function: Task, task: Any, url: str, session: str) -> tuple[str, Any]:
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    line = _MailLine(mailbox)
    if line.stopping:
        return "done", None
    with threadpool_limits(1):
        return outcome_of(lambda line, task: _checked(line, task, function, url, session), line, task)


def _checked(line: Line, task: Any, function: Task, url: str, session: str) -> Any:
    node = platform.node()
    try:
        document = Store(url, create=False).read_document(session)
    except InvalidInput:
        document = None
    if document is None:
        raise InvalidInput(f"store must be shared by all nodes, or a bucket; node {node} does not see that of {url!r}")
    if document["versions"] != versions():
        raise InvalidInput(
            f"all nodes must have the versions of the driver, {document['versions']}; node {node} has {versions()}"
        )
    return function(line, task)


def run_on_ray(
    ray: Any,
    function: Task,
    tasks: Iterable[Any],
    *,
    store: Store,
    workers: int | None = None,
    num_gpus: float = 0.0,
    deadline: float | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> News:
    """Run ``function(line, task)`` for every task on the nodes of a cluster, as ``run_tasks`` does on this machine.

    Each task gets a processor and ``num_gpus`` GPUs; as many run at once as ``workers`` says or the cluster has room
    for. What a lost node had reported is reported again.

    Raises:
        DbenchError: as ``run_tasks``, or a task was lost with its node too often.
        InvalidInput: the cluster has no room for a task.
    """
    if capacity(ray, num_gpus) < 1:
        needs = f"a processor and {num_gpus:g} GPUs" if num_gpus else "a processor"
        there = ray.cluster_resources()
        offered = f"{there.get('CPU', 0):g} processors and {there.get('GPU', 0):g} GPUs"
        raise InvalidInput(f"the Ray cluster must offer {needs} for each group, it has {offered}")
    try:
        yield from drive(_Cluster(ray, function, store, workers, num_gpus), tasks, deadline, tell)
    except ray.exceptions.RayError as error:
        raise DbenchError(f"the Ray cluster was lost; finished runs are kept: {_line(error)}") from None


class _Cluster(Pool):
    def __init__(self, ray: Any, function: Task, store: Store, workers: int | None, num_gpus: float) -> None:
        self.ray, self.function, self.store, self.workers, self.num_gpus = ray, function, store, workers, num_gpus
        self.busy: set[Any] = set()
        self.session = f"sessions/{uuid.uuid4().hex}"
        store.write_document(self.session, {"versions": versions()})
        here = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(
            ray.get_runtime_context().get_node_id(), soft=False
        )
        self.mailbox = ray.remote(_Mailbox).options(num_cpus=0, scheduling_strategy=here).remote()
        self.launch = ray.remote(_on_node).options(num_cpus=1, num_gpus=num_gpus, max_retries=_RETRIES)

    def start(self, waiting: list[Any]) -> None:
        room = capacity(self.ray, self.num_gpus) if self.workers is None else self.workers
        while waiting and len(self.busy) < room:
            task = waiting.pop()
            self.busy.add(self.launch.remote(self.mailbox, self.function, task, self.store.address, self.session))

    def receive(self, timeout: float) -> Iterator[tuple[str, Any]]:
        ready: list[Any] = []
        if self.busy:
            ready, _ = self.ray.wait([*self.busy], num_returns=len(self.busy), timeout=timeout)
        else:  # no node is there; Ray may get one
            time.sleep(timeout)
        yield from (("news", news) for news in self.ray.get(self.mailbox.collect.remote()))
        for one in ready:
            self.busy.remove(one)
            yield self._outcome(one)

    def _outcome(self, reference: Any) -> tuple[str, Any]:
        try:
            outcome: tuple[str, Any] = self.ray.get(reference)
        except self.ray.exceptions.RayTaskError as error:
            return "failed", DbenchError(f"a task failed on the cluster: {_line(error, last=True)}")
        except self.ray.exceptions.RayError as error:
            return "failed", DbenchError(
                f"a task was lost {_RETRIES + 1} times with its node or process; finished runs are kept, "
                f"run the same command again to go on: {_line(error)}"
            )
        return outcome

    def ask_to_stop(self) -> None:
        self.mailbox.ask_to_stop.remote()

    def lost(self) -> bool:
        return not capacity(self.ray, self.num_gpus)

    def close(self) -> None:
        with suppress(DbenchError, OSError):
            self.store.remove_document(self.session)
        self.ray.kill(self.mailbox)


def _line(error: Exception, *, last: bool = False) -> str:
    """Of Ray's many lines the first; for an error within a task the last, after its traceback."""
    return str(error).strip().splitlines()[-1 if last else 0]
