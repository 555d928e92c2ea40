"""WeakDE (Valenti and Bacciu 2022): an adversary pushes the codes into regions found with few labels."""

import math

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor

from dbench.errors import InvalidInput
from dbench.models import Network
from dbench.models.objectives.discriminator import discriminate
from dbench.models.objectives.registry import Batch, Terms, objective
from dbench.models.objectives.supervision import known_factors, labelled_mean, pick
from dbench.models.stacked import Parameters, Shapes, dense_shapes, linear

LABELS = 0.1
"""Share of the images whose factors are labelled."""

WARM_UP = 1 / 2
"""Share of the run before the regions replace the uniform prior: the codes of a short run settle late."""

SHRINK = 0.1
"""Variance of a region as a share of that of the codes found there; the authors' value for dSprites."""

_WIDTH = 64  # of the hidden layers of the heads


def _heads(network: Network, factor_sizes: tuple[int, ...]) -> Shapes:
    """Return the shapes of the network from factors to regions and of the relational learner."""
    if not factor_sizes:
        raise InvalidInput("factor_sizes must name at least one factor for weak_de, got none")
    codes = network.latents
    shapes: Shapes = {f"head.region.factor.{i}": (size, _WIDTH) for i, size in enumerate(factor_sizes)}
    shapes |= {"head.region.bias": (_WIDTH,)} | dense_shapes("head.region.out", (_WIDTH, 2 * codes))
    return shapes | dense_shapes("head.relation", (codes + len(factor_sizes), _WIDTH, codes))


def _adversary(network: Network, factor_sizes: tuple[int, ...]) -> Shapes:
    """Return the shapes of the discriminator, which sees codes beside the labels of their factors."""
    return dense_shapes("adversary", (network.latents + sum(factor_sizes), *network.discriminator, 2))


def region(batch: Batch, values: Tensor) -> tuple[Tensor, Tensor]:
    """Return mean and log-variance (in -6..0) of the region of given factors: M x B x k to M x B x d each."""
    tables = [batch.extra[f"head.region.factor.{i}"] for i in range(values.shape[2])]
    hidden = batch.extra["head.region.bias"].unsqueeze(1)
    for i, table in enumerate(tables):
        hidden = hidden + pick(table, values[..., i])
    mean, spread = linear(batch.extra, "head.region.out.0", hidden.tanh()).chunk(2, dim=2)
    return mean, 3 * spread.tanh() - 3


def _label_columns(batch: Batch, values: Tensor, weight: Tensor) -> Tensor:
    """Return one-hot factors of labelled images, zeros for others: M x B x (number of values of all factors)."""
    columns = [F.one_hot(values[..., i], size) for i, size in enumerate(batch.factor_sizes)]
    return torch.cat(columns, 2) * weight.unsqueeze(2)


def _surprise(adversary: Parameters, codes: Tensor, labels: Tensor, *, of_prior: bool) -> Tensor:
    """Return the cross-entropy of the codes' origin, -log D or -log(1 - D): M x B x d and M x B x l to M x B."""
    logits = discriminate(adversary, "adversary", torch.cat([codes, labels], 2))
    return -logits.log_softmax(2)[..., 0 if of_prior else 1]


def _next_values(batch: Batch, values: Tensor) -> tuple[Tensor, Tensor]:
    """Move one factor of each image to its next value, the factors taken in turn; return the factor (one-hot) too."""
    members, images, factors = values.shape
    sizes = torch.tensor([batch.extra[f"head.region.factor.{i}"].shape[1] for i in range(factors)])
    moved = F.one_hot(torch.arange(images, device=values.device) % factors, factors)  # B x k
    after = (values + moved) % sizes.to(values.device)
    return after, moved.to(batch.mean.dtype).expand(members, images, factors)


