"""DIP-VAE-I (Kumar et al. 2018): bring the covariance of the mean codes to the identity."""

from torch import Tensor

from dbench.models.objectives.registry import Batch, Terms, objective
from dbench.study import SWEPT

DIAGONAL_FACTOR = 10.0
"""lambda_d over lambda_od (Locatello et al. 2020, table 3)."""


def batch_covariance(codes: Tensor) -> Tensor:
    """Return the covariance of each member's batch, M x B x d to M x d x d, with weight 1/B (not 1/(B - 1))."""
    centred = codes - codes.mean(1, keepdim=True)
    return centred.transpose(1, 2) @ centred / codes.shape[1]


def distance_from_identity(covariance: Tensor) -> tuple[Tensor, Tensor]:
    """Return the squared distance of M matrices (M x d x d) from the identity, summed off the diagonal and on it.

    Off the diagonal every pair of codes counts twice, once in each order, as in the sum over i != j.
    """
    diagonal = covariance.diagonal(dim1=1, dim2=2)
    off_diagonal = covariance - diagonal.diag_embed()
    return off_diagonal.square().sum((1, 2)), (diagonal - 1).square().sum(1)


@objective(
    cite="kumar2018",
    label="DIP-VAE-I",
    strength="lambda_od",
    swept=SWEPT["dip_vae_i"],
    swept_in="locatello2020, table 3",
    plain_at=0,
    pitfalls={
        "the weight on the diagonal is a default of its own (10 beside 5)": "test_the_penalty_of_known_moments",
        "covariance with 1/(B - 1), pairs counted once, or an average over codes": "test_the_penalty_of_known_moments",
    },
)
def dip_vae_i(batch: Batch, *, lambda_od: Tensor) -> Terms:
    """The plain VAE plus the squared distance of the covariance of the mean codes from the identity.

    loss = E[-log p(x|z)] + KL(q(z|x) || p(z)) + lambda_od sum_{i != j} Cov[mean]_ij^2 + lambda_d sum_i (Cov[mean]_ii -
    1)^2 (Locatello et al. 2020, section 4.1.4, negated), with lambda_d = 10 lambda_od and the covariance of the batch.

    Example:
        >>> import torch
        >>> x, z = torch.ones(1, 4, 1, 2, 2), torch.tensor([[[-1.0, -1], [-1, 1], [1, -1], [1, 1]]])
        >>> for mean in (z, z[..., [0, 0]], 0 * z):  # of covariance 1, two codes alike, nothing
        ...     batch = Batch(x, 0 * x, mean, mean, 0 * z, data_size=4, step=0, steps=1)
        ...     print(round(dip_vae_i(batch, lambda_od=torch.ones(1)).loss.item(), 2))
        3.77
        5.77
        22.77
    """
    reconstruction, kl = batch.reconstruction, batch.kl
    off_diagonal, diagonal = distance_from_identity(batch_covariance(batch.mean))
    penalty = lambda_od * off_diagonal + DIAGONAL_FACTOR * lambda_od * diagonal
    others = {"off_diagonal": off_diagonal, "diagonal": diagonal}
    return Terms(reconstruction + kl + penalty, reconstruction, kl, others)
