"""What a card says of a metric beside its score is so, and a score holds the parts that its docstring names."""

import functools
import inspect

import numpy as np
import pytest

from dbench.codes import GridSource, Sample
from dbench.metrics import METRICS

RNG = np.random.default_rng(0)
FACTORS = RNG.integers(0, [3, 4], size=(240, 2))
CODES = np.stack([FACTORS[:, 0], FACTORS.sum(axis=1), 0 * FACTORS[:, 0]], axis=1) + [0.4, 0.4, 1] * RNG.normal(
    size=(240, 3)
)
NOISE = RNG.normal(size=(240, 2))
CARDS = {name: metric.card for name, metric in METRICS.items()}
OF_SAMPLE = sorted(name for name, card in CARDS.items() if card.needs == "sample")
OF_FACTORS = [name for name in OF_SAMPLE if "codes" not in inspect.signature(METRICS[name]).parameters]


def score(name, codes=CODES, factors=FACTORS):
    return METRICS[name](Sample(codes, factors), **CARDS[name].quick)


usual = functools.cache(score)


@pytest.mark.extension
@pytest.mark.parametrize("name", OF_SAMPLE)
def test_rows_that_come_twice_move_what_is_learned_and_nothing_else(name):
    twice = score(name, np.tile(CODES, (2, 1)), np.tile(FACTORS, (2, 1)))
    assert (abs(twice.value - usual(name).value) > 1e-6) == CARDS[name].learned


@pytest.mark.extension
@pytest.mark.parametrize(
    "name", sorted(set(OF_FACTORS) - {"statistical_efficiency"})
)  # that compares itself with itself
def test_with_a_single_factor_a_copy_is_told_from_noise_but_by_what_asks_for_mixing(name):
    one = FACTORS[:, :1]
    copy, noise = (score(name, codes, one).value for codes in (np.hstack([one, NOISE[:, :1]]), NOISE))
    assert CARDS[name].mixes or copy > noise + 0.1


@pytest.mark.extension
@pytest.mark.parametrize("name", sorted(set(OF_FACTORS) - {"statistical_efficiency"}))
def test_noise_scores_the_chance_that_is_stated_or_0_where_it_was_taken_off(name):
    one = FACTORS[:, :1]
    found = score(name, NOISE, one)
    if "chance" in found.details:
        expected = 0.0 if CARDS[name].adjusted else found.details["chance"]
        assert found.value == pytest.approx(expected, abs=0.17)
        assert not CARDS[name].adjusted or found.details["chance"] > 0.3


# Parts of a score (per factor, per code, relation), and its details.
FACTOR, CODE, BOTH = {"per_factor"}, {"per_code"}, {"per_factor", "per_code"}
OF_CODES, BINNED = {"active", "bins", "ceiling", "chance"}, {"bins", "ceiling", "chance"}
HELD = {
    "code_mutual_information": (CODE, {"bias", "bins", "pairs"}),
    "dci": (BOTH | {"relation"}, {"completeness", "informativeness", "informativeness.train"}),
    "dci_explicitness": (FACTOR, {"informativeness", "size"}),
    "dcimig": (FACTOR | {"relation"}, BINNED),
    "downstream": (FACTOR, {"accuracy.60", "chance", "size", "test"}),
    "explicitness": (FACTOR, {"ceiling", "chance", "values"}),
    "gaussian_total_correlation": (set(), {"active", "dead", "singular"}),
    "infoc": (FACTOR | {"relation"}, OF_CODES),
    "infoe": (FACTOR, set()),
    "infom": (CODE | {"relation"}, OF_CODES),
    "irs": (CODE | {"relation"}, {"active", "ceiling", "chance"}),
    "jemmig": (FACTOR | {"relation"}, BINNED),
    "linear_accuracy": (FACTOR, {"accuracy", "ceiling", "chance"}),
    "mcc": (FACTOR | {"relation"}, {"ceiling", "chance"}),
    "med": (BOTH | {"relation"}, BINNED | {"completeness"}),
    "mig": (FACTOR | {"relation"}, BINNED),
    "mig_sup": (CODE | {"relation"}, OF_CODES),
    "minimality": (CODE | {"relation"}, BINNED),
    "mlp_accuracy": (FACTOR, {"accuracy", "chance", "epochs"}),
    "modularity": (CODE | {"relation"}, OF_CODES),
    "nk": (
        FACTOR | {"relation"},
        {"accuracy", "accuracy.0", "accuracy.1", "accuracy.without", "ceiling", "chance", "epochs"},
    ),
    "r2": (FACTOR, set()),
    "sap": (FACTOR | {"relation"}, {"ceiling", "chance"}),
    "snc": (
        FACTOR | {"relation"},
        {"above_chance", "accuracy", "bins.max", "ceiling", "chance", "guessing", "product"},
    ),
    "statistical_efficiency": (FACTOR, {"accuracy.few", "accuracy.many"}),
    "sufficiency": (FACTOR | {"relation"}, BINNED),
}


