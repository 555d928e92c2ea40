"""What a colleague would remark: each caution where it belongs, and not beside."""

from dataclasses import replace

import numpy as np
import pytest

import dbench
from dbench.codes import Sample
from dbench.scoring.compute import scale_cautions
from dbench.scoring.inputs import of_codes

RNG = np.random.default_rng(0)
FACTORS = RNG.integers(4, size=(2_000, 2))
CODES = FACTORS + 0.3 * RNG.normal(size=(2_000, 2))


def said(codes, factors=FACTORS):
    codes = np.asarray(codes, dtype=float)
    return " ".join(of_codes(Sample(codes, factors), tuple(f"z{i}" for i in range(codes.shape[1]))))


def test_of_sound_codes_nothing_is_said():
    assert said(CODES) == ""
    assert said(np.c_[CODES, np.zeros(2_000), RNG.normal(size=2_000)]) == ""
    assert said(FACTORS) == ""  # copies of labels, beside labels


@pytest.mark.parametrize("deviation", [0.0, 1e-6, 0.005])
def test_codes_that_follow_from_the_others_are_named(deviation):
    third = CODES.sum(axis=1) + deviation * RNG.normal(size=2_000)
    text = said(np.c_[CODES, RNG.normal(size=2_000), third])
    assert "Nearly singular codes" in text
    assert "z0 (" in text
    assert "z3 (" in text
    assert "z2 (" not in text


def test_codes_that_are_only_correlated_are_left_alone():
    assert said(np.c_[CODES, CODES.sum(axis=1) + 0.2 * RNG.normal(size=2_000)]) == ""


def test_swapped_arguments_are_noticed_by_what_they_look_like():
    assert said(FACTORS, CODES).endswith("are they swapped? Codes come first.")
    assert "swapped" not in said(np.c_[FACTORS[:, :1], CODES], CODES)  # some codes may be whole
    assert "swapped" in " ".join(dbench.score(FACTORS, CODES, metrics=["mig"], repeats=0).file.notes)


def test_few_rows_are_said_first_and_plainly():
    assert said(CODES[:3], FACTORS[:3]).startswith("Only 3 rows: no score means anything")
    wide = RNG.normal(size=(60, 60))
    assert said(wide, FACTORS[:60]).startswith("There are no more rows (60) than codes (60)")
    assert "rows" not in said(RNG.normal(size=(61, 20)), FACTORS[:61])


def test_a_metric_whose_chance_is_as_high_as_copies_is_named():
    scores = dbench.score(CODES, FACTORS, metrics=["code_mutual_information", "mig"])
    assert all(not result.warnings for result in scores.results)
    lower, higher = scores.results
    for result, chance, copies in ((higher, 1.0, 1.0), (higher, 0.5, 0.54), (higher, 0.6, 0.1), (lower, 0.0, 0.0)):
        (text,) = scale_cautions(replace(result, chance=chance, copies=copies))
        assert text.startswith(f"chance ({chance:.3f}) is as high as exact copies ({copies:.3f})")
    for result, chance, copies in ((higher, 0.5, 0.6), (lower, 0.6, 0.1), (higher, None, 1.0), (higher, 1.0, None)):
        assert not list(scale_cautions(replace(result, chance=chance, copies=copies)))
    few = dbench.score(CODES[:3], FACTORS[:3], metrics=["explicitness"]).results[0]
    assert "chance (0.500) is as high as exact copies (0.500): it tells nothing of these factors" in few.warnings
