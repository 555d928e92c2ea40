"""A Sober Look, section 5.2 and appendix G: how high the total correlation of the mean codes is, and beside what."""

import numpy as np

from dbench.claims import Claim, above, below
from dbench.estimates.filters import filtered, kept_by
from dbench.estimates.simulated import ONE_IN_SIX_COLLAPSED, Law, Simulated
from dbench.estimates.zoo_among import SEVERAL_ACTIVE
from dbench.estimates.zoo_levels import ratio_to, ratios_to
from dbench.estimates.zoo_statistics import share_of_models
from dbench.stats import largest_of

TC, SAMPLED, ACTIVE = "gaussian_tc.mean", "gaussian_tc.sampled", "gaussian_tc.mean.active"
PLAIN_VAE = ("beta_vae", 1.0)
AMONG_ACTIVE = (
    "Over the active codes alone (KL above 0.01 nats): a collapsed code has a nearly constant mean whose residue can "
    "dominate the determinant. Models of fewer than two active codes are left out.",
)
MEANS = "Means over seeds, which one model can carry, where the paper's figure has medians."
RATIO = "mean total correlation of the mean codes divided by that of a plain VAE"


def models(**law):
    """Simulated models whose total correlations follow a law; one in six has fewer than two active codes."""
    laws = dict.fromkeys((TC, ACTIVE, SAMPLED, f"{SAMPLED}.active"), Law(**law))
    return Simulated(laws | {"kl.informative": ONE_IN_SIX_COLLAPSED})


def much_higher(mean, sampled):
    return mean > 2 * sampled + 0.01


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
    return largest_of(ratios_to(unsupervised, TC, "dip_vae_i", PLAIN_VAE))


DIP1_ACTIVE = DIP1_LOW.probe(
    "active codes",
    deviations=AMONG_ACTIVE,
    statistic="largest of the strengths' mean total correlations, divided by that of a plain VAE",
    rule=below(0.5, null=1.0),
)


@DIP1_ACTIVE.covers
def test_the_total_correlation_of_active_codes_of_dip_vae_i_is_low(unsupervised):
    found = largest_of(ratios_to(unsupervised, ACTIVE, "dip_vae_i", PLAIN_VAE, among=SEVERAL_ACTIVE))
    return filtered(found, kept_by(unsupervised, SEVERAL_ACTIVE, objectives=["dip_vae_i"]))


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
    return filtered(found, kept_by(population, SEVERAL_ACTIVE, objectives=["dip_vae_ii"]))


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
    return filtered(found, kept_by(unsupervised, SEVERAL_ACTIVE, objectives=["annealed_vae"]))


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
    return filtered(found, kept_by(unsupervised, SEVERAL_ACTIVE))
