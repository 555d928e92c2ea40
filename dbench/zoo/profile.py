"""Profiles, which are grids of runs, and how to read one from a TOML file."""

import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Any

from dbench.errors import InvalidInput, unknown_name
from dbench.zoo.keys import RunKey


@dataclass(frozen=True)
class Sweep:
    """The strengths at which one objective is trained, and on which data sets.

    Args:
        data: those data sets of the profile that it is trained on; all when none is named.
        seeds: number of seeds of each cell; the profile's when not given.
        constants: as in :class:`dbench.training.Member`.
        deviations: differences from the papers' study that concern its data sets only, one sentence each.
        network, learning_rate: the profile's when not given.
    """

    objective: str
    strengths: tuple[float, ...]
    data: tuple[str, ...] = ()
    seeds: int | None = None
    constants: tuple[tuple[str, float], ...] = ()
    deviations: tuple[str, ...] = ()
    network: str = ""
    learning_rate: float = 0.0


@dataclass(frozen=True)
class Profile:
    """A grid of runs, data set x objective x strength x seed, all with the same number of steps.

    Args:
        data: names of the data sets; the first is the default of ``dbench zoo train``.
        sweeps: objectives and their strengths; an objective may have several, on different data sets.
        deviations: differences from the papers' study, one sentence each.
        likelihood_factor: as in :class:`dbench.zoo.keys.RunKey`.
        cooldown: as in :class:`dbench.zoo.keys.RunKey`.
        first_seed: first seed of each cell; the others follow it.

    Raises:
        UnknownName: a sweep names a data set that the profile does not have.
        InvalidInput: no data set, no seed, or a sweep without strengths; a repeated strength or data set; two sweeps of
            an objective that share a data set; or a constant of a sweep that its objective does not have, or that is
            the objective's own value, as one run would then have two keys.
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
        _check_distinct(f"data of profile {self.name}", self.data)
        seen = set[tuple[str, str]]()
        for sweep in self.sweeps:
            _check_constants(sweep)
            _check_distinct(f"strengths of {sweep.objective}", sweep.strengths)
            if (number := self.seeds if sweep.seeds is None else sweep.seeds) < 1:
                raise InvalidInput(f"seeds of {sweep.objective} must be 1 or more, got {number}")
            for name in self._data_of(sweep):
                self._require("data set", name, self.data)
                if (cell := (sweep.objective, name)) in seen:
                    raise InvalidInput(f"sweeps must not share a data set, got two of {' on '.join(cell)}")
                seen.add(cell)

    def _require(self, kind: str, name: str, known: Collection[str]) -> None:
        if name not in known:
            raise unknown_name(f"{kind} of profile {self.name}", name, known)

    def _data_of(self, sweep: Sweep) -> tuple[str, ...]:
        return sweep.data or self.data

    def _seeds_of(self, sweep: Sweep) -> range:
        return range(self.first_seed, self.first_seed + (self.seeds if sweep.seeds is None else sweep.seeds))

    def runs(
        self, *, data: Iterable[str] = (), objectives: Iterable[str] = (), seeds: Iterable[int] | None = None
    ) -> list[RunKey]:
        """Return the runs of the grid, or of a part of it, sorted.

        By default, these are the runs on the first data set with all objectives and the seeds of each sweep. ``seeds``
        may name other seeds than the profile's.

        Raises:
            UnknownName: a data set or objective that the profile does not have.
            InvalidInput: an empty list of seeds, or no objective that is trained on these data sets.
        """
        data_names, objective_names = tuple(data) or self.data[:1], tuple(objectives)
        for name in data_names:
            self._require("data set", name, self.data)
        for name in objective_names:
            self._require("objective", name, {sweep.objective for sweep in self.sweeps})
        numbers = None if seeds is None else sorted(set(seeds))
        if numbers == []:
            raise InvalidInput("seeds must name at least one seed, got none")
        keys = [
            RunKey(
                data=data_name,
                objective=sweep.objective,
                strength=strength,
                network=sweep.network or self.network,
                steps=self.steps,
                batch_size=self.batch_size,
                learning_rate=sweep.learning_rate or self.learning_rate,
                seed=seed,
                constants=sweep.constants,
                likelihood_factor=self.likelihood_factor,
                cooldown=self.cooldown,
            )
            for sweep in self.sweeps
            if not objective_names or sweep.objective in objective_names
            for data_name in self._data_of(sweep)
            if data_name in data_names
            for strength in sweep.strengths
            for seed in (self._seeds_of(sweep) if numbers is None else numbers)
        ]
        if not keys:
            raise InvalidInput(
                f"objectives must name one that profile {self.name} trains on {', '.join(data_names)}, "
                f"got {', '.join(objective_names)}"
            )
        return sorted(keys)

    def deviations_on(self, data: Collection[str]) -> list[str]:
        """Return the differences from the papers' study on these data sets, each once."""
        sweeps = [sweep for sweep in self.sweeps if not set(data).isdisjoint(self._data_of(sweep))]
        return [*self.deviations, *dict.fromkeys(text for sweep in sweeps for text in sweep.deviations)]


