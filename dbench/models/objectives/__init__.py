"""Training objectives: one file each, pure functions of one batch for each of M members."""

from dbench.models.objectives.annealed_vae import annealed_vae as annealed_vae
from dbench.models.objectives.beta_tcvae import beta_tcvae as beta_tcvae
from dbench.models.objectives.beta_vae import beta_vae as beta_vae
from dbench.models.objectives.dip_vae_i import dip_vae_i as dip_vae_i
from dbench.models.objectives.dip_vae_ii import dip_vae_ii as dip_vae_ii
from dbench.models.objectives.factor_vae import factor_vae as factor_vae
from dbench.models.objectives.mtd import mtd as mtd
from dbench.models.objectives.parted_vae import parted_vae as parted_vae
from dbench.models.objectives.parted_vae_semi import parted_vae_semi as parted_vae_semi
from dbench.models.objectives.registry import OBJECTIVES as OBJECTIVES
from dbench.models.objectives.registry import Batch as Batch
from dbench.models.objectives.registry import ObjectiveCard as ObjectiveCard
from dbench.models.objectives.registry import SecondBatch as SecondBatch
from dbench.models.objectives.registry import Terms as Terms
from dbench.models.objectives.registry import find_card as find_card
from dbench.models.objectives.registry import find_objective as find_objective
from dbench.models.objectives.registry import objective as objective
from dbench.models.objectives.weak_de import weak_de as weak_de
