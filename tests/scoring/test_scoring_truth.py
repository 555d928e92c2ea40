"""The table tells the truth: intervals, chance, copies, direction, warnings; and what an interrupt leaves stands."""

import numpy as np
import pandas as pd
import pytest

import dbench
from dbench.codes import FunctionSource, GridSource, Sample
from dbench.codes.arrays import read_arrays
from dbench.codes.reading import CodesFile
from dbench.errors import InvalidInput, UnknownName
from dbench.metrics import dci, mig
from dbench.metrics.registry import find_variant
from dbench.scoring import Scores, score, score_codes
from dbench.scoring.compute import REPEATS, STOPPED, compute
from dbench.scoring.inputs import prepared
from dbench.scoring.plan import PLAN

RNG = np.random.default_rng(0)
FACTORS = RNG.integers(0, [3, 4, 2], size=(600, 3))
CODES = np.concatenate([FACTORS + RNG.normal(0, 0.4, FACTORS.shape), RNG.normal(size=(600, 1))], axis=1)
NAMES = ("shape", "size", "hue")
METRICS = ["mig", "sap", "dci[forest]", "gaussian_total_correlation"]


@pytest.fixture(scope="module")
def scores() -> Scores:
    return score(CODES, FACTORS, metrics=METRICS, factor_names=NAMES)


def test_an_interval_holds_what_other_rows_of_the_same_law_score() -> None:
    law = FunctionSource(
        lambda n, rng: rng.integers(3, size=(n, 2)),
        lambda factors, rng: factors + rng.normal(0, 0.5, factors.shape),
        ("a", "b"),
    )
    truth = mig(law.sample(200_000, np.random.default_rng(9))).value
    streams = [np.random.default_rng(seed) for seed in range(20)]
    found = [score(law.sample(2_000, stream), metrics=["mig"]).records[0] for stream in streams]
    inside = sum(record["low"] <= truth <= record["high"] for record in found)
    assert inside >= 16  # of 20; 95% nominal, some bias of 2,000 rows
    assert np.mean([record["high"] - record["low"] for record in found]) < 0.1


def test_metrics_without_predictors_are_repeated_by_default_the_others_when_asked(scores: Scores) -> None:
    found = {record["metric"]: record for record in scores.records}
    assert (found["mig"]["repeats"], found["mig"]["repeated"]) == (REPEATS, "rows")
    assert found["mig"]["low"] < found["mig"]["score"] < found["mig"]["high"]
    assert (found["sap"]["repeats"], found["sap"]["low"]) == (0, None)
    (asked,) = compute(prepared(read_arrays(CODES, FACTORS)), metrics=["sap"], repeats=3)
    assert (asked.repeats, asked.item.varied) == (3, "split")
    assert asked.interval is not None
    (none,) = compute(prepared(read_arrays(CODES, FACTORS)), metrics=["mig"], repeats=0)
    assert none.interval is None
    assert none.score is not None


def test_an_interval_stays_within_the_bounds() -> None:
    copies = read_arrays(FACTORS * 1.0, FACTORS)
    for result in compute(prepared(copies), metrics=["sap[r2]", "mig", "irs"]):
        low, high = result.interval or (np.nan, np.nan)
        assert -1 <= low <= high <= 1


def test_chance_and_copies_of_dci_are_what_shuffled_codes_and_exact_copies_score(scores: Scores) -> None:
    found = {record["metric"]: record for record in scores.records}["dci[forest]"]
    assert found["copies"] > 0.95 > 0.5 > found["chance"]
    exact = dci(FACTORS * 1.0, FACTORS, estimator="forest", generator=np.random.default_rng(0)).value
    assert found["copies"] == pytest.approx(exact, abs=0.02)


def test_every_direction_is_declared(scores: Scores) -> None:
    lower = {name for name, item in PLAN.items() if item.better == "lower"}
    assert {name.partition("[")[0] for name in lower} == {"gaussian_total_correlation", "code_mutual_information"}
    assert {name for name, item in PLAN.items() if item.better is None} == {"informative_codes"}
    for name in lower | {"mig"}:  # tested on codes that are better beyond doubt
        if PLAN[name].needs == "posterior":
            continue
        mixed = CODES @ np.ones((4, 4)) + CODES
        good, bad = (score(codes, FACTORS, metrics=[name], repeats=0)[name] for codes in (CODES, mixed))
        assert (good < bad) == (PLAN[name].better == "lower"), name
    assert "\u2193" in str(scores)