def _check_distinct(what: str, values: Sequence[object]) -> None:
    if not values or len(set(values)) < len(values):
        raise InvalidInput(f"{what} must be one or more, none twice, got {list(values)}")


def _check_constants(sweep: Sweep) -> None:
    if not sweep.constants:
        return
    from dbench.models.objectives import find_card  # here, because it imports torch

    card = find_card(sweep.objective)
    card.tuned(dict(sweep.constants))  # raises for constants that the objective does not have
    defaults = {**card.constants, "adversary_rate": card.adversary_rate}
    if same := [f"{name}={value:g}" for name, value in sweep.constants if value == defaults[name]]:
        raise InvalidInput(f"constants must differ from those {sweep.objective} has itself, got {', '.join(same)}")


_WHOLE = "a whole number"
_KINDS: Mapping[Any, str] = {
    str: "a name",
    int: _WHOLE,
    int | None: _WHOLE,
    float: "a number",
    tuple[str, ...]: "a list of names",
    tuple[float, ...]: "numbers",
    tuple[tuple[str, float], ...]: "numbers by name",
}
"""Type of a field -> how messages name it."""


def read_profile(path: Path) -> Profile:
    """Read a profile, named after its file, from TOML: the other fields of :class:`Profile` and ``[[sweep]]`` tables.

    Raises:
        InvalidInput: the file cannot be read, or a field is missing, unknown, or of another type.
        UnknownName: a sweep names a data set that the profile does not have.
    """
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InvalidInput(f"profile must be a TOML file that can be read, got {path.name}: {error}") from error
    sweeps = document.pop("sweep", None)
    if not isinstance(sweeps, list) or not sweeps or not all(isinstance(sweep, dict) for sweep in sweeps):
        raise InvalidInput(f"{path.name} must have [[sweep]] tables, got {sweeps!r}")
    if any(sweep.get("learning_rate") == 0 for sweep in sweeps):
        raise InvalidInput(f"learning_rate of a sweep of {path.name} must be positive, got 0")
    checked_sweeps = tuple(Sweep(**_checked(sweep, Sweep, f"a sweep of {path.name}")) for sweep in sweeps)
    return Profile(name=path.stem, sweeps=checked_sweeps, **_checked(document, Profile, path.name))


def _checked(table: Mapping[str, Any], kind: type[Profile | Sweep], where: str) -> dict[str, Any]:
    """Return the fields of a TOML table as arguments of a class; raise for missing, unknown and ill-typed fields."""
    known = {field.name: _KINDS[field.type] for field in fields(kind) if field.name not in ("name", "sweeps")}
    optional = [field.name for field in fields(kind) if field.default is not MISSING]
    required = [name for name in known if name not in optional]
    if wrong := sorted(set(required) - table.keys()) + sorted(table.keys() - known.keys()):
        raise InvalidInput(
            f"{where} must have {', '.join(required)} and may have {', '.join(optional)}; "
            f"missing or unknown: {', '.join(wrong)}"
        )
    for name, value in table.items():
        if not _is(value, known[name]):
            raise InvalidInput(f"{name} of {where} must be {known[name]}, got {value!r}")
    return {name: _frozen(value) for name, value in table.items()}


def _is(value: object, kind: str) -> bool:
    if kind == "numbers by name":
        return isinstance(value, dict) and all(_is(number, "a number") for number in value.values())
    if kind in ("a list of names", "numbers"):
        inner = "a name" if kind == "a list of names" else "a number"
        return isinstance(value, list) and all(_is(item, inner) for item in value)
    if kind == "a name":
        return isinstance(value, str)
    return isinstance(value, int if kind == _WHOLE else int | float) and not isinstance(value, bool) and value >= 0


def _frozen(value: Any) -> Any:
    """Turn lists and dictionaries into tuples, so that profiles can be hashed."""
    if isinstance(value, dict):
        return tuple(value.items())
    return tuple(value) if isinstance(value, list) else value
