"""A metric for torchmetrics: it collects batches of codes and factors, and scores them at the end of an epoch."""

from collections.abc import Collection
from typing import Any

import torch

from dbench.errors import InvalidInput
from dbench.scoring.scorer import metric_of_samples

try:
    from torchmetrics import Metric
    from torchmetrics.utilities import dim_zero_cat
except ModuleNotFoundError:
    raise InvalidInput("TorchMetric needs torchmetrics: pip install 'dbench[training]'") from None


class TorchMetric(Metric):
    """``update(codes, factors)`` with batches of n x d and n x k, then ``compute()``: the score of all of them.

    Processes that train together pool their batches. All arguments are those of :func:`dbench.scoring.scorer`,
    ``continuous`` and ``discrete`` included. ``notes`` says of which kind the last score took the factors to be.

    Raises:
        InvalidInput: a metric that needs more than codes and factors, or an option that it does not have; a batch of
            unequal numbers of codes and factors; torchmetrics is not installed.
    """

    full_state_update = False
    is_differentiable = False

    def __init__(
        self, name: str, *, continuous: Collection[str] = (), discrete: Collection[str] = (), **options: Any
    ) -> None:
        super().__init__()
        self.function = metric_of_samples(name, options)
        self.options = {"continuous": continuous, "discrete": discrete, **options}
        self.notes: tuple[str, ...] = ()
        self.add_state("codes", default=[], dist_reduce_fx="cat")
        self.add_state("factors", default=[], dist_reduce_fx="cat")

    def update(self, codes: torch.Tensor, factors: torch.Tensor) -> None:
        """Store a batch."""
        if len(codes) != len(factors):
            pair = f"{tuple(codes.shape)} and {tuple(factors.shape)}"
            raise InvalidInput(f"codes and factors of a batch must have equally many rows, got shapes {pair}")
        self.codes.append(codes.detach())
        self.factors.append(factors)

    def compute(self) -> torch.Tensor:
        """Return the score of all stored batches."""
        score = self.function(dim_zero_cat(self.codes), dim_zero_cat(self.factors), **self.options)
        self.notes = score.notes
        return torch.tensor(score.value)
