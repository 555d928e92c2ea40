"""What the experiments of benchmarks/causes.py share: variants of micro's runs, their scores, tables and findings."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from dbench.data import DataSet
from dbench.models import Network
from dbench.training import State, encode_grid, evaluate, train
from dbench.zoo.engine import images_of, member_of, network_of, settings_of, training_images
from dbench.zoo.keys import RunKey
from dbench.zoo.profiles import Profile, Sweep
from dbench.zoo.scorers import ACTIVE, EncodedRun
from dbench.zoo.scorers.unsupervised import gaussian_tc
from dbench.zoo.store import Store

MICRO = Profile(
    name="micro",
    data=("dsprites_grid_16", "color_dsprites_grid_16"),
    network="mlp",
    sweeps=(
        Sweep("beta_vae", (0.125, 0.25, 0.5, 1, 2, 4)),
        Sweep("annealed_vae", (0.5, 1, 2, 4, 8, 16), constants=(("gamma", 12.5),)),
        Sweep("factor_vae", (10, 20, 30, 40, 50, 100)),
        Sweep("beta_tcvae", (1, 2, 4, 6, 8, 10)),
        Sweep("dip_vae_i", (1, 2, 5, 10, 20, 50)),
        Sweep("dip_vae_ii", (1, 2, 5, 10, 20, 50)),
    ),
    steps=6000,
    batch_size=64,
    learning_rate=1e-3,
    seeds=10,
)
"""The profile whose findings docs/causes.md explains: images as they are, and a third of today's steps."""

FIRST_SEED = 1000
"""No profile uses seeds from here on."""

BLOCK = 100
Scores = dict[str, float]
SCORES = {
    "elbo": "ELBO",
    "kl": "KL",
    "codes": "informative codes",
    "gaussian_tc.sampled": "TC, sampled codes",
    "gaussian_tc.mean": "TC, mean codes",
    "gaussian_tc.mean.active": "TC, active mean codes",
}
"""Scores of every run -> their columns' headings. All in nats but the two counts of codes, the second a share."""


@dataclass(frozen=True)
class Budget:
    """How much is trained, and what need not be.

    Args:
        seeds: runs of each variant that is trained; what an experiment asks for when not given.
        share: of the steps of every run, for a rehearsal.
        store: of runs of the profile; without one the profile's own runs are trained as well.
    """

    seeds: int | None = None
    share: float = 1.0
    store: Store | None = None

    def steps(self, steps: int) -> int:
        """Return a number of steps as scaled, in whole blocks."""
        return max(1, round(steps * self.share / BLOCK)) * BLOCK

    def numbers(self, seeds: int) -> range:
        """Return the seeds of an experiment."""
        return range(FIRST_SEED, FIRST_SEED + (self.seeds or seeds))


@dataclass(frozen=True, eq=False)
class Runs:
    """Trained runs of one objective: strength after strength, the seeds of each side by side.

    Attributes:
        keys: of the runs, M.
        data: what they were trained on.
        network: of all of them.
        parameters: of network and adversary, each M x its shape.
        codes: means and log-variances of the codes of every grid point, each M x N x d.
        trained: ELBO, reconstruction and KL of each run.
    """

    keys: tuple[RunKey, ...]
    data: DataSet
    network: Network
    parameters: dict[str, torch.Tensor]
    codes: tuple[np.ndarray, np.ndarray]
    trained: tuple[Scores, ...]

    @classmethod
    def of(cls, keys: tuple[RunKey, ...], state: State, images: torch.Tensor) -> Runs:
        """Encode and evaluate images, the grid's in its order, by trained models."""
        streams = [key.generator("evaluate") for key in keys]
        terms = evaluate(state.parameters, images, state.network, generators=streams)
        mean, logvar = (part.numpy() for part in encode_grid(state.parameters, images, state.network))
        trained = [
            {"elbo": float(elbo), "reconstruction": float(nats), "kl": float(kl.sum()), "diverged": float(lost)}
            for elbo, nats, kl, lost in zip(terms.elbo, terms.reconstruction, terms.kl, state.diverged, strict=True)
        ]
        return cls(keys, images_of(keys[0].data)[0], state.network, state.parameters, (mean, logvar), tuple(trained))

    @classmethod
    def stored(cls, keys: tuple[RunKey, ...], store: Store) -> Runs:
        """Read runs of the profile from a store."""
        data, _ = images_of(keys[0].data)
        weights, codes = ([store.tensors(key, name) for key in keys] for name in ("weights", "codes"))
        parameters = {name: torch.from_numpy(np.stack([one[name] for one in weights])) for name in weights[0]}
        records = [store.record(key) for key in keys]
        mean, logvar = (np.stack([one[name] for one in codes]) for name in ("mean", "logvar"))
        trained = tuple(dict(record["scores"]) for record in records if record is not None)
        return cls(keys, data, network_of(keys[0], data), parameters, (mean, logvar), trained)

    def scores(self, *more: Callable[[EncodedRun], Scores]) -> list[Scores]:
        """Return the scores of each run that :data:`SCORES` names, and those of further scorers."""
        found = []
        for key, mean, logvar, trained in zip(self.keys, *self.codes, self.trained, strict=True):
            run = EncodedRun.of(key, self.data, {"mean": mean, "logvar": logvar}, trained)
            scores = {**trained, "codes": float((run.kl > ACTIVE).sum())}
            scores |= gaussian_tc(run)
            for scorer in more:
                scores |= scorer(run)
            found.append(scores)
        return found


