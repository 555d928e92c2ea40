"""Training objectives: one file each, pure functions of a batch of each of many members."""

from dbench.models.objectives.beta_tcvae import beta_tcvae
from dbench.models.objectives.beta_vae import beta_vae
from dbench.models.objectives.registry import OBJECTIVES, Batch, ObjectiveCard, Terms, find_objective, objective

__all__ = [
    "OBJECTIVES",
    "Batch",
    "ObjectiveCard",
    "Terms",
    "beta_tcvae",
    "beta_vae",
    "find_objective",
    "objective",
]
