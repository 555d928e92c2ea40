"""A Sober Look, section 5.2 and appendix G: the total correlation of the mean codes, objective against objective."""

import numpy as np
import pytest

from dbench.claims import EVERY_PART, Claim, above, below, every_part
from dbench.estimates.filters import filtered, kept_by
from dbench.estimates.simulated import Law, Simulated
from dbench.estimates.zoo_among import SEVERAL_ACTIVE
from dbench.estimates.zoo_levels import change_over_sweep, luck_over_choice, place_of, ratio_to, ratios_to
from dbench.estimates.zoo_statistics import share_of_models, trend_with_strength
from dbench.stats import largest_of, mean_of, smallest_of

TC, SAMPLED, ACTIVE = "gaussian_tc.mean", "gaussian_tc.sampled", "gaussian_tc.mean.active"
PLAIN_VAE = ("beta_vae", 1.0)
BETAS = ("beta_tcvae", "beta_vae")
OBJECTIVES = ("annealed_vae", *BETAS, "dip_vae_i", "dip_vae_ii", "factor_vae")
MEDIANS = "The paper shows medians of 50 seeds by eye; here each seed's own sweep is ranked."
AMONG_ACTIVE = (
    "Over the active codes alone (KL above 0.01 nats): a collapsed code has a nearly constant mean whose residue can "
    "dominate the determinant. Models of fewer than two active codes are left out.",
)
MEANS = "Means over seeds, which one model can carry, where the paper's figure has medians."
TREND = "mean over seeds of Spearman's correlation between strength and Gaussian total correlation"
# Of the trend, and of the rise over what it rises from: doubled.
CLEARLY, SUBSTANTIALLY = 0.7, 1.0
TREND_AND_RISE = (
    f"smallest, on a scale of which 1 is the bound, of two numbers of each objective: {TREND}, above {CLEARLY}; the "
    f"rise from strength 1 to the highest, over what it rises from, above {SUBSTANTIALLY:g}"
)
RATIO = "mean total correlation of the mean codes divided by that of a plain VAE"
OF_ONE = "strength varied over six values, everything else fixed"


def models(**law):
    """Simulated models whose total correlations follow a law; one in six has fewer than two active codes."""
    scores = (TC, ACTIVE, SAMPLED, f"{SAMPLED}.active")
    return Simulated(dict.fromkeys(scores, Law(**law)) | {"kl.informative": Law(mean=1.0, shape=one_or_three)})


def one_or_three(codes):
    return np.where(codes > 0, 3.0, 1.0)


def rises(population, objectives):
    starts = {o: place_of(population, (o, 1.0)) for o in objectives}

    def relative(tables):
        means = {o: tables[TC, o].mean(axis=0) for o in objectives}
        return [(means[o][-1] - means[o][start]) / max(means[o][start], 0.1) for o, start in starts.items()]

    trends = [trend_with_strength(population, o, TC) for o in objectives]
    rules = {f"{o}: trend": above(CLEARLY, null=0.0) for o in objectives}
    rules |= {f"{o}: relative rise": above(SUBSTANTIALLY, null=0.0) for o in objectives}
    return every_part([*trends, *population.estimates(relative, scores=[TC], objectives=objectives)], rules)


def consistent_share(population, score, **options):
    return largest_of(ratios_to(population, score, "dip_vae_i", PLAIN_VAE, **options))


def much_higher(mean, sampled):
    return mean > 2 * sampled + 0.01


def among_active(population, estimate, *objectives):
    """Note how many models had too few active codes; the score is another one even where none had."""
    kept = kept_by(population, SEVERAL_ACTIVE, objectives=objectives or None)
    return estimate if kept.all() else filtered(estimate, kept)


