"""A Sober Look, section 5.4.3: do good settings transfer to another metric, another data set, or both?"""

import numpy as np
import pytest

from dbench.claims import EVERY_PART, Claim, Printed, above, below, every_part
from dbench.estimates.population import PopulationPair
from dbench.estimates.simulated import Law, Simulated
from dbench.estimates.zoo_transfer import settings_agreement, shared_estimates, transfer
from dbench.stats import Estimate, rank_correlation, smallest_of, transfer_chance

METRICS = ("beta_vae_metric", "dci", "factor_vae", "irs", "mig", "modularity", "sap")

ALL_TRIALS = "All draws of metric, seed and random setting are enumerated instead of 10,000 trials."
# Table 1, less the chance of 36 settings (51.4%): same metric and data set, lost on another, left on both others.
CLEARLY, LESS, HARDLY = 0.305, 0.222, 0.0136
STRONG, CONSISTENT, DENIED = 0.7, 0.5, 0.3
VARIANTS = ("noisy_dsprites", "scream_dsprites")
# Simulated models: every metric likes the same strengths best, the opposite ones, or none.
RISING, FALLING = (dict.fromkeys(METRICS, Law(trend=trend)) for trend in (20.0, -20.0))
NONE_GOOD = dict.fromkeys(METRICS, Law())


def same_metric(successes):
    return float(np.diagonal(successes).mean())


def other_metric(successes):
    return float(successes[~np.eye(len(successes), dtype=bool)].mean())


def same_above_chance(t):
    return same_metric(t.source_source + t.target_target) / 2 - transfer_chance(t.settings)


def lost_by_data(t):
    return same_metric(t.source_source + t.target_target - t.source_target - t.target_source) / 2


def left_across_both(t):
    return other_metric(t.source_target + t.target_source) / 2 - transfer_chance(t.settings)


def dsprites_and_color(data_set):
    return PopulationPair(data_set("dsprites"), data_set("color_dsprites"))


def mean_transfer(data_set, statistic):
    """Mean over three other data sets; its interval is the mean of theirs, as wide as if they erred together."""
    pairs = [PopulationPair(data_set("dsprites"), data_set(other)) for other in ("color_dsprites", *VARIANTS)]
    found = [transfer(pair, METRICS, statistic) for pair in pairs]

    def ends(level):
        inner = [one.at(level) for one in found]
        return float(np.mean([one.low for one in inner])), float(np.mean([one.high for one in inner]))

    return Estimate(float(np.mean([one.value for one in found])), min(one.n for one in found), ends)


TABLE = Claim.zoo(
    id="sober.transfer-table",
    quote="If we choose the same metric and the same data set (but a different random seed), we obtain a score of "
    "81.9%. If we aim to transfer for the same metric across data sets, we achieve around 59.6%. Finally, if we "
    "transfer both across metrics and data sets, our performance drops to 52.7%.",
    population="all runs on dSprites and on three other data sets; chosen at one seed, judged at another",
    deviations=(
        ALL_TRIALS,
        "Four data sets instead of eight: from dSprites to its Color, Noisy and Scream variants and back, on average.",
        "Chance is (m + 1) / 2m of m settings; the paper's, of 36, is 51.4%.",
    ),
    statistic="smallest of three, each on a scale of "
    "which 1 is its bound: success on the same metric and data set above chance, above "
    f"{CLEARLY}; what of it is lost on the other data set, above {LESS}; success on another metric and data set above "
    f"chance, below {HARDLY}",
    rule=EVERY_PART,
    source="paper: 81.9%, 59.6% and 52.7%",
    false={"data_set": Simulated(RISING, elsewhere=RISING)},
    printed=Printed("81.9%, 59.6% and 52.7%, where chance is 51.4%", 1.0),
    revision=5,
)


@TABLE.covers
def test_a_setting_transfers_to_a_seed_and_hardly_farther(data_set):
    parts = (same_above_chance, lost_by_data, left_across_both)
    rules = {
        "same metric and data set, above chance": above(CLEARLY, null=0.0),
        "lost on another data set": above(LESS, null=0.0),
        "left on another metric and data set": below(HARDLY, null=CLEARLY),
    }
    return every_part([mean_transfer(data_set, part) for part in parts], rules)


SAME = TABLE.cell(
    "same metric and data set",
    says="A setting chosen by a metric clearly beats or ties a random one on the same metric and data set.",
    population="all runs on one data set; chosen at one seed, judged at another",
    deviations=(ALL_TRIALS, "Chance is (m + 1) / 2m of m settings; ties are successes."),
    statistic="success of the choice minus chance, averaged over metrics",
    rule=above(CLEARLY, null=0.0),
    source="paper: 81.9%",
    false={"unsupervised": Simulated(NONE_GOOD)},
    printed=Printed("81.9%, 30.5 points above chance", 0.305),
)


@SAME.covers
def test_a_setting_transfers_to_another_seed(unsupervised):
    return transfer(PopulationPair(unsupervised, unsupervised), METRICS, same_above_chance)


