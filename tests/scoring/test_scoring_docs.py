"""The documented example is run, and its documented output compared."""

import doctest
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from dbench.cli import main

PAGE = (Path(__file__).parents[2] / "docs" / "score.md").read_text(encoding="utf-8")
PYTHON = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
COMMAND, OUTPUT = re.findall(r"```console\n\$ dbench (.*?)\n(.*?)```", PAGE, flags=re.DOTALL)[0]
README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
NUMBER = re.compile(r"-?\d+\.\d{3}")


def test_the_documented_example_gives_the_documented_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    exec(PYTHON[0], {})
    result = CliRunner(env={"COLUMNS": "80"}).invoke(main, COMMAND.split(), catch_exceptions=False)
    assert result.exit_code == 0
    # Every line of the page, in its order; a metric that was added since has lines of its own.
    documented = [NUMBER.sub("#", line).split() for line in OUTPUT.strip().splitlines()]
    printed = result.stdout.partition("\nSeed ")[0].strip().splitlines()
    shown = "\n".join(line for line in printed if NUMBER.sub("#", line).split() in documented)
    assert [NUMBER.sub("#", line).split() for line in shown.splitlines()] == documented
    # Other versions of the numerical libraries may fit slightly different trees.
    numbers = [[float(number) for number in NUMBER.findall(text)] for text in (shown, OUTPUT)]
    assert numbers[0] == pytest.approx(numbers[1], abs=0.02)

    names: dict[str, object] = {}
    exec(PYTHON[1].replace("fast=True", "metrics=['mig']"), names)
    table = names["table"]
    assert f"mig                         \u2191  {table.score[0]:.3f}" in OUTPUT  # type: ignore[attr-defined]


def test_the_examples_from_arrays_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    session = "".join(re.findall(r"```pycon\n(.*?)```", PAGE, flags=re.DOTALL))
    example = doctest.DocTestParser().get_doctest(session, {}, "score.md", None, 0)
    assert doctest.DocTestRunner().run(example).failed == 0
    (example,) = (
        block for block in re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL) if "dbench.score" in block
    )
    exec(example, {})
    shown = capsys.readouterr().out
    assert "arrays: 10,000 observations, 5 codes, 3 factors" in shown
    assert "mig" in shown
    exec(PYTHON[2], {})
    assert "factor_vae" in capsys.readouterr().out
    pytest.importorskip("matplotlib").use("Agg")
    names: dict[str, Any] = {}
    exec(PYTHON[3], names)
    assert [line.get_label() for line in names["plot"].models({"a": names["scores"]}, "mig").lines] == ["a"]
    exec(PYTHON[4], {})
    assert "10 {'mig':" in capsys.readouterr().out
