"""How far a retrained score may lie from the table's: as far as another seed of its setting, and no further.

The first loss: as far as the run itself tells when it is started again a rounding away.
"""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import torch
from scipy import stats

from dbench.errors import InvalidInput
from dbench.training.state import initial_state
from dbench.zoo import tolerance
from dbench.zoo.engine import member_of, train_keys
from dbench.zoo.tolerance import REFUSED, accepted, in_order_of_size


def _table(law, *, objectives=("beta_vae", "mtd"), strengths=(1.0, 4.0), seeds=10, status="done") -> pd.DataFrame:
    """A table of one setting after the other, with what `law` gives for objective, strength and seed."""
    rows = [
        {"run": f"{objective}-{strength:g}-{seed}", "objective": objective, "strength": strength, "status": status}
        | {"score": score, "value": value}
        for objective in objectives
        for strength in strengths
        for seed in range(seeds)
        for score, value in law(objective, strength, seed).items()
    ]
    return pd.DataFrame(rows)


def _normal(*, spread=lambda objective, strength: 1.0, n_scores=1, start=0):
    def law(objective, strength, seed):
        stream = np.random.default_rng([start, seed, int(strength), len(objective)])
        return {f"s{i}": stream.normal(scale=spread(objective, strength)) for i in range(n_scores)}

    return law


def test_the_tolerance_is_a_quantile_of_the_difference_of_two_seeds():
    """All settings alike: nine further seeds of the same variance, and Student's law."""
    values = {seed: float(np.random.default_rng(seed).normal()) for seed in range(10)}
    table = _table(lambda objective, strength, seed: {"s": values[seed]})
    found = accepted(table, "mtd-4-3", ["s"])
    spread = np.std(list(values.values()), ddof=1)
    by_hand = stats.t.ppf(1 - REFUSED / 2, 9 + 9) * np.sqrt(2) * spread
    assert found.loc["s", "tolerance"] == pytest.approx(by_hand)
    assert found.loc["s", "range"] == pytest.approx(max(values.values()) - min(values.values()))


def test_an_honest_rerun_is_refused_as_seldom_as_is_said():
    """Reruns that are draws of their own: at most one in a hundred has any of twenty scores beyond its tolerance."""
    refused, trials = 0, 100
    for trial in range(trials):
        table = _table(_normal(n_scores=20, start=trial), objectives=("beta_vae",), strengths=(1.0,), seeds=11)
        values = table.pivot(index="run", columns="score", values="value")
        kept = table[table["run"] != "beta_vae-1-10"]
        limits = accepted(kept, "beta_vae-1-0", values.columns)["tolerance"]
        refused += bool(((values.loc["beta_vae-1-10"] - values.loc["beta_vae-1-0"]).abs() > limits).any())
    assert refused / trials < 0.08  # a binomial of 1% gives as much as this once in 10^5


def _of_codes(*, shift=0.0):
    """One of ten codes holds a factor, any of them, with about 1 nat; another has a divergence of 3."""

    def law(objective, strength, seed):
        stream = np.random.default_rng([seed, int(strength)])
        information, divergence = 0.01 * stream.random((2, 10))
        information[stream.integers(10)] = 1 + 0.01 * stream.normal() + shift
        divergence[stream.integers(10)] = 3 + 0.01 * stream.normal()
        return {f"relation.mutual_information.{i}.3": float(value) for i, value in enumerate(information)} | {
            f"kl.code.{i}": float(value) for i, value in enumerate(divergence)
        }

    return law


@pytest.mark.parametrize(("shift", "refused"), [(0.0, False), (0.5, True)])
def test_which_code_holds_a_factor_is_no_difference_and_how_much_it_holds_is(shift, refused):
    table = _table(_of_codes(), objectives=("beta_vae",), strengths=(1.0,))
    law = _of_codes(shift=shift)("beta_vae", 1.0, 99)
    limits = accepted(table, "beta_vae-1-0", law)["tolerance"]
    own = table[table["run"] == "beta_vae-1-0"].set_index("score")["value"].to_dict()
    first, second = in_order_of_size(pd.DataFrame([own, law]))[[*law]].to_numpy()
    assert bool((np.abs(first - second) > limits.to_numpy()).any()) == refused


def test_a_setting_of_little_spread_is_held_to_less_than_one_of_much():
    table = _table(_normal(spread=lambda objective, strength: strength), strengths=(1.0, 100.0), seeds=50)
    calm, wild = (accepted(table, f"beta_vae-{strength}-0", ["s0"]).loc["s0", "tolerance"] for strength in (1, 100))
    assert calm < wild / 2


def test_other_objectives_count_only_where_an_objective_has_few_seeds():
    law = _normal(spread=lambda objective, strength: 100.0 if objective == "mtd" else 1.0)
    many, few = _table(law, seeds=10), _table(law, seeds=2)
    assert accepted(many, "beta_vae-1-0", ["s0"]).loc["s0", "tolerance"] < 20
    assert accepted(few, "beta_vae-1-0", ["s0"]).loc["s0", "tolerance"] > 100


