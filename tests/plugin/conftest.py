"""A small project that judges claims of its own, run by pytest in a subprocess."""

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from forked import run_forked

INI = """
[pytest]
addopts = --import-mode=importlib -p no:cacheprovider -p no:hypothesispytest
dbench_claims = claims
dbench_report = out
dbench_errata = dbench_published.errata.entries:errata
filterwarnings = error
"""

CARDS = """
import os

import pytest

from dbench.claims import Claim, Printed, above
from dbench.stats import Estimate, exact


def card(id="flaws.xor", evidence="synthetic", part="", role="cell", **fields):
    fields = {"false": {"world": "ours"}, "source": "sign"} | fields
    return Claim(
        id=id, part=part, role=role, where="1", says="It holds.", evidence=evidence, population="worlds varied",
        unit="world", statistic="mean", rule=above(0.5), min_n=5, printed=Printed("0.7", 0.7, 0.1, 10), **fields,
    )


def around(value):
    return Estimate(value, 10, lambda level: (value - 0.1, value + 0.1))

"""


@dataclass
class FinishedSession:
    """What one session left behind."""

    code: int
    text: str
    folder: Path

    @property
    def report(self) -> dict[str, Any]:
        return json.loads((self.folder / "out" / "report.json").read_text(encoding="utf-8"))

    @property
    def records(self) -> dict[str, dict[str, Any]]:
        """Records by the name of the test."""
        return {record["nodeid"].partition("::")[2]: record for record in self.report["records"]}

    @property
    def verdicts(self) -> dict[str, str]:
        return {name: record["verdict"] for name, record in self.records.items()}

    @property
    def last_line(self) -> str:
        return self.text.rstrip().splitlines()[-1]


@pytest.fixture
def session(pytester) -> Callable[..., FinishedSession]:
    """Write claims and run them: ``session(source, *arguments)``."""
    pytester.makeini(INI)
    evidence = pytester.path / "evidence" / "micro"
    evidence.mkdir(parents=True)
    # Enough to be found; nothing here reads it.
    (evidence / "manifest.json").touch()

    def run(
        source: str = "", *arguments: str, expect: str = "", where: str = "claims", evidence: bool = True
    ) -> FinishedSession:
        folder = pytester.path / "claims"
        folder.mkdir(exist_ok=True)
        (folder / "test_own.py").write_text(CARDS + source, encoding="utf-8")
        if expect:
            (pytester.path / "expected.toml").write_text(expect, encoding="utf-8")
            arguments = (*arguments, "--dbench-expect=expected.toml")
        if evidence and not any("--dbench-evidence" in argument for argument in arguments):
            arguments = (*arguments, f"--dbench-evidence=evidence{os.sep}micro")
        said = pytester.path / "said.txt"
        code = run_forked("pytest", [where, *arguments], pytester.path, said)
        return FinishedSession(code, said.read_text(encoding="utf-8", errors="replace"), pytester.path)

    return run


@pytest.fixture
def expected() -> Callable[..., str]:
    """Write one group of expected.toml."""

    def group(verdict: str, *records: str) -> str:
        lines = [f'verdict = "{verdict}"', 'reason = "small worlds"', "date = 2026-01-01", f"records = {[*records]}"]
        return "\n".join(["[[expected]]", *lines, ""])

    return group