@objective(
    cite="valenti2022",
    label="WeakDE",
    strength="adversarial",
    swept=(10, 50),
    swept_in="chosen here; the authors' 0.2 of a mean over pixels is 51 nats at 16 x 16",
    larger="holds codes to regions more",
    needs_factors=True,
    labels=LABELS,
    extra=_heads,
    adversary=_adversary,
    capturable=False,
    pitfalls={
        "labels of unlabelled images leak": "test_labels_of_unlabelled_images_never_reach_training",
        "the adversary is not told the factors of an image": (
            "test_later_it_tells_them_from_the_shrunk_regions_of_labelled_images"
        ),
        "losses reach each other's parameters": "test_no_gradient_passes_between_adversary_codes_and_heads",
    },
)
def weak_de(batch: Batch, *, adversarial: Tensor) -> Terms:
    """An autoencoder whose codes an adversary pushes into regions, one for each combination of factors.

    loss = E[-log p(x|z)] + adversarial E[-log D(m)] + the losses of the heads

    The adversary D tells the means m of the codes of images from draws of a prior: it minimises half of
    E[-log D(prior)] plus half of E[-log(1 - D(m))]. In the first half of the run the prior is uniform on (-1, 1)^d.
    Meanwhile a head learns, from the means of the labelled images, the Gaussian of the codes of any combination of
    factors (:func:`region`). In the second half that head is fixed, and the prior consists of the Gaussians of the
    batch's labelled images, with a tenth of their variances. D then judges twice, and each expectation is the mean of
    both: codes alone, which holds all images to all regions together; and codes of labelled images beside their
    factors, which holds each of them to its own region.

    In the second half a second head, the relational learner, learns to map a draw from one region to the mean of the
    region with the next value of one factor. As in the authors' program neither head passes gradients to the codes.

    Example:
        >>> from dbench.models.mlp import Mlp
        >>> x, z = torch.ones(1, 4, 1, 2, 2), torch.tensor([[[-1.0, -1], [-1, 1], [1, -1], [1, 1]]])
        >>> shapes = weak_de.card.extra_shapes(Mlp((1, 2, 2), 2), (2,))
        >>> given = {"factors": torch.zeros(1, 4, 1, dtype=torch.int64), "factor_sizes": (2,), "noise": 0 * z}
        >>> for logit in (5.0, 0.0, -5.0):  # the adversary takes the codes for draws of the prior, cannot tell, or can
        ...     given["extra"] = {name: torch.zeros(1, *shape) for name, shape in shapes.items()}
        ...     given["extra"]["adversary.3.bias"][..., 0] = logit
        ...     batch = Batch(x, 0 * x, z, z, 0 * z, data_size=4, step=0, steps=2, **given)
        ...     print(round(weak_de(batch, adversarial=torch.ones(1)).others["fooling"].item(), 2))
        0.01
        0.69
        5.01
    """
    if batch.noise is None:
        raise InvalidInput("noise of the codes must be given to weak_de, got none")
    values, weight = known_factors(batch)
    mean, logvar = region(batch, values)
    nothing = batch.mean.new_zeros(*weight.shape, sum(batch.factor_sizes))
    reconstruction = batch.reconstruction
    # The noise of z is used for the prior as well: the adversary never sees z.
    if batch.step < WARM_UP * batch.steps:
        prior, drawn = (batch.noise * math.sqrt(0.5)).erf(), torch.ones_like(weight)
        labels, known = nothing, drawn
        surprise = 0.5 * (logvar + (batch.mean.detach() - mean).square() * (-logvar).exp()).sum(2)
        regions, relations = labelled_mean(surprise, weight), torch.zeros_like(reconstruction)
    else:
        # If the head still followed the codes, the prior would move with them, and both would drift away.
        prior, drawn = (mean + math.sqrt(SHRINK) * (0.5 * logvar).exp() * batch.noise).detach(), weight
        labels, known = _label_columns(batch, values, weight), weight
        after, moved = _next_values(batch, values)
        reached = discriminate(batch.extra, "head.relation", torch.cat([prior, moved], 2))
        distance = (reached - region(batch, after)[0].detach()).square().sum(2)
        regions, relations = torch.zeros_like(reconstruction), labelled_mean(distance, weight)

    def mean_surprise(adversary: Parameters, codes: Tensor, weights: Tensor, *, of_prior: bool) -> Tensor:
        alone = labelled_mean(_surprise(adversary, codes, nothing, of_prior=of_prior), weights)
        beside_factors = labelled_mean(_surprise(adversary, codes, labels, of_prior=of_prior), known)
        return 0.5 * (alone + beside_factors)

    fixed = {name: parameter.detach() for name, parameter in batch.extra.items() if name.startswith("adversary.")}
    all_images = torch.ones_like(weight)
    fooling = mean_surprise(fixed, batch.mean, all_images, of_prior=True)
    prior_loss = mean_surprise(batch.extra, prior, drawn, of_prior=True)
    codes_loss = mean_surprise(batch.extra, batch.mean.detach(), all_images, of_prior=False)
    return Terms(
        reconstruction + adversarial * fooling + regions + relations,
        reconstruction,
        batch.kl,
        {"fooling": fooling, "regions": regions, "relations": relations},
        adversary_loss=0.5 * (prior_loss + codes_loss),
    )
