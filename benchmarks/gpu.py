"""Measure training on a GPU: whether it is right, how fast it is, where the time goes, and a part of the real zoo.

    python benchmarks/gpu.py --out results                      # on a GPU; nine minutes, the last of them for the zoo
    python benchmarks/gpu.py --out results --device cpu --quick  # a rehearsal of every step of it, without a GPU

Runs from a checkout, with torch, numpy and what the library needs. The papers' convolutional network, batch 64, images
of 64 x 64 that stay on the device. In order: losses of the first steps against float32 on the processor in every
precision and with every way to convolve; one plain PyTorch model at a time; model-steps a second of ensembles over
precisions and ways to convolve, then over their size, without capture and compiled; memory a model; kernels by class;
floors by arithmetic and by memory traffic; drawing on the processor; the evaluation pass; and with the time that is
left, runs of the profile ``standard``: beta-VAE, all strengths, as many steps as fit. After each part ``results.json``
and ``results.md`` are written anew, so that whatever stops it leaves what was measured. What the device refuses
(memory, a capture) is a row with the reason.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import gpu_measure as measure
import numpy as np
import torch
from ensemble import random_images
from gpu_tables import best, report, write_results

from dbench.codes import Sample
from dbench.data import load
from dbench.metrics import mig
from dbench.models.convolution import ALGORITHMS
from dbench.seeds import generator
from dbench.training import encode_grid, evaluate, train
from dbench.training.execution import PRECISIONS
from dbench.zoo.engine import member_of
from dbench.zoo.profiles import find_profile

ZOO_RESERVE = 0.35  # of the minutes, for the zoo


class Bench:
    """The device, the time there is, and what was measured."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options, self.quick = options, options.quick
        self.device, self.began = torch.device(options.device), time.monotonic()
        self.folder = Path(options.out)
        self.batch = 16 if self.quick else 64
        self.images = random_images((1, 64, 64), 256 if self.quick else 4096).to(self.device)
        cuda = self.device.type == "cuda"
        self.precisions = PRECISIONS if cuda else ("float32",)
        self.results: dict = {
            "machine": {
                "device": torch.cuda.get_device_name(self.device) if cuda else platform.machine(),
                "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
                "torch": torch.__version__,
                "python": platform.python_version(),
                "batch": self.batch,
                "date": datetime.now(UTC).date().isoformat(),
                "rehearsal": self.quick or not cuda,
            }
        }

    def left(self, share: float = 1.0) -> float:
        """Seconds left of a share of the time."""
        return share * 60 * self.options.minutes - (time.monotonic() - self.began)

    def write(self, what: str) -> None:
        write_results(self.folder, self.results)
        print(f"{time.monotonic() - self.began:6.1f} s  {what}", flush=True)

    def checks(self) -> None:
        settings = [(precision, algorithm) for precision in self.precisions for algorithm in ALGORITHMS]
        images = self.images.cpu()
        self.results["checks"] = measure.check(images, self.device, self.batch, 10 if self.quick else 20, settings)
        self.write("checked the first steps")

    def alone(self) -> None:
        self.results["alone"] = [
            measure.alone(self.images, self.device, precision, 0.5 if self.quick else 5)
            for precision in self.precisions
        ]
        self.write("timed one model at a time")

    def rates(self) -> None:
        """Every precision and way to convolve at one size; then the best of them at other sizes and settings."""
        rows, cuda = self.results.setdefault("rates", []), self.device.type == "cuda"
        base = 2 if self.quick else 64
        for precision in self.precisions:
            for algorithm in ALGORITHMS:
                self._rate(rows, base, precision, algorithm, captured=cuda, compiled=False)
        top = best(self.results)
        if top is None:
            return
        precision, algorithm = top["precision"], top["algorithm"]
        for members in (1,) if self.quick else (16, 128, 240, 480):
            self._rate(rows, members, precision, algorithm, captured=cuda, compiled=False)
        top = best(self.results)
        if cuda:
            self._rate(rows, top["members"], precision, algorithm, captured=False, compiled=False)
            if self.left(1 - ZOO_RESERVE) > 90:  # compiling takes a minute
                self._rate(rows, top["members"], precision, algorithm, captured=True, compiled=True)

    def _rate(
        self, rows: list, members: int, precision: str, algorithm: str, *, captured: bool, compiled: bool
    ) -> None:
        row = {"members": members, "precision": precision, "algorithm": algorithm}
        row |= {"captured": captured, "compiled": compiled}
        if self.left(1 - ZOO_RESERVE) < 0:
            rows.append(row | {"error": "not measured: no time left"})
        else:
            seconds = 0.5 if self.quick else 4
            rows.append(measure.rate(self.images, self.device, self.batch, row, seconds))
        self.write(f"timed {members} members, {precision}, {algorithm}, captured {captured}, compiled {compiled}")

    def analysis(self) -> None:
        """Say where the time goes, and what bounds it."""
        top = best(self.results)
        if top is not None:
            rows, note = measure.take_profile(self.images, self.device, self.batch, top, 2 if self.quick else 10)
            self.results |= {"profile": rows, "profile_note": note}
            self.write("profiled")
        floors, note = measure.floors(self.device, self.batch, self.precisions, quick=self.quick)
        self.results |= {"floor": floors, "floor_note": note}
        members = top["members"] if top is not None else 1
        drawn = [measure.time_drawing(members, self.batch, threads) for threads in (0, 1, 4, 8)]
        if top is not None:
            for row in drawn:
                row["share"] = row["seconds"] / (0.1 * top["ms_a_step"])  # of 100 steps
        self.results["drawing"] = drawn
        self.write("timed drawing")
        chosen = (top["precision"], top["algorithm"]) if top is not None else ("float32", "grouped")
        self.results["evaluation"] = [
            measure.time_evaluation(self.images, self.device, members, precision, chosen[1])
            for precision in dict.fromkeys(("float32", chosen[0]))
        ]
        self.write("timed the evaluation")

    def zoo(self) -> None:
        """Train runs of the profile ``standard`` with the best settings for the time that is left, and score them."""
        top, profile = best(self.results), find_profile("standard")
        if top is None:
            return
        data, draw = load("dsprites_rendered"), generator(benchmark="gpu", purpose="sample")
        factors = data.draw_factors(500, draw) if self.quick else data.grid()
        images = torch.from_numpy(data.images(factors))
        self.write(f"drew {len(images):,} images")
        keys = profile.runs(objectives=["beta_vae"], seeds=range(1 if self.quick else profile.seeds))
        rate = 0.7 * top["model_steps_a_second"]  # some of the time goes into scoring
        steps = min(profile.steps, int(rate * max(self.left() - 30, 10) / len(keys)) // 100 * 100)
        steps = 1 if self.quick else max(100, steps)
        members = [member_of(key) for key in keys]
        settings = {"batch_size": self.batch, "learning_rate": profile.learning_rate, "precision": top["precision"]}
        network, start = measure.network_with(top["algorithm"]), time.perf_counter()
        images = images.to(self.device)

        def late(_) -> bool:
            return self.left() < 20

        state = train(members, images, network, steps=steps, device=self.device, each_block=late, **settings)
        measure.synchronise(self.device)
        seconds = time.perf_counter() - start
        self.results["zoo_note"] = (
            f"{len(keys)} runs of `standard` took {state.step:,} of its {profile.steps:,} steps on {len(images):,} "
            f"images in {seconds:.0f} s: {state.step * len(keys) / seconds:,.0f} model-steps a second, drawing and "
            "everything included. Shorter than the profile, so evidence of nothing but speed; ELBO, KL and MIG are of "
            f"{min(10_000, len(images)):,} images."
        )
        sample = draw.choice(len(images), size=min(10_000, len(images)), replace=False)
        chosen, generators = images[torch.from_numpy(sample).to(self.device)], [k.generator("evaluate") for k in keys]
        bound = evaluate(state.parameters, chosen, network, generators=generators)
        codes = encode_grid(state.parameters, chosen, network)[0].cpu().double().numpy()
        self.results["zoo"] = [
            {
                "objective": key.objective,
                "strength": float(key.strength),
                "seed": key.seed,
                "steps": state.step,
                "loss": None if state.diverged[i] else float(state.loss[i]),
                "elbo": float(bound.elbo[i]),
                "kl": float(bound.kl[i].sum()),
                "informative": int((bound.kl[i] > 0.01).sum()),
                "mig": mig(Sample(codes[i], factors[sample])).value if np.isfinite(codes[i]).all() else None,
                "diverged": bool(state.diverged[i]),
            }
            for i, key in enumerate(keys)
        ]
        self.write("trained and scored a part of the zoo")


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure training on a GPU.")
    parser.add_argument("--out", required=True, help="folder of results.json and results.md")
    parser.add_argument("--minutes", type=float, default=9.0, help="time for all of it")
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"))
    parser.add_argument("--quick", action="store_true", help="a rehearsal: every part, on next to nothing")
    options = parser.parse_args()
    if options.device == "cuda" and not torch.cuda.is_available():
        parser.error("no GPU here; rehearse with --device cpu --quick")
    bench = Bench(options)
    for part in (bench.checks, bench.alone, bench.rates, bench.analysis, bench.zoo):
        part()
    print(report(bench.results))


if __name__ == "__main__":
    main()
