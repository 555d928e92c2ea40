"""One call in a process of its own: a peer may raise, print, hang or end its process, and the others go on.

A library is imported once, in a process of its own; each of its calls is a fork of that. Needs a Unix.
"""

import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory
from typing import Literal, NamedTuple

Outcome = Literal["value", "raised", "no answer", "not installed"]

# The first turn compiles. It is all there is where it took long; others after it are timed until they took half a
# second, for the clock of a process ticks in hundredths.
LONG, ENOUGH, MOST = 20.0, 0.5, 1000
PATIENCE = 10  # seconds of the clock for each of processor time: a peer may sleep, and the machine may be busy
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


@dataclass(frozen=True)
class Call:
    """What came of one implementation on one input.

    Attributes:
        values: part of the score -> number; empty where there is none.
        seconds: processor time on one thread of a turn, the mean of all but the first.
        said: what was raised, on one line.
    """

    library: str
    metric: str
    given: str
    outcome: Outcome
    values: dict[str, float] = field(default_factory=dict)
    seconds: float | None = None
    said: str = ""


class Child(NamedTuple):
    """What a forked process left: its answer, empty where it gave none, and why."""

    answer: str
    why: str


def one_line(text: str) -> str:
    """Return the start of a text on one line, without places in memory, which differ from run to run."""
    return re.sub(r" at 0x[0-9a-f]+", "", " ".join(text.split()))[:160]


def forked(work: Callable[[], str], limit: float) -> Child:
    """Run ``work`` in a fork with so many seconds of processor time, and hear nothing of what it prints."""
    with TemporaryDirectory() as folder:
        answer, printed = Path(folder) / "answer", Path(folder) / "printed"
        number = os.fork()
        if number == 0:
            status = 1
            try:
                resource.setrlimit(resource.RLIMIT_CPU, (int(limit), int(limit) + 5))
                sink = os.open(printed, os.O_WRONLY | os.O_CREAT)
                for stream in (1, 2):
                    os.dup2(sink, stream)
                answer.write_text(work(), encoding="utf-8")
                status = 0
            finally:
                os._exit(status)
        ended, until = 0, time.monotonic() + PATIENCE * limit
        status = 0
        while not ended:
            ended, status = os.waitpid(number, os.WNOHANG)
            if not ended and time.monotonic() > until:
                os.kill(number, signal.SIGKILL)
                until = float("inf")
            if not ended:
                time.sleep(0.02)
        if answer.is_file():
            return Child(answer.read_text(encoding="utf-8"), "")
        if os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL):
            return Child("", f"no answer within {limit:g} s")
        last = (printed.read_text(encoding="utf-8", errors="replace").strip().splitlines() or [""])[-1]
        return Child("", one_line(f"ended its process with {os.waitstatus_to_exitcode(status)}: {last}"))


def call(name: str, given: str, trained: Path, *, limit: float) -> Call:
    """Call an implementation, ``library:metric``, on one input, in a fork of this process."""
    from peers.implementations import installed_version

    library, metric = name.split(":")
    if not installed_version(library):
        return Call(library, metric, given, "not installed", said=f"{library} is not installed")
    answer, why = forked(lambda: json.dumps(asdict(_answer(name, given, trained))), limit)
    if answer:
        return Call(**json.loads(answer))
    return Call(library, metric, given, "no answer" if why.startswith("no answer") else "raised", said=why)


def _answer(name: str, given: str, trained: Path) -> Call:
    """Call in this process."""
    from peers.implementations import all_implementations
    from peers.inputs import rows_of, source_of

    library, metric = name.split(":")
    implementation = all_implementations()[name]
    source = source_of(given, trained)
    sample = rows_of(source)
    values: dict[str, float] = {}
    turns: list[float] = []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            while len(turns) < 2 or (sum(turns[1:]) < ENOUGH and len(turns) < MOST):
                copies = (source,) if implementation.interventional else (sample.codes.copy(), sample.factors.copy())
                began = time.process_time()
                values = {part: float(value) for part, value in implementation.call(*copies).items()}
                turns.append(time.process_time() - began)
                if turns[0] > LONG:
                    break
    except (Exception, SystemExit) as error:
        return Call(library, metric, given, "raised", said=one_line(f"{type(error).__name__}: {error}"))
    return Call(library, metric, given, "value", values, mean(turns[1:] or turns))


def answers(module: str, *arguments: str) -> tuple[list[str], int]:
    """Run a module of this package on one thread; return the lines of its answer and how it ended."""
    path = os.pathsep.join([str(Path(__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = os.environ | dict.fromkeys(THREADS, "1") | {"PYTHONPATH": path}
    with TemporaryDirectory() as folder:
        out = Path(folder) / "answers"
        ended = subprocess.run([sys.executable, "-m", module, str(out), *arguments], env=environment).returncode
        return out.read_text(encoding="utf-8").splitlines() if out.is_file() else [], ended


def gather(names: Sequence[str], inputs: Sequence[str], trained: Path, *, limit: float) -> Iterator[Call]:
    """Call every implementation on every input: one process a library, one after the other, so that times are alike."""
    for library in dict.fromkeys(name.split(":")[0] for name in names):
        own = [name for name in names if name.split(":")[0] == library]
        lines, ended = answers("peers.calls", str(trained), str(limit), ",".join(own), ",".join(inputs))
        found = {(answer.metric, answer.given): answer for answer in (Call(**json.loads(line)) for line in lines)}
        for name in own:
            for given in inputs:
                metric, why = name.split(":")[1], f"its library ended the process with {ended}"
                yield found.get((metric, given), Call(library, metric, given, "raised", said=why))


def main(out: str, trained: str, limit: str, names: str, inputs: str) -> None:
    """Answer line by line into a file, for what a peer prints must not be taken for it."""
    from peers.implementations import preload

    preload(names.split(",")[0].split(":")[0])
    with Path(out).open("w", encoding="utf-8") as stream:
        for name in names.split(","):
            for given in inputs.split(","):
                found = call(name, given, Path(trained), limit=float(limit))
                print(json.dumps(asdict(found)), file=stream, flush=True)
                print(name, given, found.outcome, found.values, found.seconds, found.said, file=sys.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:])
