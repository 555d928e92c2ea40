"""A metric chooses among models of scikit-learn."""

import numpy as np
import pytest
import torch

from dbench.errors import InvalidInput, UnknownName
from dbench.metrics import gaussian_total_correlation, mig
from dbench.scoring import scorer

RNG = np.random.default_rng(0)
FACTORS = RNG.integers(3, size=(200, 2))
X = FACTORS + 0.1 * RNG.normal(size=(200, 2))


class Turned:
    """A transformer that mixes."""

    def transform(self, x):
        return x @ np.array([[1.0, 1.0], [1.0, -0.5]])


def test_it_scores_what_the_estimator_makes_of_the_inputs():
    assert scorer("mig")(Turned(), X, FACTORS) == mig(Turned().transform(X), FACTORS).value
    assert scorer("mig", bins=5)(Turned(), X, FACTORS) == mig(Turned().transform(X), FACTORS, bins=5).value
    linear = torch.nn.Linear(2, 2).double()
    expected = mig(linear(torch.tensor(X)).detach().numpy(), FACTORS).value
    assert scorer("mig")(linear, torch.tensor(X), torch.tensor(FACTORS)) == expected
    module = torch.nn.Sequential(torch.nn.Dropout(0.5), linear)
    assert scorer("mig")(module, X, FACTORS) == expected  # no dropout
    assert module.training


def test_a_factor_is_of_the_kind_that_is_said():
    codes, said = Turned().transform(X), {"continuous": ["factor_1"]}
    assert scorer("mig", bins=2, **said)(Turned(), X, FACTORS) == mig(codes, FACTORS, bins=2, **said).value
    assert mig(codes, FACTORS, bins=2, **said).value != mig(codes, FACTORS, bins=2).value
    sizes = FACTORS[:, 0] + 0.5 * (X[:, 0] > 1)
    told = scorer("snc", discrete="*")(Turned(), X, sizes)
    assert told == scorer("snc")(Turned(), X, (2 * sizes).astype(int))
    with pytest.raises(UnknownName, match="unknown factor 'size'"):
        scorer("mig", continuous=["size"])(Turned(), X, FACTORS)


def test_greater_is_better_also_where_a_metric_says_less():
    found = scorer("gaussian_total_correlation")(Turned(), X, FACTORS)
    assert found == -gaussian_total_correlation(Turned().transform(X)).value < 0


def test_other_metrics_are_refused():
    with pytest.raises(InvalidInput, match="must be one of codes and factors alone, got 'factor_vae'"):
        scorer("factor_vae")
    with pytest.raises(UnknownName, match="unknown metric"):
        scorer("migg")
    with pytest.raises(InvalidInput, match="options of mig must be among bins, corrected, generator, got bin"):
        scorer("mig", bin=10)
    with pytest.raises(InvalidInput, match=r"options of dci\[forest\] must be among estimator, generator, got bins"):
        scorer("dci[forest]", bins=10)
