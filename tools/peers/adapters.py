"""How other libraries' metrics are called with arrays. Each library is imported when one of its metrics is called.

None of their code is changed; what is set is said in ``settings``. All split as ours do, so that the same rows train.
"""

import importlib.util
import sys
import types
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dbench.codes import Sample, Source
from dbench.seeds import generator
from peers.implementations import BATCH, BINS, QUANTILE, TEST, THRESHOLD, TRAIN, Parts, implementation

Array = NDArray[Any]


def _split(codes: Array, factors: Array, metric: str) -> tuple[Array, Array, Array, Array]:
    """Codes and factors for training, then for the test: the rows that our metric of this name takes."""
    train, test = Sample(codes, factors).split(1 / 3, generator(metric=metric))
    return train.codes, train.factors, test.codes, test.factors


class Rows:
    """Arrays as the data sets of disentanglement_lib and disent: rows are served in order, "observations" are codes."""

    def __init__(self, codes: Array, factors: Array) -> None:
        self.all_codes, self.all_factors, self.next = codes, factors, 0

    def sample(self, n: int, random_state: Any = None) -> tuple[Array, Array]:
        """Return the factors and codes of the next n rows."""
        rows = slice(self.next, self.next + n)
        self.next += n
        return self.all_factors[rows], self.all_codes[rows]

    def dataset_sample_batch_with_factors(self, n: int, mode: str) -> tuple[Array, Array]:
        """Return the same the other way round, as disent has it."""
        return self.sample(n)[::-1]


class Interventions:
    """A source as a data set of disentanglement_lib and of disent, which is its own ground truth."""

    def __init__(self, source: Source) -> None:
        self.source, self.generator = source, generator(peers="interventions")
        self.num_factors, self.gt_data = len(source.factor_names), self

    def sample_factors(self, n: int, random_state: Any = None) -> Array:
        """Draw factors."""
        return self.source.draw_factors(n, self.generator)

    def sample_observations_from_factors(self, factors: Array, random_state: Any = None) -> Array:
        """Return the codes of given factors."""
        return self.source.codes(factors, self.generator)

    def sample_observations(self, n: int, random_state: Any = None) -> Array:
        """Draw codes."""
        return self.sample_observations_from_factors(self.sample_factors(n))

    def dataset_sample_batch(self, n: int, mode: str) -> Array:
        """Draw codes, as disent has it."""
        return self.sample_observations(n)

    def dataset_batch_from_factors(self, factors: Array, mode: str) -> Array:
        """Return the codes of given factors, as disent has it."""
        return self.sample_observations_from_factors(factors)


def _same(codes: Array) -> Array:
    return codes


# ------------------------------------------------------------------ disentanglement_lib 1.5
@cache
def _dlib(module: str) -> Any:
    """Import one of its metric modules; its discretizer must be configured by gin, as its own study did."""
    gin = import_module("gin")
    sys.modules.setdefault("gin.tf", gin)  # of tensorflow it takes nothing here
    utils = import_module("disentanglement_lib.evaluation.metrics.utils")
    gin.bind_parameter("discretizer.discretizer_fn", utils._histogram_discretize)
    gin.bind_parameter("discretizer.num_bins", BINS)
    import_module("disentanglement_lib.evaluation.metrics.factor_vae")
    gin.bind_parameter("prune_dims.threshold", THRESHOLD)
    return import_module(f"disentanglement_lib.evaluation.metrics.{module}")


DLIB = ("mig", "sap_score", "dci", "modularity_explicitness", "irs", "factor_vae", "beta_vae", "unsupervised_metrics")


def _state() -> np.random.RandomState:
    return np.random.RandomState(0)


@implementation("disentanglement_lib", "mig", f"{BINS} bins")
def _dlib_mig(codes: Array, factors: Array) -> Parts:
    n = len(codes)
    found = _dlib("mig").compute_mig(Rows(codes, factors), _same, _state(), num_train=n, batch_size=n)
    return {"mig": found["discrete_mig"]}


def _both(function: Any, codes: Array, factors: Array, metric: str, *first: Any, **options: Any) -> Mapping[str, float]:
    x, y, x_test, y_test = _split(codes, factors, metric)
    rows = Rows(np.concatenate([x, x_test]), np.concatenate([y, y_test]))
    counts = {"num_train": len(x), "num_test": len(x_test), "batch_size": len(x)}
    found: Mapping[str, float] = function(rows, _same, *first, **counts, **options)
    return found


@implementation("disentanglement_lib", "sap", "`continuous_factors` where factors are floats")
def _dlib_sap(codes: Array, factors: Array) -> Parts:
    function = _dlib("sap_score").compute_sap
    found = _both(function, codes, factors, "sap", _state(), continuous_factors=factors.dtype.kind == "f")
    return {"sap": found["SAP_score"]}


