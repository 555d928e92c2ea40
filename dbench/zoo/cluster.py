"""A pool of the nodes of a Ray cluster.

Results go to the store and not through Ray, so the store must be a folder that all nodes share, or a bucket.
"""

import logging
import os
import platform
import signal
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Self

from dbench.errors import DbenchError, InvalidInput
from dbench.provenance import versions
from dbench.zoo.executor import Channel, Pool, Task, outcome_of
from dbench.zoo.store import Store

_RETRIES = 3
"""How often Ray starts a task again whose node or process was lost."""


@contextmanager
def connected() -> Iterator[Any]:
    """Be connected to a Ray cluster, and give the ``ray`` module.

    The cluster is the one this process is connected to already; else that of ``RAY_ADDRESS`` (``host:port``); else one
    that runs on this machine; else a new one of this machine alone, which ends with the context.

    Raises:
        InvalidInput: Ray is not installed, or there is no cluster at the address.
        DbenchError: the cluster was lost.
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
        address, on_sigterm = os.environ.get("RAY_ADDRESS"), signal.getsignal(signal.SIGTERM)
        try:
            ray.init(logging_level=logging.ERROR, log_to_driver=False, include_dashboard=False)
        except (OSError, RuntimeError, ValueError) as error:
            rule = f"RAY_ADDRESS must be host:port of a running Ray cluster, got {address!r}"
            raise InvalidInput(f"{rule if address else 'Ray could not be started'}: {error}") from None
        finally:
            with suppress(TypeError, ValueError):  # a handler that is not of Python; not the main thread
                signal.signal(signal.SIGTERM, on_sigterm)  # that of Ray ends the process, whatever is unsaved
    try:
        yield ray
    except ray.exceptions.RayError as error:
        raise DbenchError(f"the Ray cluster was lost; finished runs are kept: {_line(error)}") from None
    finally:
        if ours:
            ray.shutdown()


class _Mailbox:
    """What tasks tell the controller, and whether they are to stop; lives on its node and takes no processor."""

    def __init__(self) -> None:
        self.reports: list[dict[str, float]] = []
        self.stop = False

    def post(self, progress: dict[str, float]) -> None:
        self.reports.append(progress)

    def collect(self) -> list[dict[str, float]]:
        reports, self.reports = self.reports, []
        return reports

    def ask_to_stop(self) -> None:
        self.stop = True

    def stopping(self) -> bool:
        return self.stop


class _MailChannel(Channel):
    def __init__(self, mailbox: Any) -> None:
        self._mailbox = mailbox

    def report(self, **progress: float) -> None:
        self._mailbox.post.remote(progress)

    @property
    def stopping(self) -> bool:
        import ray

        try:
            return bool(ray.get(self._mailbox.stopping.remote()))
        except ray.exceptions.RayError:  # the controller is gone
            return True


def _on_node(mailbox: Any, function: Task, task: Any, url: str, session: str) -> tuple[str, Any]:
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    def checked(channel: Channel, task: Any) -> Any:
        _check_node(url, session)
        return function(channel, task)

    channel = _MailChannel(mailbox)
    if channel.stopping:
        return "done", None
    with threadpool_limits(1):
        return outcome_of(checked, channel, task)


def _check_node(url: str, session: str) -> None:
    node = platform.node()
    try:
        document = Store(url, create=False).read_document(session)
    except InvalidInput:
        document = None
    if document is None:
        raise InvalidInput(f"store must be shared by all nodes, or a bucket; node {node} does not see that of {url!r}")
    if document["versions"] != versions():
        raise InvalidInput(
            f"all nodes must have the versions of the controller, {document['versions']}; node {node} has {versions()}"
        )


class Cluster(Pool):
    """The nodes of a cluster that ``ray`` is connected to.

    Each task gets a processor and ``num_gpus`` GPUs; as many run at once as ``workers`` says or the cluster has room
    for. Ray starts the tasks of a lost node again on another; what they had reported is reported again.

    Raises:
        InvalidInput: the cluster has no room for a task.
    """

    def __init__(self, ray: Any, function: Task, store: Store, workers: int | None, num_gpus: float) -> None:
        self.ray, self.function, self.store, self.workers, self.num_gpus = ray, function, store, workers, num_gpus
        self.busy: set[Any] = set()
        self.session = f"sessions/{uuid.uuid4().hex}"
        if self.lost():
            needs = f"a processor and {num_gpus:g} GPUs" if num_gpus else "a processor"
            there = ray.cluster_resources()
            offered = f"{there.get('CPU', 0):g} processors and {there.get('GPU', 0):g} GPUs"
            raise InvalidInput(f"the Ray cluster must offer {needs} for each group, it has {offered}")

    @property
    def room(self) -> int:  # type: ignore[override]
        """Tasks at once: as asked for, or what the cluster has processors and GPUs for now."""
        return self.workers or self._capacity()

    def _capacity(self) -> int:
        there = self.ray.cluster_resources()
        slots = there.get("CPU", 0.0)
        return int(min(slots, there.get("GPU", 0.0) / self.num_gpus) if self.num_gpus else slots)

    def __enter__(self) -> Self:
        self.store.write_document(self.session, {"versions": versions()})
        here = self.ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(
            self.ray.get_runtime_context().get_node_id(), soft=False
        )
        self.mailbox = self.ray.remote(_Mailbox).options(num_cpus=0, scheduling_strategy=here).remote()
        self.launch = self.ray.remote(_on_node).options(num_cpus=1, num_gpus=self.num_gpus, max_retries=_RETRIES)
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(DbenchError, OSError):
            self.store.remove_document(self.session)
        self.ray.kill(self.mailbox)

    def start(self, waiting: list[Any]) -> None:
        """Give tasks to Ray."""
        while waiting and len(self.busy) < self.room:
            task = waiting.pop()
            self.busy.add(self.launch.remote(self.mailbox, self.function, task, self.store.address, self.session))

    def receive(self, timeout: float) -> Iterator[tuple[str, Any]]:
        """Look into the mailbox, and at what Ray has of tasks."""
        ready: list[Any] = []
        if self.busy:
            ready, _ = self.ray.wait([*self.busy], num_returns=len(self.busy), timeout=timeout)
        else:  # no node is there; Ray may get one
            time.sleep(timeout)
        yield from (("progress", progress) for progress in self.ray.get(self.mailbox.collect.remote()))
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
        """Leave it in the mailbox."""
        self.mailbox.ask_to_stop.remote()

    def lost(self) -> bool:
        """Whether no node is left."""
        return not self._capacity()


def _line(error: Exception, *, last: bool = False) -> str:
    """Of Ray's many lines the first; for an error within a task the last, after its traceback."""
    return str(error).strip().splitlines()[-1 if last else 0]
