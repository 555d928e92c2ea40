"""dbench compare: what it prints and writes, and one line for whatever is wrong."""

import csv
import json
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import dbench
from dbench.cli import main
from dbench.scoring import comparing
from dbench.scoring.comparison import ALIKE, SMALL

RNG = np.random.default_rng(0)
FACTORS = RNG.integers(4, size=(300, 2))
NOISE = RNG.normal(size=(300, 3))
MODELS = {
    "near": FACTORS + 0.3 * NOISE[:, :2],
    "far": FACTORS @ np.ones((2, 3)) + 3 * NOISE,
    "same": FACTORS + 0.3 * NOISE[:, 1::-1],
}
METRICS = ["--metric", "mig", "--metric", "sap[r2]", "--metric", "dci[lasso]", "--repeats", "5"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, codes in MODELS.items():
        np.savez(f"{name}.npz", codes=codes, factors=FACTORS)
    return tmp_path


def run(*arguments):
    return CliRunner(env={"COLUMNS": "80"}).invoke(main, ["compare", *map(str, arguments)])


def test_tables_and_verdicts_in_words(folder):
    done = run("near.npz", "far.npz", *METRICS)
    assert done.exit_code == 0, done.output
    text = " ".join(done.stdout.split())
    found = dbench.compare(["near.npz", "far.npz"], metrics=["mig", "sap[r2]", "dci[lasso]"], repeats=5, progress=False)
    mig = found["mig"]
    numbers = (*mig.scores, mig.value, mig.error, mig.another_seed)
    assert f"mig \u2191 {' '.join(f'{value:.3f}' for value in numbers)}" in text
    assert found["dci[lasso]"].another_seed is None  # not in the table: the column is empty
    assert "A: near.npz B: far.npz" in text
    assert "A above B, by more than another seed moves: mig, sap[r2]" in text
    assert "A above B; of another seed nothing is known: dci[lasso]" in text
    assert "3 intervals that hold together (Bonferroni)" in text
    assert "among 1,800 models of micro-dsprites_grid_16; on other data it may move more. Empty: not in that" in text
    assert "few rows (300)" in text
    assert str(found).startswith("near.npz: 300 observations, 2 codes, 2 factors")
    assert found._repr_html_().startswith("<pre>near.npz")


def test_every_pair_of_several_models(folder):
    done = run("near.npz", "far.npz", "same.npz", "--metric", "mig", "--repeats", "3")
    assert done.exit_code == 0, done.output
    for said in (
        "A - B",
        "A - C",
        "B - C",
        "A above B, by more than another seed moves: mig",
        "C above B",
        "3 intervals that hold together",
    ):
        assert said in " ".join(done.stdout.split())


def test_json_and_csv_hold_all_numbers(folder):
    done = run("near.npz", "far.npz", *METRICS, "--json", "--csv", "out/all.csv", "--table", "small-dsprites_grid_32")
    records = json.loads(done.stdout)
    assert [record["metric"] for record in records] == ["dci[lasso]", "mig", "sap[r2]"]
    for record in records:
        assert record["low"] < record["difference"] < record["high"]
        assert record["first_score"] - record["second_score"] == record["difference"]
        assert (record["first"], record["second"], record["asked"], record["repeats"]) == ("near.npz", "far.npz", 3, 5)
        assert (record["table"], record["seed"], record["confidence"]) == ("small-dsprites_grid_32", 0, 0.95)
    assert records[1]["verdict"] == "near.npz above far.npz, by more than another seed moves"
    assert records[1]["another_seed"] == pytest.approx(0.123, abs=0.001)
    with (folder / "out" / "all.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [float(row["difference"]) for row in rows] == [record["difference"] for record in records]
    assert rows[0]["another_seed"] == ""


def test_a_table_for_a_page(folder):
    found = dbench.compare(MODELS, FACTORS, metrics=["mig", "udr"], repeats=3, progress=False)
    first, second, third = found.to_markdown().split("\n\n")
    head, _, row = first.splitlines()
    assert head == "| metric | near | far | difference | 95% interval | another seed | verdict |"
    assert row.startswith(f"| mig \u2191 | {found['mig'].scores[0]:.3f} |")
    assert row.endswith("| 0.153 | near above far, by more than another seed moves |")
    assert ALIKE in second or SMALL in second
    assert "same above far" in third
    assert list(found.frame["verdict"][found.frame["metric"] == "udr"]) == ["", "", ""]
    assert found.frame.attrs["asked"] == 3


def bad(folder, name, **arrays):
    np.savez(folder / name, **({"codes": MODELS["near"], "factors": FACTORS} | arrays))


@pytest.mark.parametrize(
    ("arguments", "arrays", "said"),
    [
        (["near.npz"], {}, "compare takes the files of at least 2 models, got 1"),
        (["near.npz", "no.npz"], {}, "no.npz"),
        (["near.npz", "near.npz"], {}, "models must have a name each"),
        (["near.npz", "bad.npz"], {"factors": FACTORS[::-1]}, "models must have the same factors in every row"),
        (["near.npz", "bad.npz"], {"codes": MODELS["near"] * np.nan}, "bad.npz"),
        (["near.npz", "far.npz", "--csv", "far.npz"], {}, "--csv must be no file that is compared"),
        (["near.npz", "far.npz", "--csv", "."], {}, "--csv must be a file, got the folder"),
        (["near.npz", "far.npz", "--table", "small"], {}, "unknown table 'small'"),
        (["near.npz", "far.npz", "--metric", "mgi"], {}, "did you mean 'mig'"),
        (["near.npz", "far.npz", "--metric", "udr"], {}, "no difference could be told; the reasons stand above"),
    ],
)
def test_bad_input_is_one_line(folder, arguments, arrays, said):
    if arrays:
        bad(folder, "bad.npz", **arrays)
    done = run(*arguments)
    assert done.exit_code == 2
    assert said in done.stderr
    assert isinstance(done.exception, SystemExit)
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("codes", [NOISE[:8, :1], np.hstack([NOISE[:8]] * 20), 0 * NOISE[:8]], ids=["one", "many", "0"])
def test_few_rows_of_one_code_or_many_are_told_or_refused_in_a_line(folder, codes):
    bad(folder, "a.npz", codes=codes, factors=FACTORS[:8])
    bad(folder, "b.npz", codes=NOISE[:8, 1:], factors=FACTORS[:8])
    done = run("a.npz", "b.npz", "--repeats", "2", "--family", "all", "--json")
    assert isinstance(done.exception, SystemExit | None)
    assert done.exit_code in (0, 2)
    assert json.loads(done.stdout)


def test_an_interrupt_prints_what_there_is(folder, monkeypatch):
    calls = iter(range(100))

    def call(item, *arguments, **options):
        if next(calls) == 5:
            raise KeyboardInterrupt
        return real(item, *arguments, **options)

    real = comparing.call
    monkeypatch.setattr(comparing, "call", call)
    done = run("near.npz", "far.npz", "--metric", "mig", "--repeats", "9")
    assert done.exit_code == 130
    assert "from 2 halves of the rows" in " ".join(done.stdout.split())
    assert "stopped; what was compared by then stands above" in done.stderr


def test_pairs_of_npy_and_two_files_of_one_name(folder):
    for name in ("near", "far"):
        (folder / name).mkdir()
        np.save(folder / name / "codes.npy", MODELS[name])
    np.save("factors.npy", FACTORS)
    files = ("near/codes.npy", "factors.npy", "far/codes.npy", "factors.npy")
    done = run(*files, "--metric", "mig", "--repeats", "3", "--json")
    (record,) = json.loads(done.stdout)
    assert (record["first"], record["second"]) == ("near/codes.npy", "far/codes.npy")


def test_a_formula_in_a_name_is_no_formula_in_the_csv(folder):
    (folder / "near.npz").rename(folder / "=1+1.npz")
    assert run("=1+1.npz", "far.npz", "--metric", "mig", "--repeats", "3", "--csv", "all.csv").exit_code == 0
    assert "'=1+1.npz" in (folder / "all.csv").read_text()


@pytest.mark.long
def test_the_documented_example_gives_the_documented_scores(tmp_path, monkeypatch):
    page = (Path(__file__).parents[2] / "docs" / "compare.md").read_text(encoding="utf-8")
    (example, _), (output,) = (re.findall(rf"```{kind}\n(.*?)```", page, re.DOTALL) for kind in ("python", "console"))
    monkeypatch.chdir(tmp_path)
    exec(example, {})
    shown = {
        line.split()[0]: line.split()[2:] for line in output.splitlines() if re.match(r"\S+ +[\u2191\u2193] ", line)
    }
    assert {"mig", "dci[forest]", "factor_vae"} < set(shown)
    found = dbench.compare([f"factor_vae_{n}.npz" for n in (10, 50)], metrics=["mig", "med", "sap[r2]"], repeats=2)
    for one in found.differences:
        numbers = [float(text) for text in shown[one.item.name]]
        assert numbers[:3] == pytest.approx([*one.scores, one.value], abs=2e-3)
        assert numbers[4] == pytest.approx(one.another_seed, abs=1e-3)
