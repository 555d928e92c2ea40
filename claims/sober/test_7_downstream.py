"""A Sober Look, section 7: does a disentangled representation help to predict the factors?"""

import numpy as np
import pytest

from dbench.claims import EVERY_PART, Claim, above, below, every_part, within
from dbench.estimates.correlations import from_correlations
from dbench.estimates.filters import filtered, kept_by
from dbench.estimates.simulated import Law, Simulated
from dbench.estimates.zoo_among import SEVERAL_ACTIVE
from dbench.estimates.zoo_statistics import settings_of
from dbench.stats import common_direction, largest_of, mean_of, smallest_of

SIX = ("beta_vae_metric", "dci", "factor_vae", "irs", "mig", "sap")
SIZES = {"logistic": (10, 100, 1_000, 10_000), "trees": (10, 100, 1_000)}
LEARNERS = tuple(SIZES)
EACH_LEARNER = pytest.mark.parametrize("learner", LEARNERS)
TOTAL_CORRELATIONS, INFORMATION = (
    tuple(f"{score}.{codes}" for codes in ("mean", "sampled")) for score in ("gaussian_tc", "mutual_information")
)
UNSUPERVISED = ("elbo", *TOTAL_CORRELATIONS, "kl", *INFORMATION, "reconstruction")
ALL_RUNS = "all runs: objectives, strengths and seeds"
TREES = "Boosted trees see up to 1,000 examples, not 10,000."
CORRELATED, DENIED = 0.3, 0.5
ACCURACY = "downstream accuracy, all models pooled, mean over sizes of the training set"
MINUS_TC = f"Spearman of minus the total correlation with {ACCURACY}"


def targets_of(learner):
    return [f"downstream.{learner}.{size}" for size in SIZES[learner]]


def scores_follow(load):
    """Laws of models whose scores all follow their downstream accuracy, as much as the load says."""
    scores = (*SIX, "modularity", *UNSUPERVISED, *(f"{score}.active" for score in TOTAL_CORRELATIONS))
    laws = {score: Law(loads={"quality": load}) for score in scores}
    laws |= {target: Law(loads={"quality": 3.0}) for learner in LEARNERS for target in targets_of(learner)}
    return laws | {"kl.informative": Law(mean=3.0, noise=0.0)}


def models(load):
    return {"unsupervised": Simulated(scores_follow(load))}


def correlations(population, scores, learners, *, sign=1.0, **options):
    targets = [targets_of(learner) for learner in learners]

    def with_accuracy(rho):
        return [
            sign * float(np.mean([np.mean([rho(score, target) for target in of_one]) for of_one in targets]))
            for score in scores
        ]

    names = [*scores, *(target for of_one in targets for target in of_one)]
    return from_correlations(population, names, with_accuracy, **options)


def consistency(pair, scores, learners):
    on_both = [correlations(population, scores, learners) for population in pair.parts]
    return largest_of([common_direction(of_one_score) for of_one_score in zip(*on_both, strict=True)])


def lead_of_best_third(population, metric):
    accuracy = settings_of(population, "downstream.trees.100")
    third = accuracy.shape[1] // 3
    order = np.argsort(settings_of(population, metric), axis=1, kind="stable")
    ordered = np.take_along_axis(accuracy, order, axis=1)
    return mean_of(ordered[:, -third:].mean(axis=1) - ordered[:, :third].mean(axis=1))


METRICS_CORRELATE = Claim.zoo(
    id="sober.downstream-correlation",
    quote="We observe that all metrics except Modularity seem to be correlated with increased downstream performance "
    "on the different variations of dSprites and to some degree on Shapes3D.",
    deviations=(TREES,),
    statistic=f"smaller of two, each on a scale of which 1 is its bound, of Spearman with {ACCURACY} and both "
    f"classifiers: the smallest of six metrics, above {CORRELATED}; Modularity's, below {CORRELATED}",
    rule=EVERY_PART,
    source="lexicon: correlated, except Modularity",
    false=models(3.0),
    revision=5,
)


@METRICS_CORRELATE.covers
def test_all_metrics_but_modularity_are_correlated_with_downstream_accuracy(unsupervised):
    rules = {metric: above(CORRELATED, null=0.0) for metric in SIX} | {"modularity": below(CORRELATED, null=DENIED)}
    return every_part(correlations(unsupervised, list(rules), LEARNERS), rules)


EVERY_METRIC = METRICS_CORRELATE.cell(
    "every metric",
    says="Each of the six metrics is correlated with the accuracy of one kind of downstream classifier.",
    statistic=f"smallest among six metrics of Spearman with {ACCURACY}",
    rule=above(CORRELATED, null=0.0),
    source="lexicon: correlated",
    false=models(-3.0),
)


@EVERY_METRIC.covers
@EACH_LEARNER
def test_every_metric_is_correlated_with_downstream_accuracy(unsupervised, learner):
    return smallest_of(correlations(unsupervised, SIX, [learner]))


MODULARITY_DOES_NOT = METRICS_CORRELATE.cell(
    "Modularity",
    says="Modularity is not correlated with the accuracy of downstream classifiers.",
    statistic=f"Spearman of Modularity with {ACCURACY}",
    rule=below(CORRELATED, null=DENIED),
    source="lexicon: not with them",
)


@MODULARITY_DOES_NOT.covers
@EACH_LEARNER
def test_modularity_is_not_correlated_with_downstream_accuracy(unsupervised, learner):
    return correlations(unsupervised, ["modularity"], [learner])[0]


