"""The end of a session in the terminal."""

from __future__ import annotations

import pytest

from dbench.report import build_document, summary_lines


@pytest.mark.parametrize("verbose", [False, True])
@pytest.mark.parametrize("width", [40, 80, 120, 200])
def test_no_line_is_wider_than_the_terminal(sample, width, verbose):
    lines = summary_lines(sample, width=width, verbose=verbose)
    assert max(map(len, lines)) <= width


def test_only_deviations_are_listed_unless_all_are_asked_for(sample):
    brief, full = ("\n".join(summary_lines(sample, verbose=verbose)) for verbose in (False, True))
    assert "udr.lasso-not-worse-than-spearman" in brief
    assert "udr.invariances" not in brief
    assert "udr.invariances" in full
    assert "test_retrained_runs_agree" not in brief
    assert "test_retrained_runs_agree" in full


def test_the_worst_come_first_within_a_paper(sample):
    lines = summary_lines(sample, verbose=True)
    symbols = [
        line.strip()[0] for line in lines if line.startswith(("  F sober", "  N sober", "  ? sober", "  R sober"))
    ]
    assert symbols == sorted(symbols, key="FN?R".index)
    assert set(symbols) == set("FN?R")


def test_a_row_says_what_decided(make_record):
    record = make_record(
        claim="irs.monotone",
        verdict="not reproduced",
        estimate=0.31,
        interval=[0.22, 0.4],
        bound=0.5,
        margin=0.1,
        direction="above",
        printed="0.98",
        printed_agrees=False,
        reason="the interval lies wholly below 0.5",
    )
    text = "\n".join(summary_lines(build_document([record])))
    for part in (
        "Interventional Robustness Score (Suter et al., ICML 2019)",
        "N irs.monotone (zoo)",
        "0.310 [0.220, 0.400] against > 0.5 + 0.1",
        "n 30 seeds",
        "printed 0.98 (differs)",
        "1.2 s",
        "the interval lies wholly below 0.5",
    ):
        assert part in text


def test_a_verdict_that_became_better_is_still_listed(make_record):
    lines = summary_lines(build_document([make_record(expected="not reproduced", verdict="reproduced")]))
    assert any("unexpected: not reproduced was expected" in line for line in lines)
    assert any("1 reproduced; 1 unexpected" in line for line in lines)


def test_the_time_stays_visible_beside_a_long_printed_figure(make_record):
    record = make_record(verdict="inconclusive", printed="a long figure " * 20, seconds=12.0)
    assert any(line.endswith("12 s") for line in summary_lines(build_document([record])))


def test_the_paths_written_come_last_and_whole(sample):
    path = "reports/" + "deep/" * 30 + "index.html"
    assert summary_lines(sample, paths=[path])[-1] == f"wrote {path}"


def test_a_failed_check_is_listed():
    check = {"nodeid": "claims/test_a.py::test_b", "outcome": "failed", "detail": "runs differ", "seconds": 1.0}
    lines = summary_lines(build_document([], checks=[check]))
    assert lines == ["check failed claims/test_a.py::test_b: runs differ", "no records"]


def test_escape_sequences_in_a_record_do_not_reach_the_terminal(make_record):
    record = make_record(verdict="broken", estimate=None, interval=None, reason="\x1b]0;title\x07\x1b[2Jgone\r\nline")
    assert not any(ord(sign) < 32 for line in summary_lines(build_document([record])) for sign in line)


def test_a_long_name_goes_on_in_the_next_line(make_record):
    record = make_record(claim="sober." + "long-" * 13 + "end", params={"metric": "dci"}, verdict="inconclusive")
    lines = summary_lines(build_document([record]))
    assert "  ? " + record["claim"] in lines[2]
    assert "metric=dci" in lines[3]
