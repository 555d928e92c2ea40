"""The audit as an outsider uses it: a module in a folder of its own, and the command line."""

import json
from functools import cache

import pytest
from click.testing import CliRunner

from dbench.audit import CHECKS, audit, likely_a_bug
from dbench.audit.table import TITLES
from dbench.cli import main

MODULE = """
import numpy as np

def mean_correlation(codes, factors):
    "Deliberately bad: however codes and factors are related, strong relations score high."
    both = np.corrcoef(codes.T, factors.T)[: codes.shape[1], codes.shape[1]:]
    return float(np.abs(np.nan_to_num(both)).max(axis=0).mean())

class Constant:
    def __call__(self, codes, factors):
        return 0.7

constant = Constant()
loss = lambda codes, factors: 1.0 - copy_of_mig(codes, factors)

def _cut(code):
    low, high = code.min(), code.max()
    return np.minimum(((code - low) / (high - low or 1.0) * 20 + 1e-9).astype(int), 19)

def _entropy(labels):
    shares = np.unique(labels, return_counts=True)[1] / len(labels)
    return -(shares * np.log(shares)).sum()

def copy_of_mig(codes, factors):
    gaps = []
    for factor in factors.T:
        own = _entropy(factor)
        known = sorted(own + _entropy(c) - _entropy(c + 20 * factor) for c in map(_cut, codes.T))
        gaps.append((known[-1] - (known[-2] if len(known) > 1 else 0.0)) / own)
    return float(np.mean(gaps))

nan = lambda codes, factors: float("nan")
nothing = lambda codes, factors: None
many = lambda codes, factors: codes.mean(axis=0)
huge = lambda codes, factors: 10**400

def picky(codes, factors):
    if codes.shape[1] < 3:
        raise ValueError("at least 3 codes, please")
    return copy_of_mig(codes, factors)

def chatty(codes, factors):
    print("hello from the metric")
    return copy_of_mig(codes, factors)

def averaged(codes, factors):
    return copy_of_mig(codes, factors) * factors.shape[1] / codes.shape[1]

number = 3
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("outside")
    (place / "mine.py").write_text(MODULE)
    (place / "loud.py").write_text('print("hello from the module")\nfrom mine import chatty\n')
    (place / "broken.py").write_text("import nothing_of_that_name\n")
    (place / "exits.py").write_text("raise SystemExit(0)\n")
    return place


@pytest.fixture(scope="module")
def command(folder):
    def run(*arguments, width=80):
        runner = CliRunner(env={"COLUMNS": str(width)})
        return runner.invoke(main, ["audit", "--observations", "1000", *arguments], catch_exceptions=False)

    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        yield run


@pytest.fixture(scope="module")
def statuses(command):
    @cache
    def ask(name, *arguments):
        done = command(f"mine:{name}", "--json", *arguments)
        found = {record["check"]: record for record in json.loads(done.stdout)}
        nothing = {record["status"] for record in found.values()} <= {"error", "not applicable"}
        assert done.exit_code == (2 if nothing else 0), done.stderr
        return found

    return ask


def test_a_copy_of_mig_gets_the_table_of_mig(statuses, command):
    copy = statuses("copy_of_mig")
    ours = {record["check"]: record for record in json.loads(command("mig", "--json").stdout)}
    # It has no option for bins, and says so.
    assert copy["bins[noise only]"]["status"] == "not applicable"
    asked = [name for name in ours if not name.startswith("bins")]
    assert {name: copy[name]["status"] for name in asked} == {name: ours[name]["status"] for name in asked}
    for name in asked:
        assert copy[name]["value"] == pytest.approx(ours[name]["value"], abs=0.01)


# Arguments of the command, checks that pass, and checks that fail; each by its name or the beginning of it.
TABLES = [
    # How Not to Measure Disentanglement, facts 7 to 9: MIG is high where a factor has one code; but bins of equal width
    # lose powers and stretched scales, and the exponential of noisy codes. It does not reflect characteristic 1, nor
    # the weak notion.
    (
        ["copy_of_mig"],
        {"characteristic_2_high[perfect copy]", "characteristic_2_high[one code for all]", "permutation", "shift"}
        | {"sign", "characteristic_2_low[two codes a side]", "compactness[factors copied twice]"},
        {"characteristic_2_high[stretched copy]", "characteristic_2_low[both bits beside their parity]"}
        | {"characteristic_1_low[one code for all]", "weak_high[five codes, parity]", "monotone[leaky copy]"}
        | {"modularity[factors packed in pairs]"},
    ),
    # It praises entangled codes, and sees no relation that is not linear.
    (
        ["mean_correlation"],
        {"separation", "permutation[perfect copy]", "determinism"},
        {"characteristic_1_low[Gaussian mixtures]", "characteristic_2_low[two codes a side]"}
        | {"compactness[factors copied twice]", "strong_low[rotated by 45 degrees]", "weak_high[xor pairs]"}
        | {"characteristic_2_high[powers]"},
    ),
    # It separates nothing and so is neither high nor low.
    (
        ["constant"],
        {"determinism", "sign[leaky copy]"},
        {"separation", "chance", "characteristic", "weak", "strong", "noise[perfect copy]"},
    ),
    # A declared scale is taken at its word.
    (["copy_of_mig", "--check", "strong_high", "--scale", "0", "9"], set(), {"strong_high[perfect copy]"}),
]


@pytest.mark.parametrize(("arguments", "passed", "failed"), TABLES, ids=[" ".join(table[0]) for table in TABLES])
def test_the_table_of_a_metric_is_right(statuses, arguments, passed, failed):
    said = statuses(*arguments)
    for checks, status in ((passed, "pass"), (failed, "fail")):
        for check in checks:
            assert {said[name]["status"] for name in said if name.startswith(check)} == {status}, check


def test_a_metric_of_which_less_is_better_is_read_upside_down(statuses):
    better, worse = statuses("copy_of_mig"), statuses("loss", "--less-is-better")
    directed = [name for name in better if name.startswith(("characteristic", "weak", "strong", "noise", "duplicated"))]
    assert {name: worse[name]["status"] for name in directed} == {name: better[name]["status"] for name in directed}
    assert worse["chance"]["status"] == "fail"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nan", "returned nan, not a finite number"),
        ("nothing", "returned NoneType, not a number"),
        ("many", "returned ndarray of shape (4,), not a number"),
        ("huge", "raised OverflowError: int too large to convert to float"),
    ],
)
def test_what_is_no_number_is_an_error_on_every_check(statuses, name, message):
    records = statuses(name, "--check", "separation", "--check", "bounds", "--check", "characteristic_2_high")
    assert {record["status"] for record in records.values()} == {"error"}
    assert message in records["separation"]["reason"]


def test_a_metric_that_never_gives_a_number_ends_in_its_first_error(command):
    done = command("mine:nothing", "--check", "separation")
    assert done.exit_code == 2
    expected = "dbench: mine:nothing must give a number to be audited, got none: returned NoneType, not a number"
    assert done.stderr.splitlines()[-1] == expected


def test_a_metric_that_fails_on_some_representations_goes_on_with_the_others(statuses):
    records = statuses("picky", "--check", "characteristic_1_high")
    assert records["characteristic_1_high[powers]"]["status"] == "error"
    assert "raised ValueError: at least 3 codes, please" in records["characteristic_1_high[powers]"]["reason"]
    assert records["characteristic_1_high[permuted copy]"]["status"] == "pass"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["migg"], "unknown metric 'migg'; did you mean 'mig'?"),
        (["broken:metric"], "module 'broken' cannot be imported: ModuleNotFoundError: No module named 'nothing_of"),
        (["exits:metric"], "module 'exits' cannot be imported: SystemExit: 0"),
        (["mine"], "a metric of yours is named as module:attribute, such as mine:my_metric, got 'mine'"),
        (["mine:absent"], "mine has no attribute 'absent'; it has Constant, averaged, chatty"),
        (["math:pi.digits"], "math has no attribute 'pi.digits'; it has"),
        (["mine:number"], "a metric must be callable, mine:number is of type int"),
        (["mine:Constant"], "got a class; name an instance of it"),
        (["mine:"], "a metric is named as module:attribute"),
        (["mine.py:constant"], "a metric is named as module:attribute, without .py, got 'mine.py:constant'"),
        (["mig", "--check", "chnace"], "unknown check 'chnace'; did you mean 'chance'?"),
        (["mig", "--check", "sign[perfect]"], "did you mean 'sign[perfect copy]'?"),
        (["mig", "--observations", "10"], "observations must be an integer of at least 200, got 10"),
        (["mig", "--scale", "1", "1"], "scale must be two different finite numbers"),
        (["mig", "--scale", "0", "1", "--less-is-better"], "scale must fall from chance to perfect where less_is_be"),
        (["mig", "--bounds", "1", "0"], "bounds must be a smaller and a larger number"),
        (["mig", "--timeout", "nan"], "timeout must be a number of seconds above 0"),
        (["mig", "--expected", "nowhere.toml"], "expected deviations cannot be read from nowhere.toml"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(command, arguments, message):
    done = command(*arguments)
    assert done.exit_code == 2
    assert "Traceback" not in done.stderr
    assert message in done.stderr
    assert done.stdout == ""


def test_what_a_module_and_a_metric_print_is_not_in_the_json(command):
    done = command("loud:chatty", "--check", "permutation", "--json")
    assert [record["status"] for record in json.loads(done.stdout)] == ["pass", "pass"]
    assert "hello from the module" in done.stderr


def test_the_table_fits_a_narrow_terminal_and_names_every_family_that_fails_or_is_a_matter_of_definition(
    statuses, command
):
    done = command("mine:mean_correlation")
    assert done.exit_code == 0
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert {check.family for check in CHECKS.values()} == set(TITLES)
    records = statuses("mean_correlation").values()
    shown = {r["family"] for r in records if r["status"] == "fail" or not likely_a_bug(r["check"])}
    assert {family for family, title in TITLES.items() if title in done.stdout} == shown
    assert "Every other property of which a failure is almost always a bug holds." in done.stdout


def test_strict_fails_on_what_is_not_expected_and_on_what_is_outdated(command, folder):
    one = ("mine:copy_of_mig", "--check", "modularity", "--check", "sign", "--strict")
    assert command(*one).exit_code == 1
    (folder / "expected.toml").write_text('modularity = "MIG asks whether a factor has one code"\n')
    done = command(*one, "--expected", "expected.toml", "-v")
    assert done.exit_code == 0
    assert "MIG asks" in " ".join(done.stdout.split())
    assert "modularity[" in done.stdout
    (folder / "outdated.toml").write_text('modularity = "as above"\nsign = "it does not"\n')
    done = command(*one, "--expected", "outdated.toml")
    assert done.exit_code == 1
    assert "expected to fail, but does not: sign" in done.stderr


@pytest.mark.parametrize("content", ["chance = 3\n", 'chance = " "\n', "= [", 'chnace = "x"\n'])
def test_damaged_expectations_are_one_line(command, folder, content):
    (folder / "damaged.toml").write_text(content)
    done = command("mig", "--expected", "damaged.toml")
    assert done.exit_code == 2
    assert len(done.stderr.strip().splitlines()) == 1


def test_the_command_answers_on_top_and_shows_what_differs_and_both_groups(command):
    checks = [part for check in ("separation", "dead_codes", "modularity") for part in ("--check", check)]
    lines = command("mine:averaged", "--like", "mig", *checks, width=110).stdout.splitlines()
    assert lines[0].startswith("mine:averaged: Likely a bug: dead_codes[perfect copy, last] fails (")
    heads = ["differs from mig", "almost always a bug", "by definition"]
    assert [head for line in lines if (head := line.partition("  ")[0]) in heads] == heads
    row = next(line for line in lines if line.startswith("dead codes change nothing"))
    assert row.split()[4:6] == ["no", "yes"]


def test_metrics_stand_side_by_side(command):
    arguments = ["mine:constant", "mig", "sap[r2]", "--check", "separation", "--check", "permutation"]
    done = command(*arguments, width=100)
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    assert lines[0].startswith("mine:constant: Likely a bug: separation fails (")
    start = next(place for place, line in enumerate(lines) if line.startswith("property"))
    assert lines[start].split() == ["property", "mine:constant", "mig", "sap[r2]"]
    rows = {" ".join(line.split()[:-3]): line.split()[-3:] for line in lines[start + 1 :]}
    assert rows["perfect copies and noise differ"] == ["no", "yes", "yes"]
    assert rows["permuted codes score the same"] == ["yes", "yes", "yes"]
    records = json.loads(command(*arguments, "--json").stdout)
    assert {record["metric"] for record in records} == {"mine:constant", "mig", "sap[r2]"}


def test_the_records_of_a_variant_bear_its_name():
    assert {record.metric for record in audit("sap[r2]", only=["separation"], observations=200)} == {"sap[r2]"}
