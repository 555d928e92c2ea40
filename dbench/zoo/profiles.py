"""Profiles: named grids of runs, each with what it changes against the papers' study."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from dbench.errors import InvalidInput, unknown_name
from dbench.zoo.keys import RunKey

__all__ = ["PROFILES", "Profile", "Sweep", "find_profile"]


@dataclass(frozen=True)
class Sweep:
    """The strengths at which one objective is trained."""

    objective: str
    strengths: tuple[float, ...]


@dataclass(frozen=True)
class Profile:
    """A full grid: every data set x objective x strength x seed, all with one network and one schedule.

    Args:
        name: short name, as on the command line.
        data: names of the data sets; the first is the default of ``dbench zoo train``.
        network: name of the network.
        sweeps: objectives and their strengths.
        steps: optimiser steps of each run.
        batch_size: images a step.
        learning_rate: of Adam.
        seeds: number of seeds of each cell, counted from 0.
        deviations: what differs from the papers' study, one sentence each.
    """

    name: str
    data: tuple[str, ...]
    network: str
    sweeps: tuple[Sweep, ...]
    steps: int
    batch_size: int
    learning_rate: float
    seeds: int
    deviations: tuple[str, ...] = ()

    def runs(
        self,
        *,
        data: Iterable[str] = (),
        objectives: Iterable[str] = (),
        seeds: Iterable[int] | None = None,
    ) -> list[RunKey]:
        """Return the runs of the grid, or of a part of it, sorted.

        Args:
            data: data sets of the profile to keep; its first one when none is named.
            objectives: objectives to keep; all when none is named.
            seeds: seeds to take (more than the profile's own are allowed); ``range(self.seeds)`` when not given.

        Raises:
            UnknownName: a data set or objective the profile does not have.
            InvalidInput: no seed is left.
        """
        wanted_data, wanted = tuple(data) or self.data[:1], tuple(objectives)
        for name in wanted_data:
            if name not in self.data:
                raise unknown_name(f"data set of profile {self.name}", name, self.data)
        known = [sweep.objective for sweep in self.sweeps]
        for name in wanted:
            if name not in known:
                raise unknown_name(f"objective of profile {self.name}", name, known)
        numbers = sorted(set(range(self.seeds) if seeds is None else seeds))
        if not numbers:
            raise InvalidInput("seeds must name at least one seed, got none")
        return sorted(
            RunKey(
                data=data_name,
                objective=sweep.objective,
                strength=strength,
                network=self.network,
                steps=self.steps,
                batch_size=self.batch_size,
                learning_rate=self.learning_rate,
                seed=seed,
            )
            for data_name in set(wanted_data)
            for sweep in self.sweeps
            if not wanted or sweep.objective in wanted
            for strength in sweep.strengths
            for seed in numbers
        )

    def describe(self) -> dict[str, Any]:
        """Return the profile as it is written into a manifest."""
        return asdict(self)


_BETA_VAE = Sweep("beta_vae", (1, 2, 4, 6, 8, 16))
_BETA_TCVAE = Sweep("beta_tcvae", (1, 2, 4, 6, 8, 10))
"""Both as in Sober Look, table 3."""

MICRO = Profile(
    name="micro",
    data=("dsprites_grid_16",),
    network="mlp",
    # At 16 x 16 an image has fewer nats to explain, so the same strength regularises more. beta_vae: equal ratios from
    # where nearly all codes are informative to 4, above which nearly none is. beta_tcvae leaves the papers' range
    # usable, because the divergence from the prior keeps its weight of 1.
    sweeps=(Sweep("beta_vae", (0.125, 0.25, 0.5, 1, 2, 4)), _BETA_TCVAE),
    steps=6000,
    batch_size=64,
    learning_rate=1e-3,
    seeds=10,
    deviations=(
        "images are the real dSprites sub-grid of 46,080 images averaged down to 16 x 16, not 737,280 at 64 x 64",
        "a small fully connected network instead of the convolutional one of Sober Look, table 2",
        "6,000 steps at a learning rate of 1e-3 instead of 300,000 at 1e-4",
        "beta_vae at strengths from 0.125 to 4 instead of 1 to 16: at 16 x 16 those above 4 collapse the codes",
        "10 seeds a cell instead of 50",
    ),
)

STANDARD = Profile(
    name="standard",
    data=("dsprites_rendered", "dsprites"),
    network="conv",
    sweeps=(_BETA_VAE, _BETA_TCVAE),
    steps=30_000,
    batch_size=64,
    learning_rate=1e-4,
    seeds=10,
    deviations=(
        "dsprites_rendered is drawn again from shape outlines and differs from the published images in a few pixels",
        "30,000 steps instead of 300,000",
        "10 seeds a cell instead of 50",
    ),
)

PROFILES: dict[str, Profile] = {profile.name: profile for profile in (MICRO, STANDARD)}


def find_profile(name: str) -> Profile:
    """Return the profile of that name, or say which there are.

    Raises:
        UnknownName: no such profile.
    """
    if name not in PROFILES:
        raise unknown_name("profile", name, PROFILES)
    return PROFILES[name]
