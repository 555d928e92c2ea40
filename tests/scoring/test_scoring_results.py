import json
import math
import os
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from joblib import effective_n_jobs
from sklearn.ensemble import RandomForestClassifier
from threadpoolctl import threadpool_limits

from dbench.codes import Sample
from dbench.codes.arrays import read_arrays
from dbench.codes.reading import CodesFile
from dbench.errors import InvalidInput
from dbench.metrics import METRICS, mig, sap
from dbench.scoring import score, score_codes
from dbench.scoring.compute import compute
from dbench.scoring.inputs import LEARNED_ROWS, grid_source, prepared
from dbench.scoring.plan import PLAN, choose
from dbench.scoring.scores import COLUMNS, Scores
from dbench.seeds import generator

GRID = np.indices((3, 4, 2)).reshape(3, -1).T
RNG = np.random.default_rng(0)


def noisy(factors: np.ndarray, more: int = 1) -> Sample:
    codes = np.concatenate([factors + RNG.normal(0, 0.1, factors.shape), RNG.normal(size=(len(factors), more))], axis=1)
    return Sample(codes, factors)


def seen(codes: Sample | CodesFile) -> CodesFile:
    """What :func:`dbench.score` makes of a sample or a file, before any metric is asked."""
    if isinstance(codes, Sample):
        codes = read_arrays(codes.codes, codes.factors, factor_names=codes.factor_names)
    return prepared(codes)


SAMPLE = noisy(RNG.integers(0, [3, 4, 2], size=(300, 3)))


def reasons(sample: Sample | CodesFile, **options: object) -> dict[str, str]:
    results = compute(seen(sample), fast=True, repeats=0, **options)  # type: ignore[arg-type]
    return {result.item.name: result.reason for result in results}


def test_the_plan_knows_which_metrics_are_for_labels_only() -> None:
    sample = Sample(RNG.normal(size=(60, 2)), RNG.normal(size=(60, 2)))
    for item in choose():
        if item.needs == "sample" and item.labels:
            with pytest.raises(InvalidInput, match="discrete"):
                item.function(sample, **item.options)
        elif item.name == "dci[suter]":
            with pytest.raises(InvalidInput, match="at least 1600 training observations"):
                item.function(sample, **item.options)
        elif item.needs == "sample":
            assert math.isfinite(item.function(sample, **item.options))


def test_the_cards_name_just_the_variants_that_are_computed() -> None:
    named = {f"{name}[{variant}]" for name, function in METRICS.items() for variant in function.card.variants}
    assert named == {name for name in PLAN if "[" in name}
    tried = {"dci[lasso]", "dci[suter]", "sap[r2]", "downstream[gbt]", "statistical_efficiency[gbt]", "mcc[spearman]"}
    for name in tried | {"mcc", "r2", "r2[nonlinear]"}:
        item = PLAN[name]
        options = {"sizes": (20,)} if "downstream" in name else {"few": 10, "many": 20} if "efficiency" in name else {}
        sample = Sample(np.tile(SAMPLE.codes, (9, 1)), np.tile(SAMPLE.factors, (9, 1)))
        assert item.function(sample, **item.options, **options).metric == name


def test_scores_are_those_of_the_metric_with_the_stream_of_its_name_and_seed() -> None:
    table = score_codes(SAMPLE, metrics=["mig", "sap"], seed=5)
    got = table[table["part"] == "score"].set_index("metric")["score"]
    assert got["mig"] == mig(SAMPLE).value
    assert got["sap"] == sap(SAMPLE, generator=generator(metric="sap", seed=5)).value
    assert got["sap"] != sap(SAMPLE, generator=generator(metric="sap", seed=6)).value


def test_a_score_does_not_depend_on_which_others_are_computed_nor_on_the_run() -> None:
    alone = score_codes(SAMPLE, metrics=["sap"], seed=1)
    among = score_codes(SAMPLE, metrics=["mig", "sap", "snc"], seed=1)
    pd.testing.assert_frame_equal(alone, among[among["metric"] == "sap"].reset_index(drop=True))
    other = score_codes(SAMPLE, metrics=["sap"], seed=2)
    assert not alone["score"].equals(other["score"])


