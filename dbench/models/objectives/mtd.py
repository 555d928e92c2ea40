"""MTD (Sha and Lukasiewicz 2021): a part of the codes for every factor, taught with all labels and no adversary."""

from torch import Tensor

from dbench.errors import InvalidInput
from dbench.models import Network
from dbench.models.objectives.registry import Batch, Terms, objective
from dbench.models.objectives.supervision import fill_batch, known_factors, labelled_mean, pick
from dbench.models.stacked import Shapes


def _heads(network: Network, factor_sizes: tuple[int, ...]) -> Shapes:
    """Return the shapes of a representation for each value of each factor, and of a sharpness for each factor."""
    factors = len(factor_sizes)
    if not 1 <= factors <= network.latents:
        raise InvalidInput(f"mtd needs factors and a code for each, got {factors} factors and {network.latents} codes")
    part = max(1, network.latents // (factors + 1))
    shapes: Shapes = {f"head.value.{i}": (size, part) for i, size in enumerate(factor_sizes)}
    return shapes | {"head.sharpness.bias": (factors,)}


def value_logits(batch: Batch, codes: Tensor) -> list[Tensor]:
    """Return for each factor the logits of its values given its part of the codes, each M x B x (number of values).

    A value's logit is -exp(s) / 2 times the squared distance from the part to the value's representation, where s
    is learnt, one for each factor; ``batch.extra`` holds both. Codes are M x B x d.
    """
    sharpness = fill_batch(batch.extra["head.sharpness.bias"], codes.shape[1]).exp()
    logits = []
    for i in range(sharpness.shape[2]):
        table = batch.extra[f"head.value.{i}"]
        part = codes[..., i * table.shape[2] : (i + 1) * table.shape[2]]
        distance = (part.unsqueeze(2) - table.unsqueeze(1)).square().sum(3)
        logits.append(-0.5 * sharpness[..., i : i + 1] * distance)
    return logits


@objective(
    cite="sha2021",
    label="MTD",
    strength="supervision",
    swept=(1, 10),
    swept_in="nowhere: chosen here",
    larger="holds codes to labels more",
    plain_at=0,
    needs_factors=True,
    extra=_heads,
    pitfalls={
        "parts and losses are described in words only": "test_a_factor_is_taught_to_its_own_part_and_to_no_other_code",
        "the noise of sampled codes drowns the labels": (
            "test_two_images_and_two_factors_of_two_codes_come_to_what_they_are_by_hand"
        ),
    },
)
def mtd(batch: Batch, *, supervision: Tensor) -> Terms:
    """The plain VAE plus supervision times what is missing until each factor's codes, and they alone, name its value.

    The d codes are cut into parts: d // (k + 1) codes, but at least one, for each of the k factors in their order, and
    the rest for content. Each value of a factor has one learnt representation in the factor's part. For every factor
    two losses, in nats an image, are added to the plain VAE's:

    - telling values apart: the cross-entropy of the value given the part's means (:func:`value_logits`);
    - controlling the distribution: half the squared distance of the part's means from the representation of the
      value. A part that the value of its own factor determines carries no other information; this replaces the
      adversaries of other methods.

    The divergence from the prior, kept at weight 1, empties content codes that repeat what the parts tell. The losses
    use means, because the noise of sampled codes would drown the labels before a part has learnt anything.

    Example:
        >>> import torch
        >>> x, z = torch.ones(1, 4, 1, 2, 2), torch.tensor([[[-1.0, -1], [-1, 1], [1, -1], [1, 1]]])
        >>> factors = torch.tensor([[[0], [0], [1], [1]]])  # as the sign of the first code
        >>> for place in (1.0, 0.0, -1.0):  # of the second value's representation; the first lies opposite
        ...     heads = {"head.value.0": torch.tensor([[[-place], [place]]]), "head.sharpness.bias": torch.zeros(1, 1)}
        ...     batch = Batch(x, 0 * x, z, z, 0 * z, data_size=4, step=0, steps=1, factors=factors, extra=heads)
        ...     print(round(mtd(batch, supervision=torch.ones(1)).loss.item(), 2))
        3.9
        4.97
        7.9
    """
    reconstruction, kl = batch.reconstruction, batch.kl
    values, weight = known_factors(batch)
    apart = control = kl.new_zeros(())
    for i, logits in enumerate(value_logits(batch, batch.mean)):
        table = batch.extra[f"head.value.{i}"]
        part = batch.mean[..., i * table.shape[2] : (i + 1) * table.shape[2]]
        surprise = -logits.log_softmax(2).gather(2, values[..., i : i + 1]).squeeze(2)
        distance = 0.5 * (part - pick(table, values[..., i])).square().sum(2)
        apart = apart + labelled_mean(surprise, weight)
        control = control + labelled_mean(distance, weight)
    loss = reconstruction + kl + supervision * (apart + control)
    return Terms(loss, reconstruction, kl, {"values": apart, "control": control})
