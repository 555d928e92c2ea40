import io
import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result
from rich.console import Console

from dbench.cli import main
from dbench.codes.reading import read_codes
from dbench.scoring import score_codes
from dbench.scoring.plan import PLAN
from dbench.scoring.scores import COLUMNS, score
from dbench.scoring.terminal import show
from dbench.scoring.wording import in_python

RNG = np.random.default_rng(0)
FACTORS = np.indices((3, 4, 5)).reshape(3, -1).T
CODES = np.concatenate([FACTORS + RNG.normal(0, 0.1, FACTORS.shape), RNG.normal(size=(60, 7))], axis=1)
NAMES = np.array(["shape", "a rather long name", "[bold]"])


# One of each kind: from information, predictors, interventions, a whole grid; two that a file alone does not allow.
FEW = ["mig", "linear_accuracy", "dci[forest]", "factor_vae", "irs[crossed]", "udr", "informative_codes"]
ASKED = [option for name in FEW for option in ("--metric", name)]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    np.savez(tmp_path / "codes.npz", codes=CODES, factors=FACTORS, factor_names=NAMES)
    return tmp_path / "codes.npz"


def run(*arguments: object, width: int = 80) -> Result:
    return CliRunner(env={"COLUMNS": str(width)}).invoke(main, ["score", *map(str, arguments)], catch_exceptions=False)


@pytest.mark.parametrize(
    ("width", "shown"), [(60, "gaussian_total_\ncorrelation[active]\n"), (80, "gaussian_total_correlation\n[active]\n")]
)
def test_a_long_name_breaks_between_words(tmp_path: Path, width: int, shown: str) -> None:
    codes = np.random.default_rng(0).normal(size=(600, 2))
    np.savez(tmp_path / "z.npz", codes=codes, logvar=np.full((600, 2), -4.0), factors=codes[:, :1] > 0)
    lines = run(tmp_path / "z.npz", "--metric", "gaussian_total_correlation[active]", width=width).stdout.splitlines()
    table = "\n".join(line.partition(" ")[0] for line in lines)
    assert shown in table


def test_nothing_is_wider_than_the_terminal(file: Path) -> None:
    scores = score(read_codes(file), fast=True, repeats=2)
    for width in (40, 60, 80, 200):
        shown = io.StringIO()
        show(Console(file=shown, width=width, highlight=False), [scores])
        text = shown.getvalue()
        assert max(map(len, text.splitlines())) <= width
        said = " ".join(text.split())
        assert ("[bold]" in text) is (width > 40)  # a name stands as it is; 40 columns have no room for factors
        assert ("Per factor: 3 values for each of" in said) is (width == 40)
        assert ("Per code: 10 values for each of" in said) is (width < 80)
        for words in (
            "codes.npz: 60 observations, 10 codes, 3 factors",
            "mig",
            "Not computed",
            "slow; left out",
            "Seed 0;",
        ):
            assert words in said


def test_json_and_csv_hold_the_numbers_of_the_function(file: Path, tmp_path: Path) -> None:
    result = run(file, *ASKED, "--repeats", 2, "--seed", 3, "--json", "--csv", tmp_path / "deep" / "s.csv")
    records = json.loads(result.stdout)
    table = score_codes(file, metrics=FEW, repeats=2, seed=3)
    scores = table[table["part"] == "score"].set_index("metric")["score"]
    assert {r["metric"]: r["score"] for r in records if r["score"] is not None} == scores.to_dict()
    assert all(r["seed"] == 3 and r["version"] and r["versions"] for r in records)
    missing = {key: [""] for key in COLUMNS[3:8]}
    written = pd.read_csv(tmp_path / "deep" / "s.csv", keep_default_na=False, na_values=missing)
    written["reason"] = written["reason"].map(in_python)  # the one difference
    pd.testing.assert_frame_equal(written, table, check_dtype=False)
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["s.csv"]


def test_pictures_are_svg_with_a_square_for_each_pair(file: Path, tmp_path: Path) -> None:
    assert run(file, *ASKED, "--repeats", 0, "--out", tmp_path / "p").exit_code == 0
    pictures = sorted((tmp_path / "p").iterdir())
    assert {"mutual_information.svg", "forest_importance.svg", "factor_vae_votes.svg"} <= {p.name for p in pictures}
    for picture in pictures:
        titles = ET.parse(picture).getroot().findall(".//{*}g/{*}title")
        assert len(titles) == 30
        assert (titles[2].text or "").startswith("code_0, [bold]: ")


