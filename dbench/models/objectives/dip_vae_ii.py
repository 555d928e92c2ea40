"""DIP-VAE-II (Kumar et al. 2018): bring the covariance of the aggregate posterior to the identity."""

from torch import Tensor

from dbench.models.objectives.dip_vae_i import batch_covariance, distance_from_identity
from dbench.models.objectives.registry import Batch, Terms, objective
from dbench.study import SWEPT

DIAGONAL_FACTOR = 1.0
"""lambda_d over lambda_od (Locatello et al. 2020, table 3)."""


@objective(
    cite="kumar2018",
    label="DIP-VAE-II",
    strength="lambda_od",
    swept=SWEPT["dip_vae_ii"],
    swept_in="locatello2020, table 3",
    plain_at=0,
    pitfalls={
        "the weight on the diagonal is the same multiple as in the first form": "test_the_penalty_of_known_moments",
        "the covariance is that of the means, as in the first form": "test_the_penalty_of_known_moments",
    },
)
def dip_vae_ii(batch: Batch, *, lambda_od: Tensor) -> Terms:
    """The plain VAE plus the squared distance of the covariance of the sampled codes from the identity.

    loss = E[-log p(x|z)] + KL(q(z|x) || p(z)) + lambda_od sum_{i != j} Cov[z]_ij^2 + lambda_d sum_i (Cov[z]_ii - 1)^2
    (Locatello et al. 2020, section 4.1.4, negated), with lambda_d = lambda_od. By the law of total covariance Cov[z] =
    E[diag(variance)] + Cov[mean], both over the batch, so nothing is sampled for it.

    Example:
        >>> import torch
        >>> x, z = torch.ones(1, 4, 1, 2, 2), torch.tensor([[[-1.0, -1], [-1, 1], [1, -1], [1, 1]]])
        >>> for mean in (0 * z, z, z[..., [0, 0]]):  # their variance is 1 by itself: none to add, some, and alike
        ...     batch = Batch(x, 0 * x, mean, mean, 0 * z, data_size=4, step=0, steps=1)
        ...     print(round(dip_vae_ii(batch, lambda_od=torch.ones(1)).loss.item(), 2))
        2.77
        5.77
        7.77
    """
    reconstruction, kl = batch.reconstruction, batch.kl
    within = batch.logvar.exp().mean(1).diag_embed()
    off_diagonal, diagonal = distance_from_identity(within + batch_covariance(batch.mean))
    penalty = lambda_od * off_diagonal + DIAGONAL_FACTOR * lambda_od * diagonal
    others = {"off_diagonal": off_diagonal, "diagonal": diagonal}
    return Terms(reconstruction + kl + penalty, reconstruction, kl, others)
