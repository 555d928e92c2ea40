"""Faults of other libraries: what the smallest input gives today, and a text that can be sent to their maintainers."""

import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from peers.calls import THREADS, one_line
from peers.implementations import LIBRARIES, installed_version

FAULTS = Path(__file__).parent / "faults.toml"


@dataclass(frozen=True)
class Fault:
    """One fault.

    Attributes:
        code: prints numbers, then in its last line what must be true.
        right: that line once the fault is mended.
        why: what the library does.
        cite: the line that says what it should do.
    """

    library: str
    title: str
    place: str
    code: str
    right: str
    why: str
    cite: str


def read_faults(path: Path = FAULTS) -> list[Fault]:
    """Read the faults."""
    entries = tomllib.loads(path.read_text(encoding="utf-8"))["fault"]
    return [Fault(**{name: value.strip() for name, value in entry.items()}) for entry in entries]


def shown(fault: Fault, *, limit: float = 300) -> str:
    """Run the code in a process of its own and return what it prints, or one line on why it does not."""
    if not installed_version(fault.library):
        return "not installed"
    environment = os.environ | dict.fromkeys(THREADS, "1")
    try:
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", fault.code],
            env=environment,
            capture_output=True,
            text=True,
            timeout=limit,
        )
    except subprocess.TimeoutExpired:
        return f"no answer within {limit:g} s"
    if done.returncode:
        return one_line((done.stderr.strip().splitlines() or [f"ended with {done.returncode}"])[-1])
    return done.stdout.strip()


def stands(fault: Fault, output: str) -> bool:
    """Whether the fault is still there, as far as its output tells."""
    return output != "not installed" and output.splitlines()[-1:] != [fault.right]


def page(found: Sequence[tuple[Fault, str]], versions: Mapping[str, str]) -> Iterator[str]:
    """Write the lines of the page: what stands first, each as a text for the maintainers."""
    standing = [(fault, output) for fault, output in found if stands(fault, output)]
    yield from (
        "# Faults of other libraries\n",
        "Written by `make peers`, which runs every block below. Each text can be sent to the maintainers as it is;",
        "none has been. A fault is what breaks a line of the paper or of the library's own documentation; what is only",
        "another setting or definition stands in [peers.md](peers.md).",
    )
    for fault, output in standing:
        name = f"{LIBRARIES[fault.library][0]} {versions[fault.library]}"
        yield from (
            f"\n## {fault.library}: {fault.title}\n",
            f"{name}, `{fault.place}`.\n",
            "<!-- not run: it needs the peer, make peers runs it -->",
            f"```python\n{fault.code}\n```\n",
            f"It prints\n\n```text\n{output}\n```\n",
            f"where the last line should be `{fault.right}`.\n",
            f"{fault.why}\n",
            fault.cite,
        )
    rest = [fault for fault, output in found if output != "not installed" and not stands(fault, output)]
    if rest:
        yield "\n## No longer there\n"
        yield from (f"- {fault.library} {versions[fault.library]}: {fault.title}" for fault in rest)
