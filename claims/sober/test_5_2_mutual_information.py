"""A Sober Look, section 5.2 and appendix G: the average mutual information of two codes, against the strength."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dbench.claims import Claim, above, below
from dbench.claims.population import Population
from dbench.stats import Estimate, mean_interval, sweep_correlations

ALL = ("annealed_vae", "beta_tcvae", "beta_vae", "dip_vae_i", "dip_vae_ii", "factor_vae")
EXCEPT_DIP_VAE_I = tuple(objective for objective in ALL if objective != "dip_vae_i")
# A larger capacity regularises less.
AGAINST_STRENGTH = ("annealed_vae",)

SAMPLED_FALLS = Claim(
    id="sober.code-mi-direction",
    part="sampled codes",
    where="5.2, appendix G, Figure 31",
    says="The average mutual information of two sampled codes generally falls with the strength, but for DIP-VAE-I.",
    evidence="zoo",
    kind="direction",
    population="five objectives; strength varied over six values, everything else fixed",
    deviations=(
        "'Generally' is read as on average over the objectives.",
        "AnnealedVAE's capacity counts from the largest to the smallest, as the regularisation grows.",
        "Collapsed codes are in it: no such score of the active codes alone is in the table.",
        "The paper shows medians of 50 seeds by eye; here each seed's own sweep is ranked.",
    ),
    unit="seed",
    statistic="mean over seeds and objectives of Spearman's correlation between regularisation and information",
    # As for the weaker trends of the total correlation.
    rule=below(-0.3),
    # Correlations of sweeps are skewed (docs/claims-guide.md).
    confidence=0.98,
    min_n=5,
    printed=None,
    tier="smoke",
    rollup="all",
    revision=1,
    superseded_by=None,
)
DIP1_RISES = replace(
    SAMPLED_FALLS,
    part="sampled codes of DIP-VAE-I",
    says="For DIP-VAE-I the average mutual information of two sampled codes rises with the strength.",
    population="DIP-VAE-I; strength varied over six values, everything else fixed",
    deviations=SAMPLED_FALLS.deviations[2:],
    statistic="mean over seeds of Spearman's correlation between strength and information",
    rule=above(0.3),
)
MEAN_RISES = replace(
    SAMPLED_FALLS,
    part="mean codes",
    where="5.2, appendix G, Figure 32",
    says="The average mutual information of two mean codes generally rises with the strength.",
    population="six objectives; strength varied over six values, everything else fixed",
    rule=above(0.3),
)


def general_trend(population: Population, score: str, objectives: Sequence[str]) -> Estimate:
    """Average the sweeps' rank correlations with the regularisation over objectives, one number a seed."""
    seeds = population.seeds()
    trends = [
        (-1 if objective in AGAINST_STRENGTH else 1)
        * sweep_correlations(population.strengths(objective), population.scores(score, objective, seeds=seeds))
        for objective in objectives
    ]
    return mean_interval(np.mean(trends, axis=0), confidence=SAMPLED_FALLS.confidence)


@SAMPLED_FALLS.covers
def test_the_mutual_information_of_sampled_codes_falls(judge, unsupervised):
    estimate = general_trend(unsupervised, "mutual_information.sampled", EXCEPT_DIP_VAE_I)
    judge(SAMPLED_FALLS, estimate, population=unsupervised.name, deviations=unsupervised.deviations)


@DIP1_RISES.covers
def test_the_mutual_information_of_sampled_codes_of_dip_vae_i_rises(judge, unsupervised):
    estimate = general_trend(unsupervised, "mutual_information.sampled", ["dip_vae_i"])
    judge(DIP1_RISES, estimate, population=unsupervised.name, deviations=unsupervised.deviations)


@MEAN_RISES.covers
def test_the_mutual_information_of_mean_codes_rises(judge, unsupervised):
    estimate = general_trend(unsupervised, "mutual_information.mean", ALL)
    judge(MEAN_RISES, estimate, population=unsupervised.name, deviations=unsupervised.deviations)
