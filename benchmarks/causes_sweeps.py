"""Causes in what is swept: the strengths of FactorVAE and of DIP-VAE-I."""

import numpy as np
import torch
from causes_runs import (
    SCORES,
    Budget,
    Report,
    Runs,
    Scores,
    by_strength,
    experiment,
    keys_of,
    mean,
    own_runs,
    train_runs,
)

from dbench.metrics.irs import irs
from dbench.models.objectives.discriminator import discriminate
from dbench.stats.ranks import sweep_correlations
from dbench.zoo.scorers import EncodedRun

_LOOKED_AT = 4096  # images on which the discriminator's estimate is taken


def _estimates(runs: Runs) -> list[Scores]:
    """What the discriminator of each run takes the total correlation of the codes for, at the end of the run."""
    rows = runs.keys[0].generator("cause").integers(len(runs.codes[0][0]), size=_LOOKED_AT)
    means, logvar = (torch.from_numpy(part[:, rows]) for part in runs.codes)
    streams = [key.generator("cause.noise") for key in runs.keys]
    noise = np.stack([stream.standard_normal(tuple(means.shape[1:]), dtype=np.float32) for stream in streams])
    with torch.no_grad():
        logits = discriminate(runs.parameters, "adversary", means + (0.5 * logvar).exp() * torch.from_numpy(noise))
    found = (logits[..., 0] - logits[..., 1]).mean(1)
    return [
        {"estimate": float(value), "reward": -key.strength * float(value)}
        for key, value in zip(runs.keys, found, strict=True)
    ]


_FACTOR_COLUMNS = {
    **{score: SCORES[score] for score in ("gaussian_tc.sampled", "codes", "elbo", "gaussian_tc.mean")},
    "estimate": "discriminator's estimate",
    "reward": "paid out",
}


def _factor_rows(runs: Runs) -> dict[float, list[Scores]]:
    scores = [found | estimate for found, estimate in zip(runs.scores(), _estimates(runs), strict=True)]
    return by_strength(runs.keys, scores)


@experiment
def factor_vae(budget: Budget, report: Report) -> None:
    """FactorVAE's sampled total correlation and informative codes rise with gamma: is it the strength, is it exploited?

    On dsprites_grid_16, 6,000 steps: the profile's own runs at gamma 10 to 100, and two seeds trained at 0.5, 2 and 8.
    At 16 x 16 an image has a sixteenth of the pixels that its reconstruction is summed over, so the study's strengths
    of 10 to 100 correspond to 0.6 to 6 there.

    Looked at: Gaussian total correlation of 10,000 sampled codes, codes above 0.01 nats, ELBO, and the discriminator's
    own estimate of the total correlation, E[log D - log(1 - D)] on 4,096 images after the last step. A total
    correlation is never negative; where the estimate is, the loss pays out -gamma x estimate nats.

    The symptom: from the weakest to the strongest gamma of some strengths the mean sampled total correlation rises by
    more than 0.01 nats, or the mean number of informative codes by more than 2.

    - Strength: supported if there is no symptom from 0.5 to 8 but one from 10 to 100.
    - Exploited rather than obeyed: supported if at gamma = 100 the estimate is negative in every seed and pays out more
      than 1 nat on average.
    """
    strong, weak = (10.0, 20.0, 30.0, 40.0, 50.0, 100.0), (0.5, 2.0, 8.0)
    found = _factor_rows(own_runs(budget, "factor_vae", strong))
    report.table("gamma", {f"{gamma:g}": rows for gamma, rows in found.items()}, _FACTOR_COLUMNS)
    negative = all(row["estimate"] < 0 for row in found[100.0])
    paid = mean(found[100.0], "reward")
    report.finding(
        "exploited",
        "yes" if negative and paid > 1 else "no",
        f"At gamma 100 the estimate is {mean(found[100.0], 'estimate'):.3f} and pays out {paid:.1f} nats.",
    )
    weaker = _factor_rows(train_runs(keys_of("factor_vae", weak, budget.numbers(2), budget.steps(6000))))
    report.table("gamma", {f"{gamma:g}": rows for gamma, rows in weaker.items()}, _FACTOR_COLUMNS)
    (rise, more), (low_rise, low_more) = _rises(found, strong), _rises(weaker, weak)
    there, low = rise > 0.01 or more > 2, low_rise > 0.01 or low_more > 2
    report.finding(
        "strength",
        "not here" if not there else "no" if low else "yes",
        f"From gamma 10 to 100 total correlation rises by {rise:.3f} nats, informative codes by {more:.1f}; from 0.5 "
        f"to 8 by {low_rise:.3f} nats and {low_more:.1f}.",
    )


