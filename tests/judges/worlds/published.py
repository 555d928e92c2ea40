"""Counter-worlds of the claims about printed tables: a table in which each is false, and one too small to tell."""

import numpy as np
import pandas as pd
from counter_worlds import EXACT, rows


def rising(n: int = 18) -> pd.Series:
    return pd.Series(np.arange(1.0, n + 1))


def variants(lasso: float, spearman: float = 0.5, sd: float = 0.05) -> pd.DataFrame:
    return pd.DataFrame({"mean": [lasso, spearman], "sd": [sd, sd]}, index=["lasso", "spearman"])


def ranked(ranks: pd.Series) -> dict:
    """Printed ranks of rising scores."""
    return {"metric": "irs", "cells": lambda _: pd.DataFrame({"value": rising(len(ranks)), "rank": ranks})}


TOY = "flaws/test_3_1_toy_table"
IRS, UDR = "irs/test_6_1_published_table", "udr/test_5_published_tables"
METHODS = pd.DataFrame(
    dict.fromkeys(("irs", "feature_importance", "mutual_information", "informativeness"), rising(5))
).set_axis([*"abcd", "beta_tcvae"])
OPPOSED = METHODS.assign(irs=-METHODS["irs"])[1:]

WORLDS = rows(
    (TOY, "CELL", {"metric": "mig", "model": "M1", "printed": lambda *_: 99.0}, EXACT),
    (TOY, "BY_DEFINITION", {"metric": "snc", "model": "M1", "printed": lambda *_: 99.0}, EXACT),
    (TOY, "ORDER", {"metric": "mig", "first": "M2", "second": "M1"}, EXACT),
    (IRS, "DIFFER", {"scores": lambda: METHODS}, {"scores": lambda: METHODS[:4]}),
    (IRS, "RANKS", ranked(rising(5)), ranked(rising(4)[::-1].reset_index(drop=True))),
    (IRS, "TRADE_OFF", {"scores": lambda: METHODS}, {"scores": lambda: OPPOSED}),
    (IRS, "WITHOUT_TCVAE", {"scores": lambda: METHODS}, {"scores": lambda: OPPOSED}),
    (UDR, "NOT_WORSE", lambda m: m.smallest_advantage(variants(0.4)), EXACT),
    (UDR, "BETTER", lambda m: m.advantage(variants(0.4)), EXACT),
    (UDR, "BEYOND_SPREAD", lambda m: m.advantage_with_spread(variants(0.4)),
     lambda m: m.advantage_with_spread(variants(0.9), conditions=3)),
    (UDR, "GROWS", lambda m: m.trend(rising(9), -rising(9)), lambda m: m.trend(rising(8), rising(8))),
    (UDR, "STEADIES", lambda m: m.trend(rising(9), rising(9)), lambda m: m.trend(rising(8), -rising(8))),
    (UDR, "FIVE", lambda m: m.share_at_fewest(rising(9)), lambda m: m.share_at_fewest(-rising(8)[::-1])),
    (UDR, "SUBSET", lambda m: m.trend(rising(4), rising(4)), lambda m: m.trend(rising(3), -rising(3))),
)  # fmt: skip