@implementation("disentanglement_lib", "dci")
def _dlib_dci(codes: Array, factors: Array) -> Parts:
    found = _both(_dlib("dci").compute_dci, codes, factors, "dci", _state())
    parts = {"dci": "disentanglement", "completeness": "completeness", "informativeness": "informativeness_test"}
    return {part: found[name] for part, name in parts.items()}


@implementation("disentanglement_lib", "modularity", f"{BINS} bins")
def _dlib_modularity(codes: Array, factors: Array) -> Parts:
    module, utils = _dlib("modularity_explicitness"), _dlib("utils")
    return {"modularity": module.modularity(utils.discrete_mutual_info(utils.make_discretizer(codes.T), factors.T))}


@implementation("disentanglement_lib", "explicitness")
def _dlib_explicitness(codes: Array, factors: Array) -> Parts:
    function = _dlib("modularity_explicitness").compute_modularity_explicitness
    return {"explicitness": _both(function, codes, factors, "explicitness", _state())["explicitness_score_test"]}


@implementation("disentanglement_lib", "irs", f"{BINS} bins, quantile {QUANTILE}, its default")
def _dlib_irs(codes: Array, factors: Array) -> Parts:
    n, function = len(codes), _dlib("irs").compute_irs
    found = function(Rows(codes, factors), _same, _state(), diff_quantile=QUANTILE, num_train=n, batch_size=n)
    return {"irs": found["IRS"]}


def _pairs(information: Array) -> float:
    """Mean over pairs of different codes, as ``unsupervised_metrics`` of both libraries takes it."""
    d = len(information)
    np.fill_diagonal(information, 0)
    return float(np.sum(information) / (d**2 - d))


@implementation("disentanglement_lib", "gaussian_total_correlation")
def _dlib_total_correlation(codes: Array, factors: Array) -> Parts:
    function = _dlib("unsupervised_metrics").gaussian_total_correlation
    return {"gaussian_total_correlation": function(np.cov(codes.T))}


@implementation("disentanglement_lib", "code_mutual_information", f"{BINS} bins")
def _dlib_code_information(codes: Array, factors: Array) -> Parts:
    utils = _dlib("utils")
    binned = utils.make_discretizer(codes.T)
    return {"code_mutual_information": _pairs(utils.discrete_mutual_info(binned, binned))}


@implementation(
    "disentanglement_lib",
    "factor_vae",
    f"{TRAIN} + {TEST} votes, `prune_dims.threshold` {THRESHOLD}",
    interventional=True,
)
def _dlib_factor_vae(source: Source) -> Parts:
    found = _dlib("factor_vae").compute_factor_vae(
        Interventions(source),
        _same,
        _state(),
        batch_size=BATCH,
        num_train=TRAIN,
        num_eval=TEST,
        num_variance_estimate=TRAIN,
    )
    return {"factor_vae": found["eval_accuracy"]}


@implementation("disentanglement_lib", "beta_vae_metric", f"{TRAIN} + {TEST} points", interventional=True)
def _dlib_beta_vae(source: Source) -> Parts:
    function = _dlib("beta_vae").compute_beta_vae_sklearn
    found = function(Interventions(source), _same, _state(), batch_size=BATCH, num_train=TRAIN, num_eval=TEST)
    return {"beta_vae_metric": found["eval_accuracy"]}


# ------------------------------------------------------------------ disent 0.8.0
@cache
def _disent(module: str) -> Any:
    """Import one of its metric modules without its data sets: these import a torchvision that CPU builds lack."""
    spec = importlib.util.find_spec("disent")
    if spec is None or spec.submodule_search_locations is None:
        raise ModuleNotFoundError("No module named 'disent'")
    package = types.ModuleType("disent.metrics")
    package.__path__ = [f"{spec.submodule_search_locations[0]}/metrics"]
    data = types.ModuleType("disent.dataset")
    data.DisentDataset = object  # type: ignore[attr-defined]  # it stands in annotations only
    for name, made in (("disent.metrics", package), ("disent.dataset", data)):
        sys.modules.setdefault(name, made)
    return import_module(f"disent.metrics.{module}")


@implementation("disent", "mig")
def _disent_mig(codes: Array, factors: Array) -> Parts:
    n = len(codes)
    return {
        "mig": _disent("_mig").metric_mig(Rows(codes, factors), _same, num_train=n, batch_size=n)["mig.discrete_score"]
    }


@implementation("disent", "sap", "`continuous_factors` where factors are floats")
def _disent_sap(codes: Array, factors: Array) -> Parts:
    function = _disent("_sap").metric_sap
    return {"sap": _both(function, codes, factors, "sap", continuous_factors=factors.dtype.kind == "f")["sap.score"]}