def test_several_files_stand_side_by_side(file: Path, tmp_path: Path) -> None:
    np.savez(tmp_path / "other.npz", codes=CODES[:, :3], factors=FACTORS)
    (tmp_path / "deep").mkdir()
    np.savez(tmp_path / "deep" / "codes.npz", codes=CODES[:, 3:], factors=FACTORS)
    two = run(
        file, tmp_path / "other.npz", "--metric", "mig", "--csv", tmp_path / "s.csv", "--html", tmp_path / "p.html"
    )
    assert re.search(r"metric +codes.npz +other.npz", two.stdout)
    assert re.search(r"mig +\u2191 +\d\.\d{3} \u00b1 \d\.\d{3} +\d\.\d{3} \u00b1 \d\.\d{3}", two.stdout)
    assert set(pd.read_csv(tmp_path / "s.csv")["file"]) == {"codes.npz", "other.npz"}
    page = (tmp_path / "p.html").read_text()
    assert page.count("95% interval</th>") == 2
    np.savez(tmp_path / "posterior.npz", codes=CODES, factors=FACTORS, logvar=0 * CODES)
    name = "gaussian_total_correlation[active]"
    both = run(file, tmp_path / "posterior.npz", "--metric", name, "--html", tmp_path / "p.html")
    assert "beside the codes (.npz) (only in codes.npz)" in " ".join(both.stdout.split())
    assert re.search(r"gaussian_total_correlation\[active\] +\u2193 +-?\d\.\d{3}", both.stdout)
    page = (tmp_path / "p.html").read_text()
    assert "(only in codes.npz)" in page
    assert f'<th scope="row">{name}</th>' in page.partition("Not computed")[0]
    records = json.loads(run(file, tmp_path / "deep" / "codes.npz", "--metric", "mig", "--json").stdout)
    assert [record["file"] for record in records] == [str(file), str(tmp_path / "deep" / "codes.npz")]


def test_the_page_escapes_names_and_loads_nothing(file: Path, tmp_path: Path) -> None:
    np.savez(tmp_path / "<b>.npz", codes=CODES, factors=FACTORS, factor_names=np.array(["<i>", "b", "c"]))
    assert run(tmp_path / "<b>.npz", "--metric", "mig", "--html", tmp_path / "p.html").exit_code == 0
    page = (tmp_path / "p.html").read_text()
    assert "<i>" not in page
    assert "<b>" not in page
    assert "&lt;i&gt;" in page
    assert not re.search(r"<script|(src|href)=", page)
    assert "<svg" in page


def test_an_interrupt_prints_what_is_there_and_exits_with_130(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setitem(PLAN, "nk", replace(PLAN["nk"], function=stop))
    result = run(file, "--metric", "mig", "--metric", "nk", "--csv", file.with_suffix(".csv"))
    assert result.exit_code == 130
    assert "mig" in result.stdout
    assert "stopped before it was computed (Ctrl-C)" in " ".join(result.stdout.split())
    assert set(pd.read_csv(file.with_suffix(".csv"))["metric"]) == {"mig", "nk"}


def test_a_closed_pipe_loses_no_file(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dbench.scoring.terminal.show", Mock(side_effect=BrokenPipeError))
    assert run(file, "--metric", "mig", "--csv", file.with_suffix(".csv")).exit_code != 0
    assert set(pd.read_csv(file.with_suffix(".csv"))["metric"]) == {"mig"}


def test_factors_are_called_continuous_or_discrete(file: Path) -> None:
    usual, other = (
        json.loads(run(file, "--metric", "sap", "--json", *more).stdout)[0] for more in ((), ("--continuous", "*"))
    )
    assert (usual["protocol"], other["protocol"]) == ("sap[svm]", "sap[r2]")
    assert "unknown factor 'hape'; did you mean 'shape'" in run(file, "--continuous", "hape").stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--metric", "gim"], "unknown metric 'gim'"),
        (["--metric", "udr"], "no metric could be computed"),
        (["--metric", "mig", "--csv", "/dev/null/x"], "cannot write"),
        ([__file__], "codes must come in .npz"),
        (["mine.csv", "--csv", "./mine.csv"], "--csv must be no file that is scored, got 'mine.csv'"),
        (["--csv", "."], "--csv must be a file, got the folder '.'"),
        (["--html", ""], "--html must be a file, got the folder '.'"),
        (["--csv", "a", "--html", "./a"], "--csv and --html must be two files, got 'a' for both"),
        (["--out", __file__], "--out must be a folder, got the file"),
        (["mine.csv", "--html", "mine.csv"], "--html must be no file that is scored, got 'mine.csv'"),
    ],
)
def test_bad_input_gives_one_line_and_exit_code_2(arguments: list[str], message: str, file: Path) -> None:
    result = run(file, "--fast", *arguments)
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert message in result.stderr
    assert result.stderr.startswith("dbench: ")
    assert ("mig" in result.stdout) == ("/dev/null/x" in arguments)  # what was computed is shown all the same
