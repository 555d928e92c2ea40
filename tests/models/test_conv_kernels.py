"""The kernels of convolutions against the library's grouped ones, as Triton's interpreter runs them on a processor.

The interpreter proves neither that a GPU's compiler takes them nor their speed, and has no bfloat16.
"""

from dataclasses import replace

import numpy as np
import pytest
import torch

from dbench.models.conv import Conv
from dbench.models.objectives import find_card
from dbench.models.stacked import glorot_uniform
from dbench.training import Member
from dbench.training.losses import Losses
from dbench.training.state import draw, initial_state

pytest.importorskip("triton", reason="Triton has no package for this system")

MEMBERS, BATCH = 2, 2
CLOSE = {torch.float32: 3e-6, torch.float64: 1e-14}


def _relative(found, expected):
    return ((found - expected).norm() / expected.norm()).detach().item()


@pytest.fixture(autouse=True)
def few_programs(monkeypatch):
    """Cut layers into one or two tiles each way, the first one's correlation into two parts of two tiles.

    The interpreter runs one program after the other.
    """

    def tile(product, large, small, _):
        depth = 4 * small if product == "grow" else 16 * large
        pixels = {(32, 32): 512, (32, 64): 128, (64, 64): 64}.get((large, small), 1024)
        return min(pixels, 512) if product == "correlate" else pixels, max(16, depth // 2), 4, 2

    monkeypatch.setattr("dbench.models.conv_kernels._PROGRAMS", 4)
    monkeypatch.setattr("dbench.models.conv_kernels._tile", tile)


@pytest.mark.parametrize(("channels", "dtype"), [(1, torch.float64), (3, torch.float32)], ids=str)
def test_values_and_gradients_of_every_parameter_are_those_of_grouped_convolutions(channels, dtype):
    network, rng = Conv(image_shape=(channels, 64, 64)), np.random.default_rng(channels)
    drawn = [glorot_uniform(network.shapes, rng) for _ in range(MEMBERS)]
    parameters = {name: torch.stack([one[name] for one in drawn]).to(dtype) for name in network.shapes}
    for name, values in parameters.items():
        if name.endswith("bias"):  # they start at zero, where a misplaced one would not show
            values += torch.from_numpy(rng.normal(0, 0.1, size=values.shape)).to(dtype)
        values.requires_grad_()
    x = torch.from_numpy(rng.random((MEMBERS, BATCH, *network.image_shape))).to(dtype).requires_grad_()
    weight = torch.from_numpy(rng.normal(size=x.shape)).to(dtype)

    def passed(form):
        own = replace(network, form=form)
        mean, logvar = own.encode(parameters, x)
        logits = own.decode(parameters, mean + logvar)
        gradients = torch.autograd.grad((weight * logits).sum(), [*parameters.values(), x])
        return logits, dict(zip([*parameters, "x"], gradients, strict=True))

    (found, found_gradients), (expected, gradients) = passed("kernels"), passed("grouped")
    assert found.dtype == dtype
    assert _relative(found, expected) < CLOSE[dtype]
    for name, gradient in gradients.items():
        assert _relative(found_gradients[name], gradient) < 10 * CLOSE[dtype], name


def test_a_step_of_an_objective_with_a_second_batch_has_the_loss_and_gradients_of_grouped_convolutions():
    network, member = replace(Conv(), discriminator=(32, 32)), Member("factor_vae", 4.0, {"seed": 0})
    images = torch.from_numpy(np.random.default_rng(0).integers(0, 2, size=(9, 1, 64, 64), dtype=np.uint8) * 255)
    extra = find_card("factor_vae").extra_shapes(network, ())
    draws = draw([([member], True)], 0, data_size=9, batch_size=BATCH, latents=network.latents)

    def step(form):
        rows = initial_state([member], network, extra).rows
        for row in rows.values():
            row.requires_grad_()
        own = replace(network, form=form)
        losses = Losses([member], own, images, None, factor_sizes=(), extra=extra, precision="float32", steps=100)
        loss, adversary = losses(rows, draws.at(torch.tensor([7])), 50)
        main = {name: row for name, row in rows.items() if not name.startswith("adversary.")}
        gradients = torch.autograd.grad(loss.sum(), list(main.values()), retain_graph=True)
        return torch.cat([loss, adversary]), dict(zip(main, gradients, strict=True))

    (losses, gradients), (expected, expected_gradients) = step("kernels"), step("grouped")
    torch.testing.assert_close(losses, expected, rtol=1e-5, atol=0)
    for name, gradient in expected_gradients.items():
        assert _relative(gradients[name], gradient) < 5e-4, name


def test_a_members_numbers_do_not_depend_on_the_others():
    from dbench.models.conv_kernels import correlate, grow, shrink

    generator = torch.Generator().manual_seed(0)
    large, small, weight = (
        torch.randn(3, *shape, generator=generator) for shape in ((2, 8, 8, 4), (2, 4, 4, 16), (16, 4, 4, 4))
    )
    assert torch.equal(shrink(large, weight)[1:2], shrink(large[1:2].contiguous(), weight[1:2]))
    assert torch.equal(grow(small, weight)[1:2], grow(small[1:2].contiguous(), weight[1:2]))
    assert _relative(correlate(large, small)[1:2], correlate(large[1:2].contiguous(), small[1:2].contiguous())) < 1e-6


def test_a_gate_closes_what_is_not_above_zero_and_nothing_beyond_the_border_is_read():
    from dbench.models.conv_kernels import grow, shrink

    large, weight = torch.ones(1, 1, 8, 8, 1), torch.ones(1, 16, 1, 4, 4)
    gate = torch.arange(-128, 128.0).view(1, 1, 4, 4, 16)
    found = shrink(large, weight, gate=gate)
    seen = torch.tensor([3.0, 4, 4, 3])  # pixels of a row that a kernel sees, at the border and within
    expected = (seen[:, None] * seen)[None, None, :, :, None].expand_as(gate) * (gate > 0)
    assert torch.equal(found, expected)
    back = grow(torch.ones(1, 1, 4, 4, 16), weight, bias=torch.full((1, 1), -100.0), relu=True)
    assert back[0, 0, 0, 0, 0] == 0  # 16 channels of one pixel, less 100
    assert back[0, 0, 1, 1, 0] == 0  # of four pixels: 64 - 100
    raised = grow(torch.ones(1, 1, 4, 4, 16), weight, bias=torch.full((1, 1), -60.0), relu=True)
    assert raised[0, 0, 1, 1, 0] == 4


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32], ids=str)
@pytest.mark.parametrize(("large", "small"), [(1, 32), (4, 32), (32, 32), (32, 64), (64, 64)])
def test_the_tiles_of_every_layer_fit_the_shared_memory_of_a_multiprocessor(large, small, dtype, monkeypatch):
    from dbench.models import conv_kernels

    monkeypatch.undo()  # the large tiles of this file
    x = torch.empty(0, dtype=dtype)
    for product in ("shrink", "grow", "correlate"):
        pixels, depth, _, stages = conv_kernels._tile(product, large, small, x)
        across = min(max(4 * large, 16), 128) if product == "grow" else small
        operands = pixels * (depth + across) if product == "correlate" else depth * (pixels + across)
        assert stages * operands * x.itemsize <= 227 * 1024, product  # of an H100 or H200
        assert (4 * small if product == "grow" else 16 * large) % depth == 0
