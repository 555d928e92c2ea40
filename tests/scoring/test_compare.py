"""Two models compared: differences, intervals that hold together, what another seed moves, and words."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import dbench
from dbench.codes.arrays import read_arrays
from dbench.errors import InvalidInput, UnknownName
from dbench.scoring.comparison import ALIKE, LARGE, SMALL, UNKNOWN, Difference
from dbench.scoring.compute import call
from dbench.scoring.plan import PLAN

RNG = np.random.default_rng(0)
FACTORS = RNG.integers(4, size=(400, 2))
NOISE = RNG.normal(size=(400, 3))
NEAR, FAR = FACTORS + 0.2 * NOISE[:, :2], np.hstack([FACTORS, FACTORS[:, :1]]) + 0.8 * NOISE
QUICK = ["mig", "sap[r2]", "modularity"]


def compared(models, factors=FACTORS, **options):
    return dbench.compare(models, factors, **{"metrics": QUICK, "repeats": 5, "progress": False} | options)


def test_differences_are_those_of_the_scores_whatever_the_widths():
    found = compared({"near": NEAR, "far": FAR})
    for name in QUICK:
        first, second = (dbench.score(codes, FACTORS, metrics=[name], repeats=0)[name] for codes in (NEAR, FAR))
        assert found[name].scores == (first, second)
        assert found[name].value == first - second
    assert found["mig"].verdict() == f"near above far, {LARGE}"
    assert compared({"far": FAR, "near": NEAR})["mig"].verdict() == f"near above far, {LARGE}"


def test_models_see_the_same_halves_and_draws():
    """Of the same codes in another order every difference is 0 in every half, also where draws decide."""
    turned = compared([NEAR, NEAR[:, ::-1]], metrics=[*QUICK, "factor_vae", "linear_accuracy"], repeats=2)
    for one in turned.differences:
        assert abs(one.value) < 1e-9
        assert one.error < 1e-9
        assert one.verdict() == ALIKE
        assert one.p == 1


def test_intervals_are_widened_for_the_number_that_is_asked_for():
    alone, three, six = (
        compared({"near": NEAR, "far": FAR}, metrics=["mig"]),
        compared({"near": NEAR, "far": FAR}),
        compared({"near": NEAR, "far": FAR, "again": FAR[:, 1:]}, metrics=["mig", "sap[r2]"]),
    )
    assert (alone.asked, three.asked, six.asked) == (1, 3, 6)
    deviation = alone["mig"].error / stats.t.ppf(0.975, 5)
    assert three["mig"].error == pytest.approx(deviation * stats.t.ppf(1 - 0.025 / 3, 5))
    assert six["mig"].error == pytest.approx(deviation * stats.t.ppf(1 - 0.025 / 6, 5))
    for found in (alone, three, six):  # the p value and the interval say the same
        for one in found.differences:
            assert (one.p < 0.05) == one.told_apart
    assert [one.models for one in six.differences[::2]] == [("near", "far"), ("near", "again"), ("far", "again")]


def test_the_error_is_that_of_other_rows():
    """The deviation over halves is the standard error on all rows, here of correlations, by their own law."""
    rng = np.random.default_rng(1)
    factors = rng.normal(size=(2_000, 1))
    codes = [factors + noise * rng.normal(size=factors.shape) for noise in (1, 2)]
    found = compared(codes, factors, metrics=["sap[r2]"], repeats=200)["sap[r2]"]
    # Of independent noise, by the delta method: r^2 has the standard error 2 r (1 - r^2) / sqrt(n), both share factors.
    squares = np.array([1 / 2, 1 / 5])
    alone = np.sqrt((4 * squares * (1 - squares) ** 2).sum() / len(factors))
    assert found.error / stats.t.ppf(0.975, 200) == pytest.approx(alone, rel=0.2)


def test_a_difference_that_is_the_same_in_every_half_has_an_interval_without_width():
    read = {
        name: read_arrays(codes, FACTORS, std=1 + 0 * codes) for name, codes in (("two", 9 * NEAR), ("no", 0 * NEAR))
    }
    found = compared(read, None, metrics=["informative_codes"])["informative_codes"]
    assert (found.scores, found.interval, found.p) == ((2.0, 0.0), (2.0, 2.0), 0.0)
    assert found.verdict().startswith("two above no")


@pytest.mark.parametrize(
    ("scores", "error", "another_seed", "said"),
    [
        ((0.5, 0.2), 0.1, 0.2, f"a above b, {LARGE}"),
        ((0.2, 0.5), 0.1, None, f"b above a; {UNKNOWN}"),
        ((0.5, 0.4), 0.05, 0.2, f"a above b, {SMALL}"),
        ((0.5, 0.4), 0.15, 0.2, ALIKE),
        ((0.5, 0.5 + 1e-12), 1e-13, 0.2, ALIKE),  # rounding
        ((0.5, 0.4), None, 0.2, ""),
        (None, None, 0.2, ""),
    ],
)
def test_a_verdict_in_words(scores, error, another_seed, said):
    one = Difference(item=PLAN["mig"], models=("a", "b"), scores=scores, error=error, another_seed=another_seed)
    assert one.verdict() == said


def test_samples_files_and_what_was_read_are_taken(tmp_path):
    np.savez(tmp_path / "near.npz", codes=NEAR, factors=FACTORS)
    np.savez(tmp_path / "far.npz", codes=FAR, factors=FACTORS)
    whole = compared([NEAR, FAR])["mig"]
    assert whole.models == ("A", "B")
    files = compared([tmp_path / "near.npz", str(tmp_path / "far.npz")], None)["mig"]
    assert (files.scores, files.error, files.models) == (whole.scores, whole.error, ("near.npz", "far.npz"))
    samples = {name: dbench.Sample(codes, FACTORS) for name, codes in (("near", NEAR), ("far", FAR))}
    assert compared(samples, None)["mig"].error == whole.error
    read = [read_arrays(codes, FACTORS, std=0 * codes + scale) for codes, scale in ((NEAR, 0.1), (FAR, 2))]
    found = compared(read, None, metrics=["informative_codes"])["informative_codes"]
    assert (found.scores, found.verdict()) == ((2.0, 3.0), f"B above A, {SMALL}")
    mixed = compared([read[0], read_arrays(FAR, FACTORS)], None, metrics=["mig", "informative_codes"])
    assert re.search(r"needs the posterior: .* \(B\)", mixed["informative_codes"].reason)


@pytest.mark.parametrize(("columns", "names"), [(("x", "y"), ("x", "y")), ((1, 2), ("A", "B"))])
def test_columns_of_a_frame_are_models_by_their_names_or_letters(columns, names):
    frame = pd.DataFrame(NEAR, columns=columns)
    assert compared([frame[name] for name in columns], metrics=["mig"]).names == names


def test_models_that_have_a_score_are_compared_though_others_lack_it(capsys):
    read = [read_arrays(codes, FACTORS, std=0 * codes + scale) for codes, scale in ((NEAR, 0.1), (FAR, 2))]
    found = compared([*read, read_arrays(FAR, FACTORS)], None, metrics=["mig", "informative_codes"])
    pairs = {one.models: one for one in found.differences if one.item.name == "informative_codes"}
    assert pairs["A", "B"].error is not None
    assert found.asked == 3 + 1
    assert all("needs the posterior" in pairs[models].reason for models in (("A", "C"), ("B", "C")))
    assert "Ctrl-C" not in str(found)


def test_halves_are_of_the_rows_that_a_metric_sees(monkeypatch):
    monkeypatch.setattr("dbench.scoring.inputs.LEARNED_ROWS", 200)
    seen = []

    def spy(item, codes, seed, **repeat):
        seen.append((item.name, len(codes.sample)))
        return call(item, codes, seed, **repeat)

    monkeypatch.setattr("dbench.scoring.comparing.call", spy)
    compared([NEAR, FAR], metrics=["mcc", "r2", "mig"], repeats=2)
    assert set(seen) == {("mcc", 100), ("r2", 100), ("mig", 200)}


def test_factors_may_be_text_or_continuous():
    named = {"shape": [f"s{value}" for value in FACTORS[:, 0]], "ink": NOISE[:, 2]}
    found = compared({"near": NEAR, "far": FAR}, named, metrics=["mig", "explicitness"])
    assert found["mig"].error > 0
    assert found.scores[0].file.sample.kinds == ("text", "continuous")


def test_what_cannot_be_compared_says_why():
    grid = np.indices((4, 5)).reshape(2, -1).T.repeat(1, axis=0)
    codes = grid + 0.1 * np.random.default_rng(0).normal(size=grid.shape)
    found = compared([codes, 2 * codes + grid[:, ::-1]], grid, metrics=["irs[crossed]", "udr", "mig"])
    assert found["irs[crossed]"].reason == "no interval: needs every row once"
    assert found["irs[crossed]"].scores
    assert found["udr"].reason.startswith("compares several models")
    assert found["mig"].error is not None
    rare = np.zeros((40, 1), dtype=int)
    rare[0] = 1
    few = compared([NEAR[:40], FAR[:40]], rare, metrics=["mig"], repeats=8)
    assert "half of the rows" in few["mig"].reason
    assert few["mig"].scores
    assert few.asked == 0


def test_wide_codes_more_codes_than_rows_and_single_codes_are_compared():
    wide = np.random.default_rng(0).normal(size=(60, 1_200))
    found = compared([wide, NEAR[:60, :1]], FACTORS[:60], metrics=["mig", "mcc"])
    assert all(one.error is not None for one in found.differences)
    unnamed = dbench.compare([wide, wide[:, :3]], FACTORS[:60], repeats=2, progress=False)
    assert "1,200 codes" in unnamed["linear_accuracy"].reason
    assert unnamed["mig"].error is not None
    assert "nk" not in {one.item.name for one in unnamed.differences}  # slow: by name only


def test_an_interrupt_leaves_the_halves_that_are_done():
    def stop(now, number, total):
        if now.startswith("half 4"):
            raise KeyboardInterrupt

    found = compared([NEAR, FAR], progress=stop)
    assert (found.stopped, found.repeats) == (True, 3)
    assert found["mig"].error is not None
    early = compared([NEAR, FAR], progress=lambda now, *_: stop(now.replace("half 1", "half 4"), 0, 0))
    assert early.stopped
    assert early["mig"].error is None
    assert "Ctrl-C" in early["mig"].reason


OTHER = FACTORS.copy()
OTHER[7, 1] = 9


@pytest.mark.parametrize(
    ("models", "factors", "message"),
    [
        ([NEAR], FACTORS, "models must be 2 to 26, to be compared with each other, got 1"),
        ([NEAR] * 27, FACTORS, "models must be 2 to 26, to be compared with each other, got 27"),
        ({}, FACTORS, "models must be 2 to 26, to be compared with each other, got 0"),
        (NEAR, FACTORS, "models must be a dictionary of codes by name, or a list, got ndarray"),
        ("a.npz", None, "models must be a dictionary of codes by name, or a list, got str"),
        ([NEAR, FAR[:9]], FACTORS, "codes and factors must have equally many rows, got shapes (9, 3) and (400, 2)"),
        ([NEAR, FAR * np.nan], FACTORS, "NaN"),
        ([NEAR, FAR], None, "factors must be given beside codes, got ndarray alone"),
    ],
    ids=lambda value: value[:30] if isinstance(value, str) else "",
)
def test_other_models_are_refused(models, factors, message):
    with pytest.raises(InvalidInput, match=re.escape(message)):
        compared(models, factors)


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (dbench.Sample(FAR[:9], FACTORS[:9]), "same rows, got 400 and 9 of A and B"),
        (dbench.Sample(FAR, FACTORS, ("x", "y")), "same factors in one order, got factor_0, factor_1 and x, y of A"),
        (dbench.Sample(FAR, OTHER), f"got {FACTORS[7, 1]} and 9 for factor_1 in row 7 of A and B; 1 rows differ"),
        (dbench.Sample(FAR, NOISE[:, :2]), "factor_0 must be of one kind, got discrete and continuous of A and B"),
    ],
    ids=["rows", "order", "values", "kinds"],
)
def test_models_of_other_rows_or_factors_are_refused(other, message):
    with pytest.raises(InvalidInput, match=re.escape(message)):
        compared([dbench.Sample(NEAR, FACTORS), other], None)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metrics": ["mgi"]}, "did you mean 'mig'"),
        ({"family": "other"}, "unknown family 'other'"),
        ({"table": "micro"}, "unknown table 'micro'"),
        ({"repeats": 1}, "repeats must be an integer of at least 2, got 1"),
        ({"seed": -1}, "seed must be an integer of at least 0, got -1"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else "",
)
def test_other_options_are_refused_before_anything_is_read(options, message):
    with pytest.raises((InvalidInput, UnknownName), match=re.escape(message)):
        compared([NEAR, FAR], **options)
