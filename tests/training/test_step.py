"""The engine's step on fixed buffers: the same bits however it is executed, and nothing in it waits for the device."""

from dataclasses import replace

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from dbench.errors import CaptureFailed
from dbench.models import NETWORKS
from dbench.models.objectives import OBJECTIVES, find_card
from dbench.training import Member, ensemble, step, train
from dbench.training.losses import Losses
from dbench.training.state import draw, draw_block, draw_second_block, initial_state

NETWORK = replace(NETWORKS["mlp"](image_shape=(1, 8, 8), latents=4, hidden=(24, 16)), discriminator=(12, 12))
SETTINGS = {"batch_size": 16, "learning_rate": 1e-3}
SIZES = (5, 5)
CAPTURABLE = [name for name in sorted(OBJECTIVES) if find_card(name).capturable]


def _members(objective, count=3):
    return [Member(objective, 1.0 + i, {"objective": objective, "seed": i}) for i in range(count)]


def _losses(members, images, factors, steps):
    extra = find_card(members[0].objective).extra_shapes(NETWORK, SIZES)
    return Losses(members, NETWORK, images, factors, factor_sizes=SIZES, extra=extra, precision="float32", steps=steps)


def _draw(losses, block=0):
    parts = [(part.members, part.card.second_batch) for part in losses.parts]
    return draw(parts, block, data_size=losses.data_size, batch_size=16, latents=NETWORK.latents)


