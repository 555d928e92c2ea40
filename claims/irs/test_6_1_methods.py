"""IRS, section 6.1, Table 1 with models of our own: how four metrics rank five methods, and what robustness costs."""

from itertools import combinations

import numpy as np
import pytest
from scipy.special import expit

from dbench.claims import Claim, Printed, above, below
from dbench.errors import EvidenceLacking
from dbench.estimates.filters import filtered, kept_by
from dbench.estimates.relations import importance_scores, relations_of
from dbench.estimates.simulated import Law, Simulated
from dbench.estimates.zoo_among import SEVERAL_ACTIVE
from dbench.estimates.zoo_statistics import settings_of, stacked
from dbench.stats import mean_of, most_below, rank_correlation, smallest_of

# Of a disentangled structure; Table 1 has informativeness beside them.
METRICS = ("irs", "feature_importance", "mutual_information")
# The strengths printed in appendix D.2, or what stands for them in the sweep: capacity 20 and gamma 6.4 are not in it.
# Nearest to capacity 20 is 25 of the papers' 5 to 100, which no population has beside 4; its place on a log scale is at
# 3.2 of the 0.5 to 16 at 16 x 16 pixels, and nearest to that is 4.
METHODS = {
    "vae": ("beta_vae", (1.0,)),
    "annealed_vae": ("annealed_vae", (4.0, 25.0)),
    "dip_vae": ("dip_vae_i", (10.0,)),
    "factor_vae": ("factor_vae", (10.0,)),
    "beta_tcvae": ("beta_tcvae", (6.0,)),
}

ONE_MODEL = (
    "The paper's table is of one model a method and 'not primarily evaluating which methods work best': as a sentence "
    "on methods it is ours."
)
AT_STRENGTHS = (
    "The methods at the strengths of appendix D.2, or the nearest trained: gamma 10 for 6.4; for capacity 20 the "
    "nearest of 5 to 100, 25, and where the sweep is 0.5 to 16 the nearest to the same place in it, 4; or averaged "
    "over their strengths, but for the plain VAE (beta-VAE at 1)."
)
TREES = (
    "Feature importance and informativeness: 10 trees of depth 6, one candidate a split; test points for "
    "out-of-bag ones."
)
AVERAGES = (
    "Section 6.1 has feature importance averaged plainly and MI weighted, appendix D.1 the other way round; here "
    "feature importance is averaged plainly unless named otherwise, MI always."
)
# The strengths printed are the paper's; averages over all strengths are ours.
STRENGTHS = pytest.mark.parametrize("strengths", ["printed", "all"])


def five_models(**laws):
    """One simulated model of each of the five methods a seed."""
    names = {"informed": "dci.single.informativeness", "information": "modularity"}
    laws = {names.get(name, name): law for name, law in laws.items()}
    return {"unsupervised": Simulated(laws, objectives={o: strengths[:1] for o, strengths in METHODS.values()})}


def importance(**law):
    """One code, which holds one factor fully: the more the law says of the other one, the less important it looks."""
    own, other = (f"relation.importance_single.{factor}.0" for factor in range(2))
    return {own: Law(mean=1.0, noise=0.0), other: Law(**law, shape=expit)}


def metric_of_models(population, metric, average="plain"):
    """Seeds x settings."""
    if metric == "feature_importance":
        scores, relations = importance_scores(population), relations_of(population, "importance_single")
        weights = relations.sum(axis=-1) if average == "weighted" else np.ones_like(scores)
        total = weights.sum(axis=-1)
        return np.divide((weights * scores).sum(axis=-1), total, out=np.zeros_like(total), where=total > 0)
    name = {"mutual_information": "modularity", "informativeness": "dci.single.informativeness"}.get(metric, metric)
    return settings_of(population, name)


