"""The page ``docs/compare-errors.md``, and a small sample of the tries behind it; all of them take an hour."""

import re
from dataclasses import replace

import paired
import pytest
from scipy import stats

from dbench.scoring.plan import PLAN

TEXT = paired.PAGE.read_text(encoding="utf-8")
QUICK, FITTED = paired.plans()
ROW = re.compile(r"^\| `(.+?)` \| (.+) \|$", re.MULTILINE)
SHARE = re.compile(r"([\d.]+)% \[([\d.]+)%, ([\d.]+)%\]")


def cells_by_metric(section):
    return {name: cells.split(" | ") for name, cells in ROW.findall(section)}


def tables():
    *_, of_rows, seeds = TEXT.split("\n## ")
    quick, fitted = of_rows.split("Metrics that fit predictors")
    return {"rows": cells_by_metric(quick), "fitted": cells_by_metric(fitted), "seeds": cells_by_metric(seeds)}


def test_every_quick_metric_was_tried():
    tried = {item.name for item in PLAN.values() if item.speed == "fast" and item.needs in ("sample", "source")}
    assert set(tables()["rows"]) == {item.name for item in QUICK.items}
    assert set(tables()["fitted"]) == {item.name for item in FITTED.items}
    assert {*tables()["rows"], *tables()["fitted"]} == tried


@pytest.mark.parametrize("table", ["rows", "fitted", "seeds"])
def test_no_difference_is_told_apart_in_about_one_case_of_twenty(table):
    for name, cells in tables()[table].items():
        share = cells[1] if table == "seeds" else cells[0]  # a bound stands first in that of seeds
        _, low, _ = map(float, SHARE.fullmatch(share).groups())
        assert low <= 5, f"{name} errs in {share}"


def test_strengths_are_told_apart_as_often_as_power_says():
    for name, (_, *cells) in tables()["rows"].items():
        assert len(cells) == 6
        for told, predicted, _ in (cells[:3], cells[3:]):
            _, low, high = map(float, SHARE.fullmatch(told).groups())
            assert low - 10 <= float(predicted.rstrip("%")) <= high + 10, name


def test_what_other_seeds_move_is_as_the_page_says():
    assert tables()["seeds"] == {row[0].strip("`"): row[1:] for row in paired.retraining()}


def only(plan, names, **fields):
    return replace(plan, items=tuple(item for item in plan.items if item.name in names), **fields)


@pytest.mark.long
def test_swapped_rows_are_rarely_told_apart_and_two_strengths_are():
    plan = only(QUICK, ("sap[r2]", "gaussian_total_correlation"), rows=200, repeats=8, tries=12)
    null, power = (list(paired.tries_of(plan, what)) for what in ("null", "power"))
    most = stats.binom.isf(1e-3, plan.tries, 0.05)  # chance exceeds it once in a thousand
    assert max(paired.shares(plan, null).values()) <= most
    assert paired.any_told(plan, null) <= most
    # The strengths differ in total correlation, not in SAP of R squared.
    assert paired.shares(plan, power)["gaussian_total_correlation"] > most


def test_a_run_that_was_interrupted_goes_on(tmp_path, monkeypatch):
    plan = only(QUICK, ("sap[r2]",), rows=60, repeats=2, tries=3)
    whole = paired.kept_tries(plan, "null", tmp_path / "tries")
    monkeypatch.setattr(paired, "tried", None)  # nothing is tried again
    again = paired.kept_tries(plan, "null", tmp_path / "tries")
    assert again == [{name: list(pair) for name, pair in one.items()} for one in whole]
