"""Tables in which findings of Mahon et al. about printed figures are false.

Nothing is sampled from a printed table, so that no world is too small, but where pairs or combinations are the units.
"""

import numpy as np
import pandas as pd
from counter_worlds import EXACT, rng, rows

from dbench_published.flaws import POINTS
from dbench_published.flaws_correlations import AVERAGES, PRODUCTS, novel

T51, T52, T53 = (f"flaws/test_5_{i}_published_tables" for i in (1, 2, 3))
RESTRICTED, SIGNIFICANCE, CONSISTENCY, BETWEEN = (
    f"flaws/test_appendix_{name}" for name in ("d_restricted", "e_significance", "g_consistency", "h_correlations")
)
METRICS = ("snc", "nk", "mig", "sap", "irs", "d", "c", "i", "med", "dci")


def noise(name: str, n: int = 18) -> np.ndarray:
    return rng(name).standard_normal(n)


def points(values=0.0) -> pd.Series:
    """One figure for each data set and model."""
    return pd.Series(values, index=POINTS, dtype=float)


def cells(**scores: float):
    """A table in which every pair of model and data set has these scores, and 20 of all others."""
    return lambda metric, *_, **__: points(scores.get(metric, 20.0))


def accuracies(dsprites=0.0, shapes=(0.0,) * 6, mpi3d=0.0, linear=0.0):
    """Accuracy on novel combinations: of each model on 3dshapes, of all alike elsewhere."""
    mlp = points([*[dsprites] * 6, *shapes, *[mpi3d] * 6])
    return lambda source, setting="novel": mlp if setting == "novel" else points(linear)


def correlating(**strength: float):
    """Scores that go with the accuracy as much as said, and not at all by default, for all or some pairs."""

    def scores(version, population_of):
        accuracy = novel(version, population_of)
        own = (accuracy - accuracy.mean()) / accuracy.std()
        return {m: strength.get(m, 0.0) * own + 0.3 * noise(m, len(accuracy)) for m in METRICS}

    return scores


def printed(**values: float):
    """Printed correlations: those of variants stand for all metrics."""
    return lambda metric, population_of, *, variant="": values["restricted"] if variant else values.get(metric, 0.5)


def noisy_summary(table, metric, **_):
    return points(noise(f"{table} {metric}"))


def related(**means: float):
    """Correlations of nine metrics, 0.5 but for the pairs ``first_second`` and the metrics named."""

    def matrix_of(source):
        names = list(METRICS[:9])
        matrix = pd.DataFrame(0.5 + 0.01 * (source == "Table 7"), index=names, columns=names)
        for key, value in means.items():
            first, _, second = key.partition("_")
            for row, column in ((first, second or names), (second or names, first)):
                matrix.loc[row, column] = value
        return matrix.where(~np.eye(len(matrix), dtype=bool), 1.0)

    return matrix_of


def combinations(lead: float, n: int = 8) -> dict:
    means = {"parted_vae_ss": 50 + lead + noise("combination, own", n), "weak_de": 50 + noise("combination, other", n)}
    return {"other": "weak_de", "accuracy": pd.DataFrame(means).T}


TABLE_2, DETAILS = {"source": "Table 2"}, {"source": "details"}
LOW, BEHIND = accuracies(), accuracies(shapes=(1, 2, 9, 8, 3, 20))
AGAINST = {"scores": correlating(mig=9.0, snc=-9.0)}
NOTHING = {"scores": correlating()}
OFF = {"summary": cells()}

