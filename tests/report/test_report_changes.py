"""What changed between two reports, and over many: headings first."""

import json

import pytest
from click.testing import CliRunner

from dbench.cli import main
from dbench.errors import DamagedData, InvalidInput
from dbench.report import build_document, write_report
from dbench.report.changes import compare, difference_lines, history_lines, read_history, trends


def document(records, day="2026-11-20", **parts):
    return build_document(records, provenance={"utc": f"{day}T00:00:00Z", "commit": "3f2c9d1e"}, **parts)


@pytest.fixture
def reports(make_record):
    """A primary record and a cell of three findings; the second finding changes as asked."""

    def make(day="2026-11-20", **changes):
        claims = ("sober.a", "udr.b", "irs.c")
        records = [
            make_record(claim=claim, nodeid=f"{claim}::test", **changes if claim == "udr.b" else {}) for claim in claims
        ]
        records += [make_record(claim=claim, role="cell", nodeid=f"{claim}::cell") for claim in claims]
        return document(records, day)

    return make


def test_equal_reports_have_no_changes(reports):
    changes = compare(reports(), reports())
    assert changes.moved == ()
    assert str(changes) == ""
    assert difference_lines(changes)[0] == "No heading changed"
    assert difference_lines(changes)[-1] == "0 records with another verdict, 0 added, 0 removed, 6 as before"


def test_a_changed_heading_comes_first_with_what_was_and_is_seen(reports):
    changes = compare(reports(), reports(verdict="weaker", estimate=-0.05, interval=[-0.09, -0.01]))
    assert str(changes) == "udr.b: reproduced -> weaker"
    lines = difference_lines(changes)
    assert lines[:3] == ["Headings that changed: udr.b: reproduced -> weaker", "", "- udr.b: reproduced -> weaker"]
    assert lines[3].startswith("  - was: Spearman correlation of strength and total correlation: -0.620")
    assert "on the claimed side of 0" in lines[4]
    assert any(line.startswith("- udr.b (zoo): -0.620 [-0.710, -0.530] -> -0.050") for line in lines[5:])
    assert lines[-1] == "1 record with another verdict, 0 added, 0 removed, 5 as before"


@pytest.mark.parametrize(
    ("interval", "estimate", "moved"),
    [
        ([-0.7, -0.5], -0.55, False),
        ([-0.7, -0.5], -0.5, False),
        ([-0.7, -0.5], -0.49, True),
        (None, -0.62, False),
        (None, -0.62 * (1 + 1e-12), False),
        (None, -0.63, True),
        (None, None, True),
    ],
)
def test_an_estimate_has_moved_when_it_leaves_the_old_interval(make_record, interval, estimate, moved):
    old = document([make_record(interval=interval)])
    new = document([make_record(interval=None, estimate=estimate)])
    assert bool(compare(old, new).moved) is moved


def test_what_became_worst_comes_first_and_a_title_names_three_and_counts_the_others(make_record):
    steps = {
        "sober.up": ("contradicted", "reproduced"),
        "sober.down": ("reproduced", "weaker"),
        "sober.better": ("absent", "reproduced"),
        "sober.deep": ("reproduced", "contradicted"),
        "sober.nearer": ("absent", "weaker"),
        "sober.same": ("absent", "absent"),
    }
    old, new = (document([make_record(claim=c, verdict=v[i]) for c, v in steps.items()]) for i in (0, 1))
    changes = compare(old, new)
    names = ["deep", "down", "nearer", "better", "up"]
    assert [step.claim for step in changes.headings] == [f"sober.{name}" for name in names]
    assert str(changes).endswith("sober.nearer: absent -> weaker and 2 more")


def test_what_came_and_went_is_told(make_record):
    old, new = document([make_record(claim="sober.a")]), document([make_record(claim="sober.b")])
    changes = compare(old, new)
    assert str(changes) == "sober.a: reproduced -> gone and sober.b: new -> reproduced"
    assert (changes.added, changes.removed) == (1, 1)


def test_of_a_partial_report_only_what_both_judged_is_compared(make_record):
    records = [make_record(claim="sober.a"), make_record(claim="sober.b")]
    part = document([records[1] | {"verdict": "absent"}], complete=False)
    for pair in ((document(records), part), (part, document(records))):
        assert [step.claim for step in compare(*pair).headings] == ["sober.b"]
        assert (compare(*pair).added, compare(*pair).removed) == (0, 0)
    assert "Compared: 1 finding that both judge; 1 only in OLD, 0 only in NEW" in difference_lines(
        compare(document(records), part)
    )


