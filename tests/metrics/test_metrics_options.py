"""Every option of every metric against the value that algebra gives for it; what is learned is held elsewhere."""

import inspect
from math import log2
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LassoCV

import dbench.metrics as metrics
from dbench.codes import Sample
from dbench.metrics import METRICS
from dbench.metrics.ceilings import between

TESTS = "\n".join(path.read_text() for path in Path(__file__).parent.glob("test_*.py"))


def table(*columns, codes, times=20):
    """Rows of all combinations of factors; ``codes`` are functions of them."""
    cases = np.tile(np.indices(columns).reshape(len(columns), -1).T, (times, 1))
    return Sample(np.stack([code(*cases.T) for code in codes], axis=1).astype(float), cases)


def numbered(labels, sample):
    """The same sample with other labels for the factors' values."""
    return Sample(sample.codes, np.asarray(labels)[sample.factors])


RULER = np.indices((100, 100)).reshape(2, -1).T.astype(float)  # two independent continuous factors
COPIES = Sample(RULER, RULER)
# Factors of 2 and 4 values. Information in bits is (0, 2) and (1, 1); of 2 bins it is (0, 1) and (1, 0).
SHARING = table(2, 4, codes=[lambda a, b: b, lambda a, b: 2 * a + (b >= 2)])
IDLE = Sample(np.pad(SHARING.codes, ((0, 0), (0, 1))), SHARING.factors)
# The first code's parity is a, its upper half is b; the second is b but once in four (the third factor is left out).
HALVES = table(2, 2, 4, codes=[lambda a, b, e: 2 * b + a, lambda a, b, e: b ^ (e == 0)])
HALVES = Sample(HALVES.codes, HALVES.factors[:, :2])
BITS = table(2, 2, codes=[lambda a, b: a])
HALF_KNOWN = table(4, 4, codes=[lambda a, b: 1 * (a >= 2) + (b == 3)])
TEN = table(10, 2, codes=[lambda a, b: a, lambda a, b: b], times=1)
CONFOUNDED = np.repeat([(0, 0), (0, 1), (1, 0), (1, 1)], [9, 1, 1, 9], axis=0)
CONFOUNDED = Sample(CONFOUNDED.astype(float), CONFOUNDED)
SCATTERED = table(2, 2, 2, codes=[lambda a, b, e: a + e / 2], times=1)
SCATTERED = Sample(SCATTERED.codes, SCATTERED.factors[:, :2])
# The factor is the first code less the second, which by itself knows nothing.
SUM = table(2, 2, codes=[lambda a, n: a + 2 * n, lambda a, n: n], times=300)
SUM = Sample(SUM.codes, SUM.factors[:, :1])
PARITY = table(2, 2, codes=[lambda a, b: 2 * b + a], times=1000)
PARITY = Sample(PARITY.codes, PARITY.factors[:, :1])  # four places in a row, every other one of the same label
CUBES = Sample(TEN.codes**3, TEN.factors)
# Of SHARING, cut into 2 bins: information in bits is (0, 1) and (1, 0), of codes entropies are 1, of factors 1 and 2.
TWO_BINS = {"infom": 1, "infoc": 1, "mig_sup": (1 / 2 + 1) / 2, "dcimig": 2 / 3, "minimality": 1, "sufficiency": 3 / 4}
TWO_BINS["jemmig"] = 1 - ((1 - 1) / (1 + 1) + (2 - 1) / (2 + 1)) / 2
QUARTERS = np.tile(np.arange(4.0)[:, None], (16, 2))
PAIR = np.tile(np.indices((2, 3)).reshape(2, -1).T.astype(float), (10, 1))
SIGNS = np.array([(a, (a + b) / 4) for a in (-1, 1) for b in (-1, 1)])  # variances 1 and 1/8, correlated at sqrt(1/2)


def value(score):
    return score.value


