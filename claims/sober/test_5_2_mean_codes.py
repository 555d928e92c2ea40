"""A Sober Look, section 5.2 and appendix G: the total correlation of the mean codes, objective against objective."""

from dataclasses import replace

import numpy as np
import pytest

from dbench.claims import Claim, above, below
from dbench.claims.population import Population
from dbench.claims.zoo_among import SEVERAL_ACTIVE, luck_at_strengths, mean_of_counted
from dbench.claims.zoo_levels import change_over_sweep, ratio_to, ratios_to
from dbench.claims.zoo_statistics import trend_with_strength
from dbench.errors import EvidenceLacking
from dbench.stats import Estimate, largest_of, smallest_of

PLAIN_VAE = ("beta_vae", 1.0)
SCORES = {"all": "gaussian_tc.mean", "active": "gaussian_tc.mean.active"}
AMONG = {"all": None, "active": SEVERAL_ACTIVE}
OBJECTIVES = ("annealed_vae", "beta_tcvae", "beta_vae", "dip_vae_i", "dip_vae_ii", "factor_vae")
BOTH_WAYS = (
    "Judged over all codes, as in the paper, and over the active ones (KL above 0.01 nats): a collapsed code has a "
    "nearly constant mean whose residue can dominate the determinant. Rev. 2: models of fewer than two active codes, "
    "which have no total correlation, are left out of the latter; before they counted as 0. A seed counts with half of "
    "its strengths left (three for a rank correlation, two for a change, which is from the first to the last left) and "
    "the plain VAE where that is compared; a strength looked at alone with half of the seeds left."
)

FACTOR_RISES = Claim(
    id="sober.tc-mean-rises",
    part="FactorVAE",
    where="5.2, Figure 3",
    says="For FactorVAE too the total correlation of the mean codes rises with the strength.",
    evidence="zoo",
    kind="direction",
    population="strength varied over six values, everything else fixed",
    deviations=(BOTH_WAYS, "'Less extreme' is read as a weaker trend than beta-VAE's: 0.3 instead of 0.5."),
    unit="seed",
    statistic="mean over seeds of Spearman's correlation between strength and Gaussian total correlation",
    rule=above(0.3),
    # Correlations of sweeps are skewed (docs/claims-guide.md).
    confidence=0.98,
    min_n=5,
    printed=None,
    tier="smoke",
    rollup="all",
    revision=2,
    superseded_by=None,
)
FACTOR_LESS = replace(
    FACTOR_RISES,
    part="FactorVAE less",
    says="The rise is less extreme for FactorVAE than for beta-VAE and beta-TCVAE.",
    kind="ranking",
    population="lowest and highest strength of a sweep; FactorVAE against beta-VAE and beta-TCVAE",
    deviations=(
        BOTH_WAYS,
        "'Extreme' is the size of the rise in nats from one end of the sweep to the other.",
        "Strengths of beta-VAE below 1, which the paper does not train, are left out.",
    ),
    statistic="smaller of the rises of beta-VAE and beta-TCVAE minus that of FactorVAE, nats",
    # Ten times what 10,000 uncorrelated codes of 10 dimensions come out at, twice: two ends of a sweep.
    rule=above(0.05),
    confidence=0.95,
)
DIP1_LOW = replace(
    FACTOR_LESS,
    id="sober.tc-mean-dip1-low",
    part="",
    says="DIP-VAE-I keeps the total correlation of the mean codes low at every strength.",
    kind="size",
    population="every strength of DIP-VAE-I against beta-VAE at strength 1",
    deviations=(BOTH_WAYS, "'Low' is read as less than half of a plain VAE's."),
    statistic="largest of the strengths' mean total correlations, divided by that of a plain VAE",
    rule=below(0.5),
)
DIP2_FAILS = replace(
    DIP1_LOW,
    id="sober.tc-mean-dip2-mixed",
    part="fails on dSprites",
    says="On dSprites DIP-VAE-II fails to factorise the mean codes.",
    population="all strengths of DIP-VAE-II against beta-VAE at strength 1",
    deviations=(
        BOTH_WAYS,
        "'Fails' is read as more than half of a plain VAE's total correlation, on average over the strengths.",
        "Variants of dSprites, of which the text says nothing, are judged as dSprites is.",
    ),
    statistic="mean total correlation of the mean codes divided by that of a plain VAE",
    rule=above(0.5),
    # Ratios are skewed: at 0.95 the rule errs in 5.8% of worlds at its margin (measured before there were any data).
    confidence=0.98,
)
DIP2_FACTORISES = replace(
    DIP2_FAILS,
    part="factorises elsewhere",
    says="On Shapes3D DIP-VAE-II leads to a factorised mean representation.",
    deviations=(BOTH_WAYS, "'Factorised' is read as less than half of a plain VAE's total correlation."),
    rule=below(0.5),
    confidence=0.95,
)
ANNEALED_HIGH = replace(
    DIP2_FAILS,
    id="sober.tc-mean-annealed-high",
    part="",
    where="5.2, Figure 30",
    says="AnnealedVAE has a very high total correlation of the mean codes.",
    population="all strengths of AnnealedVAE against beta-VAE at strength 1",
    deviations=(BOTH_WAYS, "'Very high' is read as more than twice a plain VAE's, on average over the strengths."),
    rule=above(2.0),
    confidence=0.95,
)
OVERLAP = replace(
    FACTOR_RISES,
    id="sober.tc-mean-overlap",
    part="",
    where="appendix G, Figure 33",
    says="The total correlation of the mean codes overlaps between strengths, as the scores do.",
    kind="existence",
    population="one objective at a time; strength and seed varied",
    deviations=(
        BOTH_WAYS,
        "Overlap is measured as for the scores (sober.seed-beats-hyperparameter): the higher of two runs at the lower "
        "setting against the lower of two at the higher one, more than half the time.",
    ),
    statistic="how often luck beats choice, averaged over all pairs of strengths",
    rule=above(0.5),
    confidence=0.95,
    rollup="each",
)
CODES = pytest.mark.parametrize("codes", sorted(SCORES))


