"""A small pool of processes that says when one of its workers dies, and stops them all when asked.

Each worker has a pipe of its own: nothing is shared that a killed process could leave locked.
"""

import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Protocol

from dbench.errors import DbenchError, InvalidInput, refused

Task = Callable[["Line", Any], Any]
News = Generator[tuple[str, Any], None, None]

FAILED = "failed, the others go on"
UNSAVED = "failed while it was to save"
STOPPING = "stopping: the workers save what they have"
_TIME_IS_UP = "the time is up: the workers save what they have"


def cores() -> int:
    """Number of cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Line:
    """A worker's line to its master: reports go up, the request to stop comes down."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._stop = False

    def report(self, **news: Any) -> None:
        """Send news (built-in types only) to the master; where it is gone nobody waits for them."""
        with suppress(ConnectionError):
            self._connection.send(("news", news))

    @property
    def stopping(self) -> bool:
        """Whether the master asked to save and stop, or is gone."""
        with suppress(EOFError, OSError):
            if not self._stop and self._connection.poll():
                self._stop = self._connection.recv() == ("stop", None)
            return self._stop
        return True


_STOPS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


def _mask(how: str) -> None:
    """Hold back, or let through, the signals that workers ignore; a new process takes over what is held back."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(getattr(signal, how), _STOPS)


def _work(connection: Connection, function: Task) -> None:
    # Ctrl-C, a scheduler's SIGTERM and the SIGHUP of a terminal that is closed reach the whole process group; the
    # master decides, the workers wait for its word.
    for number in _STOPS:
        signal.signal(number, signal.SIG_IGN)
    _mask("SIG_UNBLOCK")
    os.environ.update(OMP_NUM_THREADS="1", MKL_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    line = Line(connection)
    # A broken pipe means that the master is gone: nobody waits for a result, so the worker ends.
    with threadpool_limits(1), suppress(EOFError, ConnectionError):
        while (message := connection.recv())[0] == "task":
            connection.send(outcome_of(function, line, message[1]))


def outcome_of(function: Task, line: Line, task: Any) -> tuple[str, Any]:
    """Return ``("done", result)``, or ``("failed", error)`` for what a user can act on; a mistake of ours is raised."""
    try:
        return "done", function(line, task)
    except DbenchError as error:
        return "failed", error
    except ConnectionError:
        raise  # the master is gone
    except OSError as error:
        return "failed", DbenchError(refused(error))


class Pool(Protocol):
    """Where tasks run: processes of this machine, or the nodes of a cluster."""

    busy: set[Any]
    stopped: bool = False

    def start(self, waiting: list[Any]) -> None:
        """Start tasks from the end of a list, as many as there is room for."""

    def receive(self, timeout: float) -> Iterator[tuple[str, Any]]:
        """Give what tasks report and how they end, as :func:`outcome_of`, after so many seconds at most."""

    def ask_to_stop(self) -> None:
        """Ask every task to save and stop."""

    def close(self) -> None:
        """End what still runs."""

    def lost(self) -> bool:
        """Whether there is nothing left that busy tasks could save from."""
        return False

    def stop(self) -> bool:
        """Ask the tasks to stop if that was not done; return whether it was not."""
        first, self.stopped = not self.stopped, True
        if first:
            self.ask_to_stop()
        return first


def drive(pool: Pool, tasks: Iterable[Any], deadline: float | None, tell: Callable[[str], None]) -> News:
    """Run tasks in a pool: see :func:`run_tasks`."""
    waiting, errors = list(tasks)[::-1], list[DbenchError]()

    def receive() -> News:
        for kind, content in pool.receive(0.25):
            if kind != "failed":
                yield kind, content
                continue
            errors.append(content)
            tell(f"{UNSAVED if pool.stopped else FAILED}: {content}")

    try:
        while waiting or pool.busy:
            if deadline is not None and time.monotonic() > deadline:
                waiting.clear()
                if pool.stop():
                    tell(_TIME_IS_UP)
            pool.start(waiting)
            yield from receive()
            if pool.stopped and pool.lost():
                break
    except (KeyboardInterrupt, GeneratorExit):
        if pool.stop() and pool.busy:
            tell(STOPPING)
        before = len(errors)
        while pool.busy and not pool.lost():
            for _ in receive():
                pass
        if errors[before:]:
            raise errors[before] from None
        raise
    finally:
        pool.close()
    if errors:
        raise errors[0]


def run_tasks(
    function: Task,
    tasks: Iterable[Any],
    *,
    workers: int,
    deadline: float | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> News:
    """Run ``function(line, task)`` for every task in spawned processes, one task a worker at a time.

    A task that fails, or whose worker dies, does not stop the others: a dead worker is replaced, and the first error
    is raised when the rest is done. The function should look at ``line.stopping`` now and then. After ``deadline``, a
    ``time.monotonic()``, workers are asked to stop; ``tell`` takes a line for the user then, and when a task fails.

    Yields:
        ``("news", {...})`` for each report and ``("done", result)`` for each finished task. Closing the iterator,
        or Ctrl-C, asks the workers to stop and waits for what they still send.

    Raises:
        DbenchError: a worker died, or a task raised it; also when workers that were asked to stop could not save.
        InvalidInput: fewer than one worker.
    """
    if workers < 1:
        raise InvalidInput(f"workers must be at least 1, got {workers}")
    yield from drive(_Processes(function, workers), tasks, deadline, tell)


class _Processes(Pool):
    def __init__(self, function: Task, workers: int) -> None:
        self.function, self.workers, self.context = function, workers, multiprocessing.get_context("spawn")
        self.processes: dict[Connection, BaseProcess] = {}
        self.busy: set[Connection] = set()

    def start(self, waiting: list[Any]) -> None:
        while len(self.processes) < min(self.workers, len(waiting) + len(self.busy)) and not self.stopped:
            ours, theirs = self.context.Pipe()
            process = self.context.Process(target=_work, args=(theirs, self.function), daemon=True)
            resource_tracker.ensure_running()  # it would let signals through again
            _mask("SIG_BLOCK")  # until the worker ignores them
            try:
                process.start()
            finally:
                _mask("SIG_UNBLOCK")
            theirs.close()
            self.processes[ours] = process
        free = [line for line in self.processes if line not in self.busy]
        for line in free[: len(waiting)]:
            self.busy.add(line)
            with suppress(OSError):  # a worker that died idle is noticed when its line is read
                line.send(("task", waiting.pop()))

    def receive(self, timeout: float) -> Iterator[tuple[str, Any]]:
        for line in wait(list(self.busy), timeout):
            assert isinstance(line, Connection)
            try:
                kind, content = line.recv()
            except (EOFError, OSError):
                yield "failed", self._bury(line)
                continue
            if kind != "news":
                self.busy.discard(line)
            yield kind, content

    def _bury(self, line: Connection) -> DbenchError:
        self.busy.discard(line)
        process = self.processes.pop(line)
        line.close()
        process.join(5)
        return DbenchError(
            f"a worker process died (exit code {process.exitcode}); finished runs are kept, "
            "run the same command again to go on"
        )

    def ask_to_stop(self) -> None:
        for line in self.processes:
            with suppress(OSError):
                line.send(("stop", None))

    def close(self) -> None:
        """End every worker: idle ones at once, busy ones (after an error) by a signal that they cannot ignore."""
        for line, process in self.processes.items():
            if line in self.busy:
                process.kill()
            line.close()  # an idle worker reads the end of its line
        for process in self.processes.values():
            process.join(10)


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
