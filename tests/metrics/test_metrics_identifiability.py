"""The family of identifiability against plain implementations of its formulas, and what goes wrong elsewhere."""

import itertools
from functools import partial

import numpy as np
import pytest
from scipy import stats
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import log_loss, mutual_info_score, r2_score
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.preprocessing import StandardScaler

from dbench.codes import Sample
from dbench.errors import InvalidInput
from dbench.metrics import (
    dci_explicitness,
    dcimig,
    entropy,
    exact_copies,
    infoc,
    infoe,
    infom,
    jemmig,
    mcc,
    mig,
    mig_sup,
    minimality,
    posterior_mig,
    r2,
    shuffled,
    sufficiency,
)
from dbench.metrics.dci_explicitness import RIDGE, UNITS
from dbench.metrics.r2 import PENALTIES

BINS = 20
INFORMATION = [infom, infoc, mig_sup, dcimig, jemmig, minimality, sufficiency]


def world(seed, n=300):
    """Noisy mixtures, a constant code, and codes of few values, beside factors of 2 to 5 values."""
    rng = np.random.default_rng(seed)
    factors = np.stack([rng.integers(size, size=n) for size in rng.integers(2, 6, size=rng.integers(1, 5))], axis=1)
    mixed = factors @ rng.normal(size=(factors.shape[1], 3)) + rng.normal(size=(n, 3))
    return Sample(np.hstack([mixed, np.full((n, 1), 7.0), rng.integers(3, size=(n, 1)), factors[:, :1]]), factors)


WORLDS = [pytest.param(world(seed), id=str(seed)) for seed in range(10)]


def cut(code):
    edges = np.linspace(code.min(), code.max(), BINS + 1)[1:-1]
    return np.searchsorted(edges, code + 1e-9 * np.ptp(code), side="right")


def tables(sample):
    """Information (codes x factors), entropies of codes and of factors, in nats, by scikit-learn and scipy."""
    codes = [cut(code) for code in sample.codes.T]
    found = np.array([[max(mutual_info_score(code, factor), 0.0) for factor in sample.factors.T] for code in codes])
    h_codes, h_factors = (
        np.array([stats.entropy(np.unique(column, return_counts=True)[1]) for column in columns])
        for columns in (codes, sample.factors.T)
    )
    found[h_codes == 0] = 0.0  # scikit-learn leaves rounding
    return found, h_codes, h_factors


def second(values):
    return sorted(values)[-2] if len(values) > 1 else 0.0


def plain_infom(found, h_codes, h_factors):
    k, shares = len(h_factors), []
    for row in found[h_codes > 0] / h_factors:
        share = max(row) / sum(row)
        shares.append((share - 1 / k) / (1 - 1 / k) if k > 1 else 1.0)
    return np.mean(shares)


def plain_infoc(found, h_codes, h_factors):
    active = found[h_codes > 0]
    d = len(active)
    shares = [max(column) / sum(column) for column in active.T]
    return np.mean([(share - 1 / d) / (1 - 1 / d) for share in shares])


def plain_mig_sup(found, h_codes, h_factors):
    return np.mean([max(row) - second(row) for row in found[h_codes > 0] / h_factors])


def plain_dcimig(found, h_codes, h_factors):
    best = [0.0] * len(h_factors)
    for row in found:
        first = int(np.argmax(row))
        best[first] = max(best[first], max(row) - second(row))
    return sum(best) / sum(h_factors)


def plain_jemmig(found, h_codes, h_factors):
    scores = []
    for j, h_factor in enumerate(h_factors):
        i = int(np.argmax(found[:, j]))
        joint = h_codes[i] + h_factor - found[i, j]
        scores.append(1 - (joint - found[i, j] + second(found[:, j])) / (h_factor + np.log(BINS)))
    return np.mean(scores)


def plain_minimality(found, h_codes, h_factors):
    return np.mean([max(row) / h for row, h in zip(found, h_codes, strict=True) if h > 0])


def plain_sufficiency(found, h_codes, h_factors):
    return np.mean([max(column) / h for column, h in zip(found.T, h_factors, strict=True)])


@pytest.mark.parametrize("metric", INFORMATION, ids=lambda metric: metric.__name__)
@pytest.mark.parametrize("sample", WORLDS)
def test_a_metric_of_information_is_its_formula(metric, sample):
    plain = globals()[f"plain_{metric.__name__}"]
    assert metric(sample).value == pytest.approx(plain(*tables(sample)), abs=1e-9)