def _plainly(members, images, factors, block, steps, cooldown):
    """Train as one writes it down: an optimiser for each set of parameters, a number for the step, losses in a list."""
    losses = _losses(members, images, factors, steps)
    card = find_card(members[0].objective)
    rows = initial_state(members, NETWORK, losses.extra).rows
    adversary = [row.requires_grad_() for name, row in rows.items() if name.startswith("adversary.")]
    main = [row.requires_grad_() for name, row in rows.items() if not name.startswith("adversary.")]
    optimiser = torch.optim.Adam(main, lr=1e-3, fused=True)
    if adversary:
        other = torch.optim.Adam(adversary, lr=1e-3 * card.adversary_rate, betas=card.adversary_betas, fused=True)
    optimisers = [optimiser, other] if adversary else [optimiser]
    full = [one.param_groups[0]["lr"] for one in optimisers]
    means, history = [], []
    for i in range(steps):
        if i % block == 0:
            draws = _draw(losses, i // block)
            for one, rate in zip(optimisers, full, strict=True):
                one.param_groups[0]["lr"] = rate * min(1, (steps - i) / (cooldown * steps))
        loss, adversary_loss = losses(rows, draws.map(lambda tensor, i=i: tensor[i % block]), i)
        gradients = torch.autograd.grad(loss.sum(), main, retain_graph=True, materialize_grads=True)
        if adversary:
            for row, gradient in zip(adversary, torch.autograd.grad(adversary_loss.sum(), adversary), strict=True):
                row.grad = gradient
            other.step()
        for row, gradient in zip(main, gradients, strict=True):
            row.grad = gradient
        optimiser.step()
        history.append(loss.detach().double())
        if (i + 1) % block == 0 or i + 1 == steps:
            means.append((sum(history) / len(history)).float())
            history = []
    return rows, means


@pytest.mark.extension
@pytest.mark.parametrize("objective", sorted(OBJECTIVES))
def test_steps_on_fixed_buffers_are_those_of_a_plain_loop_to_the_bit(objective, images, factors, block):
    members, steps, means = _members(objective), 2 * block + 5, []
    state = train(
        members,
        images,
        NETWORK,
        steps=steps,
        cooldown=0.75,
        factors=factors,
        factor_sizes=SIZES,
        each_block=lambda s: means.append(s.loss) and None,
        **SETTINGS,
    )
    with ensemble.arithmetic(torch.device("cpu"), "float32"):
        rows, expected = _plainly(members, images, factors, block, steps, cooldown=0.75)
    assert all(torch.equal(state.rows[name], row) for name, row in rows.items())
    assert all(map(torch.equal, means, expected))


def _warmed_up(step, restore, device):
    """Stand in for a graph: run as a capture does, and repeat the step itself."""
    for _ in range(3):
        step()
    restore()
    return step


def _refused(step, restore, device):
    _warmed_up(step, restore, device)
    raise CaptureFailed("a step of this ensemble cannot be captured as a CUDA graph: operation not permitted")


def _train_recorded(monkeypatch, recorder, members, images, **settings):
    """Train as on a GPU, where steps are captured."""

    class Recorded(step.Stepper):
        def __init__(self, *arguments, **options):
            super().__init__(*arguments, **options)
            self._capture = self.losses.capturable

    monkeypatch.setattr(step, "_record_graph", recorder)
    monkeypatch.setattr(ensemble, "Stepper", Recorded)
    return train(members, images, NETWORK, **settings)


@pytest.mark.parametrize("objective", ["annealed_vae", "beta_tcvae", "factor_vae"])
def test_a_recorded_step_gives_the_same_bits_its_warm_up_undone(objective, images, factors, monkeypatch, block, same):
    settings = {"steps": block + 5, "factors": factors, "factor_sizes": SIZES, **SETTINGS}
    plain = train(_members(objective), images, NETWORK, **settings)
    recorded = _train_recorded(monkeypatch, _warmed_up, _members(objective), images, **settings)
    assert same(recorded, plain)
    assert torch.equal(recorded.loss, plain.loss)
    with pytest.warns(RuntimeWarning, match=r"operation not permitted; going on step by step"):
        failed = _train_recorded(monkeypatch, _refused, _members(objective), images, **settings)
    assert same(failed, plain)
    assert torch.equal(failed.loss, plain.loss)


class _NoTravel(TorchDispatchMode):
    """Refuse operations that read a number of the device or move tensors to or from it."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        inputs = [value for value in torch.utils._pytree.tree_leaves((args, kwargs)) if isinstance(value, torch.Tensor)]
        out = func(*args, **(kwargs or {}))
        outputs = [value for value in torch.utils._pytree.tree_leaves(out) if isinstance(value, torch.Tensor)]
        devices = {tensor.device.type for tensor in (*inputs, *outputs) if tensor.ndim or tensor.device.type == "meta"}
        assert len(devices) <= 1, f"{func} moves tensors between {sorted(devices)}"
        return out


@pytest.mark.parametrize("objective", CAPTURABLE)
def test_nothing_in_a_capturable_step_waits_for_the_device(objective, images, factors):
    """Tensors of the meta device have no values: whoever asks for one fails, as in a capture."""
    members = _members(objective)
    losses = _losses(members, images.to("meta"), factors.to("meta"), 100)
    for i, part in enumerate(losses.parts):
        labelled = None if part.labelled is None else part.labelled.to("meta")
        losses.parts[i] = replace(part, strength=part.strength.to("meta"), labelled=labelled)
    rows = {
        name: row.to("meta").requires_grad_()
        for name, row in initial_state(members, NETWORK, losses.extra).rows.items()
    }
    draws = _draw(losses).map(lambda tensor: tensor.to("meta"))
    place, now = torch.zeros(1, dtype=torch.int64, device="meta"), torch.zeros((), dtype=torch.float64, device="meta")
    with _NoTravel():
        found = [loss for loss in losses(rows, draws.at(place), now) if loss is not None]
        for loss in found:
            torch.autograd.grad(loss.sum(), list(rows.values()), retain_graph=True, allow_unused=True)
    assert all(loss.shape == (3,) for loss in found)


def test_that_check_notices_a_step_that_waits():
    with pytest.raises((RuntimeError, NotImplementedError)), _NoTravel():
        float(torch.zeros((), device="meta"))
    with pytest.raises(AssertionError, match="moves tensors"), _NoTravel():
        torch.zeros(3).to("meta")


def test_blocks_are_those_of_the_members_streams(images, factors):
    members = [*_members("factor_vae"), *_members("beta_vae", 2)]
    settings = {"data_size": 200, "batch_size": 16, "latents": 4}
    for block in (4, 5):
        draws = draw([(members[:3], True), (members[3:], False)], block, **settings)
        for i, member in enumerate(members):
            rows, noise = draw_block(member, block, **settings)
            assert torch.equal(draws.rows[:, i], rows)
            assert torch.equal(draws.noise[:, i], noise)
        for i, member in enumerate(members[:3]):
            for tensor, expected in zip(draws.second[0], draw_second_block(member, block, **settings), strict=True):
                assert torch.equal(tensor[:, i], expected)
        assert draws.second[1] is None
