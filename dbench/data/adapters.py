"""Our data sets for a user's own training loop: as data sets of torch or of Hugging Face."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dbench.data.base import DataSet
from dbench.errors import DbenchError

if TYPE_CHECKING:
    from torch import Tensor
    from torch.utils.data import Dataset


def torch_dataset(data: DataSet) -> Dataset[tuple[Tensor, Tensor]]:
    """Return the points that training may see as a torch data set.

    Item i is an image, float32 C x H x W in 0..1, and its k factors, int64. In a stochastic data set each image is one
    fixed draw.

    Example:
        >>> from dbench.data import load
        >>> from torch.utils.data import DataLoader
        >>> images, factors = next(iter(DataLoader(torch_dataset(load("dsprites_grid_16")), batch_size=8)))
        >>> images.shape, factors.shape
        (torch.Size([8, 1, 16, 16]), torch.Size([8, 5]))
    """
    from dbench.data.points import Points

    return Points(data)


def hugging_face_dataset(data: DataSet) -> Any:
    """Return the points that training may see as a ``datasets.Dataset`` of Hugging Face (extra ``huggingface``).

    Its columns are the factors by name, whole numbers from 0, and ``point``, the number of the row. ``image``, float32
    C x H x W in 0..1, is made when its row is read and never stored; it equals that of :func:`torch_dataset`.

    Raises:
        DbenchError: ``datasets`` is not installed.

    Example:
        >>> from dbench.data import load
        >>> rows = hugging_face_dataset(load("dsprites_grid_16"))  # doctest: +SKIP
        >>> rows.filter(lambda shape: shape == 2, input_columns="shape")[0]["image"].shape  # doctest: +SKIP
        (1, 16, 16)
    """
    try:
        from datasets import Dataset
    except ModuleNotFoundError as error:
        raise DbenchError(f"this needs {error.name}: pip install 'dbench[huggingface]'") from None
    points: Any = torch_dataset(data)
    factors = data.grid()[~data.held_out()]
    columns = dict(zip(data.factor_names, factors.T, strict=True)) | {"point": np.arange(len(factors))}

    def with_images(rows: dict[str, list[int]]) -> dict[str, list[Any]]:
        if "point" not in rows:  # only other columns are read, as by a filter
            return rows
        return {**rows, "image": [image.numpy() for image, _ in points.__getitems__(rows["point"])]}

    return Dataset.from_dict(columns).with_transform(with_images)
