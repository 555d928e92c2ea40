"""Relation matrices of trained models, put together again from the runs table, and what is read off them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from dbench.claims.population import Population
from dbench.claims.zoo_statistics import settings_of
from dbench.errors import EvidenceLacking, InvalidInput

__all__ = ["HELD", "freely_misaligned", "relations_of"]

# Nats. Ten codes of 20 bins that know nothing of a factor of 32 values have no mutual information above 0.04 with it in
# a sample of 10,000, which permuting the labels shows (tests/judges/test_relations.py).
HELD = 0.1


def relations_of(population: Population, kind: str, *, objectives: Sequence[str] | None = None) -> NDArray[np.float64]:
    """Return the relation matrix of every model.

    Args:
        population: the evidence table, with scores ``relation.<kind>.<factor>.<code>``.
        kind: ``mutual_information``, ``importance`` or ``predictability``.
        objectives: which objectives' models; all by default.

    Returns:
        Seeds x settings x codes x factors, not to be written to; settings as
        :func:`dbench.claims.zoo_statistics.settings_of` has them.

    Raises:
        EvidenceLacking: the table holds no such matrix.
        InvalidInput: it does not hold all of its cells.
    """
    return _stacked(population, kind, None if objectives is None else tuple(objectives))


# A table has some 150 such scores a run, and several claims read the same matrices: 0.5 s each time.
@lru_cache(maxsize=8)
def _stacked(population: Population, kind: str, objectives: tuple[str, ...] | None) -> NDArray[np.float64]:
    pattern = re.compile(rf"relation\.{re.escape(kind)}\.(\d+)\.(\d+)")
    cells = [(int(m[1]), int(m[2])) for m in map(pattern.fullmatch, population.score_names) if m]
    if not cells:
        raise EvidenceLacking(f"{population.name} holds no relation.{kind}")
    n_factors, n_codes = (max(cell[axis] for cell in cells) + 1 for axis in (0, 1))
    if len(cells) != n_factors * n_codes:
        raise InvalidInput(
            f"{population.name} must hold every cell of relation.{kind}, "
            f"got {len(cells)} of {n_factors} factors x {n_codes} codes"
        )
    rows = [
        np.stack(
            [
                settings_of(population, f"relation.{kind}.{factor}.{code}", objectives=objectives)
                for factor in range(n_factors)
            ],
            axis=-1,
        )
        for code in range(n_codes)
    ]
    found = np.stack(rows, axis=-2)
    found.setflags(write=False)
    return found


def freely_misaligned(relations: NDArray[np.float64], informative: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether two factors that are held share their most informative code, though codes enough are informative.

    A factor is held where some code has more than :data:`HELD` nats of mutual information with it: the most
    informative of ten codes that know nothing of a factor is one of them by chance. Sharing is forced, and does not
    count, where fewer codes are informative than factors are held.

    Args:
        relations: ... x codes x factors, mutual information in nats.
        informative: ..., number of informative codes of each model.

    Returns:
        One answer for each model.
    """
    held = relations.max(axis=-2) > HELD
    best = relations.argmax(axis=-2)
    n_factors = held.shape[-1]
    same = (best[..., :, None] == best[..., None, :]) & held[..., :, None] & held[..., None, :]
    shared = (same & ~np.eye(n_factors, dtype=bool)).any(axis=(-2, -1))
    return np.asarray(shared & (informative >= held.sum(axis=-1)), dtype=np.bool_)