RISES = Claim.zoo(
    id="sober.tc-mean-rises",
    quote="We observe that, for β -VAE and β -TCVAE, increased regularization leads to a substantially increased total "
    "correlation of the mean representations.",
    population="beta-VAE and beta-TCVAE; strength varied over six values, everything else fixed",
    deviations=(
        MEDIANS,
        "'Substantially' is to more than twice of what it is at the plain VAE's strength, 1, where less than 0.1 nats "
        "counts as 0.1.",
    ),
    statistic=TREND_AND_RISE,
    rule=EVERY_PART,
    source="paper: substantially increased, clearly rises",
    confidence=0.98,
    false={"unsupervised": models(trend=-5.0)},
    revision=5,
)


@RISES.covers
def test_the_mean_total_correlation_of_both_betas_rises(unsupervised):
    return rises(unsupervised, BETAS)


EACH_RISES = RISES.cell(
    "each objective",
    population=OF_ONE,
    statistic=TREND_AND_RISE,
    rule=EVERY_PART,
)


@EACH_RISES.covers
@pytest.mark.parametrize("objective", BETAS)
def test_the_mean_total_correlation_rises(unsupervised, objective):
    return rises(unsupervised, (objective,))


RISES_ACTIVE = RISES.probe(
    "active codes",
    says="Over active codes too the total correlation of the mean codes rises with the strength.",
    deviations=(MEDIANS, *AMONG_ACTIVE),
    statistic=f"{TREND}, the smaller of the two objectives'",
    rule=above(CLEARLY, null=0.0),
    source="lexicon: clearly rises",
    revision=4,
)


@RISES_ACTIVE.covers
def test_the_mean_total_correlation_of_active_codes_rises(unsupervised):
    found = [trend_with_strength(unsupervised, o, ACTIVE, among=SEVERAL_ACTIVE) for o in BETAS]
    return among_active(unsupervised, smallest_of(found), *BETAS)


FACTOR_RISES = RISES.cell(
    "FactorVAE",
    role="primary",
    quote="This effect can also be observed for for FactorVAE, albeit in a less extreme fashion.",
    says="For FactorVAE too the total correlation of the mean codes rises with the strength.",
    population=OF_ONE,
    deviations=(MEDIANS,),
    statistic=TREND,
    rule=above(0.0),
    source="sign",
)


@FACTOR_RISES.covers
def test_the_mean_total_correlation_of_factor_vae_rises(unsupervised):
    return trend_with_strength(unsupervised, "factor_vae", TC)


FACTOR_LESS = RISES.cell(
    "FactorVAE less",
    role="primary",
    quote="This effect can also be observed for for FactorVAE, albeit in a less extreme fashion.",
    says="The rise is less extreme for FactorVAE than for beta-VAE and beta-TCVAE.",
    population="lowest and highest strength of a sweep; FactorVAE against beta-VAE and beta-TCVAE",
    deviations=(
        "'Extreme' is the size of the rise in nats from one end of the sweep to the other.",
        "Strengths of beta-VAE below 1, which the paper does not train, are left out.",
    ),
    statistic="smaller of the rises of beta-VAE and beta-TCVAE minus that of FactorVAE, nats",
    rule=above(0.0),
    source="sign",
    confidence=0.95,
    false={"unsupervised": models(trend={"factor_vae": 5.0})},
)


@FACTOR_LESS.covers
def test_the_mean_total_correlation_of_factor_vae_rises_less(unsupervised):
    rise = {o: change_over_sweep(unsupervised, TC, o) for o in ("beta_tcvae", "factor_vae")}
    rise["beta_vae"] = change_over_sweep(unsupervised, TC, "beta_vae", start=1.0)
    return smallest_of([mean_of(rise[beta] - rise["factor_vae"]) for beta in BETAS])


DIP1_LOW = Claim.zoo(
    id="sober.tc-mean-dip1-low",
    quote="For DIP-VAE-I, we observe that the total correlation of the mean representation is consistently low.",
    population="every strength of DIP-VAE-I against beta-VAE at strength 1",
    deviations=("'Low' is read as less than half of a plain VAE's.", MEANS),
    statistic="largest of the strengths' mean total correlations, divided by that of a plain VAE",
    rule=below(0.5, null=1.0),
    source="paper: low",
    false={"unsupervised": models(mean={"dip_vae_i": 1.0}, noise=0.3, shape=np.exp)},
    revision=3,
)


