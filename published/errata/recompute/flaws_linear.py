"""Numbers of the errata of Correcting Flaws: the linear classifier, beside SNC and as a control of the MLP."""

import numpy as np
import pandas as pd
from scipy import stats

from dbench_published import flaws, read_table
from dbench_published.errata.recompute.flaws_details import split_rows


def cells() -> pd.DataFrame:
    """Return SNC and linear of Tables 9 to 26, unadjusted, one row a cell; cells that lack either are left out."""
    table = read_table("flaws_tables_9_26").query("factor != 'both' and classifier in ('snc', 'linear')")
    keys = ["table", "data_set", "model", "split", "factor"]
    return table.pivot_table(index=keys, columns="classifier", values="percent").dropna()


def mean_over_cells(values: pd.Series) -> pd.Series:
    """Average over splits, then over factors."""
    return values.groupby(["data_set", "model", "factor"]).mean().groupby(["data_set", "model"]).mean()


def raised() -> pd.Series:
    """Return what the best linear classifier reaches at least: the larger of the printed cell and SNC's."""
    return mean_over_cells(cells().max(axis=1))


def flaws_linear_control() -> dict[str, float]:
    linear, mlp = (flaws.random_split_accuracy(classifier=c) for c in ("linear", "mlp"))
    novel = {c: flaws.recomputed_novel(classifier=c) for c in ("linear", "mlp")}
    drop = linear - novel["linear"]
    assert (novel["linear"] <= novel["mlp"]).all()
    return {
        "least": linear.min(),
        "most": linear.max(),
        **{f"dsprites_{model}": linear["dSprites", model] for model in flaws.MODELS},
        "mlp_least": mlp["dSprites"].min(),
        "mlp_most": mlp["dSprites"].max(),
        "least_drop": drop.min(),
        "most_drop": drop.max(),
        "mlp_drop": (mlp - novel["mlp"]).min(),
        "mlp_most_drop": (mlp - novel["mlp"]).max(),
        "pairs": len(drop),
    }


def flaws_linear_below_snc() -> dict[str, float]:
    both = cells()
    apart = both["snc"] - both["linear"]
    kept = apart.drop(index=13, level="table")
    printed = {m: flaws.summary(2, m)["3dshapes", "parted_vae_ss"] for m in ("snc", "linear")}
    plain = {m: mean_over_cells(both[m]) for m in ("snc", "linear")}
    farthest = both.loc[apart.idxmax()]
    assert apart.idxmax() == (19, "3dshapes", "parted_vae_ss", 0, "orientation")
    best = raised()["3dshapes"]
    numbers = {"printed_snc": printed["snc"], "printed_linear": printed["linear"]}
    for name, data_set in (("shapes", "3dshapes"), ("dsprites", "dSprites")):
        numbers |= {f"{m}_{name}": plain[m][data_set, "parted_vae_ss"] for m in plain}
    return numbers | {
        "above": (apart > 0).sum(),
        "five": (apart > 5).sum(),
        "cells": len(apart),
        "above_kept": (kept > 0).sum(),
        "five_kept": (kept > 5).sum(),
        "cells_kept": len(kept),
        "far_snc": farthest["snc"],
        "far_linear": farthest["linear"],
        "raised_ss": best["parted_vae_ss"],
        "raised_parted": best["parted_vae"],
        "raised_weak": best["weak_de"],
        "raised_beta": best["beta_vae"],
        "parted": plain["linear"]["3dshapes", "parted_vae"],
        "lower": sum(flaws.summary(2, "linear") > flaws.summary(2, "snc")),
        "lower_plain": (plain["linear"] > plain["snc"]).sum(),
        "pairs": len(flaws.POINTS),
    }


def flaws_linear_similar() -> dict[str, float]:
    printed = pd.DataFrame({m: flaws.summary(2, m) for m in ("linear", "snc")})
    adjusted = pd.DataFrame({m: flaws.mean_over_splits(m, adjust=True) for m in ("linear", "snc")})

    def ranks(table: pd.DataFrame) -> list[float]:
        return [stats.spearmanr(table.loc[d]["linear"], table.loc[d]["snc"])[0] for d in flaws.DATA_SETS]

    numbers = {}
    for name, table in (("", printed), ("_adjusted", adjusted)):
        numbers |= {f"rank_{d.lower()}{name}": r for d, r in zip(flaws.DATA_SETS, ranks(table), strict=True)}
        numbers[f"most{name}"] = (table["linear"] - table["snc"]).max()
    shapes = printed.loc["3dshapes"]
    assert shapes["linear"].idxmax() == "beta_vae"
    return numbers | {
        "linear": shapes["linear"]["beta_vae"],
        "snc": shapes["snc"]["beta_vae"],
        "linear_ss": shapes["linear"]["parted_vae_ss"],
        "snc_ss": shapes["snc"]["parted_vae_ss"],
        "rank_ss": shapes["linear"].rank(ascending=False)["parted_vae_ss"],
        "raised": stats.spearmanr(raised()["3dshapes"][list(flaws.MODELS)], adjusted.loc["3dshapes"]["snc"])[0],
    }


def flaws_table_13_linear() -> dict[str, float]:
    factors = list(flaws.FACTOR_SIZES["dSprites"])
    rows = split_rows(13)
    snc, linear = rows.loc["snc"], rows.loc["linear"]
    same = ["size", "shape", "both"]
    assert snc.loc[[3, 4], same].equals(linear.loc[[3, 4], same])
    both = cells()
    nearest = (both["snc"] - both["linear"]).abs().groupby(["table", "split"]).max()
    kept = linear.loc[[0, 2], factors].mean().mean()
    others = flaws.mean_over_splits("linear", adjust=False)["dSprites"].drop("parted_vae_ss")
    adjusted = {f: flaws.adjusted(snc[f], flaws.chance("dSprites", f)) for f in factors}
    one_run = float(np.mean([values[0] for values in adjusted.values()]))
    return {
        "most": nearest.loc[[(13, 3), (13, 4)]].max(),
        "nearest": nearest.drop([(13, 3), (13, 4)]).min(),
        "size": linear.loc[3, "size"],
        "shape": linear.loc[3, "shape"],
        "both": linear.loc[3, "both"],
        "printed": flaws.summary(2, "linear")["dSprites", "parted_vae_ss"],
        "kept": kept,
        "rank": 1 + (others > kept).sum(),
        "of": len(flaws.MODELS),
        "worked": linear.drop(1)[factors].mean().mean(),
        "snc_printed": flaws.summary(2, "snc")["dSprites", "parted_vae_ss"],
        "snc": one_run,
    }
