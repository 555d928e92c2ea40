"""Many small classifiers of one shape, trained at once as one batched network."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Task", "train_classifiers"]


@dataclass(frozen=True, eq=False)
class Task:
    """One classifier to train: predict a label from some columns of one model's codes.

    Attributes:
        model: which of the stacked codes.
        label: which column of the labels.
        without: column of the codes to leave out; -1 for none.
    """

    model: int
    label: int
    without: int = -1


def train_classifiers(
    train_codes: NDArray[np.float64],
    train_labels: NDArray[np.int64],
    test_codes: NDArray[np.float64],
    test_labels: NDArray[np.int64],
    tasks: list[Task],
    *,
    hidden: int = 256,
    epochs: int = 75,
    batch: int = 128,
    learning_rate: float = 1e-3,
    generator: np.random.Generator,
    device: str = "cpu",
) -> NDArray[np.float64]:
    """Train one perceptron with one hidden layer for each task; return their test accuracies.

    Adam (0.9, 0.999), cross entropy, no early stopping. Codes are standardised by their training mean and
    deviation, so accuracies do not depend on scale; constant codes become 0. A column left out is set to 0,
    which gives its weights no gradient and no say. All tasks see the same batches in the same order and
    start from the same draw of weights, so two tasks differ by what they are shown alone.

    Args:
        train_codes: models x n x d.
        train_labels: n x k class numbers from 0.
        test_codes: models x m x d.
        test_labels: m x k.
        tasks: what to train.
        hidden: units of the hidden layer.
        epochs: passes over the training part.
        batch: observations in a step (the paper gives none); the last, smaller batch of an epoch is used too.
        learning_rate: of Adam.
        generator: draws the initial weights and the order of the observations.
        device: a torch device.

    Returns:
        One accuracy for each task.
    """
    import torch  # only here: importing dbench.metrics stays quick

    mean = train_codes.mean(axis=1, keepdims=True)
    spread = train_codes.std(axis=1, keepdims=True)
    spread = np.where(spread > 1e-12 * np.abs(train_codes).max(axis=1, keepdims=True), spread, np.inf)
    model = np.array([task.model for task in tasks])
    label = np.array([task.label for task in tasks])
    keep = np.array([[column != task.without for column in range(train_codes.shape[2])] for task in tasks])

    def put(values: NDArray[np.float64]) -> torch.Tensor:
        return torch.as_tensor(values, dtype=torch.float32, device=device)

    def inputs(codes: NDArray[np.float64]) -> torch.Tensor:
        return put(((codes - mean) / spread)[model] * keep[:, None, :])

    x, y = inputs(train_codes), torch.as_tensor(train_labels.T[label].copy(), device=device)
    t, n, d = x.shape
    classes = np.maximum(train_labels.max(axis=0), test_labels.max(axis=0)) + 1
    width = int(classes[label].max())
    # Outputs beyond a task's own number of classes are ruled out.
    ruled_out = put(np.where(np.arange(width) < classes[label][:, None], 0.0, -1e9))[:, None, :]

    def uniform(fan_in: int, *shape: int) -> torch.Tensor:
        bound = 1 / np.sqrt(fan_in)
        return put(generator.uniform(-bound, bound, size=shape)).expand(t, *shape).clone().requires_grad_()

    w1, b1 = uniform(d, d, hidden), uniform(d, 1, hidden)
    w2, b2 = uniform(hidden, hidden, width), uniform(hidden, 1, width)

    def logits(batch_codes: torch.Tensor) -> torch.Tensor:
        return torch.baddbmm(b2 + ruled_out, torch.relu(torch.baddbmm(b1, batch_codes, w1)), w2)

    optimiser = torch.optim.Adam([w1, b1, w2, b2], lr=learning_rate, fused=True)
    for _ in range(epochs):
        order = torch.as_tensor(generator.permutation(n), device=device)
        for start in range(0, n, batch):
            rows = order[start : start + batch]
            optimiser.zero_grad()
            # The mean over observations, the sum over tasks: each task's gradient is its own.
            flat = logits(x[:, rows]).reshape(-1, width)
            loss = torch.nn.functional.cross_entropy(flat, y[:, rows].reshape(-1), reduction="sum") / len(rows)
            torch.autograd.backward(loss)
            optimiser.step()
    with torch.no_grad():
        predicted = logits(inputs(test_codes)).argmax(dim=2).cpu().numpy()
    return np.asarray((predicted == test_labels.T[label]).mean(axis=1))
