"""How far a score of a retrained run may lie from the table's, where the bits are not the same.

On the same kind of processor, with the same versions, a run comes out the same to the last bit. Elsewhere rounding
differs, and training amplifies it: early losses must still agree tightly, final scores only roughly.
"""

from __future__ import annotations

__all__ = ["tolerance_of"]

_TOLERANCE: dict[str, float] = {
    "loss.100": 0.05,
    "loss.1000": 2.0,
    "elbo": 2.0,
    "reconstruction": 2.0,
    "kl": 1.0,
    "kl.informative": 3.0,
    "gaussian_tc": 0.5,
    "mig": 0.15,
    "dci": 0.15,
    "sap": 0.1,
    "factor_vae": 0.2,
    "snc": 0.15,
    "nk": 0.15,
    "alignment": 3.0,
    "udr": 0.3,
}


def tolerance_of(score: str) -> float:
    """Return the largest allowed difference of a score; that of its family (before the first dot) when not listed."""
    return _TOLERANCE[score if score in _TOLERANCE else score.partition(".")[0]]