def test_where_a_score_says_little_it_says_so() -> None:
    one = score(CODES, FACTORS[:, 0], metrics=["med", "irs", "mig"], repeats=0)
    said = {record["metric"]: record["warnings"] for record in one.records}
    assert said["med"] == said["irs"] == ["with one factor no code can mix two: near 1 whatever the codes"]
    assert said["mig"] == []
    few = score(CODES[:40], FACTORS[:40], metrics=["mig"], repeats=0).records[0]
    assert few["warnings"] == ["few rows (40): estimates from fewer than 500 are rough and biased"]


def test_every_way_in_gives_the_same_numbers(tmp_path) -> None:
    np.savez(tmp_path / "c.npz", codes=CODES, factors=FACTORS)
    options = {"metrics": ["mig", "sap"], "repeats": 2}
    ways = [
        (CODES, FACTORS),
        (Sample(CODES, FACTORS),),
        (Sample(CODES, FACTORS * 1.0, kinds=("discrete",) * 3),),
        (str(tmp_path / "c.npz"),),
    ]
    ways += [(pd.DataFrame(CODES), pd.DataFrame(FACTORS)), (CODES, FACTORS / 8)]
    tables = [score_codes(*way, **options) for way in ways]
    for table in tables[1:]:
        pd.testing.assert_frame_equal(tables[0], table)
    continuous = score_codes(CODES, FACTORS / 8, continuous="*", **options)
    assert not continuous["score"].equals(tables[0]["score"])


@pytest.mark.parametrize("wrap", [lambda sample: sample, lambda sample: CodesFile("a", sample, tuple("abcd"), 600)])
def test_a_sample_has_its_kinds(wrap) -> None:
    sample = Sample(CODES, FACTORS * 1.0, NAMES, ("text", "continuous", "discrete"))
    for name in ("mig", "sap[r2]", "modularity"):
        assert score(wrap(sample), metrics=[name], repeats=0)[name] == find_variant(name)(sample).value
    with pytest.raises(InvalidInput, match="continuous must come with arrays or a file"):
        score(wrap(sample), continuous=["shape"])


def test_scores_are_numbers_tables_and_pages(scores: Scores) -> None:
    assert isinstance(scores["mig"], float)
    assert dbench.score is score
    assert "shape" in str(scores)
    assert "<table>" in scores._repr_html_()
    with pytest.raises(UnknownName, match="unknown score 'migg'; did you mean 'mig'"):
        scores["migg"]
    with pytest.raises(InvalidInput, match="udr has no score: compares several models"):
        score(CODES, FACTORS, metrics=["udr"])["udr"]


def test_quick_metrics_come_first_and_an_interrupt_keeps_them() -> None:
    seen: list[str] = []

    def stop(item: object, number: int, total: int, found: object) -> None:
        seen.append(item.name)  # type: ignore[attr-defined]
        if item.speed != "fast":  # type: ignore[attr-defined]
            raise KeyboardInterrupt

    results = {r.item.name: r for r in compute(prepared(read_arrays(CODES, FACTORS)), repeats=0, progress=stop)}
    assert all(PLAN[name].speed == "fast" for name in seen[:-1])
    assert results["mig"].score is not None
    assert {name for name, r in results.items() if r.reason == STOPPED} == {
        name for name, item in PLAN.items() if item.speed == "slow"
    }


@pytest.mark.parametrize("value", [-1, 1.5, True])
@pytest.mark.parametrize("option", ["repeats", "seed"])
def test_repeats_and_seeds_are_counts(option: str, value: float) -> None:
    with pytest.raises(InvalidInput, match=f"{option} must be an integer of at least 0"):
        score(CODES, FACTORS, metrics=["mig"], **{option: value})


def test_the_source_that_is_given_is_asked_and_must_have_the_factors_that_vary() -> None:
    grid = np.indices((3, 4, 5)).reshape(3, -1).T
    noisy = FunctionSource(
        lambda n, rng: rng.integers((3, 4, 5), size=(n, 3)), lambda factors, rng: rng.normal(size=factors.shape)
    )
    own, given = (score(1.0 * grid, grid, metrics=["factor_vae"], repeats=0, source=s) for s in (None, noisy))
    assert own["factor_vae"] == 1.0
    assert given["factor_vae"] < 0.6