@DIP1_LOW.covers
def test_the_mean_total_correlation_of_dip_vae_i_is_low_at_every_strength(unsupervised):
    return consistent_share(unsupervised, TC)


DIP1_ACTIVE = DIP1_LOW.probe(
    "active codes",
    deviations=AMONG_ACTIVE,
    statistic="largest of the strengths' mean total correlations, divided by that of a plain VAE",
    rule=below(0.5, null=1.0),
)


@DIP1_ACTIVE.covers
def test_the_total_correlation_of_active_codes_of_dip_vae_i_is_low(unsupervised):
    found = consistent_share(unsupervised, ACTIVE, among=SEVERAL_ACTIVE)
    return among_active(unsupervised, found, "dip_vae_i")


DIP2_FAILS = Claim.zoo(
    id="sober.tc-mean-dip2-mixed",
    quote="The DIP-VAE-II objective which enforces the covariance matrix of the sampled representation to be diagonal "
    "seems to lead to a factorized mean representation on some data sets (for example Shapes3D), but also seems to "
    "fail on others (dSprites, MPI3D).",
    population="all strengths of DIP-VAE-II against beta-VAE at strength 1, on dSprites",
    deviations=(
        "'Fails' is read as no lower than a plain VAE's total correlation, averaged over the strengths.",
        MEANS,
    ),
    statistic=RATIO,
    rule=above(1.0, null=0.5),
    source="paper: fail",
    # Ratios are skewed: at 0.95 the rule errs in 5.8% of worlds at its margin (measured before there were any data).
    confidence=0.98,
    false={"data_set": models(mean={"dip_vae_ii": -2.0}, noise=0.3, shape=np.exp)},
    revision=3,
)


@DIP2_FAILS.covers
def test_dip_vae_ii_does_not_factorise_the_mean_codes_of_dsprites(data_set):
    return ratio_to(data_set("dsprites"), TC, "dip_vae_ii", PLAIN_VAE)


DIP2_ACTIVE = DIP2_FAILS.probe(
    "active codes",
    deviations=AMONG_ACTIVE,
    statistic=RATIO,
    rule=above(1.0, null=0.5),
)


@DIP2_ACTIVE.covers
def test_dip_vae_ii_does_not_factorise_the_active_codes_of_dsprites(data_set):
    population = data_set("dsprites")
    found = ratio_to(population, ACTIVE, "dip_vae_ii", PLAIN_VAE, among=SEVERAL_ACTIVE)
    return among_active(population, found, "dip_vae_ii")


DIP2_FACTORISES = DIP2_FAILS.cell(
    "factorises elsewhere",
    says="On Shapes3D DIP-VAE-II leads to a factorised mean representation.",
    population="all strengths of DIP-VAE-II against beta-VAE at strength 1, on Shapes3D",
    deviations=("'Factorised' is read as less than half of a plain VAE's total correlation.",),
    statistic=RATIO,
    rule=below(0.5, null=1.0),
    source="paper: low",
    confidence=0.95,
    false={"data_set": models(noise=0.3, shape=np.exp)},
)


@DIP2_FACTORISES.covers
def test_dip_vae_ii_factorises_the_mean_codes_of_shapes3d(data_set):
    return ratio_to(data_set("shapes3d"), TC, "dip_vae_ii", PLAIN_VAE)


ANNEALED_HIGH = Claim.zoo(
    id="sober.tc-mean-annealed-high",
    quote="For AnnealedVAE (shown in Figure 30 in the Appendix), we overall observe mean representations with a very "
    "high total correlation.",
    population="all strengths of AnnealedVAE against beta-VAE at strength 1",
    deviations=("'Very high' is read as more than twice a plain VAE's, on average over the strengths.", MEANS),
    statistic=RATIO,
    rule=above(2.0, null=1.0),
    source="paper: very high",
    false={"unsupervised": models(noise=0.3, shape=np.exp)},
    revision=3,
)


