"""A cause in how codes are scored: collapsed ones count in full."""

import numpy as np
from causes_runs import MICRO, SCORES, Budget, Report, Scores, by_strength, experiment, mean, own_runs

from dbench.metrics.gaussian_total_correlation import gaussian_total_correlation
from dbench.zoo.scorers import EncodedRun

RESOLUTIONS = (0.03, 0.1)
"""Standard deviations of noise added to mean codes; a code of unit prior that carries 0.01 nats spreads over 0.14."""


def _blurred(run: EncodedRun) -> Scores:
    """Total correlation of the mean codes of all codes seen through noise, and what collapsed means depend on."""
    codes, active = run.train.codes, run.active
    noise = run.key.generator("cause.noise").standard_normal(codes.shape)
    scores = {f"blurred.{size:g}": gaussian_total_correlation(codes + size * noise).value for size in RESOLUTIONS}
    idle = np.setdiff1d(np.arange(codes.shape[1]), active)
    spread = codes[:, idle].std(axis=0)
    scores["spread"] = float(spread.max()) if len(idle) else 0.0
    scores["linear"] = float(np.mean([_share(codes[:, active], codes[:, i]) for i in idle])) if len(idle) else 0.0
    fine = np.concatenate([codes[:, active], codes[:, active] ** 2], axis=1)
    scores["square"] = float(np.mean([_share(fine, codes[:, i]) for i in idle])) if len(idle) else 0.0
    return scores


def _share(inputs: np.ndarray, target: np.ndarray) -> float:
    """R squared of a linear regression with an intercept."""
    design = np.concatenate([inputs, np.ones((len(inputs), 1))], axis=1)
    rest = target - design @ np.linalg.lstsq(design, target, rcond=None)[0]
    return 1 - float(rest.var() / target.var())


@experiment
def collapsed_codes(budget: Budget, report: Report) -> None:
    """The mean codes' total correlation of beta_vae rises over its sweep: is the rise that of nearly constant codes?

    The profile's own runs of beta_vae on dsprites_grid_16, 6,000 steps. Total correlation does not change
    with scale, so that a code whose mean hardly moves counts as much as any other. To look without deciding which codes
    are active, independent normal noise of one size is added to all mean codes: 0.1, a tenth of the prior's deviation.
    A code that spreads over more keeps its dependence, one that spreads over less loses it.

    Looked at: total correlation of the mean codes, of the active ones, and of all with noise of 0.03 and 0.1; the
    largest spread of a collapsed code's mean (standard deviation); and how much of the collapsed codes' means a
    regression on the active ones tells, linear and with squares.

    - Collapsed codes: supported if from the weakest to the strongest strength the total correlation of all mean codes
      rises by more than 0.5 nats in every seed, and with noise of 0.1 falls or rises by less than a tenth of that.
    """
    strengths = next(s.strengths for s in MICRO.sweeps if s.objective == "beta_vae")
    runs = own_runs(budget, "beta_vae", strengths)
    found = by_strength(runs.keys, runs.scores(_blurred))
    columns = {score: SCORES[score] for score in ("gaussian_tc.mean", "gaussian_tc.mean.active")}
    columns |= {f"blurred.{size:g}": f"TC, mean codes + noise {size:g}" for size in RESOLUTIONS}
    columns |= {"codes": SCORES["codes"], "spread": "largest collapsed spread"}
    columns |= {"linear": "R², linear", "square": "R², squares"}
    report.table("beta", {f"{strength:g}": rows for strength, rows in found.items()}, columns)

    first, last = found[strengths[0]], found[strengths[-1]]
    rises, blurred = (
        np.array([b[score] - a[score] for a, b in zip(first, last, strict=True)])
        for score in ("gaussian_tc.mean", "blurred.0.1")
    )
    there = bool((rises > 0.5).all())
    report.finding(
        "collapsed codes",
        "not here" if not there else "yes" if blurred.mean() < rises.mean() / 10 else "no",
        f"A rise of {rises.mean():.2f} nats over all mean codes (seeds {rises.min():.2f} to {rises.max():.2f}), of "
        f"{blurred.mean():.3f} with noise of 0.1, and from {mean(first, 'gaussian_tc.mean.active'):.3f} to "
        f"{mean(last, 'gaussian_tc.mean.active'):.3f} over the active ones.",
    )
