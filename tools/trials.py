"""Run the tests that could notice a mutant, each mutant in a fork with bounds of time and memory.

The tests of an area are run once to record which lines each of them reaches (``reach``). A mutant that changes only
functions runs in a fork of a session that has collected all tests, with other code in these functions (``trials``). A
mutant that takes effect on import runs in a session of its own, which imports the changed module from memory
(``trial``). Tests that have already killed mutants of the same file are tried first, then the fastest.
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
# CPU seconds, as traced, of the tests that are chosen for one mutant; only a survivor runs them all.
_MOST = 60.0
# A mutant may take _FACTOR times the CPU seconds of its tests without it, and _SPARE more.
_SPARE, _FACTOR = 30, 5
# Modules that each fork imports itself: the library, its tests, and pytest, which rewrites the plugins it imports.
_OURS = ("dbench", "tests", "conftest", "__m", "_pytest", "pytest", "xdist", "hypothesis", "_hypothesis", "test_")
_MEMORY = 16 * 2**30  # bytes that a fork may use


class _FromMemory(MetaPathFinder, Loader):
    """Import hook that runs changed code for one module of the library."""

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
    """pytest plugin that records the seconds of every test and the lines it reaches."""

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
    """pytest plugin that runs the tests named, in that order, and records the first that fails."""

    def __init__(self, tests: list[str]) -> None:
        self.order, self.failed = {test: i for i, test in enumerate(tests)}, ""

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        chosen = [item for item in items if item.nodeid in self.order]
        items[:] = sorted(chosen, key=lambda item: self.order[item.nodeid])

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            self.failed = self.failed or report.nodeid


class _Loop:
    """pytest plugin that collects all tests once and runs those of each mutant in a fork with changed functions."""

    def __init__(
        self, mutants: Iterable[Mutant], tests: dict[str, Any], on_result: Callable[[dict[str, Any]], None]
    ) -> None:
        self.mutants, self.tests, self.on_result, self.failed = mutants, tests, on_result, ""
        self.functions = defaultdict[tuple[str, str, int], list[FunctionType]](list)

    def pytest_runtestloop(self, session: Any) -> bool:
        items = {item.nodeid: item for item in session.items}
        for function in [thing for thing in gc.get_objects() if type(thing) is FunctionType]:
            code = function.__code__
            self.functions[code.co_filename, code.co_qualname, code.co_firstlineno].append(function)
        gc.freeze()  # otherwise garbage collection in a fork would copy the memory of all these objects
        for mutant in self.mutants:
            changed = changed_functions(mutant, ROOT)
            if changed is None or not _reaching(mutant, self.tests):  # left to trial(): it may act on import
                continue
            chosen = [items[name] for name in tests_for(mutant, self.tests, on_import=False) if name in items]
            names = [item.nodeid for item in chosen]
            self.on_result(_result(mutant, names, self.tests, partial(self._run, changed, chosen)))
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
    """Return what a function returns in a fork of this process; None if the fork died or ran out of CPU seconds."""
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "answer.json"
        if (child := os.fork()) == 0:
            try:
                os.setpgrp()  # not a new session, which would not keep our niceness
                os.chdir(ROOT)
                if seconds:
                    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 1))
                    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
                for number in (1, 2):
                    os.dup2(os.open(Path(folder) / "output", os.O_WRONLY | os.O_CREAT | os.O_APPEND), number)
                os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = folder
                answer.write_text(json.dumps({"found": work()}))
            except BaseException:  # a fork must never go on with its parent's work
                answer.write_text(json.dumps({"error": traceback.format_exc()}))
            finally:
                os._exit(0)
        deadline = time.monotonic() + 40 * seconds if seconds else float("inf")
        while os.waitpid(child, os.WNOHANG) == (0, 0):
            if time.monotonic() > deadline:  # it hangs without using CPU time
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
    # An editable installation keeps its metadata in the checkout, and pytest warns about that.
    quiet = ["-n0", "-q", "-p", "no:cacheprovider", "--tb=no", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
    return int(pytest.main([*quiet, *arguments], plugins=plugins))


def reach(folders: Iterable[str], suite: list[str], known: Path) -> dict[str, Any]:
    """Return for each test of a suite the lines it reaches in some folders; the file ``known`` keeps the answer."""
    if not known.exists():

        def run() -> dict[str, Any]:
            plugin = _Reach(folders)
            if (code := _pytest(suite, plugin)) > 1:
                raise RuntimeError(f"pytest could not run {', '.join(suite)}: exit code {code}")
            return {"tests": plugin.tests, "modules": sorted(filter(_from_elsewhere, sys.modules))}

        known.write_text(json.dumps(_forked(run)))
    recorded = json.loads(known.read_text())
    tests: dict[str, Any] = recorded["tests"]
    for module in recorded["modules"]:  # imported here once instead of in every fork
        with contextlib.suppress(Exception):
            importlib.import_module(module)
    if imported := [name for name in sys.modules if name.partition(".")[0] == "dbench"]:
        raise RuntimeError(f"no wrong line that takes effect on import can be seen in {', '.join(imported)}")
    for name in [name for name, test in tests.items() if not test["passed"]]:
        print(f"left out, for it fails as it is: {name}", file=sys.stderr)
        del tests[name]
    for test in tests.values():
        test["found"] = Counter[str]()  # how many mutants of each file the test killed
    return tests


def _from_elsewhere(module: str) -> bool:
    """Whether a module lies outside this checkout, whose programs import the library: only a fork may do that."""
    file = Path(getattr(sys.modules[module], "__file__", None) or sys.prefix)
    return not module.startswith(_OURS) and (file.is_relative_to(sys.prefix) or not file.is_relative_to(ROOT))


def _reaching(mutant: Mutant, tests: dict[str, Any]) -> list[str]:
    line = [mutant.file, mutant.line]
    return [name for name, test in tests.items() if line in test["lines"]]


def tests_for(mutant: Mutant, tests: dict[str, Any], *, on_import: bool) -> list[str]:
    """Return the tests to run on a mutant, the most promising first, as many as fit into the time.

    They reach its line, or any line of its file if it stands at the top of the module. With ``on_import`` tests that
    reach nothing there follow: they may read what the module declares on import.
    """
    reaching = _reaching(mutant, tests)
    if not mutant.where or not reaching:  # executed on import, or the line is a later one of a statement
        reaching = [name for name, test in tests.items() if any(file == mutant.file for file, _ in test["lines"])]
    others = tests.keys() - set(reaching) if on_import else set()
    return _as_many_as_fit(mutant, reaching, tests, _MOST) + _as_many_as_fit(mutant, others, tests, _MOST / 4)


def _as_many_as_fit(mutant: Mutant, names: Iterable[str], tests: dict[str, Any], seconds: float) -> list[str]:
    """Choose tests until the seconds are used up; a test counts as quicker for each mutant of the file it killed."""

    def cost(name: str) -> float:
        return float(tests[name]["seconds"]) / (1 + int(tests[name]["found"][mutant.file]))

    chosen = []
    for name in sorted(names, key=lambda name: (cost(name), name)):
        seconds -= tests[name]["seconds"]
        if seconds < 0:
            break
        chosen.append(name)
    return chosen


def trials(
    suite: list[str], mutants: Iterable[Mutant], tests: dict[str, Any], on_result: Callable[[dict[str, Any]], None]
) -> None:
    """Try all mutants of an area that change only functions, and call ``on_result`` with the result of each."""
    code = _forked(lambda: _pytest(suite, _Loop(mutants, tests, on_result)))
    if code is None or code > 1:
        raise SystemExit(f"pytest could not collect {', '.join(suite)}: exit code {code}")


def trial(mutant: Mutant, tests: dict[str, Any]) -> dict[str, Any]:
    """Run a mutant that takes effect on import against its tests, in a session of its own, and return its result."""
    chosen = tests_for(mutant, tests, on_import=True)

    def run() -> tuple[int, str]:
        sys.meta_path.insert(0, _FromMemory(mutant.file, compile_mutant(mutant, ROOT)))
        plugin = _Chosen(chosen)
        return _pytest(["-x", *dict.fromkeys(name.partition("::")[0] for name in chosen)], plugin), plugin.failed

    return _result(mutant, chosen, tests, run)


def _result(
    mutant: Mutant, chosen: list[str], tests: dict[str, Any], run: Callable[[], tuple[int, str]]
) -> dict[str, Any]:
    """Run the tests of a mutant in a fork with a limit of time; return whether it was killed, and by which test."""
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