@pytest.mark.parametrize("name", HELD)
def test_a_score_holds_its_parts_each_of_its_own_factor_or_code(name):
    found = usual(name)
    parts = {part for part in ("per_factor", "per_code", "relation") if getattr(found, part) is not None}
    assert (parts, set(found.details)) == HELD[name]
    shapes = {"per_factor": (2,), "per_code": (3,), "relation": (3, 2)}
    assert {part: getattr(found, part).shape for part in parts} == {part: shapes[part] for part in parts}


BITS = np.tile(np.indices((2, 2)).reshape(2, -1).T, (100, 1))
# What details are of two codes that copy two fair bits, beside a third that is constant.
OF_COPIES = {
    "code_mutual_information": {"bias": 1 * 1 / (2 * 400) / 3, "pairs": 3, "bins": 20},
    "dci": {"completeness": 1, "informativeness": 1, "informativeness.train": 1},
    "dci_explicitness": {"informativeness": 1, "size": 2 / 3},
    "downstream": {"accuracy.60": 1, "chance": 1 / 2, "size": 60, "test": 133},
    "explicitness": {"ceiling": 1, "chance": 1 / 2, "values": 4},
    "gaussian_total_correlation": {"active": 2, "dead": 1, "singular": 0},
    "infoc": {"ceiling": 1, "active": 2, "bins": 20},
    "infom": {"ceiling": 1, "active": 2, "bins": 20},
    "irs": {"ceiling": 1, "active": 2},
    "linear_accuracy": {"accuracy": 1, "ceiling": 1, "chance": 1 / 2},
    "mcc": {"ceiling": 1, "chance": 0},
    "med": {"completeness": 1, "ceiling": 1, "bins": 20},
    "mig_sup": {"ceiling": 1, "active": 2, "bins": 20},
    "modularity": {"ceiling": 1, "active": 2, "bins": 20},
    "snc": {"product": 1, "accuracy": 1, "guessing": 1 / 2, "above_chance": 1 / 2, "ceiling": 1, "bins.max": 2},
    "statistical_efficiency": {"accuracy.few": 1, "accuracy.many": 1},
    **{name: {"ceiling": 1, "bins": 20} for name in ("dcimig", "jemmig", "mig", "minimality", "sufficiency")},
}


@pytest.mark.parametrize("name", OF_COPIES)
def test_details_of_exact_copies_beside_a_dead_code_are_what_algebra_gives(name):
    found = score(name, np.column_stack([BITS, np.full(400, 3.0)]), BITS).details
    assert {detail: found[detail] for detail in OF_COPIES[name]} == pytest.approx(OF_COPIES[name], abs=1e-4)


@pytest.mark.parametrize("name", ["infoc", "infom", "irs", "mig_sup", "modularity"])
def test_the_active_codes_that_are_counted_are_those_scored_and_not_those_of_copies(name):
    assert score(name, np.column_stack([BITS[:, 0], np.full(400, 3.0)]), BITS).details["active"] == 1


# The relation of a code with the factor that it copies; with the other it has none.
OF_A_COPY = dict.fromkeys(("dci", "infoc", "infom", "irs", "mcc", "med", "mig_sup"), 1.0) | dict.fromkeys(
    ("dcimig", "jemmig", "mig", "minimality", "modularity", "nk", "snc", "sufficiency"), np.log(2)
)


@pytest.mark.parametrize("name", OF_A_COPY)
def test_the_relation_of_exact_copies_is_that_of_each_code_with_its_own_factor(name):
    found = score(name, np.column_stack([BITS, np.full(400, 3.0)]), BITS).relation
    np.testing.assert_allclose(found, OF_A_COPY[name] * np.eye(3, 2), atol=1e-9 if name != "mcc" else 0.1)


