import importlib
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from dbench.data import load
from dbench.metrics import irs, modularity
from dbench.metrics.irs import interventional_robustness
from dbench.zoo.arrays import cells
from dbench.zoo.scorers import SCORERS, SLOW, EncodedRun

COPY, RARE, TOGETHER, ALONE, CONSTANT = range(5)
pytestmark = pytest.mark.usefixtures("small_samples")


@pytest.fixture
def run(key):
    """Codes of the horizontal position that other factors disturb in ways that we know, and a constant one."""
    data = load(key.data)
    shape, scale, orientation, x, y = data.grid().T.astype(float)
    codes = [
        x,
        # Moved in one combination in about 97, whichever single factor is known.
        x + 50.0 * ((7 * shape + 11 * scale + 13 * orientation + 17 * x + 19 * y) % 97 == 0),
        # Neither sign alone says anything of their product.
        x + 8.0 * np.sign(y - 7.5) * np.sign(orientation - 4.5),
        x + 4.0 * np.sign(y - 7.5),
        np.full(len(x), 0.1),
    ]
    mean = np.stack(codes, axis=1)
    return EncodedRun.of(key, data, {"mean": mean, "logvar": np.zeros_like(mean)}, {})


@pytest.fixture
def found(run):
    return cells(SCORERS["interventions"](run))


def of_codes(found, name):
    return [found[f"{name}.{i}"] for i in range(5)]


def test_robustness_of_a_code_is_that_of_the_metric_over_the_whole_grid(run, found):
    per_code = irs(run.grid).per_code
    assert of_codes(found, "irs.code") == pytest.approx(per_code.tolist())
    assert found["irs.code.0"] == pytest.approx(1)
    assert found[f"irs.code.{CONSTANT}"] == 0


def test_robustness_against_one_nuisance_sees_what_acts_alone_and_not_what_acts_together(run, found):
    flat = of_codes(found, "irs.one_nuisance")
    direct = [interventional_robustness(run.grid, [ALONE], [3], [j]) for j in (0, 1, 2, 4)]
    assert flat[ALONE] == pytest.approx(min(direct))
    assert flat[ALONE] == pytest.approx(found[f"irs.code.{ALONE}"])
    assert flat[COPY] == flat[TOGETHER] == pytest.approx(1)
    assert found[f"irs.code.{TOGETHER}"] < 0.5
    assert flat[CONSTANT] == 0
    assert all(one >= code - 1e-9 for one, code in zip(flat, of_codes(found, "irs.code"), strict=True))


def test_robustness_on_average_does_not_see_what_is_rare(found):
    mean = of_codes(found, "irs.mean")
    assert mean[COPY] == pytest.approx(1)
    assert mean[RARE] > 0.7
    assert found[f"irs.code.{RARE}"] < 0.15
    # |8| is left of a code whose spread about its mean is that of x +- 8.
    spread = np.abs(np.add.outer(np.arange(16) - 7.5, [-8, 8])).mean()
    assert mean[TOGETHER] == pytest.approx(1 - 8 / spread)
    assert mean[CONSTANT] == 0


def test_the_information_score_with_other_bins_is_that_of_modularity(run, found):
    for bins in (30, 50, 100):
        assert found[f"modularity.bins.{bins}"] == modularity(run.train, bins=bins).value
    assert "modularity.bins.20" not in found  # that is 'modularity'
    per_code = modularity(run.train).per_code
    active = [i for i in range(5) if i in run.active]
    assert found["modularity.bins.20.active"] == pytest.approx(per_code[active].mean())


def test_the_forest_differs_from_that_of_dci_in_its_candidates_alone(run, found, monkeypatch):
    def matrix(scores):
        return np.array([[scores[f"relation.importance_single.{i}.{j}"] for j in range(5)] for i in range(5)])

    assert matrix(found).sum(axis=0) == pytest.approx(np.ones(5))
    assert not np.allclose(matrix(found), run.dci.relation)
    assert 0 < found["dci.single.informativeness"] < 1
    # The package has a function of the module's name.
    module = importlib.import_module("dbench.zoo.scorers.interventions")
    every = partial(module.tree_importance, candidates=5)
    monkeypatch.setattr(module, "tree_importance", lambda *args, candidates, **options: every(*args, **options))
    same = cells(SCORERS["interventions"](run))
    assert (matrix(same) == run.dci.relation).all()
    assert same["dci.single.informativeness"] == run.dci.details["informativeness"]


def test_a_set_that_holds_something_out_has_no_slow_scores(key, run):
    held = replace(key, data="dsprites_grid_16-without-shape2-scale3")
    run = replace(run, key=held, data=load(held.data))
    assert [SCORERS[group](run) for group in SLOW - {"nk"}] == [{}] * 5