def keys_of(
    objective: str, strengths: Sequence[float], seeds: Sequence[int], steps: int, data: str = MICRO.data[0]
) -> tuple[RunKey, ...]:
    """Return the keys of runs trained as micro trains them, strength by strength."""
    return tuple(
        RunKey(
            data=data,
            objective=objective,
            strength=strength,
            network=MICRO.network,
            steps=steps,
            batch_size=MICRO.batch_size,
            learning_rate=MICRO.learning_rate,
            seed=seed,
        )
        for strength in strengths
        for seed in seeds
    )


def own_runs(budget: Budget, objective: str, strengths: Sequence[float]) -> Runs:
    """Return the profile's own runs on dsprites_grid_16: all seeds, of a store, or two trained, from 1,000 on."""
    if budget.store is not None:
        return Runs.stored(keys_of(objective, strengths, range(MICRO.seeds), MICRO.steps), budget.store)
    return train_runs(keys_of(objective, strengths, budget.numbers(2), budget.steps(MICRO.steps)))


def train_state(
    keys: Sequence[RunKey],
    *,
    network: Mapping[str, Any] | None = None,
    images: torch.Tensor | None = None,
    each_block: Callable[[State], None] | None = None,
    **settings: Any,
) -> State:
    """Train runs together, with progress on standard error.

    Args:
        keys: the runs; their seeds decide weights, batches and noise, whatever else is changed.
        network: fields of the network that differ from the profile's.
        images: to train on, in place of the data set's.
        each_block: is shown the state every 100 steps.
        settings: further ones of :func:`dbench.training.train`, in place of the keys' own.
    """
    data, grid = images_of(keys[0].data)
    shown = training_images(data, grid) if images is None else images
    net = replace(network_of(keys[0], data), image_shape=tuple(shown.shape[1:]), **(network or {}))  # type: ignore[type-var]
    last, began = keys[0].steps, time.monotonic()

    def progress(now: State) -> None:
        if each_block is not None:
            each_block(now)
        if now.step % (5 * BLOCK) == 0 or now.step == last:
            name, seconds = keys[0].objective, time.monotonic() - began
            sys.stderr.write(f"{name}, {len(keys)} runs: step {now.step:,} of {last:,}, {seconds:.0f} s\n")

    everything = {**settings_of(keys, data), **settings}
    members = [member_of(key) for key in keys]
    return train(members, shown, net, steps=last, each_block=progress, **everything)


def train_runs(keys: tuple[RunKey, ...], **settings: Any) -> Runs:
    """Train runs as :func:`train_state` does, and encode the grid."""
    return Runs.of(keys, train_state(keys, **settings), images_of(keys[0].data)[1])


def by_strength(keys: Sequence[RunKey], scores: Sequence[Scores]) -> dict[float, list[Scores]]:
    """Gather the scores of the seeds of each strength."""
    found: dict[float, list[Scores]] = {}
    for key, score in zip(keys, scores, strict=True):
        found.setdefault(key.strength, []).append(score)
    return found


def mean(rows: Sequence[Scores], score: str) -> float:
    """Return the mean of a score over seeds."""
    return float(np.mean([row[score] for row in rows]))


def cell(values: Sequence[float], digits: int = 3) -> str:
    """Write the mean over seeds and, from two on, their standard deviation."""
    middle = f"{np.mean(values):.{digits}f}"
    return f"{middle} ± {np.std(values, ddof=1):.{digits}f}" if len(values) > 1 else middle


@dataclass
class Report:
    """What an experiment prints: tables and findings, as text to the standard output and to the end of a file.

    Args:
        path: of the file; nothing is kept when not given.
    """

    path: Path | None = None
    findings: dict[str, str] = field(default_factory=dict)

    def write(self, text: str) -> None:
        """Print a piece of text, and append it at once."""
        print(text, flush=True)
        if self.path is not None:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(text + "\n")

    def table(
        self, label: str, rows: Mapping[str, Sequence[Scores]], columns: Mapping[str, str], digits: int = 3
    ) -> None:
        """Print a table: a row for each variant, given as the scores of its seeds."""
        self.write(f"\n| {label} | " + " | ".join(columns.values()) + " |")
        self.write("| --- |" + " ---: |" * len(columns))
        for name, seeds in rows.items():
            cells = [cell([row[score] for row in seeds], digits) for score in columns]
            self.write(f"| {name} | " + " | ".join(cells) + " |")
            if lost := sum(row.get("diverged", 0) for row in seeds):
                self.write(f"| (diverged: {lost:.0f} of {len(seeds)}) |" + " |" * len(columns))

    def finding(self, cause: str, answer: str, why: str) -> None:
        """Print whether a named cause is supported: ``yes``, ``no``, ``partly`` or ``not here``."""
        self.findings[cause] = answer
        self.write(f"\n{cause}: {answer}. {why}")


Experiment = Callable[[Budget, Report], None]
EXPERIMENTS: dict[str, Experiment] = {}


def experiment(function: Experiment) -> Experiment:
    """List an experiment under its own name, with hyphens."""
    EXPERIMENTS[function.__name__.replace("_", "-")] = function
    return function
