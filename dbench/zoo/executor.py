"""Run tasks in a pool of worker processes, which notices when a worker dies and can ask all of them to stop.

Each worker has its own pipe, so a killed process cannot leave a shared lock behind. :mod:`dbench.zoo.cluster` has a
pool on the nodes of a Ray cluster.
"""

import multiprocessing
import os
import signal
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, NamedTuple, Self

from dbench.errors import DbenchError, InvalidInput, refused
from dbench.zoo.progress import ProgressBar

Task = Callable[["Channel", Any], Any]

FAILED = "failed, the others go on"
UNSAVED = "failed while it was to save"
STOPPING = "stopping: the workers save what they have"
_TIME_IS_UP = "the time is up: the workers save what they have"
_STOPS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


def cores() -> int:
    """Number of cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Channel:
    """A worker's connection to its controller: the worker reports progress and learns that it is to stop."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._stop = False

    def report(self, **progress: float) -> None:
        """Send progress to the controller (:meth:`ProgressBar.advance`); do nothing if the controller is gone."""
        with suppress(ConnectionError):
            self._connection.send(("progress", progress))

    @property
    def stopping(self) -> bool:
        """Whether the controller has asked to save and stop, or is gone."""
        with suppress(EOFError, OSError):
            if not self._stop and self._connection.poll():
                self._stop = self._connection.recv() is None
            return self._stop
        return True


def outcome_of(function: Task, channel: Channel, task: Any) -> tuple[str, Any]:
    """Return ``("done", result)``, or ``("failed", error)`` if the user can act on the error; raise any other."""
    try:
        return "done", function(channel, task)
    except DbenchError as error:
        return "failed", error
    except ConnectionError:
        raise  # the controller is gone
    except OSError as error:
        return "failed", DbenchError(refused(error))


class Pool(ABC):
    """Where tasks run. ``busy`` holds a handle of each running task; at most ``room`` tasks run at once."""

    busy: set[Any]
    room: int

    def __enter__(self) -> Self:
        return self

    @abstractmethod
    def __exit__(self, *_: object) -> None:
        """End the tasks that still run."""

    @abstractmethod
    def start(self, waiting: list[Any]) -> None:
        """Pop tasks from the end of a list and start them, as many as there is room for."""

    @abstractmethod
    def receive(self, timeout: float) -> Iterator[tuple[str, Any]]:
        """Yield outcomes of ended tasks (:func:`outcome_of`) and ``("progress", {...})``; wait ``timeout`` seconds."""

    @abstractmethod
    def ask_to_stop(self) -> None:
        """Ask every task to save and stop."""

    def lost(self) -> bool:
        """Whether no worker is left that could still save its task."""
        return False


class Outcome(NamedTuple):
    """Results of tasks in the order in which they ended, errors of those that failed, and whether Ctrl-C came."""

    results: list[Any]
    errors: list[DbenchError]
    cancelled: bool

    def checked(self) -> Self:
        """Raise the first error, if there is one."""
        if self.errors:
            raise self.errors[0]
        return self


def run_tasks(pool: Pool, tasks: Iterable[Any], bar: ProgressBar, *, deadline: float | None = None) -> Outcome:
    """Run every task in a pool, while a bar shows the progress.

    A task that fails, or whose worker dies, is logged at once and does not stop the others. After ``deadline`` (by
    ``time.monotonic()``) or a Ctrl-C, tasks are asked to save and stop, and awaited. Errors from before a Ctrl-C are
    left out of the outcome.
    """
    waiting, results, errors, stopping = list(tasks)[::-1], list[Any](), list[DbenchError](), False

    def receive() -> None:
        for kind, content in pool.receive(0.25):
            if kind == "progress":
                bar.advance(**content)
            elif kind == "done":
                results.append(content)
            else:
                errors.append(content)
                bar.log(f"{UNSAVED if stopping else FAILED}: {content}")

    def stop(reason: str) -> None:
        nonlocal stopping
        waiting.clear()
        if not stopping:
            stopping = True
            pool.ask_to_stop()
            if pool.busy:
                bar.log(reason)

    with bar, pool:
        try:
            while (waiting or pool.busy) and not (stopping and pool.lost()):
                if deadline is not None and time.monotonic() > deadline:
                    stop(_TIME_IS_UP)
                pool.start(waiting)
                receive()
        except KeyboardInterrupt:
            errors.clear()
            stop(STOPPING)
            while pool.busy and not pool.lost():
                receive()
            return Outcome(results, errors, cancelled=True)
    return Outcome(results, errors, cancelled=False)


