"""A ranking counts the comparisons with others, and says how much they tell."""

import numpy as np
import pytest

from dbench.errors import InvalidInput
from dbench.metrics.udr import udr_agreements
from dbench.scoring.ranking import CodesAlone, rank_models


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


def test_of_constant_codes_none_is_best_and_of_equal_ones_the_first_comes_first():
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
