import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from dbench.errors import InvalidInput
from dbench.models import NETWORKS
from dbench.models.objectives import beta_vae, find_card, mtd
from dbench.models.objectives.mtd import value_logits

STRENGTHS = torch.tensor([1.0, 2.5, 6.0], dtype=torch.float64)


def _by_hand(make_batch):
    """Two images, two codes, one factor of two values whose part is the first code."""
    codes = torch.tensor([[[0.5, 9.0], [-2.0, 9.0]]], dtype=torch.float64)
    extra = {
        "head.value.0": torch.tensor([[[1.0], [-1.0]]], dtype=torch.float64),
        "head.sharpness.bias": torch.tensor([[math.log(2)]], dtype=torch.float64),
    }
    return make_batch(1, 2, 2, mean=codes, factors=torch.tensor([[[0], [0]]]), extra=extra)


def test_a_small_case_comes_to_what_it_is_by_hand(make_batch):
    terms = mtd(_by_hand(make_batch), supervision=torch.tensor([3.0], dtype=torch.float64))
    # logits are minus the squared distances, at sharpness 2: 0.25 and 2.25 for the first image, 9 and 1 for the second
    apart = (math.log1p(math.exp(0.25 - 2.25)) + math.log1p(math.exp(9 - 1))) / 2
    control = (0.5 * 0.5**2 + 0.5 * 3**2) / 2
    assert float(terms.others["values"]) == pytest.approx(apart, rel=1e-12)
    assert float(terms.others["control"]) == pytest.approx(control, rel=1e-12)
    assert float(terms.loss - terms.reconstruction - terms.kl) == pytest.approx(3 * (apart + control), rel=1e-10)


def test_supervision_knows_the_means_and_not_the_noise(make_batch):
    batch = make_batch(objective="mtd")
    noisy, moved = replace(batch, z=batch.z + 1), replace(batch, mean=batch.mean + 1)
    before, same, after = (mtd(one, supervision=STRENGTHS).others for one in (batch, noisy, moved))
    for name in ("values", "control"):
        assert torch.equal(before[name], same[name])
        assert not torch.allclose(before[name], after[name])


def test_no_supervision_and_no_labels_are_the_plain_vae(make_batch):
    batch, one = make_batch(objective="mtd"), torch.ones(3, dtype=torch.float64)
    plain = beta_vae(batch, beta=one).loss
    assert torch.equal(mtd(batch, supervision=0 * one).loss, plain)
    nobody = replace(batch, labelled=torch.zeros(3, 8, dtype=torch.bool))
    assert torch.equal(mtd(nobody, supervision=STRENGTHS).loss, plain)


def test_labels_of_unlabelled_images_change_nothing(make_batch):
    labelled = torch.arange(8).expand(3, 8) % 3 == 0
    batch = make_batch(objective="mtd", labelled=labelled)
    spoilt = replace(batch, factors=torch.where(labelled.unsqueeze(2), batch.factors, 1 - batch.factors.clamp(max=1)))
    assert not torch.equal(batch.factors, spoilt.factors)
    assert torch.equal(mtd(batch, supervision=STRENGTHS).loss, mtd(spoilt, supervision=STRENGTHS).loss)
    told = replace(batch, labelled=None)
    assert not torch.equal(mtd(batch, supervision=STRENGTHS).loss, mtd(told, supervision=STRENGTHS).loss)


def test_a_factor_is_taught_to_its_own_part_and_to_no_other_code(make_batch):
    batch = make_batch(codes=10, objective="mtd")  # three factors: two codes each and four of content
    batch = replace(batch, mean=batch.mean.requires_grad_())
    part = batch.extra["head.value.1"].shape[2]
    assert part == 2
    logits = value_logits(batch, batch.mean)[1]
    (gradient,) = torch.autograd.grad(logits.square().sum(), batch.mean)
    assert (gradient != 0).any((0, 1)).tolist() == [False, False, True, True] + 6 * [False]
    terms = mtd(batch, supervision=STRENGTHS).others
    (gradient,) = torch.autograd.grad((terms["values"] + terms["control"]).sum(), batch.mean)
    assert (gradient != 0).any((0, 1)).tolist() == 6 * [True] + 4 * [False]


def test_control_is_half_the_squared_distance_from_the_value_summed_over_the_part(make_batch):
    batch = make_batch(members=1, images=1, codes=10, objective="mtd", labelled=None)
    batch = replace(batch, mean=torch.zeros_like(batch.mean))
    places = [batch.extra[f"head.value.{i}"][0, int(batch.factors[0, 0, i])] for i in range(3)]
    known = sum(0.5 * float(place.square().sum()) for place in places)
    assert float(mtd(batch, supervision=STRENGTHS[:1]).others["control"]) == pytest.approx(known)


def test_gradients_of_the_heads_are_those_of_finite_differences(make_batch):
    batch = make_batch(members=2, images=4, objective="mtd")
    names = sorted(batch.extra)

    def losses(*heads):
        return mtd(replace(batch, extra=dict(zip(names, heads, strict=True))), supervision=STRENGTHS[:2]).loss

    assert torch.autograd.gradcheck(losses, [batch.extra[name].requires_grad_() for name in names])


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


def test_representations_stand_apart_after_descending_their_loss(make_batch):
    """Codes move freely: only the supervision acts, and each value ends at its own place."""
    factors = torch.tensor([0, 1, 2]).repeat(8).view(1, 24, 1)
    batch = make_batch(1, 24, 2, factors=factors, mean=None, extra={})
    generator = torch.Generator().manual_seed(0)
    codes = torch.randn(1, 24, 2, generator=generator).requires_grad_()
    table = (0.1 * torch.randn(1, 3, 1, generator=generator)).requires_grad_()
    sharpness = torch.zeros(1, 1, requires_grad=True)
    adam = torch.optim.Adam([codes, table, sharpness], lr=0.05)
    for _ in range(300):
        extra = {"head.value.0": table, "head.sharpness.bias": sharpness}
        moved = replace(batch, mean=codes, extra=extra)
        adam.zero_grad()
        terms = mtd(moved, supervision=torch.ones(1))
        (terms.others["values"] + terms.others["control"]).sum().backward()
        adam.step()
    predicted = value_logits(moved, codes)[0].argmax(2)
    np.testing.assert_array_equal(predicted, factors[..., 0])
