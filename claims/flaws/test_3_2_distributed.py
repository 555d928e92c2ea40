"""Correcting Flaws, section 3.2: information that only a set of codes holds."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import mutual_info_score

from dbench.claims import Claim, Printed, above, below, within
from dbench.codes import Sample
from dbench.constructions.spread_codes import (
    absolute_difference,
    band_importance,
    modular_sum_cases,
    modular_sum_codes,
    xor_cases,
    xor_codes,
)
from dbench.metrics import dci, dci_completeness, dci_disentanglement, nk, snc
from dbench.metrics.relations import mutual_information, squared_correlation
from dbench.seeds import generator
from dbench.stats import exact, mean_of


def _repeat(card, repetitions, score, **axes):
    """Repeat a sampled experiment; the draws are the replicates."""
    streams = [generator(claim="flaws.3.2", part=card.part, repetition=i, **axes) for i in range(repetitions)]
    return mean_of([score(stream) for stream in streams])


def largest_relation(card, measure, draw, repetitions):
    def score(stream):
        sample = draw(10_000, stream)
        return float(np.max(measure(sample.codes, sample.factors)))

    return _repeat(card, repetitions, score)


def largest_information(codes, factors):
    return max(mutual_info_score(code, factor) for code in codes.T for factor in factors.T)


def printed_bound(n_codes):
    return 1 - 2 / np.log2(n_codes)


def first_bit_cases():
    """Two fair bits, and the first again as factor."""
    bits = np.indices((2, 2)).reshape(2, -1).T
    return np.column_stack([bits, bits[:, 0]])


def factors_as_codes(**size):
    """Cases of the band code whose factors are its codes."""
    codes, _ = modular_sum_cases(**size)
    return codes, codes


def lone_codes(n, stream, **_):
    """A code of its own for each of two factors."""
    factors = stream.integers(4, size=(n, 2))
    return Sample(factors + 0.01 * stream.standard_normal((n, 2)), factors)


def unrelated_codes(n, stream, **_):
    return Sample(stream.standard_normal((n, 2)), stream.integers(4, size=(n, 2)))


ONLY_TOGETHER = Claim.synthetic(
    id="flaws.xor",
    quote="They would find that I(g1; z2) = I(g1; z3) = 0, and so conclude that g1 is not represented by [...] when in "
    "fact g1 is perfectly represented by [...]",
    population="two fair bits and their XOR, enumerated",
    unit="case",
    statistic="share of the factor's entropy that the pair explains, minus the largest share that one code explains",
    rule=above(1 - 1e-6, null=0.0),
    source="lexicon: exact",
    demonstration=True,
    min_n=4,
    given={"cases": xor_cases},
    false={"cases": first_bit_cases},
    revision=3,
)


@ONLY_TOGETHER.covers
def test_only_both_codes_of_an_xor_know_the_factor(cases):
    """All but the last column are codes, the last is the factor."""
    table = cases()
    *codes, factor = table.T
    together = np.unique(table[:, :-1], axis=0, return_inverse=True)[1]
    shares = [mutual_info_score(of, factor) / mutual_info_score(factor, factor) for of in (together, *codes)]
    return exact(shares[0] - max(shares[1:]), n=len(table))


LINEAR = ONLY_TOGETHER.cell(
    "linear",
    quote="the strength of the linear relationship in XOR is zero",
    says="The linear relation of the factor with both codes together has strength zero.",
    statistic="R2 of the factor regressed on both codes",
    rule=within(-1e-6, 1e-6),
    given={"cases": xor_cases},
    printed=Printed("0", 0.0),
    revision=2,
)


@LINEAR.covers
def test_the_linear_relation_has_no_strength(cases):
    table = cases()
    codes, factor = table[:, :-1], table[:, -1]
    return exact(LinearRegression().fit(codes, factor).score(codes, factor), n=len(table))


KNOCK_OUT = ONLY_TOGETHER.cell(
    "knock-out",
    quote="cannot detect when [...] encode gi via XOR, whereas our method can.",
    says="Knock-out with a non-linear classifier sees the hidden pair behind an open copy of the factor.",
    where="4.3",
    population="an open copy of the factor in front of the XOR pair; draws varied",
    unit="sample",
    statistic="NK score, which would be 0.5 if the open code alone held the factor",
    rule=below(0.059, null=0.5),
    source="paper: marginal",
    min_n=5,
    given={"draw": xor_codes, "repetitions": 5, "n": 900},
    false={"draw": lone_codes},
    revision=2,
)


@KNOCK_OUT.covers
def test_knock_out_sees_the_hidden_pair(draw, repetitions, n):
    def score(stream):
        return float(nk(draw(n, stream, plain_copy=True), generator=stream))

    return _repeat(KNOCK_OUT, repetitions, score)


LINEAR_CLASSIFIER = ONLY_TOGETHER.probe(
    "linear classifier",
    says="A linear classifier of both codes sees nothing of the factor.",
    where="3.2",
    population="noisy XOR codes; draws varied",
    deviations=("The paper argues by the strength of the linear relation; this asks for the accuracy.",),
    unit="sample",
    statistic="test accuracy of logistic regression above chance, as a share of what is possible",
    # Coefficients that are zero but for noise may still cut off one corner of four, and be right on the others.
    rule=within(-0.1, 0.1),
    min_n=5,
    given={"draw": xor_codes, "repetitions": 50, "n": 4_000},
    false={"draw": lone_codes, "repetitions": 5},
    revision=1,
)


@LINEAR_CLASSIFIER.covers
def test_a_linear_classifier_sees_nothing(draw, repetitions, n):
    def gain(stream):
        train, test = draw(n, stream).split(0.5, stream)
        labels = test.factors[:, 0]
        chance = np.bincount(labels).max() / len(labels)
        model = LogisticRegression().fit(train.codes, train.factors[:, 0])
        return float((model.score(test.codes, labels) - chance) / (1 - chance))

    return _repeat(LINEAR_CLASSIFIER, repetitions, gain)


CONTINUOUS_LINEAR = ONLY_TOGETHER.probe(
    "continuous, linear",
    says="For uniform a and b, |a - b| has no linear relation with a or b.",
    where="3.2",
    population="uniform a, b and |a - b|; draws varied",
    unit="sample",
    statistic="mean of the larger squared correlation of |a - b| with a code",
    rule=below(0.01),
    min_n=5,
    given={"draw": absolute_difference, "repetitions": 10},
    false={"draw": lone_codes},
    revision=1,
)


@CONTINUOUS_LINEAR.covers
def test_the_absolute_difference_is_uncorrelated_with_either_code(draw, repetitions):
    return largest_relation(CONTINUOUS_LINEAR, squared_correlation, draw, repetitions)


CONTINUOUS_INFORMATION = ONLY_TOGETHER.probe(
    "continuous, information",
    says="For uniform a and b, a alone has no information about |a - b|.",
    where="3.2",
    population="uniform a, b and |a - b|; draws varied; 20 x 20 bins",
    unit="sample",
    statistic="mean mutual information of |a - b| with a code, nats (analytically (1 - log 2)/2 = 0.153)",
    rule=below(0.05),
    min_n=5,
    given={"draw": absolute_difference, "repetitions": 10},
    false={"draw": lone_codes},
    revision=1,
)


@CONTINUOUS_INFORMATION.covers
def test_the_absolute_difference_is_hidden_from_either_code(draw, repetitions):
    return largest_relation(CONTINUOUS_INFORMATION, mutual_information, draw, repetitions)


BOUND = Claim.synthetic(
    id="flaws.theorem-3.1",
    quote="As the number of neurons and factors in the representation increases, the D and C components of DCI can, "
    "under a very broad class of feature importance measures, including gradient-boosted trees, assign a score that is "
    "arbitrarily close to perfect, even though the model is completely entangled in the sense that no neuron, by "
    "itself, contains any information about any generative factor.",
    says="D and C of the band code reach 1 - 2 / log2 n or more, though no code alone tells anything about any factor.",
    population="the band code by equation 1 with uniform digits; number of codes n varied",
    deviations=(
        "Importance as the theorem presumes: none of codes that play no part, and equal halves, the worst case.",
        "The printed bound takes the entropy of two equal halves as 2 log_n 2; it is log_n 2, so 1 - 1 / log2 n holds.",
        "The second digit of each code is drawn uniform and independent of the factors.",
        "Information is enumerated for three codes: a factor depends on two, whatever their number.",
    ),
    unit="matrix",
    statistic="smaller of D and C minus the printed bound, less the largest information of a code with a factor (nats)",
    rule=above(0.0),
    source="paper: 1 - 2 / log2 n",
    demonstration=True,
    min_n=1,
    given={"cases": modular_sum_cases},
    false={"n_codes": 16, "cases": factors_as_codes},
    revision=2,
)


@BOUND.covers
@pytest.mark.parametrize("n_codes", [4, 16, 64, 256])
def test_the_band_matrix_reaches_the_printed_bound(n_codes, cases):
    matrix = band_importance(n_codes)
    smaller = min(dci_disentanglement(matrix), dci_completeness(matrix))
    return exact(smaller - printed_bound(n_codes) - largest_information(*cases(n_codes=3, classes=4)))


NO_INFORMATION = BOUND.cell(
    "no information",
    role="primary",
    quote="no neuron, by itself, contains any information about any generative factor.",
    says="In the band code no code alone has information about any factor.",
    population="the law of equation 1 with uniform digits, enumerated; codes and classes varied",
    deviations=BOUND.deviations[2:3],
    unit="case",
    statistic="largest mutual information of a code (its two digits) with a factor, nats",
    rule=within(0.0, 1e-6),
    source="lexicon: exact",
    min_n=64,
    given={"cases": modular_sum_cases},
    false={"cases": factors_as_codes},
    printed=Printed("0", 0.0),
)


@NO_INFORMATION.covers
@pytest.mark.parametrize(("n_codes", "classes"), [(3, 2), (3, 4), (4, 3), (6, 2)])
def test_no_code_of_the_band_knows_a_factor(n_codes, classes, cases):
    codes, factors = cases(n_codes=n_codes, classes=classes)
    return exact(largest_information(codes, factors), n=len(codes))


TREES = BOUND.cell(
    "trees",
    role="primary",
    quote="under a very broad class of feature importance measures, including gradient-boosted trees",
    says="D and C measured with gradient-boosted trees on samples of the band code reach the printed bound.",
    population="samples of the band code; number of codes, classes and observations varied",
    deviations=("The theorem presumes trees that find the two codes that matter; here they are fitted.",),
    unit="sample",
    statistic="mean of the smaller of D and C, minus the printed bound 1 - 2 / log2 n",
    rule=above(0.0),
    demonstration=False,
    min_n=3,
    given={"draw": modular_sum_codes, "repetitions": 3},
    false={"n": 300, "draw": unrelated_codes},
    revision=1,
)


@TREES.covers
@pytest.mark.parametrize(("n_codes", "classes", "n"), [(6, 2, 1_000), (6, 2, 4_000), (6, 3, 1_500), (12, 2, 1_500)])
def test_boosted_trees_reach_the_printed_bound(n_codes, classes, n, draw, repetitions):
    def score(stream):
        result = dci(draw(n, stream, n_codes=n_codes, classes=classes), generator=stream)
        return min(result.value, result.details["completeness"]) - printed_bound(n_codes)

    return _repeat(TREES, repetitions, score, n_codes=n_codes, classes=classes, n=n)


SNC_LOW = BOUND.probe(
    "snc",
    says="SNC, a metric of strong disentanglement, stays near zero on the band code.",
    where="3.2, 4.2",
    population="samples of the band code; number of codes, classes and observations varied",
    deviations=(),
    unit="sample",
    statistic="mean SNC score",
    rule=below(0.1),
    min_n=5,
    given={"draw": modular_sum_codes, "repetitions": 10, "n": 3_000},
    false={"draw": lone_codes},
    revision=1,
)


@SNC_LOW.covers
@pytest.mark.parametrize(("n_codes", "classes"), [(6, 2), (6, 4), (16, 2)])
def test_snc_stays_near_zero_on_the_band_code(n_codes, classes, draw, repetitions, n):
    def score(stream):
        return float(snc(draw(n, stream, n_codes=n_codes, classes=classes)))

    return _repeat(SNC_LOW, repetitions, score, n_codes=n_codes, classes=classes)
