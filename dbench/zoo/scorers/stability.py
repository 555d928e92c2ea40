"""The study's metrics again, from other points and from few (A Sober Look, section 6.2, Figures 21 and 22)."""

import numpy as np

from dbench.metrics.beta_vae_metric import beta_vae_metric
from dbench.metrics.dci import dci
from dbench.metrics.factor_vae import factor_vae
from dbench.metrics.irs import irs
from dbench.metrics.mig import mig
from dbench.metrics.modularity import modularity
from dbench.metrics.sap import sap
from dbench.zoo.scorers import protocol
from dbench.zoo.scorers.encoded_run import EncodedRun


def again(run: EncodedRun) -> dict[str, float]:
    """``again.<metric>``: from a sample as large as that of ``<metric>``, and independent of it."""
    return _seven(run, "again", protocol.TRAIN, protocol.TEST)


def small(run: EncodedRun) -> dict[str, float]:
    """``small.<metric>`` and ``small_again.<metric>``: from two independent samples of few points."""
    return {
        name: value
        for stream in ("small", "small_again")
        for name, value in _seven(run, stream, protocol.FEW, protocol.FEW_TEST).items()
    }


def _seven(run: EncodedRun, stream: str, train: int, test: int) -> dict[str, float]:
    """The seven metrics of the study, the classifiers' and votes' training and test parts of these sizes."""
    whole = run.draw(stream, train + test)
    first = whole.take(np.arange(train))

    def of(metric: str) -> np.random.Generator:
        return run.key.generator(f"{stream}.{metric}")

    scores = {
        "beta_vae_metric": beta_vae_metric(
            run.source, train_points=train, test_points=test, generator=of("beta_vae_metric")
        ),
        "factor_vae": factor_vae(
            run.source, train_votes=train, test_votes=test, variance_draws=train, generator=of("factor_vae")
        ),
        "mig": mig(first),
        "dci": dci(whole, estimator="forest", generator=of("dci")),
        "sap": sap(whole, generator=of("sap")),
        "irs": irs(first, generator=of("irs")),
        "modularity": modularity(first, generator=of("modularity")),
    }
    return {f"{stream}.{metric}": score.value for metric, score in scores.items()}
