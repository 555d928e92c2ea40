"""Every implementation of every metric that is compared: ours here, those of other libraries in ``peers.adapters``."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from dbench.codes import Sample

Parts = Mapping[str, float]
"""What one call gives: the metric's own number first, then what comes with it."""

# Settings that both sides are called with.
BINS = 20  # of codes
QUANTILE = 0.99  # of IRS
BATCH = 64  # rows behind each vote or point
TRAIN, TEST = 2000, 1000  # votes of FactorVAE, points of beta-VAE
THRESHOLD = 0.05  # FactorVAE leaves out codes of less variance

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
        settings: the settings that differ from the defaults, in words.
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

    def as_number(self) -> Callable[..., float]:
        """Return the metric as the audit calls it: with one number, the first of its parts."""
        # The audit tells by the names of the parameters what a function takes.
        if self.interventional:
            return lambda source: next(iter(self.call(source).values()))
        return lambda codes, factors: next(iter(self.call(codes, factors).values()))


REGISTRY: dict[str, Implementation] = {}


def implementation(
    library: str, metric: str, settings: str = "", *, interventional: bool = False
) -> Callable[..., Any]:
    """Register a function as an implementation; the function stays what it is."""

    def register(call: Callable[..., Parts]) -> Callable[..., Parts]:
        entry = Implementation(library, metric, call, settings, interventional)
        REGISTRY[entry.name] = entry
        return call

    return register


def installed_version(library: str) -> str:
    """Return the installed version of a library; empty if it is not installed."""
    try:
        return version(LIBRARIES[library][0])
    except PackageNotFoundError:
        return ""


def preload(library: str) -> None:
    """Import what the calls of a library need, so that forks need not. If that fails, the calls will say so."""
    loaders = {"dbench": lambda: import_module("dbench.metrics")} | import_module("peers.adapters").LOADERS
    with suppress(Exception):
        loaders[library]()


def all_implementations() -> dict[str, Implementation]:
    """Return all implementations by name; a library is imported when one of its metrics is first called."""
    import_module("peers.adapters")
    return dict(REGISTRY)


def _ours(
    metric: str,
    settings: str = "",
    *,
    function: str = "",
    interventional: bool = False,
    parts: tuple[str, ...] = (),
    **options: Any,
) -> None:
    """Register a metric of dbench, by its ``function`` where that has another name.

    ``parts`` are the details that are compared beside its value.
    """

    def call(*arguments: Any) -> Parts:
        import dbench.metrics

        inputs = arguments if interventional else (Sample(*arguments),)
        score = getattr(dbench.metrics, function or metric)(*inputs, **options)
        return {metric: score.value} | {part: score.details[part] for part in parts}

    implementation("dbench", metric, settings, interventional=interventional)(call)


_ours("mig")
_ours("sap", "support vector machines", relation="svm")
_ours("sap_r2", "squared correlation", function="sap", relation="r2")
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
