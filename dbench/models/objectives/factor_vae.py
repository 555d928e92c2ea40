"""FactorVAE (Kim and Mnih 2018): weight the total correlation of the codes, as an adversary sees it."""

import torch
from torch import Tensor

from dbench.models import Network
from dbench.models.objectives.discriminator import discriminate
from dbench.models.objectives.registry import Batch, Terms, objective
from dbench.models.stacked import Shapes, dense_shapes
from dbench.study import SWEPT


def _discriminator(network: Network, factor_sizes: tuple[int, ...]) -> Shapes:
    return dense_shapes("adversary", (network.latents, *network.discriminator, 2))


@objective(
    cite="kim2018",
    label="FactorVAE",
    strength="gamma",
    swept=SWEPT["factor_vae"],
    swept_in="locatello2020, table 3",
    plain_at=0,
    second_batch=True,
    adversary=_discriminator,
    adversary_rate=1.0,
    adversary_betas=(0.5, 0.9),
    pitfalls={
        "a loss reaches the other's parameters": "test_no_gradient_passes_between_the_discriminator_and_the_network",
        "one batch serves twice": "test_a_second_batch_is_drawn_apart_from_the_first_and_each_code_permuted_on_its_own",
    },
)
def factor_vae(batch: Batch, *, gamma: Tensor) -> Terms:
    """The plain VAE plus gamma times the total correlation that a discriminator estimates.

    loss = E[-log p(x|z)] + KL(q(z|x) || p(z)) + gamma E[log D(z) - log(1 - D(z))], with D(z) the probability the
    discriminator gives codes of being drawn from q(z) rather than from the product of its marginals (Kim and Mnih
    2018, equations 2 and 3, negated). The discriminator minimises the cross-entropy of telling the codes of this
    batch from those of a second one, each code of which is permuted on its own over the batch (their algorithms 1 and
    2); no gradient passes between it and the network. Its rate and betas are those of Locatello et al. (2020),
    table 4c.

    Example:
        >>> from dbench.models.objectives.registry import SecondBatch
        >>> x, z = torch.ones(1, 4, 1, 2, 2), torch.tensor([[[-1.0, -1], [-1, 1], [1, -1], [1, 1]]])
        >>> second = SecondBatch(z, z, 0 * z, torch.zeros(1, 4, 2, dtype=torch.int64))
        >>> for logit in (-1.0, 0.0, 1.0):  # codes look independent to the discriminator, or ever more dependent
        ...     bias = torch.tensor([[logit, 0.0]])
        ...     adversary = {"adversary.0.weight": torch.zeros(1, 2, 2), "adversary.0.bias": bias}
        ...     batch = Batch(x, 0 * x, z, z, 0 * z, data_size=4, step=0, steps=1, other=second, extra=adversary)
        ...     print(round(factor_vae(batch, gamma=torch.tensor([10.0])).loss.item(), 2))
        -6.23
        3.77
        13.77
    """
    assert batch.other is not None
    reconstruction, kl = batch.reconstruction, batch.kl
    fixed = {name: values.detach() for name, values in batch.extra.items()}
    joint, product = discriminate(fixed, "adversary", batch.z).unbind(2)
    tc = (joint - product).mean(1)
    permuted = batch.other.z.gather(1, batch.other.order)
    logits = discriminate(batch.extra, "adversary", torch.cat([batch.z, permuted], 1).detach())
    # The first half was drawn from q(z), class 0, the second from the product of its marginals, class 1.
    half = batch.z.shape[1]
    true_logits = torch.cat([logits[:, :half, 0], logits[:, half:, 1]], 1)
    adversary_loss = (logits.logsumexp(2) - true_logits).mean(1)
    return Terms(reconstruction + kl + gamma * tc, reconstruction, kl, {"total_correlation": tc}, adversary_loss)
