"""The example on the page is real: run again, it comes out the same."""

import re
import shlex
from pathlib import Path

from click.testing import CliRunner

from dbench.cli import main

TEXT = (Path(__file__).parents[2] / "docs" / "audit.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", TEXT, flags=re.DOTALL)


def lines(text):
    """Lines without the blanks at their ends; of long numbers the digits that every machine agrees on."""
    short = re.sub(r"\d\.\d{9,}", lambda match: f"{float(match[0]):.6f}", text)
    return [line.rstrip() for line in short.strip().splitlines()]


def test_the_outputs_on_the_page_are_what_the_commands_print(tmp_path, monkeypatch):
    (tmp_path / "scores.py").write_text(blocks("python")[0], encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    outputs = [block for block in blocks("console") if not all(line.startswith("$ ") for line in block.splitlines())]
    assert len(outputs) == 3
    for output in outputs:
        command, _, printed = output.partition("\n")
        arguments = shlex.split(command.removeprefix("$ dbench "))
        result = CliRunner().invoke(main, arguments, catch_exceptions=False)
        assert lines(result.stdout) == lines(printed)


def test_the_decorator_on_the_page_is_python_that_runs(pytester):
    pytester.makepyfile(**dict(zip(("scores", "test_scores"), blocks("python"), strict=False)))
    pytester.runpytest_inprocess("-q").assert_outcomes(passed=4, xfailed=2)
