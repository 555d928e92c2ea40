"""Every implementation of every metric that is compared: ours here, those of other libraries in ``peers.adapters``."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dbench.codes import Sample, Source

Parts = Mapping[str, float]
"""What one call gives: the metric's own number first, then what comes with it."""

BINS, QUANTILE, BATCH, TRAIN, TEST, THRESHOLD = 20, 0.99, 64, 2000, 1000, 0.05
"""Settings of both sides: bins of codes, quantile of IRS, rows of a batch, votes or points of FactorVAE and beta-VAE,
and the variance below which FactorVAE leaves a code out."""

LIBRARIES = {
    "dbench": ("dbench", "0.1.0"),
    "disentanglement_lib": ("disentanglement-lib", "1.5"),
    "disent": ("disent", "0.8.0"),
    "latentverse": ("latentverse", "0.3.5"),
    "reliably": ("reliably-metrics", "0.1.0"),
}
"""Library -> its distribution and the version that is pinned in requirements.txt."""


@dataclass(frozen=True)
class Implementation:
    """One metric of one library.

    Attributes:
        settings: what is not its default, in words.
        call: takes codes and factors, or a source where ``interventional``, and returns :data:`Parts`.
    """

    library: str
    metric: str
    call: Callable[..., Parts]
    settings: str = ""
    interventional: bool = False

    @property
    def name(self) -> str:
        """``library:metric``."""
        return f"{self.library}:{self.metric}"

    def head(self) -> Callable[..., float]:
        """Return the metric as the audit takes it: one number."""
        if self.interventional:

            def number(source: Source) -> float:
                return next(iter(self.call(source).values()))

            return number

        def of_arrays(codes: NDArray[np.float64], factors: NDArray[Any]) -> float:
            return next(iter(self.call(codes, factors).values()))

        return of_arrays


REGISTRY: dict[str, Implementation] = {}


def implementation(
    library: str, metric: str, settings: str = "", *, interventional: bool = False
) -> Callable[..., Any]:
    """Register a function as an implementation; the function stays what it is."""

    def register(call: Callable[..., Parts]) -> Callable[..., Parts]:
        found = Implementation(library, metric, call, settings, interventional)
        REGISTRY[found.name] = found
        return call

    return register


def installed(library: str) -> str:
    """Return the version of a library that is installed, empty where none is."""
    try:
        return version(LIBRARIES[library][0])
    except PackageNotFoundError:
        return ""


def preload(library: str) -> None:
    """Import what the calls of a library need, so that a fork need not; what is missing is for the calls to say."""
    loaders = {
        "dbench": lambda: import_module("dbench.metrics"),
        **import_module("peers.adapters").LOADERS,
    }
    with suppress(Exception):
        loaders[library]()


def everything() -> dict[str, Implementation]:
    """Return all implementations by name; no library is imported before one of its metrics is called."""
    import_module("peers.adapters")
    return dict(REGISTRY)


def _ours(
    metric: str,
    settings: str = "",
    *,
    name: str = "",
    interventional: bool = False,
    parts: tuple[str, ...] = (),
    **options: Any,
) -> None:
    def call(*arguments: Any) -> Parts:
        import dbench.metrics

        what = arguments if interventional else (Sample(*arguments),)
        score = getattr(dbench.metrics, name or metric)(*what, **options)
        return {metric: score.value} | {part: score.details[part] for part in parts}

    implementation("dbench", metric, settings, interventional=interventional)(call)


_ours("mig")
_ours("sap", "support vector machines", relation="svm")
_ours("sap_r2", "squared correlation", name="sap", relation="r2")
_ours("dci", parts=("completeness", "informativeness"))
_ours("modularity", "idle codes count 0", idle="zero")
_ours("explicitness")
_ours("irs", f"{BINS} bins, quantile {QUANTILE}, crossed", bins=BINS, quantile=QUANTILE, crossed=True)
_ours("gaussian_total_correlation")
_ours("code_mutual_information")
_ours(
    "factor_vae",
    f"{TRAIN} + {TEST} votes, codes of variance below {THRESHOLD} left out",
    interventional=True,
    batch=BATCH,
    train_votes=TRAIN,
    test_votes=TEST,
    variance_draws=TRAIN,
    threshold=THRESHOLD,
)
_ours(
    "beta_vae_metric",
    f"{TRAIN} + {TEST} points",
    interventional=True,
    batch=BATCH,
    train_points=TRAIN,
    test_points=TEST,
)
