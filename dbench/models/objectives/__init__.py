"""Training objectives: one file each, pure functions of a batch of each of many members."""

from dbench.models.objectives.annealed_vae import annealed_vae
from dbench.models.objectives.beta_tcvae import beta_tcvae
from dbench.models.objectives.beta_vae import beta_vae
from dbench.models.objectives.dip_vae_i import dip_vae_i
from dbench.models.objectives.dip_vae_ii import dip_vae_ii
from dbench.models.objectives.factor_vae import factor_vae
from dbench.models.objectives.mtd import mtd
from dbench.models.objectives.parted_vae import parted_vae
from dbench.models.objectives.parted_vae_semi import parted_vae_semi
from dbench.models.objectives.registry import (
    OBJECTIVES,
    Batch,
    ObjectiveCard,
    Other,
    Terms,
    find_card,
    find_objective,
    objective,
)
from dbench.models.objectives.weak_de import weak_de

__all__ = [
    "OBJECTIVES",
    "Batch",
    "ObjectiveCard",
    "Other",
    "Terms",
    "annealed_vae",
    "beta_tcvae",
    "beta_vae",
    "dip_vae_i",
    "dip_vae_ii",
    "factor_vae",
    "find_card",
    "find_objective",
    "mtd",
    "objective",
    "parted_vae",
    "parted_vae_semi",
    "weak_de",
]
