"""A Sober Look, section 6.1: how far the metrics agree on which models are disentangled."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from dbench.claims import Claim, Printed, above, below
from dbench.claims.correlations import Correlation, from_correlations
from dbench.claims.population import Population
from dbench.claims.zoo_statistics import stacked_interval
from dbench.stats import Estimate, largest_of, smallest_of

FIVE = ("beta_vae_metric", "dci", "factor_vae", "mig", "sap")
METRICS = (*FIVE, "irs", "modularity")
CLOSE = (("beta_vae_metric", "factor_vae"), ("dci", "mig"))
HEAT_MAP = "The paper reads off a heat map of pooled models; 'strongly' is read as above 0.5 (Cohen's 'large')."

# ------------------------------------------------------------------ who agrees
AGREE = Claim(
    id="sober.metrics-agree-except-modularity",
    part="five agree",
    where="6.1, Figures 12 and 13",
    says="BetaVAE, FactorVAE, MIG, DCI disentanglement and SAP are strongly and positively rank-correlated.",
    evidence="zoo",
    kind="ranking",
    population="all runs: objectives, strengths and seeds",
    deviations=(HEAT_MAP,),
    unit="seed",
    statistic="smallest Spearman correlation among the ten pairs of five metrics, all models pooled",
    rule=above(0.5),
    confidence=0.95,
    min_n=5,
    printed=None,
    tier="smoke",
    rollup="each",
    revision=1,
    superseded_by=None,
)
IRS_LESS = replace(
    AGREE,
    part="IRS less",
    says="IRS agrees less with the five than they do with each other.",
    deviations=("'In part' is read as less on average, by a tenth: less than that nobody sees in a heat map.",),
    statistic="mean Spearman correlation within the five minus that of IRS with the five",
    rule=above(0.1),
)
MODULARITY_APART = replace(
    AGREE,
    part="Modularity apart",
    says="Modularity is strongly correlated with none of the five.",
    statistic="largest Spearman correlation of Modularity with one of the five",
    rule=below(0.5),
)
PAIRS = replace(
    AGREE,
    id="sober.metric-pairs",
    part="two pairs",
    says="BetaVAE with FactorVAE, and MIG with DCI disentanglement, agree more than any other two metrics do.",
    deviations=("The paper compares printed correlations of seven metrics by eye.",),
    statistic="smallest lead in Spearman correlation of one of the two pairs over one of the nineteen others",
    rule=above(0.0),
)
STRONGEST = replace(
    PAIRS,
    part="MIG and DCI first",
    where="6.1, Figure 12",
    says="MIG with DCI disentanglement is the pair that agrees most of all.",
    deviations=(*PAIRS.deviations, "Said of dSprites; judged on its variants as well, each for itself."),
    statistic="smallest lead in Spearman correlation of MIG with DCI over one of the twenty other pairs",
)
NOT_STRONG = replace(
    AGREE,
    id="sober.consistency-vs-restrictiveness",
    part="trained models",
    where="6.1",
    says="Metrics of consistency (BetaVAE, FactorVAE) are not strongly correlated with one of restrictiveness (IRS).",
    statistic="larger of the Spearman correlations of BetaVAE and FactorVAE with IRS",
    rule=below(0.5),
)

# ------------------------------------------------------------------ models that look alike
NEAR = 0.02
FACTOR_OF_TWO = replace(
    AGREE,
    id="sober.mig-differs-at-equal-disentanglement",
    part="factor of two, trained",
    where="6.1, Figure 14",
    says="Models that are equally disentangled can differ by a factor of two in MIG.",
    kind="existence",
    population="pairs of models of one seed, each in the better half of that seed's models by DCI disentanglement",
    deviations=(
        f"Instead of looking at traversals: 'equally disentangled' is a difference of at most {NEAR} in DCI.",
        "Models of the better half only: near 0 a factor of two in MIG means nothing.",
    ),
    statistic="share of pairs of nearly equal DCI whose MIG differs by a factor of two or more",
    # One pair in twenty is no freak.
    rule=above(0.05),
    printed=Printed("0.66 against 0.33, one pair"),
    rollup="all",
)
APART = 0.05
OTHER_ORDER = replace(
    FACTOR_OF_TWO,
    part="other order than DCI, trained",
    says="MIG can order two models the other way round than DCI disentanglement.",
    population="pairs of models of one seed",
    deviations=(f"A pair counts where the one leads by {APART} in MIG and the other by {APART} in DCI.",),
    statistic="share of pairs that the two metrics order in opposite ways",
    # One pair in a hundred: among the 1,800 models of a data set of the study, 16,000 pairs.
    rule=above(0.01),
    printed=Printed("MIG 0.66 against 0.33, DCI 0.77 against 0.94, one pair"),
)


def _mean(rho: Correlation, pairs: Sequence[tuple[str, str]]) -> float:
    return float(np.mean([rho(a, b) for a, b in pairs]))


def smallest_agreement(population: Population) -> Estimate:
    pairs = list(combinations(FIVE, 2))
    return smallest_of(
        lambda level: from_correlations(population, FIVE, lambda rho: [rho(*p) for p in pairs], confidence=level),
        confidence=AGREE.confidence,
    )


def shortfall_of_irs(population: Population) -> Estimate:
    within, across = list(combinations(FIVE, 2)), [("irs", metric) for metric in FIVE]
    (gap,) = from_correlations(
        population,
        METRICS,
        lambda rho: [_mean(rho, within) - _mean(rho, across)],
        confidence=IRS_LESS.confidence,
    )
    return gap


def largest_correlation_with(population: Population, metric: str, others: Sequence[str]) -> Estimate:
    return largest_of(
        lambda level: from_correlations(
            population, (metric, *others), lambda rho: [rho(metric, other) for other in others], confidence=level
        ),
        confidence=AGREE.confidence,
    )


def lead_of_pairs(population: Population, leaders: Sequence[tuple[str, str]]) -> Estimate:
    """Smallest lead of one of some pairs over one of the pairs that are not among them."""
    rest = [pair for pair in combinations(sorted(METRICS), 2) if pair not in leaders]
    return smallest_of(
        lambda level: from_correlations(
            population,
            METRICS,
            lambda rho: [rho(*leader) - rho(*other) for leader in leaders for other in rest],
            confidence=level,
        ),
        confidence=PAIRS.confidence,
    )


def share_of_twofold(population: Population) -> Estimate:
    """Share of the pairs of nearly equal DCI, of one seed and its better half, with twice the MIG; 0 without pairs."""

    def share(dci: np.ndarray, mig: np.ndarray) -> float:
        first, second = np.triu_indices(dci.shape[1], k=1)
        good = dci >= np.median(dci, axis=1, keepdims=True)
        compared = good[:, first] & good[:, second] & (abs(dci[:, first] - dci[:, second]) <= NEAR)
        low, high = np.minimum(mig[:, first], mig[:, second]), np.maximum(mig[:, first], mig[:, second])
        return float((compared & (high > 0) & (high >= 2 * low)).sum() / max(compared.sum(), 1))

    return stacked_interval(population, share, ("dci", "mig"), confidence=FACTOR_OF_TWO.confidence)


def share_of_reversed(population: Population) -> Estimate:
    def share(dci: np.ndarray, mig: np.ndarray) -> float:
        first, second = np.triu_indices(dci.shape[1], k=1)
        in_dci, in_mig = dci[:, first] - dci[:, second], mig[:, first] - mig[:, second]
        return float((((in_dci >= APART) & (in_mig <= -APART)) | ((in_dci <= -APART) & (in_mig >= APART))).mean())

    return stacked_interval(population, share, ("dci", "mig"), confidence=OTHER_ORDER.confidence)


@AGREE.covers
def test_five_metrics_are_strongly_correlated(judge, unsupervised):
    judge(AGREE, smallest_agreement(unsupervised), population=unsupervised.name, deviations=unsupervised.deviations)


@IRS_LESS.covers
def test_irs_agrees_less_with_the_five_than_they_do(judge, unsupervised):
    judge(IRS_LESS, shortfall_of_irs(unsupervised), population=unsupervised.name, deviations=unsupervised.deviations)


@MODULARITY_APART.covers
def test_modularity_is_strongly_correlated_with_none(judge, unsupervised):
    estimate = largest_correlation_with(unsupervised, "modularity", FIVE)
    judge(MODULARITY_APART, estimate, population=unsupervised.name, deviations=unsupervised.deviations)


@PAIRS.covers
def test_two_pairs_of_metrics_agree_most(judge, unsupervised):
    estimate = lead_of_pairs(unsupervised, CLOSE)
    judge(PAIRS, estimate, population=unsupervised.name, deviations=unsupervised.deviations)


@STRONGEST.covers
def test_mig_and_dci_agree_most_of_all(judge, unsupervised):
    estimate = lead_of_pairs(unsupervised, CLOSE[1:])
    judge(STRONGEST, estimate, population=unsupervised.name, deviations=unsupervised.deviations)


@NOT_STRONG.covers
def test_irs_is_not_strongly_correlated_with_metrics_of_consistency(judge, unsupervised):
    estimate = largest_correlation_with(unsupervised, "irs", ("beta_vae_metric", "factor_vae"))
    judge(NOT_STRONG, estimate, population=unsupervised.name, deviations=unsupervised.deviations)


@FACTOR_OF_TWO.covers
def test_mig_differs_twofold_between_models_of_equal_dci(judge, unsupervised):
    estimate = share_of_twofold(unsupervised)
    judge(FACTOR_OF_TWO, estimate, population=unsupervised.name, deviations=unsupervised.deviations)


@OTHER_ORDER.covers
def test_mig_and_dci_order_pairs_of_models_in_opposite_ways(judge, unsupervised):
    estimate = share_of_reversed(unsupervised)
    judge(OTHER_ORDER, estimate, population=unsupervised.name, deviations=unsupervised.deviations)
