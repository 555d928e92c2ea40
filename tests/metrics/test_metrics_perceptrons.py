"""What the metrics with a perceptron share: codes of any size, and the device."""

import numpy as np
import pytest

from dbench.codes import Sample
from dbench.errors import InvalidInput
from dbench.metrics import mlp_accuracy, nk

QUICK = {"epochs": 15, "hidden": 32, "batch": 32}
RNG = np.random.default_rng(0)
FACTORS = RNG.integers(3, size=(300, 2))
CODES = np.concatenate([FACTORS, RNG.normal(size=(300, 2))], axis=1) + 0.1 * RNG.normal(size=(300, 4))


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
