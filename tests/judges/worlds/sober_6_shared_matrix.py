"""Worlds in which matrices and aggregations differ otherwise than A Sober Look finds, or too small to tell."""

from itertools import product

from counter_worlds import Worlds, loaded, loaded_by, quality

from dbench.claims.calibration import Calibration

SHARED = "sober/test_6_1_shared_matrix"
MATRICES = ("importance", "mutual_information", "predictability")
AGGREGATIONS = ("dci_completeness", "dci_disentanglement", "mig", "modularity", "sap")


def blends(loads, matrices=MATRICES):
    """Give the loads of every aggregation the same on every matrix."""
    return {f"blend.{matrix}.{name}": loads[name] for matrix in matrices for name in loads}


def family(load, disentanglement):
    return blends(
        quality(("dci_completeness", "mig", "sap"), load) | quality(("dci_disentanglement",), disentanglement)
    )


def modularity(on_importance, elsewhere=0.0):
    loads = blends(quality(AGGREGATIONS, 2.0))
    for matrix in MATRICES:
        loads[f"blend.{matrix}.modularity"] = {"quality": on_importance if matrix == "importance" else elsewhere}
    return loads


def robust(gaps, others):
    """Give each aggregation a quality of its own, seen alike on every matrix."""
    loads = {"mig": gaps, "sap": gaps, "dci_disentanglement": others, "modularity": others}
    return {f"blend.{m}.{name}": {name: load} for m, (name, load) in product(MATRICES, loads.items())}


WORLDS = [
    Worlds(
        SHARED,
        "FAMILY_AGREES",
        false=lambda m: m.agreement_within_family(loaded(family(0.0, 0.0), "no family"), "importance"),
        small=lambda m: m.agreement_within_family(loaded(family(3.0, 0.0), "family, small", seeds=2), "importance"),
    ),
    Worlds(
        SHARED,
        "DISENTANGLEMENT_LESS",
        false=lambda m: m.shortfall_of_disentanglement(loaded(family(2.0, 2.0), "one family"), "importance"),
        small=lambda m: m.shortfall_of_disentanglement(
            loaded(family(2.0, 0.0), "two families, small", seeds=2), "importance"
        ),
    ),
    Worlds(
        SHARED,
        "MODULARITY_VARIES",
        false=lambda m: m.range_of_modularity(loaded(modularity(2.0, 2.0), "the same everywhere")),
        small=lambda m: m.range_of_modularity(loaded(modularity(3.0), "varies, small", seeds=2)),
    ),
    Worlds(
        SHARED,
        "OWN_MATRICES",
        false=lambda m: m.lead_of_dci(
            loaded({"mig": {"quality": 1.0}, "dci": {}, "sap": {"quality": 0.5}}, "not alike")
        ),
        small=lambda m: m.lead_of_dci(
            loaded({"mig": {"quality": 1.0}, "dci": {"quality": 2.0}, "sap": {}}, "two seeds", seeds=2)
        ),
    ),
    Worlds(
        SHARED,
        "SHARED_MATRIX",
        false=lambda m: m.lead_of_sap(loaded(family(2.0, 2.0), "no lead"), "predictability"),
        small=lambda m: m.lead_of_sap(loaded(family(2.0, 0.0), "lead, small", seeds=2), "predictability"),
    ),
    Worlds(
        SHARED,
        "RANKING_CHANGES",
        false=lambda m: m.agreement_between_matrices(loaded(robust(8.0, 8.0), "one ranking"), "mig"),
        small=lambda m: m.agreement_between_matrices(loaded(robust(0.5, 0.5), "rankings", seeds=2), "mig"),
    ),
    Worlds(
        SHARED,
        "GAPS_WITHSTAND",
        false=lambda m: m.lead_of_gaps(loaded(robust(2.0, 2.0), "equally robust")),
        small=lambda m: m.lead_of_gaps(loaded(robust(3.0, 0.5), "robust, small", seeds=2)),
    ),
]

CALIBRATIONS = [
    Calibration(
        file=SHARED,
        card="FAMILY_AGREES",
        world=loaded_by(lambda effect: family(effect, 1.0)),
        estimate=lambda m, zoo: m.agreement_within_family(zoo, "importance"),
        effects=(0.0, 4.0),
        at=0.7,
        at_says="half of the variance of ranks",
        truth_seeds=200,
    ),
    Calibration(
        file=SHARED,
        card="DISENTANGLEMENT_LESS",
        world=loaded_by(lambda effect: family(2.0, 2.0 - effect)),
        estimate=lambda m, zoo: m.shortfall_of_disentanglement(zoo, "importance"),
        effects=(0.0, 2.0),
        at=0.3,
        at_says="a gap plain to see",
        truth_seeds=200,
    ),
    Calibration(
        file=SHARED,
        card="MODULARITY_VARIES",
        world=loaded_by(modularity),
        estimate=lambda m, zoo: m.range_of_modularity(zoo),
        effects=(0.0, 4.0),
        at=0.5,
        at_says="from none to strong",
        truth_seeds=100,
    ),
    Calibration(
        file=SHARED,
        card="OWN_MATRICES",
        world=loaded_by(lambda effect: {"mig": {"quality": 1.0}, "dci": {"quality": effect}, "sap": {"quality": 0.5}}),
        estimate=lambda m, zoo: m.lead_of_dci(zoo),
        effects=(0.0, 4.0),
        at=0.3,
        at_says="a gap plain to see",
        truth_seeds=200,
    ),
    Calibration(
        file=SHARED,
        card="SHARED_MATRIX",
        world=loaded_by(lambda effect: family(2.0, 2.0 - effect)),
        estimate=lambda m, zoo: m.lead_of_sap(zoo, "importance"),
        effects=(0.0, 2.0),
        at=0.3,
        at_says="a gap plain to see",
        truth_seeds=200,
    ),
    Calibration(
        file=SHARED,
        card="RANKING_CHANGES",
        world=loaded_by(lambda effect: robust(effect, 1.0)),
        estimate=lambda m, zoo: m.agreement_between_matrices(zoo, "mig"),
        effects=(0.0, 8.0),
        at=0.7,
        at_says="half of the variance of ranks",
        truth_seeds=200,
    ),
    Calibration(
        file=SHARED,
        card="GAPS_WITHSTAND",
        world=loaded_by(lambda effect: robust(2.0, 2.0 - effect)),
        estimate=lambda m, zoo: m.lead_of_gaps(zoo),
        effects=(0.0, 2.0),
        at=0.3,
        at_says="a gap plain to see",
        truth_seeds=100,
    ),
]