GRID = np.indices((2, 3)).reshape(2, -1).T
EXACT = np.column_stack([GRID, np.full(6, 3.0)])  # two copies and a dead code
ROWS = np.tile(np.arange(6), 50)
NARROW = np.column_stack([np.full((300, 2), -9.0), np.zeros(300)])  # the third code's posterior is the prior
MEANS = EXACT[ROWS] * [1.0, 1.0, 0.0]
KL = (np.square(MEANS).mean(axis=0) + np.exp(NARROW[0]) - 1 - NARROW[0]) / 2
MODELS = np.stack([EXACT[ROWS], EXACT[ROWS][:, [1, 0, 2]], -EXACT[ROWS]])
USED = np.array([[True, True, False]] * 3)
# What is scored, and value, per factor, per code, relation and details of it.
ELSE = {
    "beta_vae_metric": (
        *((GridSource(EXACT, (2, 3)),), 1, [1, 1], None, None),
        {"chance": 1 / 2, "ceiling": 1, "train": 1, "iterations": None},
    ),
    "factor_vae": (
        *((GridSource(EXACT, (2, 3)),), 1, [1, 1], None, None),
        {"active": 2, "threshold": 0.05, "chance": 1 / 2, "ceiling": 1, "train": 1},
    ),
    "informative_codes": ((MEANS, NARROW), 2, None, KL, None, {"threshold": 0.01, "kl": KL.sum()}),
    "posterior_mig": (
        *((Sample(MEANS, GRID[ROWS]), NARROW), 1, [1, 1], None, [[np.log(2), 0], [0, np.log(3)], [0, 0]]),
        {"chance": None, "rows": 300},
    ),
    "udr": ((MODELS, USED), 1, None, None, None, dict.fromkeys(("model.0", "model.1", "model.2"), 1)),
}


@pytest.mark.parametrize("name", ELSE)
def test_what_is_no_metric_of_a_sample_gives_of_exact_copies_what_algebra_gives(name):
    given, value, per_factor, per_code, relation, details = ELSE[name]
    found = METRICS[name](*given, **CARDS[name].quick)
    assert found.value == pytest.approx(value, abs=0.01)
    for part, expected in ((found.per_factor, per_factor), (found.per_code, per_code)):
        assert (part is None) == (expected is None)
        assert part is None or part == pytest.approx(expected)
    if name == "factor_vae":  # each code wins the votes of its own factor
        assert (found.relation > 0).tolist() == [[True, False], [False, True], [False, False]]
        assert found.relation.sum() == CARDS[name].quick["train_votes"]
    else:
        assert (found.relation is None) == (relation is None)
        assert relation is None or found.relation == pytest.approx(np.array(relation), abs=1e-4)
    assert set(found.details) == set(details)
    known = {detail: number for detail, number in details.items() if number is not None}
    assert {detail: found.details[detail] for detail in known} == pytest.approx(known, abs=0.01)


@pytest.mark.parametrize(
    "name", sorted(name for name in METRICS if "corrected" in inspect.signature(METRICS[name]).parameters)
)
def test_a_corrected_score_has_a_name_of_its_own(name):
    given = ELSE[name][0] if name in ELSE else (Sample(CODES, FACTORS),)
    names = [METRICS[name](*given, **CARDS[name].quick, corrected=flag).metric for flag in (False, True)]
    assert names[0].partition("[")[0] == names[1].partition("[")[0] == name
    assert "corrected" not in names[0]
    assert "corrected" in names[1]


@pytest.mark.extension
@pytest.mark.parametrize("name", [name for name in OF_FACTORS if CARDS[name].labels])
def test_a_metric_of_labels_leaves_continuous_factors_out_by_name(name):
    names, kinds = ("size", "a", "b"), ("continuous", "discrete", "discrete")
    mixed = Sample(CODES, np.column_stack([NOISE[:, 0], FACTORS]), names, kinds)
    found, alone = METRICS[name](mixed, **CARDS[name].quick), usual(name)
    assert found.factor_names == ("a", "b")
    assert found.value == pytest.approx(alone.value, abs=1e-9)
    np.testing.assert_allclose(found.per_factor, alone.per_factor, atol=1e-9)
