"""What a profile is: a named grid of runs, all with one network and one schedule."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from dbench.errors import InvalidInput, unknown_name
from dbench.zoo.keys import RunKey


@dataclass(frozen=True)
class Sweep:
    """The strengths at which one objective is trained, and where.

    Args:
        objective: name of the objective.
        strengths: its strengths.
        data: data sets of the profile it is trained on; all of them when none is named.
        seeds: number of seeds of each cell; as many as the profile says when not given.
        constants: constants of the objective (``ObjectiveCard.constants``), or ``adversary_rate``, that take another
            value than its own.
        deviations: what differs from the papers' study on its data sets alone, one sentence each.
    """

    objective: str
    strengths: tuple[float, ...]
    data: tuple[str, ...] = ()
    seeds: int | None = None
    constants: tuple[tuple[str, float], ...] = ()
    deviations: tuple[str, ...] = ()


@dataclass(frozen=True)
class Profile:
    """A grid of runs, data set x objective x strength x seed, all with one network and one schedule.

    The grid is full unless a sweep limits its data sets, or has a number of seeds of its own.

    Args:
        name: short name, as on the command line.
        data: names of the data sets; the first is the default of ``dbench zoo train``.
        network: name of the network.
        sweeps: objectives and their strengths; an objective may have several, on different data sets.
        steps: optimiser steps of each run.
        batch_size: images a step.
        learning_rate: of Adam.
        seeds: number of seeds of each cell.
        deviations: what differs from the papers' study, one sentence each.
        likelihood_factor: what the likelihood of an image, summed over its pixels, is multiplied by in training; the
            one of :func:`dbench.zoo.keys.likelihood_factor` makes a small image count as one of 64 x 64.
        cooldown: share of the steps, 0 to 1, over which the learning rate falls to 0, at the end.
        first_seed: the seed from which each cell counts.

    Raises:
        UnknownName: a sweep names a data set that the profile does not have.
        InvalidInput: two sweeps of an objective share a data set, or a sweep's constants are none of its objective or
            have the objective's own value: one run would have two keys.
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
    likelihood_factor: float = 1.0
    cooldown: float = 0.0
    first_seed: int = 0

    def __post_init__(self) -> None:
        """Check that sweeps name data sets of the profile, and that no two of them describe the same cells."""
        taken = set[tuple[str, str]]()
        for sweep in self.sweeps:
            _check_constants(sweep)
            for name in self._data_of(sweep):
                self._require("data set", name, self.data)
                if (cell := (sweep.objective, name)) in taken:
                    raise InvalidInput(f"sweeps must not share a data set, got two of {' on '.join(cell)}")
                taken.add(cell)

    def _require(self, kind: str, name: str, known: Collection[str]) -> None:
        if name not in known:
            raise unknown_name(f"{kind} of profile {self.name}", name, known)

    def _data_of(self, sweep: Sweep) -> tuple[str, ...]:
        return sweep.data or self.data

    def _seeds_of(self, sweep: Sweep) -> range:
        return range(self.first_seed, self.first_seed + (self.seeds if sweep.seeds is None else sweep.seeds))

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
            seeds: seeds to take everywhere (others than the profile's own are allowed); those of each sweep when not
                given.

        Raises:
            UnknownName: a data set or objective the profile does not have.
            InvalidInput: no seed is left, or no objective that is trained on these data sets.
        """
        wanted_data, wanted = tuple(data) or self.data[:1], tuple(objectives)
        for name in wanted_data:
            self._require("data set", name, self.data)
        for name in wanted:
            self._require("objective", name, {sweep.objective for sweep in self.sweeps})
        numbers = None if seeds is None else sorted(set(seeds))
        if numbers == []:
            raise InvalidInput("seeds must name at least one seed, got none")
        keys = [
            RunKey(
                data=data_name,
                objective=sweep.objective,
                strength=strength,
                network=self.network,
                steps=self.steps,
                batch_size=self.batch_size,
                learning_rate=self.learning_rate,
                seed=seed,
                constants=sweep.constants,
                likelihood_factor=self.likelihood_factor,
                cooldown=self.cooldown,
            )
            for sweep in self.sweeps
            if not wanted or sweep.objective in wanted
            for data_name in self._data_of(sweep)
            if data_name in wanted_data
            for strength in sweep.strengths
            for seed in (self._seeds_of(sweep) if numbers is None else numbers)
        ]
        if not keys:
            raise InvalidInput(
                f"objectives must name one that profile {self.name} trains on {', '.join(wanted_data)}, "
                f"got {', '.join(wanted)}"
            )
        return sorted(keys)

    def deviations_on(self, data: Collection[str]) -> list[str]:
        """Return what differs from the papers' study on these data sets."""
        sweeps = [sweep for sweep in self.sweeps if not set(data).isdisjoint(self._data_of(sweep))]
        return [*self.deviations, *dict.fromkeys(text for sweep in sweeps for text in sweep.deviations)]


def _check_constants(sweep: Sweep) -> None:
    if not sweep.constants:
        return
    from dbench.models.objectives import find_card  # takes torch

    card = find_card(sweep.objective)
    card.tuned(dict(sweep.constants))  # refuses others' constants
    own = {**card.constants, "adversary_rate": card.adversary_rate}
    if same := [f"{name}={value:g}" for name, value in sweep.constants if value == own[name]]:
        raise InvalidInput(f"constants must differ from those {sweep.objective} has itself, got {', '.join(same)}")