NOT_CONSISTENT = Claim.zoo(
    id="sober.unsupervised-downstream",
    quote="Depending on the data set, the rank correlation ranges from from mildly negative, to mildly positive. In "
    "particular, we do not observe enough evidence supporting the claim that decreased total correlation of the "
    "aggregate posterior proves beneficial for downstream task performance.",
    population="all runs on two data sets: objectives, strengths and seeds",
    deviations=(TREES, "Two data sets instead of eight."),
    statistic=f"weaker of a score's two Spearman correlations with {ACCURACY} and both classifiers, in the direction "
    "that both data sets share: largest of seven scores'",
    rule=below(0.3, null=0.5),
    source="lexicon: no clear pattern",
    false={"pair": Simulated(scores_follow(3.0), elsewhere=scores_follow(3.0))},
    revision=4,
)


@NOT_CONSISTENT.covers
def test_no_unsupervised_score_is_correlated_in_one_direction_everywhere(pair):
    return consistency(pair(), UNSUPERVISED, LEARNERS)


ONE_SCORE = NOT_CONSISTENT.cell(
    "one score",
    says="One unsupervised score does not correlate with downstream accuracy in one direction on all data sets.",
    statistic=f"weaker of the score's two Spearman correlations with {ACCURACY}, in the direction that both share",
    rule=below(0.3, null=0.5),
)


@ONE_SCORE.covers
@EACH_LEARNER
@pytest.mark.parametrize("score", UNSUPERVISED)
def test_one_unsupervised_score_is_not_correlated_in_one_direction_everywhere(pair, score, learner):
    return consistency(pair(), [score], [learner])


AT_MOST_MILD = NOT_CONSISTENT.cell(
    "at most mild",
    role="primary",
    says="The correlation of an unsupervised score with downstream accuracy is mild at most.",
    population=ALL_RUNS,
    deviations=(TREES, "'Mildly' is at most 0.5, in either direction."),
    statistic=f"Spearman of the score with {ACCURACY}",
    rule=within(-0.5, 0.5),
    source="lexicon: mild at most",
    false=models(3.0),
)


@AT_MOST_MILD.covers
@EACH_LEARNER
@pytest.mark.parametrize("score", UNSUPERVISED)
def test_an_unsupervised_score_is_mildly_correlated_at_most(unsupervised, score, learner):
    return correlations(unsupervised, [score], [learner])[0]


TC_NOT_BENEFICIAL = NOT_CONSISTENT.cell(
    "total correlation",
    role="primary",
    roles={"gaussian_tc.mean": "cell"},
    where="7, text and Figure 28",
    says="A lower total correlation does not go with better downstream accuracy.",
    population=ALL_RUNS,
    deviations=(TREES, "The sampled codes are those of the aggregate posterior; the mean codes stand beside."),
    statistic=MINUS_TC,
    rule=below(0.3, null=0.5),
    source="lexicon: no evidence",
    false=models(-3.0),
)


@TC_NOT_BENEFICIAL.covers
@EACH_LEARNER
@pytest.mark.parametrize("score", TOTAL_CORRELATIONS)
def test_a_lower_total_correlation_brings_no_accuracy(unsupervised, score, learner):
    return correlations(unsupervised, [score], [learner], sign=-1.0)[0]


TC_OTHERWISE = NOT_CONSISTENT.probe(
    "total correlation otherwise",
    where="7, text and Figure 28",
    says="Nor does one of the active codes, or within objectives.",
    population="all runs, or those of two active codes: objectives, strengths and seeds",
    deviations=(
        TREES,
        "Mean over objectives of the correlation over an objective's models: the paper pools all models.",
        "Models of fewer than two active codes have no total correlation of these; a seed counts with half of its "
        "models left.",
    ),
    statistic=MINUS_TC,
    rule=below(0.3, null=0.5),
    source="lexicon: no evidence",
    false=models(-3.0),
)


@TC_OTHERWISE.covers
@pytest.mark.parametrize("reading", ["active codes", "within objectives"])
@EACH_LEARNER
@pytest.mark.parametrize("score", TOTAL_CORRELATIONS)
def test_a_lower_total_correlation_brings_no_accuracy_otherwise(unsupervised, score, learner, reading):
    if reading == "within objectives":
        return correlations(unsupervised, [score], [learner], sign=-1.0, within=True)[0]
    active = {"among": SEVERAL_ACTIVE, "settings": 0.5}
    found = correlations(unsupervised, [f"{score}.active"], [learner], sign=-1.0, **active)[0]
    kept = kept_by(unsupervised, SEVERAL_ACTIVE)
    return filtered(found, kept)


BETTER_GROUP = Claim.zoo(
    id="sober.gbt-100-groups",
    quote="We observe that indeed models with higher disentanglement scores seem to exhibit better performance for "
    "gradient boosted trees with 100 samples.",
    deviations=("Best and worst third of each seed's models; the paper shows three groups of all.",),
    statistic="mean accuracy of boosted trees at 100 samples, best third minus worst third: smaller of DCI's and MIG's",
    rule=above(0.0),
    source="sign",
    false=models(-3.0),
    revision=4,
)


@BETTER_GROUP.covers
def test_the_more_disentangled_third_does_better_with_few_samples(unsupervised):
    return smallest_of([lead_of_best_third(unsupervised, metric) for metric in ("dci", "mig")])


ONE_GROUPING = BETTER_GROUP.cell(
    "one metric",
    says="The third of the models that is best by one of the metrics does better with boosted trees at 100 samples.",
    statistic="mean accuracy of boosted trees at 100 samples, best third minus worst third",
    rule=above(0.0),
)


@ONE_GROUPING.covers
@pytest.mark.parametrize("metric", ["dci", "mig"])
def test_the_third_best_by_one_metric_does_better_with_few_samples(unsupervised, metric):
    return lead_of_best_third(unsupervised, metric)
