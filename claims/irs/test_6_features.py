"""IRS, section 6 and appendix D.1: what it sees in a code that other measures do not, and how those are computed."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor

from dbench.claims import Claim, above, below, within
from dbench.codes import Sample
from dbench.constructions.causal import cumulative, factor_grid, rare
from dbench.metrics import dci, irs, modularity
from dbench.seeds import generator
from dbench.stats import exact, mean_of, smallest_of

EFFECTS = pytest.mark.parametrize("effect", ["rare", "cumulative"])
MORE_BINS = pytest.mark.parametrize("bins", [30, 50, 100])


def sample_of(code, factors):
    """A code of the first factor beside copies of the others."""
    return Sample(np.column_stack([code, factors[:, 1:]]), factors)


def disturbed(name):
    factors = factor_grid((5, 5, 5, 5))
    return sample_of(rare(factors) if name == "rare" else cumulative(factors, share=0.2), factors)


def undisturbed(name):
    factors = factor_grid((5, 5, 5, 5))
    return sample_of(factors[:, 0].astype(float), factors)


def mixed(name):
    """The code is half one factor and half another."""
    factors = factor_grid((5, 5, 5, 5))
    return Sample(np.column_stack([factors[:, 0] + factors[:, 1], factors[:, 2:]]).astype(float), factors)


def information(sample):
    return float(modularity(sample).per_code[0])


def importances(sample, splits):
    streams = [generator(claim=DECEIVED.id, split=i) for i in range(splits)]
    return np.array([dci(sample, estimator="forest", generator=stream).per_code[0] for stream in streams])


def robustness(sample):
    return float(irs(sample).per_code[0])


def change_by_bins(bins, idle, than, n, samples):
    def one(number):
        stream = generator(claim=BINS.id, sample=number)
        factors = stream.integers(10, size=(n, 5))
        codes = factors @ (np.eye(5) + 0.1 * stream.standard_normal((5, 5))) + stream.standard_normal((n, 5))
        sample = Sample(np.hstack([codes, stream.standard_normal((n, 5))]) if idle else codes, factors)
        return float(modularity(sample, bins=bins)) - float(modularity(sample, bins=than))

    return mean_of([one(i) for i in range(samples)])


def misjudged(features, samples, n, noise=0.5):
    """Importance of the middling code minus what it deserves, where the good one's noise is 0.4."""

    def one(number):
        stream = generator(claim=UNDERESTIMATES.id, sample=number)
        target = stream.standard_normal(n)
        codes = stream.standard_normal((n, 3)) * [0.4, noise, 1.0]
        codes[:, :2] += target[:, None]
        r2 = np.array([np.corrcoef(code, target)[0, 1] ** 2 for code in codes.T])
        forest = RandomForestRegressor(50, min_samples_leaf=n // 20, max_features=features, random_state=number)
        return float(forest.fit(codes, target).feature_importances_[1] - r2[1] / r2.sum())

    return mean_of([one(i) for i in range(samples)])


DECEIVED = Claim.synthetic(
    id="irs.rare-events",
    quote="When there are rare events happening that still have a major impact on the features or when there is a "
    "cumulative effect from several generative factors (e.g., in Figure 4), pairwise information based methods (such "
    "as MI or FI) cannot capture this vulnerability of deeply learned features. IRS, on the other hand, looks "
    "specifically at these cases.",
    population="four factors of five values, full grid; rare: a jump in 1 of 25 cases; cumulative: 0.2 of each",
    deviations=(
        "'Cannot capture': MI and feature importance score the code as a disentangled one. IRS as in equation 3. What "
        "each gives alone are cells.",
        "Low by IRS and high by MI are the lowest and the highest score of Table 1.",
    ),
    unit="split",
    statistic="how far IRS lies below 0.33, or the MI score above 0.92, or feature importance above 0.8, whichever is "
    "least",
    rule=above(0.0),
    source="paper: low IRS",
    demonstration=True,
    given={"sample": disturbed, "splits": 5, "low": 0.33, "informed": 0.92, "important": 0.8},
    false={"effect": "rare", "sample": mixed},
    revision=4,
)


@DECEIVED.covers
@EFFECTS
def test_irs_sees_what_information_and_importance_do_not(effect, sample, splits, low, informed, important):
    moved = sample(effect)
    margin = min(low - robustness(moved), information(moved) - informed)
    return smallest_of([exact(margin, n=splits), mean_of(importances(moved, splits) - important)])


INFORMATION = DECEIVED.cell(
    "information",
    quote="",
    says="A code moved far by rare or cumulative effects can look disentangled to mutual information.",
    deviations=("The MI score is that of Ridgeway and Mozer, as in appendix D.1.",),
    unit="grid",
    statistic="MI disentanglement score of the code",
    rule=above(0.92, null=0.5),
    source="paper: high MI",
    min_n=1,
    given={"sample": disturbed},
    revision=2,
)


@INFORMATION.covers
@EFFECTS
def test_information_takes_the_code_for_disentangled(effect, sample):
    return exact(information(sample(effect)))


IMPORTANCE = DECEIVED.cell(
    "importance",
    quote="",
    says="A code moved far by rare or cumulative effects can look disentangled to feature importance.",
    deviations=("Codes beside it hold the other factors; a random forest, fitted to a random part of the grid.",),
    statistic="mean over splits of the DCI disentanglement of the code",
    rule=above(0.8, null=0.0),
    source="lexicon: looks disentangled",
    given={"sample": disturbed, "splits": 5},
    revision=2,
)


@IMPORTANCE.covers
@EFFECTS
def test_importance_takes_the_code_for_disentangled(effect, sample, splits):
    return mean_of(importances(sample(effect), splits))


ROBUSTNESS = DECEIVED.cell(
    "robustness",
    quote="",
    says="IRS sees that a code is moved far by rare or cumulative effects.",
    deviations=(),
    unit="grid",
    statistic="IRS of the code (equation 3)",
    rule=below(0.33, null=0.72),
    min_n=1,
    given={"sample": disturbed},
    false={"effect": "rare", "sample": undisturbed},
    revision=2,
)


@ROBUSTNESS.covers
@EFFECTS
def test_irs_sees_that_the_code_is_not_robust(effect, sample):
    return exact(robustness(sample(effect)))


OWN_FACTOR = DECEIVED.probe(
    "robustness, own factor",
    says="IRS with the code's own factor held sees that a code is moved far by rare or cumulative effects.",
    deviations=("Equation 3 takes the best factor instead, which may be one that tells when the jump can happen.",),
    unit="grid",
    statistic="IRS({l} | {own}, all others)",
    rule=below(0.33, null=0.72),
    min_n=1,
    given={"sample": disturbed},
    false={"effect": "rare", "sample": undisturbed},
    revision=2,
)


@OWN_FACTOR.covers
@EFFECTS
def test_irs_of_the_own_factor_sees_that_the_code_is_not_robust(effect, sample):
    return exact(irs(sample(effect)).relation[0, 0])


WEIGHTED = Claim.synthetic(
    id="irs.weighting-dead-dimensions",
    quote="The treatment of such inactive components can make a difference when averaging disentanglement scores of "
    "the single Z_i to an overall score. FI uses a simple average, MI weights the components with their overall "
    "feature importance and we weight them according to worst case deviation from mean",
    population="copies of three factors of five values beside five codes of tiny noise (0.01); 2,000 observations, "
    "drawn anew for each sample",
    deviations=(
        "Both averages are of IRS's own scores of codes; the paper's simple one is of FI's (6.1), or of MI's (D.1).",
    ),
    statistic="how far the weighted mean of D_l lies above 0.95, or the plain mean below 0.5, whichever is less",
    rule=above(0.0),
    source="lexicon: perfect",
    demonstration=True,
    given={"dead": 5, "size": 0.01, "repetitions": 8, "full": 0.95, "less": 0.5},
    # Dimensions that are not dead belong in the average.
    false={"size": 3.0},
    revision=3,
)


@WEIGHTED.covers
def test_weights_keep_dead_dimensions_out_of_the_average(dead, size, repetitions, full, less):
    def averages(repetition):
        stream = generator(claim=WEIGHTED.id, repetition=repetition)
        factors = stream.integers(5, size=(2_000, 3))
        codes = np.hstack([factors, size * stream.standard_normal((2_000, dead))])
        score = irs(Sample(codes, factors), generator=stream)
        return score.value, float(score.per_code.mean())

    weighted, plain = np.array([averages(i) for i in range(repetitions)]).T
    return smallest_of([mean_of(weighted - full), mean_of(less - plain)])


BINS = Claim.synthetic(
    id="irs.bins-insensitive",
    quote="We found that using smaller discretization steps (i.e., more buckets) does not change the results notably.",
    population="five factors of ten values, slightly mixed and noisy codes; 10,000 observations; draws varied",
    deviations=("MI score: unweighted mean over codes, as in the paper.",),
    statistic="MI score with more bins minus that with 20",
    rule=within(-0.01, 0.01),
    source="paper: notably",
    given={"idle": False, "than": 20, "n": 10_000, "samples": 20},
    false={"bins": 20, "idle": True, "than": 3, "n": 500, "samples": 8},
    revision=2,
)


@BINS.covers
@MORE_BINS
def test_more_bins_leave_the_score_of_active_codes(bins, idle, than, n, samples):
    return change_by_bins(bins, idle, than, n, samples)


BINS_IDLE = BINS.probe(
    "half idle",
    population="the same beside as many codes of noise, as a model with unused dimensions has",
    statistic="MI score with more bins minus that with 20",
    source="paper: notably",
    given={"idle": True, "than": 20, "n": 10_000, "samples": 20},
)


@BINS_IDLE.covers
@MORE_BINS
def test_more_bins_leave_the_score_with_idle_codes(bins, idle, than, n, samples):
    return change_by_bins(bins, idle, than, n, samples)


UNDERESTIMATES = Claim.synthetic(
    id="irs.single-feature-splits",
    quote="When multiple features can be chosen from at each split, it is well possible that features with a mediocre "
    "importance are never chosen as there are features always yielding a better split. This would lead to an "
    "underestimation of their importance.",
    population="a target, a code that tells it well, one that tells it almost as well, and noise; 2,000 draws varied",
    deviations=(
        "Forests of 50 trees with leaves of at least 100 of 2,000 (in the paper 500 of its data set).",
        "The importance a code deserves: its R2 alone over the sum of all codes' R2.",
        "Middling here is nearly as good as the best, where a better split is always at hand; of trained models it is "
        "wider.",
    ),
    statistic="importance of the middling code minus what it deserves",
    rule=below(0.0),
    source="sign",
    demonstration=True,
    given={"features": None, "samples": 5, "n": 2_000, "noise": 0.5},
    # A code that is itself the better split.
    false={"noise": 0.3},
    revision=2,
)


@UNDERESTIMATES.covers
def test_choosing_among_all_features_underestimates_middling_ones(features, samples, n, noise):
    return misjudged(features, samples, n, noise)


AVOIDED = UNDERESTIMATES.cell(
    "one feature",
    role="primary",
    quote="we only use one single feature to 'randomly choose from' at each split, since this guarantees that each "
    "feature is equally given the chance to prove itself in reducing the out-of-bag error.",
    says="One candidate feature at each split avoids it.",
    statistic="importance of the middling code minus what it deserves",
    rule=within(-0.02, 0.02),
    source="lexicon: equal, of samples",
    demonstration=False,
    given={"features": 1, "samples": 5, "n": 2_000},
    false={"features": None},
)


@AVOIDED.covers
def test_one_candidate_feature_avoids_it(features, samples, n):
    return misjudged(features, samples, n)
