"""A data set of ours as one of torch; a module of its own, so that the rest loads without torch."""

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import Dataset

from dbench import seeds
from dbench.data.base import DataSet


class Points(Dataset[tuple[Tensor, Tensor]]):
    """The points that training may see, as :func:`dbench.data.torch_dataset` says."""

    def __init__(self, data: DataSet) -> None:
        self._data, self._factors = data, data.grid()[~data.held_out()]

    def __len__(self) -> int:
        return len(self._factors)

    def __getitem__(self, index: int) -> tuple[Tensor, Tensor]:
        return self.__getitems__([index])[0]

    def __getitems__(self, indices: list[int]) -> list[tuple[Tensor, Tensor]]:
        data, rows = self._data, self._factors[indices]
        if data.stochastic:
            # A point has one image, whether it is asked for by a number of python or numpy, or from the end.
            numbers = [int(i) % len(self) for i in indices]
            streams = [seeds.generator(task="torch_dataset", data=data.fingerprint, row=number) for number in numbers]
            drawn = [data.images(row[np.newaxis], rng) for row, rng in zip(rows, streams, strict=True)]
            images = np.concatenate(drawn)
        else:
            images = data.images(rows)
        scaled = torch.from_numpy(images).float() / 255
        return list(zip(scaled, torch.from_numpy(rows), strict=True))
