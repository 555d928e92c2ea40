"""Beta-VAE (Higgins et al. 2017): weight the divergence from the prior."""

from torch import Tensor

from dbench.models.objectives.registry import Batch, Terms, objective
from dbench.study import SWEPT


@objective(
    cite="higgins2017",
    label="β-VAE",
    strength="beta",
    swept=SWEPT["beta_vae"],
    swept_in="locatello2020, table 3",
    plain_at=1,
    pitfalls={"means over pixels and codes turn beta = 4 into 0.003": "test_pixels_are_summed_and_images_averaged"},
)
def beta_vae(batch: Batch, *, beta: Tensor) -> Terms:
    """Reconstruction plus beta times the divergence from the prior; beta = 1 is the plain VAE.

    loss = E[-log p(x|z)] + beta KL(q(z|x) || p(z)) (Higgins et al. 2017, equation 4, negated).

    Example:
        >>> import torch
        >>> x, z = torch.ones(1, 4, 1, 2, 2), torch.ones(1, 4, 2)
        >>> for mean in (0 * z, z, 2 * z):  # ever farther from the prior
        ...     batch = Batch(x, 0 * x, mean, mean, 0 * z, data_size=4, step=0, steps=1)
        ...     print(round(beta_vae(batch, beta=torch.tensor([4.0])).loss.item(), 2))
        2.77
        6.77
        18.77
    """
    reconstruction, kl = batch.reconstruction, batch.kl
    return Terms(reconstruction + beta * kl, reconstruction, kl)
