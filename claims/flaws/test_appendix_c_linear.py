"""Correcting Flaws, appendix C: a linear classifier of all codes beside SNC, on models trained here."""

from dataclasses import replace

from dbench.claims import Claim, above
from dbench.claims.regime import FACTORS_HELD
from dbench.claims.zoo_statistics import correlation_between, share_of_models

NAMES = ("linear_accuracy", "snc")

ALIKE = Claim(
    id="flaws.linear-is-weaker",
    role="primary",
    quote="We also show linear classifier scores, which are broadly similar.",
    where="4.2, appendix C, Tables 2 and 5",
    says="On trained models the accuracies of a linear classifier and of SNC go together.",
    evidence="zoo",
    population="all runs: objectives, strengths and seeds",
    deviations=(
        "'Similar' is read of the order of models: of the level it would contradict 'a strictly weaker condition'.",
        "Both accuracies are adjusted for chance; the linear one is tested on 5,000 points.",
    ),
    unit="seed",
    statistic="Spearman's correlation of linear accuracy and SNC, all models pooled",
    rule=above(0.1, null=0.0),
    min_n=5,
    regime=(FACTORS_HELD,),
    revision=2,
)
ASKS_LESS = replace(
    ALIKE,
    role="cell",
    part="asks less",
    quote="Thus, allowing linear classifiers on all neurons is a strictly weaker condition, though similar to ours.",
    says="A linear classifier on all codes is more accurate than SNC on most trained models.",
    deviations=ALIKE.deviations[1:],
    statistic="mean over seeds of the share of models whose linear accuracy exceeds SNC",
    rule=above(0.5),
    revision=1,
)


@ALIKE.covers
def test_linear_accuracy_and_snc_go_together(population, confidence):
    return correlation_between(population, *NAMES, confidence=confidence)


@ASKS_LESS.covers
def test_a_linear_classifier_finds_more_than_one_code(population, confidence):
    return share_of_models(population, lambda linear, snc: linear > snc, NAMES, confidence=confidence)
