"""What the metrics declare, written down once more: wider bounds or tolerances would make other tests pass."""

import importlib
import inspect
import re
from pathlib import Path

import numpy as np
import pytest

from dbench import metrics
from dbench.metrics import METRICS
from dbench.metrics.registry import MetricCard

PITFALLS = (Path(__file__).parents[2] / "docs" / "pitfalls.md").read_text(encoding="utf-8")
UNIT, SIGNED, OPEN = (0, 1), (-1, 1), (0, None)
PERCEPTRON = {"epochs": 75, "batch": 128, "hidden": 256, "device": "cpu"}
DRAWN = {"batch": 64, "train_votes": 10_000, "test_votes": 5000, "variance_draws": 10_000, "threshold": 0.05}
INFORMATION = ("mutual_information", "Mutual information (nats)")
SHARES = ("normalised_information_of_factors", "Mutual information by the factor's entropy")
BINS = {"bins": 20}
# Label, bounds, what a perfect code scores where it is known, the tolerance, what changes the score, the options by
# default, file and title of the relation matrix.
DECLARED = {
    "beta_vae_metric": (
        *("BetaVAE", UNIT, 1.0, 0.02, ["scale"]),
        *({"batch": 64, "train_points": 10_000, "test_points": 5000}, None),
    ),
    "code_mutual_information": ("MI", OPEN, None, 1e-7, [], BINS, None),
    "dci": (
        *("DCI", UNIT, 1.0, 1e-7, ["permutation", "sign"], {"estimator": "gbt"}),
        ("tree_importance", "Importance, boosted trees"),
    ),
    "dci_explicitness": ("DCI explicitness", SIGNED, None, 1e-5, [], {}, None),
    "dcimig": ("DCIMIG", UNIT, None, 1e-7, [], BINS, INFORMATION),
    "downstream": ("Downstream", UNIT, None, 0.02, ["scale"], {"model": "logistic"}, None),
    "explicitness": ("Explicitness", UNIT, None, 1e-4, [], {"penalty": 1.0}, None),
    "factor_vae": ("FactorVAE", UNIT, 1.0, 1e-7, ["scale"], DRAWN, ("factor_vae_votes", "Votes of FactorVAE")),
    "gaussian_total_correlation": ("TC", OPEN, None, 1e-7, ["scale"], {"dead": 1e-12}, None),
    "infoc": ("InfoC", UNIT, None, 1e-7, [], BINS, SHARES),
    "infoe": ("InfoE", UNIT, None, 0.01, [], {"penalty": 100.0}, None),
    "infom": ("InfoM", UNIT, None, 1e-7, [], BINS, SHARES),
    "informative_codes": ("informative codes", OPEN, None, 1e-7, ["scale", "shift"], {"threshold": 0.01}, None),
    "irs": (
        *("IRS", SIGNED, 1.0, 1e-7, ["scale"], {"quantile": 1.0, "reweight": True}),
        ("interventional_robustness", "Interventional robustness"),
    ),
    "jemmig": ("JEMMIG", UNIT, None, 1e-7, [], BINS, INFORMATION),
    "linear_accuracy": ("Linear", UNIT, None, 0.01, [], {"penalty": 1.0}, None),
    "mcc": ("MCC", SIGNED, 1.0, 1e-7, [], {"correlation": "pearson"}, ("correlation", "Correlation, absolute")),
    "med": (
        *("MED", UNIT, None, 1e-7, [], {"bins": 20, "normalise": True}),
        ("normalised_information", "Mutual information, each factor's sum 1"),
    ),
    "mig": ("MIG", UNIT, None, 1e-7, [], BINS, INFORMATION),
    "mig_sup": ("MIG-sup", UNIT, None, 1e-7, [], BINS, SHARES),
    "minimality": ("Minimality", UNIT, None, 1e-7, [], BINS, INFORMATION),
    "mlp_accuracy": ("MLP", UNIT, None, 0.03, ["permutation", "sign"], PERCEPTRON, None),
    "modularity": ("Modularity", UNIT, None, 1e-7, [], {"bins": 20, "idle": "skip"}, INFORMATION),
    "nk": ("NK", SIGNED, None, 0.03, ["permutation", "sign"], PERCEPTRON | BINS, INFORMATION),
    "posterior_mig": (
        *("MIG (posterior)", UNIT, None, 1e-6, ["permutation", "scale", "sign"], {"draws": 2000}),
        ("posterior_information", "Information of the posterior (nats)"),
    ),
    "r2": ("R²", UNIT, 1.0, 1e-6, [], {"model": "linear"}, None),
    "sap": ("SAP", UNIT, None, 0.01, ["scale", "shift"], {}, ("single_code", "Prediction from a single code")),
    "snc": ("SNC", UNIT, None, 1e-7, [], BINS, INFORMATION),
    "statistical_efficiency": (
        *("Efficiency", OPEN, None, 0.05, ["scale"]),
        *({"few": 100, "many": 10_000, "model": "logistic"}, None),
    ),
    "sufficiency": ("Sufficiency", UNIT, None, 1e-7, [], BINS, INFORMATION),
    "udr": ("UDR", OPEN, 1.0, 1e-7, [], {"relation": "lasso"}, None),
}