@pytest.mark.parametrize("metric", INFORMATION, ids=lambda metric: metric.__name__)
@pytest.mark.parametrize("sample", WORLDS[:3])
def test_chance_and_ceiling_are_the_scores_of_dealt_codes_and_of_copies(metric, sample):
    details = metric(sample, generator=np.random.default_rng(5)).details
    dealt = metric(shuffled(sample, np.random.default_rng(5))).value
    assert details["chance"] == pytest.approx(dealt, abs=1e-12)
    assert details["ceiling"] == pytest.approx(metric(exact_copies(sample)).value, abs=1e-12)


@pytest.mark.parametrize("correlation", ["pearson", "spearman"])
@pytest.mark.parametrize("sample", WORLDS)
def test_mcc_is_the_best_of_all_matchings_read_on_the_other_half(sample, correlation):
    function = {"pearson": stats.pearsonr, "spearman": stats.spearmanr}[correlation]
    halves = sample.split(1 / 2, np.random.default_rng(3))
    d, k = sample.n_codes, sample.n_factors
    a, b = (
        [
            [
                0.0 if np.ptp(half.codes[:, i]) == 0 else function(half.codes[:, i], half.factors[:, j])[0]
                for j in range(k)
            ]
            for i in range(d)
        ]
        for half in halves
    )
    values = []
    for chosen, seen in ((a, b), (b, a)):
        best = max(
            itertools.permutations(range(d), k), key=lambda codes: sum(abs(chosen[i][j]) for j, i in enumerate(codes))
        )
        values.append([np.sign(chosen[i][j]) * seen[i][j] for j, i in enumerate(best)])
    result = mcc(sample, correlation=correlation, generator=np.random.default_rng(3))
    assert result.per_factor == pytest.approx(np.mean(values, axis=0), abs=1e-9)
    assert result.value == pytest.approx(np.mean(values), abs=1e-9)


@pytest.mark.parametrize("sample", WORLDS)
def test_linear_r2_is_that_of_scikit_learn(sample):
    train, test = sample.split(1 / 3, np.random.default_rng(3))
    predicted = LinearRegression().fit(train.codes, train.factors).predict(test.codes)
    expected = np.maximum(r2_score(test.factors, predicted, multioutput="raw_values"), 0)
    assert r2(sample, generator=np.random.default_rng(3)).per_factor == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("seed", range(10))
def test_nonlinear_r2_is_scikit_learns_kernel_ridge_of_the_best_penalty(seed):
    sample = world(seed, n=90)
    train, test = sample.split(1 / 3, np.random.default_rng(3))
    scaler = StandardScaler().fit(train.codes)
    x, x_test = scaler.transform(train.codes), scaler.transform(test.codes)
    expected = []
    for y, truth in zip(train.factors.T, test.factors.T, strict=True):
        mean, models = y.mean(), [KernelRidge(alpha=p, kernel="rbf", gamma=1 / x.shape[1]) for p in PENALTIES]
        errors = [((cross_val_predict(m, x, y - mean, cv=LeaveOneOut()) - (y - mean)) ** 2).mean() for m in models]
        model = models[int(np.argmin(errors))].fit(x, y - mean)
        expected.append(max(r2_score(truth, model.predict(x_test) + mean), 0))
    found = r2(sample, model="nonlinear", generator=np.random.default_rng(3)).per_factor
    assert found == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("sample", WORLDS)
def test_infoe_is_the_loss_that_scikit_learns_regression_takes_off(sample):
    train, test = sample.split(1 / 3, np.random.default_rng(3))
    scaler = StandardScaler().fit(train.codes)
    expected = []
    for y, truth in zip(train.factors.T, test.factors.T, strict=True):
        model = LogisticRegression(C=100.0, max_iter=5000, tol=1e-8).fit(scaler.transform(train.codes), y)
        given = log_loss(truth, model.predict_proba(scaler.transform(test.codes)), labels=model.classes_)
        alone = -np.mean(np.log([(y == value).mean() for value in truth]))
        expected.append(max(1 - given / alone, 0))
    found = infoe(sample, generator=np.random.default_rng(3)).per_factor
    assert found == pytest.approx(expected, abs=0.01)  # ours stops at a gradient of 1e-4


