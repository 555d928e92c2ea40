"""PartedVAE, semi-supervised (Hajimiri et al. 2021): the class of a share of the images is labelled."""

from torch import Tensor

from dbench.models.objectives.parted_vae import class_factor, class_logits, parted_heads, parted_vae
from dbench.models.objectives.registry import Batch, Terms, objective
from dbench.models.objectives.supervision import known_factors, labelled_mean

LABELS = 0.1
"""Share of the images whose class is labelled."""

SUPERVISION = 10.0
"""Weight of the cross-entropy of labelled classes."""


@objective(
    cite="hajimiri2021",
    label="PartedVAE semi",
    strength="beta",
    swept=(0.25, 1),
    swept_in="nowhere: chosen here",
    needs_factors=True,
    labels=LABELS,
    extra=parted_heads,
    pitfalls={
        "steps on labelled images alternate with all": "test_labelled_classes_add_ten_times_their_mean_cross_entropy",
        "labels of unlabelled images leak": "test_labels_of_unlabelled_images_never_reach_training",
    },
)
def parted_vae_semi(batch: Batch, *, beta: Tensor) -> Terms:
    """PartedVAE plus 10 times the cross-entropy of q(c|x) on images whose class is labelled.

    The cross-entropy is the mean of -log q(c|x) over the labelled images of the batch. Only the label of the class, the
    factor of :func:`class_factor`, is used.

    Example:
        >>> import torch
        >>> x, z = torch.ones(1, 4, 1, 2, 2), torch.tensor([[[-1.0, -1], [-1, 1], [1, -1], [1, 1]]])
        >>> factors = torch.tensor([[[0], [0], [1], [1]]])  # as the sign of the first code
        >>> heads = {"head.prior.mean": torch.zeros(1, 2, 1), "head.prior.spread": torch.zeros(1, 2, 1)}
        >>> for weight in (5.0, 0.0, -5.0):  # the class is read off rightly, not at all, wrongly
        ...     layer = torch.tensor([[[-weight, weight]]])
        ...     heads |= {"head.class.0.weight": layer, "head.class.0.bias": torch.zeros(1, 2)}
        ...     given = {"factors": factors, "factor_sizes": (2,), "extra": heads}
        ...     batch = Batch(x, 0 * x, z, z, 0 * z, data_size=4, step=0, steps=1, **given)
        ...     print(round(parted_vae_semi(batch, beta=torch.ones(1)).others["class_surprise"].item(), 2))
        0.0
        0.69
        10.0
    """
    terms = parted_vae(batch, beta=beta)
    values, weight = known_factors(batch)
    classes = values[..., class_factor(batch.factor_sizes)].unsqueeze(2)
    surprise = labelled_mean(-class_logits(batch).log_softmax(2).gather(2, classes).squeeze(2), weight)
    loss = terms.loss + SUPERVISION * surprise
    return Terms(loss, terms.reconstruction, terms.kl, {**terms.others, "class_surprise": surprise})
