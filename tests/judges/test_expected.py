"""Expected verdicts: read strictly, one for each name, and what nobody uses is stale."""

import pytest

from dbench.claims import Verdict, load_expected
from dbench.claims.expected import record_name
from dbench.errors import DamagedData, DbenchError, UnknownName

CLAIM = "sober.variance-explained"
ENTRY = """
[[expected]]
verdict = "absent"
reason = "small images"
date = 2026-01-01
records = ["sober.variance-explained / zoo"]
"""


@pytest.fixture
def load(tmp_path):
    def write_and_load(text: str | bytes):
        path = tmp_path / "expected.toml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return load_expected(path)

    return write_and_load


def record(claim=CLAIM, *, verdict="reproduced", part="", **params):
    return {"claim": claim, "evidence": "zoo", "part": part, "params": params, "verdict": verdict}


def of(*names: str, verdict: str = "absent") -> str:
    return ENTRY.replace(f'["{CLAIM} / zoo"]', str(list(names))).replace("absent", verdict)


def test_a_record_without_an_entry_is_expected_to_be_reproduced(load):
    assert load("").of(record()) == (Verdict.REPRODUCED, "")
    assert load(ENTRY).of(record("flaws.xor")) == (Verdict.REPRODUCED, "")


def test_of_what_is_measured_anew_any_verdict_is_expected(load):
    found = load(ENTRY.replace("absent", "any"))
    for verdict in ("reproduced", "contradicted"):
        assert found.of(record(verdict=verdict)) == (verdict, "small images")


@pytest.mark.parametrize("given", [record(), record(part="a b", metric="mig"), record(metric="mig, sap", n=2)])
def test_the_name_of_a_record_is_an_entry_for_it_alone(load, given):
    expectations = load(of(record_name(given)))
    assert expectations.of(given) == (Verdict.ABSENT, "small images")
    assert expectations.of(record(part="seed"))[0] is Verdict.REPRODUCED


def test_an_entry_whose_claim_was_judged_without_it_is_stale(load):
    expectations = load(of(f"{CLAIM} / zoo / metric=mig"))
    assert expectations.stale([record(metric="mig")]) == []
    assert expectations.stale([record(metric="sap")]) == list(expectations.entries)


@pytest.mark.parametrize(
    "records",
    [[], [record("flaws.xor")], [record(metric="x", verdict="broken")], [record(n=3), record(n=4, verdict="broken")]],
    ids=["nothing judged", "another claim", "broken", "broken beside another"],
)
def test_an_entry_is_not_stale_where_its_claim_was_not_judged_or_broke(load, records):
    assert load(of(f"{CLAIM} / zoo / metric=mig")).stale(records) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"\xff\xfe", "cannot be read from expected.toml"),
        ("[[expected]", "cannot be read from expected.toml"),
        ("expected = 3", "must hold .* tables"),
        ("expected = ['flaws.xor']", "must hold .* tables"),
        (ENTRY.replace("[[expected]]", "[[expectd]]"), "nothing else, got expectd"),
        (ENTRY + "note = 'x'", "missing or unknown: note"),
        (ENTRY.replace('"absent"', '"broken"'), "one but 'reproduced' and 'broken', got 'broken'"),
        (ENTRY.replace('"absent"', '"refuted"'), "got 'refuted'"),
        (ENTRY.replace('"absent"', "[1]"), "verdict of an expected verdict must be a str"),
        (ENTRY.replace('"small images"', '""'), "reason of an expected verdict must be a str that is not empty"),
        (of(), "records of an expected verdict must be a list that is not empty"),
        (of(CLAIM, CLAIM), "must have one expected verdict, got several for 'sober.variance-explained'"),
        (ENTRY.replace(f'["{CLAIM} / zoo"]', "[3]"), "must be its name, got 3"),
        *[
            ("".join(line for line in ENTRY.splitlines(True) if not line.startswith(f"{key} =")), f"unknown: {key}")
            for key in ("verdict", "reason", "date", "records")
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
