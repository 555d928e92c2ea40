"""Plots: what stands in them is what was given, on the axes that were given."""

import builtins

import numpy as np
import pytest

import dbench
from dbench import plot
from dbench.errors import DbenchError, InvalidInput, UnknownName
from dbench.scoring import Watch

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

RNG = np.random.default_rng(0)
FACTORS = RNG.integers(4, size=(600, 2))
CODES = np.concatenate([FACTORS + 0.2 * RNG.normal(size=(600, 2)), RNG.normal(size=(600, 1))], axis=1)
METRICS = ["mig", "sap[r2]", "gaussian_total_correlation", "dci[forest]"]


@pytest.fixture(scope="module")
def scores():
    return dbench.score(CODES, {"shape": FACTORS[:, 0], "size": FACTORS[:, 1]}, metrics=METRICS)


@pytest.fixture(autouse=True)
def _closed():
    yield
    pyplot.close("all")


def texts(labels):
    return [label.get_text() for label in labels]


def test_relations_are_a_heat_map_with_names_and_numbers(scores):
    axes = plot.relations(scores)
    matrix = scores.results[-2].score.relation
    assert scores.results[-2].item.name == "mig"
    assert np.array_equal(axes.images[0].get_array(), matrix)
    assert texts(axes.get_xticklabels()) == ["shape", "size"]
    assert texts(axes.get_yticklabels()) == ["code_0", "code_1", "code_2"]
    assert texts(axes.texts) == [f"{value:.2f}" for value in matrix.ravel()]
    assert axes.get_title(loc="left") == "Mutual information (nats)"
    assert np.array_equal(
        plot.relations(scores, "forest_importance").images[0].get_array(), scores.relations["forest_importance"][1]
    )
    with pytest.raises(UnknownName, match="unknown relation 'forest'"):
        plot.relations(scores, "forest")
    with pytest.raises(InvalidInput, match="factors must be 2 names, got 1"):
        plot.relations(matrix, factors=["a"])


def test_many_relations_have_a_colour_bar_in_place_of_numbers_and_signs_two_colours():
    axes = plot.relations(RNG.normal(size=(40, 10)))
    assert not axes.texts
    assert len(axes.figure.axes) == 2
    assert axes.images[0].norm.vmin == -axes.images[0].norm.vmax


def test_scores_are_dots_with_intervals_beside_chance_and_copies(scores):
    axes = scores.plot()
    assert texts(axes.get_yticklabels()) == ["dci[forest]", "mig", "sap[r2]"]  # a correlation has no upper bound
    lines = {line.get_label(): line for line in axes.lines}
    shown = [result for result in scores.results if result.item.name != "gaussian_total_correlation"]
    assert lines["score"].get_xdata().tolist() == [result.score.value for result in shown]
    assert list(lines["chance"].get_xdata()) == [result.chance for result in shown]
    drawn = [segment[:, 0].tolist() for segment in axes.collections[-1].get_segments()]
    assert drawn[1:] == [list(result.interval) for result in shown[1:]]


def test_models_stand_beside_each_other_with_their_intervals(scores):
    rotated = dbench.score(CODES @ np.linalg.qr(RNG.normal(size=(3, 3)))[0], FACTORS, metrics=METRICS)
    axes = plot.models({"plain": scores, "rotated": rotated}, ["mig", "sap[r2]"])
    assert [line.get_xdata().tolist() for line in axes.lines] == [
        [one["mig"], one["sap[r2]"]] for one in (scores, rotated)
    ]
    assert texts(axes.get_legend().get_texts()) == ["plain", "rotated"]
    with pytest.raises(UnknownName, match="unknown score 'irs'"):
        plot.models({"plain": scores}, "irs")
    with pytest.raises(InvalidInput, match="at least one model and one metric, got 0 and 2"):
        plot.models({})


def test_a_training_is_a_line_over_its_steps():
    watch = Watch("dsprites_grid_16", metrics=["mig", "sap[r2]"], rows=500)
    for step in (0, 5):
        watch(lambda images, step=step: images.reshape(len(images), -1)[:, 100 + step : 110], step)
    axes = plot.training(watch)
    assert texts(axes.get_legend().get_texts()) == ["mig", "sap[r2]"]
    assert axes.lines[0].get_xdata().tolist() == [0, 5]
    assert axes.lines[1].get_ydata().tolist() == [entry["sap[r2]"] for entry in watch.history]
    two = plot.training({"a": watch, "b": watch.history[:1]}, "mig")
    assert (two.get_ylabel(), texts(two.get_legend().get_texts())) == ("mig", ["a", "b"])
    with pytest.raises(InvalidInput, match="got an empty history"):
        plot.training([])
    with pytest.raises(UnknownName, match="unknown watched metric 'irs'"):
        plot.training(watch, ["irs"])


def decode(z):
    return np.clip(np.tile(z[:, :1, None, None], (1, 1, 4, 4)) / 6 + 0.5, 0, 1)


def test_traversals_move_one_code_a_row():
    axes = plot.traversals(decode, np.zeros((5, 2)), row=1)
    sheet = axes.images[0].get_array()[..., 0]
    assert sheet[0, ::6].tolist() == pytest.approx(np.linspace(0, 1, 9), abs=1e-6)  # images of 4, and gaps of 2 pixels
    assert set(sheet[6, ::6]) == {0.5}  # the second code changes nothing
    assert texts(axes.get_yticklabels()) == ["0", "1"]
    spread = np.array([[0.0, -4.0]] * 5)
    assert texts(plot.traversals(decode, np.zeros((5, 2)), spread).get_yticklabels())[0].startswith("1  (")
    with pytest.raises(InvalidInput, match="row must be one of the 5 rows of codes, got 5"):
        plot.traversals(decode, np.zeros((5, 2)), row=5)


def test_every_plot_draws_on_the_axes_given(scores):
    history = [{"step": 0, "mig": 0.1}]
    _, axes = pyplot.subplots(1, 5)
    drawn = [
        plot.relations(scores, ax=axes[0]),
        plot.scores(scores, ax=axes[1]),
        plot.models({"a": scores}, ax=axes[2]),
        plot.training(history, ax=axes[3]),
        plot.traversals(decode, np.zeros((5, 2)), ax=axes[4]),
    ]
    assert drawn == list(axes)
    assert pyplot.get_fignums() == [axes[0].figure.number]
    assert all(one.has_data() for one in axes)


def test_without_matplotlib_a_plot_names_the_extra(scores, monkeypatch):
    real = builtins.__import__

    def without(name, *rest):
        if name.startswith("matplotlib"):
            raise ModuleNotFoundError(name=name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(DbenchError, match=r"plots need matplotlib: pip install 'dbench\[figures\]'"):
        scores.plot()
