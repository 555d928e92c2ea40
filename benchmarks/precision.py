"""Hold training in quick arithmetic against float32 on a GPU: is what comes out the same but for chance?

    python benchmarks/precision.py --steps 4000 --seeds 12

The rule was written before anything was run. Of each of the study's six objectives one setting (the third strength)
is trained with the same seeds in float32 and in bfloat16: the convolutional network, on the shipped dSprites. Asked
are the bound, the divergence, MIG, SAP and Modularity. A run's difference between the two is taken in units of the
standard deviation over the float32 seeds of its setting, pooled over the settings. The two are *equivalent* where the
90% interval of the mean difference over all runs (Student) lies within half a unit of zero, which is a test of
equivalence at 5%. Two float32 seeds differ by 1.4 units: were the two precisions as different draws, 72 runs would
give an interval of 0.27 to each side, and four of five such comparisons would be found equivalent.
"""

import argparse

import numpy as np
import torch
from scipy import stats

from dbench.data import load
from dbench.metrics.mig import mig
from dbench.metrics.modularity import modularity
from dbench.metrics.sap import sap
from dbench.models import find_network
from dbench.seeds import generator
from dbench.study import SWEPT
from dbench.training import Member, encode_grid, evaluate, train

HALF = 0.5
SCORES = ("bound", "divergence", "mig", "sap", "modularity")


def scores_of(members: list[Member], precision: str, options) -> np.ndarray:
    """Train members of one objective and return their scores, members x 5."""
    data = load(options.data)
    images, network = torch.from_numpy(data.grid_images()), find_network(options.network)(image_shape=data.image_shape)
    settings = {"steps": options.steps, "learning_rate": 1e-3, "cooldown": 0.5, "device": options.device}
    state = train(members, images, network, precision=precision, **settings)
    images = images.to(options.device)
    mean, _ = encode_grid(state.parameters, images, network)
    draws = [generator(**member.axes, purpose="evaluate") for member in members]
    evaluation = evaluate(state.parameters, images, network, generators=draws)
    rows = []
    for i in range(len(members)):
        codes, draw = mean[i].cpu().numpy().astype(float), generator(purpose="rows", **members[i].axes)
        rows_taken = draw.choice(len(codes), min(len(codes), 10_000), replace=False)
        measured = [float(metric(codes[rows_taken], data.grid()[rows_taken])) for metric in (mig, sap, modularity)]
        rows.append([float(evaluation.elbo[i]), float(evaluation.kl[i].sum()), *measured])
    return np.array(rows)


def compare(plain: np.ndarray, quick: np.ndarray) -> list[tuple[float, float, float]]:
    """Return mean difference and 90% interval of each score, given settings x seeds x scores, in pooled deviations."""
    spread = np.sqrt(plain.var(axis=1, ddof=1).mean(axis=0))
    found = ((quick - plain) / spread).reshape(-1, plain.shape[2])
    error = found.std(axis=0, ddof=1) / np.sqrt(len(found)) * stats.t.ppf(0.95, len(found) - 1)
    return [(mean, mean - e, mean + e) for mean, e in zip(found.mean(axis=0), error, strict=True)]


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare training in quick arithmetic with training in float32.")
    parser.add_argument("--data", default="dsprites_grid")
    parser.add_argument("--network", default="conv")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--precision", default="bfloat16")
    parser.add_argument("--steps", type=int, default=4_000)
    parser.add_argument("--seeds", type=int, default=12)
    options = parser.parse_args()
    found: dict[str, list[np.ndarray]] = {"float32": [], options.precision: []}
    for objective, strengths in SWEPT.items():
        members = [
            Member(objective, strengths[2], {"objective": objective, "seed": 1000 + i}) for i in range(options.seeds)
        ]
        for precision, rows in found.items():
            rows.append(scores_of(members, precision, options))
            print(objective, precision, np.round(rows[-1].mean(axis=0), 3).tolist(), flush=True)
    plain, quick = (np.stack(rows) for rows in found.values())
    for name, (mean, low, high) in zip(SCORES, compare(plain, quick), strict=True):
        verdict = "equivalent" if low > -HALF and high < HALF else "not shown to be equivalent"
        print(f"{name:11} {mean:6.2f} [{low:.2f}, {high:.2f}] of the spread over seeds: {verdict}")


if __name__ == "__main__":
    main()
