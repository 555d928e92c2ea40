"""Correcting Flaws, section 4.2: SNC beside a linear classifier of all codes."""

import numpy as np
from sklearn.linear_model import LogisticRegression

from dbench.claims import Claim, above, below
from dbench.codes import Sample
from dbench.metrics import bin_accuracy, snc
from dbench.seeds import generator
from dbench.stats import exact, mean_of


def rotated(factors, stream):
    return factors @ np.linalg.qr(stream.standard_normal((5, 5)))[0]


def copied(factors, stream):
    return factors


def split_class(factors, stream):
    """Copy factors, but half of their first class to the other side of all classes."""
    return np.where((factors == 0) & (stream.uniform(size=factors.shape) < 0.5), 4, factors)


def nothing(factors, stream):
    """Leave noise alone."""
    return np.zeros(factors.shape)


def linear_accuracy(mix, repetitions, n, *, less_snc=False):
    def score(repetition):
        stream = generator(claim=LINEAR.id, part=LINEAR.part, repetition=repetition)
        factors = stream.integers(4, size=(n, 5))
        sample = Sample(mix(factors, stream) + 0.02 * stream.standard_normal((n, 5)), factors)
        train, test = sample.split(0.5, stream)
        parts = zip(train.factors.T, test.factors.T, strict=True)
        hits = [LogisticRegression(C=1e3).fit(train.codes, a).score(test.codes, b) for a, b in parts]
        accuracy = float((np.mean(hits) - 1 / 4) / (1 - 1 / 4))
        return accuracy - (float(snc(sample)) if less_snc else 0.0)

    return mean_of([score(i) for i in range(repetitions)])


def best_threshold(labels):
    """Accuracy of the best linear rule on one code, the labels given in the order of the code."""
    n = len(labels)
    right = [(labels[:cut] == side).sum() + (labels[cut:] != side).sum() for cut in range(n + 1) for side in (0, 1)]
    return max(right) / n


def adjusted(accuracy, labels):
    chance = ((np.bincount(labels) / len(labels)) ** 2).sum()
    return float((accuracy - chance) / (1 - chance))


ASKS_LESS = Claim.synthetic(
    id="flaws.linear-is-weaker",
    quote="Thus, allowing linear classifiers on all neurons is a strictly weaker condition, though similar to ours.",
    population="five factors of four values, rotated at random; draws and rotation varied",
    deviations=("Codes carry noise of 0.02.", "Multinomial logistic regression, hardly regularised."),
    statistic="mean test accuracy of the linear classifier, adjusted for chance, minus SNC",
    rule=above(0.0),
    source="sign",
    demonstration=True,
    given={"mix": rotated, "repetitions": 10, "n": 4_000},
    false={"mix": split_class, "n": 1_000},
    revision=3,
)


@ASKS_LESS.covers
def test_a_rotated_code_satisfies_a_linear_classifier_and_not_snc(mix, repetitions, n):
    return linear_accuracy(mix, repetitions, n, less_snc=True)


LINEAR = ASKS_LESS.cell(
    "rotated, linear",
    role="primary",
    says="A linear classifier on all codes is satisfied by a rotated code.",
    statistic="mean test accuracy, adjusted for chance",
    rule=above(0.95, null=0.0),
    source="lexicon: satisfied",
    given={"mix": rotated, "repetitions": 5, "n": 1_000},
    false={"mix": nothing, "n": 200},
    revision=2,
)


@LINEAR.covers
def test_a_linear_classifier_is_satisfied_by_a_rotated_code(mix, repetitions, n):
    return linear_accuracy(mix, repetitions, n)


IMPLIED = ASKS_LESS.cell(
    "snc implies linear",
    role="primary",
    says="Where SNC is perfect on balanced classes, a linear classifier is so too.",
    population="exact copies of five factors of four values; draws varied",
    statistic="mean test accuracy, adjusted for chance, of codes whose SNC is 1",
    rule=above(0.95, null=0.0),
    source="lexicon: satisfied",
    given={"mix": copied, "repetitions": 5, "n": 1_000},
    false={"mix": nothing, "n": 200},
    revision=2,
)


@IMPLIED.covers
def test_a_linear_classifier_is_satisfied_where_snc_is_on_balanced_classes(mix, repetitions, n):
    return linear_accuracy(mix, repetitions, n)


STRICTLY = ASKS_LESS.probe(
    "snc implies linear, unbalanced",
    says="The condition of a linear classifier is strictly weaker than that of SNC: where SNC is perfect, so is it.",
    population="all orders of at most six runs of two classes along one code, whose bins are the runs",
    deviations=(
        "Runs of ten observations. The smallest counterexample: three runs, two of one class around the other's.",
        "Linear: the best threshold on the code, found by trying all.",
    ),
    unit="order",
    statistic="SNC's accuracy minus the linear classifier's, both adjusted for chance; the largest",
    rule=below(1e-9),
    min_n=10,
    given={"linear": best_threshold, "longest": 6},
    false={"longest": 6},
    revision=1,
)


@STRICTLY.covers
def test_a_linear_classifier_is_satisfied_wherever_snc_is(linear, longest):
    """Search the orders of two classes along a code, in runs of ten; one run is a bin where counts of runs allow it."""
    orders = [np.array(bits) for n in range(2, longest + 1) for bits in np.ndindex(*(2,) * n) if 0 < sum(bits) < n]
    orders = [order for order in orders if np.gcd.reduce(np.bincount(order)) == 1]
    worst = 0.0
    for order in orders:
        labels = np.repeat(order, 10)
        accuracy, _ = bin_accuracy(np.arange(len(labels), dtype=float), labels, min_bin_size=1)
        worst = max(worst, adjusted(accuracy, labels) - adjusted(linear(labels), labels))
    return exact(worst, n=len(orders))
