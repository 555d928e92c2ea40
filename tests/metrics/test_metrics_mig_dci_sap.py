import numpy as np
import pytest

from dbench.codes import Sample
from dbench.metrics import dci, mig, sap


def test_mig_of_an_enumerated_distribution_is_the_value_worked_out_by_hand():
    # Two fair bits; code 0 is the first, code 1 equals the second with probability 3/4 and the first with 1/2.
    table = np.array([(a, b, a, b if right else 1 - b) for a in (0, 1) for b in (0, 1) for right in (1, 1, 1, 0)])
    result = mig(Sample(table[:, 2:], table[:, :2]))
    known = (np.log(2) + 0.75 * np.log(0.75) + 0.25 * np.log(0.25)) / np.log(2)
    assert result.per_factor == pytest.approx([1.0, known])
    assert result.value == pytest.approx((1 + known) / 2)


def test_mig_of_the_toy_models_of_appendix_a_is_the_printed_one(toy):
    assert mig(toy(0.5)).value == pytest.approx(0.1887, abs=0.0005)


def test_mig_of_exact_copies_with_more_values_than_bins_stays_below_1():
    rng = np.random.default_rng(0)
    factors = np.stack([rng.integers(size, size=15_000) for size in (3, 6, 40, 32, 32)], axis=1)
    sample = Sample(factors, factors)
    assert mig(sample).value == pytest.approx(0.90, abs=0.01)
    assert mig(sample, bins=1280).value > 0.98


def test_the_position_of_dead_codes_changes_nothing(worlds):
    for metric, options in ((mig, {}), (dci, {"estimator": "forest"})):
        first, last = metric(worlds["dead first"], **options), metric(worlds["dead"], **options)
        assert first.value == pytest.approx(last.value, abs=1e-6)
        assert first.value > 0.95


def test_dci_knows_exact_copies_from_rotations_and_noise(worlds):
    names = ("identity", "duplicated", "rotated", "noise")
    scores = {name: dci(worlds[name], estimator="forest").value for name in names}
    assert scores["identity"] > 0.98
    assert scores["duplicated"] > 0.98
    assert scores["rotated"] < 0.85
    assert scores["noise"] < 0.2


def test_boosted_trees_and_the_forest_rank_alike_and_are_named_apart(worlds):
    gbt, forest = ([dci(worlds[name], estimator=kind) for name in ("rotated", "dead")] for kind in ("gbt", "forest"))
    assert {score.metric for score in gbt} == {"dci"}
    assert {score.metric for score in forest} == {"dci[forest]"}
    assert gbt[0].value < gbt[1].value
    assert forest[0].value < forest[1].value
    assert gbt[1].details["informativeness"] == 1.0


def test_informativeness_is_taken_on_the_test_part(worlds):
    details = dci(worlds["noise"], estimator="forest").details
    assert details["informativeness"] == pytest.approx((1 / 3 + 1 / 4 + 1 / 5) / 3, abs=0.05)
    assert details["informativeness.train"] > details["informativeness"] + 0.1


def test_sap_of_the_fifteenth_power_is_the_printed_one():
    z = np.random.default_rng(0).uniform(-1, 1, size=(100_000, 2))
    assert sap(Sample(z**15, z)).value == pytest.approx(0.32, abs=0.01)


def test_sap_of_fact_8_is_what_algebra_says():
    z = np.random.default_rng(0).uniform(-1, 1, size=(100_000, 2))
    codes = np.stack([z[:, 0], z[:, 0] ** 25 + z[:, 1] ** 25, z[:, 1]], axis=1)
    # The paper prints 0.98, but code 2 has a squared correlation of (1/27)^2 / (1/3 * 2/51) = 0.105 with each factor.
    assert sap(Sample(codes, z)).value == pytest.approx(1 - 0.105, abs=0.01)


def test_sap_names_its_relation_and_is_scale_free_with_r2_only(worlds):
    sample = worlds["rotated"]
    shrunk = Sample(sample.codes * 2.0**-10, sample.factors)
    assert sap(sample).metric == "sap[svm]"
    assert sap(sample, relation="r2").metric == "sap[r2]"
    assert sap(shrunk, relation="r2").value == pytest.approx(sap(sample, relation="r2").value)
    assert sap(shrunk).value != sap(sample).value


def test_sap_subtracts_the_chance_accuracy_of_dead_codes(worlds):
    result = sap(worlds["dead"])
    assert result.relation[4] == pytest.approx([1 / 3, 1 / 4, 1 / 5], abs=0.06)
    assert result.per_factor[0] == pytest.approx(2 / 3, abs=0.06)
