"""Does DCI with the small forest rank trained models as DCI with boosted trees does?

    python benchmarks/dci_agreement.py --store store/micro
    python benchmarks/dci_agreement.py --store store/micro --seeds 5 --models 100 --observations 3000

Takes the first seeds of every data set, objective and strength in a store of trained runs (`dbench zoo train` makes
one), of these so many models as are asked for, evenly over the settings; draws the same observations for both
estimators, and prints both scores of every run and the rank correlations. Boosted trees take about 0.3 us for each
tree and observation: some 5 s a run of 51 classes at 3,000 observations.
"""

import argparse
import time
from collections import defaultdict

import numpy as np
from scipy.stats import spearmanr
from threadpoolctl import threadpool_limits

from dbench import seeds
from dbench.codes import Sample
from dbench.data import load
from dbench.metrics import Score, dci
from dbench.zoo.store import Store

PARTS = {
    "disentanglement": lambda score: score.value,
    "completeness": lambda score: score.details["completeness"],
    "informativeness": lambda score: score.details["informativeness"],
}


def chosen_runs(store: Store, number: int, models: int | None) -> list:
    """The first seeds of every setting, those that diverged left out; so many models, evenly over the settings."""
    settings = defaultdict(list)
    keys = store.keys()
    for key in keys:
        if store.status(key) == "done":
            settings[key.data, key.objective, key.strength, key.network, key.steps].append(key)
    chosen = [key for _, keys in sorted(settings.items()) for key in keys[:number]]
    if models is None or models >= len(chosen):
        return chosen
    return [chosen[i] for i in np.linspace(0, len(chosen) - 1, models).round().astype(int)]


def scored(store: Store, key, observations: int) -> tuple[Score, Score]:
    data = load(key.data)
    factors = data.grid()
    rows = seeds.generator(benchmark="dci_agreement", run=key.digest).integers(len(factors), size=observations)
    sample = Sample(store.tensors(key, "codes")["mean"][rows], factors[rows], data.factor_names)
    stream = [seeds.generator(benchmark="dci_agreement", split=key.digest) for _ in range(2)]
    return dci(sample, generator=stream[0]), dci(sample, estimator="forest", generator=stream[1])


def main() -> None:
    parser = argparse.ArgumentParser(description="Rank correlation of DCI with two estimators over trained models.")
    parser.add_argument("--store", required=True, help="folder or URL of a store of trained runs")
    parser.add_argument("--models", type=int, help="most models in all; by default as many as --seeds gives")
    parser.add_argument("--seeds", type=int, default=2, help="runs of each objective and strength")
    parser.add_argument("--observations", type=int, default=3000, help="two thirds train, one third tests")
    options = parser.parse_args()
    if min(options.seeds, options.observations // 10, 3 if options.models is None else options.models) < 1:
        parser.error("--seeds and --models must be at least 1, --observations at least 10")
    store = Store(options.store)
    pairs = []
    with threadpool_limits(1):
        for key in chosen_runs(store, options.seeds, options.models):
            start = time.perf_counter()
            pairs.append(scored(store, key, options.observations))
            values = "  ".join(
                f"{name} {part(pairs[-1][0]):.3f} {part(pairs[-1][1]):.3f}" for name, part in PARTS.items()
            )
            seconds = time.perf_counter() - start
            print(f"{key.objective:>12} {key.strength:<6g} seed {key.seed}: {values}  {seconds:.0f} s", flush=True)
    if len(pairs) < 3:
        parser.error(f"the store must hold at least 3 finished runs to rank, got {len(pairs)}")
    print(f"\n{len(pairs)} runs, {options.observations} observations; gbt against forest")
    for name, part in PARTS.items():
        gbt, forest = (np.array([part(pair[i]) for pair in pairs]) for i in range(2))
        rank, apart = spearmanr(gbt, forest).statistic, forest - gbt
        print(f"{name}: Spearman {rank:.3f}, mean difference {apart.mean():+.3f}, largest {np.abs(apart).max():.3f}")


if __name__ == "__main__":
    main()
