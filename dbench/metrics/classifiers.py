"""Many perceptrons of the same shape, trained together as one batched network."""

from dataclasses import astuple, dataclass

import numpy as np
from numpy.typing import NDArray

from dbench.errors import InvalidInput
from dbench.metrics.inputs import in_range, require_count, require_positive


@dataclass(frozen=True)
class Training:
    """Options of training, the same for all classifiers.

    Raises:
        InvalidInput: a count below 1, a rate that is not above 0, or a device that torch does not have here.
    """

    epochs: int  # passes over the training part
    batch: int  # observations in a step (not given in the paper); a smaller last batch of an epoch is used too
    hidden: int  # units of the hidden layer
    falling_from: float | None = None  # initial learning rate, which falls linearly to 0; None: constant 0.001
    device: str = "cpu"  # name of a torch device

    def __post_init__(self) -> None:
        for name in ("epochs", "batch", "hidden"):
            require_count(name, getattr(self, name), 1)
        if self.falling_from is not None:
            require_positive("falling_from", self.falling_from)
        _require_device(self.device)


@dataclass(frozen=True, eq=False)
class Classifier:
    """A perceptron that predicts one label from all codes of one model but column ``without`` (-1: from all)."""

    model: int
    label: int
    without: int = -1


def predict_labels(
    train_codes: NDArray[np.float64],
    train_labels: NDArray[np.int64],
    test_codes: NDArray[np.float64],
    classifiers: list[Classifier],
    training: Training,
    classes: NDArray[np.int64],
    generator: np.random.Generator,
) -> NDArray[np.int64]:
    """Train perceptrons with one hidden layer, and return the labels that they predict for the test part.

    Adam (0.9, 0.999), cross entropy, no early stopping. Codes are standardised by mean and deviation of the training
    part; constant codes, and a column left out, become 0. All classifiers start from the same initial weights and see
    the same batches in the same order, so two of them differ only in their inputs and labels.

    Training codes are models x n x d, test codes models x m x d; labels are n x k numbers, each below its entry of the
    k ``classes``. The result is classifiers x m. The generator draws initial weights and the order of observations.
    """
    import torch  # imported here, so that importing dbench.metrics stays fast

    epochs, batch, hidden, falling_from, device = astuple(training)
    train_codes, test_codes = in_range(train_codes, test_codes)
    mean = train_codes.mean(axis=1, keepdims=True)
    spread = train_codes.std(axis=1, keepdims=True)
    spread = np.where(spread > 1e-12 * np.abs(train_codes).max(axis=1, keepdims=True), spread, np.inf)
    model, label, without = np.array([astuple(classifier) for classifier in classifiers]).T
    keep = np.arange(train_codes.shape[2]) != without[:, None]

    def to_device(values: NDArray[np.float64]) -> torch.Tensor:
        return torch.as_tensor(values, dtype=torch.float32, device=device)

    def inputs(codes: NDArray[np.float64]) -> torch.Tensor:
        """Models x n x (d + 1): standardised codes and a column of ones, whose weights are the bias."""
        scaled = (codes - mean) / spread
        return to_device(np.concatenate([scaled, np.ones_like(scaled[..., :1])], axis=2))

    # Classifiers are sorted by model, so that the first layer of all those of a model is one product.
    order_by_model = np.argsort(model, kind="stable")
    model, label, keep = model[order_by_model], label[order_by_model], keep[order_by_model]
    spans = [(int(m), *np.searchsorted(model, [m, m + 1]).tolist()) for m in np.unique(model)]
    train_inputs, train_targets = inputs(train_codes), torch.as_tensor(train_labels.T[label].copy(), device=device)
    n_classifiers, n, d = len(label), train_codes.shape[1], train_codes.shape[2]
    n_outputs = int(classes[label].max())
    # Outputs beyond the number of classes of a classifier get a logit that is never the largest.
    ruled_out = to_device(np.where(np.arange(n_outputs) < classes[label][:, None], 0.0, -1e9))[:, :, None]

    def uniform(fan_in: int, *shape: int) -> torch.Tensor:
        bound = 1 / np.sqrt(fan_in)
        return to_device(generator.uniform(-bound, bound, size=shape)).expand(n_classifiers, *shape)

    w1, b1 = uniform(d, d, hidden), uniform(d, 1, hidden)
    w2, b2 = uniform(hidden, hidden, n_outputs), uniform(hidden, 1, n_outputs)
    kept = torch.nn.functional.pad(to_device(keep.astype(np.float64)), (0, 1), value=1.0)[:, :, None].transpose(0, 1)
    # One vector holds all parameters, so that a step of the optimiser is one call. Shapes of its parts: inputs x
    # classifiers x hidden, classifiers x classes x hidden and classifiers x classes x 1.
    initial = [(torch.cat([w1, b1], dim=1).transpose(0, 1) * kept), w2.transpose(1, 2), b2.transpose(1, 2)]

    def parts_of(vector: torch.Tensor) -> list[torch.Tensor]:
        ends = np.cumsum([0, *(part.numel() for part in initial)]).tolist()
        return [vector[a:b].view(part.shape) for a, b, part in zip(ends[:-1], ends[1:], initial, strict=True)]

    parameters = torch.cat([part.flatten() for part in initial])
    hidden_weights, output_weights, output_bias = parts_of(parameters)

    def forward(batch_inputs: torch.Tensor, units: torch.Tensor) -> torch.Tensor:
        """Write the hidden units (classifiers x hidden x batch); return the logits (classifiers x classes x batch)."""
        for m, low, high in spans:
            weights = hidden_weights[:, low:high].reshape(d + 1, -1)
            torch.mm(weights.T, batch_inputs[m].T, out=units[low:high].view(-1, batch_inputs.shape[1]))
        return torch.baddbmm(output_bias + ruled_out, output_weights, units.relu_())

    # Gradients are computed by hand, into memory allocated once: autograd would take as long as the products.
    parameters.grad = torch.zeros_like(parameters)
    gradients = parts_of(parameters.grad)
    optimiser = torch.optim.Adam([parameters], lr=1e-3 if falling_from is None else falling_from, fused=True)
    rate_step = 0.0 if falling_from is None else falling_from / (epochs * -(-n // batch))
    units, hidden_gradients = parameters.new_empty(2, n_classifiers, hidden, min(batch, n))
    for _ in range(epochs):
        order = torch.as_tensor(generator.permutation(n), device=device)
        x_epoch, y_epoch = train_inputs[:, order], train_targets[:, None, order]
        for start in range(0, n, batch):
            x_batch, y_batch = x_epoch[:, start : start + batch], y_epoch[..., start : start + batch]
            size = x_batch.shape[1]
            share = 1 / size
            if size == units.shape[2]:
                batch_units, batch_gradients = units, hidden_gradients
            else:
                batch_units, batch_gradients = units.new_empty(2, n_classifiers, hidden, size)
            logits = forward(x_batch, batch_units)
            # The loss is the mean over observations, summed over classifiers, so that their gradients stay separate.
            error = torch.softmax(logits, dim=1).mul_(share)
            error.scatter_add_(1, y_batch, error.new_full((1, 1, 1), -share).expand_as(y_batch))
            torch.bmm(error, batch_units.transpose(1, 2), out=gradients[1])
            torch.sum(error, dim=2, keepdim=True, out=gradients[2])
            torch.bmm(output_weights.transpose(1, 2), error, out=batch_gradients)
            torch.ops.aten.threshold_backward.grad_input(batch_gradients, batch_units, 0, grad_input=batch_gradients)
            for m, low, high in spans:
                product = x_batch[m].T @ batch_gradients[low:high].view(-1, size).T
                gradients[0][:, low:high] = product.view(d + 1, high - low, hidden)
            gradients[0].mul_(kept)
            optimiser.step()
            optimiser.param_groups[0]["lr"] -= rate_step
    test_inputs = inputs(test_codes)
    test_units = units.new_empty(n_classifiers, hidden, test_inputs.shape[1])
    predicted = forward(test_inputs, test_units).argmax(dim=1).cpu().numpy()
    reordered = np.empty_like(predicted)
    reordered[order_by_model] = predicted
    return np.asarray(reordered, dtype=np.int64)


def _require_device(name: str) -> None:
    """Refuse a device on which torch cannot allocate a tensor."""
    import torch

    try:
        torch.empty(0, device=name)
    except (RuntimeError, AssertionError, TypeError) as error:  # which of them depends on the kind of device
        reason = str(error).partition("\n")[0]
        raise InvalidInput(f"device must be one that torch can use here, got {name!r}: {reason}") from error
