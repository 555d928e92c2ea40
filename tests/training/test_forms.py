"""Which form of the convolutional network trains on a GPU, and how draws are made ahead; tried without a GPU."""

import numpy as np
import pytest
import torch

from dbench.models import NETWORKS
from dbench.training import Member, ensemble, forms
from dbench.training.forms import quickest

CUDA = torch.device("cuda")
SETTINGS = {"members": 3, "batch_size": 16, "precision": "bfloat16"}


def _taking(monkeypatch, **seconds):
    """Let a pass of each form take so many seconds, or fail as its error says."""

    def timed(network, *_):
        if isinstance(taken := seconds[network.form], Exception):
            raise taken
        return taken

    monkeypatch.setattr(forms, "_seconds", timed)


@pytest.mark.parametrize(("kernels", "grouped", "chosen"), [(1.0, 2.0, "kernels"), (2.0, 1.0, "grouped")])
def test_the_quicker_form_trains_on_a_gpu(monkeypatch, kernels, grouped, chosen):
    _taking(monkeypatch, kernels=kernels, grouped=grouped)
    assert quickest(NETWORKS["conv"](), device=CUDA, **SETTINGS).form == chosen


def test_a_form_that_fails_is_left_out_with_a_line_that_says_why(monkeypatch):
    _taking(monkeypatch, kernels=ModuleNotFoundError("No module named 'triton'\nwith a second line"), grouped=2.0)
    with pytest.warns(
        RuntimeWarning, match=r"by kernels fails on cuda \(ModuleNotFoundError: No module named 'triton'\)"
    ):
        assert quickest(NETWORKS["conv"](), device=CUDA, **SETTINGS).form == "grouped"


def test_where_both_fail_the_networks_own_error_is_left_to_training(monkeypatch):
    _taking(monkeypatch, kernels=ValueError("one"), grouped=ValueError("two"))
    with pytest.warns(RuntimeWarning, match="going on without"):
        assert quickest(NETWORKS["conv"](), device=CUDA, **SETTINGS).form is None


def test_memory_that_is_lacking_is_no_fault_of_a_form(monkeypatch):
    _taking(monkeypatch, kernels=torch.OutOfMemoryError("CUDA out of memory"), grouped=1.0)
    with pytest.raises(torch.OutOfMemoryError):
        quickest(NETWORKS["conv"](), device=CUDA, **SETTINGS)


def test_nothing_is_timed_on_a_processor_for_another_network_or_a_form_that_is_given(monkeypatch):
    _taking(monkeypatch)
    conv, mlp, given = NETWORKS["conv"](), NETWORKS["mlp"](), NETWORKS["conv"](form="kernels")
    assert quickest(conv, device=torch.device("cpu"), **SETTINGS) is conv
    assert quickest(mlp, device=CUDA, **SETTINGS) is mlp
    assert quickest(given, device=CUDA, **SETTINGS) is given


def test_draws_made_ahead_by_a_thread_are_those_made_in_turn():
    parts = [([Member("beta_vae", 1.0, {"seed": i}) for i in range(2)], True)]
    sizes = {"data_size": 50, "batch_size": 16, "latents": 3}
    ahead, in_turn = (list(ensemble._drawn(parts, range(4, 7), ahead=way, **sizes)) for way in (True, False))
    assert len(ahead) == len(in_turn) == 3
    for one, other in zip(ahead, in_turn, strict=True):
        assert all(map(torch.equal, one.tensors(), other.tensors()))
    assert list(ensemble._drawn(parts, range(0), ahead=True, **sizes)) == []


def test_an_error_of_a_draw_made_ahead_is_raised_where_it_is_asked_for(monkeypatch):
    monkeypatch.setattr(ensemble, "draw", lambda *_, **__: np.empty(-1))
    with pytest.raises(ValueError, match="negative"):
        list(ensemble._drawn([], range(2), ahead=True))
