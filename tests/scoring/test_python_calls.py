"""What is as easy from Python as from the command line: named factors, posteriors, words, tables and a bar."""

import io
import re
import time

import numpy as np
import pandas as pd
import pytest
import torch
from click.testing import CliRunner
from rich.console import Console

import dbench
from dbench.cli import main
from dbench.codes.reading import read_codes
from dbench.errors import InvalidInput
from dbench.scoring import terminal
from dbench.scoring.wording import in_python

RNG = np.random.default_rng(0)
DIGIT, INK = RNG.integers(4, size=600), RNG.normal(size=600)
CODES = np.stack([DIGIT + 0.1 * RNG.normal(size=600), INK, 0.01 * RNG.normal(size=600)], axis=1)
LOGVAR = np.tile([-4.0, -4.0, 0.0], (600, 1))
OF_POSTERIOR = ["informative_codes", "gaussian_total_correlation[sampled]", "gaussian_total_correlation[active]"]


def test_a_dictionary_names_factors_and_codes_of_any_library():
    given = {"digit": torch.from_numpy(DIGIT), "ink": pd.Series(INK), "kind": [str(value) for value in DIGIT]}
    scores = dbench.score({"a": CODES[:, 0], "b": CODES[:, 1]}, given, metrics=["sap[r2]"], repeats=0)
    assert (scores.file.sample.factor_names, scores.file.code_names) == (("digit", "ink", "kind"), ("a", "b"))
    table = np.stack([DIGIT, INK, DIGIT], axis=1)
    assert scores["sap[r2]"] == dbench.score(CODES[:, :2], table, metrics=["sap[r2]"], repeats=0)["sap[r2]"]


@pytest.mark.parametrize(
    ("factors", "message"),
    [
        ({}, "factors must be vectors of equal length by name, got lengths {}"),
        (
            {"a": DIGIT, "b": DIGIT[:9]},
            "factors must be vectors of equal length by name, got lengths {'a': 600, 'b': 9}",
        ),
        ({"a": CODES}, "factors: a must be a vector of one value a row, got shape (600, 3)"),
        ({"a": 3}, "factors: a must be a vector of one value a row, got shape ()"),
        ({"a": DIGIT[:9]}, "codes and factors must have equally many rows, got shapes (600, 3) and (9, 1)"),
    ],
)
def test_a_dictionary_of_other_things_is_refused(factors, message):
    with pytest.raises(InvalidInput, match=re.escape(message)):
        dbench.score(CODES, factors)


def test_a_posterior_is_given_as_logarithms_of_variances_or_as_deviations():
    first = dbench.score(CODES, DIGIT, logvar=torch.from_numpy(LOGVAR), metrics=OF_POSTERIOR, repeats=0)
    second = dbench.score(CODES, DIGIT, std=np.exp(LOGVAR / 2), metrics=OF_POSTERIOR, repeats=0)
    third = dbench.score(dbench.Sample(CODES, DIGIT[:, None]), logvar=LOGVAR, metrics=OF_POSTERIOR, repeats=0)
    assert first["informative_codes"] == 2
    assert max(first[name] for name in OF_POSTERIOR[1:]) < 0.1
    for name in OF_POSTERIOR:
        assert second[name] == pytest.approx(first[name])
        assert third[name] == first[name]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"logvar": LOGVAR, "std": LOGVAR}, "logvar and std say the same, got both; give one"),
        ({"logvar": LOGVAR[:, :2]}, "logvar must have the shape of the codes, (600, 3), got (600, 2)"),
        ({"std": LOGVAR}, "std must be above 0, got -4.0"),
        ({"logvar": LOGVAR * np.nan}, "logvar: code_0 must be finite, got 600 entries that are NaN or infinite"),
        ({"logvar": {}}, "logvar must be vectors of equal length by name, got lengths {}"),
        ({"std": {"a": DIGIT, "b": DIGIT[:9]}}, "std must be vectors of equal length by name, got lengths"),
        ({"logvar": ["a"] * 600}, "logvar must hold real numbers, got text such as 'a' in code_0"),
    ],
)
def test_another_posterior_is_refused(options, message):
    with pytest.raises(InvalidInput, match=re.escape(message)):
        dbench.score(CODES, DIGIT, **options)