class Processes(Pool):
    """Worker processes of one thread each, ``workers`` of them or one per core; each runs one task at a time.

    A dead worker is replaced. Tasks should check ``channel.stopping`` regularly. On Linux, workers are forked from a
    server process that has imported the function's module, so that they need not import torch.

    That server is multiprocessing's own, started with the signals blocked that workers ignore. Whatever else a program
    forks from it has them blocked, too: ``terminate`` does not end it, ``kill`` does.

    Raises:
        InvalidInput: fewer than one worker.
    """

    def __init__(self, function: Task, workers: int | None = None) -> None:
        if workers is not None and workers < 1:
            raise InvalidInput(f"workers must be at least 1, got {workers}")
        self.function, self.room = function, workers or cores()
        self.context: Any = multiprocessing.get_context("forkserver" if sys.platform == "linux" else "spawn")
        self.context.set_forkserver_preload([function.__module__])  # only the first call in this process counts
        self.processes: dict[Connection, BaseProcess] = {}
        self.busy: set[Connection] = set()

    def start(self, waiting: list[Any]) -> None:
        """Start tasks, and worker processes for them where too few exist."""
        while len(self.processes) < min(self.room, len(waiting) + len(self.busy)):
            ours, theirs = self.context.Pipe()
            process = self.context.Process(target=_work, args=(theirs, self.function, {**os.environ}), daemon=True)
            resource_tracker.ensure_running()  # started later, it would unblock the signals
            # The server imports before it is told the controller's sys.path, and would look in the current folder.
            places = {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONSAFEPATH": "1"}
            _mask("SIG_BLOCK")  # until the worker ignores the signals
            try:
                with environment(places):
                    process.start()
            finally:
                _mask("SIG_UNBLOCK")
            theirs.close()
            self.processes[ours] = process
        free = [connection for connection in self.processes if connection not in self.busy]
        for connection in free[: len(waiting)]:
            self.busy.add(connection)
            with suppress(OSError):  # a worker that died idle is noticed when its pipe is read
                connection.send(waiting.pop())

    def receive(self, timeout: float) -> Iterator[tuple[str, Any]]:
        """Read the pipes of busy workers; the end of a pipe means that its worker is dead."""
        for connection in wait(list(self.busy), timeout):
            assert isinstance(connection, Connection)
            try:
                kind, content = connection.recv()
            except (EOFError, OSError):
                kind, content = "failed", self._bury(connection)
            if kind != "progress":
                self.busy.discard(connection)
            yield kind, content

    def _bury(self, connection: Connection) -> DbenchError:
        """Forget a dead worker; return the error of its task."""
        process = self.processes.pop(connection)
        connection.close()
        process.join(5)
        return DbenchError(
            f"a worker process died (exit code {process.exitcode}); finished runs are kept, "
            "run the same command again to go on"
        )

    def ask_to_stop(self) -> None:
        """Send every worker ``None``, the end of its tasks, which a busy one sees as ``channel.stopping``."""
        for connection in self.processes:
            with suppress(OSError):
                connection.send(None)

    def __exit__(self, *_: object) -> None:
        """End every worker: idle ones by closing their pipe, busy ones (after an error) by SIGKILL."""
        for connection, process in self.processes.items():
            if connection in self.busy:
                process.kill()
            connection.close()  # an idle worker ends when it reads the end of its pipe
        for process in self.processes.values():
            process.join(10)


@contextmanager
def environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Give these variables to the processes that are started within the context."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _mask(how: str) -> None:
    """Block or unblock the signals that workers ignore; a new process inherits the blocked ones."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(getattr(signal, how), _STOPS)


def _work(connection: Connection, function: Task, variables: dict[str, str]) -> None:
    # Ctrl-C, a scheduler's SIGTERM and the SIGHUP of a closed terminal reach the whole process group. Workers ignore
    # them, because the controller tells them when to stop.
    for number in _STOPS:
        signal.signal(number, signal.SIG_IGN)
    _mask("SIG_UNBLOCK")
    os.environ.clear()  # a forked process has the environment as it was when the first pool started
    os.environ.update(variables, OMP_NUM_THREADS="1", MKL_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    channel = Channel(connection)
    # A broken pipe means that the controller is gone, so nobody needs the result and the worker ends.
    with threadpool_limits(1), suppress(EOFError, ConnectionError):
        while (task := connection.recv()) is not None:
            connection.send(outcome_of(function, channel, task))


@contextmanager
def terminable() -> Iterator[None]:
    """Raise ``KeyboardInterrupt`` at the first SIGINT, SIGTERM or SIGHUP, so that work is saved; ignore later ones.

    Shells, make and schedulers send several, and the second would end the workers while they save. A signal that the
    process ignores already stays ignored (``nohup``); SIGQUIT ends the process at once.
    """
    interrupted = False

    def interrupt(*_: object) -> None:
        nonlocal interrupted
        if not interrupted:
            interrupted = True
            raise KeyboardInterrupt

    previous = {}
    with suppress(ValueError):  # handlers can be set in the main thread only
        for number in _STOPS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                previous[number] = signal.signal(number, interrupt)
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
