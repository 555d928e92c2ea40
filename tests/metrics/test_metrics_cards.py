"""What the metrics declare, written down once more: wider bounds or tolerances would make other tests pass."""

import inspect

import pytest

from dbench.metrics import METRICS
from dbench.metrics.registry import Known, MetricCard

UNIT, SIGNED, OPEN = (0, 1), (-1, 1), (0, None)
PERCEPTRON = {"epochs": 75, "batch": 128, "hidden": 256, "device": "cpu"}
DRAWN = {"batch": 64, "train_votes": 10_000, "test_votes": 5000, "variance_draws": 10_000, "threshold": 0.05}
# Bounds, what a perfect code scores where it is known, the tolerance, what changes the score, the options by default.
DECLARED = {
    "beta_vae_metric": (UNIT, 1.0, 0.02, ["scale"], {"batch": 64, "train_points": 10_000, "test_points": 5000}),
    "code_mutual_information": (OPEN, None, 1e-7, [], {"bins": 20}),
    "dci": (UNIT, 1.0, 1e-7, ["permutation", "sign"], {"estimator": "gbt"}),
    "downstream": (UNIT, None, 0.02, ["scale"], {"model": "logistic"}),
    "explicitness": (UNIT, None, 1e-4, [], {"penalty": 1.0}),
    "factor_vae": (UNIT, 1.0, 1e-7, ["scale"], DRAWN),
    "gaussian_total_correlation": (OPEN, None, 1e-7, ["scale"], {"dead": 1e-12}),
    "informative_codes": (OPEN, None, 1e-7, ["scale", "shift"], {"threshold": 0.01}),
    "irs": (SIGNED, 1.0, 1e-7, ["scale"], {"quantile": 1.0, "reweight": True}),
    "linear_accuracy": (UNIT, None, 0.01, [], {"penalty": 1.0}),
    "med": (UNIT, None, 1e-7, [], {"bins": 20, "normalise": True}),
    "mig": (UNIT, None, 1e-7, [], {"bins": 20}),
    "mlp_accuracy": (UNIT, None, 0.03, ["permutation", "sign"], PERCEPTRON),
    "modularity": (UNIT, None, 1e-7, [], {"bins": 20, "idle": "skip"}),
    "nk": (SIGNED, None, 0.03, ["permutation", "sign"], PERCEPTRON | {"bins": 20}),
    "sap": (UNIT, None, 0.01, ["scale", "shift"], {}),
    "snc": (UNIT, None, 1e-7, [], {"bins": 20}),
    "statistical_efficiency": (OPEN, None, 0.05, ["scale"], {"few": 100, "many": 10_000, "model": "logistic"}),
    "udr": (OPEN, 1.0, 1e-7, [], {"relation": "lasso"}),
}


@pytest.mark.parametrize("name", DECLARED)
def test_a_metric_declares_what_is_written_here(name):
    card, options = METRICS[name].card, inspect.signature(METRICS[name]).parameters
    unset = (None, False, inspect.Parameter.empty)
    given = {name: option.default for name, option in options.items() if option.default not in unset}
    assert (card.bounds, card.perfect, card.tolerance, sorted(card.varies), given) == DECLARED[name]


@pytest.mark.parametrize("card", [MetricCard, Known])
def test_a_card_is_filled_in_by_name_and_stays_as_it_is(card):
    parameters = inspect.signature(card).parameters.values()
    assert {parameter.kind for parameter in parameters} == {inspect.Parameter.KEYWORD_ONLY}
    assert card.__dataclass_params__.frozen
