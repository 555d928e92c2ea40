"""Run the tests that can see a wrong line, in a fork of a process that has collected them, within bounds.

The tests of an area are run once to see which lines each of them reaches (``reach``). A mutant whose change lies in
functions is a fork in which these have other code (``trials``); one that takes effect on import is a session of its own
whose module comes from memory (``trial``). Tests that found something in the same file come first, then the fastest.
"""

import contextlib
import gc
import importlib
import json
import os
import resource
import sys
import tempfile
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from functools import partial
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any

from mutants import Mutant, changed_functions, compile_mutant

ROOT = Path(__file__).parents[1]
# CPU seconds, traced: of the tests one mutant is run against, and what it may take over what they took before. Only
# what survives meets them all.
_MOST, _SPARE, _FACTOR = 60.0, 30, 5
# What a fork imports itself: pytest, which rewrites the plugins that it imports, and the library and its tests.
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

        settings.register_profile("mutation", settings.get_profile("same"), database=None)
        settings.load_profile("mutation")


class _Reach:
    """pytest plugin that notes for every test its seconds and the lines it reaches."""

    def __init__(self, folders: Iterable[str]) -> None:
        self.prefixes = tuple(f"{ROOT / folder}{os.sep}" for folder in folders)
        self.reached, self.tests = set[tuple[str, int]](), dict[str, Any]()

    def _trace(self, frame: FrameType, event: str, _: object) -> Callable[..., Any] | None:
        if not frame.f_code.co_filename.startswith(self.prefixes):
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
            changed = changed_functions(mutant, ROOT)
            if changed is None or not _reaching(mutant, self.tests):  # no test, but perhaps a decorator on import
                continue
            chosen = [items[name] for name in tests_for(mutant, self.tests, on_import=False) if name in items]
            names = [item.nodeid for item in chosen]
            self.done(_judged(mutant, names, self.tests, partial(self._run, changed, chosen)))
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
                os.setpgrp()  # no session of its own, which would not be as nice as ours
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
        outcome = json.loads(answer.read_text())
        if "error" in outcome:
            raise SystemExit(outcome["error"])
        return outcome["found"]


def _pytest(arguments: Iterable[str], plugin: object) -> int:
    import pytest

    plugins = [plugin, _SameExamples()]
    # An installation that can be edited leaves its metadata in the checkout, of which pytest then warns.
    quiet = ["-n0", "-q", "-p", "no:cacheprovider", "--tb=no", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
    return int(pytest.main([*quiet, *arguments], plugins=plugins))


def reach(folders: Iterable[str], suite: list[str], known: Path) -> dict[str, Any]:
    """Which lines of some folders each test of a suite reaches, from a file if it was asked before."""
    if not known.exists():

        def run() -> dict[str, Any]:
            plugin = _Reach(folders)
            if (code := _pytest(suite, plugin)) > 1:
                raise RuntimeError(f"pytest could not run {', '.join(suite)}: exit code {code}")
            return {"tests": plugin.tests, "modules": sorted(filter(_from_elsewhere, sys.modules))}

        known.write_text(json.dumps(_forked(run)))
    found = json.loads(known.read_text())
    tests: dict[str, Any] = found["tests"]
    for module in found["modules"]:  # once, for all forks
        with contextlib.suppress(Exception):
            importlib.import_module(module)
    if imported := [name for name in sys.modules if name.partition(".")[0] == "dbench"]:
        raise RuntimeError(f"no wrong line that takes effect on import can be seen in {', '.join(imported)}")
    for name in [name for name, test in tests.items() if not test["passed"]]:
        print(f"left out, for it fails as it is: {name}", file=sys.stderr)
        del tests[name]
    for test in tests.values():
        test["found"] = Counter[str]()  # mutants, by file
    return tests


def _from_elsewhere(module: str) -> bool:
    """Whether a module is none of this checkout, whose programs import the library, which only a fork may."""
    file = Path(getattr(sys.modules[module], "__file__", None) or sys.prefix)
    return not module.startswith(_OURS) and (file.is_relative_to(sys.prefix) or not file.is_relative_to(ROOT))


def _reaching(mutant: Mutant, tests: dict[str, Any]) -> list[str]:
    place = [mutant.file, mutant.line]
    return [name for name, test in tests.items() if place in test["lines"]]


def tests_for(mutant: Mutant, tests: dict[str, Any], *, on_import: bool) -> list[str]:
    """Those that reach the line of a mutant, most promising first, as many as fit; of the top of a module, the file.

    What takes effect on import is also seen by tests that reach nothing there: they read what a module declares.
    """
    found = _reaching(mutant, tests)
    if not mutant.where or not found:  # executed on import, or the line is a later one of a statement
        found = [name for name, test in tests.items() if any(file == mutant.file for file, _ in test["lines"])]
    others = tests.keys() - set(found) if on_import else set()
    return _as_many_as_fit(mutant, found, tests, _MOST) + _as_many_as_fit(mutant, others, tests, _MOST / 4)


def _as_many_as_fit(mutant: Mutant, names: Iterable[str], tests: dict[str, Any], seconds: float) -> list[str]:
    def price(name: str) -> float:
        return float(tests[name]["seconds"]) / (1 + int(tests[name]["found"][mutant.file]))

    chosen = []
    for name in sorted(names, key=lambda name: (price(name), name)):
        seconds -= tests[name]["seconds"]
        if seconds < 0:
            break
        chosen.append(name)
    return chosen


def trials(
    suite: list[str], mutants: Iterable[Mutant], tests: dict[str, Any], done: Callable[[dict[str, Any]], None]
) -> None:
    """Try all mutants of an area whose changes lie in functions; ``done`` is called with each."""
    code = _forked(lambda: _pytest(suite, _Loop(mutants, tests, done)))
    if code is None or code > 1:
        raise SystemExit(f"pytest could not collect {', '.join(suite)}: exit code {code}")


def trial(mutant: Mutant, tests: dict[str, Any]) -> dict[str, Any]:
    """Run a mutant against its tests in a session of its own: what it changes takes effect on import."""
    chosen = tests_for(mutant, tests, on_import=True)

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
    if by in tests:
        tests[by]["found"][mutant.file] += 1
    return result | {"outcome": "survived" if code == 0 else "killed", "by": by}
