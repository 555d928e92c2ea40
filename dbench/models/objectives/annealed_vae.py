"""AnnealedVAE (Burgess et al. 2018), also called CCI-VAE: raise the capacity of the codes during training."""

import torch
from torch import Tensor

from dbench.models.objectives.registry import Batch, Terms, objective
from dbench.study import SWEPT

GAMMA = 1000.0
"""Weight of the distance from the capacity in the study, which does not vary it (Locatello et al. 2020, table 3)."""

ANNEALED_SHARE = 1 / 3
"""Share of the run over which the capacity rises: the study's 100,000 of 300,000 steps, at any length of run."""


@objective(
    cite="burgess2018",
    label="AnnealedVAE",
    strength="c_max",
    swept=SWEPT["annealed_vae"],
    swept_in="locatello2020, table 3",
    larger="regularises less",
    constants={"gamma": GAMMA},
    pitfalls={
        "in a short run the capacity never arrives": "test_the_capacity_rises_straight_over_the_first_third_and_stays",
        "the divergence is averaged over codes, or held to the capacity image by image": (
            "test_a_thousand_for_every_nat_between_the_batchs_divergence_and_the_capacity"
        ),
    },
)
def annealed_vae(batch: Batch, *, c_max: Tensor, gamma: float = GAMMA) -> Terms:
    """Reconstruction plus gamma times the distance of the divergence from a capacity that rises to c_max nats.

    loss = E[-log p(x|z)] + gamma |E[KL(q(z|x) || p(z))] - C| (Locatello et al. 2020, section 4.1.2, negated), with
    gamma = 1000 in the study and C = c_max min(1, 3 step / steps). Below C the divergence is rewarded: c_max is a
    target, not only a limit. With c_max = 0 this is beta-VAE at beta = gamma. Near the capacity the gradient of the
    distance changes its sign from step to step, and Adam divides by the size of the gradient: the larger gamma is, the
    more steps the reconstruction takes.

    Example:
        >>> x, z = torch.ones(1, 4, 1, 2, 2), torch.ones(1, 4, 2)
        >>> for mean in (z, 0 * z, 2 * z):  # a divergence of 1, 0 and 4 nats, where the capacity is 1
        ...     batch = Batch(x, 0 * x, mean, mean, 0 * z, data_size=4, step=9, steps=9)
        ...     print(round(annealed_vae(batch, c_max=torch.ones(1)).loss.item(), 2))
        2.77
        1002.77
        3002.77
    """
    reconstruction, kl = batch.reconstruction, batch.kl
    share_of_rise = torch.as_tensor(batch.step / (ANNEALED_SHARE * batch.steps), dtype=torch.float64).clamp(max=1)
    capacity = c_max * share_of_rise
    return Terms(reconstruction + gamma * (kl - capacity).abs(), reconstruction, kl, {"capacity": capacity})