def test_a_posterior_by_name_has_rows_and_columns_in_the_order_of_the_codes():
    codes, logvar = (pd.DataFrame(values, columns=list("abc")) for values in (CODES, LOGVAR))
    scores = dbench.score(codes, DIGIT, logvar=logvar.add_suffix("_logvar"), metrics=OF_POSTERIOR[:1], repeats=0)
    assert scores["informative_codes"] == 2
    for wrong in (logvar[["c", "b", "a"]], dict(logvar[["c", "b", "a"]])):
        with pytest.raises(InvalidInput, match="logvar must have its columns in the order of the codes, a, b, c, got"):
            dbench.score(codes, DIGIT, logvar=wrong)
    with pytest.raises(InvalidInput, match=r"same index, .*; logvar have those of codes in another order: logvar\.loc"):
        dbench.score(codes, DIGIT, logvar=logvar[::-1])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"logvar": LOGVAR}, "logvar must come with arrays, got values beside a file"),
        ({"factor_names": ["a"]}, "factor_names must come with arrays, got ['a'] beside a file, which has its own"),
        ({"factors": DIGIT}, "factors beside a file must be a file too, got ndarray"),
    ],
)
def test_what_goes_with_arrays_is_refused_beside_a_file(tmp_path, options, message):
    np.savez(tmp_path / "codes.npz", codes=CODES, factors=DIGIT)
    for codes in (tmp_path / "codes.npz", read_codes(tmp_path / "codes.npz"))[: 1 if "factors" in options else 2]:
        with pytest.raises(InvalidInput, match=re.escape(message)):
            dbench.score(codes, **options)


def test_who_calls_from_python_is_told_of_arguments_and_the_command_line_of_options(tmp_path):
    factors = np.stack([DIGIT / 3, DIGIT], axis=1)
    np.savez(tmp_path / "codes.npz", codes=CODES, factors=factors, z=CODES)
    asked = ["irs[crossed]", "informative_codes", "mig"]
    said = str(dbench.score(CODES, factors, metrics=asked, repeats=0))
    assert "--" not in said
    for words in ("name under continuous= what is not", "or source= (such as", "needs the posterior: logvar= or std="):
        assert words in " ".join(said.split())
    options = [word for name in asked for word in ("--metric", name)]
    typed = CliRunner().invoke(main, ["score", str(tmp_path / "codes.npz"), *options, "--repeats", "0"]).output
    for words in ("name under --continuous what is not", "--encoder and --data", "(.npz)"):
        assert words in " ".join(typed.split())
    np.savez(tmp_path / "other.npz", z=CODES, gts=DIGIT)
    with pytest.raises(InvalidInput, match=r"read_codes\(..., codes='z', factors='gts'\)$"):
        dbench.score(tmp_path / "other.npz")


def test_what_is_no_option_stays_as_it_is():
    assert in_python("a - b; a -- b; 2-d; factor-a") == "a - b; a -- b; 2-d; factor-a"


def test_a_table_goes_into_markdown_and_latex():
    factors = {"digit": DIGIT, "size": RNG.integers(3, size=600)}
    scores = dbench.score(CODES, factors, metrics=["mig", "dci[forest]", "code_mutual_information", "irs[crossed]"])
    head, line, *rows = scores.to_markdown().splitlines()
    assert head == "| metric | score | 95% interval | chance | copies |"
    assert line.count("---") == head.count("|") - 1
    assert [row.split(" |")[0] for row in rows] == ["| code_mutual_information ↓", "| dci[forest] ↑", "| mig ↑"]
    assert f"| {scores['mig']:.3f} |" in rows[2]
    low, high = scores.results[-1].interval
    assert f"{low:.3f} to {high:.3f}" in rows[2]
    latex = scores.to_latex()
    assert latex.startswith(
        "\\begin{tabular}{lrrrr}\n\\toprule\nmetric & score & 95\\% interval & chance & copies \\\\"
    )
    assert "code\\_mutual\\_information $\\downarrow$ & " in latex
    assert latex.count("\\\\\n") == 4


def test_a_bar_comes_with_what_takes_long_and_goes(monkeypatch):
    def shown(seconds):
        console = Console(file=io.StringIO(), force_terminal=True, width=100)
        with terminal.bar("arrays", console) as advance:
            advance("mig", 3, 7)
            time.sleep(seconds)
        return console.file.getvalue()

    monkeypatch.setattr(terminal, "AFTER", 0.2)
    assert "arrays: mig" in shown(0.6)
    assert "3/7" in shown(0.6)
    assert shown(0.0) == ""
    file = io.StringIO()
    with terminal.bar("arrays", Console(file=file)) as advance:
        time.sleep(0.4)
        advance("mig", 3, 7)
    assert file.getvalue() == ""


def test_progress_is_told_of_each_step_or_of_none():
    steps = []
    dbench.score(
        CODES, DIGIT, metrics=["mig"], progress=lambda item, number, total, found: steps.append((number, total))
    )
    assert steps == [(0, 2), (1, 2)]
    assert dbench.score(CODES, DIGIT, metrics=["mig"], progress=False)["mig"] > 0


def test_printed_scores_are_text_also_where_colours_are_asked_for(monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")  # as the kernel of a notebook does
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    said = str(dbench.score(CODES, DIGIT, metrics=["mig"], repeats=0, progress=False))
    assert said.startswith("arrays: 600 observations")
    assert "\x1b" not in said
