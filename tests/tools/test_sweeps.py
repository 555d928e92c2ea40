"""The page of sweeps: every quick metric has its rows and its figure, and the worlds are what they are called."""

import re
from pathlib import Path

import numpy as np
import pytest
import sweeps

from dbench.scoring.plan import PLAN

DOCS = Path(__file__).parents[2] / "docs"
TEXT = (DOCS / "sweeps.md").read_text(encoding="utf-8")


def sections():
    return {part.partition("\n")[0]: part for part in TEXT.split("\n## ")[1:]}


def test_every_quick_metric_has_a_row_in_each_table_and_a_figure():
    names = {item.name for item in sweeps.swept()}
    assert {"mig", "dci[forest]", "mcc", "r2[nonlinear]"} <= names
    for title in ("Noise", "Copies beside noise", "Copies of factors that depend", "Cost"):
        assert set(re.findall(r"^\| `(.+?)` \|", sections()[title], re.MULTILINE)) == names, title
    drawn = {sweeps.file_of(name) for name in names}
    assert {path.name for path in (DOCS / "sweeps").glob("*.svg")} == drawn
    assert set(re.findall(r"\(sweeps/(.+?)\)", TEXT)) == drawn


@pytest.mark.parametrize("name", ["mig", "mcc", "r2"])
def test_the_page_says_what_is_measured(name):
    row = re.search(rf"^\| `{name}` \| (.+) \|$", sections()["Copies of factors that depend"], re.MULTILINE)
    written = [float(cell) for cell in row[1].split(" | ")]
    found = [sweeps.measure(PLAN[name], point)[1] for point in sweeps.KINDS]
    assert written == pytest.approx(found, abs=2e-3)


def test_what_another_seed_moves_is_read_off_the_shipped_table():
    assert sweeps.reseeding() in TEXT


def test_copies_hold_the_factors_and_noise_nothing():
    noise, copies = sweeps.worlds((2000, 6, "independent"), 0)
    both = np.abs(np.corrcoef(copies.codes.T, copies.factors.T))[:6, 6:]
    np.testing.assert_allclose(np.diag(both), 1)
    assert np.abs(np.corrcoef(noise.codes.T, noise.factors.T))[:6, 6:].max() < 0.1


@pytest.mark.parametrize(("kind", "low", "high"), [("independent", 0, 0.05), ("correlated", 0.5, 0.8)])
def test_factors_depend_as_they_are_called(kind, low, high):
    factors = sweeps.factors_of(kind, 5000, np.random.default_rng(0))
    assert low <= abs(np.corrcoef(factors.T)[0, 1]) <= high


def test_a_metric_that_is_not_defined_there_has_no_number():
    assert all(np.isnan(sweeps.measure(PLAN["explicitness"], (100, 5, "continuous"), 1)))
