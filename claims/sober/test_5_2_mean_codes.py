"""A Sober Look, section 5.2: how the total correlation of the mean codes goes with the strength."""

import pytest

from dbench.claims import EVERY_PART, Claim, above, every_part
from dbench.estimates.filters import filtered, kept_by
from dbench.estimates.simulated import ONE_IN_SIX_COLLAPSED, Law, Simulated
from dbench.estimates.zoo_among import SEVERAL_ACTIVE
from dbench.estimates.zoo_levels import change_over_sweep, luck_over_choice, place_of
from dbench.estimates.zoo_statistics import trend_with_strength
from dbench.stats import mean_of, smallest_of

TC, ACTIVE = "gaussian_tc.mean", "gaussian_tc.mean.active"
BETAS = ("beta_tcvae", "beta_vae")
OBJECTIVES = ("annealed_vae", *BETAS, "dip_vae_i", "dip_vae_ii", "factor_vae")
MEDIANS = "The paper shows medians of 50 seeds by eye; here each seed's own sweep is ranked."
TREND = "mean over seeds of Spearman's correlation between strength and Gaussian total correlation"
AMONG_ACTIVE = (
    "Over the active codes alone (KL above 0.01 nats): a collapsed code has a nearly constant mean whose residue can "
    "dominate the determinant. Models of fewer than two active codes are left out.",
)
# Of the trend, and of the rise over what it rises from: doubled.
CLEARLY, SUBSTANTIALLY = 0.7, 1.0
TREND_AND_RISE = (
    f"smallest, on a scale of which 1 is the bound, of two numbers of each objective: {TREND}, above {CLEARLY}; the "
    f"rise from strength 1 to the highest, over what it rises from, above {SUBSTANTIALLY:g}"
)
OF_ONE = "strength varied over six values, everything else fixed"


def models(**law):
    """Simulated models whose total correlations follow a law; one in six has fewer than two active codes."""
    laws = dict.fromkeys((TC, ACTIVE), Law(**law))
    return Simulated(laws | {"kl.informative": ONE_IN_SIX_COLLAPSED})


def rises(population, objectives):
    starts = {o: place_of(population, (o, 1.0)) for o in objectives}

    def relative(tables):
        means = {o: tables[TC, o].mean(axis=0) for o in objectives}
        return [(means[o][-1] - means[o][start]) / max(means[o][start], 0.1) for o, start in starts.items()]

    trends = [trend_with_strength(population, o, TC) for o in objectives]
    rules = {f"{o}: trend": above(CLEARLY, null=0.0) for o in objectives}
    rules |= {f"{o}: relative rise": above(SUBSTANTIALLY, null=0.0) for o in objectives}
    return every_part([*trends, *population.estimates(relative, scores=[TC], objectives=objectives)], rules)


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
    return filtered(smallest_of(found), kept_by(unsupervised, SEVERAL_ACTIVE, objectives=BETAS))


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
