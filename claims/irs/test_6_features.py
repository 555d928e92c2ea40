"""IRS, section 6 and appendix D.1: what it sees in a code that other measures do not, and how those are computed."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor

from dbench.claims import Claim, above, below, within
from dbench.codes import Sample
from dbench.constructions.grid_codes import GRID_CODES, factor_grid
from dbench.metrics import dci, irs, modularity
from dbench.seeds import generator
from dbench.stats import exact, mean_interval, smallest_of

LEAST = 0.1
DECEIVED = Claim.synthetic(
    id="irs.rare-events",
    quote="When there are rare events happening that still have a major impact on the features or when there is a "
    "cumulative effect from several generative factors (e.g., in Figure 4), pairwise information based methods (such "
    "as MI or FI) cannot capture this vulnerability of deeply learned features. IRS, on the other hand, looks "
    "specifically at these cases.",
    population="four factors of five values, full grid; rare: a jump in 1 of 25 cases; cumulative: 0.35 of each",
    deviations=(
        "'Captures': the score falls by a tenth of the scale or more from what it was without the effects, IRS as in "
        "equation 3. What each score gives the code as such are cells.",
    ),
    unit="split",
    statistic="how far IRS falls beyond 0.1, or MI and feature importance scores fall short of it, whichever is less",
    rule=above(0.0),
    revision=3,
)
INFORMATION = DECEIVED.cell(
    "information",
    quote="",
    says="A code moved far by rare or cumulative effects can look disentangled to mutual information.",
    deviations=("The MI score is that of Ridgeway and Mozer, as in appendix D.1.",),
    unit="grid",
    statistic="MI disentanglement score of the code",
    # Looks disentangled: the upper quarter of the scale. Not robust: the lower half.
    rule=above(0.75),
    confidence=1.0,
    min_n=1,
    revision=1,
)
IMPORTANCE = INFORMATION.cell(
    "importance",
    says="A code moved far by rare or cumulative effects can look disentangled to feature importance.",
    deviations=("Codes beside it hold the other factors; a random forest, fitted to a random part of the grid.",),
    unit="split",
    statistic="mean over splits of the DCI disentanglement of the code",
    confidence=0.95,
    min_n=5,
)
ROBUSTNESS = INFORMATION.cell(
    "robustness",
    says="IRS sees that a code is moved far by rare or cumulative effects.",
    deviations=(),
    statistic="IRS of the code (equation 3)",
    rule=below(0.5),
)
OWN_FACTOR = INFORMATION.probe(
    "robustness, own factor",
    rule=below(0.5),
    says="IRS with the code's own factor held sees that a code is moved far by rare or cumulative effects.",
    deviations=("Equation 3 takes the best factor instead, which may be one that tells when the jump can happen.",),
    statistic="IRS({l} | {own}, all others)",
)
WEIGHTED = Claim.synthetic(
    id="irs.weighting-dead-dimensions",
    quote="The treatment of such inactive components can make a difference when averaging disentanglement scores of "
    "the single Z_i to an overall score. FI uses a simple average, MI weights the components with their overall "
    "feature importance and we weight them according to worst case deviation from mean",
    population="copies of three factors of five values beside five codes of tiny noise (0.001); 2,000 observations, "
    "drawn anew for each sample",
    deviations=("Both averages are of IRS's own scores of codes; the paper's simple one is of FI's.",),
    # A robust code gets 1; a fifth less is a different model.
    statistic="how far the weighted mean of D_l lies above 0.95, or the plain mean below 0.8, whichever is less",
    rule=above(0.0),
    revision=2,
)
BINS = Claim.synthetic(
    id="irs.bins-insensitive",
    quote="We found that using smaller discretization steps (i.e., more buckets) does not change the results notably.",
    population="five factors of ten values, slightly mixed and noisy codes; 10,000 observations; draws varied",
    deviations=("MI score: unweighted mean over codes, as in the paper.",),
    statistic="MI score with more bins minus that with 20",
    # 0.05: models in the paper's Table 1 lie 0.01 to 0.06 apart by this score.
    rule=within(-0.05, 0.05),
)
BINS_IDLE = BINS.probe(
    "half idle",
    population="the same beside as many codes of noise, as a model with unused dimensions has",
)
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
    rule=below(-0.05, null=0.0),
)
AVOIDED = UNDERESTIMATES.cell(
    "one feature",
    quote="we only use one single feature to 'randomly choose from' at each split, since this guarantees that each "
    "feature is equally given the chance to prove itself in reducing the out-of-bag error.",
    says="One candidate feature at each split avoids it.",
    rule=above(-0.05),
)


def disturbed(name, *, clean=False):
    """The disturbed code of the first factor beside copies of the others."""
    factors = factor_grid((5, 5, 5, 5))
    code = factors[:, 0].astype(float) if clean else GRID_CODES[name](factors)
    return Sample(np.column_stack([code, factors[:, 1:]]), factors)


def information(sample):
    return float(modularity(sample).per_code[0])


def importances(sample, splits):
    streams = [generator(claim=INFORMATION.id, split=i) for i in range(splits)]
    return np.array([dci(sample, estimator="forest", generator=stream).per_code[0] for stream in streams])


def robustness(sample):
    return float(irs(sample).per_code[0])


def change_by_bins(bins, idle, confidence, *, than=20, n=10_000, samples=20):
    def one(number):
        stream = generator(claim=BINS.id, sample=number)
        factors = stream.integers(10, size=(n, 5))
        codes = factors @ (np.eye(5) + 0.1 * stream.standard_normal((5, 5))) + stream.standard_normal((n, 5))
        sample = Sample(np.hstack([codes, stream.standard_normal((n, 5))]) if idle else codes, factors)
        return float(modularity(sample, bins=bins)) - float(modularity(sample, bins=than))

    return mean_interval([one(i) for i in range(samples)], confidence=confidence)


def misjudged(features, confidence, *, samples=5, n=2_000):
    """Importance of the middling code minus what it deserves, whose noise is 0.5 where the good one's is 0.4."""

    def one(number):
        stream = generator(claim=UNDERESTIMATES.id, sample=number)
        target = stream.standard_normal(n)
        codes = stream.standard_normal((n, 3)) * [0.4, 0.5, 1.0]
        codes[:, :2] += target[:, None]
        r2 = np.array([np.corrcoef(code, target)[0, 1] ** 2 for code in codes.T])
        forest = RandomForestRegressor(50, min_samples_leaf=n // 20, max_features=features, random_state=number)
        return float(forest.fit(codes, target).feature_importances_[1] - r2[1] / r2.sum())

    return mean_interval([one(i) for i in range(samples)], confidence=confidence)


EFFECTS = pytest.mark.parametrize("effect", list(GRID_CODES))


@DECEIVED.covers
@EFFECTS
def test_irs_sees_what_information_and_importance_do_not(effect, confidence, *, sample=disturbed, splits=5):
    clean, moved = disturbed(effect, clean=True), sample(effect)
    robust, known = (score(clean) - score(moved) for score in (robustness, information))
    important = importances(clean, splits) - importances(moved, splits)
    return smallest_of(
        lambda level: [
            exact(min(robust - LEAST, LEAST - known), n=splits),
            mean_interval(LEAST - important, confidence=level),
        ],
        confidence=confidence,
    )


@INFORMATION.covers
@EFFECTS
def test_information_takes_the_code_for_disentangled(effect, *, sample=disturbed):
    return exact(information(sample(effect)))


@IMPORTANCE.covers
@EFFECTS
def test_importance_takes_the_code_for_disentangled(effect, confidence, *, sample=disturbed, splits=5):
    return mean_interval(importances(sample(effect), splits), confidence=confidence)


@ROBUSTNESS.covers
@EFFECTS
def test_irs_sees_that_the_code_is_not_robust(effect, *, sample=disturbed):
    return exact(robustness(sample(effect)))


@OWN_FACTOR.covers
@EFFECTS
def test_irs_of_the_own_factor_sees_that_the_code_is_not_robust(effect, *, sample=disturbed):
    return exact(irs(sample(effect)).relation[0, 0])


@WEIGHTED.covers
def test_weights_keep_dead_dimensions_out_of_the_average(confidence, *, dead=5, size=1e-3, repetitions=8):
    def averages(repetition):
        stream = generator(claim=WEIGHTED.id, repetition=repetition)
        factors = stream.integers(5, size=(2_000, 3))
        codes = np.hstack([factors, size * stream.standard_normal((2_000, dead))])
        score = irs(Sample(codes, factors), generator=stream)
        return score.value, float(score.per_code.mean())

    weighted, plain = np.array([averages(i) for i in range(repetitions)]).T
    return smallest_of(
        lambda level: [mean_interval(room, confidence=level) for room in (weighted - 0.95, 0.8 - plain)],
        confidence=confidence,
    )


@BINS.covers
@pytest.mark.parametrize("bins", [30, 50, 100])
def test_more_bins_leave_the_score_of_active_codes(bins, confidence, *, idle=False, **size):
    return change_by_bins(bins, idle, confidence, **size)


@BINS_IDLE.covers
@pytest.mark.parametrize("bins", [30, 50, 100])
def test_more_bins_leave_the_score_with_idle_codes(bins, confidence, *, idle=True, **size):
    return change_by_bins(bins, idle, confidence, **size)


@UNDERESTIMATES.covers
def test_choosing_among_all_features_underestimates_middling_ones(confidence, *, features=None, **size):
    return misjudged(features, confidence, **size)


@AVOIDED.covers
def test_one_candidate_feature_avoids_it(confidence, *, features=1, **size):
    return misjudged(features, confidence, **size)