OTHER_METRIC = TABLE.cell(
    "other metric",
    role="primary",
    says="It succeeds less on another metric.",
    population="all runs on one data set; chosen at one seed, judged at another",
    deviations=(ALL_TRIALS,),
    statistic="success on the same metric minus success on another, averaged over (pairs of) metrics",
    rule=above(0.197, null=0.0),
    source="paper: 62.1%",
    false={"unsupervised": Simulated(RISING)},
    printed=Printed("81.9% against 62.1%", 0.198),
)


@OTHER_METRIC.covers
def test_a_setting_transfers_less_to_another_metric(unsupervised):
    def loss(t):
        return same_metric(t.source_source) - other_metric(t.source_source)

    return transfer(PopulationPair(unsupervised, unsupervised), METRICS, loss)


OTHER_DATA = TABLE.cell(
    "other data set",
    says="It succeeds less on another data set.",
    statistic="success on the same data set minus success on the other, averaged over metrics and both directions",
    rule=above(LESS, null=0.0),
    source="paper: 59.6%",
    printed=Printed("81.9% against 59.6%", 0.223),
)


@OTHER_DATA.covers
def test_a_setting_transfers_less_to_another_data_set(data_set):
    return mean_transfer(data_set, lost_by_data)


BOTH = TABLE.cell(
    "both",
    says="It hardly succeeds on another metric and another data set.",
    statistic="success on another metric and data set minus chance, averaged over pairs of metrics, both directions",
    rule=below(HARDLY, null=CLEARLY),
    source="paper: 52.7%",
    printed=Printed("52.7%, 1.3 points above chance", 0.013),
)


@BOTH.covers
def test_a_setting_hardly_transfers_to_another_metric_and_data_set(data_set):
    return mean_transfer(data_set, left_across_both)


TO_COLOR = Claim.zoo(
    id="sober.transfer-dsprites-color",
    quote="Figure 9 further shows the rank correlations obtained between different data sets for each disentanglement "
    "scores. This confirms the strong and consistent correlation between dSprites and Color-dSprites.",
    population="all settings on dSprites and on Color-dSprites; means over the seeds that both have",
    deviations=(
        "Means over seeds instead of medians.",
        f"'Strong' is above {STRONG}, 'consistent' above {CONSISTENT} for every metric; noise of few seeds weakens the "
        "correlation, and nothing is done about it.",
    ),
    statistic="smaller of two, each on a scale of "
    "which 1 is its bound, of the rank correlation of the settings' mean scores on the two "
    f"data sets: its mean over seven metrics, above {STRONG}; its smallest, above {CONSISTENT}",
    rule=EVERY_PART,
    source="lexicon: strong and consistent",
    false={"data_set": Simulated(RISING, elsewhere=FALLING)},
    revision=5,
)


@TO_COLOR.covers
def test_settings_transfer_from_dsprites_to_color_dsprites(data_set):
    def parts(source, target):
        pairs = zip(source, target, strict=True)
        found = [rank_correlation(a.mean(axis=0), b.mean(axis=0)) for a, b in pairs]
        return [float(np.mean(found)), *found]

    rules = {"mean": above(STRONG, null=0.0)} | {metric: above(CONSISTENT, null=0.0) for metric in METRICS}
    return every_part(shared_estimates(dsprites_and_color(data_set), METRICS, parts), rules)


BY_METRIC = TO_COLOR.cell(
    "one metric",
    says="Settings that are good by one metric transfer from dSprites to Color-dSprites.",
    statistic="rank correlation of the settings' mean scores on the two data sets",
    bounds=(-1.0, 1.0),
    rule=above(CONSISTENT, null=0.0),
    source="lexicon: consistent",
)


@BY_METRIC.covers
@pytest.mark.parametrize("metric", METRICS)
def test_settings_transfer_to_color_dsprites_by_one_metric(data_set, metric):
    return settings_agreement(dsprites_and_color(data_set), (metric,))[0]


NOT_ELSEWHERE = TO_COLOR.cell(
    "not elsewhere",
    quote="Good hyperparameters only seem to transfer consistently from dSprites to Color-dSprites.",
    says="They do not transfer consistently from dSprites to the other data sets.",
    where="Figure 10",
    population="all settings on dSprites and on its Noisy or Scream variant; means over the seeds that both have",
    deviations=("Means over seeds instead of medians.", f"'Not consistently' is below {DENIED} for some metric."),
    statistic="smallest over metrics of the rank correlation of the settings' mean scores on the two data sets",
    rule=below(DENIED, null=CONSISTENT),
    source="lexicon: not consistent",
    false={"data_set": Simulated(RISING, elsewhere=RISING)},
)


@NOT_ELSEWHERE.covers
@pytest.mark.parametrize("variant", VARIANTS)
def test_settings_do_not_transfer_elsewhere(data_set, variant):
    return smallest_of(settings_agreement(PopulationPair(data_set("dsprites"), data_set(variant)), METRICS))