ROWS = [
    *[("mig", {"bins": bins}, (COPIES,), value, 1.0, 1e-9) for bins in (5, 20, 50)],
    ("code_mutual_information", {"bins": 20}, (QUARTERS,), value, np.log(4), 1e-9),
    ("code_mutual_information", {"bins": 2}, (QUARTERS,), value, np.log(2), 1e-9),
    ("code_mutual_information", {}, (PAIR,), lambda score: score.details["bias"], 1 * 2 / (2 * 60), 1e-9),
    ("code_mutual_information", {"corrected": True}, (QUARTERS,), value, np.log(4) - 3 * 3 / (2 * 64), 1e-9),
    *[
        ("irs", {"bins": 2}, (numbered(labels, HALF_KNOWN),), value, 1 - 0.25 / 0.75, 1e-9)
        for labels in ([0, 1, 2, 3], [0, 1, 7, 100])
    ],
    ("irs", {"quantile": 0.5}, (TEN,), lambda score: score.relation[0, 1], 1 - 2.5 / 4.5, 1e-9),
    ("irs", {"reweight": True}, (CONFOUNDED,), lambda score: score.relation[1, 0], 0.0, 1e-9),
    ("irs", {"reweight": False}, (CONFOUNDED,), lambda score: score.relation[1, 0], 1 - 0.9 / 0.5, 1e-9),
    ("irs", {"crossed": False}, (SCATTERED,), lambda score: score.relation[0, 0], 1.0, 1e-9),
    ("irs", {"crossed": True}, (SCATTERED,), lambda score: score.relation[0, 0], 1 - 0.25 / 0.75, 1e-9),
    ("med", {"normalise": False}, (SHARING,), value, 1 / 2, 1e-9),
    ("med", {"normalise": True}, (SHARING,), value, (2 + 4 * (0.75 * log2(3) - 1)) / 6, 1e-9),
    ("med", {"bins": 2}, (SHARING,), value, 1.0, 1e-9),
    ("modularity", {"bins": 20}, (SHARING,), value, 1 / 2, 1e-9),
    ("modularity", {"bins": 2}, (SHARING,), value, 1.0, 1e-9),
    ("modularity", {"idle": "skip"}, (IDLE,), value, 1 / 2, 1e-9),
    ("modularity", {"idle": "zero"}, (IDLE,), value, 1 / 3, 1e-9),
    ("snc", {"bins": 20}, (HALVES,), value, 1 / 4, 1e-9),
    ("snc", {"bins": 2}, (HALVES,), value, 1 / 2, 1e-9),
    ("snc", {"min_bin_size": 40}, (BITS,), lambda score: score.per_factor[0], 1.0, 1e-9),
    ("snc", {"min_bin_size": 80}, (BITS,), lambda score: score.per_factor[0], 0.0, 1e-9),
    ("sap", {"relation": "r2"}, (TEN,), value, 1.0, 1e-9),
    ("sap", {"relation": "svm"}, (BITS,), lambda score: score.per_factor[0], 1.0, 1e-9),
    ("gaussian_total_correlation", {}, (SIGNS,), value, np.log(2) / 2, 1e-9),
    ("gaussian_total_correlation", {"dead": 0.124}, (SIGNS,), value, np.log(2) / 2, 1e-9),
    ("gaussian_total_correlation", {"dead": 0.126}, (SIGNS,), value, 0.0, 1e-9),
    ("informative_codes", {"threshold": 0}, (np.array([[0.0, 1.0]] * 3), np.zeros((3, 2))), value, 1.0, 0),
    ("informative_codes", {"threshold": 0.5}, (np.array([[1.0, 1.1]] * 3), np.zeros((3, 2))), value, 1.0, 0),
    ("explicitness", {"rescaled": True}, (SUM,), value, 1.0, 1e-9),
    ("explicitness", {"penalty": 1e-9}, (SUM,), value, 3 / 4, 0.04),
    ("explicitness", {"penalty": 1e-9, "rescaled": True}, (SUM,), value, 1 / 2, 0.08),
    *[(name, {"bins": 2}, (SHARING,), value, expected, 1e-9) for name, expected in TWO_BINS.items()],
    ("mcc", {"correlation": "spearman"}, (CUBES,), value, 1.0, 1e-9),
    ("r2", {"model": "linear"}, (PARITY,), value, 1 / 5, 0.06),
    ("r2", {"model": "nonlinear"}, (PARITY,), value, 1.0, 1e-3),
    ("infoe", {"penalty": 1e-9}, (SUM,), value, 0.0, 1e-3),
    ("linear_accuracy", {"penalty": 1.0}, (SUM,), value, 1.0, 1e-9),
    ("linear_accuracy", {"penalty": 1e-9}, (SUM,), value, 0.0, 0.12),
]

