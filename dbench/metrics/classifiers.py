"""Many small classifiers of one shape, trained at once as one batched network."""

from dataclasses import astuple, dataclass

import numpy as np
from numpy.typing import NDArray

from dbench.errors import InvalidInput
from dbench.metrics.inputs import in_range, require_count, require_positive


@dataclass(frozen=True)
class Training:
    """How classifiers are trained, all of them alike.

    Raises:
        InvalidInput: a count below 1, a rate that is not above 0, or a device that torch does not have here.
    """

    epochs: int  # passes over the training part
    batch: int  # observations in a step (the paper gives none); the last, smaller batch of an epoch is used too
    hidden: int  # units of the hidden layer
    falling_from: float | None = None  # where a learning rate starts that falls to 0 in equal steps; else 0.001
    device: str = "cpu"  # a torch device

    def __post_init__(self) -> None:
        for name in ("epochs", "batch", "hidden"):
            require_count(name, getattr(self, name), 1)
        if self.falling_from is not None:
            require_positive("falling_from", self.falling_from)
        _require_device(self.device)


@dataclass(frozen=True, eq=False)
class Classifier:
    """One perceptron to train: predict a label from one model's codes, but for the column ``without`` (-1: all)."""

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
    """Train perceptrons with one hidden layer; return the labels they predict of the test part.

    Adam (0.9, 0.999), cross entropy, no early stopping. Codes are standardised by their training mean and
    deviation; constant codes, and a column left out, become 0. All classifiers see the same batches in the same
    order and start from the same draw of weights, so two of them differ by what they are shown alone.

    Codes are models x n x d to train and models x m x d to test, labels n x k numbers below the k ``classes``; what
    comes back is classifiers x m. The generator draws the initial weights and the order of the observations.
    """
    import torch  # only here: importing dbench.metrics stays quick

    epochs, batch, hidden, falling_from, device = astuple(training)
    train_codes, test_codes = in_range(train_codes, test_codes)
    mean = train_codes.mean(axis=1, keepdims=True)
    spread = train_codes.std(axis=1, keepdims=True)
    spread = np.where(spread > 1e-12 * np.abs(train_codes).max(axis=1, keepdims=True), spread, np.inf)
    model, label, without = np.array([astuple(classifier) for classifier in classifiers]).T
    keep = np.arange(train_codes.shape[2]) != without[:, None]

    def put(values: NDArray[np.float64]) -> torch.Tensor:
        return torch.as_tensor(values, dtype=torch.float32, device=device)

    def inputs(codes: NDArray[np.float64]) -> torch.Tensor:
        """Models x n x (d + 1): standardised codes and a column of ones, whose weights are the bias."""
        scaled = (codes - mean) / spread
        return put(np.concatenate([scaled, np.ones_like(scaled[..., :1])], axis=2))

    # A model's classifiers lie together, so that the first layer of all of them is one product.
    position = np.argsort(model, kind="stable")
    model, label, keep = model[position], label[position], keep[position]
    spans = [(int(m), *np.searchsorted(model, [m, m + 1]).tolist()) for m in np.unique(model)]
    x, y = inputs(train_codes), torch.as_tensor(train_labels.T[label].copy(), device=device)
    t, n, d = len(label), train_codes.shape[1], train_codes.shape[2]
    width = int(classes[label].max())
    # Outputs beyond a classifier's own number of classes are ruled out.
    ruled_out = put(np.where(np.arange(width) < classes[label][:, None], 0.0, -1e9))[:, :, None]

    def uniform(fan_in: int, *shape: int) -> torch.Tensor:
        bound = 1 / np.sqrt(fan_in)
        return put(generator.uniform(-bound, bound, size=shape)).expand(t, *shape)

    w1, b1 = uniform(d, d, hidden), uniform(d, 1, hidden)
    w2, b2 = uniform(hidden, hidden, width), uniform(hidden, 1, width)
    kept = torch.nn.functional.pad(put(keep.astype(np.float64)), (0, 1), value=1.0)[:, :, None].transpose(0, 1)
    # All parameters lie in one row, so that a step of the optimiser is one call: inputs x classifiers x hidden,
    # classifiers x classes x hidden and classifiers x classes x 1.
    initial = [(torch.cat([w1, b1], dim=1).transpose(0, 1) * kept), w2.transpose(1, 2), b2.transpose(1, 2)]

    def parts_of(row: torch.Tensor) -> list[torch.Tensor]:
        ends = np.cumsum([0, *(part.numel() for part in initial)]).tolist()
        return [row[a:b].view(part.shape) for a, b, part in zip(ends[:-1], ends[1:], initial, strict=True)]

    whole = torch.cat([part.flatten() for part in initial])
    first, second, bias = parts_of(whole)

    def forward(rows: torch.Tensor, units: torch.Tensor) -> torch.Tensor:
        """Fill in the hidden units, classifiers x hidden x batch; return the logits, classifiers x classes x batch."""
        for m, low, high in spans:
            weights = first[:, low:high].reshape(d + 1, -1)
            torch.mm(weights.T, rows[m].T, out=units[low:high].view(-1, rows.shape[1]))
        return torch.baddbmm(bias + ruled_out, second, units.relu_())

    # The gradient is written out, into memory that is there already: autograd costs as much as the products.
    whole.grad = torch.zeros_like(whole)
    gradients = parts_of(whole.grad)
    optimiser = torch.optim.Adam([whole], lr=1e-3 if falling_from is None else falling_from, fused=True)
    fall = 0.0 if falling_from is None else falling_from / (epochs * -(-n // batch))
    units, back = whole.new_empty(2, t, hidden, min(batch, n))
    for _ in range(epochs):
        order = torch.as_tensor(generator.permutation(n), device=device)
        x_epoch, y_epoch = x[:, order], y[:, None, order]
        for start in range(0, n, batch):
            x_batch, y_batch = x_epoch[:, start : start + batch], y_epoch[..., start : start + batch]
            size = x_batch.shape[1]
            share = 1 / size
            fit = (units, back) if size == units.shape[2] else units.new_empty(2, t, hidden, size)
            logits = forward(x_batch, fit[0])
            # Of the mean over observations and the sum over classifiers, so each one's gradient is its own.
            error = torch.softmax(logits, dim=1).mul_(share)
            error.scatter_add_(1, y_batch, error.new_full((1, 1, 1), -share).expand_as(y_batch))
            torch.bmm(error, fit[0].transpose(1, 2), out=gradients[1])
            torch.sum(error, dim=2, keepdim=True, out=gradients[2])
            torch.bmm(second.transpose(1, 2), error, out=fit[1])
            torch.ops.aten.threshold_backward.grad_input(fit[1], fit[0], 0, grad_input=fit[1])
            for m, low, high in spans:
                product = x_batch[m].T @ fit[1][low:high].view(-1, size).T
                gradients[0][:, low:high] = product.view(d + 1, high - low, hidden)
            gradients[0].mul_(kept)
            optimiser.step()
            optimiser.param_groups[0]["lr"] -= fall
    test_inputs = inputs(test_codes)
    predicted = forward(test_inputs, units.new_empty(t, hidden, test_inputs.shape[1])).argmax(dim=1).cpu().numpy()
    in_order = np.empty_like(predicted)
    in_order[position] = predicted
    return np.asarray(in_order, dtype=np.int64)


def _require_device(name: str) -> None:
    """Insist on a device that tensors can be put on."""
    import torch

    try:
        torch.empty(0, device=name)
    except (RuntimeError, AssertionError, TypeError) as error:  # what torch raises differs by kind of device
        why = str(error).partition("\n")[0]
        raise InvalidInput(f"device must be one that torch can use here, got {name!r}: {why}") from error
