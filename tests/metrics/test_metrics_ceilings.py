from functools import partial

import numpy as np
import pytest

from dbench.codes import Sample
from dbench.metrics import exact_copies, irs, med, mig, modularity, sap, shuffled, snc
from dbench.metrics.ceilings import between

SIZES = (3, 6, 40, 32, 32)


@pytest.fixture(scope="module")
def many_valued():
    """Exact copies of factors of many values beside idle codes, and noise; 4,000 observations."""
    rng = np.random.default_rng(5)
    factors = np.stack([rng.integers(size, size=4000) for size in SIZES], axis=1)
    exact = (factors - factors.mean(axis=0)) / factors.std(axis=0)
    copies = np.concatenate([exact, 0 * exact], axis=1)
    return {"copies": Sample(copies, factors), "noise": Sample(rng.normal(size=(4000, 10)), factors)}


@pytest.mark.parametrize("points", [60, 900])
def test_the_ceiling_of_snc_has_bins_of_the_size_asked_for(many_valued, points):
    result = snc(many_valued["copies"], min_bin_size=points)
    assert result.details["ceiling"] == pytest.approx(result.value, abs=0.01)


@pytest.mark.parametrize(
    ("metric", "highest", "name"),
    [
        (mig, 0.93, "mig["),
        (sap, 0.35, "sap[svm,"),
        (snc, 0.99, "snc["),
        (med, 0.95, "med["),
        (partial(irs, bins=20), 0.99, "irs["),
    ],
)
def test_exact_copies_reach_the_ceiling_that_is_stated_and_1_when_corrected(many_valued, metric, highest, name):
    result = metric(many_valued["copies"])
    assert result.value < highest
    assert result.details["ceiling"] == pytest.approx(result.value, abs=0.01)
    corrected = metric(many_valued["copies"], corrected=True)
    assert corrected.value == pytest.approx(1.0, abs=0.02)
    assert corrected.metric == f"{name}corrected]"


@pytest.mark.parametrize("metric", [mig, sap, snc, med])
def test_noise_scores_what_is_stated_for_chance_and_nearly_0_when_corrected(many_valued, metric):
    result = metric(many_valued["noise"])
    assert result.details["chance"] == pytest.approx(result.value, abs=0.02)
    assert metric(many_valued["noise"], corrected=True).value < 0.08


def test_modularity_states_the_level_that_the_bias_of_noise_reaches(many_valued):
    noise = modularity(many_valued["noise"])
    assert noise.value > 0.5
    assert noise.details["chance"] == pytest.approx(noise.value, abs=0.03)
    assert modularity(many_valued["copies"]).details["ceiling"] == pytest.approx(1.0, abs=0.01)


def test_copies_are_by_rank_so_that_labels_do_not_matter():
    labels = np.array([[7, 0], [-3, 1], [1000, 0], [7, 1]])
    copies = exact_copies(Sample(np.zeros((4, 1)), labels))
    assert copies.codes[:, 0] == pytest.approx(np.array([0, -1, 1, 0]) * np.sqrt(2))
    assert copies.codes.std(axis=0) == pytest.approx([1, 1])
    huge = exact_copies(Sample(np.zeros((3, 1)), np.array([[-1.7e308], [1.7e308], [0.0]])))
    assert np.isfinite(huge.codes).all()


def test_shuffled_codes_are_the_same_codes_without_their_factors():
    rng = np.random.default_rng(0)
    sample = Sample(rng.normal(size=(50, 2)), rng.integers(3, size=(50, 1)))
    shuffled_sample = shuffled(sample, rng)
    assert sorted(map(tuple, shuffled_sample.codes)) == sorted(map(tuple, sample.codes))
    assert shuffled_sample.codes.tolist() != sample.codes.tolist()
    np.testing.assert_array_equal(shuffled_sample.factors, sample.factors)


def test_a_protocol_that_tells_nothing_corrects_to_0():
    assert between([0.3, 0.3], [0.3, 0.5], [0.3, 0.4]).tolist() == [0.0, 0.0]