def test_a_verdict_on_a_part_of_the_cases_is_no_change(make_record):
    cases = [
        make_record(params={"metric": m}, nodeid=f"n[{m}]", verdict=v)
        for m, v in (("a", "reproduced"), ("b", "absent"))
    ]
    whole, part = document(cases), document(cases[:1], complete=False)
    for pair in ((whole, part), (part, whole)):
        lines = difference_lines(compare(*pair))
        assert lines[0] == "No heading changed"
        assert "Compared: 0 findings that both judge; 0 only in OLD, 0 only in NEW; 1 on other cases" in lines
    assert str(compare(whole, document(cases[:1]))) == f"{cases[0]['claim']}: absent -> reproduced"
    assert trends([("a", whole), ("b", part), ("c", whole)]) == {cases[0]["claim"]: [("a", "absent")]}
    assert len(trends([("a", whole), ("b", document(cases[:1]))])[cases[0]["claim"]]) == 2


def test_what_a_report_says_cannot_command_the_terminal(make_record):
    report = document([make_record(claim="sober.\x1b[2Jx")]) | {"provenance": {"commit": "\x1b]0;owned\x07"}}
    assert all(line.isprintable() for line in history_lines([("a", report), ("b", report)]))


def test_a_report_of_unknown_origin_is_listed_by_a_name_that_cannot_command_either(tmp_path, make_record):
    (tmp_path / "a\x1b[2Jb.json").write_text(json.dumps(build_document([make_record()])))
    assert history_lines(read_history(tmp_path)) == ["1 finding never changed", "ab: 1 finding"]


def test_a_test_is_the_same_from_a_checkout_and_from_a_wheel(make_record):
    named = [document([make_record(nodeid=f"{at}irs/t.py::t")]) for at in ("", "claims/", "dbench_claims/", "mine/")]
    assert [compare(named[1], other).same for other in named] == [1, 1, 1, 0]


def test_reports_that_share_nothing_say_so(make_record):
    old, new = (document([make_record(claim=claim)], complete=False) for claim in ("sober.a", "sober.b"))
    assert difference_lines(compare(old, new))[0] == "The reports share no finding"


@pytest.fixture
def folder(tmp_path, reports):
    """Three reports: a folder, as sessions write it, and two files."""
    write_report(tmp_path / "2026-11-18", reports("2026-11-18"))
    for day, verdict in (("2026-11-19", "weaker"), ("2026-11-20", "absent")):
        (tmp_path / f"{day}.json").write_text(json.dumps(reports(day, verdict=verdict)))
    return tmp_path


def test_a_verdict_that_returns_is_a_step_of_its_own(make_record):
    seen = [("a", "reproduced"), ("b", "weaker"), ("c", "reproduced"), ("d", "reproduced")]
    history = [(name, document([make_record(claim="udr.b", verdict=verdict)])) for name, verdict in seen]
    assert trends(history)["udr.b"] == [("c", "reproduced"), ("b", "weaker"), ("a", "reproduced")]
    assert history_lines(history)[0] == "udr.b: reproduced since c, weaker since b, reproduced since a"


def test_a_history_is_read_in_the_order_of_time(folder):
    history = read_history(folder)
    assert [name for name, _ in history] == ["2026-11-18", "2026-11-19", "2026-11-20"]
    assert trends(history)["sober.a"] == [("2026-11-18", "reproduced")]
    lines = history_lines(history)
    assert lines[0] == "udr.b: absent since 2026-11-20, weaker since 2026-11-19, reproduced since 2026-11-18"
    assert lines[1] == "2 findings never changed"
    assert lines[2].startswith("2026-11-20: 3 findings, commit 3f2c9d1e, 2026-11-20")


def test_a_folder_without_reports_is_a_wrong_argument(tmp_path):
    with pytest.raises(InvalidInput, match="history must be a folder with reports"):
        read_history(tmp_path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--figures", "."], "--figures are for a --page, got none"),
        (["--figures", ".", "--page", "page.html"], "--figures must be a folder with a figures.json, got '.'"),
        (["--page", "2026-11-21.json"], "--page must be a page (NAME.html), got '2026-11-21.json'"),
    ],
)
def test_a_page_that_cannot_be_written_as_asked_is_refused(folder, monkeypatch, options, message):
    monkeypatch.chdir(folder)
    result = CliRunner().invoke(main, ["report", "history", ".", *options])
    assert (result.exit_code, message in result.output) == (2, True)


def test_a_damaged_report_of_a_history_is_named(folder):
    (folder / "2026-11-19.json").write_text("{")
    with pytest.raises(DamagedData, match=r"2026-11-19\.json is not strict JSON"):
        read_history(folder)
