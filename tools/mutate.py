"""Put wrong lines into the library, one at a time, and count those that the tests notice.

    python tools/mutate.py --out FOLDER [--areas stats,metrics] [--number 1000] [--seed 0] [--part 2/4] [--minutes 60]

The tests of an area are run once to see which lines each of them reaches. Every mutant of the sample then runs the
tests that reach its line, fastest first, until one fails. Results are added to ``FOLDER/results.jsonl``; what is in
there is not run again (``--again``: what survived is), so that a run can be stopped and gone on with, and files of
several parts can be put together. Mutants that no test can tell from the original are listed, with the reason, in
``tools/equivalent_mutants.toml``. Exit code 1: too few were noticed, or an entry of that list fits no mutant.

Neither mutmut nor cosmic-ray fits: the one leaves out functions with decorators (every metric, every objective) and
wants the tests to import from its own copy of the tree; the other changes the files in place and starts an interpreter
for each mutant, which takes longer to import torch and scikit-learn than most of our tests run. Here tests are
collected once, every mutant is a fork in which functions get other code (or, where a line takes effect on import, a
session of its own whose module comes from memory), and the files stay as they are.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import importlib
import json
import os
import random
import resource
import sys
import tempfile
import time
import tomllib
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any

from mutants import Mutant, changed_functions, compile_mutant, mutants_of

ROOT = Path(__file__).parents[1]
EQUIVALENT = ROOT / "tools" / "equivalent_mutants.toml"
# Sources -> tests that can see them.
AREAS = {
    "stats": ("dbench/stats", ["tests/stats"]),
    "metrics": ("dbench/metrics", ["tests/metrics", "tests/counterexamples", "tests/scoring"]),
    "objectives": ("dbench/models/objectives", ["tests/models", "tests/training"]),
    "claims": ("dbench/claims", ["tests/judges", "tests/plugin"]),
}
_LEAST = 0.95
# CPU seconds: of the tests one mutant is run against, and what it may take over what they took before.
_MOST, _SPARE, _FACTOR = 20.0, 30, 5
# What a fork imports itself: the library and its tests, and pytest, which rewrites the plugins that it imports.
_OURS = ("dbench", "tests", "conftest", "__m", "_pytest", "pytest", "xdist", "hypothesis", "_hypothesis", "test_")
_MEMORY = 16 * 2**30


class _FromMemory(MetaPathFinder, Loader):
    """Imports one module of the library from changed code."""

    def __init__(self, file: str, code: CodeType) -> None:
        self.name, self.file, self.code = ".".join(Path(file).with_suffix("").parts), ROOT / file, code
        self.package = self.name.removesuffix(".__init__")

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        return spec_from_file_location(name, self.file, loader=self) if name == self.package else None

    def is_package(self, name: str) -> bool:
        return name != self.name

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        exec(self.code, module.__dict__)


class _SameExamples:
    """pytest plugin that lets Hypothesis try the same examples on every mutant."""

    def pytest_configure(self) -> None:
        from hypothesis import settings

        settings.register_profile("mutation", derandomize=True, database=None)
        settings.load_profile("mutation")


class _Reach:
    """pytest plugin that notes for every test its seconds and the lines it reaches."""

    def __init__(self, folder: Path) -> None:
        self.prefix, self.reached, self.tests = f"{folder}{os.sep}", set[tuple[str, int]](), dict[str, Any]()

    def _trace(self, frame: FrameType, event: str, _: object) -> Callable[..., Any] | None:
        if not frame.f_code.co_filename.startswith(self.prefix):
            return None
        if event in ("call", "line"):
            self.reached.add((frame.f_code.co_filename, frame.f_lineno))
        return self._trace

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.reached.clear()
        self.begin = time.process_time()
        sys.settrace(self._trace)

    def pytest_runtest_logreport(self, report: Any) -> None:
        test = self.tests.setdefault(report.nodeid, {"passed": True})
        test["passed"] &= not report.failed

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        sys.settrace(None)
        lines = [[str(Path(file).relative_to(ROOT)), line] for file, line in sorted(self.reached)]
        self.tests[nodeid] |= {"seconds": time.process_time() - self.begin, "lines": lines}


class _Chosen:
    """pytest plugin that runs the tests named, in that order, and notes the first that fails."""

    def __init__(self, tests: list[str]) -> None:
        self.place, self.failed = {test: i for i, test in enumerate(tests)}, ""

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        items[:] = sorted((i for i in items if i.nodeid in self.place), key=lambda item: self.place[item.nodeid])

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            self.failed = self.failed or report.nodeid


class _Loop:
    """pytest plugin that collects once, and runs the tests of each mutant in a fork with changed functions."""

    def __init__(
        self, mutants: Iterable[Mutant], tests: dict[str, Any], done: Callable[[dict[str, Any]], None]
    ) -> None:
        self.mutants, self.tests, self.done, self.failed = mutants, tests, done, ""
        self.functions = defaultdict[tuple[str, str, int], list[FunctionType]](list)

    def pytest_runtestloop(self, session: Any) -> bool:
        items = {item.nodeid: item for item in session.items}
        for function in [found for found in gc.get_objects() if type(found) is FunctionType]:
            code = function.__code__
            self.functions[code.co_filename, code.co_qualname, code.co_firstlineno].append(function)
        gc.freeze()  # or every fork would copy what it looks through for garbage
        for mutant in self.mutants:
            if (changed := changed_functions(mutant, ROOT)) is None:
                continue
            chosen = [items[name] for name in tests_for(mutant, self.tests) if name in items]
            self.done(
                _judged(mutant, [c.nodeid for c in chosen], self.tests, lambda f=changed, c=chosen: self._run(f, c))
            )
        return True

    def _run(self, changed: dict[tuple[str, int], CodeType], chosen: list[Any]) -> tuple[int, str]:
        for place, code in changed.items():
            for function in self.functions[code.co_filename, *place]:
                function.__code__ = code
        for item, following in zip(chosen, [*chosen[1:], None], strict=True):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if self.failed:
                return 1, self.failed
        return 0, ""

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            self.failed = self.failed or report.nodeid


def _forked(work: Callable[[], Any], *, seconds: float = 0) -> Any:
    """What a function returns in a fork of this process; None if it died, or took more than so many seconds of CPU."""
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "answer.json"
        if (child := os.fork()) == 0:
            try:
                os.setsid()
                os.chdir(ROOT)
                if seconds:
                    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 1))
                    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
                for number in (1, 2):
                    os.dup2(os.open(Path(folder) / "output", os.O_WRONLY | os.O_CREAT | os.O_APPEND), number)
                os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = folder
                answer.write_text(json.dumps({"found": work()}))
            except BaseException:  # a fork must not go on with what its parent was about
                answer.write_text(json.dumps({"error": traceback.format_exc()}))
            finally:
                os._exit(0)
        deadline = time.monotonic() + 40 * seconds if seconds else float("inf")
        while os.waitpid(child, os.WNOHANG) == (0, 0):
            if time.monotonic() > deadline:  # it waits for something
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(child, 9)
            time.sleep(0.02)
        if not answer.exists():
            return None
        told = json.loads(answer.read_text())
        if "error" in told:
            raise SystemExit(told["error"])
        return told["found"]


def _pytest(arguments: Iterable[str], plugin: object) -> int:
    import pytest

    plugins = [plugin, _SameExamples()]
    return int(pytest.main(["-n0", "-q", "-p", "no:cacheprovider", "--tb=no", *arguments], plugins=plugins))


def reach(area: str, out: Path) -> dict[str, Any]:
    """Which lines each test of an area reaches, from a file if it was asked before."""
    known = out / f"reach-{area}.json"
    if not known.exists():
        folder, suite = AREAS[area]

        def run() -> dict[str, Any]:
            plugin = _Reach(ROOT / folder)
            if (code := _pytest(suite, plugin)) > 1:
                raise RuntimeError(f"pytest could not run {', '.join(suite)}: exit code {code}")
            return {"tests": plugin.tests, "modules": sorted(sys.modules)}

        known.write_text(json.dumps(_forked(run)))
    found = json.loads(known.read_text())
    tests = found["tests"]
    for module in found["modules"]:  # once, for all forks
        if not module.startswith(_OURS):
            with contextlib.suppress(Exception):
                importlib.import_module(module)
    for name in [name for name, test in tests.items() if not test["passed"]]:
        print(f"left out, for it fails as it is: {name}", file=sys.stderr)
        del tests[name]
    return tests


def tests_for(mutant: Mutant, tests: dict[str, Any]) -> list[str]:
    """Those that reach the line of a mutant, fastest first, as many as fit; at the top of a module all of the file."""
    lines = {name: {line for file, line in test["lines"] if file == mutant.file} for name, test in tests.items()}
    found = [name for name, reached in lines.items() if mutant.line in reached]
    if not mutant.where or not found:  # executed on import, or the line is a later one of a statement
        found = [name for name, reached in lines.items() if reached]
    chosen, left = [], _MOST
    for name in sorted(found, key=lambda name: tests[name]["seconds"]):
        left -= tests[name]["seconds"]
        if left < 0:
            break
        chosen.append(name)
    return chosen


def judge(mutant: Mutant, tests: dict[str, Any]) -> dict[str, Any]:
    """Run a mutant against its tests in a session of its own: what it changes takes effect on import."""
    chosen = tests_for(mutant, tests)

    def run() -> tuple[int, str]:
        sys.meta_path.insert(0, _FromMemory(mutant.file, compile_mutant(mutant, ROOT)))
        plugin = _Chosen(chosen)
        return _pytest(["-x", *dict.fromkeys(name.partition("::")[0] for name in chosen)], plugin), plugin.failed

    return _judged(mutant, chosen, tests, run)


def _judged(
    mutant: Mutant, chosen: list[str], tests: dict[str, Any], run: Callable[[], tuple[int, str]]
) -> dict[str, Any]:
    """Run the tests of a mutant in a fork, within bounds."""
    result = {"mutant": mutant.name, "line": mutant.line, "tests": len(chosen), "by": ""}
    if not chosen:
        return result | {"outcome": "survived"}
    answer = _forked(run, seconds=_SPARE + _FACTOR * sum(tests[name]["seconds"] for name in chosen))
    if answer is None:
        return result | {"outcome": "stopped"}
    code, by = answer
    if code == 5:
        raise SystemExit(f"no test of {mutant.file} was found again: remove the reach-*.json files")
    return result | {"outcome": "survived" if code == 0 else "killed", "by": by}


def summary(results: list[dict[str, Any]], equivalent: dict[str, str]) -> tuple[str, bool]:
    """What a run found, in Markdown, and whether enough was noticed."""
    from dbench.stats import share_interval

    lines, counted = ["| area | noticed | of | equivalent | share | 95% interval |", "|---|---|---|---|---|---|"], []
    by_area = {area: [r for r in results if r["mutant"].startswith(f"{AREAS[area][0]}/")] for area in AREAS}
    for area, found in [*by_area.items(), ("all", results)]:
        counted = [r for r in found if r["mutant"] not in equivalent or r["outcome"] != "survived"]
        if counted:
            share = share_interval(sum(r["outcome"] != "survived" for r in counted), len(counted))
            lines.append(
                f"| {area} | {round(share.value * share.n)} | {share.n} | {len(found) - len(counted)} "
                f"| {share.value:.1%} | {share.low:.1%} to {share.high:.1%} |"
            )
    outcomes = Counter(result["outcome"] for result in results)
    lines.append(f"\n{outcomes['stopped']} of those noticed ran out of time or memory, or ended the interpreter.\n")
    for result in results:
        if result["outcome"] == "survived" and result["mutant"] not in equivalent:
            lines.append(f"- survived: {result['mutant']} (line {result['line']}, {result['tests']} tests)")
    return "\n".join(lines), not counted or share.value >= _LEAST


def _results(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def main() -> int:
    """Run the sample, or the part of it asked for, and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="folder of the results")
    parser.add_argument("--areas", default=",".join(AREAS), help="of the library")
    parser.add_argument("--number", type=int, default=1000, help="size of the sample")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--part", default="1/1", help="which part of the sample, of how many")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="start no mutant after so many")
    parser.add_argument("--again", action="store_true", help="run those again that survived")
    options = parser.parse_args()
    areas = options.areas.split(",")
    if unknown := sorted(set(areas) - set(AREAS)):
        parser.error(f"--areas must be among {', '.join(AREAS)}, got {', '.join(unknown)}")
    part, parts = map(int, options.part.split("/"))
    options.out.mkdir(parents=True, exist_ok=True)
    sys.path.insert(0, str(ROOT))
    os.environ.update(OMP_NUM_THREADS="1", MKL_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")

    every = {a: [m for f in sorted((ROOT / AREAS[a][0]).rglob("*.py")) for m in mutants_of(f, ROOT)] for a in AREAS}
    listed = tomllib.loads(EQUIVALENT.read_text(encoding="utf-8")) if EQUIVALENT.exists() else {}
    equivalent = {entry["mutant"]: entry["reason"] for entry in listed.get("equivalent", [])}
    stale = sorted(set(equivalent) - {mutant.name for mutants in every.values() for mutant in mutants})
    pool = [(area, mutant) for area in areas for mutant in every[area]]
    sample = random.Random(options.seed).sample(pool, min(options.number, len(pool)))[part - 1 :: parts]

    path = options.out / "results.jsonl"
    if options.again:
        kept = [r for r in _results(path) if r["outcome"] != "survived" or r["mutant"] in equivalent]
        path.write_text("".join(json.dumps(result) + "\n" for result in kept))
    begin, shown = time.monotonic(), os.fdopen(os.dup(2), "w", buffering=1)  # pytest captures the other

    def done(result: dict[str, Any]) -> None:
        with path.open("a") as file:
            file.write(json.dumps(result) + "\n")
        print(f"{result['outcome']:9}{result['mutant']}", file=shown)

    def left(area: str) -> Iterator[Mutant]:
        finished = {r["mutant"] for r in _results(path)}
        for of_area, mutant in sample:
            if of_area == area and mutant.name not in finished:
                if time.monotonic() - begin > 60 * options.minutes:
                    return
                yield mutant

    for area in areas:
        if any(True for _ in left(area)):
            tests = reach(area, options.out)
            code = _forked(lambda a=area, t=tests: _pytest(AREAS[a][1], _Loop(left(a), t, done)))
            if code is None or code > 1:
                raise SystemExit(f"pytest could not collect {', '.join(AREAS[area][1])}: exit code {code}")
            for mutant in left(area):
                done(judge(mutant, tests))
    known = {result["mutant"]: result for result in _results(path)}
    text, enough = summary([known[m.name] for _, m in sample if m.name in known], equivalent)
    (options.out / "summary.md").write_text(text + "\n", encoding="utf-8")
    print(text)
    for name in stale:
        print(f"{EQUIVALENT.name} lists what is no mutant any more: {name}")
    return int(bool(stale) or not enough)


if __name__ == "__main__":
    sys.exit(main())
