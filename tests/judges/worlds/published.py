"""Counter-worlds of the claims about printed tables: a table in which each is false, and one too small to tell."""

from __future__ import annotations

import numpy as np
import pandas as pd
from counter_worlds import EXACT, Worlds, rng

from dbench_fixtures.published.flaws import MODELS


def rising(n: int = 18) -> pd.Series:
    return pd.Series(np.arange(1.0, n + 1))


def noise(name: str, n: int = 18) -> np.ndarray:
    return rng(name).standard_normal(n)


def models(*scores: float) -> pd.Series:
    """Six models with these scores, or as many as there are."""
    return pd.Series(dict(zip(MODELS, scores, strict=False)), dtype=float)


def metrics(n: int = 18, **strength: float) -> dict[str, np.ndarray]:
    """Scores of all metrics that go with a rising accuracy as much as ``strength`` says, and not at all by default."""
    names = ("snc", "nk", "mig", "sap", "irs", "d", "c", "i", "med", "dci")
    return {m: strength.get(m, 0.0) * np.arange(n) + noise(f"{m}, {n}", n) for m in names}


def related(strength: float = 0.0, **pairs: float) -> pd.DataFrame:
    """Correlations of nine metrics, all alike but for the pairs named ``first_second``."""
    names = ("snc", "nk", "mig", "sap", "irs", "d", "c", "i", "med")
    matrix = pd.DataFrame(strength, index=names, columns=names) + (1 - strength) * np.eye(len(names))
    for pair, value in pairs.items():
        first, second = pair.split("_")
        matrix.loc[first, second] = matrix.loc[second, first] = value
    return matrix


def with_others(strength: float, **mean: float) -> pd.DataFrame:
    """Correlations in which the metrics named go with all others as much as said."""
    matrix = related(strength)
    for metric, value in mean.items():
        matrix.loc[metric, :] = matrix.loc[:, metric] = value
    return matrix.where(~np.eye(len(matrix), dtype=bool), 1.0)


def combinations(lead: float, n: int = 8) -> pd.DataFrame:
    rows = {"parted_vae_ss": 50 + lead + noise("combination, own", n), "weak_de": 50 + noise("combination, other", n)}
    return pd.DataFrame(rows).T


def variants(lasso: float, spearman: float = 0.5, sd: float = 0.05) -> pd.DataFrame:
    return pd.DataFrame({"mean": [lasso, spearman], "sd": [sd, sd]}, index=["lasso", "spearman"])


TOY, T51, T52, T53 = ("flaws/test_3_1_toy_table", *(f"flaws/test_5_{i}_published_tables" for i in (1, 2, 3)))
RESTRICTED, SIGNIFICANCE, CONSISTENCY, BETWEEN = (
    f"flaws/test_appendix_{name}" for name in ("d_restricted", "e_significance", "g_consistency", "h_correlations")
)
SOBER = "sober/test_5_3_variance"
IRS, UDR = "irs/test_6_1_published_table", "udr/test_5_published_tables"
LEVEL = models(*[20.0] * 6)
METHODS = pd.DataFrame({"irs": rising(5), "informativeness": rising(5), "feature_importance": rising(5)})

