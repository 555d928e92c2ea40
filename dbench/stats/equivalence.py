"""Whether an effect is small enough not to count: absence of evidence is no evidence of absence."""

from __future__ import annotations

import math

from numpy.typing import ArrayLike
from scipy import special

from dbench.errors import InvalidInput
from dbench.stats.inputs import finite_vector

__all__ = ["equivalence_p"]


def equivalence_p(values: ArrayLike, low: float, high: float) -> float:
    """P-value of 'the mean lies outside (low, high)': two one-sided t tests (Schuirmann 1987), the larger p.

    p < alpha exactly where the two-sided t interval of confidence 1 - 2 alpha lies strictly within (low, high). So a
    card with the rule ``within(low, high)`` and confidence 0.90 is this test at 5%, and one with confidence 0.95 at
    2.5%.

    Args:
        values: one number a unit, at least 2.
        low: lower end of what does not count.
        high: its upper end.

    Raises:
        InvalidInput: fewer than two units, a value that is not finite, or low >= high.
    """
    units = finite_vector("values", values)
    if len(units) < 2:
        raise InvalidInput(f"values must be at least 2 units, got {len(units)}")
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise InvalidInput(f"low and high must be finite with low < high, got {low} and {high}")
    error = float(units.std(ddof=1)) / math.sqrt(len(units))
    nearest = min(float(units.mean()) - low, high - float(units.mean()))
    if error == 0:
        return 0.0 if nearest > 0 else 1.0
    return float(special.stdtr(len(units) - 1, -nearest / error))
