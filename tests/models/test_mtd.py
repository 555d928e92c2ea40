import math
from dataclasses import replace

import pytest
import torch

from dbench.errors import InvalidInput
from dbench.models import NETWORKS
from dbench.models.objectives import beta_vae, find_card, mtd
from dbench.models.objectives.mtd import value_logits

STRENGTHS = torch.tensor([1.0, 2.5, 6.0], dtype=torch.float64)


def test_two_images_and_two_factors_of_two_codes_come_to_what_they_are_by_hand(make_batch):
    codes = torch.tensor([[[0.5, 1.0, 2.0, 0.0, 9.0], [-2.0, 0.0, 0.0, 0.0, 9.0]]], dtype=torch.float64)
    extra = {
        "head.value.0": torch.tensor([[[1.0, 0.0], [-1.0, 0.0]]], dtype=torch.float64),
        "head.value.1": torch.tensor([[[0.0, 0.0], [2.0, 0.0]]], dtype=torch.float64),
        "head.sharpness.bias": torch.tensor([[math.log(2), math.log(4)]], dtype=torch.float64),
    }
    batch = make_batch(1, 2, 5, mean=codes, factors=torch.zeros(1, 2, 2, dtype=torch.int64), extra=extra)
    terms = mtd(batch, supervision=torch.tensor([3.0], dtype=torch.float64))
    # Logits of the first factor are minus the squared distances, at sharpness 2: 1.25 and 3.25 for the first image,
    # 9 and 1 for the second. Those of the second are minus twice 4 and 0, and minus twice 0 and 4.
    apart = sum(math.log1p(math.exp(more)) for more in (1.25 - 3.25, 9 - 1, 8 - 0, 0 - 8)) / 2
    control = 0.5 * (1.25 + 9 + 4 + 0) / 2
    assert float(terms.others["values"]) == pytest.approx(apart, rel=1e-12)
    assert float(terms.others["control"]) == pytest.approx(control, rel=1e-12)
    assert float(terms.loss - terms.reconstruction - terms.kl) == pytest.approx(3 * (apart + control), rel=1e-10)


def test_no_labels_are_the_plain_vae(make_batch):
    nobody = make_batch(objective="mtd", labelled=torch.zeros(3, 8, dtype=torch.bool))
    plain = beta_vae(nobody, beta=torch.ones(3, dtype=torch.float64))
    assert torch.equal(mtd(nobody, supervision=STRENGTHS).loss, plain.loss)


def test_labels_of_unlabelled_images_change_nothing(make_batch):
    labelled = torch.arange(8).expand(3, 8) % 3 == 0
    batch = make_batch(objective="mtd", labelled=labelled)
    spoilt = replace(batch, factors=torch.where(labelled.unsqueeze(2), batch.factors, 1 - batch.factors.clamp(max=1)))
    assert not torch.equal(batch.factors, spoilt.factors)
    assert torch.equal(mtd(batch, supervision=STRENGTHS).loss, mtd(spoilt, supervision=STRENGTHS).loss)
    all_labelled = replace(batch, labelled=None)
    assert not torch.equal(mtd(batch, supervision=STRENGTHS).loss, mtd(all_labelled, supervision=STRENGTHS).loss)


def test_a_factor_is_taught_to_its_own_part_and_to_no_other_code(make_batch):
    batch = make_batch(codes=10, objective="mtd")  # three factors: two codes each and four of content
    batch = replace(batch, mean=batch.mean.requires_grad_())
    logits = value_logits(batch, batch.mean)[1]
    (gradient,) = torch.autograd.grad(logits.square().sum(), batch.mean)
    assert (gradient != 0).any((0, 1)).tolist() == [False, False, True, True] + 6 * [False]
    terms = mtd(batch, supervision=STRENGTHS).others
    (gradient,) = torch.autograd.grad((terms["values"] + terms["control"]).sum(), batch.mean)
    assert (gradient != 0).any((0, 1)).tolist() == 6 * [True] + 4 * [False]


@pytest.mark.parametrize(("sizes", "part"), [((3, 6, 10, 16, 16), 1), ((3, 4), 3), ((4,), 5), (tuple(range(2, 12)), 1)])
def test_parts_are_equal_and_leave_room_for_content(sizes, part):
    shapes = find_card("mtd").extra_shapes(NETWORKS["mlp"](), sizes)
    assert shapes == {f"head.value.{i}": (size, part) for i, size in enumerate(sizes)} | {
        "head.sharpness.bias": (len(sizes),)
    }


@pytest.mark.parametrize("sizes", [(), (2,) * 11])
def test_factors_without_a_code_each_are_refused(sizes):
    with pytest.raises(InvalidInput, match=f"got {len(sizes)} factors and 10 codes"):
        find_card("mtd").extra_shapes(NETWORKS["mlp"](), sizes)


def test_a_batch_without_factors_is_refused(make_batch):
    with pytest.raises(InvalidInput, match="factors of the images"):
        mtd(make_batch(objective="mtd", factors=None), supervision=STRENGTHS)
