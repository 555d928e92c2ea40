"""Look up models and their scores in a population, for figures."""

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbench.errors import DbenchError, EvidenceLacking
from dbench.estimates.population import Population
from dbench.estimates.zoo_statistics import settings_of
from dbench.scoring.style import LOOKS
from dbench.stats import rank_correlation
from dbench_published.figures.labels import label_of, score_label

Array = NDArray[np.float64]


class Model(NamedTuple):
    """One run of a population, and its row in :func:`of_models`."""

    objective: str
    strength: float
    seed: int
    row: int

    def __str__(self) -> str:
        return f"{label_of(self.objective)} {self.strength:g}, seed {self.seed}"


def in_order(population: Population) -> list[str]:
    """Return the objectives of a population in the order in which figures show them."""
    return sorted(population.objectives, key=lambda o: (list(LOOKS).index(o) if o in LOOKS else 99, o))


def models_of(population: Population) -> list[Model]:
    """Return the models of all complete seeds, seed by seed."""
    settings = [(o, float(s)) for o in in_order(population) for s in population.strengths(o)]
    cells = [(o, s, int(seed)) for seed in population.seeds() for o, s in settings]
    return [Model(*cell, row) for row, cell in enumerate(cells)]


def of_models(population: Population, score: str) -> Array:
    """Return a score of every model, in the order of :func:`models_of`."""
    return settings_of(population, score, objectives=in_order(population)).ravel()


def labels_of_models(population: Population) -> NDArray[np.str_]:
    """Return the objective of every model, in the order of :func:`models_of`."""
    return np.array([model.objective for model in models_of(population)])


def setting_means(population: Population, score: str) -> Array:
    """Return a score of every setting, averaged over seeds."""
    return np.asarray(settings_of(population, score, objectives=in_order(population)).mean(axis=0))


def held(population: Population, scores: Sequence[str], *, least: int = 1) -> list[str]:
    """Return the scores that the population holds; raise EvidenceLacking if they are fewer than ``least``."""
    known = set(population.score_names)
    present = [score for score in scores if score in known]
    if len(present) < least:
        missing = ", ".join(score for score in scores if score not in known)
        raise EvidenceLacking(
            f"{population.name} must hold {least} of the scores drawn, got {len(present)}: no {missing}"
        )
    return present


def correlations(population: Population, firsts: Sequence[str], seconds: Sequence[str]) -> Array:
    """Spearman's correlations of scores over all models pooled, firsts x seconds."""
    rows, columns = ([of_models(population, score) for score in scores] for scores in (firsts, seconds))
    return np.array([[rank_correlation(a, b) for b in columns] for a in rows])


def factor_names(population: Population, count: int) -> list[str]:
    """Return the names of a population's factors, or numbered names where they are not known."""
    numbered = [f"factor {j}" for j in range(count)]
    table = population.table
    names = _names_of(str(table["data"].iloc[0])) if "data" in table.columns else ()
    return list(names) if len(names) == count else numbered


@cache
def _names_of(data: str) -> tuple[str, ...]:
    from dbench.data import load

    if ":" in data:  # such a name would run code, and a table may come from anywhere
        return ()
    try:
        return load(data).factor_names
    except (DbenchError, OSError):  # the images are not needed and may be missing on this machine
        return ()


def labels(scores: Sequence[str]) -> list[str]:
    """Return the scores' names as figures print them."""
    return [score_label(score) for score in scores]
