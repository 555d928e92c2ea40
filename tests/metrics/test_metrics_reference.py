import importlib.util
import sys
from pathlib import Path

import pytest

PATH = Path(__file__).parents[2] / "benchmarks" / "metrics.py"


def load_benchmark():
    spec = importlib.util.spec_from_file_location("benchmark_of_metrics", PATH)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where dataclasses look up their module
    spec.loader.exec_module(module)
    return module


BENCHMARK = load_benchmark()
# By day test_metrics_boosted_trees.py holds the trees to scikit-learn's, whose own take seconds here.
PAIRS = [
    pytest.param(
        pair, id=pair.name, marks=pytest.mark.nightly if pair.name.startswith(("dci", "downstream[gbt]")) else ()
    )
    for pair in (*BENCHMARK.PAIRS, *BENCHMARK.SLOW)
]
# The protocols draw their own splits and points; with 600 test observations these differ by chance.
SAMPLED = {
    "dci": 0.03,
    "beta_vae_metric": 0.04,
    "factor_vae": 0.04,
    "explicitness": 0.03,
    "sap[svm]": 0.06,
    "downstream[logistic]": 0.05,
    "downstream[gbt], 1,000": 0.05,
}


@pytest.fixture(scope="module")
def world():
    return BENCHMARK.noisy_copies(sizes=(3, 4, 5), train=1200, test=600, noise=1.0)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("pair", PAIRS)
def test_a_metric_agrees_with_the_plain_loop_it_is_timed_against(pair, world):
    ours, theirs = float(pair.ours(world)), pair.reference(world)
    assert theirs > 0
    assert ours == pytest.approx(theirs, abs=SAMPLED.get(pair.name, pair.apart))


def test_what_is_timed_is_a_metric():
    names = {pair.name.partition("[")[0].partition(" ")[0] for pair in (*BENCHMARK.PAIRS, *BENCHMARK.SLOW)}
    assert names <= set(BENCHMARK.metrics.METRICS)
    assert len(names) >= 11  # a new one may come without a plain loop; none may lose its own