def test_the_table_is_long_and_names_factors_and_codes() -> None:
    table = score_codes(Sample(SAMPLE.codes, SAMPLE.factors, ("shape", "size", "hue")), metrics=["mig", "dci[forest]"])
    assert tuple(table.columns) == COLUMNS
    assert list(table.query("metric == 'mig' and part == 'factor'")["name"]) == ["shape", "size", "hue"]
    assert list(table.query("metric == 'dci[forest]' and part == 'code'")["name"]) == [f"code_{i}" for i in range(4)]
    assert set(table.query("metric == 'dci[forest]' and part == 'detail'")["name"]) >= {"completeness"}
    assert table.attrs["seed"] == 0
    assert "numpy" in table.attrs["versions"]


def test_records_hold_the_numbers_of_the_table() -> None:
    scored = seen(SAMPLE)
    names = ["dci[forest]", "factor_vae", "informative_codes", "irs[crossed]", "linear_accuracy", "mig"]
    scores = Scores(scored, compute(scored, metrics=names, repeats=2))
    records, table = scores.records, scores.frame
    json.dumps(records, allow_nan=False)
    for record in records:
        rows = table[table["metric"] == record["metric"]]
        if record["score"] is None:
            assert list(rows["part"]) == ["skipped"]
            assert list(rows["reason"]) == [record["reason"]]
            assert record["reason"]
            continue
        own = rows[rows["part"] == "score"].replace({np.nan: None}).iloc[0]
        for column in COLUMNS[3:9]:
            assert own[column] == record[column]
        for part, key in (("factor", "per_factor"), ("code", "per_code"), ("detail", "details")):
            found = rows[rows["part"] == part]
            assert dict(zip(found["name"], found["score"], strict=True)) == (record[key] or {})


def test_a_full_grid_is_a_source_whatever_its_order_and_labels() -> None:
    order = RNG.permutation(len(GRID))
    codes = GRID * 1.0
    sample = Sample(codes[order], (GRID * 10 - 7)[order])
    for source in (grid_source(sample), grid_source(sample, factor_sizes=(3, 4, 2))):
        assert source is not None
        np.testing.assert_array_equal(source.grid_codes, codes)
        assert source.factor_sizes == (3, 4, 2)
    assert grid_source(sample, factor_sizes=(3, 5, 2)) is None
    for factors in (GRID[:-1], np.concatenate([GRID[:-1], GRID[:1]]), np.concatenate([GRID, GRID]), GRID + 0.5):
        assert grid_source(Sample(np.zeros((len(factors), 1)), factors)) is None


def test_metrics_that_intervene_are_computed_on_a_grid_and_explained_elsewhere() -> None:
    scored = seen(noisy(GRID))
    assert "full factor grid" in scored.notes[0]
    few = Sample(SAMPLE.codes[:39], np.arange(39)[:, None] % 4)
    on_grid, rows, elsewhere = reasons(noisy(GRID)), reasons(SAMPLE), reasons(few)
    for name in ("factor_vae", "beta_vae_metric"):
        assert on_grid[name] == rows[name] == ""
        assert "each value in ten rows on average, or --encoder" in elsewhere[name]
    assert on_grid["irs[crossed]"] == ""
    assert "every combination of factor values exactly once, or --encoder" in rows["irs[crossed]"]


def test_constant_factors_are_left_out_and_named() -> None:
    factors = np.concatenate([SAMPLE.factors, np.full((300, 1), 7)], axis=1)
    scored = seen(Sample(SAMPLE.codes, factors, ("a", "b", "c", "still")))
    assert scored.notes == ("Constant factors are left out, nothing can be said of them: still.",)
    assert scored.sample.factor_names == ("a", "b", "c")
    (found,) = compute(scored, metrics=["mig"])
    assert found.score is not None
    assert found.score.value == mig(SAMPLE).value


def test_degenerate_metrics_give_a_reason_and_leave_the_others_alone() -> None:
    found = reasons(Sample(SAMPLE.codes, np.zeros((300, 2), dtype=int)))
    assert "at least 2 values" in found["mig"]
    assert found["gaussian_total_correlation"] == ""


