"""Expected verdicts: read strictly, the first entry that matches speaks, and what nobody uses is stale."""

import pytest

from dbench.claims import Verdict, load_expected
from dbench.errors import DamagedData, DbenchError, UnknownName

ENTRY = """
[[expected]]
claim = "sober.variance-explained"
evidence = "zoo"
verdict = "not reproduced"
reason = "small images"
date = 2026-01-01
"""


@pytest.fixture
def load(tmp_path):
    def write_and_load(text: str | bytes):
        path = tmp_path / "expected.toml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return load_expected(path)

    return write_and_load


def record(claim="sober.variance-explained", evidence="zoo", *, verdict="reproduced", part="", **params):
    return {"claim": claim, "evidence": evidence, "part": part, "params": params, "verdict": verdict}


def test_a_claim_without_an_entry_is_expected_to_be_reproduced(load):
    assert load("").of(record()) == (Verdict.REPRODUCED, "")
    assert load(ENTRY).of(record(evidence="published")) == (Verdict.REPRODUCED, "")
    assert load(ENTRY).of(record("flaws.xor", "zoo")) == (Verdict.REPRODUCED, "")


def test_an_entry_without_details_speaks_of_every_part_and_parameter(load):
    expectations = load(ENTRY)
    assert expectations.of(record(part="objective", metric="mig")) == (Verdict.NOT_REPRODUCED, "small images")
    assert str(expectations.entries[0]) == "sober.variance-explained zoo"


def test_details_single_records_out(load):
    (entry,) = load(ENTRY + 'part = "objective"\nparams = {metric = "mig", n = 2}').entries
    assert entry.matches(record(part="objective", metric="mig", n=2, more="x"))
    assert not entry.matches(record(part="seed", metric="mig", n=2))
    assert not entry.matches(record(part="objective", metric="sap", n=2))
    assert not entry.matches(record(part="objective", n=2))
    assert str(entry) == "sober.variance-explained zoo objective metric=mig n=2"


def test_the_first_entry_that_matches_speaks(load):
    special = ENTRY.replace("not reproduced", "inconclusive").replace("small images", "few seeds")
    expectations = load(special + 'params = {metric = "mig"}' + ENTRY)
    assert expectations.of(record(metric="mig")) == (Verdict.INCONCLUSIVE, "few seeds")
    assert expectations.of(record(metric="sap")) == (Verdict.NOT_REPRODUCED, "small images")


def test_an_entry_whose_claim_was_judged_without_it_is_stale(load):
    expectations = load(ENTRY + 'params = {metric = "mig"}')
    assert expectations.stale([record(metric="mig")]) == []
    assert expectations.stale([record(metric="sap")]) == list(expectations.entries)


def test_an_entry_hidden_behind_another_is_stale(load):
    expectations = load(ENTRY + ENTRY + 'params = {metric = "mig"}')
    assert expectations.stale([record(metric="mig")]) == [expectations.entries[1]]


@pytest.mark.parametrize(
    "records",
    [[], [record("flaws.xor", "synthetic")], [record(evidence="published")], [record(metric="x", verdict="broken")]],
    ids=["nothing judged", "another claim", "other evidence", "broken"],
)
def test_an_entry_is_not_stale_where_its_claim_was_not_judged(load, records):
    assert load(ENTRY + 'params = {metric = "mig"}').stale(records) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"\xff\xfe", "cannot be read from expected.toml"),
        ("[[expected]", "cannot be read from expected.toml"),
        ("[expected]\nclaim = 'flaws.xor'", "must hold .* tables and nothing else, got expected"),
        ("expected = 3", "must hold .* tables"),
        ("expected = ['flaws.xor']", "must hold .* tables"),
        (ENTRY.replace("[[expected]]", "[[expectd]]"), "nothing else, got expectd"),
        (ENTRY + "note = 'x'", "has unknown note"),
        (ENTRY + "part = 3", "part of an expected verdict must be text, got 3"),
        (ENTRY + "params = 'metric'", "params of sober.variance-explained must be a table, got 'metric'"),
        (ENTRY.replace('"sober.variance-explained"', "['sober']"), "claim of an expected verdict must be text"),
        (ENTRY.replace('"zoo"', '"zooo"'), "must be one of published, zoo, got 'zooo'"),
        (ENTRY.replace('"zoo"', '"synthetic"'), "got 'synthetic'"),
        (ENTRY.replace('"not reproduced"', '"broken"'), "must be a verdict, got 'broken'"),
        (ENTRY.replace('"not reproduced"', '"refuted"'), "must be a verdict, got 'refuted'"),
        (ENTRY.replace('"not reproduced"', "[1]"), "verdict of an expected verdict must be text"),
        (ENTRY.replace('"small images"', '"  "'), "must give a reason, got an empty one"),
        *[
            ("".join(line for line in ENTRY.splitlines(True) if not line.startswith(f"{key} =")), f"has no {key}")
            for key in ("claim", "evidence", "verdict", "reason", "date")
        ],
    ],
)
def test_damage_is_refused_with_what_is_wrong(load, text, message):
    with pytest.raises(DamagedData, match=message):
        load(text)


def test_an_unknown_claim_is_told_the_nearest_one(load):
    with pytest.raises(UnknownName, match=r"did you mean 'sober\.variance-explained'"):
        load(ENTRY.replace("variance-explained", "variance-explaned"))


def test_a_file_that_is_not_there_is_refused_in_words(tmp_path):
    with pytest.raises(DbenchError, match=r"cannot be read from none\.toml"):
        load_expected(tmp_path / "none.toml")


def test_the_expected_verdicts_of_this_project_can_be_read(pytestconfig):
    for entry in load_expected(pytestconfig.rootpath / "reports" / "expected.toml").entries:
        assert entry.verdict is not Verdict.REPRODUCED or entry.params or entry.part is not None


def test_every_claim_with_an_expected_deviation_is_discussed(pytestconfig):
    root = pytestconfig.rootpath
    page = (root / "docs" / "verdicts.md").read_text(encoding="utf-8")
    entries = load_expected(root / "reports" / "expected.toml").entries
    assert [entry.claim for entry in entries if f"`{entry.claim}`" not in page] == []
