"""IRS, section 6.2, Figures 3 and 4: codes that information takes for disentangled and interventions do not."""

import numpy as np
from scipy.special import expit

from dbench.claims import Claim, Printed, above
from dbench.errors import EvidenceLacking
from dbench.estimates.filters import filtered
from dbench.estimates.relations import importance_scores, information_scores, informative_codes
from dbench.estimates.simulated import Law, Simulated
from dbench.estimates.zoo_statistics import arrays_of
from dbench.stats import mean_of, rank_correlation, share_of

# The five models of Figure 3 by objective and strength of appendix D.2, or what stands for it (test_6_1_methods.py).
FIVE = {
    "beta_vae": (1.0,),
    "annealed_vae": (4.0, 25.0),
    "dip_vae_i": (10.0,),
    "factor_vae": (10.0,),
    "beta_tcvae": (6.0,),
}
AT_STRENGTHS = "The methods at the strengths of appendix D.2, or the nearest trained, once for each seed."
DECEIVING = (
    "Deceiving: in the upper third by MI and by feature importance, in the lower third by IRS. They are compared "
    "with the other codes of the lower third."
)
TREES = "Feature importance: 10 trees of depth 6, one candidate a split, instead of 50 with leaves of 500."


def models(robust, again=0.0, seeds=10):
    """Simulated models of ten codes that look good by a quality of each.

    The quality raises the IRS by ``robust``, and that with means for suprema or of single nuisances by ``again``.
    """
    laws = {}
    for i in range(10):
        for kind in ("mutual_information", "importance_single"):
            laws[f"relation.{kind}.0.{i}"] = Law(mean=1.0, noise=0.0)
            laws[f"relation.{kind}.1.{i}"] = Law(loads={f"looks {i}": -1.0}, noise=0.1, shape=expit)
        laws |= {f"irs.code.{i}": Law(loads={f"looks {i}": robust}), f"kl.{i}": Law(mean=1.0, noise=0.0)}
        second = Law(loads={f"looks {i}": again}, noise=0.1)
        laws |= {f"irs.mean.{i}": second, f"irs.one_nuisance.{i}": second}
    objectives = {objective: strengths[:1] for objective, strengths in FIVE.items()}
    return {"unsupervised": Simulated(laws, objectives=objectives, seeds=seeds)}


def the_five(population):
    """Places of the five models among the settings."""
    settings = [(o, float(s)) for o in population.objectives for s in population.strengths(o)]
    known = {o: [(o, s) for s in strengths if (o, s) in settings] for o, strengths in FIVE.items()}
    if lacking := [o for o, found in known.items() if not found]:
        raise EvidenceLacking(f"{population.name} holds no {lacking[0]} of a strength in {FIVE[lacking[0]]}")
    return [settings.index(found[0]) for found in known.values()]


def kept_codes(population, codes, like):
    kept = np.zeros(like.shape, dtype=bool)
    kept[:, the_five(population)] = True
    return kept & informative_codes(population) if codes == "informative" else kept


def counted(population, codes, estimate):
    """The estimate with the number of codes that the filter removes, if there is one."""
    if codes == "all":
        return estimate
    return filtered(estimate, informative_codes(population)[:, the_five(population)])


def of_each_seed(population, codes, answer, *scores):
    """Answer of the codes of each seed's models; 0 for a seed that has none."""
    kept = kept_codes(population, codes, scores[0])
    return np.array(
        [
            answer(*(score[row] for score in parts)) if row.any() else 0.0
            for row, *parts in zip(kept, *scores, strict=True)
        ]
    )


def lowest(scores, share):
    return scores <= np.quantile(scores, share)


def highest(scores, share):
    return scores >= np.quantile(scores, 1 - share)


def lead_of_deceiving(population, second_look, codes):
    robust, again = arrays_of(population, "irs.code"), arrays_of(population, second_look)
    informed, important = information_scores(population), importance_scores(population)
    kept = kept_codes(population, codes, robust)
    lacking = EvidenceLacking(f"{population.name} holds too few codes that deceive, or others as little robust")

    def statistic(seeds):
        these = kept[seeds]
        if not these.any():
            raise lacking
        low = lowest(robust[seeds][these], 1 / 3)
        looks = highest(informed[seeds][these], 1 / 3) & highest(important[seeds][these], 1 / 3)
        deceiving, others = again[seeds][these][low & looks], again[seeds][these][low & ~looks]
        if not len(deceiving) or not len(others):
            raise lacking
        return float(deceiving.mean() - others.mean())

    return counted(population, codes, population.estimate_over_seeds(statistic))


CORRELATE = Claim.zoo(
    id="irs.complements-mi",
    quote="There seems to be a clear positive correlation between the two evaluation metrics.",
    part="trained",
    population="all codes of five models, one of each method of Table 1; seeds varied",
    deviations=(
        AT_STRENGTHS,
        "IRS is taken from every point of the grid, the MI score from 10,000.",
    ),
    statistic="Spearman of IRS (equation 3) and MI score, all codes pooled",
    rule=above(0.5, null=0.0),
    source="lexicon: clear",
    false=models(robust=-1.0),
    given={"codes": "all"},
    filtered={"codes": "informative"},
    revision=3,
)