@ANNEALED_HIGH.covers
def test_the_mean_total_correlation_of_annealed_vae_is_very_high(unsupervised):
    return ratio_to(unsupervised, TC, "annealed_vae", PLAIN_VAE)


ANNEALED_ACTIVE = ANNEALED_HIGH.probe(
    "active codes",
    deviations=AMONG_ACTIVE,
    statistic=RATIO,
    rule=above(2.0, null=1.0),
)


@ANNEALED_ACTIVE.covers
def test_the_total_correlation_of_active_codes_of_annealed_vae_is_very_high(unsupervised):
    found = ratio_to(unsupervised, ACTIVE, "annealed_vae", PLAIN_VAE, among=SEVERAL_ACTIVE)
    return among_active(unsupervised, found, "annealed_vae")


EXCEEDS = Claim.zoo(
    id="sober.tc-mean-exceeds-sampled",
    quote="It can be clearly seen that for a large number of models, the total correlation of the mean representations "
    "is much higher than that of the sampled representations.",
    deviations=(
        "'A large number' is more than half of the models; 'much higher' is more than twice as high and by more "
        "than 0.01 nats, five times what 10,000 uncorrelated codes of 10 dimensions come out at.",
        "That it is higher at all is no finding: a sample adds noise to each code alone, which cannot raise it.",
    ),
    statistic="mean over seeds of the share of models whose mean codes have the much higher total correlation",
    rule=above(0.5, null=0.0),
    source="lexicon: a large number",
    false={"unsupervised": models(noise=0.4, shape=np.exp)},
    revision=4,
)


@EXCEEDS.covers
def test_many_models_have_the_much_higher_total_correlation_in_the_mean(unsupervised):
    return share_of_models(unsupervised, much_higher, [TC, SAMPLED])


EXCEEDS_ACTIVE = EXCEEDS.probe(
    "active codes",
    deviations=AMONG_ACTIVE,
    statistic="mean over seeds of the share of models whose mean codes have the much higher total correlation",
    rule=above(0.5, null=0.0),
)


@EXCEEDS_ACTIVE.covers
def test_many_models_have_the_much_higher_total_correlation_in_the_mean_of_active_codes(unsupervised):
    scores = [ACTIVE, f"{SAMPLED}.active"]
    found = share_of_models(unsupervised, much_higher, scores, among=SEVERAL_ACTIVE)
    return among_active(unsupervised, found)


OVERLAP = Claim.zoo(
    id="sober.tc-mean-overlap",
    quote="Overall, we note that the different hyperparameters settings produce representations whose total "
    "correlation significantly overlaps. This trend is comparable to what we observed in Figure 6 for the "
    "disentanglement scores on Cars3D.",
    population="six objectives; strength and seed varied",
    deviations=(
        "Overlap is measured as for the scores (sober.seed-beats-hyperparameter): the higher of two runs at the lower "
        "setting against the lower of two at the higher one, more than half of the time.",
    ),
    statistic="how often luck beats choice, averaged over all pairs of strengths and over objectives",
    rule=above(0.5, null=0.0),
    source="lexicon: significantly overlaps",
    false={"unsupervised": models(trend=10.0)},
    revision=5,
)


@OVERLAP.covers
def test_the_mean_total_correlation_overlaps_between_strengths_on_average(unsupervised):
    return luck_over_choice(unsupervised, [TC], OBJECTIVES)


EACH_OVERLAPS = OVERLAP.cell(
    "each objective",
    population="one objective; strength and seed varied",
    statistic="how often luck beats choice, averaged over all pairs of strengths",
    rule=above(0.5, null=0.0),
    revision=4,
)


@EACH_OVERLAPS.covers
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_the_mean_total_correlation_overlaps_between_strengths(unsupervised, objective):
    return luck_over_choice(unsupervised, [TC], [objective])
