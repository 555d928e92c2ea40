"""Correcting Flaws, sections 4.2 and 5.1: what SNC gives to perfect codes and to noise, and the code it looks at."""

import numpy as np
import pytest

from dbench.claims import Claim, above, below, within
from dbench.codes import Sample
from dbench.constructions.spread_codes import toy_law
from dbench.metrics import align, snc
from dbench.seeds import generator
from dbench.stats import exact, mean_of

BALANCED = {"two equal": (500, 500), "five equal": (200,) * 5}
LARGE_DIVISOR = BALANCED | {"four, three, three": (400, 300, 300), "eight, one, one": (800, 100, 100)}
SMALL_DIVISOR = {"divisor 2": (402, 300, 298), "divisor 1": (401, 300, 299)}
SIZES = LARGE_DIVISOR | SMALL_DIVISOR
# A thousand observations, and as many as the paper's smallest data set.
TIMES = pytest.mark.parametrize("times", [1, 100])


def labels_of(sizes):
    return np.repeat(np.arange(len(sizes)), sizes)


def score_of_copy(sizes, min_bin_size, noise):
    labels = labels_of(sizes)
    codes = labels + noise * generator(claim=PERFECT.id).standard_normal(len(labels))
    return exact(float(snc(Sample(codes[:, None], labels[:, None]), min_bin_size=min_bin_size)))


def score_of_noise(sizes, times, min_bin_size, signal, repetitions):
    labels = np.tile(labels_of(sizes), times)

    def score(repetition):
        stream = generator(claim=NOISE.id, part=NOISE.part, repetition=repetition)
        codes = signal * labels + stream.standard_normal(len(labels))
        return float(snc(Sample(codes[:, None], labels[:, None]), min_bin_size=min_bin_size))

    return mean_of([score(i) for i in range(repetitions)])


def _nats(table):
    independent = table.sum(axis=1, keepdims=True) * table.sum(axis=0)
    present = table > 0
    return float((table[present] * np.log(table[present] / independent[present])).sum()) if present.any() else 0.0


PERFECT = Claim.synthetic(
    id="flaws.snc-definition",
    quote="This is to allow the neuron to, potentially achieve 100% accuracy, by allow it to, potentially, match the "
    "ground truth distribution. [...] However, this method does not require the classes to be balanced.",
    population="exact copies of a factor; class sizes varied",
    deviations=("Bins of the greatest common divisor as defined, down to a single observation.",),
    unit="representation",
    statistic="SNC",
    rule=above(1 - 1e-6, null=0.0),
    source="lexicon: exact",
    demonstration=True,
    min_n=1,
    given={"noise": 0.0},
    false={"noise": 0.5},
    revision=2,
)


@PERFECT.covers
@pytest.mark.parametrize("sizes", SIZES.values(), ids=SIZES)
def test_snc_of_a_copy_is_one(sizes, noise):
    return score_of_copy(sizes, 1, noise)


LEAST_BIN = PERFECT.probe(
    "perfect, minimum bin size",
    says="With the suggested minimum bin size too, SNC is 1 for a perfect strong representation.",
    deviations=("The paper suggests a minimum and tries none; ours is a fifth of the mean class size.",),
    statistic="SNC",
    rule=above(1 - 1e-6, null=0.0),
    given={"noise": 0.0},
)


@LEAST_BIN.covers
@pytest.mark.parametrize("sizes", SMALL_DIVISOR.values(), ids=SMALL_DIVISOR)
def test_snc_of_a_copy_is_one_with_a_minimum_bin_size(sizes, noise):
    return score_of_copy(sizes, None, noise)


NOISE = PERFECT.cell(
    "chance",
    quote="Then, the metric score is the accuracy a on a single neuron, adjusted for chance accuracy r",
    says="SNC is 0 at chance, also where classes are unbalanced.",
    population="codes of pure noise; class sizes with a large common divisor, their multiple and draws varied",
    deviations=(),
    unit="sample",
    statistic="mean SNC",
    rule=below(0.0234, null=0.0636),
    source="paper: at the level of random guessing",
    demonstration=False,
    min_n=5,
    given={"signal": 0.0, "repetitions": 20},
    false={"signal": 5.0},
)


@NOISE.covers
@TIMES
@pytest.mark.parametrize("sizes", LARGE_DIVISOR.values(), ids=LARGE_DIVISOR)
def test_snc_of_noise_is_zero(sizes, times, signal, repetitions):
    return score_of_noise(sizes, times, None, signal, repetitions)


NOISE_SMALL_DIVISOR = PERFECT.probe(
    "chance, small divisor",
    says="SNC is 0 at chance where the class sizes have a small common divisor.",
    population="codes of pure noise; class sizes with divisor 1 or 2, draws varied",
    deviations=("Bins of the greatest common divisor as defined, without the suggested minimum.",),
    unit="sample",
    statistic="mean SNC",
    rule=below(0.0234, null=0.0636),
    source="paper: at the level of random guessing",
    min_n=5,
    given={"repetitions": 5, "signal": 0.0},
    false={"signal": 5.0},
)


