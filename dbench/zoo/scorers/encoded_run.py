"""The input of the scorers: a trained run with its codes of every grid point, and samples of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from dbench.codes import GridSource, Sample
from dbench.data import DataSet
from dbench.metrics.dci import dci
from dbench.metrics.mig import mig
from dbench.metrics.posterior import ACTIVE, kl_per_code
from dbench.metrics.registry import Score
from dbench.metrics.sap import sap
from dbench.zoo.keys import RunKey
from dbench.zoo.scorers import protocol

Scores = Mapping[str, float | NDArray[np.float64]]
"""Name of a score -> its value, or an array of values for codes, for factors, or for codes x factors."""


@dataclass(frozen=True, eq=False)
class EncodedRun:
    """The codes of a run, from which its scores are computed.

    Attributes:
        source: mean codes, from which points with chosen factors can be sampled.
        grid: mean codes and factors of every grid point.
        sample: mean codes of 15,000 random points.
        train: the first 10,000 of them.
        sampled: codes drawn from the posteriors of the points of ``train``.
        kl: mean KL divergence of each code's posterior from the prior, over the grid, in nats.
        trained: scores from training.
    """

    key: RunKey
    data: DataSet
    source: GridSource
    grid: Sample
    sample: Sample
    train: Sample
    sampled: Sample
    kl: NDArray[np.float64]
    trained: Mapping[str, float]

    @classmethod
    def of(cls, key: RunKey, data: DataSet, codes: Mapping[str, NDArray[Any]], trained: Mapping[str, float]) -> Self:
        """Prepare a run for scoring; ``codes`` are ``mean`` and ``logvar`` of every grid point, each N x d."""
        mean, logvar = (codes[name].astype(np.float64) for name in ("mean", "logvar"))
        factors, names = data.grid(), data.factor_names
        rows = key.generator("score").integers(len(factors), size=protocol.TRAIN + protocol.TEST)
        first = rows[: protocol.TRAIN]
        noise = key.generator("sampled").standard_normal((protocol.TRAIN, mean.shape[1]))
        return cls(
            key=key,
            data=data,
            source=GridSource(mean, data.factor_sizes, names),
            grid=Sample(mean, factors, names),
            sample=Sample(mean[rows], factors[rows], names),
            train=Sample(mean[first], factors[first], names),
            sampled=Sample(mean[first] + np.exp(logvar[first] / 2) * noise, factors[first], names),
            kl=kl_per_code(mean, logvar),
            trained=trained,
        )

    @property
    def active(self) -> NDArray[np.int64]:
        """Indices of the informative codes, whose divergence is above :data:`ACTIVE`."""
        return np.flatnonzero(self.kl > ACTIVE)

    def draw(self, stream: str, n: int) -> Sample:
        """Draw mean codes of n grid points with replacement, by the run's generator of this name."""
        return self.grid.take(self.key.generator(stream).integers(len(self.grid), size=n))

    # Cached, because several groups use the relation matrices of these scores.

    @cached_property
    def mig(self) -> Score:
        """The mutual information gap."""
        return mig(self.train)

    @cached_property
    def dci(self) -> Score:
        """Disentanglement by the importances of a random forest."""
        return dci(self.sample, estimator="forest", generator=self.key.generator("dci"))

    @cached_property
    def sap(self) -> Score:
        """The separated attribute predictability score, by linear support vector machines."""
        return sap(self.sample, generator=self.key.generator("sap"))
