"""How far rounding moves the first loss of a run: what the run itself tells, started again a rounding away."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from dbench.training.state import initial_state
from dbench.zoo import early
from dbench.zoo.engine import train_keys


@pytest.fixture
def key(short):
    return short.runs()[0]


def test_starts_are_a_rounding_away_and_the_furthest_of_them_tells(key, monkeypatch):
    seen = []

    def train(keys, *, state, **_):
        seen.append(state)
        return train_keys(keys, state=state, each_block=lambda _: True)

    monkeypatch.setattr(early, "train_keys", train)
    monkeypatch.setattr(early, "_TURNS", 2)
    monkeypatch.setattr(early, "_AT_ONCE", 3)
    loss = float(train_keys([key], each_block=lambda _: True).loss)
    tolerance = early.early_tolerance(key, loss, 2 * loss)
    own = initial_state([early.member_of(key)], seen[0].network, {}).rows
    for name, row in seen[0].rows.items():
        shares = (row / own[name] - 1).nan_to_num(0.0)[:, own[name][0] != 0]
        assert torch.all((shares != 0) & (shares.abs() <= 2.0**-22)), name
    drawn = np.concatenate([train_keys([key] * 3, state=state, each_block=lambda _: True).loss for state in seen])
    assert len(np.unique(np.stack([state.rows["encoder.0.weight"] for state in seen]).reshape(6, -1), axis=0)) == 6
    assert tolerance == pytest.approx(2 * max(np.abs(drawn - loss).max(), np.finfo(np.float32).eps * loss))
    assert tolerance < 1e-4 * loss
    assert early.early_tolerance(key, loss, 2 * loss) == tolerance


def test_starts_go_on_until_they_cover_the_difference(key, monkeypatch):
    moved = iter([100.1, 100.25, 100.5])
    monkeypatch.setattr(early, "train_keys", lambda *_, **__: SimpleNamespace(loss=torch.tensor([next(moved)])))
    assert early.early_tolerance(key, 100.0, 100.4) == 0.5
    assert next(moved) == 100.5


@pytest.mark.parametrize(
    ("last", "tolerance"), [(100.5, 1.0), (float("nan"), 200 * np.finfo(np.float32).eps)], ids=["one is", "none is"]
)
def test_starts_that_stop_being_finite_do_not_widen_the_tolerance(key, monkeypatch, last, tolerance):
    loss = torch.tensor([float("nan"), float("inf"), last])
    monkeypatch.setattr(early, "train_keys", lambda *_, **__: SimpleNamespace(loss=loss))
    assert early.early_tolerance(key, 100.0, 200.0) == pytest.approx(tolerance)