@NOISE_SMALL_DIVISOR.covers
@pytest.mark.parametrize("sizes", SMALL_DIVISOR.values(), ids=SMALL_DIVISOR)
def test_snc_of_noise_is_zero_with_a_small_divisor(sizes, signal, repetitions):
    return score_of_noise(sizes, 1, 1, signal, repetitions)


NOISE_LEAST_BIN = PERFECT.probe(
    "chance, minimum bin size",
    says="With the suggested minimum bin size SNC is 0 at chance where class sizes have a small common divisor.",
    population="codes of pure noise; class sizes with divisor 1 or 2, draws varied",
    deviations=LEAST_BIN.deviations,
    unit="sample",
    statistic="mean SNC",
    rule=below(0.0234, null=0.0636),
    source="paper: at the level of random guessing",
    min_n=5,
    given={"signal": 0.0, "repetitions": 20},
    false={"signal": 5.0},
)


@NOISE_LEAST_BIN.covers
@TIMES
@pytest.mark.parametrize("sizes", SMALL_DIVISOR.values(), ids=SMALL_DIVISOR)
def test_snc_of_noise_is_zero_with_a_minimum_bin_size(sizes, times, signal, repetitions):
    return score_of_noise(sizes, times, None, signal, repetitions)


GUESSING = PERFECT.cell(
    "equation 4",
    role="print",
    quote="where r is the accuracy obtained by randomly guessing labels in proportion to their true frequency",
    says="Equation 4 as printed is the accuracy of guessing labels in proportion to their frequency.",
    where="4.2, equation 4",
    population="class sizes varied",
    deviations=("Everywhere else equation 4 is read as the text beside it says: a sum of squared shares.",),
    unit="set of class sizes",
    statistic="equation 4 as printed minus the accuracy of guessing in proportion",
    rule=within(-1e-9, 1e-9),
    source="paper",
    demonstration=False,
    false={"sizes": (400, 300, 300)},
    revision=1,
)


@GUESSING.covers
@pytest.mark.parametrize("sizes", LARGE_DIVISOR.values(), ids=LARGE_DIVISOR)
def test_equation_4_is_the_accuracy_of_guessing(sizes):
    """As printed: the indicator is squared, not the count."""
    labels = labels_of(sizes)
    n, indicators = len(labels), labels == np.arange(len(sizes))[:, None]
    printed = (indicators.astype(int) ** 2).sum() / n**2
    return exact(float(printed - (indicators.mean(axis=1) ** 2).sum()))


BEST = Claim.synthetic(
    id="flaws.aligned-neuron-is-best",
    quote="Because this is the most informative individual neuron, it means all other neurons, i.e. "
    "non-aligned neurons, predict that factor with accuracy <5.8%.",
    says="No code predicts a factor better than the one the injective assignment gives it.",
    where="5.1; 4.1, equation 2",
    population="the toy model M1, enumerated",
    unit="law",
    statistic="largest accuracy of a code minus that of the aligned code",
    rule=below(1e-6),
    source="sign",
    demonstration=True,
    min_n=1,
    given={"second_accuracy": 0.5},
    false={"second_accuracy": 0.6},
    revision=2,
)


@BEST.covers
def test_no_code_of_the_toy_model_beats_the_aligned_one(second_accuracy):
    codes, factors, probability = toy_law(second_accuracy)
    tables = np.zeros((2, 2, 2, 2))
    for i, j in np.ndindex(2, 2):
        np.add.at(tables[i, j], (codes[:, i], factors[:, j]), probability)
    accuracy = tables.max(axis=3).sum(axis=2)
    information = np.array([[_nats(tables[i, j]) for j in range(2)] for i in range(2)])
    aligned = align(information)
    return exact(float((accuracy.max(axis=0) - accuracy[aligned, [0, 1]]).max()))


BEST_NO_CONFLICT = BEST.cell(
    "no conflict",
    says="Where no two factors compete for a code, no code predicts a factor better than the aligned one does.",
    population="one factor of three values and two codes: random small tables of counts",
    deviations=(
        "Searched: the aligned code has the most information, and SNC counts accuracy.",
        "The best classifier of each code, which SNC's bins cannot exceed.",
    ),
    unit="table",
    statistic="largest accuracy of the other code minus that of the aligned code",
    rule=below(1e-6),
    min_n=1000,
    given={"classes": 3, "tables": 2_000},
    false={"classes": 4},
)


@BEST_NO_CONFLICT.covers
def test_no_code_beats_the_aligned_one_where_factors_do_not_compete(classes, tables):
    rng = generator(claim=BEST_NO_CONFLICT.id, part=BEST_NO_CONFLICT.part)
    worst = -1.0
    for _ in range(tables):
        shares = rng.multinomial(6, np.full(classes, 1 / classes))  # one law of the factor for both codes
        pair = [np.stack([rng.multinomial(share, [0.5, 0.5]) for share in shares], axis=1) / 6 for _ in range(2)]
        more, less = sorted(pair, key=_nats, reverse=True)
        if _nats(more) > _nats(less) + 1e-9:  # else either may be the aligned one
            worst = max(worst, float(less.max(axis=1).sum() - more.max(axis=1).sum()))
    return exact(worst, n=tables)
