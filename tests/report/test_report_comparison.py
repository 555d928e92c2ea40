"""Two reports side by side."""

from __future__ import annotations

import pytest

from dbench.report import build_document, compare, comparison_lines


def test_a_report_equals_itself(sample):
    comparison = compare(sample, sample)
    assert comparison.same
    assert comparison.unchanged == len(sample["records"])
    assert comparison_lines(comparison) == [f"{len(sample['records'])} unchanged"]


def test_changes_are_sorted_by_what_they_are(make_record):
    old = build_document(
        [
            make_record(claim="sober.a", verdict="inconclusive"),
            make_record(claim="sober.b"),
            make_record(claim="sober.c", estimate=0.1, interval=[0.0, 0.2]),
            make_record(claim="sober.d", estimate=0.1, interval=[0.0, 0.2]),
            make_record(claim="sober.e"),
        ]
    )
    new = build_document(
        [
            make_record(claim="sober.a", verdict="reproduced"),
            make_record(claim="sober.b", verdict="not reproduced"),
            make_record(claim="sober.c", estimate=0.5, interval=[0.3, 0.7]),
            make_record(claim="sober.d", estimate=0.15, interval=[0.1, 0.3]),
            make_record(claim="sober.f"),
        ]
    )
    comparison = compare(old, new)
    assert [change.new["claim"] for change in comparison.changed] == ["sober.b", "sober.a"]
    assert [change.worse for change in comparison.changed] == [True, False]
    assert [change.new["claim"] for change in comparison.moved] == ["sober.c"]
    assert [record["claim"] for record in comparison.added] == ["sober.f"]
    assert [record["claim"] for record in comparison.removed] == ["sober.e"]
    assert comparison.unchanged == 1
    lines = comparison_lines(comparison)
    assert [line for line in lines if line and line[0] != " "] == [
        "Changed verdicts (2)",
        "Moved estimates (1)",
        "Added (1)",
        "Removed (1)",
        "1 unchanged",
    ]
    assert "    reproduced -> not reproduced" in lines


@pytest.mark.parametrize(
    ("before", "after", "moved"),
    [
        ((0.5, None), (0.5, None), False),
        ((0.1 + 0.2, None), (0.3, None), False),
        ((0.5, None), (0.51, None), True),
        ((0.5, None), (0.4, [0.3, 0.55]), False),
        ((0.6, None), (0.4, [0.3, 0.55]), True),
        ((0.5, [0.4, 0.6]), (0.7, [0.6, 0.8]), False),
        ((None, None), (0.5, None), True),
        ((None, None), (None, None), False),
    ],
)
def test_an_estimate_moves_when_the_intervals_part(make_record, before, after, moved):
    old, new = (
        build_document([make_record(estimate=estimate, interval=interval)]) for estimate, interval in (before, after)
    )
    assert bool(compare(old, new).moved) is moved
    assert bool(compare(new, old).moved) is moved


def test_a_moved_file_is_not_a_removed_claim(make_record):
    old = build_document([make_record(nodeid="claims/a.py::test_x")])
    new = build_document([make_record(nodeid="claims/b/c.py::test_y")])
    assert compare(old, new).same


def test_tests_of_one_claim_are_told_apart_by_name(make_record):
    first, second = make_record(nodeid="a.py::test_one"), make_record(nodeid="a.py::test_two", estimate=0.9)
    both = build_document([first, second | {"interval": [0.8, 1.0]}])
    comparison = compare(both, build_document([second | {"interval": [0.8, 1.0]}]))
    assert [record["nodeid"] for record in comparison.removed] == ["a.py::test_one"]
    assert not comparison.added


def test_parameters_and_parts_make_records_their_own(make_record):
    old = build_document([make_record(params={"metric": "dci"}), make_record(part="alone")])
    new = build_document([make_record(params={"metric": "mig"}), make_record(part="together")])
    comparison = compare(old, new)
    assert (len(comparison.added), len(comparison.removed), comparison.unchanged) == (2, 2, 0)


def test_lines_keep_to_the_width(sample):
    empty = {**sample, "records": [], "findings": []}
    assert max(map(len, comparison_lines(compare(empty, sample), width=50))) <= 50
