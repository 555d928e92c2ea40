"""What a colleague would remark: each caution where its constant says that it begins, and not beside."""

from dataclasses import replace

import numpy as np
import pytest

import dbench
from dbench.codes import Sample
from dbench.scoring import compute, inputs

RNG = np.random.default_rng(0)
FACTORS = RNG.integers(4, size=(2_000, 2))
CODES = FACTORS + 0.3 * RNG.normal(size=(2_000, 2))


def said(codes, factors=FACTORS):
    codes = np.asarray(codes, dtype=float)
    names = tuple(f"z{i}" for i in range(codes.shape[1]))
    return " ".join(inputs.of_codes(Sample(codes, factors[: len(codes)]), names))


def test_of_sound_codes_nothing_is_said():
    assert said(CODES) == ""
    assert said(np.c_[CODES, np.zeros(2_000), RNG.normal(size=2_000)]) == ""
    assert said(FACTORS) == ""  # copies of labels, beside labels


@pytest.mark.parametrize(("rows", "words"), [(19, "Only 19 rows"), (20, "no more rows (20) than codes (20)"), (21, "")])
def test_twenty_rows_say_something_and_one_more_than_codes_lets_predictors_err(rows, words):
    text = said(RNG.normal(size=(rows, 20)))
    assert words in text
    assert bool(text) == bool(words) or "Nearly singular" in text


@pytest.mark.parametrize("deviation", [0.0, 0.005])
def test_codes_that_follow_from_the_others_are_named(deviation):
    third = CODES.sum(axis=1) + deviation * RNG.normal(size=2_000)
    text = said(np.c_[CODES, RNG.normal(size=2_000), third])
    assert "Nearly singular codes" in text
    assert [f"z{i} (" in text for i in range(4)] == [True, True, False, True]


def test_codes_follow_from_others_from_a_share_of_999_in_1000_on_and_ten_are_named(monkeypatch):
    for share, named in ((0.9985, False), (0.9995, True)):
        first, rest = RNG.normal(size=(2, 2_000))
        second = np.sqrt(share) * first + np.sqrt(1 - share) * rest  # their correlation in squares is the share
        assert ("Nearly singular" in said(np.c_[first, second])) is named
    many = np.repeat(RNG.normal(size=(2_000, 6)), 2, axis=1)
    assert said(many).count("(1.00000)") == 10
    monkeypatch.setattr(inputs, "MOST", 12)
    assert "Nearly singular" in said(many)
    monkeypatch.setattr(inputs, "MOST", 11)
    assert said(many) == ""
    assert inputs.explained(np.c_[RNG.normal(size=50), np.zeros(50)]).tolist() == [0, 0]
    codes = RNG.normal(size=(50, 3)).cumsum(axis=1)
    for unit in (2.0**1018, 2.0**-1000):
        np.testing.assert_allclose(inputs.explained(codes * unit), inputs.explained(codes))


@pytest.mark.parametrize(
    ("rows", "values", "like"), [(1_000, 100, True), (2_000, 101, False), (500, 50, True), (500, 51, False)]
)
def test_labels_are_whole_numbers_of_a_hundred_values_at_most_each_ten_times(rows, values, like):
    codes = (np.arange(rows) % values).astype(float)
    factors = RNG.normal(size=(rows, 1))
    assert ("are they swapped? Codes come first." in said(codes[:, None], factors)) is like
    assert "swapped" not in said(codes[:, None] + 0.5, factors)
    assert "swapped" not in said(np.c_[codes, codes + 0.5], factors)
    assert "swapped" not in said(codes[:, None], np.c_[factors, np.arange(rows) % 3])


def test_swapped_arguments_are_noticed_where_they_are_scored():
    assert "swapped" in " ".join(dbench.score(FACTORS, CODES, metrics=["mig"], repeats=0).file.notes)


@pytest.mark.parametrize(
    ("name", "chance", "copies", "warned"),
    [
        ("mig", 0.9, 1.0, True),
        ("mig", 0.89, 1.0, False),
        ("mig", 0.6, 0.1, True),
        ("mig", -1.0, -0.95, True),
        ("mig", -1.0, -0.85, False),
        ("mig", None, 1.0, False),
        ("mig", 1.0, None, False),
        ("code_mutual_information", 1.0, 0.91, True),
        ("code_mutual_information", 1.0, 0.89, False),
        ("code_mutual_information", 0.5, 1.0, True),
        ("code_mutual_information", 0.0, 0.0, True),
    ],
)
def test_chance_and_copies_are_told_apart_by_more_than_a_tenth_of_the_larger(name, chance, copies, warned):
    (result,) = dbench.score(CODES[:600], FACTORS[:600], metrics=[name], repeats=0).results
    assert not result.warnings
    words = f"chance ({chance:.3f}) is as high as exact copies ({copies:.3f})" if warned else ""
    found = " ".join(compute.scale_cautions(replace(result, chance=chance, copies=copies)))
    assert found.partition(":")[0] == words


def test_a_metric_whose_chance_is_as_high_as_copies_is_named():
    (few,) = dbench.score(CODES[:3], FACTORS[:3], metrics=["explicitness"]).results
    assert "chance (0.500) is as high as exact copies (0.500): it tells nothing of these factors" in few.warnings
