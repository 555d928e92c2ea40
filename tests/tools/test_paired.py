"""The page of how often a comparison errs: its rows, and each null in small. The whole takes an hour."""

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


def rows(part):
    return {name: cells.split(" | ") for name, cells in ROW.findall(part)}


def parts():
    *_, of_rows, seeds = TEXT.split("\n## ")
    quick, fitted = of_rows.split("Metrics that fit predictors")
    return rows(quick), rows(fitted), rows(seeds)


def test_every_quick_metric_was_tried():
    quick, fitted, _ = parts()
    assert set(quick) == {item.name for item in QUICK.items}
    assert set(fitted) == {item.name for item in FITTED.items}
    assert {*quick, *fitted} == {
        item.name for item in PLAN.values() if item.speed == "fast" and item.needs in ("sample", "source")
    }


@pytest.mark.parametrize("place", [0, 1, 2], ids=["rows", "fitted", "seeds"])
def test_no_difference_is_told_apart_in_about_one_case_of_twenty(place):
    for name, cells in parts()[place].items():
        (cell,) = (one for one in cells[:2] if "[" in one) if place == 2 else (cells[0],)
        _, low, _ = map(float, SHARE.fullmatch(cell).groups())
        assert low <= 5, f"{name} errs in {cell}"


def test_strengths_are_told_apart_as_often_as_power_says():
    for name, (_, *cells) in parts()[0].items():
        assert len(cells) == 6
        for told, predicted, _ in (cells[:3], cells[3:]):
            _, low, high = map(float, SHARE.fullmatch(told).groups())
            assert low - 10 <= float(predicted.rstrip("%")) <= high + 10, name


def test_what_other_seeds_move_is_as_the_page_says():
    _, _, seeds = parts()
    assert seeds == {row[0].strip("`"): row[1:] for row in paired.retraining()}


def few(plan, names, **fields):
    return replace(plan, items=tuple(item for item in plan.items if item.name in names), **fields)


@pytest.mark.long
def test_swapped_rows_are_rarely_told_apart_and_two_strengths_are():
    plan = few(QUICK, ("sap[r2]", "gaussian_total_correlation"), rows=200, repeats=8, tries=12)
    null, power = (list(paired.tries_of(plan, what)) for what in ("null", "power"))
    most = stats.binom.isf(1e-3, plan.tries, 0.05)
    assert max(paired.shares(plan, null).values()) <= most
    assert paired.any_told(plan, null) <= most
    assert paired.shares(plan, power)["gaussian_total_correlation"] > most  # of R squared the two do not differ


def test_a_run_that_was_interrupted_goes_on(tmp_path, monkeypatch):
    plan = few(QUICK, ("sap[r2]",), rows=60, repeats=2, tries=3)
    whole = paired.kept_tries(plan, "null", tmp_path / "tries")
    monkeypatch.setattr(paired, "tried", None)  # nothing is tried again
    assert paired.kept_tries(plan, "null", tmp_path / "tries") == [
        {name: list(pair) for name, pair in one.items()} for one in whole
    ]
