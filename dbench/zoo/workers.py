"""A small pool of processes that says when one of its workers dies, and stops them all when asked.

Each worker has a pipe of its own: nothing is shared that a killed process could leave locked.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

from dbench.errors import DbenchError, InvalidInput

__all__ = ["Line", "cores", "run_tasks", "terminable"]

Task = Callable[["Line", Any], Any]


def cores() -> int:
    """Number of cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Line:
    """A worker's line to its master: reports go up, the request to stop comes down."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._stop = False

    def report(self, **news: Any) -> None:
        """Send news (built-in types only) to the master."""
        self._connection.send(("news", news))

    @property
    def stopping(self) -> bool:
        """Whether the master asked to save and stop, or is gone."""
        with suppress(EOFError, OSError):
            if not self._stop and self._connection.poll():
                self._stop = self._connection.recv() == ("stop", None)
            return self._stop
        return True


def _work(connection: Connection, function: Task) -> None:
    # Ctrl-C reaches the whole process group; the master decides, the workers wait for its word.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.environ.update(OMP_NUM_THREADS="1", MKL_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    line = Line(connection)
    # A broken pipe means that the master is gone: nobody waits for a result, so the worker ends.
    with threadpool_limits(1), suppress(EOFError, ConnectionError):
        while (message := connection.recv())[0] == "task":
            try:
                connection.send(("done", function(line, message[1])))
            except DbenchError as error:
                connection.send(("failed", error))
                break


def run_tasks(
    function: Task, tasks: Iterable[Any], *, workers: int, deadline: float | None = None
) -> Generator[tuple[str, Any], None, None]:
    """Run ``function(line, task)`` for every task in spawned processes, one task a worker at a time.

    Args:
        function: importable function; it should look at ``line.stopping`` now and then.
        tasks: picklable arguments, started in this order.
        workers: number of processes.
        deadline: ``time.monotonic()`` after which workers are asked to stop.

    Yields:
        ``("news", {...})`` for each report and ``("done", result)`` for each finished task. Closing the iterator,
        or an exception thrown into it, asks the workers to stop and waits for what they still send.

    Raises:
        DbenchError: a worker died, or a task raised it.
        InvalidInput: fewer than one worker.
    """
    if workers < 1:
        raise InvalidInput(f"workers must be at least 1, got {workers}")
    waiting = list(tasks)[::-1]
    pool = _Pool(function, min(workers, len(waiting)))
    try:
        while waiting or pool.busy:
            if deadline is not None and time.monotonic() > deadline:
                waiting.clear()
                pool.stop()
            while waiting and (free := pool.free()):
                free.send(("task", waiting.pop()))
                pool.busy.add(free)
            yield from pool.receive(timeout=0.25)
    except (KeyboardInterrupt, GeneratorExit):
        pool.stop()
        while pool.busy:
            for _ in pool.receive(timeout=0.25):
                pass
        raise
    finally:
        pool.close()


class _Pool:
    def __init__(self, function: Task, size: int) -> None:
        context = multiprocessing.get_context("spawn")
        self.processes: dict[Connection, BaseProcess] = {}
        self.busy: set[Connection] = set()
        for _ in range(size):
            ours, theirs = context.Pipe()
            process = context.Process(target=_work, args=(theirs, function), daemon=True)
            process.start()
            theirs.close()
            self.processes[ours] = process

    def free(self) -> Connection | None:
        return next((line for line in self.processes if line not in self.busy), None)

    def receive(self, *, timeout: float) -> Iterator[tuple[str, Any]]:
        for line in wait(list(self.busy), timeout):
            assert isinstance(line, Connection)
            try:
                kind, content = line.recv()
            except (EOFError, OSError):
                self.busy.discard(line)
                process = self.processes[line]
                process.join(5)
                raise DbenchError(
                    f"a worker process died (exit code {process.exitcode}); finished runs are kept, "
                    "run the same command again to go on"
                ) from None
            if kind == "news":
                yield kind, content
                continue
            self.busy.discard(line)
            if kind == "failed":
                raise content
            yield kind, content

    def stop(self) -> None:
        for line in self.processes:
            with suppress(OSError):
                line.send(("stop", None))

    def close(self) -> None:
        """End every worker: idle ones at once, busy ones (after an error) by a signal."""
        self.stop()
        for line, process in self.processes.items():
            if line in self.busy:
                process.terminate()
            process.join(10)
            line.close()


@contextmanager
def terminable() -> Iterator[None]:
    """Make SIGTERM a Ctrl-C, so that a scheduler's polite kill saves as well."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    try:
        earlier = signal.signal(signal.SIGTERM, interrupt)
    except ValueError:  # not the main thread
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, earlier)
