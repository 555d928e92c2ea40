"""PartedVAE (Hajimiri et al. 2021): one part of the codes for the class of an image, the other for all else."""

import torch
from torch import Tensor

from dbench.errors import InvalidInput
from dbench.models import Network
from dbench.models.objectives.gaussian import gaussian_kl
from dbench.models.objectives.registry import Batch, Terms, objective
from dbench.models.objectives.supervision import fill_batch
from dbench.models.stacked import Shapes, dense_shapes, linear

CLASS_CODES = 1
"""Number of codes in the part of the class; the authors' value for dSprites."""

BALANCE, CERTAINTY, SEPARATION, TOLERATED = 100.0, 10.0, 10.0, 0.1
"""Weights of the balance, certainty and separation of classes, and the overlap of two classes that costs nothing: the
values of the authors' program for dSprites."""


def class_factor(factor_sizes: tuple[int, ...]) -> int:
    """Return the index of the factor that is the class: the first with the fewest values, but at least two."""
    varied = [size for size in factor_sizes if size > 1]
    if not varied:
        raise InvalidInput(f"factor_sizes must name a factor of at least two values as the class, got {factor_sizes}")
    return factor_sizes.index(min(varied))


def parted_heads(network: Network, factor_sizes: tuple[int, ...]) -> Shapes:
    """Return the shapes of the class's inference layer and of its learnt mixture prior."""
    if network.latents <= CLASS_CODES:
        raise InvalidInput(f"parted_vae needs more than {CLASS_CODES} codes, got {network.latents}")
    classes = factor_sizes[class_factor(factor_sizes)]
    prior = {"head.prior.mean": (classes, CLASS_CODES), "head.prior.spread": (classes, CLASS_CODES)}
    return prior | dense_shapes("head.class", (CLASS_CODES, classes))


def class_logits(batch: Batch) -> Tensor:
    """Return the logits of q(c|x), M x B x classes: one linear layer on the means of the class's part."""
    return linear(batch.extra, "head.class.0", batch.mean[..., :CLASS_CODES])


def overlap(mean: Tensor, logvar: Tensor) -> Tensor:
    """Return the Bhattacharyya coefficient, 0 to 1, of each pair of K Gaussians: ... x K x p twice to ... x K x K.

    It is exp(-D) with D = (a - b)^2 / (8 v) + log(v / (s t)) / 2 summed over the p dimensions, for means a and b,
    standard deviations s and t, and v the mean of the two variances (Bhattacharyya 1946).
    """
    shift = mean.unsqueeze(-2) - mean.unsqueeze(-3)
    variance = 0.5 * (logvar.exp().unsqueeze(-2) + logvar.exp().unsqueeze(-3))
    middle = 0.5 * (logvar.unsqueeze(-2) + logvar.unsqueeze(-3))
    return (-(0.125 * shift.square() / variance + 0.5 * (variance.log() - middle)).sum(-1)).exp()


@objective(
    cite="hajimiri2021",
    label="PartedVAE",
    strength="beta",
    swept=(0.25, 1),
    swept_in="nowhere: chosen here",
    extra=parted_heads,
    pitfalls={
        "capacities leave no strength to compare with beta-VAE's": "test_a_small_case_comes_to_what_it_is_by_hand",
        "the logarithm of an empty class gives NaN": "test_certain_classes_give_finite_losses_and_gradients",
    },
)
def parted_vae(batch: Batch, *, beta: Tensor) -> Terms:
    """A VAE whose first code has a learnt mixture of Gaussians as prior, one for each class, kept from overlapping.

    With u the code of the class's part, z the other codes, and c the class (only the number of classes is known):

    loss = E[-log p(x|u,z)] + beta (KL(q(z|x) || N(0, 1)) + E_q(c|x)[KL(q(u|x) || p(u|c))])
           + 100 KL(q(c) || uniform) + 10 H(q(c|x)) + 10 sum_{c < c'} max(BC(p(u|c), p(u|c')) - 0.1, 0)

    q(c) is the batch's mean of q(c|x), H the entropy and BC the Bhattacharyya coefficient (:func:`overlap`). Means
    and log-variances 2 tanh(.) - 1 of the p(u|c) are learnt. With a single class whose prior is N(0, 1) it is
    beta-VAE at the same strength. :func:`class_factor` chooses the class: shape in dSprites, as the authors did.

    Example:
        >>> x, z = torch.ones(1, 4, 1, 2, 2), torch.tensor([[[-1.0, -1], [-1, 1], [1, -1], [1, 1]]])
        >>> for distance in (3.0, 1.0, 0.0):  # between the priors of two classes
        ...     prior = torch.tensor([[[-distance], [distance]]])
        ...     heads = {"head.prior.mean": prior, "head.prior.spread": 0 * prior}
        ...     heads |= {"head.class.0.weight": torch.ones(1, 1, 2), "head.class.0.bias": torch.zeros(1, 2)}
        ...     batch = Batch(x, 0 * x, z, z, 0 * z, data_size=4, step=0, steps=1, extra=heads)
        ...     print(round(parted_vae(batch, beta=torch.ones(1)).others["crowding"].item(), 2))
        0.0
        0.16
        0.9
    """
    images, classes = batch.mean.shape[1], batch.extra["head.prior.mean"].shape[1]
    prior_mean = fill_batch(batch.extra["head.prior.mean"], images)  # M x B x K x p
    prior_logvar = 2 * fill_batch(batch.extra["head.prior.spread"], images).tanh() - 1
    mean, logvar = (part[..., :CLASS_CODES].unsqueeze(2) for part in (batch.mean, batch.logvar))
    apart = (mean - prior_mean).square() * (-prior_logvar).exp()
    divergence = 0.5 * (prior_logvar - logvar - 1 + (logvar - prior_logvar).exp() + apart).sum(3)  # M x B x K

    log_q = class_logits(batch).log_softmax(2)
    q = log_q.exp()
    # KL(q(c) || uniform) = E[sum_c q(c|x) log(q(c) K)]
    balance = (q * (fill_batch(q.mean(1), images) * classes).clamp(min=1e-30).log()).sum(2).mean(1)
    entropy = -(q * log_q).sum(2).mean(1)
    excess = (overlap(prior_mean, prior_logvar) - TOLERATED).clamp(min=0)
    crowding = torch.triu(excess, diagonal=1).sum((2, 3)).mean(1)  # the same for every image

    reconstruction = batch.reconstruction
    free = gaussian_kl(batch.mean[..., CLASS_CODES:], batch.logvar[..., CLASS_CODES:]).sum(2).mean(1)
    bound = (q * divergence).sum(2).mean(1)
    kl = free + bound
    loss = reconstruction + beta * kl + BALANCE * balance + CERTAINTY * entropy + SEPARATION * crowding
    others = {"class_kl": bound, "balance": balance, "entropy": entropy, "crowding": crowding}
    return Terms(loss, reconstruction, kl, others)