def by_method(population, values, strengths, methods=tuple(METHODS)):
    """Seeds x methods, in the order asked for, from seeds x settings."""
    settings = [(o, float(s)) for o in population.objectives for s in population.strengths(o)]
    columns = []
    for method in methods:
        objective, printed = METHODS[method]
        one = next((s for s in printed if (objective, s) in settings), None)
        alone = strengths == "printed" or method == "vae"
        chosen = [i for i, (o, s) in enumerate(settings) if o == objective and (s == one or not alone)]
        if not chosen:
            named = " or ".join(f"{s:g}" for s in printed)
            raise EvidenceLacking(f"{population.name} holds no {objective} of strength {named}")
        columns.append(values[:, chosen].mean(axis=1))
    return np.stack(columns, axis=1)


def leads(scores, method):
    """Smallest lead of a method over another; the methods' scores are seeds x methods."""
    number = list(METHODS).index(method)
    others = np.delete(scores, number, axis=1)
    return smallest_of([mean_of(lead) for lead in (scores[:, [number]] - others).T])


DIFFER = Claim.zoo(
    id="irs.method-table",
    quote="different metrics do not always agree with each other about which model disen[...]tangles best.",
    part="trained",
    population="five methods, one model of each a seed; seeds varied",
    deviations=(
        "Two rankings differ if their rank correlation is negative. Informativeness is no measure of disentanglement.",
        AT_STRENGTHS,
        TREES,
        AVERAGES,
    ),
    statistic="mean over seeds of the rank correlation of two metrics over the methods, of the pairs the smallest",
    rule=below(0.0, null=1.0),
    source="sign",
    false=five_models(
        **dict.fromkeys(("irs", "information"), Law(loads={"quality": 1.0}, noise=0.01)),
        **importance(loads={"quality": -1.0}, noise=0.01),
    ),
    roles={"all": "probe"},
    revision=5,
)


@DIFFER.covers
@STRENGTHS
def test_metrics_do_not_always_rank_the_methods_alike(unsupervised, strengths):
    tables = [by_method(unsupervised, metric_of_models(unsupervised, metric), strengths) for metric in METRICS]
    pairs = combinations(tables, 2)
    agreements = [[rank_correlation(a, b) for a, b in zip(*pair, strict=True)] for pair in pairs]
    return smallest_of([mean_of(one) for one in agreements])


LEADS = DIFFER.probe(
    "trained, beta_tcvae leads by irs",
    says="beta-TCVAE scores highest by IRS.",
    deviations=(AT_STRENGTHS, ONE_MODEL),
    statistic="IRS of beta-TCVAE minus that of another method, the smallest",
    # Half of the smallest difference between neighbours in the table, 0.06.
    rule=above(0.03, null=0.0),
    false=five_models(irs=Law(mean={"beta_tcvae": -0.2}, noise=0.05)),
    printed=Printed("0.72 against 0.57", 0.15),
)


@LEADS.covers
@STRENGTHS
def test_beta_tcvae_leads_by_irs(unsupervised, strengths):
    return leads(by_method(unsupervised, metric_of_models(unsupervised, "irs"), strengths), "beta_tcvae")


TRAILS = DIFFER.probe(
    "trained, beta_tcvae trails by feature importance",
    says="beta-TCVAE scores lowest by feature importance.",
    deviations=(AT_STRENGTHS, TREES, AVERAGES, ONE_MODEL),
    statistic="feature importance of another method minus that of beta-TCVAE, the smallest",
    # Half of the smallest difference between neighbours in the table, 0.04.
    rule=above(0.02, null=0.0),
    false=five_models(**importance(mean={"beta_tcvae": -2.0}, noise=0.1)),
    printed=Printed("0.16 against 0.23", 0.07),
)


@TRAILS.covers
@STRENGTHS
@pytest.mark.parametrize("average", ["plain", "weighted"])
def test_beta_tcvae_trails_by_feature_importance(unsupervised, strengths, average):
    scores = by_method(unsupervised, metric_of_models(unsupervised, "feature_importance", average), strengths)
    return leads(-scores, "beta_tcvae")