@CORRELATE.covers
def test_irs_and_information_correlate_over_codes(unsupervised, codes):
    robust, informed = arrays_of(unsupervised, "irs.code"), information_scores(unsupervised)
    kept = kept_codes(unsupervised, codes, robust)

    def statistic(seeds):
        these = kept[seeds]
        return rank_correlation(robust[seeds][these], informed[seeds][these]) if these.sum() > 1 else 0.0

    return counted(unsupervised, codes, unsupervised.estimate_over_seeds(statistic))


EXCEPTIONS = CORRELATE.cell(
    "trained, exceptions",
    role="primary",
    quote="However, there are features classified as well disentangled according to MI, but not robustly (according to "
    "IRS).",
    says="Some codes of trained models score well by MI and are not robust.",
    deviations=(
        *CORRELATE.deviations,
        "The figure's red box has no printed edges: the upper third by MI score, the lower third by IRS.",
    ),
    statistic="mean over seeds of the share of codes in the upper third by MI score and the lower third by IRS",
    # Two of the figure's fifty codes; codes whose scores are unrelated have a ninth there.
    rule=above(0.04, null=0.0),
    source="paper: features",
    # Of ten seeds none may hold such a code, and shares that are all 0 decide nothing.
    false=models(robust=2.0, seeds=40),
    given={"codes": "all"},
    filtered={"codes": "informative"},
)


@EXCEPTIONS.covers
def test_some_codes_score_well_by_information_and_are_not_robust(unsupervised, codes):
    def share(robust, informed):
        return float((lowest(robust, 1 / 3) & highest(informed, 1 / 3)).mean())

    scores = arrays_of(unsupervised, "irs.code"), information_scores(unsupervised)
    return counted(unsupervised, codes, mean_of(of_each_seed(unsupervised, codes, share, *scores)))


AS_PRINTED = Claim.zoo(
    id="irs.rare-events",
    quote="existing metrics do not capture the effects that rare events or cumulative influences from multiple "
    "generative factors can have on feature encodings",
    says="Trained models hold codes that MI and feature importance rank high and IRS ranks at the bottom.",
    part="trained",
    population="all codes of five models, one of each method of Table 1; a set of 50 codes for each seed",
    deviations=(
        "The paper shows one such code among 50; here as many are searched, of the same methods, for each seed.",
        AT_STRENGTHS,
        TREES,
    ),
    statistic="share of seeds with a code in the top 33% by MI, the top 18% by feature importance, the last 4% by IRS",
    # An existence that most sets of models show; unrelated ranks give one in 0.11 of them.
    rule=above(0.5, null=0.11),
    source="sign",
    false=models(robust=10.0),
    printed=Printed("top 33% by MI, top 18% by feature importance, bottom 4% by IRS"),
    given={"codes": "all"},
    filtered={"codes": "informative"},
    revision=3,
)


@AS_PRINTED.covers
def test_most_seeds_hold_a_code_as_deceiving_as_the_printed_one(unsupervised, codes):
    def found(robust, informed, important):
        return float((lowest(robust, 0.04) & highest(informed, 0.33) & highest(important, 0.18)).any())

    looks = information_scores(unsupervised), importance_scores(unsupervised)
    every = of_each_seed(unsupervised, codes, found, arrays_of(unsupervised, "irs.code"), *looks)
    return counted(unsupervised, codes, share_of(int(every.sum()), len(every)))


RARE = AS_PRINTED.probe(
    "trained, rare",
    says="What deceives MI and feature importance is rare: the deceiving codes are moved less on average.",
    deviations=(DECEIVING, AT_STRENGTHS, TREES),
    statistic="mean robustness on average (means for suprema) of deceiving codes minus that of others as little robust",
    # A twentieth of a code's spread.
    rule=above(0.05, null=0.0),
    false=models(robust=0.0, again=-1.0),
    given={"codes": "all"},
    filtered={"codes": "informative"},
)


@RARE.covers
def test_deceiving_codes_are_moved_less_on_average(unsupervised, codes):
    return lead_of_deceiving(unsupervised, "irs.mean", codes)


CUMULATIVE = AS_PRINTED.probe(
    "trained, cumulative",
    says="What deceives MI and feature importance adds up: the deceiving codes are moved less by any single factor.",
    deviations=(DECEIVING, AT_STRENGTHS, TREES),
    statistic="mean robustness to the worst single nuisance of deceiving codes minus that of others as little robust",
    # A twentieth of a code's spread.
    rule=above(0.05, null=0.0),
    false=models(robust=0.0, again=-1.0),
    given={"codes": "all"},
    filtered={"codes": "informative"},
)


@CUMULATIVE.covers
def test_deceiving_codes_are_moved_less_by_any_single_factor(unsupervised, codes):
    return lead_of_deceiving(unsupervised, "irs.one_nuisance", codes)
