"""The end of a session in the terminal."""

import pytest

from dbench.report import VERDICTS, build_document, summary_lines


@pytest.mark.parametrize("verbose", [False, True])
@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_no_line_is_wider_than_the_terminal(sample, width, verbose):
    lines = summary_lines(sample, width=width, verbose=verbose)
    assert max(map(len, lines)) <= width


def test_only_what_is_not_reproduced_is_listed_unless_all_is_asked_for(sample):
    brief, full = ("\n".join(summary_lines(sample, verbose=verbose)) for verbose in (False, True))
    assert "udr.lasso-not-worse-than-spearman" in brief
    assert "udr.correlates-with-supervised" not in brief
    assert "udr.correlates-with-supervised" in full
    assert "test_retrained_runs_agree" not in brief
    assert "test_retrained_runs_agree" in full


def test_the_worst_come_first_within_a_paper(sample):
    lines = summary_lines(sample, verbose=True)
    found = [line.strip().partition("  ")[0] for line in lines if " sober." in line and line.startswith("  ")]
    assert found == sorted(found, key=VERDICTS.index, reverse=True)
    assert found[0] == "broken"


def test_a_finding_that_is_not_reproduced_has_one_line(make_record):
    records = [make_record(verdict="weaker"), *(make_record(role="cell", params={"i": i}) for i in range(60))]
    lines = summary_lines(build_document(records))
    assert lines == [
        "Of 1 finding on trained models, tested again, 1 is weaker than said.",
        "1 finding: 1 on trained models (1 weaker).",
        "",
        "A Sober Look (Locatello et al., JMLR 2020)",
        "  1 finding: 1 weaker",
        "  weaker       sober.tc-sampled-falls         -0.620 [-0.710, -0.530] (< -0.1)",
        "",
    ]


def test_the_famous_claims_that_failed_come_first_with_why(sample):
    lines = summary_lines(sample)
    start = lines.index("Famous claims that failed or are weaker than said, and why:")
    assert lines[start + 1] == "  absent       irs.monotone: The score falls by 0.07, where 0.5 is asked."
    assert start < lines.index("A Sober Look (Locatello et al., JMLR 2020)")


def test_what_is_not_tested_says_whole_why(make_record):
    reason = "needs shapes3d without combinations of factor values, got another data set"
    lacking = make_record(claim="irs.a", verdict="not tested", estimate=None, interval=None, reason=reason)
    lines = summary_lines(build_document([lacking]))
    assert lines[5:7] == [
        "  not tested   irs.a                          needs shapes3d without",
        "               combinations of factor values, got another data set",
    ]


def test_verbosely_the_whole_reason_and_the_notes_are_told(make_record):
    reason = "No model holds more than two of the factors, " * 9 + "so that nothing can be asked"
    probe = make_record(role="probe", part="the converse", verdict="contradicted")
    lines = summary_lines(build_document([make_record(verdict="not tested", reason=reason), probe]), verbose=True)
    text = " ".join(" ".join(lines).split())
    assert reason in text
    assert "Probe, not the paper's (the converse), on trained models: contradicted." in text


def test_what_was_not_expected_is_listed_with_what_was(make_record):
    record = make_record(expected="weaker", unexpected=True, role="cell")
    lines = summary_lines(build_document([make_record(), record]))
    assert "  1 finding: 1 reproduced; 1 unexpected" in lines
    assert "! sober.tc-sampled-falls (zoo): reproduced, unexpected: 'weaker' was expected" in lines


def test_the_page_comes_last_and_whole_and_the_other_files_by_name(sample):
    folder = "reports/" + "deep/" * 30
    lines = summary_lines(sample, paths=[f"{folder}{name}" for name in ("index.html", "report.md", "report.json")])
    assert lines[-2:] == [f"wrote {folder}index.html", "beside it report.md and report.json"]


def test_a_failed_check_is_listed():
    check = {"nodeid": "claims/test_a.py::test_b", "outcome": "failed", "detail": "runs differ", "seconds": 1.0}
    lines = summary_lines(build_document([], checks=[check]))
    assert lines == [
        "check failed claims/test_a.py::test_b: runs differ",
        "nothing was judged",
        "checks beside the claims: 1 failed",
    ]


def test_escape_sequences_in_a_record_do_not_reach_the_terminal(make_record):
    record = make_record(verdict="broken", estimate=None, interval=None, reason="\x1b]0;title\x07\x1b[2Jgone\r\nline")
    for verbose in (False, True):
        lines = summary_lines(build_document([record]), verbose=verbose)
        assert not any(ord(sign) < 32 for line in lines for sign in line)
