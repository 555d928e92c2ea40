"""Counter-worlds of the claims about printed tables: a table in which each is false, and one too small to tell."""

import numpy as np
import pandas as pd
from counter_worlds import EXACT, Worlds


def rising(n: int = 18) -> pd.Series:
    return pd.Series(np.arange(1.0, n + 1))


def variants(lasso: float, spearman: float = 0.5, sd: float = 0.05) -> pd.DataFrame:
    return pd.DataFrame({"mean": [lasso, spearman], "sd": [sd, sd]}, index=["lasso", "spearman"])


TOY = "flaws/test_3_1_toy_table"
IRS, UDR = "irs/test_6_1_published_table", "udr/test_5_published_tables"
METHODS = pd.DataFrame(dict.fromkeys(("irs", "feature_importance", "mutual_information", "informativeness"), rising(5)))

WORLDS = [
    Worlds(TOY, "CELL", false=lambda m: m.distance(20.0, 10.0), small=EXACT),
    Worlds(TOY, "BY_DEFINITION", false=lambda m: m.distance(20.0, 10.0), small=EXACT),
    Worlds(TOY, "ORDER", false=lambda m: m.lead("mig", "M2", "M1"), small=EXACT),
    Worlds(
        IRS,
        "DIFFER",
        false=lambda m: m.test_metrics_do_not_always_rank_the_methods_alike(table=METHODS),
        small=lambda m: m.test_metrics_do_not_always_rank_the_methods_alike(table=METHODS[:4]),
    ),
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