@pytest.mark.parametrize("name", DECLARED)
def test_a_metric_declares_what_is_written_here(name):
    card, options = METRICS[name].card, inspect.signature(METRICS[name]).parameters
    unset = (None, False, inspect.Parameter.empty)
    given = {name: option.default for name, option in options.items() if option.default not in unset}
    found = (card.label, card.bounds, card.perfect, card.tolerance, sorted(card.varies), given, card.picture)
    assert found == DECLARED[name]
    assert f"\n| `{name}` | " in PITFALLS
    better = re.search(r"(Higher|Lower) is", inspect.getmodule(inspect.unwrap(METRICS[name])).__doc__)
    assert card.better == (better and better[1].lower())


FLAGS = {
    "labels": "downstream explicitness infoe linear_accuracy mlp_accuracy nk posterior_mig snc statistical_efficiency",
    "ordered": "mcc r2",
    "learned": "dci dci_explicitness downstream explicitness infoe linear_accuracy mcc mlp_accuracy nk r2 sap "
    "statistical_efficiency",
    "wide": "dcimig infoc infom jemmig mcc med mig mig_sup minimality modularity sufficiency",
    "adjusted": "linear_accuracy mlp_accuracy",
    "compared": "dci dci_explicitness infoe r2",
    "mixes": "dci infom irs med mig_sup modularity",
}
LATER = "dci_explicitness dcimig infoc infoe infom jemmig mcc mig_sup minimality posterior_mig r2 sufficiency"
SPEEDS = {"dci": "by name"} | dict.fromkeys(["downstream", "mlp_accuracy", "nk", "statistical_efficiency"], "slow")
QUICK = {
    "beta_vae_metric": {"train_points": 1000, "test_points": 500, "batch": 32},
    "dci": {"estimator": "forest"},
    "downstream": {"sizes": (60,)},
    "factor_vae": {"train_votes": 1000, "test_votes": 500, "variance_draws": 1000, "batch": 32},
    **{name: {"epochs": 20, "hidden": 64, "batch": 32} for name in ("mlp_accuracy", "nk")},
    "statistical_efficiency": {"few": 10, "many": 60},
}


@pytest.mark.parametrize("flag", FLAGS)
def test_a_flag_is_set_where_it_is_written_here(flag):
    assert sorted(name for name in METRICS if getattr(METRICS[name].card, flag)) == FLAGS[flag].split()


def test_metrics_of_later_papers_are_of_the_family_of_identifiability():
    later = {name for name in METRICS if METRICS[name].card.family == "identifiability"}
    assert later == set(LATER.split())
    assert {METRICS[name].card.family for name in METRICS.keys() - later} == {"papers"}


def test_what_is_slow_and_what_makes_it_quick_is_written_here():
    assert {name: card.speed for name in METRICS if (card := METRICS[name].card).speed != "fast"} == SPEEDS
    assert {name: dict(card.quick) for name in METRICS if (card := METRICS[name].card).quick} == QUICK


@pytest.mark.parametrize("name", DECLARED)
def test_a_metric_names_its_neighbours_and_its_paper(name):
    line = inspect.getdoc(METRICS[name]).partition("See Also:\n    ")[2].splitlines()[0]
    names, _, link = line.partition("; ")
    assert {each.removeprefix(":func:").strip("`") for each in names.split(", ")} <= vars(metrics).keys() - {name}
    assert link.startswith(("https://doi.org/10.", "https://openreview.net/forum?id="))


# Numbers that decide scores; those of the papers, and ours, to which oracles of other tests hold as well.
CONSTANTS = {
    "dci_explicitness": {"UNITS": (0, 4, 16, 64, 256), "RIDGE": 1e-3, "_STANDARD_ERRORS": 2},
    "downstream": {"SIZES": (10, 100, 1000, 10_000), "FOLDS": 5, "STRENGTHS": tuple(np.logspace(-4, 4, 10))},
    "gaussian_total_correlation": {"SMALLEST_EIGENVALUE": 1e-12},
    "posterior": {"ACTIVE": 0.01},
    "r2": {"PENALTIES": (1e-4, 1e-3, 1e-2, 0.1, 1, 10), "KERNEL_ROWS": 1000},
    "relations.importance": {"SMALLEST_LEAF": 500, "SMALLEST_FOREST": 1600},
}


@pytest.mark.parametrize(("module", "name"), [(module, name) for module, of in CONSTANTS.items() for name in of])
def test_a_number_that_decides_scores_is_what_is_written_here(module, name):
    found = getattr(importlib.import_module(f"dbench.metrics.{module}"), name)
    assert found == pytest.approx(CONSTANTS[module][name], rel=1e-12)


def test_a_card_is_filled_in_by_name_and_stays_as_it_is():
    parameters = inspect.signature(MetricCard).parameters.values()
    assert {parameter.kind for parameter in parameters} == {inspect.Parameter.KEYWORD_ONLY}
    assert MetricCard.__dataclass_params__.frozen
