"""Correcting Flaws, section 2, 'Definitions of Disentanglement': a code of its own, or a group of its own."""

import numpy as np
import pytest
from sklearn.metrics import mutual_info_score

from dbench.claims import Claim, above, below
from dbench.codes import Sample
from dbench.constructions.spread_codes import GROUP, group_cases, group_codes
from dbench.metrics import nk, snc
from dbench.seeds import generator
from dbench.stats import exact, mean_of

SPREADS = pytest.mark.parametrize("spread", ["parity", "digits"])


def as_one(columns):
    """Number the distinct rows."""
    return np.unique(columns, axis=0, return_inverse=True)[1]


def share(columns, factor):
    """How much of a factor's entropy the columns tell together."""
    return mutual_info_score(as_one(columns), factor) / mutual_info_score(factor, factor)


def best_accuracy(columns, factor):
    """How often the best classifier is right, all rows equally likely."""
    table = np.zeros((len(columns), factor.max() + 1))
    np.add.at(table, (as_one(columns), factor), 1 / len(columns))
    return float(table.max(axis=1).sum())


def lone_codes(n, stream, **_):
    """A code of its own for each of two factors."""
    factors = stream.integers(4, size=(n, 2))
    return Sample(factors + 0.01 * stream.standard_normal((n, 2)), factors)


def lone_cases(spread):
    factors = np.indices((32, 32)).reshape(2, -1).T
    return factors, factors


def exchanged_cases(spread):
    """Groups of codes that hold each the other's factor."""
    codes, factors = group_cases(spread)
    return codes, factors[:, ::-1]


LOW = Claim.synthetic(
    id="flaws.strong-vs-weak",
    quote="Our proposed metrics focus on the strong notion [...] But it could be that none of these 5 neurons "
    "individually represent the corresponding factor (see Section 3.2), in which case the representation shows poor "
    "strong DE and should get a low score by a metric measuring strong DE.",
    population="samples of 4,000 observations (NK: 3,000); metric, draws and the way a factor is spread varied",
    deviations=(
        "Digits: a factor of 32 values lies in its five binary digits; parity: it is the sum of five bits modulo 2.",
        "'Low' is below the SNC that 5.1 calls so; no effect is what Table 1 gives to M1.",
        "Codes carry noise of 0.05, so that they are real numbers.",
        "NK's classifiers are trained for 50 epochs instead of 75.",
    ),
    statistic="mean score of the metric",
    rule=below(0.058, null=0.125),
    source="paper: SNC=5.8",
    given={"draw": group_codes, "size": {"snc": (8, 4_000), "nk": (5, 3_000)}},
    false={"draw": lone_codes},
    revision=3,
)


@LOW.covers
@SPREADS
@pytest.mark.parametrize("metric", ["snc", "nk"])
def test_a_metric_of_the_strong_sense_scores_five_codes_low(metric, spread, draw, size):
    repetitions, n = size[metric]

    def score(repetition):
        stream = generator(claim=LOW.id, part=metric, spread=spread, repetition=repetition)
        sample = draw(n, stream, spread=spread)
        return float(snc(sample) if metric == "snc" else nk(sample, epochs=50, generator=stream))

    return mean_of([score(i) for i in range(repetitions)])


NK_EXACT = LOW.probe(
    "nk, exact",
    says="NK scores low what gives each factor five codes, also with the best possible classifiers.",
    population="two factors in five codes each, enumerated; the way a factor is spread varied",
    deviations=("The best possible classifiers stand in for trained ones.",),
    unit="case",
    statistic="accuracy lost without one code, by the best possible classifier; the largest over codes",
    rule=below(0.058, null=0.125),
    min_n=1024,
    given={"cases": group_cases},
    false={"cases": lone_cases},
)


@NK_EXACT.covers
@SPREADS
def test_the_best_classifier_loses_little_without_one_of_the_five(spread, cases):
    codes, factors = cases(spread)
    lost = [
        best_accuracy(codes, factor) - best_accuracy(np.delete(codes, code, axis=1), factor)
        for factor in factors.T
        for code in range(codes.shape[1])
    ]
    return exact(max(lost), n=len(codes))


WEAK = LOW.cell(
    "perfect in the weak sense",
    quote="if each factor is perfectly represented by a distinct set of 5 neurons, which don't overlap, then the "
    "representation shows perfect weak DE and should get a max score by a metric measuring weak DE.",
    says="A representation that gives each factor five codes of its own is perfect in the weak sense.",
    population="two factors in five codes each, enumerated; the way a factor is spread varied",
    deviations=(),
    unit="case",
    statistic="smallest share of a factor's entropy in its own group minus the share in the other's",
    rule=above(1 - 1e-6, null=0.0),
    source="lexicon: exact",
    demonstration=True,
    min_n=1024,
    given={"cases": group_cases},
    false={"cases": exchanged_cases},
    revision=2,
)


@WEAK.covers
@SPREADS
def test_five_codes_of_its_own_are_weakly_disentangled(spread, cases):
    codes, factors = cases(spread)
    first, second = ([share(group, factor) for factor in factors.T] for group in (codes[:, :GROUP], codes[:, GROUP:]))
    return exact(min(first[0] - second[0], second[1] - first[1]), n=len(codes))


ALONE = LOW.cell(
    "alone",
    quote="none of these 5 neurons individually represent the corresponding factor",
    says="None of a factor's five codes is sufficient alone.",
    population="two factors in five codes each, enumerated; the way a factor is spread varied",
    deviations=(),
    unit="case",
    statistic="largest share of a factor's entropy in one code",
    rule=below(0.3033, null=1.0),
    source="paper: generally low",
    demonstration=True,
    min_n=1024,
    given={"cases": group_cases},
    false={"cases": lone_cases},
    revision=2,
)


@ALONE.covers
@SPREADS
def test_no_code_of_the_five_is_sufficient(spread, cases):
    codes, factors = cases(spread)
    return exact(max(share(code[:, None], factor) for code in codes.T for factor in factors.T), n=len(codes))
