"""Every figure draws, and shows the numbers of its evidence."""

import io

import numpy as np
import pytest

from dbench.claims.ledger import ledger
from dbench.errors import EvidenceLacking, UnknownName
from dbench.metrics.groups import independent_groups_curve, merge_order
from dbench.scoring.style import number
from dbench.stats import rank_correlation
from dbench.zoo.store import Store
from dbench_published.figures import agreements, interventions, scatters, structure, sweeps
from dbench_published.figures.card import FIGURES
from dbench_published.figures.draw import ORDER, alt_text
from dbench_published.figures.lookup import labels_of_models, models_of, of_models
from dbench_published.figures.models import models_of_store


@pytest.mark.parametrize("name", ORDER)
def test_every_figure_draws_in_words_too_and_names_findings_about_trained_models(name, subjects):
    card = FIGURES[name]
    assert card.claims
    for claim in card.claims:
        assert "zoo" in ledger()[claim].evidence
    drawn = card.draw(subjects[card.of])
    drawn.set_layout_engine("none")  # which takes most of the time, and nothing of ours
    drawn.savefig(io.BytesIO(), format="png", dpi=40)
    assert drawn.axes
    text = alt_text(card, drawn)
    assert text.startswith(card.title)
    assert "panel" in text


def test_models_and_their_scores_have_one_order(population):
    models, mig = models_of(population), of_models(population, "mig")
    assert len(models) == len(mig) == 18
    for model in models:
        column = [float(s) for s in population.strengths(model.objective)].index(model.strength)
        assert mig[model.row] == population.scores("mig", model.objective)[model.seed, column]
    assert list(labels_of_models(population)) == [model.objective for model in models]


def test_a_sweep_shows_every_run_and_the_medians(population):
    drawn = sweeps.tc_of_samples(population)
    for panel, objective in zip(drawn.axes[:2], ("beta_vae", "dip_vae_i"), strict=True):
        values = population.scores("gaussian_tc.sampled", objective)
        assert np.array_equal(panel.collections[0].get_offsets()[:, 1], values.ravel())
        assert np.array_equal(panel.lines[0].get_ydata(), np.median(values, axis=0))


def test_violins_mark_the_medians_of_their_objectives(population):
    panel = sweeps.scores_by_objective(population).axes[2]
    assert panel.get_title(loc="left") == "MIG"
    for line, objective in zip(panel.lines, ("beta_vae", "dip_vae_i"), strict=True):
        assert line.get_ydata()[0] == np.median(population.scores("mig", objective))


def test_thirds_of_models_are_boxed_by_their_own_accuracies(population):
    panel = sweeps.downstream_by_group(population).axes[0]
    dci, accuracy = of_models(population, "dci"), of_models(population, "downstream.logistic.10")
    best = accuracy[np.argsort(dci)[-6:]]
    medians = sorted({float(line.get_ydata()[0]) for line in panel.lines if len(line.get_ydata()) == 2})
    assert any(np.isclose(np.median(best), value) for value in medians)


def test_points_of_a_scatter_are_the_scores_of_the_models(population):
    drawn = scatters.tc_mean_and_sampled(population)
    points = np.concatenate([c.get_offsets() for c in drawn.axes[0].collections])
    expected = np.column_stack([of_models(population, f"gaussian_tc.{kind}") for kind in ("sampled", "mean")])
    assert sorted(map(tuple, points.tolist())) == sorted(map(tuple, expected.tolist()))


def test_a_heat_map_holds_the_rank_correlations_and_prints_them(population):
    panel = agreements.metric_correlations(population).axes[0]
    shown = np.asarray(panel.collections[0].get_array()).reshape(7, 7)
    mig, dci = (of_models(population, score) for score in ("mig", "dci"))
    assert shown[2, 3] == rank_correlation(mig, dci)
    assert number(shown[2, 3]) in [text.get_text() for text in panel.texts]
    assert np.diag(shown).tolist() == [1.0] * 7


def test_an_aggregation_is_compared_across_matrices_and_not_with_another(population):
    drawn = agreements.one_aggregation_of_matrices(population)
    first, second = (of_models(population, f"blend.{kind}.mig") for kind in ("importance", "mutual_information"))
    shown = np.asarray(drawn.axes[2].collections[0].get_array()).reshape(3, 3)
    assert shown[0, 1] == rank_correlation(first, second)


def test_a_hinton_diagram_has_areas_in_proportion(population):
    best = int(of_models(population, "dci").argmax())
    drawn = structure.groups_by_importance(population)
    matrix = np.array(
        [[of_models(population, f"relation.importance.{j}.{i}")[best] for j in range(3)] for i in range(4)]
    )
    boxes = [path.get_extents() for path in drawn.axes[0].collections[0].get_paths()]
    areas = np.array([box.width * box.height for box in boxes]).reshape(4, 3)
    np.testing.assert_allclose(areas / areas.max(), matrix / matrix.max(), rtol=1e-9)
    curve = next(line for line in drawn.axes[3].lines if line.get_label() == "groups of factors")
    assert set(curve.get_ydata()) == {0, *independent_groups_curve(matrix).groups}
    merges = drawn.axes[6].collections
    upright = {round(float(c.get_segments()[0][0][0]), 9) for c in merges if _is_upright(c)}
    assert upright == {round(merge.threshold, 9) for merge in merge_order(matrix)}


def _is_upright(collection):
    if not hasattr(collection, "get_segments") or len(collection.get_segments()) != 1:
        return False
    (x0, y0), (x1, y1) = collection.get_segments()[0]
    return x0 == x1 and y0 != y1


def test_lines_of_interventions_are_means_over_the_grid_and_flat_for_copies_of_factors(models):
    drawn = interventions.interventional_effects(models)
    factors, codes = models.best.data.grid(), models.best.codes[0]
    panels = drawn.axes[: factors.shape[1]]
    own = next(j for j, panel in enumerate(panels) if panel._left_title.get_fontweight() == "bold")
    code = int(panels[0].get_ylabel().split()[1])
    assert code == own  # code j of the best run copies factor j
    means = [codes[factors[:, own] == level, code].mean() for level in range(models.best.data.factor_sizes[own])]
    np.testing.assert_allclose(panels[own].lines[0].get_ydata(), means, rtol=1e-6, atol=1e-9)
    for j, panel in enumerate(panels):
        if j != own:
            assert len(panel.lines) == models.best.data.factor_sizes[own]
            assert all(np.ptp(line.get_ydata()) < 1e-9 for line in panel.lines)


def test_matrices_of_a_run_that_copies_the_factors_have_their_largest_squares_on_the_diagonal(models):
    drawn = interventions.dependency_matrices(models)
    for panel in drawn.axes[:3]:
        boxes = [path.get_extents() for path in panel.collections[0].get_paths()]
        largest = [box for box in boxes if box.width > 0.9 and not np.isclose(box.x0, box.x1)]
        assert largest
        for box in largest:
            assert round((box.x0 + box.x1) / 2) == round((box.y0 + box.y1) / 2)


def test_the_best_and_the_worst_run_are_those_of_the_highest_and_the_lowest_mig(models, store):
    assert (models.best.key.seed, models.worst.key.seed) == (0, 1)
    with pytest.raises(UnknownName, match="dsprites_grid_16"):
        models_of_store(store, data=["dsprites"])


def test_a_store_without_scores_is_told_apart(tmp_path):
    with pytest.raises(EvidenceLacking, match="zoo score"):
        models_of_store(Store(tmp_path / "empty"))


def test_the_uninformative_codes_of_a_run_are_known(models):
    assert sorted(models.best.active) == [0, 1, 2, 3, 4]
