"""Correcting Flaws, appendix C: a linear classifier of all codes beside SNC, on the paper's six systems."""

import operator

from dbench.claims import Claim, above
from dbench.claims.regime import ALL_CODES_TELL
from dbench.estimates.simulated import Law, Simulated
from dbench.estimates.zoo_statistics import correlation_between, share_of_models

NAMES = ("linear_accuracy", "snc")


def models(linear, snc):
    """The six systems, simulated: laws of the linear accuracy and of SNC."""
    laws = {"linear_accuracy": linear, "snc": snc}
    return {"six_systems": Simulated(laws, objectives=dict.fromkeys("abcdef", (1.0,)))}


ASKS_LESS = Claim.zoo(
    id="flaws.linear-is-weaker",
    quote="Thus, allowing linear classifiers on all neurons is a strictly weaker condition, though similar to ours.",
    says="A linear classifier on all codes is more accurate than SNC on most trained models.",
    population="the six systems of Table 2, all strengths and seeds",
    deviations=(
        "A condition that is met more easily is one that most models meet better.",
        "Both accuracies are adjusted for chance; the linear one is tested on 5,000 points.",
    ),
    statistic="mean over seeds of the share of models whose linear accuracy exceeds SNC",
    rule=above(0.5),
    source="sign",
    bounds=(0.0, 1.0),
    regime=(ALL_CODES_TELL,),
    false=models(Law(mean=0.1, noise=0.15), Law(mean=0.3, noise=0.15)),
    revision=3,
)


@ASKS_LESS.covers
def test_a_linear_classifier_finds_more_than_one_code(six_systems):
    return share_of_models(six_systems(), operator.gt, NAMES)


ALIKE = ASKS_LESS.cell(
    "alike",
    quote="We also show linear classifier scores, which are broadly similar.",
    says="On trained models the accuracies of a linear classifier and of SNC are broadly similar.",
    deviations=(
        "'Similar' is read of the order of models: of the level it would contradict 'a strictly weaker condition'.",
        ASKS_LESS.deviations[1],
    ),
    statistic="Spearman's correlation of linear accuracy and SNC, all models pooled",
    rule=above(0.5, null=0.0),
    source="lexicon: broadly similar",
    bounds=(-1.0, 1.0),
    false=models(Law(loads={"quality": -1.0}, noise=0.5), Law(loads={"quality": 1.0}, noise=0.5)),
    revision=5,
)


@ALIKE.covers
def test_linear_accuracy_and_snc_go_together(six_systems):
    return correlation_between(six_systems(), *NAMES)
