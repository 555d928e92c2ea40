"""Second moments of codes, and the penalty on them that both forms of DIP-VAE share."""

from torch import Tensor


def batch_covariance(codes: Tensor) -> Tensor:
    """Covariance of each member's batch, M x B x d to M x d x d, with weight 1/B (not 1/(B - 1)).

    Cov[c] = E[c c^T] - E[c] E[c]^T, every expectation the mean over the batch.
    """
    centred = codes - codes.mean(1, keepdim=True)
    return centred.transpose(1, 2) @ centred / codes.shape[1]


def distance_from_identity(covariance: Tensor) -> tuple[Tensor, Tensor]:
    """Squared distance from the identity of each member's matrix (M x d x d), summed: off the diagonal, and on it.

    Off the diagonal every pair of codes counts twice, once in each order, as in the sum over i != j.
    """
    diagonal = covariance.diagonal(dim1=1, dim2=2)
    off_diagonal = covariance - diagonal.diag_embed()
    return off_diagonal.square().sum((1, 2)), (diagonal - 1).square().sum(1)
