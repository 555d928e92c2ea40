from dataclasses import replace

import numpy as np
import pytest

from dbench.codes import Sample
from dbench.data import load
from dbench.metrics import (
    METRICS,
    code_mutual_information,
    downstream,
    mig,
    novel_combinations,
    statistical_efficiency,
)
from dbench.metrics.linear_accuracy import adjusted_accuracy
from dbench.zoo.arrays import cells
from dbench.zoo.scorers import SCORERS, EncodedRun, protocol

KINDS = ("mutual_information", "importance", "predictability")
pytestmark = pytest.mark.usefixtures("small_samples")


@pytest.fixture
def make(key):
    """A run with given mean codes of the grid: of noisy copies of the factors and idle codes unless told otherwise."""

    def run(mean=None, *, of=key, logvar=-4.0):
        data = load(of.data)
        if mean is None:
            factors = data.grid().astype(np.float64)
            copies = (factors - factors.mean(0)) / factors.std(0)
            noise = np.random.default_rng(0).standard_normal((len(factors), 10))
            idle = np.zeros((len(copies), 5))
            mean = np.concatenate([copies, idle], axis=1) + noise * np.repeat([0.4, 0.01], 5)
        codes = {"mean": mean.astype(np.float32), "logvar": np.full(mean.shape, logvar, np.float32)}
        return EncodedRun.of(of, data, codes, {})

    return run


def test_every_score_is_what_its_metric_gives_when_called_directly(make):
    run = make()

    def call(metric, codes, stream="", **options):
        return METRICS[metric](codes, **options, generator=run.key.generator(stream or metric))

    direct = {
        **{name: call(name, run.train).value for name in ("irs", "modularity", "med")},
        **{name: call(name, run.sample).value for name in ("explicitness", "linear_accuracy")},
        "snc": METRICS["snc"](run.grid).value,
        "gaussian_tc.mean": METRICS["gaussian_total_correlation"](run.train.codes).value,
        "gaussian_tc.sampled": METRICS["gaussian_total_correlation"](run.sampled.codes).value,
        "sap.r2": METRICS["sap"](run.train, relation="r2").value,
        "sap": call("sap", run.sample).value,
        "dci": call("dci", run.sample, estimator="forest").value,
        "mig": mig(run.train).value,
        "mutual_information.mean": code_mutual_information(run.train).value,
        "mutual_information.sampled": code_mutual_information(run.sampled).value,
    }
    groups = SCORERS.keys() & {*direct, "mutual_information", "gaussian_tc"}
    found = {name: value for group in groups for name, value in SCORERS[group](run).items()}
    assert {name: found[name] for name in direct} == direct
    assert len({round(value, 6) for value in direct.values()}) == len(direct)
    per_factor = call("linear_accuracy", run.sample).per_factor
    assert found["linear_accuracy.factor"].tolist() == per_factor.tolist()
    assert found["alignment.collisions"] == 0


def test_accuracies_of_perceptrons_are_those_of_the_knockout_with_all_codes(make):
    run = make()
    found = SCORERS["nk"](run)
    stream = run.key.generator("nk")
    direct = METRICS["nk"](run.sample, epochs=1, falling_from=protocol.KNOCKOUT_RATE, generator=stream)
    assert found["nk.factor"].tolist() == direct.per_factor.tolist()
    assert found["nk"] == direct.value
    full = np.array([direct.details[f"accuracy.{j}"] for j in range(5)])
    adjusted, _ = adjusted_accuracy(full, run.sample.factors.astype(np.int64))
    assert found["mlp_accuracy.factor"].tolist() == adjusted.tolist()
    assert found["mlp_accuracy"] == pytest.approx(np.mean(adjusted))


def test_relations_are_codes_by_factors_and_their_blends_are_the_metrics(make):
    run = make()
    found = SCORERS["relations"](run)
    for kind, score in zip(KINDS, (run.mig, run.dci, run.sap), strict=True):
        assert found[f"relation.{kind}"].tolist() == score.relation.tolist()
        # Code j is a copy of factor j.
        assert found[f"relation.{kind}"].argmax(axis=0)[[0, 3, 4]].tolist() == [0, 3, 4]
    assert found["blend.mutual_information.mig"] == run.mig.value
    assert found["blend.importance.dci_disentanglement"] == run.dci.value
    assert found["blend.importance.dci_completeness"] == run.dci.details["completeness"]
    assert found["blend.predictability.sap"] == run.sap.value
    assert len(found) == 3 * (1 + 5)


def test_downstream_accuracies_and_efficiencies_are_those_of_the_metrics(make):
    run = make()
    stream = run.key.generator("downstream.logistic")
    direct = downstream(run.sample, sizes=[10, 100, 200], test=300, tuning=60, generator=stream)
    found = SCORERS["downstream.logistic"](run)
    for n in (10, 100, 200):
        assert found[f"downstream.logistic.{n}"] == pytest.approx(direct.details[f"accuracy.{n}"])
    efficiency = direct.details["accuracy.100"] / direct.details["accuracy.200"]
    assert found["efficiency.logistic.100"] == pytest.approx(efficiency)
    stream = run.key.generator("downstream.trees")
    trees = statistical_efficiency(run.sample, few=3, many=6, model="gbt", test=300, generator=stream)
    found = SCORERS["downstream.trees"](run)
    few, many = trees.details["accuracy.few"], trees.details["accuracy.many"]
    assert found == {"downstream.trees.3": few, "downstream.trees.6": many}