WORLDS = [
    Worlds(TOY, "CELL", false=lambda m: m.distance(20.0, 10.0), small=EXACT),
    Worlds(TOY, "BY_DEFINITION", false=lambda m: m.distance(20.0, 10.0), small=EXACT),
    Worlds(TOY, "PREFERS_M1", false=lambda m: m.change("mig", "M2", "M1"), small=EXACT),
    Worlds(TOY, "PREFERS_M2", false=lambda m: m.change("snc", "M2", "M1"), small=EXACT),
    Worlds(TOY, "INDIFFERENT", false=lambda m: m.change("snc", "M1", "M2"), small=EXACT),
    Worlds(T51, "GAP", lambda m: m.smallest_gap(LEVEL + 5, LEVEL), lambda m: m.smallest_gap(LEVEL[:5] + 50, LEVEL[:5])),
    Worlds(T51, "KEPT", lambda m: m.share(rising() > 10), lambda m: m.share(rising(17) > 0)),
    Worlds(T51, "MARGINAL", lambda m: m.share(rising() > 10), lambda m: m.share(rising(17) > 0)),
    Worlds(T51, "HIGHER", lambda m: m.share(rising() > 10), lambda m: m.share(rising(17) > 0)),
    Worlds(
        T51, "ALL_HIGHER", lambda m: m.share_of_all([rising() > 10] * 2), lambda m: m.share_of_all([rising(17) > 0])
    ),
    Worlds(T51, "ASKS_LESS", lambda m: m.share(rising() > 10), lambda m: m.share(rising(17) > 0)),
    Worlds(T51, "ALIKE", lambda m: m.likeness(rising(), -rising()), lambda m: m.likeness(rising(17), rising(17))),
    Worlds(T52, "POOR", lambda m: m.largest(LEVEL), lambda m: m.largest(models(0, 0, 0))),
    Worlds(T52, "BEST", lambda m: m.largest(LEVEL), lambda m: m.largest(models(30, 0, 0))),
    Worlds(T52, "RANDOM_SPLIT", lambda m: m.smallest(LEVEL), lambda m: m.smallest(models(90, 90, 90))),
    Worlds(T52, "LINEAR", lambda m: m.largest(LEVEL), lambda m: m.largest(models(0, 0, 0))),
    Worlds(T52, "ABOVE_CHANCE", lambda m: m.smallest(0 * LEVEL), lambda m: m.smallest(models(20, 20, 20))),
    Worlds(
        T52,
        "PARTED",
        false=lambda m: m.lead_of_parted(models(1, 2, 9, 3, 4, 5)),
        small=lambda m: m.lead_of_parted(models(1, 2, 3, 8, 9)),
    ),
    Worlds(
        T52,
        "PARTED_SS",
        false=lambda m: m.lead_of_semi_supervised(models(1, 2, 3, 9, 8, 5)),
        small=lambda m: m.lead_of_semi_supervised(models(1, 2, 3, 8, 9)),
    ),
    Worlds(
        T52,
        "WEAK",
        false=lambda m: m.lead_of_weak_de(models(1, 2, 3, 4, 5, 9)),
        small=lambda m: m.lead_of_weak_de(models(5, 5, 5, 5, 5, 1).drop("beta_vae")),
    ),
    Worlds(
        T52,
        "BY_COMBINATION",
        false=lambda m: m.lead_over_combinations(combinations(-20), "weak_de"),
        small=lambda m: m.lead_over_combinations(combinations(20, n=3), "weak_de"),
    ),
    Worlds(T52, "SUPERVISED", lambda m: m.supervised("Table 3", "dSprites", "random_split"), EXACT),
    Worlds(T52, "SUPERVISED_RANDOM", lambda m: m.supervised("Table 3", "dSprites", "novel"), EXACT),
    Worlds(
        T53,
        "CORRELATES",
        false=lambda m: m.correlate(-np.arange(18), np.arange(18)),
        small=lambda m: m.correlate(np.arange(5), np.arange(5)),
    ),
    Worlds(
        T53,
        "SNC_MOST",
        false=lambda m: m.lead(metrics(mig=1), np.arange(18), own="snc"),
        small=lambda m: m.lead(metrics(5, snc=9), np.arange(5), own="snc"),
    ),
    Worlds(
        T53,
        "NK_SECOND",
        false=lambda m: m.lead(metrics(snc=1, mig=1), np.arange(18), own="nk"),
        small=lambda m: m.lead(metrics(5, nk=9), np.arange(5), own="nk"),
    ),
    Worlds(
        T53,
        "SNC_MOST_ROBUST",
        false=lambda m: m.smallest_lead(metrics(mig=1), np.arange(18), own="snc"),
        small=lambda m: m.smallest_lead(metrics(5, snc=9), np.arange(5), own="snc"),
    ),
    Worlds(
        T53,
        "NK_SECOND_ROBUST",
        false=lambda m: m.smallest_lead(metrics(mig=1), np.arange(18), own="nk"),
        small=lambda m: m.smallest_lead(metrics(5, nk=9), np.arange(5), own="nk"),
    ),
    Worlds(
        T53,
        "OVER_D",
        false=lambda m: m.lead_over_d({"c": 0.2, "d": 0.5}, "c", 18),
        small=lambda m: m.lead_over_d({"c": 0.5, "d": 0.2}, "c", 5),
    ),
    Worlds(
        RESTRICTED,
        "NO_BETTER",
        false=lambda m: m.lead_over_restricted(0.5, {"mig, mean": 0.6}, 18),
        small=lambda m: m.lead_over_restricted(0.6, {"mig, mean": 0.5}, 5),
    ),
    Worlds(
        SIGNIFICANCE,
        "SIGNIFICANT",
        false=lambda m: m.significance(noise("score"), noise("accuracy")),
        small=lambda m: m.significance(np.arange(5) + 0.1 * noise("few", 5), np.arange(5)),
    ),
    Worlds(SIGNIFICANCE, "T_VALUES", lambda m: m.t_distance(0.5, 18, 6.45), lambda m: m.t_distance(0.5, 5, 1.0)),
    Worlds(
        SIGNIFICANCE,
        "EXCEEDS",
        false=lambda m: m.p_of_difference(noise("one"), noise("other"), np.arange(18.0), test="williams"),
        small=lambda m: m.p_of_difference(
            np.arange(17) + 0.1 * noise("one", 17), noise("other", 17), np.arange(17), test="williams"
        ),
    ),
    *(
        Worlds(
            CONSISTENCY,
            card,
            false=lambda m: m.cells_apart(rising(), rising() + 1, 0.1),
            small=lambda m: m.cells_apart(rising(8), rising(8), 0.1),
        )
        for card in ("MEANS", "UNADJUSTED", "DEVIATIONS", "SCORES", "PRODUCTS", "NOVEL", "SUPERVISED")
    ),
    Worlds(
        BETWEEN,
        "DCI",
        false=lambda m: m.smallest_among(related(0.95, c_i=0.5), ("d", "c", "i")),
        small=lambda m: m.smallest_among(related(0.95), ("d", "c", "i"), n=6),
    ),
    Worlds(
        BETWEEN,
        "MODERATE",
        false=lambda m: m.of_pair(related(0.5, snc_nk=0.9), "snc", "nk"),
        small=lambda m: m.of_pair(related(0.5), "snc", "nk", n=6),
    ),
    Worlds(
        BETWEEN,
        "LEAST",
        false=lambda m: m.distance_below(with_others(0.5, sap=0.2, irs=0.9), ("sap", "irs")),
        small=lambda m: m.distance_below(with_others(0.5, sap=0.2, irs=0.2), ("sap", "irs"), n=6),
    ),
    Worlds(
        BETWEEN,
        "MOST",
        false=lambda m: m.distance_above(with_others(0.5, med=0.9, mig=0.2), ("med", "mig")),
        small=lambda m: m.distance_above(with_others(0.5, med=0.9, mig=0.9), ("med", "mig"), n=6),
    ),
    Worlds(
        BETWEEN,
        "CELLS",
        false=lambda m: m.largest_distance(related(0.5), related(0.5, d_c=0.6)),
        small=lambda m: m.largest_distance(related(0.5).iloc[:6, :6], related(0.5).iloc[:6, :6]),
    ),
    Worlds(
        IRS,
        "DIFFER",
        false=lambda m: m.agreement(METHODS, "irs", "informativeness"),
        small=lambda m: m.agreement(METHODS.assign(irs=-METHODS["irs"])[:4], "irs", "informativeness"),
    ),
    Worlds(IRS, "LEADS", lambda m: m.lead(rising(5), 0), lambda m: m.lead(rising(4), 3)),
    Worlds(IRS, "TRAILS", lambda m: m.lag(rising(5), 4), lambda m: m.lag(rising(4), 0)),
    Worlds(IRS, "LAST", lambda m: m.lag(rising(5), 4), lambda m: m.lag(rising(4), 0)),
    Worlds(
        IRS,
        "RANKS",
        false=lambda m: m.wrong_ranks(rising(5), rising(5)),
        small=lambda m: m.wrong_ranks(rising(4), rising(4)[::-1].reset_index(drop=True)),
    ),
    Worlds(
        IRS,
        "TRADE_OFF",
        false=lambda m: m.agreement(METHODS, "irs", "informativeness"),
        small=lambda m: m.agreement(METHODS.assign(irs=-METHODS["irs"])[:4], "irs", "informativeness"),
    ),
    Worlds(
        IRS,
        "WITHOUT_TCVAE",
        false=lambda m: m.agreement(METHODS, "irs", "informativeness"),
        small=lambda m: m.agreement(METHODS.assign(irs=-METHODS["irs"])[:3], "irs", "informativeness"),
    ),
    Worlds(SOBER, "PUBLISHED_SEED", lambda m: m.mean_of(np.zeros(56)), lambda m: m.mean_of(np.full(7, 0.4))),
    Worlds(UDR, "NOT_WORSE", lambda m: m.smallest_advantage(variants(0.4)), EXACT),
    Worlds(UDR, "BETTER", lambda m: m.advantage(variants(0.4)), EXACT),
    Worlds(
        UDR,
        "BEYOND_SPREAD",
        false=lambda m: m.advantage_with_spread(variants(0.4)),
        small=lambda m: m.advantage_with_spread(variants(0.9), conditions=3),
    ),
    Worlds(UDR, "GROWS", lambda m: m.trend(rising(9), -rising(9)), lambda m: m.trend(rising(8), rising(8))),
    Worlds(UDR, "STEADIES", lambda m: m.trend(rising(9), rising(9)), lambda m: m.trend(rising(8), -rising(8))),
    Worlds(UDR, "FIVE", lambda m: m.share_at_fewest(rising(9)), lambda m: m.share_at_fewest(-rising(8)[::-1])),
    Worlds(UDR, "SUBSET", lambda m: m.trend(rising(4), rising(4)), lambda m: m.trend(rising(3), -rising(3))),
]
