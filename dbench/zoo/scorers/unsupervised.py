"""Scores that use no factors: those of training, divergences, and how far codes depend on each other."""

from dbench.metrics.code_mutual_information import code_mutual_information
from dbench.metrics.gaussian_total_correlation import gaussian_total_correlation
from dbench.zoo.scorers.encoded_run import EncodedRun, Scores


def posterior(run: EncodedRun) -> Scores:
    """Scores of training, ``kl.code``, the divergence of each code, and the number of informative ones."""
    return {**run.trained, "kl.code": run.kl, "kl.informative": float(len(run.active))}


def gaussian_tc(run: EncodedRun) -> dict[str, float]:
    """Gaussian total correlation of mean and sampled codes, of all and of the informative ones."""
    scores = {}
    for name, sample in (("mean", run.train), ("sampled", run.sampled)):
        scores[f"gaussian_tc.{name}"] = gaussian_total_correlation(sample.codes).value
        # One code alone, or none, has no total correlation.
        active = sample.codes[:, run.active]
        several = active.shape[1] > 1
        scores[f"gaussian_tc.{name}.active"] = gaussian_total_correlation(active).value if several else 0.0
    return scores


def mutual_information(run: EncodedRun) -> dict[str, float]:
    """Average pairwise mutual information of mean and of sampled codes."""
    kinds = {"mean": run.train, "sampled": run.sampled}
    return {f"mutual_information.{name}": code_mutual_information(sample).value for name, sample in kinds.items()}
