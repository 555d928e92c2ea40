"""Perceptrons: their training spelt out, codes of any size, and the device."""

import numpy as np
import pytest
import torch

from dbench.codes import Sample
from dbench.errors import InvalidInput
from dbench.metrics import mlp_accuracy, nk
from dbench.metrics.classifiers import Classifier, Training, predict_labels

SIZES = (3, 5, 4)
QUICK = {"epochs": 15, "hidden": 32, "batch": 32}
RNG = np.random.default_rng(0)
FACTORS = RNG.integers(3, size=(300, 2))
CODES = np.concatenate([FACTORS, RNG.normal(size=(300, 2))], axis=1) + 0.1 * RNG.normal(size=(300, 4))


def by_autograd(codes, labels, n_train, tasks, *, hidden, epochs, batch, generator, falling_from=None):
    """The same training spelt out: one network a task, torch's own layers, loss, gradient and optimiser."""
    train, test = codes[:, :n_train], codes[:, n_train:]
    mean, spread = train.mean(axis=1, keepdims=True), train.std(axis=1, keepdims=True)
    spread[spread == 0] = np.inf
    d, width = codes.shape[2], max(SIZES)

    def put(values):
        return torch.as_tensor(values, dtype=torch.float32)

    shapes = ((d, (d, hidden)), (d, (hidden,)), (hidden, (hidden, width)), (hidden, (width,)))
    initial = [put(generator.uniform(-1 / np.sqrt(fan), 1 / np.sqrt(fan), size=shape)) for fan, shape in shapes]
    orders = [generator.permutation(n_train) for _ in range(epochs)]
    accuracies = []
    for task in tasks:
        x, x_test = (put((part - mean) / spread)[task.model] for part in (train, test))
        if task.without >= 0:
            x[:, task.without] = x_test[:, task.without] = 0
        y = torch.as_tensor(labels[:, task.label])
        weights = [value.clone().requires_grad_() for value in initial]
        kept = SIZES[task.label]

        def logits(rows, weights=weights, kept=kept):
            w1, b1, w2, b2 = weights
            return (torch.relu(rows @ w1 + b1) @ w2 + b2)[:, :kept]

        steps = epochs * -(-n_train // batch)
        rates = [1e-3] * steps if falling_from is None else np.linspace(falling_from, 0, steps, endpoint=False)
        optimiser, rate = torch.optim.Adam(weights), iter(rates)
        for order in orders:
            for start in range(0, n_train, batch):
                rows = order[start : start + batch]
                optimiser.zero_grad()
                optimiser.param_groups[0]["lr"] = float(next(rate))
                torch.autograd.backward(torch.nn.functional.cross_entropy(logits(x[rows]), y[rows]))
                optimiser.step()
        right = logits(x_test).argmax(dim=1) == y[n_train:]
        accuracies.append(right.double().mean().item())
    return accuracies


def accuracies(codes, labels, n_train, tasks, training, generator):
    train, test = codes[:, :n_train], codes[:, n_train:]
    predicted = predict_labels(train, labels[:n_train], test, tasks, training, np.array(SIZES), generator)
    return (predicted == labels[n_train:].T[[task.label for task in tasks]]).mean(axis=1)


@pytest.fixture
def world():
    generator = np.random.default_rng(3)
    labels = np.stack([generator.integers(size, size=700) for size in SIZES], axis=1)
    codes = np.stack([labels + 0.4 * generator.standard_normal(labels.shape) for _ in range(2)])
    dead = np.full((2, 700, 1), 7.0)
    return np.concatenate([codes, dead, generator.standard_normal((2, 700, 1))], axis=2), labels


@pytest.mark.parametrize("rate", [{}, {"falling_from": 0.01}])
def test_the_written_out_gradient_trains_what_autograd_trains(world, rate):
    codes, labels = world
    # Out of order, and not equally many for both models.
    tasks = [Classifier(*task) for task in ((1, 0), (0, 2), (0, 2, 2), (1, 1, 1), (0, 0, 4), (0, 1))]
    options = {"hidden": 24, "epochs": 12, "batch": 64, **rate}
    ours = accuracies(codes, labels, 450, tasks, Training(**options), np.random.default_rng(8))
    theirs = by_autograd(codes, labels, 450, tasks, **options, generator=np.random.default_rng(8))
    # Rounding may turn over the odd one of 250 test observations.
    np.testing.assert_allclose(ours, theirs, atol=1.5 / 250)
    assert ours[1] > ours[2] + 0.2


def test_no_class_is_predicted_that_a_factor_has_not(world):
    codes, labels = world
    tasks = [Classifier(0, label) for label in (0, 1, 2)]
    training = Training(epochs=1, hidden=24, batch=450)  # a single step: what it drew decides
    predicted = predict_labels(codes, labels, codes, tasks, training, np.array(SIZES), np.random.default_rng(8))
    assert (predicted.max(axis=1) + 1).tolist() == list(SIZES)


@pytest.mark.parametrize("seed", range(6))
def test_where_codes_say_nothing_the_biases_of_the_classes_learn_which_is_the_commonest(seed):
    labels = np.repeat([0, 1], [30, 70])[:, None]
    nothing, training = np.ones((1, 100, 2)), Training(epochs=60, hidden=1, batch=50, falling_from=0.2)
    drawn = np.random.default_rng(seed)  # the hidden unit is off for about half of these
    predicted = predict_labels(nothing, labels, nothing, [Classifier(0, 0)], training, np.array([2]), drawn)
    assert (predicted == 1).all()


def test_the_default_dtype_of_torch_changes_nothing():
    codes = np.random.default_rng(0).normal(size=(60, 2))
    sample = Sample(codes, (codes > 0).astype(np.int64))
    usual = mlp_accuracy(sample, epochs=1).value
    torch.set_default_dtype(torch.float64)
    try:
        assert mlp_accuracy(sample, epochs=1).value == usual
    finally:
        torch.set_default_dtype(torch.float32)


def test_the_classifiers_of_all_codes_are_those_of_the_knockout(world):
    sample = Sample(world[0][0], world[1])
    options = {"hidden": 24, "epochs": 5, "batch": 64}
    full = nk(sample, **options, generator=np.random.default_rng(1)).details
    alone = mlp_accuracy(sample, **options, generator=np.random.default_rng(1))
    assert alone.details["accuracy"] == pytest.approx(full["accuracy"], abs=0.005)
    assert full["accuracy"] == pytest.approx(np.mean([full[f"accuracy.{j}"] for j in range(3)]))


@pytest.mark.parametrize("metric", [mlp_accuracy, nk])
@pytest.mark.parametrize("power", [-1000, 996, 1020])
def test_codes_whose_squares_overflow_or_vanish_score_as_others_do(metric, power):
    expected = metric(Sample(CODES, FACTORS), **QUICK).value
    assert expected > 0.2
    assert metric(Sample(np.ldexp(CODES, power), FACTORS), **QUICK).value == expected
    one = CODES.copy()
    one[:, 1] = np.ldexp(one[:, 1], power)
    assert metric(Sample(one, FACTORS), **QUICK).value == expected


@pytest.mark.parametrize("metric", [mlp_accuracy, nk])
@pytest.mark.parametrize("device", ["cuda:99", "gpu", ""])
def test_a_device_that_is_not_there_is_one_clear_line(metric, device):
    with pytest.raises(InvalidInput, match=r"device must be one that torch can use here, got '.*': \S") as caught:
        metric(Sample(CODES, FACTORS), device=device, **QUICK)
    assert "\n" not in str(caught.value)
