"""Beta-TCVAE (Chen et al. 2018): weight the total correlation of the codes alone."""

import math

from torch import Tensor

from dbench.models.objectives.gaussian import gaussian_log_density
from dbench.models.objectives.registry import Batch, Terms, objective
from dbench.study import SWEPT


def total_correlation(z: Tensor, mean: Tensor, logvar: Tensor, *, data_size: int) -> Tensor:
    """Estimate TC(z) = KL(q(z) || prod_k q(z_k)) of each member's batch by minibatch-weighted sampling.

    Every density under the aggregate posterior q(z) is estimated by 1/(N B) times its sum over the batch's own
    posteriors (Chen et al. 2018, equation S4, N images, batch of B). The constant counts once for the joint density
    and once for each code, so the estimate carries (d - 1) log(N B): it is biased, but its gradient does not depend on
    N. Codes, means and log-variances are M x B x d; the M estimates are in nats.
    """
    count = math.log(data_size * z.shape[1])
    z, mean, logvar = (part.transpose(1, 2).contiguous() for part in (z, mean, logvar))  # M x d x B
    # M x d x B (codes of which image) x B (under the posterior of which image)
    log_density = gaussian_log_density(z.unsqueeze(3), mean.unsqueeze(2), logvar.unsqueeze(2))
    joint = _logsumexp(log_density.sum(1)) - count
    product = (_logsumexp(log_density) - count).sum(1)
    return (joint - product).mean(1)


def _logsumexp(x: Tensor) -> Tensor:
    """Logsumexp over the last dimension, with terms below e^-80 of the largest, which change no digit, raised to that.

    On Intel processors torch takes fifty times as long for exponentials that underflow, and with narrow posteriors most
    of these do.
    """
    least = x.detach().amax(-1, keepdim=True) - 80
    return x.maximum(least).logsumexp(-1)


@objective(
    cite="chen2018",
    label="β-TCVAE",
    strength="beta",
    swept=SWEPT["beta_tcvae"],
    swept_in="locatello2020, table 3",
    plain_at=1,
    pitfalls={
        "stratified weights fill a column, log weights count d times, or constants are dropped": (
            "test_the_total_correlation_and_its_gradient_count_every_density_as_torchs_logsumexp_does"
        ),
        "the divergence is multiplied by beta too": "test_beta_tcvae_weights_the_total_correlation_and_nothing_else",
    },
)
def beta_tcvae(batch: Batch, *, beta: Tensor) -> Terms:
    """The plain VAE plus (beta - 1) times the total correlation of the codes.

    loss = E[-log p(x|z)] + KL(q(z|x) || p(z)) + (beta - 1) TC(z), which is Chen et al. (2018), equation 4, with
    alpha = gamma = 1.

    Example:
        >>> import torch
        >>> x, z = torch.ones(1, 4, 1, 2, 2), torch.tensor([[[-1.0, -1], [-1, 1], [1, -1], [1, 1]]])
        >>> for codes in (z, z @ torch.tensor([[1.0, 0.5], [0, 0.5]]), z[..., [0, 0]]):  # ever more dependent
        ...     batch = Batch(x, 0 * x, codes, codes, 0 * z - 4, data_size=4, step=0, steps=1)
        ...     print(round(beta_tcvae(batch, beta=torch.tensor([4.0])).loss.item(), 1))
        10.9
        11.7
        13.0
    """
    reconstruction, kl = batch.reconstruction, batch.kl
    tc = total_correlation(batch.z, batch.mean, batch.logvar, data_size=batch.data_size)
    return Terms(reconstruction + kl + (beta - 1) * tc, reconstruction, kl, {"total_correlation": tc})
