"""Our data sets as torch data sets; in a module of its own, so that the rest loads without torch."""

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import Dataset

from dbench import seeds
from dbench.data.base import BATCH, DataSet, Images, checked_images, warn_of_dark


class Points(Dataset[tuple[Tensor, Tensor]]):
    """The points that training may see, as :func:`dbench.data.torch_dataset` says."""

    def __init__(self, data: DataSet) -> None:
        self._data, self._factors = data, data.grid()[~data.held_out()]
        if len(self):
            probes = np.unique(np.linspace(0, len(self) - 1, BATCH).astype(int))
            warn_of_dark(self._images([*probes]), data.name)

    def __len__(self) -> int:
        return len(self._factors)

    def __getitem__(self, index: int) -> tuple[Tensor, Tensor]:
        return self.__getitems__([index])[0]

    def __getitems__(self, indices: list[int]) -> list[tuple[Tensor, Tensor]]:
        scaled = torch.from_numpy(self._images(indices)).float() / 255
        return list(zip(scaled, torch.from_numpy(self._factors[indices]), strict=True))

    def _images(self, indices: list[int]) -> Images:
        data, rows = self._data, self._factors[indices]
        if not data.stochastic:
            return checked_images(data.images(rows), data, len(rows))
        # The same point has the same image for a Python or numpy index, and for one from the end.
        numbers = [int(i) % len(self) for i in indices]
        streams = [seeds.generator(task="torch_dataset", data=data.fingerprint, row=number) for number in numbers]
        drawn = [data.images(row[np.newaxis], rng) for row, rng in zip(rows, streams, strict=True)]
        return checked_images(np.concatenate(drawn), data, len(rows))