# Of metrics that learn or draw: the test that holds the option, by name.
ELSEWHERE = {
    "beta_vae_metric corrected": "test_the_corrected_beta_vae_metric_takes_chance_off",
    "dci estimator": "test_dci_with_lasso_is_scikit_learns_lasso_on_standardised_codes",
    "downstream model": "test_boosted_trees_repeat_under_one_generator_and_read_exact_copies",
    "factor_vae threshold": "test_idle_and_dead_codes_are_left_out_whatever_the_threshold",
    "irs corrected": "test_chance_and_ceiling_are_the_scores_of_shuffled_codes_and_of_exact_copies",
    "nk bins": "test_the_bins_asked_for_are_those_of_the_relation",
    "nk falling_from": "test_the_written_out_gradient_trains_what_autograd_trains",
    "statistical_efficiency model": "test_efficiency_is_that_of_the_model_asked_for",
    "udr relation": "test_relations_are_those_of_the_reference_libraries",
}
# How much is drawn, or how long is trained: no formula says what that does to a score.
AMOUNTS = {"batch", "train_points", "test_points", "train_votes", "test_votes", "variance_draws"} | {
    *("epochs", "hidden", "device", "sizes", "test", "tuning", "few", "many", "draws")
}
OPTIONS = [
    f"{name} {option}"
    for name, metric in sorted(METRICS.items())
    for option, parameter in inspect.signature(metric).parameters.items()
    if parameter.kind is parameter.KEYWORD_ONLY and option not in {"generator", *AMOUNTS}
]


@pytest.mark.parametrize("option", OPTIONS)
def test_every_option_is_held_against_a_value(option):
    held = {f"{name} {key}" for name, options, *_ in ROWS for key in options}
    held |= {f"{name} corrected" for name, _ in CORRECTED}
    assert option in held or f"def {ELSEWHERE[option]}(" in TESTS


@pytest.mark.parametrize(
    ("name", "options", "given", "read", "expected", "slack"),
    ROWS,
    ids=[f"{name}-{'-'.join(f'{key}={option}' for key, option in options.items())}" for name, options, *_ in ROWS],
)
def test_an_option_gives_what_algebra_gives(name, options, given, read, expected, slack):
    assert read(METRICS[name](*given, **options)) == pytest.approx(expected, abs=slack)


NOISE = np.random.default_rng(0).normal(size=400)
ONE_FACTOR = Sample(np.stack([np.arange(400) % 4 + NOISE, NOISE], axis=1), np.arange(400)[:, None] % 4)


CORRECTED = [("mig", ONE_FACTOR), ("snc", ONE_FACTOR), ("sap", ONE_FACTOR), ("med", SHARING)]


@pytest.mark.parametrize(("name", "sample"), CORRECTED, ids=[name for name, _ in CORRECTED])
def test_correction_puts_a_score_between_the_stated_chance_and_ceiling(name, sample):
    plain, corrected = (METRICS[name](sample, corrected=flag) for flag in (False, True))
    expected = between(plain.value, plain.details["chance"], plain.details["ceiling"])
    assert corrected.value == pytest.approx(float(expected))
    assert 0 < corrected.value != plain.value


def test_efficiency_is_that_of_the_model_asked_for():
    # One code whose parity is the factor: trees cut it out, a line does not.
    parity = table(2, 2, codes=[lambda a, b: 2 * b + a], times=100)
    parity = Sample(parity.codes, parity.factors[:, :1])
    line, trees = (
        METRICS["statistical_efficiency"](parity, few=20, many=100, test=200, model=model).details["accuracy.many"]
        for model in ("logistic", "gbt")
    )
    assert line < 0.9  # at best three of the four values are on the right side
    assert trees == 1.0


HALF = numbered([0, 1, 7, 100], HALF_KNOWN)
APART = np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 0]])
RARE = np.repeat([0, 1], [75, 25])
RARE = Sample(0.1 * RARE[:, None], RARE[:, None])
PLACES = np.indices((3, 4, 20)).reshape(3, -1).T
PLACES = Sample(np.hstack([np.eye(3)[PLACES[:, 0]], np.eye(4)[PLACES[:, 1]]]), PLACES)
NOVEL = (PLACES.factors[:, :2] == [1, 2]).all(axis=1)


def novel(detail, **options):
    training = {"epochs": 1, "hidden": 2, "batch": 240}
    return metrics.novel_combinations(PLACES, NOVEL, (0, 1), **training | options).details[detail]


