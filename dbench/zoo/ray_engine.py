"""The pool of :mod:`dbench.zoo.workers` on a Ray cluster.

Ray places the tasks, shares out processors and GPUs, and starts the tasks of a lost node again elsewhere. Results go to
the store and not through Ray, so the store must be a folder that all nodes share, or a bucket.
"""

from __future__ import annotations

import logging
import os
import platform
import time
import uuid
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from dbench.errors import DbenchError, InvalidInput
from dbench.provenance import versions
from dbench.zoo.store import Store
from dbench.zoo.workers import FAILED, STOPPING, TIME_IS_UP, UNSAVED, Line, Task, outcome_of

__all__ = ["RETRIES", "capacity", "connected", "run_on_ray"]

RETRIES = 3
"""How often Ray starts a task again whose node or process was lost."""


@contextmanager
def connected() -> Iterator[Any]:
    """Be connected to a Ray cluster, and give the ``ray`` module.

    The cluster is the one this process is connected to already; else that of the variable ``RAY_ADDRESS``
    (``host:port``); else one that runs on this machine; else a new one of this machine alone, which ends with the
    context. Ray's usage statistics are left off unless ``RAY_USAGE_STATS_ENABLED`` says otherwise.

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
    """A task's line to the driver."""

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
    """Run the task if this node sees the driver's store and has its versions."""
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
) -> Generator[tuple[str, Any], None, None]:
    """Run ``function(line, task)`` for every task on the nodes of a cluster, as ``run_tasks`` does on this machine.

    Each task gets a processor and ``num_gpus`` GPUs. Those of a node that is lost start again on another, up to
    :data:`RETRIES` times.

    Args:
        ray: the module, :func:`connected`.
        function: importable on every node; it should look at ``line.stopping`` now and then.
        tasks: picklable arguments, started in this order.
        store: where the tasks write; every node must see it at ``store.address``.
        workers: tasks at once, at most; as many as the cluster has room for when not given.
        num_gpus: GPUs a task, a fraction where several are to share one.
        deadline: ``time.monotonic()`` after which tasks are asked to stop.
        tell: takes a line for the user when a task fails, and when the tasks are asked to stop.

    Yields:
        As ``run_tasks``; work that a lost node had reported is reported again.

    Raises:
        DbenchError: a task raised it, or was lost with its node too often. The first is raised when the rest is done;
            also when tasks that were asked to stop could not save.
        InvalidInput: the cluster has no room for a task.
    """
    if capacity(ray, num_gpus) < 1:
        needs = f"a processor and {num_gpus:g} GPUs" if num_gpus else "a processor"
        raise InvalidInput(f"the Ray cluster must offer {needs} for each group, it has {_offered(ray)}")
    session = f"sessions/{uuid.uuid4().hex}"
    store.write_document(session, {"versions": versions()})
    here = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(
        ray.get_runtime_context().get_node_id(), soft=False
    )
    mailbox = ray.remote(_Mailbox).options(num_cpus=0, scheduling_strategy=here).remote()
    launch = ray.remote(_on_node).options(num_cpus=1, num_gpus=num_gpus, max_retries=RETRIES)
    waiting, flying, errors, stopped = list(tasks)[::-1], set[Any](), list[DbenchError](), False

    def landed(timeout: float) -> Iterator[tuple[str, Any]]:
        ready: list[Any] = []
        if flying:
            ready, _ = ray.wait([*flying], num_returns=len(flying), timeout=timeout)
        else:  # no node is there; Ray may get one
            time.sleep(timeout)
        yield from (("news", news) for news in ray.get(mailbox.collect.remote()))
        for one in ready:
            flying.remove(one)
            kind, content = _outcome(ray, one)
            if kind != "failed":
                yield kind, content
                continue
            errors.append(content)
            tell(f"{UNSAVED if stopped else FAILED}: {content}")

    try:
        while waiting or flying:
            if not stopped and deadline is not None and time.monotonic() > deadline:
                waiting.clear()
                mailbox.ask_to_stop.remote()
                stopped = True
                tell(TIME_IS_UP)
            room = capacity(ray, num_gpus) if workers is None else workers
            while waiting and len(flying) < room:
                flying.add(launch.remote(mailbox, function, waiting.pop(), store.address, session))
            yield from landed(0.25)
            if stopped and not capacity(ray, num_gpus):
                break  # nowhere left to save from
    except (KeyboardInterrupt, GeneratorExit):
        if flying and not stopped:
            tell(STOPPING)
        mailbox.ask_to_stop.remote()
        stopped, before = True, len(errors)
        while flying and capacity(ray, num_gpus):
            for _ in landed(0.25):
                pass
        if errors[before:]:
            raise errors[before] from None
        raise
    except ray.exceptions.RayError as error:
        raise DbenchError(f"the Ray cluster was lost; finished runs are kept: {_line(error)}") from None
    finally:
        with suppress(DbenchError, OSError):
            store.remove_document(session)
        ray.kill(mailbox)
    if errors:
        raise errors[0]


def _outcome(ray: Any, reference: Any) -> tuple[str, Any]:
    try:
        outcome: tuple[str, Any] = ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        return "failed", DbenchError(f"a task failed on the cluster: {_line(error, last=True)}")
    except ray.exceptions.RayError as error:
        return "failed", DbenchError(
            f"a task was lost {RETRIES + 1} times with its node or process; finished runs are kept, "
            f"run the same command again to go on: {_line(error)}"
        )
    return outcome


def _line(error: Exception, *, last: bool = False) -> str:
    """Of Ray's many lines the first; for an error within a task the last, after its traceback."""
    return str(error).strip().splitlines()[-1 if last else 0]


def _offered(ray: Any) -> str:
    there = ray.cluster_resources()
    return f"{there.get('CPU', 0):g} processors and {there.get('GPU', 0):g} GPUs in {len(ray.nodes())} nodes"