LAST = DIFFER.probe(
    "trained, vae last by irs",
    says="The plain VAE scores lowest by IRS.",
    deviations=(
        AT_STRENGTHS,
        ONE_MODEL,
        "A Sober Look has DIP-VAE-I lowest by IRS: the two papers do not agree here.",
    ),
    statistic="IRS of another method minus that of the plain VAE, the smallest",
    # As of the method that leads.
    rule=above(0.03, null=0.0),
    false=five_models(irs=Law(mean={"beta_vae": 0.2}, noise=0.05)),
    printed=Printed("0.33 against 0.43", 0.10),
)


@LAST.covers
@STRENGTHS
def test_the_plain_vae_is_last_by_irs(unsupervised, strengths):
    return leads(-by_method(unsupervised, metric_of_models(unsupervised, "irs"), strengths), "vae")


TRADE_OFF = Claim.zoo(
    id="irs.information-trade-off",
    quote="there is often a trade-off between a disentangled structure and information being preserved.",
    part="trained",
    deviations=(
        TREES,
        "Over models of all strengths instead of five methods.",
        "Those of two or more informative codes are looked at apart: a collapsed one knows nothing.",
    ),
    statistic="Spearman of IRS and informativeness, models pooled",
    rule=below(0.0),
    source="sign",
    false=five_models(
        **dict.fromkeys(("irs", "informed"), Law(loads={"quality": 1.0}, noise=0.2)),
        **{"kl.informative": Law(mean=4.0, noise=0.0)},
    ),
    given={"models": "all"},
    filtered={"models": "informative"},
    revision=2,
)


@TRADE_OFF.covers
def test_more_robust_models_know_less(unsupervised, models):
    def statistic(robust, informed, number):
        kept = number >= (2 if models == "informative" else 0)
        return rank_correlation(robust[kept], informed[kept]) if kept.sum() > 1 else 0.0

    found = stacked(unsupervised, statistic, ("irs", "dci.single.informativeness", "kl.informative"))
    return found if models == "all" else filtered(found, kept_by(unsupervised, SEVERAL_ACTIVE))


OFTEN = TRADE_OFF.cell(
    "trained, most objectives",
    role="primary",
    says="In most objectives models that are more robust know less.",
    deviations=(TREES, "'Often' is read as in more than half of the objectives, each over its strengths and seeds."),
    statistic="Spearman of IRS and informativeness within an objective: what more than half of them do not exceed",
    rule=below(0.0),
    revision=1,
)


@OFTEN.covers
def test_in_most_objectives_more_robust_models_know_less(unsupervised):
    scores, objectives = ("irs", "dci.single.informativeness"), unsupervised.objectives

    def correlation(robust, informed):
        return rank_correlation(robust.ravel(), informed.ravel())

    return most_below([stacked(unsupervised, correlation, scores, objectives=[o]) for o in objectives])


EXAMPLE = TRADE_OFF.cell(
    "trained, beta_tcvae against vae",
    says="beta-TCVAE is more robust than the plain VAE, and knows less.",
    population="beta-TCVAE and plain VAE, one model of each a seed; seeds varied",
    deviations=(TREES, "beta-TCVAE at strength 6; the plain VAE is beta-VAE at 1."),
    statistic="smaller of: gain in IRS, loss in informativeness",
    rule=above(0.0),
    false=five_models(
        irs=Law(mean={"beta_tcvae": 0.4}, noise=0.05),
        informed=Law(mean={"beta_tcvae": 0.1}, noise=0.03),
    ),
    printed=Printed("IRS .72 against .33, Info .74 against .82"),
    revision=5,
)


@EXAMPLE.covers
def test_beta_tcvae_is_more_robust_than_the_plain_vae_and_knows_less(unsupervised):
    robust, informed = (
        by_method(unsupervised, metric_of_models(unsupervised, metric), "printed", ("beta_tcvae", "vae"))
        for metric in ("irs", "informativeness")
    )
    return smallest_of([mean_of(robust[:, 0] - robust[:, 1]), mean_of(informed[:, 1] - informed[:, 0])])