# Options of the functions beside the metrics.
FUNCTIONS = [
    ("interventional_robustness", {"bins": 2}, (HALF, [0], [0], [1]), 1 - 0.25 / 0.75),
    ("interventional_robustness", {"quantile": 0.5}, (TEN, [0], [1], [0]), 1 - 2.5 / 4.5),
    ("interventional_robustness", {"reweight": False}, (CONFOUNDED, [1], [0], [1]), 1 - 0.9 / 0.5),
    ("domain_shift_robustness", {"bins": 2}, (HALF, [0], [1]), 1 - 0.25 / 0.75),
    ("domain_shift_robustness", {"quantile": 0.5}, (TEN, [0], [0]), 1 - 2.5 / 4.5),
    ("domain_shift_robustness", {"reweight": False}, (CONFOUNDED, [1], [1]), 1 - 0.9 / 0.5),
    ("mean_modularity", {"idle": "skip"}, (APART,), 1.0),
    ("mean_modularity", {"idle": "zero"}, (APART,), 2 / 3),
    *[("entropy", {"bins": bins}, (RULER[:, :1],), np.log(bins)) for bins in (2, 5, 20)],
    *[("mutual_information", {"bins": bins}, (RULER, RULER), np.log(bins) * np.eye(2)) for bins in (2, 5, 20)],
    ("quantise", {"bins": 2}, (RULER[:, :1],), (RULER[:, :1] >= 49.5)),
    ("correlation", {"ranks": True}, (CUBES.codes, TEN.factors), np.eye(2)),
    ("informative_mask", {"threshold": 0.5}, (np.array([[1.0, 1.1]] * 3), np.zeros((3, 2))), [False, True]),
    ("svm_predictability", {"penalty": 1e6}, (RARE, RARE), 1.0),
    ("svm_predictability", {"penalty": 1e-6}, (RARE, RARE), 3 / 4),
    ("bin_accuracy", {"min_bin_size": 25}, (np.arange(100), np.arange(100) // 25), (1.0, 4)),
]
FUNCTIONS_ELSEWHERE = {
    "blends relations": "test_what_is_blended_is_what_was_asked_for",
    "blends aggregations": "test_what_is_blended_is_what_was_asked_for",
    "lasso_importance folds": "test_the_lasso_has_as_many_folds_as_are_asked_for",
    "novel_combinations train": "test_novel_combinations_are_read_off_as_many_points_as_are_asked_for",
    "novel_combinations penalty": "test_novel_combinations_are_read_off_as_many_points_as_are_asked_for",
    "tree_importance estimator": "test_forests_are_those_of_the_papers",
    "tree_importance candidates": "test_a_middling_code_is_important_once_a_better_one_is_not_always_a_candidate",
    "udr_agreements relation": "test_relations_are_those_of_the_reference_libraries",
    "udr_agreements aggregation": "test_scores_are_the_medians_of_agreements",
    "udr_scores relation": "test_relations_are_those_of_the_reference_libraries",
    "udr_scores comparisons": "test_relations_are_those_of_the_reference_libraries",
    "udr_scores groups": "test_models_that_share_axes_score_near_one_and_rotations_do_not",
}


def test_every_option_of_the_other_functions_is_held_too():
    functions = {name: each for name, each in vars(metrics).items() if inspect.isfunction(each) and name not in METRICS}
    options = {
        f"{name} {option}"
        for name, function in functions.items()
        for option, parameter in inspect.signature(function).parameters.items()
        if parameter.default is not parameter.empty and option not in {"generator", *AMOUNTS}
    }
    held = {f"{name} {option}" for name, given, *_ in FUNCTIONS for option in given}
    assert options == held | FUNCTIONS_ELSEWHERE.keys()
    assert all(f"def {test}(" in TESTS for test in FUNCTIONS_ELSEWHERE.values())


@pytest.mark.parametrize(("name", "options", "given", "expected"), FUNCTIONS)
def test_an_option_of_a_function_gives_what_algebra_gives(name, options, given, expected):
    np.testing.assert_allclose(getattr(metrics, name)(*given, **options), expected, atol=1e-9)


def test_what_is_blended_is_what_was_asked_for():
    found = metrics.blends(BITS, relations=["r2", "mutual_information"], aggregations=["sap", "mig"])
    assert set(found) == {(r, a) for r in ("r2", "mutual_information") for a in ("sap", "mig")}


@pytest.mark.parametrize("folds", [2, 3, 10])
def test_the_lasso_has_as_many_folds_as_are_asked_for(folds):
    stream = np.random.default_rng(folds)
    x = stream.normal(size=(40, 4))
    y = x @ [1.0, 0.3, 0, 0] + 2 * stream.normal(size=40)
    x, y = ((values - values.mean(axis=0)) / values.std(axis=0) for values in (x, y))
    known = LassoCV(cv=folds, tol=1e-10, max_iter=100_000).fit(x, y).coef_
    np.testing.assert_allclose(metrics.lasso_importance(x, y[:, None], folds=folds)[:, 0], np.abs(known), atol=2e-3)


def test_novel_combinations_are_read_off_as_many_points_as_are_asked_for():
    assert novel("linear") == 1.0
    assert novel("linear", penalty=1e-9) < 1.0
    # Of one point a single answer is learned, for all points alike.
    assert all(novel(f"random_split.linear.{j}", train=1) < 1 for j in (0, 1))
    assert novel("linear", train=1) in (0.0, 1.0)