def test_the_strength_chosen_by_few_points_is_that_of_a_smaller_training_set(make):
    sample = Sample(make().sample.codes, make().sample.factors[:, :2])

    def accuracy(sizes, tuning):
        generator = np.random.default_rng(4)
        return downstream(sample, sizes=sizes, test=300, tuning=tuning, generator=generator).value

    assert accuracy([60], 60) == accuracy([60], None) == accuracy([60], 100)
    # One point has one class: the strongest penalty, and hardly anything is learned.
    assert accuracy([100], 1) < accuracy([100], 60)


@pytest.fixture
def noisy(make, key):
    """A run whose codes are so noisy that no metric gives them 1."""
    grid = load(key.data).grid()
    return make(0.2 * grid + np.random.default_rng(0).standard_normal(grid.shape))


@pytest.mark.parametrize("metric", ["beta_vae_metric", "factor_vae"])
def test_shares_of_right_votes_are_those_of_the_metric(noisy, metric):
    direct = METRICS[metric](noisy.source, generator=noisy.key.generator(metric)).value
    assert SCORERS[metric](noisy)[metric] == direct < 1


def test_the_second_computation_rests_on_other_points(noisy):
    run = noisy
    again, small = SCORERS["again"](run), SCORERS["small"](run)
    assert again["again.mig"] == mig(run.draw("again", 900).take(np.arange(600))).value != SCORERS["mig"](run)["mig"]
    assert again["again.mig"] == pytest.approx(SCORERS["mig"](run)["mig"], abs=0.1)
    whole = run.draw("small", 90)
    first = whole.take(np.arange(60))

    def call(metric, codes, **options):
        return METRICS[metric](codes, **options, generator=run.key.generator(f"small.{metric}")).value

    direct = {
        "beta_vae_metric": call("beta_vae_metric", run.source, train_points=60, test_points=30),
        "factor_vae": call("factor_vae", run.source, train_votes=60, test_votes=30, variance_draws=60),
        "mig": mig(first).value,
        "dci": call("dci", whole, estimator="forest"),
        "sap": call("sap", whole),
        **{metric: call(metric, first) for metric in ("irs", "modularity")},
    }
    assert {name: small[f"small.{name}"] for name in direct} == direct
    assert direct["beta_vae_metric"] < 1
    assert small["small.mig"] != small["small_again.mig"]


def test_scores_are_decided_by_the_key_and_by_no_other_group(make, key):
    groups = ("small", "again", "explicitness")
    alone = {group: SCORERS[group](make()) for group in reversed(groups)}
    run = make()
    assert {group: SCORERS[group](run) for group in groups} == alone
    other = make(of=replace(key, seed=99))
    assert all(SCORERS[group](other) != alone[group] for group in groups)


def test_collapsed_codes_have_stated_scores(make):
    run = make(np.zeros((46_080, 10)), logvar=0.0)
    found = cells({name: value for scorer in SCORERS.values() for name, value in scorer(run).items()})
    assert np.isfinite(list(found.values())).all()
    relations = {found[f"relation.{kind}.{i}.{j}"] for kind in KINDS[:2] for i in range(10) for j in range(5)}
    blends = {found[f"blend.{kind}.{name}"] for kind in KINDS[:2] for name in ("mig", "sap", "modularity")}
    nothing = [
        *("kl.informative", "gaussian_tc.mean", "gaussian_tc.sampled.active", "mig", "sap", "factor_vae", "snc", "nk"),
        *("irs", "modularity", "med", "sap.r2", "again.mig", "small.dci", "again.factor_vae", "nk.factor.0"),
        *("snc.factor.4", "mutual_information.mean"),
        *(f"modularity.bins.{bins}.active" for bins in protocol.BINS),
    ]
    assert relations | blends | {found[name] for name in nothing} == {0.0}
    assert found["explicitness"] == 0.5
    # The commonest value, or any one factor, is guessed.
    assert found["beta_vae_metric"] == pytest.approx(0.2, abs=0.08)
    guess = np.mean([1 / size for size in run.data.factor_sizes])
    assert found["downstream.logistic.200"] == pytest.approx(guess, abs=0.05)
    assert found["efficiency.logistic.100"] == pytest.approx(1, abs=0.3)


def test_one_code_that_is_left_has_the_scores_of_its_factor(make):
    mean = np.zeros((46_080, 10))
    mean[:, 0] = load("dsprites_grid_16").grid()[:, 3] / 4.0
    run = make(mean, logvar=0.0)
    groups = [name for name in SCORERS if name not in ("nk", "downstream.logistic", "downstream.trees")]
    found = cells({name: value for group in groups for name, value in SCORERS[group](run).items()})
    assert np.isfinite(list(found.values())).all()
    dead = {found[f"relation.{kind}.{i}.{j}"] for kind in KINDS[:2] for i in range(1, 10) for j in range(5)}
    assert dead | {found["mutual_information.mean"]} == {0.0}
    assert found["relation.mutual_information.0.3"] == pytest.approx(np.log(16), abs=0.1)
    assert found["snc.factor.3"] > 0.9
    assert found["again.mig"] == pytest.approx(0.2, abs=0.05)
    assert found["irs"] == pytest.approx(1)


def test_novel_combinations_are_scored_where_the_data_set_holds_some_out(make, key):
    assert SCORERS["novel"](make()) == {}
    held = replace(key, data="dsprites_grid_16-without-shape2-scale3")
    run = make(of=held)
    found = SCORERS["novel"](run)
    data = load(held.data)
    grid, stream = data.grid(), held.generator("novel")
    held_out = (grid[:, :2] == [2, 3]).all(axis=1)
    sample = Sample(run.grid.codes, grid)
    direct = novel_combinations(sample, held_out, [0, 1], train=600, epochs=1, generator=stream)
    assert found.pop("novel") == direct.value
    assert found == {f"novel.{name}": value for name, value in direct.details.items()}
    assert 0 <= found["novel.linear"] <= 1
