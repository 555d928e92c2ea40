"""Text that others wrote, wherever it is shown: it moves no cursor, turns no line round and opens no link."""

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from dbench.cli import main
from dbench.shown import cell, one_line, say, terminal

HOSTILE = "a\x1b[2J\x1b]0;title\x07\u202eb"
SCORE = ["--metric", "mig", "--repeats", "0"]


def factors(tmp_path, name="codes.csv", codes=("code_0", "code_1"), **columns):
    grid = np.indices((4, 4)).reshape(2, -1).T
    table = pd.DataFrame({codes[0]: 1.0 * grid[:, 0], codes[1]: 1.0 * grid[:, 1], "factor_a": grid[:, 0]} | columns)
    table.to_csv(path := tmp_path / name, index=False)
    return str(path)


def run(*arguments, charset="utf-8"):
    return CliRunner(charset=charset).invoke(main, arguments)


def harmless(text):
    return not any(mark in text for mark in ("\x1b", "\x07", "\u202e"))


def test_one_line_and_no_control_is_left():
    assert one_line(HOSTILE) == "a b"
    assert one_line("\udcff\x9b1mred\nline") == "1mred line"


@pytest.mark.parametrize("text", ['=HYPERLINK("http://a")', "+1", "-1", "@sum(a)", "\t=1"])
def test_a_cell_is_no_formula(text):
    assert cell(text).startswith("'")
    assert cell("code_0") == "code_0"


def test_a_hostile_file_name_is_shown_as_text_everywhere(tmp_path):
    whole = pd.read_csv(factors(tmp_path)).to_numpy()
    path = str(tmp_path / f"={HOSTILE}\udcff.npz")  # pandas does not open such a name
    np.savez(path, codes=whole[:, :2], factors=whole[:, 2:].astype(int))
    page, table, out = tmp_path / "page.html", tmp_path / "scores.csv", tmp_path / f"out{HOSTILE}"
    done = run("score", path, path, *SCORE, "--csv", str(table), "--html", str(page))
    assert done.exit_code == 0, done.output
    assert harmless(done.stdout)
    assert harmless(page.read_text())
    assert harmless(table.read_text())
    assert set(pd.read_csv(table)["file"].str[0]) <= {"'", "/"}
    drawn = run("score", path, *SCORE, "--out", str(out))
    assert harmless(drawn.stdout)


def test_a_column_that_a_spreadsheet_would_compute_is_text_in_the_csv(tmp_path):
    table = tmp_path / "scores.csv"
    path = factors(tmp_path, codes=("=1+1", "-z"))
    done = run("score", path, "--codes", "=1+1,-z", *SCORE, "--csv", str(table))
    assert done.exit_code == 0, done.output
    assert all(harmless(name) and name[:1] not in "=+-@" for name in pd.read_csv(table)["name"].dropna())


def test_a_message_is_one_line_of_bounded_length_whatever_it_names(tmp_path):
    done = run("score", str(tmp_path / f"{HOSTILE}\udcff.csv"))
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert harmless(done.stderr)
    path = factors(tmp_path)
    long = run("score", path, "--metric", "m" * 100_000)
    assert long.exit_code == 2
    assert len(long.output) < 5000


@pytest.mark.parametrize("what", ["loop.csv", "loop.npz", "loop.npy", "loop.parquet"])
def test_a_loop_of_links_is_told_in_a_line(tmp_path, what):
    (tmp_path / what).symlink_to(tmp_path / what)
    done = run("score", str(tmp_path / what))
    assert done.exit_code == 2
    assert done.output.startswith("dbench: ")
    assert done.output.count("\n") == 1


def test_a_terminal_of_ascii_keeps_the_table(tmp_path):
    done = run("score", factors(tmp_path), *SCORE, charset="ascii")
    assert done.exit_code == 0, done.output
    assert "mig" in done.stdout
    assert "1.000" in done.stdout


@pytest.mark.parametrize("columns", ["0", "1", "20"])
@pytest.mark.parametrize("command", [("score",), ("metrics",), ("zoo", "ls", "--profile", "micro")])
def test_a_narrow_terminal_or_one_of_width_0_shows_everything(tmp_path, columns, command):
    files = (factors(tmp_path), *SCORE) if command == ("score",) else ()
    (tmp_path / "store" / "runs").mkdir(parents=True)
    store = ("--store", str(tmp_path / "store")) if command[0] == "zoo" else ()
    done = CliRunner().invoke(main, [*command, *files, *store], env={"COLUMNS": columns})
    assert done.exit_code == 0, done.output
    assert len("".join(done.output.split())) > 100


def test_a_console_of_no_width_has_eighty(monkeypatch):
    widths = []
    for columns in ("0", "1", "20", "33"):
        monkeypatch.setenv("COLUMNS", columns)
        widths.append(terminal().width)
    assert widths == [80, 20, 20, 33]


def test_the_zoo_shows_text_from_outside_without_what_moves_a_cursor(tmp_path, monkeypatch):
    place = tmp_path / "st\x1b[2Jore\u202e"
    monkeypatch.chdir(tmp_path)
    (place / "runs").mkdir(parents=True)
    result = run("zoo", "ls", "--profile", "micro", "--store", str(place))
    assert result.exit_code == 0
    assert "\x1b" not in result.output
    assert "\u202e" not in result.output
    assert "store" in result.output.replace("\n", "")


def test_what_is_said_keeps_its_lines_and_blanks(capsys):
    say("a\n  b\x1b[31mc\x07d\u202e e\r", err=True)
    assert capsys.readouterr().err == "a\n  bc d  e \n"
