"""Trained runs of a store, for figures that need weights and codes."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray

from dbench.codes import Sample
from dbench.data import DataSet
from dbench.data.held_out import WITHOUT
from dbench.errors import EvidenceLacking, unknown_name
from dbench.metrics.posterior import kl_per_code
from dbench.study import UNSUPERVISED
from dbench.zoo.engine import images_of, network_of
from dbench.zoo.keys import RunKey
from dbench.zoo.scorers import ACTIVE, EncodedRun
from dbench.zoo.store import Store
from dbench_published.figures.labels import label_of

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TrainedModel:
    """A run of a store. Codes and weights are read on first use."""

    store: Store
    key: RunKey
    scores: dict[str, float]

    def __str__(self) -> str:
        return f"{label_of(self.key.objective)} {self.key.strength:g}, seed {self.key.seed}"

    @property
    def titled(self) -> str:
        """Its name with its MIG."""
        return f"{self}: MIG {self.scores['mig']:.2f}"

    @property
    def data(self) -> DataSet:
        """The data set it was trained on."""
        return images_of(self.key.data)[0]

    @cached_property
    def codes(self) -> tuple[Array, Array]:
        """Means and log-variances of the codes of all N grid points, each N x d."""
        stored = self.store.tensors(self.key, "codes")
        return stored["mean"].astype(np.float64), stored["logvar"].astype(np.float64)

    @cached_property
    def kl(self) -> Array:
        """Divergence of each code from the prior in nats, averaged over the grid."""
        return kl_per_code(*self.codes)

    @property
    def active(self) -> NDArray[np.int64]:
        """Positions of the informative codes, the most informative first."""
        order = np.argsort(-self.kl, kind="stable")
        return order[self.kl[order] > ACTIVE]

    @property
    def grid(self) -> Sample:
        """Mean codes and factors of every grid point."""
        return Sample(self.codes[0], self.data.grid(), self.data.factor_names)

    @cached_property
    def encoded(self) -> EncodedRun:
        """The run in the form that the scorers of the zoo take."""
        return EncodedRun.of(self.key, self.data, self.store.tensors(self.key, "codes"), {})

    def decode(self, z: Array) -> Array:
        """Return the mean images of n x d codes: n x C x H x W in 0..1."""
        weights = {
            name: torch.from_numpy(array)[None] for name, array in self.store.tensors(self.key, "weights").items()
        }
        network = network_of(self.key, self.data)
        with torch.no_grad():
            logits = network.decode(weights, torch.from_numpy(z.astype(np.float32))[None])[0]
        return logits.sigmoid().numpy().astype(np.float64)

    def image(self, row: int) -> Array:
        """Return the image of a grid point: C x H x W in 0..1."""
        return images_of(self.key.data)[1][row].numpy().astype(np.float64) / 255


@dataclass(frozen=True, eq=False)
class Models:
    """The done and scored runs of a store on the data set ``name``, from the highest MIG to the lowest."""

    name: str
    runs: tuple[TrainedModel, ...]

    @property
    def best(self) -> TrainedModel:
        """The run with the highest MIG."""
        return self.runs[0]

    @property
    def worst(self) -> TrainedModel:
        """The run with the lowest MIG."""
        return self.runs[-1]


def models_of_store(store: Store, *, data: Iterable[str] = ()) -> list[Models]:
    """Return the done and scored runs of unsupervised objectives in a store, by data set.

    By default, data sets with held-out combinations of factors are left out.
    """
    keys = store.contents().keys
    present = sorted({key.data for key in keys})
    for name in data:
        if name not in present:
            raise unknown_name(f"data set of {store.url}", name, present)
    wanted = list(data) or [name for name in present if WITHOUT not in name]
    by_data: dict[str, list[TrainedModel]] = {}
    for key in keys:
        if key.data not in wanted or key.objective not in UNSUPERVISED:
            continue
        document = store.read_document("scores", key=key)
        if document is None or store.status(key) != "done":
            continue
        # Lists are relation matrices and scores of single codes; figures need only the numbers.
        scores = {name: float(value) for name, value in document["scores"].items() if not isinstance(value, list)}
        if "mig" in scores:
            by_data.setdefault(key.data, []).append(TrainedModel(store, key, scores))
    if not by_data:
        raise EvidenceLacking(
            f"{store.url} holds no run of an unsupervised objective that is done and scored; run dbench zoo score first"
        )
    return [
        Models(name, tuple(sorted(runs, key=lambda run: (-run.scores["mig"], run.key))))
        for name, runs in sorted(by_data.items())
    ]
