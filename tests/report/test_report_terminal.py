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
    symbols = [line.strip()[0] for line in lines if line[2:3] in set("FN?R") and line[4:9] == "sober"]
    assert symbols == list("FNNRRR")


def test_a_finding_has_one_line_and_at_most_three_of_its_deviating_records(make_record):
    verdicts = ["not reproduced"] * 4 + ["inconclusive"] + ["reproduced"] * 58
    records = [make_record(params={"i": i}, verdict=verdict) for i, verdict in enumerate(verdicts)]
    brief, full = (summary_lines(build_document(records), verbose=verbose) for verbose in (False, True))
    finding = next(i for i, line in enumerate(brief) if line.startswith("  N sober.tc-sampled-falls (zoo):"))
    assert brief[finding + 1].strip() == "4 not reproduced, 1 inconclusive, 58 reproduced"
    assert sum(line.startswith("    N i=") for line in brief) == 3
    assert brief[-2:] == ["    ... and 2 more; -v shows all", ""]
    assert sum(line[:8] in ("    N i=", "    ? i=", "    R i=") for line in full) == 63
    assert not any("more; -v" in line for line in full)


def test_a_finding_of_one_record_needs_no_line_to_tell_it_apart(make_record):
    lines = summary_lines(build_document([make_record(verdict="inconclusive")]))
    assert lines[2:4] == [
        "  ? sober.tc-sampled-falls (zoo): inconclusive",
        "      -0.620 [-0.710, -0.530] against < 0 - 0.1  n 30 seeds  1.2 s",
    ]


def test_what_would_settle_it_is_said_without_the_numbers_again(make_record):
    reason = "-0.62 [-0.71, -0.53], n = 30; rule: interval below -0.1; about n = 74 would settle it"
    lines = summary_lines(build_document([make_record(verdict="inconclusive", reason=reason)]))
    assert "      about n = 74 would settle it" in lines
    assert not any("rule:" in line for line in lines)


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
    ):
        assert part in text


def test_a_verdict_that_became_better_is_still_listed(make_record):
    lines = summary_lines(build_document([make_record(expected="not reproduced", verdict="reproduced")]))
    assert any("unexpected: not reproduced was expected" in line for line in lines)
    assert "  1 finding: 1 reproduced; 1 unexpected" in lines


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
    record = make_record(part="word " * 16, params={"metric": "dci"}, verdict="inconclusive")
    lines = summary_lines(build_document([record]))
    assert lines[3].startswith("    ? word")
    assert lines[4].endswith("metric=dci")