def _rises(found: dict[float, list[Scores]], strengths: tuple[float, ...]) -> tuple[float, float]:
    """How much total correlation and number of codes rise from the weakest to the strongest of some strengths."""
    first, last = found[strengths[0]], found[strengths[-1]]
    rise, more = (mean(last, score) - mean(first, score) for score in ("gaussian_tc.sampled", "codes"))
    return rise, more


def _distance(run: EncodedRun) -> Scores:
    covariance = np.cov(run.grid.codes.T, bias=True)
    diagonal = np.diagonal(covariance)
    off = covariance - np.diag(diagonal)
    score = irs(run.train, generator=run.key.generator("irs")).value
    return {"distance": float((off**2).sum() + 10 * ((diagonal - 1) ** 2).sum()), "irs": score}


@experiment
def dip_vae_i(budget: Budget, report: Report) -> None:
    """DIP-VAE-I is the same at every strength of the study: is its penalty met at the weakest, do weaker ones order it?

    On dsprites_grid_16, 6,000 steps: the profile's own runs at lambda_od 1 to 50 and of a plain VAE, and two seeds
    trained at six strengths from 0.01 to 0.5.

    Looked at: sampled total correlation, KL, informative codes, IRS, and how far the covariance of the mean codes over
    the whole grid is from the identity, weighted as in the loss: off the diagonal plus ten times on it.

    - Met at the weakest: supported if the distance at 1 is below a tenth of a plain VAE's and at 50 not below half of
      that at 1.
    - Strengths below 1 order the sweep, for each of total correlation, KL, codes and IRS: supported if Spearman's
      correlation with the strength over 0.01 to 0.5 is on average beyond 0.5 in size and of one sign in all seeds, and
      over 1 to 50 it is not.
    """
    weak, strong = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5), (1.0, 2.0, 5.0, 10.0, 20.0, 50.0)
    chosen = {score: SCORES[score] for score in ("gaussian_tc.sampled", "kl", "codes", "elbo", "gaussian_tc.mean")}
    columns = chosen | {"distance": "distance from identity", "irs": "IRS"}
    vae, dip = own_runs(budget, "beta_vae", (1.0,)), own_runs(budget, "dip_vae_i", strong)
    found = {0.0: vae.scores(_distance), **by_strength(dip.keys, dip.scores(_distance))}
    report.table("lambda_od", {f"{strength:g}": rows for strength, rows in found.items()}, columns)
    plain, one, fifty = (mean(found[strength], "distance") for strength in (0.0, 1.0, 50.0))
    report.finding(
        "penalty met at the weakest strength",
        "yes" if one < plain / 10 and fifty >= one / 2 else "no",
        f"Distance of {plain:.2f} at 0, {one:.3f} at 1 and {fifty:.3f} at 50.",
    )
    weaker = train_runs(keys_of("dip_vae_i", weak, budget.numbers(2), budget.steps(6000)))
    low_found = by_strength(weaker.keys, weaker.scores(_distance))
    report.table("lambda_od", {f"{strength:g}": rows for strength, rows in low_found.items()}, columns)
    for score, name in (("gaussian_tc.sampled", "total correlation"), ("kl", "KL"), ("codes", "codes"), ("irs", "IRS")):
        low, high = _orders(low_found, weak, score), _orders(found, strong, score)
        said = [f"{np.mean(one):.2f} ({one.min():.2f} to {one.max():.2f})" for one in (low, high)]
        answer = "yes" if _one_way(low) and not _one_way(high) else "no"
        report.finding(f"below 1 ordered by {name}", answer, f"Spearman of {said[0]} below 1, of {said[1]} from 1 on.")


def _orders(found: dict[float, list[Scores]], strengths: tuple[float, ...], score: str) -> np.ndarray:
    """Spearman's correlation of a score with the strength, one number a seed."""
    table = np.array([[row[score] for row in found[strength]] for strength in strengths]).T
    return sweep_correlations(strengths, table)


def _one_way(correlations: np.ndarray) -> bool:
    return bool(abs(correlations.mean()) > 0.5 and (np.sign(correlations) == np.sign(correlations[0])).all())