WORLDS = rows(
    (T51, "GAP", {"table": cells(mlp=25)}, EXACT),
    (T51, "GAP_RECOMPUTED", {"table": cells(mlp=25)}, EXACT),
    (T51, "MARGINAL", TABLE_2 | {"table": cells()}, EXACT),
    (T51, "KEPT", TABLE_2 | {"table": cells()}, EXACT),
    (T51, "HIGHER", {"scores": cells(snc=30, nk=30)}, EXACT),
    (T51, "HIGHER_THAN", {"own": "snc", "scores": cells(snc=30)}, EXACT),
    (T51, "ESPECIALLY_DCI", {"scores": cells(dci=10, mig=30)}, EXACT),
    (T51, "ONE_HIGHER", {"metric": "irs", "scores": cells(irs=10)}, EXACT),
    (T51, "ASKS_LESS", {"table": cells(linear=10)}, EXACT),
    (T51, "ALIKE",
     TABLE_2 | {"table": lambda metric, _: points(range(18) if metric == "snc" else range(18, 0, -1))}, EXACT),
    (T52, "POOR", {"data_set": "MPI3D", "novel": accuracies(mpi3d=20)}, EXACT),
    (T52, "POOR_RECOMPUTED", {"data_set": "dSprites", "novel": accuracies(20)}, EXACT),
    (T52, "BEST", {"novel": LOW}, EXACT),
    (T52, "RANDOM_SPLIT", DETAILS | {"data_set": "dSprites", "novel": accuracies(linear=20)}, EXACT),
    (T52, "LINEAR", DETAILS | {"data_set": "dSprites", "novel": accuracies(linear=20)}, EXACT),
    (T52, "BY_DATA_SET", {"novel": accuracies(mpi3d=20)}, EXACT),
    (T52, "BY_DATA_SET_RECOMPUTED", {"novel": accuracies(20)}, EXACT),
    (T52, "ABOVE_CHANCE", DETAILS | {"novel": LOW}, EXACT),
    (T52, "PARTED_BEST", DETAILS | {"novel": BEHIND}, EXACT),
    (T52, "SEMI_BEST", DETAILS | {"novel": BEHIND}, EXACT),
    (T52, "WEAK", DETAILS | {"novel": BEHIND}, EXACT),
    (T52, "BY_COMBINATION", combinations(-20), combinations(20, 3)),
    (T52, "SUPERVISED", {"data_set": "dSprites", "setting": "random_split"}, EXACT),
    (T52, "SUPERVISED_RECOMPUTED", {"data_set": "dSprites", "setting": "random_split"}, EXACT),
    (T52, "SUPERVISED_RANDOM", DETAILS | {"data_set": "dSprites", "setting": "novel"}, EXACT),
    (T53, "ORDER", AGAINST, EXACT),
    (T53, "ON_3DSHAPES", AGAINST, EXACT),
    (T53, "OTHERWISE", AGAINST | {"version": AVERAGES, "population_of": "all"}, EXACT),
    (T53, "ONE_LEFT_OUT", AGAINST | {"version": AVERAGES, "population_of": "all"}, EXACT),
    (T53, "CORRELATES",
     AGAINST | {"population_of": "all", "metric": "snc"}, NOTHING | {"population_of": "3dshapes", "metric": "snc"}),
    (T53, "ALL_CORRELATE", AGAINST | {"population_of": "all"}, NOTHING | {"population_of": "3dshapes"}),
    (T53, "OVER_D", {"population_of": "all", "printed": printed(c=0.2)}, EXACT),
    (T53, "OVER_D_RECOMPUTED", {"population_of": "all", "part": "c", "scores": correlating(d=9.0)}, EXACT),
    (RESTRICTED, "NO_BETTER", {"population_of": "all", "printed": printed(restricted=0.6)}, EXACT),
    (RESTRICTED, "RECOMPUTED",
     {"population_of": "all", "own": "snc", "summary": lambda *_, **__: points(novel(PRODUCTS, "all"))}, EXACT),
    (SIGNIFICANCE, "EXCEEDS", NOTHING, EXACT),
    (SIGNIFICANCE, "EXCEEDS_ONE", NOTHING | {"metric": "mig"}, EXACT),
    (SIGNIFICANCE, "DEPENDENT", NOTHING | {"test": "williams"}, EXACT),
    (SIGNIFICANCE, "SYSTEM_LEFT_OUT", NOTHING | {"system": "weak_de"}, EXACT),
    (SIGNIFICANCE, "SIGNIFICANT", NOTHING | {"population_of": "all"}, EXACT),
    (SIGNIFICANCE, "SIGNIFICANT_OTHERWISE", NOTHING | {"version": AVERAGES, "population_of": "all"}, EXACT),
    (SIGNIFICANCE, "SIGNIFICANT_LEFT_OUT", NOTHING | {"system": "weak_de"}, EXACT),
    (SIGNIFICANCE, "T_VALUES", {"n": 18, "printed": 6.45, "r": 0.5}, EXACT),
    (CONSISTENCY, "TABLE_2", OFF, EXACT),
    (CONSISTENCY, "MEANS", OFF | {"metric": "nk"}, EXACT),
    (CONSISTENCY, "UNADJUSTED", OFF | {"metric": "mlp"}, EXACT),
    (CONSISTENCY, "DEVIATIONS", {"metric": "mlp", "summary": noisy_summary}, EXACT),
    (CONSISTENCY, "SCORES", {"metric": "nk", "summary": noisy_summary}, EXACT),
    (CONSISTENCY, "PRODUCTS", {"metric": "nk", "summary": noisy_summary}, EXACT),
    (CONSISTENCY, "NOVEL", {"setting": "novel", "target": "both", "novel_accuracy": lambda **_: points(99)}, EXACT),
    (CONSISTENCY, "SUPERVISED", {"setting": "novel", "supervised_row": lambda _: 99.0}, EXACT),
    (BETWEEN, "UNLIKE", {"matrix_of": related(snc_nk=0.8, d_c=0.95, d_i=0.95, c_i=0.95)}, EXACT),
    (BETWEEN, "DCI", {"source": "Figure 14", "matrix_of": related(d_c=0.95, d_i=0.95)}, EXACT),
    (BETWEEN, "MODERATE", {"source": "Figure 14", "matrix_of": related(snc_nk=0.9)}, EXACT),
    (BETWEEN, "MODERATE_PRODUCTS", {"matrix_of": related(snc_nk=0.9)}, EXACT),
    (BETWEEN, "LEAST", {"source": "Figure 14", "matrix_of": related(sap=0.2, irs=0.9)}, EXACT),
    (BETWEEN, "MOST", {"source": "Figure 14", "matrix_of": related(med=0.9, mig=0.2)}, EXACT),
    (BETWEEN, "FOLLOWS", {"matrix_of": related()}, EXACT),
)  # fmt: skip