def trend(population: Population, objective: str, codes: str) -> Estimate:
    return trend_with_strength(
        population, objective, SCORES[codes], among=AMONG[codes], confidence=FACTOR_RISES.confidence
    )


def rise_of_betas_beyond(population: Population, codes: str) -> Estimate:
    """How much more the betas rise over their sweeps than FactorVAE does."""
    score, among = SCORES[codes], AMONG[codes]
    rises = [
        change_over_sweep(population, score, "beta_tcvae", among=among),
        change_over_sweep(population, score, "beta_vae", start=1.0, among=among),
    ]
    factor = change_over_sweep(population, score, "factor_vae", among=among)
    return smallest_of(
        lambda level: [mean_of_counted(population, rise - factor, confidence=level) for rise in rises],
        confidence=FACTOR_LESS.confidence,
    )


def largest_share_of_plain(population: Population, objective: str, codes: str) -> Estimate:
    return largest_of(
        lambda level: ratios_to(population, SCORES[codes], objective, PLAIN_VAE, among=AMONG[codes], confidence=level),
        confidence=DIP1_LOW.confidence,
    )


def share_of_plain(card: Claim, population: Population, objective: str, codes: str) -> Estimate:
    return ratio_to(population, SCORES[codes], objective, PLAIN_VAE, among=AMONG[codes], confidence=card.confidence)


def luck_against_strength(population: Population, objective: str, codes: str) -> Estimate:
    return luck_at_strengths(population, SCORES[codes], objective, among=AMONG[codes], confidence=OVERLAP.confidence)


def only_of(population: Population, family: str) -> Population:
    """Return a population whose data set belongs to a family, by its name."""
    data = str(np.unique(population.table["data"])[0])
    if family not in data:
        raise EvidenceLacking(f"speaks of {family}, {population.name} of {data}")
    return population


@FACTOR_RISES.covers
@CODES
def test_the_mean_total_correlation_of_factor_vae_rises(judge, unsupervised, codes):
    estimate = trend(unsupervised, "factor_vae", codes)
    judge(FACTOR_RISES, estimate, population=unsupervised.name, deviations=unsupervised.deviations)


@FACTOR_LESS.covers
@CODES
def test_the_mean_total_correlation_of_factor_vae_rises_less(judge, unsupervised, codes):
    estimate = rise_of_betas_beyond(unsupervised, codes)
    judge(FACTOR_LESS, estimate, population=unsupervised.name, deviations=unsupervised.deviations)


@DIP1_LOW.covers
@CODES
def test_the_mean_total_correlation_of_dip_vae_i_is_low_at_every_strength(judge, unsupervised, codes):
    estimate = largest_share_of_plain(unsupervised, "dip_vae_i", codes)
    judge(DIP1_LOW, estimate, population=unsupervised.name, deviations=unsupervised.deviations)


@DIP2_FAILS.covers
@CODES
def test_dip_vae_ii_does_not_factorise_the_mean_codes_of_dsprites(judge, unsupervised, codes):
    estimate = share_of_plain(DIP2_FAILS, only_of(unsupervised, "dsprites"), "dip_vae_ii", codes)
    judge(DIP2_FAILS, estimate, population=unsupervised.name, deviations=unsupervised.deviations)


@DIP2_FACTORISES.covers
@CODES
def test_dip_vae_ii_factorises_the_mean_codes_of_shapes3d(judge, data_set, codes):
    population = data_set("shapes3d")
    estimate = share_of_plain(DIP2_FACTORISES, population, "dip_vae_ii", codes)
    judge(DIP2_FACTORISES, estimate, population=population.name, deviations=population.deviations)


@ANNEALED_HIGH.covers
@CODES
def test_the_mean_total_correlation_of_annealed_vae_is_very_high(judge, unsupervised, codes):
    estimate = share_of_plain(ANNEALED_HIGH, unsupervised, "annealed_vae", codes)
    judge(ANNEALED_HIGH, estimate, population=unsupervised.name, deviations=unsupervised.deviations)


@OVERLAP.covers
@CODES
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_the_mean_total_correlation_overlaps_between_strengths(judge, unsupervised, objective, codes):
    estimate = luck_against_strength(unsupervised, objective, codes)
    judge(OVERLAP, estimate, population=unsupervised.name, deviations=unsupervised.deviations)
