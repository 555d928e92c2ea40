"""The documented example is run, and its documented output compared."""

import doctest
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from dbench.cli import main

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "score.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
PYTHON = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
COMMAND, OUTPUT = re.findall(r"```console\n\$ dbench (.*?)\n(.*?)```", PAGE, flags=re.DOTALL)[0]
NUMBER = re.compile(r"-?\d+\.\d{3}")
# Of the fifteen seconds that all of them take these need one.
QUICK = ["gaussian_total_correlation", "irs[crossed]", "linear_accuracy", "mig", "sap"]


@pytest.mark.parametrize("names", [QUICK, pytest.param([], marks=pytest.mark.nightly)], ids=["quick", "all"])
def test_the_documented_example_gives_the_documented_output(
    names: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    exec(PYTHON[0], {})
    asked = [option for name in names for option in ("--metric", name)]
    result = CliRunner(env={"COLUMNS": "80"}).invoke(main, [*COMMAND.split(), *asked], catch_exceptions=False)
    assert result.exit_code == 0
    # Every line of the page, in its order; a metric that was added since has lines of its own.
    documented = [line.split() for line in OUTPUT.strip().splitlines()]
    if names:
        documented = [line for line in documented if line and line[0] in ("pca.npz:", "metric", "per", *names)]
    printed = [line.split() for line in result.stdout.partition("\nSeed ")[0].strip().splitlines()]
    shown = [line for line in printed if without_numbers(line) in map(without_numbers, documented)]
    assert [*map(without_numbers, shown)] == [*map(without_numbers, documented)]
    # Other versions of the numerical libraries may fit slightly different trees.
    assert numbers(shown) == pytest.approx(numbers(documented), abs=0.02)


def without_numbers(words: list[str]) -> list[str]:
    return [NUMBER.sub("#", word) for word in words]


def numbers(lines: list[list[str]]) -> list[float]:
    return [float(number) for words in lines for word in words for number in NUMBER.findall(word)]


def test_the_examples_from_arrays_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """They ask for some metrics in place of all: each is tested elsewhere."""
    monkeypatch.chdir(tmp_path)
    np.savez("pca.npz", codes=np.arange(40.0)[:, None], factors=np.arange(40) % 4)
    few = "metrics=['mig'], repeats=0"
    session = "".join(re.findall(r"```pycon\n(.*?)```", PAGE, flags=re.DOTALL)).replace("fast=True", few)
    example = doctest.DocTestParser().get_doctest(session, {}, "score.md", None, 0)
    assert doctest.DocTestRunner().run(example).failed == 0
    (example,) = (
        block for block in re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL) if "dbench.score" in block
    )
    exec(example.replace("fast=True", few), {})
    assert "arrays: 10,000 observations, 5 codes, 3 factors" in capsys.readouterr().out
    names: dict[str, Any] = {}
    exec(PYTHON[1].replace("fast=True", few), names)
    assert set(names["table"].metric) == {"mig"}
    exec(PYTHON[2], {})
    assert "factor_vae" in capsys.readouterr().out
    pytest.importorskip("matplotlib").use("Agg")
    exec(PYTHON[3], names)
    assert [line.get_label() for line in names["plot"].models({"a": names["scores"]}, "mig").lines] == ["a"]
    exec(PYTHON[4], {})
    assert "10 {'mig':" in capsys.readouterr().out