@pytest.mark.parametrize("names", [(), NAMES])
def test_a_factor_that_is_constant_in_the_sample_is_held_in_the_source(names) -> None:
    asked = []

    def encode(factors, rng):
        asked.append(factors[:, 0])
        return factors + rng.normal(size=factors.shape)

    source = FunctionSource(lambda n, rng: rng.integers((3, 4, 5), size=(n, 3)), encode, names)
    grid = np.indices((3, 4, 5)).reshape(3, -1).T[20:40]  # the first stays at 1
    asked.clear()
    scores = score(1.0 * grid, grid, factor_names=NAMES, metrics=["factor_vae"], source=source)
    assert (np.concatenate(asked[1:]) == 1).all()
    (record,) = scores.records
    assert set(record["per_factor"]) == {"size", "hue"}
    assert not any("leaves out" in warning for warning in record["warnings"])


@pytest.mark.parametrize("names", [("size", "shape", "hue"), ("shape", "hue"), (*NAMES, "more")])
def test_a_source_of_other_factors_is_refused(names) -> None:
    source = FunctionSource(
        lambda n, rng: rng.integers(3, size=(n, len(names))), lambda factors, _: 1.0 * factors, names
    )
    with pytest.raises(
        InvalidInput, match="source must have the factors of the sample in their order, shape, size, hue, got"
    ):
        score(CODES, FACTORS, factor_names=NAMES, source=source)


def test_rows_that_are_no_grid_get_no_score_of_a_grid_whatever_the_source() -> None:
    grid = np.indices((4, 4)).reshape(2, -1).T
    source = GridSource(1.0 * grid, (4, 4))
    (record,) = score(CODES[:, :2], FACTORS[:, :2], metrics=["irs[crossed]"], source=source).records
    assert record["reason"].startswith("needs every combination of factor values exactly once")
    law = FunctionSource(lambda n, rng: rng.integers(4, size=(n, 2)), lambda factors, _: 1.0 * factors)
    assert score(1.0 * grid, grid, metrics=["irs[crossed]"], source=law)["irs[crossed]"] == 1.0


def test_metrics_that_read_labels_as_numbers_take_any_number_of_them() -> None:
    many = RNG.permutation(3_000) // 2
    for name in ("mcc", "r2"):
        assert score(many + RNG.normal(size=3_000), many, metrics=[name], repeats=0)[name] > 0.99


def test_of_independent_factors_rows_that_share_a_value_score_what_interventions_score() -> None:
    mix = np.array([[1.0, 0.5], [0.5, 1.0]])  # two noisy codes that each know one factor better than the other
    law = FunctionSource(
        lambda n, rng: rng.integers([4, 6], size=(n, 2)),
        lambda factors, rng: factors @ mix + rng.normal(0, 2, factors.shape),
        ("a", "b"),
    )
    rows = law.sample(6_000, np.random.default_rng(1))
    assert len(np.unique(rows.factors, axis=0)) < len(rows)  # no full grid, but each combination many times
    names = ["factor_vae", "beta_vae_metric"]
    observed, asked = score(rows, metrics=names), score(rows, source=law, metrics=names)
    for name, record in zip(sorted(names), observed.records, strict=True):
        assert observed[name] == pytest.approx(asked[name], abs=0.03)
        assert asked[name] < 0.95  # no score that anything reaches
        assert "as if factors were independent (most dependent: a and b, 0.00 of" in record["warnings"][0]
        assert record["repeats"] == 0


def test_of_dependent_factors_rows_score_otherwise_and_the_warning_says_how_dependent() -> None:
    def draw(n, rng):  # type: ignore[no-untyped-def]
        a = rng.integers(4, size=n)
        return np.stack([a, np.where(rng.random(n) < 0.9, a, rng.integers(4, size=n))], axis=1)

    copies = FunctionSource(draw, lambda factors, rng: factors + rng.normal(0, [0.1, 0.8], factors.shape), ("a", "b"))
    grid = np.indices((4, 4)).reshape(2, -1).T
    independent = FunctionSource(lambda n, rng: grid[rng.integers(16, size=n)], copies.codes, ("a", "b"))
    rows = copies.sample(6_000, np.random.default_rng(1))
    found = score(rows, metrics=["factor_vae"])
    assert score(rows, source=independent, metrics=["factor_vae"])["factor_vae"] == 1.0
    assert found["factor_vae"] < 0.6  # whichever is held, the cleaner code stands stiller
    share = float(found.records[0]["warnings"][0].rpartition(" of their entropy")[0].rpartition(" ")[2])
    assert share > 0.5
