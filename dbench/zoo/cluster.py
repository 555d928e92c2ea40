"""A task pool on the nodes of a Ray cluster.

Results go to the store and not through Ray, so the store must be a bucket or a folder that all nodes share.
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
"""How often Ray restarts a task whose node or process was lost."""


@contextmanager
def connected() -> Iterator[Any]:
    """Connect to a Ray cluster for the length of the context, and yield the ``ray`` module.

    The cluster is, in this order: the one that this process is already connected to; the one at ``RAY_ADDRESS``
    (``host:port``); one that runs on this machine; a new one on this machine alone, which ends with the context.

    Raises:
        InvalidInput: Ray is not installed, or no cluster runs at the address.
        DbenchError: the cluster was lost.
    """
    try:
        import ray
    except ImportError:
        raise InvalidInput(
            "engine ray needs the package ray, which is not installed; pip install 'dbench[ray]'"
        ) from None
    we_connected = not ray.is_initialized()
    if we_connected:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        address, on_sigterm = os.environ.get("RAY_ADDRESS"), signal.getsignal(signal.SIGTERM)
        try:
            ray.init(logging_level=logging.ERROR, log_to_driver=False, include_dashboard=False)
        except (OSError, RuntimeError, ValueError) as error:
            rule = f"RAY_ADDRESS must be host:port of a running Ray cluster, got {address!r}"
            raise InvalidInput(f"{rule if address else 'Ray could not be started'}: {error}") from None
        finally:
            with suppress(TypeError, ValueError):  # the handler was not set by Python; or not the main thread
                signal.signal(signal.SIGTERM, on_sigterm)  # Ray's own ends the process before it has saved
    try:
        yield ray
    except ray.exceptions.RayError as error:
        raise DbenchError(f"the Ray cluster was lost; finished runs are kept: {_line(error)}") from None
    finally:
        if we_connected:
            ray.shutdown()


class _Mailbox:
    """A Ray actor on the controller's node, without a processor: keeps progress reports and the order to stop."""

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
    """The channel of a task on a node: it calls the mailbox in place of a pipe."""

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

    def check_and_run(channel: Channel, task: Any) -> Any:
        _check_node(url, session)
        return function(channel, task)

    channel = _MailChannel(mailbox)
    if channel.stopping:
        return "done", None
    with threadpool_limits(1):
        return outcome_of(check_and_run, channel, task)


def _check_node(url: str, session: str) -> None:
    """Check that this node reads the session document, so shares the store, and has the controller's versions."""
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
    """The nodes of the cluster that ``ray`` is connected to.

    Each task gets a processor and ``num_gpus`` GPUs. At most ``workers`` tasks run at once, or as many as the cluster
    has room for. Ray restarts the tasks of a lost node on another one; these report their progress again.

    Raises:
        InvalidInput: the cluster has no room for a task.
    """

    def __init__(self, ray: Any, function: Task, store: Store, workers: int | None, num_gpus: float) -> None:
        self.ray, self.function, self.store, self.workers, self.num_gpus = ray, function, store, workers, num_gpus
        self.busy: set[Any] = set()
        self.session = f"sessions/{uuid.uuid4().hex}"
        if self.lost():
            needs = f"a processor and {num_gpus:g} GPUs" if num_gpus else "a processor"
            resources = ray.cluster_resources()
            offered = f"{resources.get('CPU', 0):g} processors and {resources.get('GPU', 0):g} GPUs"
            raise InvalidInput(f"the Ray cluster must offer {needs} for each group, it has {offered}")

    @property
    def room(self) -> int:  # type: ignore[override]
        """Tasks that may run at once: ``workers``, or what the cluster's processors and GPUs allow now."""
        return self.workers or self._capacity()

    def _capacity(self) -> int:
        resources = self.ray.cluster_resources()
        slots = resources.get("CPU", 0.0)
        return int(min(slots, resources.get("GPU", 0.0) / self.num_gpus) if self.num_gpus else slots)

    def __enter__(self) -> Self:
        self.store.write_document(self.session, {"versions": versions()})
        this_node = self.ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(
            self.ray.get_runtime_context().get_node_id(), soft=False
        )
        self.mailbox = self.ray.remote(_Mailbox).options(num_cpus=0, scheduling_strategy=this_node).remote()
        self.launch = self.ray.remote(_on_node).options(num_cpus=1, num_gpus=self.num_gpus, max_retries=_RETRIES)
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(DbenchError, OSError):
            self.store.remove_document(self.session)
        self.ray.kill(self.mailbox)

    def start(self, waiting: list[Any]) -> None:
        """Submit tasks to Ray, from the end of the list, until the room is used up."""
        while waiting and len(self.busy) < self.room:
            task = waiting.pop()
            self.busy.add(self.launch.remote(self.mailbox, self.function, task, self.store.address, self.session))

    def receive(self, timeout: float) -> Iterator[tuple[str, Any]]:
        """Yield the progress reports of the mailbox, then the outcomes of the tasks that have ended."""
        ready: list[Any] = []
        if self.busy:
            ready, _ = self.ray.wait([*self.busy], num_returns=len(self.busy), timeout=timeout)
        else:  # no node has room now; Ray may get one
            time.sleep(timeout)
        yield from (("progress", progress) for progress in self.ray.get(self.mailbox.collect.remote()))
        for reference in ready:
            self.busy.remove(reference)
            yield self._outcome(reference)

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
        """Set the stop flag of the mailbox, which tasks poll."""
        self.mailbox.ask_to_stop.remote()

    def lost(self) -> bool:
        """Whether no node is left that could run a task."""
        return not self._capacity()


def _line(error: Exception, *, last: bool = False) -> str:
    """Return the first of the many lines of a Ray error, or the last, which follows the traceback of a task."""
    return str(error).strip().splitlines()[-1 if last else 0]
