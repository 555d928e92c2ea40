"""What is said of codes, scores and rankings begins where its constant says, and counts what it says."""

from dataclasses import replace

import numpy as np
import pytest

import dbench
from dbench.codes import Sample
from dbench.errors import InvalidInput
from dbench.metrics.udr import udr_agreements
from dbench.scoring import compute, inputs
from dbench.scoring.ranking import CodesAlone, rank_models

RNG = np.random.default_rng(0)


def said(codes, factors=None) -> str:
    codes = np.asarray(codes, dtype=float)
    labels = np.arange(len(codes))[:, None] % 2 if factors is None else factors
    return " ".join(inputs.of_codes(Sample(codes, np.asarray(labels)), tuple(f"z{i}" for i in range(codes.shape[1]))))


@pytest.mark.parametrize(("rows", "words"), [(19, "Only 19 rows"), (20, "no more rows (20) than codes (20)"), (21, "")])
def test_twenty_rows_say_something_and_one_more_than_codes_lets_predictors_err(rows, words):
    text = said(RNG.normal(size=(rows, 20)))
    assert words in text
    assert bool(text) == bool(words) or "Nearly singular" in text


def test_codes_follow_from_others_from_a_share_of_999_in_1000_on_and_ten_are_named(monkeypatch):
    factors = RNG.integers(4, size=(3_000, 2))
    for share, named in ((0.9985, False), (0.9995, True)):
        first, rest = RNG.normal(size=(2, 3_000))
        second = np.sqrt(share) * first + np.sqrt(1 - share) * rest  # their correlation in squares is the share
        assert ("Nearly singular" in said(np.c_[first, second], factors)) is named
    many = np.repeat(RNG.normal(size=(3_000, 6)), 2, axis=1)
    assert said(many, factors).count("(1.00000)") == 10
    monkeypatch.setattr(inputs, "MOST", 12)
    assert "Nearly singular" in said(many, factors)
    monkeypatch.setattr(inputs, "MOST", 11)
    assert said(many, factors) == ""
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
    assert ("are they swapped" in said(codes[:, None], factors)) is like
    assert "swapped" not in said(codes[:, None] + 0.5, factors)
    assert "swapped" not in said(codes[:, None], np.c_[factors, np.arange(rows) % 3])


@pytest.mark.parametrize(
    ("name", "chance", "copies", "warned"),
    [
        ("mig", 0.9, 1.0, True),
        ("mig", 0.89, 1.0, False),
        ("mig", -1.0, -0.95, True),
        ("mig", -1.0, -0.85, False),
        ("code_mutual_information", 1.0, 0.91, True),
        ("code_mutual_information", 1.0, 0.89, False),
        ("code_mutual_information", 0.5, 1.0, True),
    ],
)
def test_chance_and_copies_are_told_apart_by_more_than_a_tenth_of_the_larger(name, chance, copies, warned):
    codes = RNG.normal(size=(60, 2))
    result = dbench.score(codes, RNG.integers(2, size=(60, 2)), metrics=[name], repeats=0).results[0]
    assert bool(list(compute.scale_cautions(replace(result, chance=chance, copies=copies)))) is warned


def models(number, logvar=False) -> list[CodesAlone]:
    """Codes of one base, each with noise of its own."""
    stream = np.random.default_rng(number)
    base = stream.normal(size=(200, 3))
    posterior = np.full(base.shape, -3.0) if logvar else None
    return [CodesAlone(f"m{i}", base + 0.5 * stream.normal(size=base.shape), posterior, ()) for i in range(number)]


def test_a_ranking_is_of_medians_and_quartiles_of_the_comparisons_with_others():
    found = rank_models(models(4), relation="spearman")
    codes = np.stack([model.codes for model in models(4)])
    known = udr_agreements(codes, np.ones((4, 3), dtype=bool), relation="spearman")
    np.testing.assert_allclose(found.agreements, known, atol=1e-12)
    for i in range(4):
        others = np.delete(found.agreements[i], i)
        assert found.scores[i] == np.median(others)
        assert found.spread[i] == pytest.approx(np.subtract(*np.percentile(others, [75, 25])))
    assert found.informative.tolist() == [3] * 4
    assert found.scores[found.order].tolist() == sorted(found.scores, reverse=True)
    assert found.best == found.scores.argmax()


def test_of_two_models_and_of_constant_codes_none_is_best_and_of_equal_ones_the_first_comes_first():
    assert rank_models(models(2), relation="spearman").best is None
    constant = [model._replace(codes=0 * model.codes) for model in models(3)]
    found = rank_models(constant, relation="spearman")
    assert (found.best, found.order.tolist(), found.informative.tolist()) == (None, [0, 1, 2], [0, 0, 0])
    with pytest.raises(InvalidInput, match="at least 2, to be compared with each other, got 1"):
        rank_models(models(1))


@pytest.mark.parametrize("number", [5, 6])
def test_a_ranking_says_how_few_comparisons_it_has_and_names_five_without_a_posterior(number):
    notes = " ".join(rank_models(models(number), relation="spearman").notes)
    assert ("Comparisons for each model: 4; the paper has five or more" in notes) is (number == 5)
    assert ("m4, ...:" in notes) is (number == 6)
    assert "m4" in notes
    assert "m5" not in notes
    assert "posterior" not in " ".join(rank_models(models(number, logvar=True), relation="spearman").notes)


def test_shorter_codes_are_filled_up_with_what_relates_to_nothing():
    whole = models(3)
    wider = [*whole[:2], whole[2]._replace(codes=np.c_[whole[2].codes, np.zeros((200, 2))])]
    first, second = (rank_models(group, relation="spearman") for group in (whole, wider))
    np.testing.assert_allclose(first.scores, second.scores)
    assert second.informative.tolist() == [3, 3, 3]