@implementation("disent", "dci")
def _disent_dci(codes: Array, factors: Array) -> Parts:
    found = _both(_disent("_dci").metric_dci, codes, factors, "dci")
    parts = {"dci": "disentanglement", "completeness": "completeness", "informativeness": "informativeness_test"}
    return {part: found[f"dci.{name}"] for part, name in parts.items()}


@implementation("disent", "gaussian_total_correlation")
def _disent_total_correlation(codes: Array, factors: Array) -> Parts:
    return {"gaussian_total_correlation": _disent("_unsupervised")._gaussian_total_correlation(np.cov(codes.T))}


@implementation("disent", "code_mutual_information")
def _disent_code_information(codes: Array, factors: Array) -> Parts:
    utils = _disent("utils")
    binned = utils.histogram_discretize(codes.T, num_bins=BINS)
    return {"code_mutual_information": _pairs(utils.discrete_mutual_info(binned, binned))}


@implementation("disent", "factor_vae", f"{TRAIN} + {TEST} votes", interventional=True)
def _disent_factor_vae(source: Source) -> Parts:
    np.random.seed(0)  # noqa: NPY002 (it draws from numpy's global generator; in this process nothing else does)
    found = _disent("_factor_vae").metric_factor_vae(
        Interventions(source), _same, batch_size=BATCH, num_train=TRAIN, num_eval=TEST, num_variance_estimate=TRAIN
    )
    return {"factor_vae": found["factor_vae.eval_accuracy"]}


# ------------------------------------------------------------------ latentverse 0.3.5
def _latentverse() -> Any:
    return import_module("latentverse.evaluations.disentanglement")


def _latentverse_gaps(function: Any, codes: Array, factors: Array) -> float:
    """Average a score of one factor as ``run_disentanglement`` does, without the perceptrons that it fits besides."""
    return float(np.mean([function(codes, column, len(np.unique(column)) > 2) for column in factors.T.astype(float)]))


@implementation("latentverse", "mig")
def _latentverse_mig(codes: Array, factors: Array) -> Parts:
    module = _latentverse()
    information = module._factor_importance_matrix(codes, factors.astype(float))
    gaps = [module.compute_mig(information[:, [j]], factors[:, j]) for j in range(factors.shape[1])]
    return {"mig": float(np.mean(gaps))}


@implementation("latentverse", "sap_r2")
def _latentverse_sap(codes: Array, factors: Array) -> Parts:
    return {"sap_r2": _latentverse_gaps(_latentverse().compute_sap_score, codes, factors)}


@implementation("latentverse", "dci")
def _latentverse_dci(codes: Array, factors: Array) -> Parts:
    module = _latentverse()
    information = module._factor_importance_matrix(codes, factors.astype(float))
    return {
        "dci": module.dci_disentanglement_multifactor(information),
        "completeness": module.dci_completeness_multifactor(information),
    }


@implementation("latentverse", "gaussian_total_correlation")
def _latentverse_total_correlation(codes: Array, factors: Array) -> Parts:
    return {"gaussian_total_correlation": float(_latentverse().compute_total_correlation_fast(codes))}


# ------------------------------------------------------------------ reliably-metrics 0.1.0
def _reliably(name: str, codes: Array, factors: Array) -> Any:
    return getattr(import_module("reliably.repr"), name)(codes, factors, ci=None)


@implementation("reliably", "mig", "no interval")
def _reliably_mig(codes: Array, factors: Array) -> Parts:
    return {"mig": _reliably("mig", codes, factors).value}


@implementation("reliably", "sap_r2", "no interval")
def _reliably_sap(codes: Array, factors: Array) -> Parts:
    return {"sap_r2": _reliably("sap", codes, factors).value}


@implementation("reliably", "dci", "no interval; its parts, for its value is the mean of two")
def _reliably_dci(codes: Array, factors: Array) -> Parts:
    extra = _reliably("dci", codes, factors).extra
    return {
        "dci": extra["disentanglement"],
        "completeness": extra["completeness"],
        "informativeness": extra["informativeness"],
    }


@implementation("reliably", "irs", "no interval")
def _reliably_irs(codes: Array, factors: Array) -> Parts:
    return {"irs": _reliably("irs", codes, factors).value}


@implementation("reliably", "factor_vae", "no interval; takes arrays, no interventions")
def _reliably_factor_vae(codes: Array, factors: Array) -> Parts:
    return {"factor_vae": _reliably("factorvae_metric", codes, factors).value}


LOADERS: dict[str, Callable[[], object]] = {
    "disentanglement_lib": lambda: [_dlib(name) for name in DLIB],
    "disent": lambda: [_disent(name) for name in ("_mig", "_sap", "_dci", "_factor_vae", "_unsupervised")],
    "latentverse": _latentverse,
    "reliably": lambda: [import_module(name) for name in ("reliably.repr", "sklearn.ensemble")],
}
"""Library -> what imports all that its calls need."""
