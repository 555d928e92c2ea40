"""Families for what Mahon et al. find of novel combinations.

The units are five combinations, where other worlds have seeds; for correlations over systems they are the six systems,
drawn anew in every world.
"""

from functools import partial

import numpy as np

from calibration.row import Row
from dbench.estimates.simulated import Law, SimulatedPopulation, simulated_zoo

NOVEL, CORRELATED = "flaws/test_5_2_novel_combinations", "flaws/test_5_3_novel_combinations"
SYSTEMS = ("beta_vae", "beta_tcvae", "factor_vae", "parted_vae", "parted_vae_semi", "weak_de")
# Two runs of each system without each combination.
RUNS = dict.fromkeys((*SYSTEMS, "mtd"), (0.0, 1.0))
EXISTING = ("mig", "sap", "irs", "dci", "dci.completeness", "dci.informativeness", "med")
C = "dci.completeness"


def clipped(values):
    return np.clip(values, 0.0, 1.0)


def study(means, *, seeds=5, **zoo):
    """Scores around means of each system, where combinations differ for all systems alike and for each alone."""
    laws = {name: Law(mean=mean, seed=0.02, noise=0.03, shape=clipped) for name, mean in means.items()}
    laws["novel.chance"] = Law(mean=1 / 18, noise=0.0)
    return simulated_zoo(laws, seeds=seeds, objectives=RUNS, **zoo)


def study_by(means_at):
    return lambda effect, **options: study(means_at(effect), **options)


def one(system, value, others, kind="mlp"):
    """Accuracy of one system, and of the others."""
    return {f"novel.{kind}": dict.fromkeys(RUNS, others) | {system: value}}


def linear_ahead(value):
    return one("beta_vae", value, 0.03, "linear") | {"novel.mlp": 0.1}


def drawn(loads, *, generator, seeds=5, matrices=None, endless=False):
    """Systems drawn anew, of which every metric correlates with the accuracy as ``loads`` says.

    Combinations shift all systems alike, and each of two runs has its noise. What is true shows in very many systems,
    of which every number is known: where ``endless``, ``seeds`` counts them, and combinations and runs do nothing.
    ``matrices`` is the correlation of what the relation matrices say of shape and scale with the accuracy.
    """
    systems, combinations, runs, noisy = (seeds, 3, 1, 0.0) if endless else (6, seeds, 2, 1.0)
    ability = generator.standard_normal(systems)
    scores = {"novel.chance": np.full((systems, combinations, runs), 1 / 18)}

    def record(name, level):
        shift = noisy * 0.02 * generator.standard_normal((1, combinations, 1))
        noise = noisy * 0.03 * generator.standard_normal((systems, combinations, runs))
        scores[name] = clipped(np.reshape(level, (-1, 1, 1)) + shift + noise)

    def follows(rho):
        return 0.4 + 0.12 * (rho * ability + np.sqrt(1 - rho**2) * generator.standard_normal(systems))

    record("novel.mlp", follows(1.0))
    for name, rho in loads.items():
        record(name, np.full(systems, 0.5) if rho is None else follows(rho))
    if matrices is not None:
        level = follows(matrices)
        for kind in ("mutual_information", "predictability", "importance"):
            for factor in (0, 1):
                record(f"relation.{kind}.{factor}.0", 0.2 + level)
                record(f"relation.{kind}.{factor}.1", np.full(systems, 0.2))
    names = [f"system{number}" for number in range(systems)]
    tables = {(score, name): row for score, rows in scores.items() for name, row in zip(names, rows, strict=True)}
    return SimulatedPopulation(tables, dict.fromkeys(names, np.arange(runs)))


def against(rival, **own):
    """One existing metric that correlates with the accuracy, the others not at all; more as given."""
    return dict.fromkeys((*EXISTING, "snc", "nk"), 0.0) | {rival[0]: rival[1]} | own


def correlated(name, loads_at, matrices=None, **row):
    """Build the row of a card over systems drawn anew."""

    def world(effect, **options):
        return drawn(loads_at(effect), matrices=matrices, **options)

    return Row(CORRELATED, name, world, endless=partial(world, endless=True), seeds=5, **row)


def chain(effect):
    """SNC leads NK by the effect, and NK the best existing metric by more."""
    nk = 0.6 + 0.19 * max(0.0, -effect)
    return against(("mig", -0.2), nk=nk, snc=nk + effect)


def beside(rho):
    """Both of ours follow the accuracy in shape; those of scale are the same for all, and leave the product alone."""
    return {"snc.factor.0": rho, "snc.factor.1": None, "nk.factor.0": rho, "nk.factor.1": None}


def best_of(system, others=0.03, kind="mlp"):
    return study_by(lambda effect: one(system, effect, others, kind))


RANDOM = "random_split.mlp"
AVERAGE = {"version": "average over factors"}
novel = partial(Row, NOVEL, seeds=5, truth_seeds=200)
ROWS = [
    novel("AT_CHANCE", best_of("weak_de"), effects=(0.03, 0.5), at=0.01, at_says="one point", decides="weak_de"),
    novel("RANDOM_SPLIT", best_of("weak_de", 0.9, RANDOM), effects=(0.1, 0.9), at=0.7, at_says="70%"),
    novel("LINEAR", study_by(linear_ahead), effects=(0.03, 0.5), at=0.0, at_says="at chance", decides="beta_vae"),
    novel("FAILS", best_of("mtd"), effects=(0.03, 0.5), at=0.01, at_says="one point", decides="mtd"),
    novel("SUPERVISED_RANDOM", best_of("mtd", 0.9, RANDOM), effects=(0.5, 1.05), at=0.97, at_says="97%"),
    correlated(
        "CORRELATES",
        lambda effect: {"mig": effect},
        effects=(-0.5, 0.95),
        at=0.571,
        at_says="printed for MIG",
        given=AVERAGE | {"name": "mig"},
    ),
    correlated("ORDER", chain, effects=(-0.4, 0.4), at=0.134, at_says="printed (.850 against .716)", given=AVERAGE),
    correlated(
        "OVER_D",
        lambda effect: against(("dci", 0.472), **{C: effect, "dci.informativeness": 0.95}),
        effects=(0.0, 0.9),
        at=0.268,
        at_says="printed for I on 3dshapes (.740 against .472)",
    ),
    correlated(
        "NO_BETTER", beside, matrices=0.626, effects=(0.0, 1.0), at=0.224, at_says="printed (.850 against .626)"
    ),
]
