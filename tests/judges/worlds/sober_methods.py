"""Worlds for sections 5.1 and 5.3 of A Sober Look: reconstruction, and methods against each other."""

from functools import partial

import numpy as np
from counter_worlds import Worlds, rng

from dbench.claims.calibration import Calibration
from dbench.claims.population import PopulationPair
from dbench.claims.simulation import Law, simulated_zoo

RECONSTRUCTION, METHODS = "sober/test_5_1_reconstruction", "sober/test_5_3_methods"
METRICS = ("beta_vae_metric", "dci", "factor_vae", "mig", "modularity", "sap")
STEPS = {"annealed_vae": 0, "beta_tcvae": 1, "beta_vae": 2, "dip_vae_i": 3, "dip_vae_ii": 4, "factor_vae": 5}


def reconstructing(effect, *, generator, seeds=10, point_only=False):
    """Models go half of the way, 50 of 100 nats, and the effect further, with a spread of 10."""
    laws = {"reconstruction": Law(mean=50 - effect, seed=2, noise=10)}
    return simulated_zoo(laws, generator=generator, seeds=seeds, point_only=point_only)


def two_sets(effect, *, generator, seeds=5, point_only=False):
    """On the second data set the effect, in nats of 100, is left beside what is left on the first."""
    zoos = [
        simulated_zoo(
            {"reconstruction": Law(mean=30 + more, seed=2, noise=10)},
            generator=generator,
            seeds=seeds,
            point_only=point_only,
        )
        for more in (0, effect)
    ]
    return PopulationPair(*zoos)


def ends(m):
    return m.Ends(constant=100.0, perfect=0.0)


def apart(effect, *, generator, seeds=10, point_only=False):
    """The methods lie at equal steps of the effect, against noise of 1; one run in six has collapsed."""
    laws = {metric: Law(mean={o: effect * i for o, i in STEPS.items()}, seed=0.2) for metric in METRICS}
    laws["kl.informative"] = Law(mean=1.0, shape=lambda hidden: np.where(hidden > 0, 3.0, 1.0))
    return simulated_zoo(laws, generator=generator, seeds=seeds, point_only=point_only)


def ahead(objective: str, effect, *, generator, seeds=10, point_only=False):
    """One method lies above the others on every metric, against noise of 1."""
    laws = {metric: Law(mean={objective: effect}, seed=0.2) for metric in (*METRICS, "irs")}
    return simulated_zoo(laws, generator=generator, seeds=seeds, point_only=point_only)


CASES = [
    {"file": RECONSTRUCTION, "card": "REASONABLE", "world": reconstructing, "false": -20.0, "effects": (-20.0, 30.0),
     "estimate": lambda m, zoo: m.share_reasonable(zoo, ends(m)), "at": 0.75, "at_says": "three models in four"},
    {"file": RECONSTRUCTION, "card": "HARDER", "seeds": 5, "world": two_sets, "false": -20.0, "effects": (-20.0, 40.0),
     "estimate": lambda m, pair: m.harder(pair, ends(m), ends(m)), "at": 0.15, "at_says": "15% of the way more"},
    {"file": METHODS, "card": "OVERLAP", "world": apart, "false": 4.0, "effects": (0.0, 4.0),
     "estimate": lambda m, zoo: m.overlap_of_ranges(zoo, "mig", "not collapsed", draws=200), "at": 0.75,
     "at_says": "three quarters shared", "truth_seeds": 50},
    {"file": METHODS, "card": "NONE_BETTER", "world": partial(ahead, "beta_vae"), "false": 3.0, "effects": (0.0, 3.0),
     "estimate": lambda m, zoo: m.best_method(zoo), "at": 0.53, "at_says": "hardly a difference", "truth_seeds": 100},
    {"file": METHODS, "card": "LOWER_IRS", "world": partial(ahead, "dip_vae_i"), "false": 2.0, "effects": (-5.0, 2.0),
     "estimate": lambda m, zoo: m.superiority_over_each(zoo, "dip_vae_i", "irs"), "at": 0.2,
     "at_says": "one pair of runs in five"},
    {"file": METHODS, "card": "COMPARABLE", "world": partial(ahead, "dip_vae_i"), "false": 3.0, "effects": (-3.0, 3.0),
     "estimate": lambda m, zoo: m.superiority(zoo, "dip_vae_i", "mig"), "at": 0.5, "at_says": "no difference"},
]  # fmt: skip


def worlds_of(case) -> Worlds:
    world, estimate, card = case["world"], case["estimate"], case["card"]
    return Worlds(
        case["file"],
        card,
        false=lambda m: estimate(m, world(case["false"], generator=rng(f"{card} false"))),
        small=lambda m: estimate(m, world(0.1, generator=rng(f"{card} small"), seeds=2)),
    )


WORLDS = [worlds_of(case) for case in CASES]
CALIBRATIONS = [Calibration(**{name: value for name, value in case.items() if name != "false"}) for case in CASES]
