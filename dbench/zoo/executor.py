"""Run tasks in a pool of processes that says when one of them dies, and stops them all when asked.

Each worker has a pipe of its own: nothing is shared that a killed process could leave locked. The pool of
:mod:`dbench.zoo.cluster` is the nodes of a Ray cluster.
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
    """What a worker has of its controller: it reports progress, and is asked to stop."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._stop = False

    def report(self, **progress: float) -> None:
        """Tell the controller of progress (:meth:`ProgressBar.advance`); where it is gone nobody waits for it."""
        with suppress(ConnectionError):
            self._connection.send(("progress", progress))

    @property
    def stopping(self) -> bool:
        """Whether the controller asked to save and stop, or is gone."""
        with suppress(EOFError, OSError):
            if not self._stop and self._connection.poll():
                self._stop = self._connection.recv() is None
            return self._stop
        return True


def outcome_of(function: Task, channel: Channel, task: Any) -> tuple[str, Any]:
    """Return ``("done", result)``, or ``("failed", error)`` for what a user can act on; a mistake of ours is raised."""
    try:
        return "done", function(channel, task)
    except DbenchError as error:
        return "failed", error
    except ConnectionError:
        raise  # the controller is gone
    except OSError as error:
        return "failed", DbenchError(refused(error))


class Pool(ABC):
    """Where tasks run. ``busy`` has what runs now, of at most ``room``."""

    busy: set[Any]
    room: int

    def __enter__(self) -> Self:
        return self

    @abstractmethod
    def __exit__(self, *_: object) -> None:
        """End what still runs."""

    @abstractmethod
    def start(self, waiting: list[Any]) -> None:
        """Start tasks from the end of a list, as many as there is room for."""

    @abstractmethod
    def receive(self, timeout: float) -> Iterator[tuple[str, Any]]:
        """Give how tasks end, as :func:`outcome_of`, and ``("progress", {...})``, after so many seconds at most."""

    @abstractmethod
    def ask_to_stop(self) -> None:
        """Ask every task to save and stop."""

    def lost(self) -> bool:
        """Whether there is nothing left that busy tasks could save from."""
        return False


class Outcome(NamedTuple):
    """Results of tasks in the order of their ends, errors of those that failed, and whether Ctrl-C ended them."""

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

    A task that fails, or whose worker dies, does not stop the others; a line says so at once. After ``deadline``, a
    ``time.monotonic()``, and at a Ctrl-C tasks are asked to save and stop, and waited for. What failed before a Ctrl-C
    is not among the errors.
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

    def stop(why: str) -> None:
        nonlocal stopping
        waiting.clear()
        if not stopping:
            stopping = True
            pool.ask_to_stop()
            if pool.busy:
                bar.log(why)

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
    """Processes of one thread each, one a core when their number is not given, one task at a time.

    A dead one is replaced. Tasks should look at ``channel.stopping`` now and then.

    On Linux they are forked from a process that has imported the function's module, so that none waits for torch. It
    is multiprocessing's fork server, started with the signals held back that workers ignore: so are those of whatever
    else a program forks from it, which ``terminate`` then does not end, but ``kill`` does.

    Raises:
        InvalidInput: fewer than one worker.
    """

    def __init__(self, function: Task, workers: int | None = None) -> None:
        if workers is not None and workers < 1:
            raise InvalidInput(f"workers must be at least 1, got {workers}")
        self.function, self.room = function, workers or cores()
        self.context: Any = multiprocessing.get_context("forkserver" if sys.platform == "linux" else "spawn")
        self.context.set_forkserver_preload([function.__module__])  # the first of this process counts
        self.processes: dict[Connection, BaseProcess] = {}
        self.busy: set[Connection] = set()

    def start(self, waiting: list[Any]) -> None:
        """Start tasks, and processes for them."""
        while len(self.processes) < min(self.room, len(waiting) + len(self.busy)):
            ours, theirs = self.context.Pipe()
            process = self.context.Process(target=_work, args=(theirs, self.function, {**os.environ}), daemon=True)
            resource_tracker.ensure_running()  # it would let signals through again
            # What workers are forked from imports before it is told where from, and would look in the current folder.
            places = {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONSAFEPATH": "1"}
            _mask("SIG_BLOCK")  # until the worker ignores them
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
        """Read the pipes of busy workers; one that is at its end is that of a dead worker."""
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
        process = self.processes.pop(connection)
        connection.close()
        process.join(5)
        return DbenchError(
            f"a worker process died (exit code {process.exitcode}); finished runs are kept, "
            "run the same command again to go on"
        )

    def ask_to_stop(self) -> None:
        """Send every worker the end of its tasks, which busy ones look for."""
        for connection in self.processes:
            with suppress(OSError):
                connection.send(None)

    def __exit__(self, *_: object) -> None:
        """End every worker: idle ones at once, busy ones (after an error) by a signal that they cannot ignore."""
        for connection, process in self.processes.items():
            if connection in self.busy:
                process.kill()
            connection.close()  # an idle worker reads the end of its pipe
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
    """Hold back, or let through, the signals that workers ignore; a new process takes over what is held back."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(getattr(signal, how), _STOPS)


def _work(connection: Connection, function: Task, variables: dict[str, str]) -> None:
    # Ctrl-C, a scheduler's SIGTERM and the SIGHUP of a terminal that is closed reach the whole process group; the
    # controller decides, the workers wait for its word.
    for number in _STOPS:
        signal.signal(number, signal.SIG_IGN)
    _mask("SIG_UNBLOCK")
    os.environ.clear()  # a forked process has that of the first pool's time
    os.environ.update(variables, OMP_NUM_THREADS="1", MKL_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    channel = Channel(connection)
    # A broken pipe means that the controller is gone: nobody waits for a result, so the worker ends.
    with threadpool_limits(1), suppress(EOFError, ConnectionError):
        while (task := connection.recv()) is not None:
            connection.send(outcome_of(function, channel, task))


@contextmanager
def terminable() -> Iterator[None]:
    """Make the first SIGINT, SIGTERM or SIGHUP a Ctrl-C, so that each of them saves; those after it do nothing.

    Shells, make and schedulers send several, and the second would end the workers while they save. What the process
    ignores already stays ignored (``nohup``); SIGQUIT ends it at once.
    """
    heard = False

    def interrupt(*_: object) -> None:
        nonlocal heard
        if not heard:
            heard = True
            raise KeyboardInterrupt

    earlier = {}
    with suppress(ValueError):  # not the main thread
        for number in _STOPS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                earlier[number] = signal.signal(number, interrupt)
    try:
        yield
    finally:
        for number, handler in earlier.items():
            signal.signal(number, handler)