@pytest.mark.parametrize("sample", WORLDS)
def test_dci_explicitness_is_the_area_of_ridge_regressions(sample):
    order = np.random.default_rng(3).permutation(len(sample))
    test, train = order[: len(sample) // 3], order[len(sample) // 3 :]
    scaler = StandardScaler().fit(sample.codes[train])
    x, x_test = scaler.transform(sample.codes[train]), scaler.transform(sample.codes[test])
    scores = []
    for factor in sample.factors.T:
        target = (factor[:, None] == np.unique(factor)).astype(float)
        y, truth = target[train], target[test]
        rows = []
        for units in UNITS:
            centres = x[:units]
            wide = [
                np.hstack([part, *[np.exp(-((part - c) ** 2).sum(1, keepdims=True) / x.shape[1]) for c in centres]])
                for part in (x, x_test)
            ]
            middle = wide[0].mean(axis=0)
            design = np.vstack([wide[0] - middle, np.sqrt(RIDGE * len(x)) * np.eye(wide[0].shape[1])])
            goal = np.vstack([y - y.mean(axis=0), np.zeros((wide[0].shape[1], y.shape[1]))])
            weights = np.linalg.lstsq(design, goal, rcond=None)[0]
            rows.append(((truth - y.mean(axis=0) - (wide[1] - middle) @ weights) ** 2).sum(axis=1))
        base = ((truth - y.mean(axis=0)) ** 2).sum(axis=1)
        losses = np.mean(rows, axis=1)
        gained = base - rows[int(np.argmin(losses))]
        if gained.mean() <= 2 * stats.sem(gained):
            scores.append(0.0)
            continue
        curve = [min(losses[: i + 1]) for i in range(len(losses))]
        area = sum((a + b) / 2 - curve[-1] for a, b in itertools.pairwise(curve)) / (len(curve) - 1)
        scores.append(1 - area / (base.mean() / 2))
    found = dci_explicitness(sample, generator=np.random.default_rng(3))
    assert found.per_factor == pytest.approx(scores, abs=1e-6)
    assert found.details["size"] == sample.n_factors / sample.n_codes


def plain_posterior_mig(sample, logvar, generator):
    noise = generator.standard_normal(sample.codes.shape)
    d, k = sample.n_codes, sample.n_factors
    found = np.zeros((d, k))
    for i in range(d):
        spread = np.exp(logvar[:, i] / 2)
        drawn = sample.codes[:, i] + spread * noise[:, i]
        for z, row in zip(drawn, sample.factors, strict=True):
            density = stats.norm.pdf(z, loc=sample.codes[:, i], scale=spread)
            for j in range(k):
                found[i, j] += np.log(density[sample.factors[:, j] == row[j]].mean() / density.mean())
    found = np.maximum(found / len(sample), 0)
    h_factors = tables(sample)[2]
    gaps = [max(column) - second(column) for column in found.T] / h_factors
    return np.mean(gaps), found


@pytest.mark.parametrize("seed", range(10))
def test_posterior_mig_is_its_formula(seed):
    sample, rng = world(seed, n=60), np.random.default_rng(seed)
    logvar = rng.normal(-1, 1, size=sample.codes.shape)
    result = posterior_mig(sample, logvar, generator=np.random.default_rng(3))
    value, matrix = plain_posterior_mig(sample, logvar, np.random.default_rng(3))
    np.testing.assert_allclose(result.relation, matrix, atol=1e-9)
    assert result.value == pytest.approx(value, abs=1e-9)


def noise(n, d, k=3, values=4, seed=0):
    rng = np.random.default_rng(seed)
    return Sample(rng.normal(size=(n, d)), rng.integers(values, size=(n, k)))


@pytest.mark.parametrize("metric", [mcc, partial(mcc, correlation="spearman")], ids=["pearson", "spearman"])
@pytest.mark.parametrize("d", [2, 20, 200])
def test_mcc_of_noise_is_0_on_average_at_any_width(metric, d):
    scores = np.array([metric(noise(100, d, seed=seed)).value for seed in range(100)])
    assert abs(scores.mean()) < 3 * stats.sem(scores)


def test_mcc_takes_the_best_matching_of_all():
    a, b = np.random.default_rng(0).normal(size=(2, 1000))
    # Greedily the first code takes the first factor, which leaves the second code to one of which it knows nothing.
    codes = np.stack([a + b / 2, a], axis=1)
    assert mcc(codes, np.stack([a + b, a], axis=1)).value == pytest.approx((1.5 / np.sqrt(2.5) + 1) / 2, abs=0.01)


def test_factors_without_a_code_count_as_0_in_mcc():
    factors = np.random.default_rng(0).integers(4, size=(400, 4))
    result = mcc(1.0 * factors[:, :1], factors)
    assert result.value == pytest.approx(1 / 4)
    assert sorted(result.per_factor.round(9)) == [0, 0, 0, 1]


def test_spearman_does_not_see_a_monotone_map_and_pearson_does():
    factors = np.random.default_rng(0).integers(10, size=(1000, 2))
    plain, ranked = (mcc(np.exp(factors), factors, correlation=c).value for c in ("pearson", "spearman"))
    assert ranked == pytest.approx(1)
    assert plain < 0.8


@pytest.mark.parametrize(("metric", "d"), [(r2, 50), (infoe, 50), (partial(r2, model="nonlinear"), 50)])
def test_what_is_fitted_says_nothing_of_noise(metric, d):
    scores = [metric(noise(300, d, seed=seed)).value for seed in range(5)]
    assert max(scores) < 0.02


def test_r2_of_noise_is_0_however_many_codes_there_are():
    sample = noise(300, 100)
    in_sample = LinearRegression().fit(sample.codes, sample.factors).score(sample.codes, sample.factors)
    assert in_sample > 0.3  # what others report
    assert r2(sample).value == 0


def test_r2_undoes_a_rotation_and_the_nonlinear_one_a_curve():
    rng = np.random.default_rng(0)
    factors = rng.uniform(-1, 1, size=(1000, 2))
    turned = factors @ [[0.6, -0.8], [0.8, 0.6]]
    assert r2(turned, factors).value == pytest.approx(1)
    bent = np.stack([factors[:, 0] ** 3, factors[:, 1] + factors[:, 0] ** 2], axis=1)
    assert r2(bent, factors, model="nonlinear").value > r2(bent, factors).value + 0.05


def test_infoe_of_noise_is_0_however_many_codes_there_are():
    sample = noise(300, 60)
    x, y = sample.codes, sample.factors[:, 0]
    fitted = LogisticRegression(C=1e6, max_iter=1000).fit(x, y).predict_proba(x)
    assert 1 - log_loss(y, fitted) / np.log(4) > 0.2  # what others report
    assert infoe(sample).value == 0


def test_infoe_of_exact_copies_falls_with_the_values_of_a_factor():
    scores = [infoe(exact_copies(noise(2000, 1, k=1, values=values))).value for values in (2, 4, 16)]
    assert scores[0] > 0.99
    assert sorted(scores, reverse=True) == scores
    assert scores[-1] < 0.95


@pytest.mark.parametrize("metric", INFORMATION, ids=lambda metric: metric.__name__)
def test_noise_scores_what_is_stated_for_chance(metric):
    result = metric(noise(500, 6, values=6))
    assert result.value == pytest.approx(result.details["chance"], abs=0.12)
    assert result.details["chance"] < result.details["ceiling"]


@pytest.mark.parametrize("metric", [infom, infoc, mig_sup, dcimig], ids=lambda metric: metric.__name__)
def test_with_one_factor_or_one_code_nothing_is_divided_by_zero(metric):
    bit = np.arange(100) % 2
    assert metric(1.0 * bit, bit).value == pytest.approx(1)
    assert metric(np.zeros(100), bit).value == 0


def test_a_single_factor_has_a_second_of_0():
    bit = np.arange(100) % 2
    codes = np.stack([bit, np.arange(100) % 4], axis=1)
    assert dcimig(codes, bit).value == mig_sup(codes, bit).value == pytest.approx(1)


def test_infoc_falls_as_idle_codes_that_look_informed_are_added():
    sample = noise(500, 20)
    copies = exact_copies(sample).codes
    scores = [infoc(np.hstack([copies, sample.codes[:, :idle]]), sample.factors).value for idle in (0, 5, 20)]
    assert scores[0] > scores[1] > scores[2]
    assert scores[2] < 0.7


def test_mig_sup_leaves_constant_codes_out_and_counts_noise():
    sample = noise(2000, 3, values=4)
    copies = exact_copies(sample)
    idle = np.hstack([copies.codes, np.zeros((2000, 3))])
    assert mig_sup(idle, sample.factors).value == pytest.approx(mig_sup(copies).value)
    beside = mig_sup(np.hstack([copies.codes, sample.codes]), sample.factors).value
    assert beside == pytest.approx(mig_sup(copies).value / 2, abs=0.01)


def test_dcimig_weighs_factors_by_their_entropies():
    grid = np.tile(np.indices((2, 16)).reshape(2, -1).T, (10, 1))
    assert dcimig(1.0 * grid[:, 1:], grid).value == pytest.approx(4 / 5)
    assert dcimig(1.0 * grid[:, :1], grid).value == pytest.approx(1 / 5)


def test_jemmig_is_its_formula_in_nats():
    grid = np.tile(np.indices((4, 4)).reshape(2, -1).T, (10, 1))
    # Of both factors in one code of 16 values: joint entropy log 16, information log 4, no second.
    code = 1.0 * (4 * grid[:, 0] + grid[:, 1])
    expected = 1 - (np.log(16) - np.log(4)) / (np.log(4) + np.log(20))
    assert jemmig(code, grid).value == pytest.approx(expected)


def test_minimality_and_sufficiency_of_copies_are_1_however_dependent_factors_are():
    rng = np.random.default_rng(0)
    first = rng.integers(4, size=2000)
    factors = np.stack([first, np.where(rng.random(2000) < 0.7, first, rng.integers(4, size=2000))], axis=1)
    assert minimality(1.0 * factors, factors).value == pytest.approx(1)
    assert sufficiency(1.0 * factors, factors).value == pytest.approx(1)
    assert mig(1.0 * factors, factors).value < 0.7
    # A code of both factors is sufficient and not minimal, a coarse one is minimal and not sufficient.
    both, coarse = 1.0 * (4 * factors[:, 0] + factors[:, 1]), 1.0 * (factors[:, 0] // 2)
    assert sufficiency(both, factors).value == pytest.approx(1)
    assert minimality(both, factors).value < 0.75
    assert minimality(coarse, factors[:, :1]).value == pytest.approx(1)
    assert sufficiency(coarse, factors[:, :1]).value == pytest.approx(1 / 2, abs=0.01)


def test_codes_that_tell_nothing_are_not_explicit():
    scores = [dci_explicitness(noise(300, 5, seed=seed)).per_factor for seed in range(20)]
    assert np.mean(scores) < 0.1  # two standard errors let one factor in 40 pass
    assert dci_explicitness(np.ones((50, 2)), np.arange(50) % 3).value == 0


def test_what_a_line_reads_is_explicit_and_what_takes_capacity_is_less():
    rng = np.random.default_rng(0)
    factors = rng.integers(2, size=(1500, 1))
    hidden = rng.integers(2, size=1500) * 2
    easy = 1.0 * factors
    parity = 1.0 * (factors[:, 0] + hidden)[:, None]  # four places in a row, every other one of the same label
    simple, hard = (dci_explicitness(codes, factors) for codes in (easy, parity))
    assert simple.value > 0.99
    assert hard.details["informativeness"] > 0.99  # sixteen units are enough
    assert hard.value < 0.9


def test_posterior_mig_of_narrow_posteriors_is_exact():
    grid = np.tile(np.indices((2, 8)).reshape(2, -1).T, (20, 1))
    result = posterior_mig(Sample(1.0 * grid, grid), np.full(grid.shape, -20.0))
    assert result.per_factor == pytest.approx(1, abs=1e-6)
    twice = posterior_mig(Sample(1.0 * grid[:, [0, 0]], grid), np.full(grid.shape, -20.0))
    assert twice.value == pytest.approx(0, abs=1e-6)


def test_posterior_mig_takes_the_entropy_of_the_labels():
    bit = np.repeat([0, 1], [90, 10])[:, None]
    result = posterior_mig(Sample(1.0 * bit, bit), np.full((100, 1), -20.0))
    assert result.relation[0, 0] == pytest.approx(entropy(bit)[0], abs=1e-9)
    assert result.value == pytest.approx(1)


def test_posterior_mig_states_what_codes_dealt_out_anew_get():
    sample = noise(200, 3, k=2)
    wide, narrow = (posterior_mig(sample, np.full((200, 3), level)) for level in (0.0, -12.0))
    assert narrow.value == pytest.approx(narrow.details["chance"], abs=0.1)
    assert wide.details["chance"] < 0.02


@pytest.mark.parametrize("logvar", [np.zeros((200, 2)), np.full((200, 3), np.nan), 0.0])
def test_posterior_mig_refuses_other_shapes_and_what_is_not_finite(logvar):
    with pytest.raises(InvalidInput, match="logvar must be finite, of the codes' shape \\(200, 3\\), got shape"):
        posterior_mig(noise(200, 3), logvar)
    with pytest.raises(InvalidInput, match="discrete factors"):
        posterior_mig(Sample(np.zeros((9, 3)), np.random.default_rng(0).normal(size=(9, 1))), np.zeros((9, 3)))


@pytest.mark.parametrize(
    ("metric", "options", "words"),
    [
        (mcc, {"correlation": "kendall"}, "correlation must be 'pearson' or 'spearman', got 'kendall'"),
        (r2, {"model": "forest"}, "model must be 'linear' or 'nonlinear', got 'forest'"),
        (infoe, {"penalty": 0}, "penalty must be a finite number above 0, got 0"),
    ],
)
def test_an_option_that_does_not_exist_is_refused(metric, options, words):
    with pytest.raises(InvalidInput, match=words):
        metric(noise(50, 2), **options)