def test_what_is_peculiar_is_said() -> None:
    for sample, words in (
        (Sample(np.ones((50, 2)), SAMPLE.factors[:50]), "Constant codes: code_0, code_1."),
        (Sample(SAMPLE.codes[:, :2], SAMPLE.factors), "fewer codes (2) than factors (3)"),
        (Sample(SAMPLE.codes[:10], SAMPLE.factors[:10]), "fewer observations (10) than the 20 bins"),
        (Sample(SAMPLE.codes, np.arange(300)[:, None]), "Most rows have a value of their own of factor_0"),
    ):
        assert any(words in note for note in seen(sample).notes)
    assert seen(SAMPLE).notes == ()


@pytest.mark.parametrize("n", [1, 2, 3, 6])
@pytest.mark.parametrize("constant", [True, False])
def test_any_few_rows_have_an_answer(n: int, constant: bool) -> None:
    codes = np.ones((n, 2)) if constant else SAMPLE.codes[:n]
    for result in compute(seen(Sample(codes, SAMPLE.factors[:n]))):
        assert (result.score is None) == bool(result.reason)
        if result.score is not None and result.item.needs != "source":
            assert f"few rows ({n})" in " ".join(result.warnings)


def test_continuous_factors_skip_the_metrics_for_labels_only() -> None:
    found = reasons(Sample(SAMPLE.codes, SAMPLE.factors + RNG.normal(size=SAMPLE.factors.shape)))
    assert {name for name, why in found.items() if why.startswith("is defined for labels")} == {
        item.name for item in choose() if item.labels and item.speed == "fast"
    }
    assert found["mig"] == ""


def test_a_factor_of_too_many_values_is_not_fitted() -> None:
    found = reasons(Sample(RNG.normal(size=(2000, 2)), np.arange(2000)[:, None]))
    for name in ("sap", "snc"):
        assert found[name].startswith("fits a predictor for each factor value, at most 1,000")


def test_metrics_that_fit_predictors_see_as_many_rows_as_in_the_papers() -> None:
    factors = RNG.integers(3, size=(LEARNED_ROWS + 1, 1))
    results = compute(seen(Sample(factors * 1.0, factors)), metrics=["mig", "linear_accuracy"])
    assert {r.item.name: r.rows for r in results} == {"mig": LEARNED_ROWS + 1, "linear_accuracy": LEARNED_ROWS}


def test_the_slow_ones_are_left_out_by_name_unless_asked_for() -> None:
    found = reasons(SAMPLE)
    named = {"dci", "downstream[gbt]", "statistical_efficiency[gbt]"}
    assert {name for name, why in found.items() if why.startswith("slow")} == {
        i.name for i in choose() if i.speed == "slow"
    }
    assert {name for name, why in found.items() if "where asked for by name" in why} == named
    assert compute(seen(SAMPLE), metrics=["nk"], fast=True)[0].score is not None


def test_a_metric_that_breaks_does_not_take_the_others_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(sample: Sample) -> None:
        np.linalg.cholesky(-np.eye(2))

    monkeypatch.setitem(PLAN, "mig", replace(PLAN["mig"], function=broken))  # type: ignore[arg-type]
    found = reasons(SAMPLE)
    assert found["mig"].startswith("LinAlgError")
    assert found["med"] == ""


def test_forests_grow_in_as_many_threads_as_numpy_may_use_and_come_out_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sample, seen = noisy(RNG.integers(0, [3, 4, 2], size=(2_000, 3))), list[int]()
    fit = RandomForestClassifier.fit

    def counted(self: RandomForestClassifier, *given: object) -> RandomForestClassifier:
        seen.append(effective_n_jobs(None))
        return fit(self, *given)

    monkeypatch.setattr(RandomForestClassifier, "fit", counted)
    values = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            values.append(score(sample, metrics=["dci[forest]"], repeats=0).results[0].score)
    assert set(seen[:3]) == {1}
    assert set(seen[3:]) == {min(2, os.cpu_count() or 1)}
    assert np.array_equal(*(value.relation for value in values if value is not None))