def test_a_tolerance_as_wide_as_the_table_is_seen_to_be():
    """The collisions of one setting take every value there is: 4 -> 0 can be no news, and is said to be none."""
    everywhere = _table(lambda objective, strength, seed: {"alignment.collisions": float(seed % 5)})
    found = accepted(everywhere, "beta_vae-1-4", ["alignment.collisions"]).iloc[0]
    assert found["tolerance"] >= found["range"] == 4
    apart = _table(lambda objective, strength, seed: {"alignment.collisions": 4.0 * (strength == 4) + (seed == 0)})
    found = accepted(apart, "beta_vae-4-4", ["alignment.collisions"]).iloc[0]
    assert found["tolerance"] < 4 < found["range"]


def test_a_score_that_never_varies_may_be_rounded_and_no_more():
    table = _table(lambda objective, strength, seed: {"s": 3.0})
    assert accepted(table, "mtd-1-0", ["s"]).loc["s", "tolerance"] == pytest.approx(3e-6)


def test_one_seed_of_each_setting_tells_no_tolerance():
    with pytest.raises(InvalidInput, match="must hold two seeds of some setting"):
        accepted(_table(_normal(), seeds=1), "mtd-1-0", ["s0"])


def test_seeds_that_lack_a_score_do_not_count():
    def law(objective, strength, seed):
        value = float(np.random.default_rng([seed, int(strength)]).normal())
        return {"mig": value, "nk": value if seed < 4 else np.nan}

    run = "mtd-1-0"
    found, known = accepted(_table(law), run, ["mig", "nk"]), accepted(_table(law, seeds=4), run, ["mig", "nk"])
    assert found["tolerance"]["nk"] == known["tolerance"]["nk"] == pytest.approx(known["tolerance"]["mig"])
    assert found["tolerance"]["mig"] != known["tolerance"]["mig"]
    lone = _table(lambda *place: law(*place) | {"nk": 0.5 if place[-1] == 0 else np.nan})
    assert accepted(lone, run, ["mig", "nk"])["tolerance"].tolist() == [found["tolerance"]["mig"], np.inf]


def test_diverged_runs_do_not_count():
    lost = _table(_normal(spread=lambda *_: 1e6), status="diverged").assign(value=np.nan)
    lost["run"] += "-lost"
    table = _table(_normal())
    both = pd.concat([table, lost])
    assert accepted(both, "mtd-1-0", ["s0"]).equals(accepted(table, "mtd-1-0", ["s0"]))


@pytest.fixture
def key(short):
    return short.runs()[0]


def test_starts_are_a_rounding_away_and_the_furthest_of_them_tells(key, monkeypatch):
    seen = []

    def train(keys, *, state, **_):
        seen.append(state)
        return train_keys(keys, state=state, each_block=lambda _: True)

    monkeypatch.setattr(tolerance, "train_keys", train)
    monkeypatch.setattr(tolerance, "_TURNS", 2)
    monkeypatch.setattr(tolerance, "_AT_ONCE", 3)
    loss = float(train_keys([key], each_block=lambda _: True).loss)
    allowed = tolerance.rounding_tolerance(key, loss, 2 * loss)
    own = initial_state([member_of(key)], seen[0].network, {}).rows
    for name, row in seen[0].rows.items():
        shares = (row / own[name] - 1).nan_to_num(0.0)[:, own[name][0] != 0]
        assert torch.all((shares != 0) & (shares.abs() <= 2.0**-22)), name
    drawn = np.concatenate([train_keys([key] * 3, state=state, each_block=lambda _: True).loss for state in seen])
    assert len(np.unique(np.stack([state.rows["encoder.0.weight"] for state in seen]).reshape(6, -1), axis=0)) == 6
    assert allowed == pytest.approx(2 * max(np.abs(drawn - loss).max(), np.finfo(np.float32).eps * loss))
    assert allowed < 1e-4 * loss
    assert tolerance.rounding_tolerance(key, loss, 2 * loss) == allowed


def test_starts_go_on_until_they_cover_the_difference(key, monkeypatch):
    moved = iter([100.1, 100.25, 100.5])
    monkeypatch.setattr(tolerance, "train_keys", lambda *_, **__: SimpleNamespace(loss=torch.tensor([next(moved)])))
    assert tolerance.rounding_tolerance(key, 100.0, 100.4) == 0.5
    assert next(moved) == 100.5


@pytest.mark.parametrize(
    ("last", "allowed"), [(100.5, 1.0), (float("nan"), 200 * np.finfo(np.float32).eps)], ids=["one is", "none is"]
)
def test_starts_that_stop_being_finite_do_not_widen_the_tolerance(key, monkeypatch, last, allowed):
    loss = torch.tensor([float("nan"), float("inf"), last])
    monkeypatch.setattr(tolerance, "train_keys", lambda *_, **__: SimpleNamespace(loss=loss))
    assert tolerance.rounding_tolerance(key, 100.0, 200.0) == pytest.approx(allowed)
