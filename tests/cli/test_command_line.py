import errno
import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import click
import pytest
from click.testing import CliRunner, Result

from dbench import cli
from dbench.cli import main
from dbench.errors import InvalidInput
from dbench.metrics import METRICS
from dbench.metrics.commands import _lines
from dbench.zoo import train as train_module
from dbench.zoo.commands import parse_duration, parse_seeds
from dbench.zoo.store import Store


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments, catch_exceptions=False)


def test_help_names_every_group_and_imports_none() -> None:
    code = (
        "import sys; from click.testing import CliRunner; from dbench.cli import main\n"
        "print(CliRunner().invoke(main, ['--help']).output)\n"
        "print('HEAVY', sorted({'torch', 'pandas', 'numpy', 'sklearn'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "HEAVY []" in done.stdout
    assert "zoo" in done.stdout
    assert "metrics" in done.stdout


@pytest.mark.parametrize(
    ("words", "index", "expected"), [("dbench sc", 1, "score"), ("dbench score --con", 2, "--continuous")]
)
def test_the_shell_completes_commands_and_options(words: str, index: int, expected: str) -> None:
    """As README.md sets it up, in bash."""
    completion = {"_DBENCH_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(index)}
    printed = CliRunner(env=completion).invoke(main, prog_name="dbench").output
    assert expected in {line.partition(",")[2] for line in printed.splitlines()}


@pytest.mark.parametrize("name", cli._GROUPS)
def test_every_group_can_be_loaded_and_helps(name: str) -> None:
    result = run(name, "--help")
    assert result.exit_code == 0
    assert "Usage" in result.output


def test_the_metrics_are_listed_by_their_cards() -> None:
    result = run("metrics")
    assert result.exit_code == 0
    for word in ("mig", "chen2018", "dci", "source"):
        assert word in result.output
    lines = result.output.splitlines()  # into a pipe: one line each, in columns, nothing folded
    assert [line.split()[0] for line in lines] == ["metric", *sorted(METRICS)]
    start = lines[0].index("summary")
    assert [line[start:] for line in lines[1:]] == [METRICS[name].card.summary for name in sorted(METRICS)]
    place = slice(lines[0].index("perfect"), lines[0].index("needs"))
    assert {line[place].strip() for line in lines if line.startswith(("dci ", "irs "))} == {"1"}
    assert {line[place].strip() for line in lines if line.startswith(("mig ", "nk "))} == {""}


@pytest.mark.parametrize("width", [80, 120])
def test_on_a_terminal_no_line_of_the_metrics_is_too_wide_and_no_name_is_cut(width: int) -> None:
    cards = [METRICS[name].card for name in sorted(METRICS)]
    lines = [click.unstyle(line) for line in _lines(cards, width)]
    assert max(map(len, lines)) < width
    assert [line.split()[0] for line in lines[1:] if not line.startswith(" ")] == sorted(METRICS)
    assert "dci[forest], dci[lasso], dci[suter]" in " ".join(" ".join(lines).split())


def test_one_metric_is_explained_and_all_are_given_as_json() -> None:
    shown = run("metrics", "informative_codes").output
    assert "KL(q(z_i | x) || N(0, 1))" in shown
    assert "Raises:" in shown
    assert run("metrics", "dci[forest]").output == run("metrics", "dci").output
    assert "unknown metric 'dci[forrest]'" in run("metrics", "dci[forrest]").stderr
    cards = json.loads(run("metrics", "--json").output)
    assert [card["name"] for card in cards] == sorted(METRICS)
    wrong = run("metrics", "migg")
    assert (wrong.exit_code, "did you mean 'mig'?" in wrong.stderr) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["zoo", "ls", "--profile", "mirco"], "unknown profile 'mirco'; did you mean 'micro'?"),
        (["zoo", "train", "--objective", "beta_vea"], "did you mean 'beta_vae'?"),
        (["zoo", "train", "--data", "cars3d"], "unknown data set of profile micro 'cars3d'"),
        (["zoo", "train", "--seeds", "0"], "seeds must name at least one seed"),
        (["zoo", "train", "--store", "nosuch://bucket"], "store must be a folder or URL"),
        (["zoo", "train", "--device", "cuda:99"], "device must be one that this machine has (cpu"),
        (["zoo", "train", "--precision", "float8"], "precision must be one of float32, tf32, bfloat16, got 'float8'"),
        (["zoo", "train", "--engine", "rai"], "unknown engine 'rai'; did you mean 'ray'?"),
        (["zoo", "train", "--num-gpus", "0.5"], "num_gpus is for engine ray and device cuda, got local and cpu"),
        (["zoo", "train", "--engine", "ray", "--device", "cuda", "--num-gpus", "1.5"], "at most 1, a group trains on"),
        (["zoo", "table", "--out", "out"], "got 'store/micro', where there are none; run dbench zoo train first"),
        (["zoo", "score", "--store", "typo"], "store must hold runs, got 'typo'"),
        (["zoo", "ls", "--store", "typo"], "store must hold runs, got 'typo'"),
        (["zoo", "verify", "--runs", "nowhere"], "runs must be a folder with runs.parquet and manifest.json"),
    ],
)
def test_bad_input_gives_one_line_and_exit_code_2(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.startswith("dbench: ")
    assert result.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_command_or_option_is_a_usage_error() -> None:
    assert run("zo").exit_code == 2
    assert run("zoo", "train", "--sedes", "1").exit_code == 2
    assert run("zoo", "train", "--workers", "0").exit_code == 2


def test_an_interrupt_ends_with_a_line_and_130(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dbench.codes.reading.read_codes", Mock(side_effect=KeyboardInterrupt))
    result = run("score", __file__)
    assert (result.exit_code, result.stderr) == (130, "dbench: stopped\n")


def test_an_error_of_the_operating_system_gives_a_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    full = OSError(28, "No space left on device", "/some/file")
    monkeypatch.setattr(train_module, "train_runs", Mock(side_effect=full))
    result = run("zoo", "train", "--store", str(tmp_path))
    assert result.exit_code == 2
    assert "No space left on device (/some/file)" in result.stderr


def test_a_reader_who_has_seen_enough_is_told_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    closed = BrokenPipeError(errno.EPIPE, "Broken pipe")
    monkeypatch.setattr(train_module, "train_runs", Mock(side_effect=closed))
    result = run("zoo", "train", "--store", str(tmp_path))
    assert (result.exit_code, "Broken pipe" in result.stderr) == (1, False)


def test_an_empty_store_shows_what_is_missing(tmp_path: Path) -> None:
    Store(tmp_path)
    result = run("zoo", "ls", "--store", str(tmp_path), "--objective", "beta_vae", "--seeds", "3")
    assert result.exit_code == 0
    assert "beta_vae" in result.output
    assert "beta_tcvae" not in result.output
    assert sum(line.rstrip().endswith(" 3") for line in result.output.splitlines()) == 6


def test_a_cancelled_training_exits_with_130(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    cancelled = train_module.Summary("trained", 0, 1, 1.0, cancelled=True, others={"left": 5})
    monkeypatch.setattr(train_module, "train_runs", Mock(return_value=cancelled))
    result = run("zoo", "train", "--store", str(tmp_path))
    assert result.exit_code == 130
    assert "5 are left" in result.output


@pytest.mark.parametrize(("commit", "warns"), [("3f2c9d1+dirty", True), ("3f2c9d1", False), ("v1.0", False)])
def test_training_code_that_is_not_committed_is_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, commit: str, warns: bool
) -> None:
    monkeypatch.setattr("dbench.provenance.commit", lambda: commit)
    trained = train_module.Summary("trained", 0, 0, 1.0, cancelled=False)
    monkeypatch.setattr(train_module, "train_runs", Mock(return_value=trained))
    result = run("zoo", "train", "--store", str(tmp_path))
    assert result.exit_code == 0
    assert ("changes that are not committed" in result.stderr) is warns


def test_a_stopped_verification_exits_with_130_and_accuses_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dbench.zoo.verify.verify_runs", Mock(side_effect=KeyboardInterrupt))
    result = run("zoo", "verify", "--runs", "anywhere")
    assert result.exit_code == 130
    assert result.output == "stopped: nothing was compared\n"


def test_options_reach_the_training(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    trained = Mock(return_value=train_module.Summary("trained", 0, 0, 1.0, cancelled=False))
    monkeypatch.setattr(train_module, "train_runs", trained)
    arguments = ["--objective", "beta_vae", "--seeds", "2-3", "--budget", "1.5m", "--workers", "3", "--group-size", "7"]
    arguments += ["--engine", "ray", "--device", "cuda", "--num-gpus", "0.25", "--dataset", "dsprites_grid_16"]
    assert run("zoo", "train", "--store", str(tmp_path), *arguments).exit_code == 0
    (store, keys), seen = trained.call_args
    assert (seen["group_size"], seen["engine"], seen["device"], seen["num_gpus"]) == (7, "ray", "cuda", 0.25)
    assert {key.data for key in keys} == {"dsprites_grid_16"}
    assert (seen["workers"], seen["budget"], store.url) == (3, 90.0, str(tmp_path))
    assert {key.seed for key in keys} == {2, 3}
    assert {key.objective for key in keys} == {"beta_vae"}


@pytest.mark.parametrize(
    ("arguments", "seeds"),
    [
        (("3",), [0, 1, 2]),
        (("3", 10_000), [10_000, 10_001, 10_002]),
        (("10003", 10_000), [10_003]),
        (("5", 1), [1, 2, 3, 4, 5]),
        (("3-4", 10_000), [3, 4]),
        (("7,0,7",), [0, 7]),
        (("0-1,5",), [0, 1, 5]),
        (("8708663-8708664", 10_000), [8_708_663, 8_708_664]),
    ],
)
def test_seeds_are_a_count_from_the_first_a_range_or_a_list(arguments: tuple[Any, ...], seeds: list[int]) -> None:
    assert parse_seeds(*arguments) == seeds


@pytest.mark.parametrize("text", ["", "4-2", "1.5", "-1", "0,", "0-9999999", "9" * 9])
def test_other_seeds_are_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="seeds"):
        parse_seeds(text)


@pytest.mark.parametrize(("text", "seconds"), [("90", 90), ("90s", 90), ("9m", 540), ("1.5h", 5400)])
def test_a_budget_has_a_unit(text: str, seconds: float) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "0", "0m", "-5m", "5 m", "5d", "nan"])
def test_other_budgets_are_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="budget"):
        parse_duration(text)
