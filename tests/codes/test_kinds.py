"""The kind belongs to each factor: discrete, continuous and text stand side by side."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dbench.codes import Sample
from dbench.codes.arrays import read_arrays
from dbench.codes.factors import FactorTypes
from dbench.codes.reading import read_codes
from dbench.errors import InvalidInput
from dbench.metrics import METRICS, dci, irs, mig, modularity, sap, snc
from dbench.scoring import score

RNG = np.random.default_rng(0)
LABELS = RNG.integers(0, [3, 4], size=(600, 2))
SIZE = RNG.normal(size=600)
CODES = np.column_stack([LABELS, SIZE]) + RNG.normal(0, 0.2, (600, 3))
KINDS = ("text", "discrete", "continuous")
SPELLINGS = (["square", "ellipse", "heart"], ["a", "c", "b"])
IDS = LABELS[:, 1] + 2**60


def frame(spelling: list[str], ids: Any = LABELS[:, 1]) -> pd.DataFrame:
    return pd.DataFrame({"shape": np.array(spelling)[LABELS[:, 0]], "id": ids, "size": SIZE})


def test_factors_of_three_kinds_stand_side_by_side() -> None:
    found = read_arrays(CODES, frame(SPELLINGS[0]))
    assert found.sample.kinds == KINDS
    np.testing.assert_array_equal(found.sample.factors[:, 0], pd.factorize(LABELS[:, 0])[0])
    np.testing.assert_array_equal(found.sample.factors[:, 1:], np.column_stack([LABELS[:, 1], SIZE]))
    assert found.sample.take(np.arange(9)).kinds == KINDS


@pytest.mark.parametrize("container", ["frame", "objects", "lists", "csv", "parquet"])
def test_large_labels_beside_continuous_factors_are_told_apart_whatever_holds_them(
    tmp_path: Path, container: str
) -> None:
    table = frame(SPELLINGS[0], IDS)
    if container in ("csv", "parquet"):
        whole = table.add_prefix("factor_").assign(code_0=CODES[:, 0], code_1=CODES[:, 1], code_2=CODES[:, 2])
        path = tmp_path / f"all.{container}"
        whole.to_csv(path, index=False) if container == "csv" else whole.to_parquet(path)
        sample = read_codes(path).sample
    else:
        given = {"frame": table, "objects": table.astype(object), "lists": table[["id", "size"]].to_numpy(object)}
        sample = read_arrays(CODES, given[container].tolist() if container == "lists" else given[container]).sample
    assert sample.kinds == KINDS[-sample.n_factors :]
    np.testing.assert_array_equal(sample.factors[:, -2], LABELS[:, 1])
    assert mig(sample).per_factor[-2] == mig(CODES, LABELS).per_factor[1]  # type: ignore[index]


def test_lists_of_integers_and_fractions_keep_the_integers() -> None:
    sample = read_arrays(CODES, [[int(a), float(b)] for a, b in zip(IDS, SIZE, strict=True)]).sample
    np.testing.assert_array_equal(sample.factors[:, 0], LABELS[:, 1])


def test_other_names_for_the_same_categories_change_no_score() -> None:
    options: dict[str, Any] = {"repeats": 0, "fast": True}
    first, other = (score(CODES[:200], frame(spelling)[:200], **options) for spelling in SPELLINGS)
    assert sum(result.score is not None for result in first.results) > 12
    pd.testing.assert_frame_equal(first.frame, other.frame)


@pytest.mark.parametrize(
    ("name", "options", "left"),
    [
        ("snc", {}, ["size (continuous)"]),
        ("explicitness", {}, ["size (continuous)"]),
        ("linear_accuracy", {}, ["size (continuous)"]),
        ("sap", {}, ["size (continuous)"]),
        ("sap", {"relation": "r2"}, ["shape (text)"]),
        ("dci", {"estimator": "lasso"}, ["shape (text)"]),
        ("mig", {}, []),
        ("dci", {"estimator": "forest"}, []),
        ("irs", {}, []),
        ("modularity", {}, []),
        ("mcc", {}, ["shape (text)"]),
        ("r2", {}, ["shape (text)"]),
        ("infoe", {}, ["size (continuous)"]),
        ("infom", {}, []),
        ("posterior_mig", {"logvar": np.full(CODES.shape, -3.0)}, ["size (continuous)"]),
    ],
)
def test_a_metric_leaves_out_by_name_what_it_cannot_take(name: str, options: dict[str, Any], left: list[str]) -> None:
    found = METRICS[name](CODES, frame(SPELLINGS[0]), **options)
    said = [note for note in found.notes if note.startswith("leaves out")]
    assert said == [f"leaves out {', '.join(left)}: it is not defined for that kind of factor" for _ in left[:1]]
    kept = [each for each in ("shape", "id", "size") if each not in {text.partition(" ")[0] for text in left}]
    assert list(found.factor_names) == kept
    alone = METRICS[name](CODES, frame(SPELLINGS[0])[kept], **options)
    assert alone.value == found.value


@pytest.mark.parametrize(
    ("name", "options", "column"),
    [
        ("snc", {}, "size"),
        ("infoe", {}, "size"),
        ("sap", {"relation": "svm"}, "size"),
        ("sap", {"relation": "r2"}, "shape"),
        ("mcc", {}, "shape"),
        ("r2", {}, "shape"),
    ],
)
def test_a_metric_of_which_nothing_is_left_refuses(name: str, options: dict[str, Any], column: str) -> None:
    with pytest.raises(InvalidInput, match=r"needs .*factors|must be 'r2' for continuous"):
        METRICS[name](CODES, frame(SPELLINGS[0])[[column]], **options)


def test_metrics_of_both_kinds_take_each_factor_by_its_own() -> None:
    sample = read_arrays(CODES, frame(SPELLINGS[0])).sample
    together, apart = mig(sample), [mig(sample.of_factors([j])).value for j in range(3)]
    np.testing.assert_allclose(together.per_factor, apart, rtol=1e-12)  # type: ignore[arg-type]
    for name in ("sufficiency", "jemmig", "dci_explicitness"):
        together, apart = METRICS[name](sample), [METRICS[name](sample.of_factors([j])).value for j in range(3)]
        np.testing.assert_allclose(together.per_factor, apart, rtol=1e-9)  # type: ignore[arg-type]
    relation = modularity(sample).relation
    np.testing.assert_allclose(relation[:, 2], modularity(CODES, SIZE).relation[:, 0])  # type: ignore[index]
    # Trees guess labels, and regress numbers: of 40 values that stand for nothing a regression would make little.
    shuffled = RNG.permutation(40)[RNG.integers(40, size=600)]
    mixed = pd.DataFrame({"name": [f"n{each}" for each in shuffled], "size": SIZE})
    codes = np.column_stack([np.argsort(RNG.permutation(40))[shuffled], SIZE])
    assert dci(codes, mixed, estimator="forest").value > 0.8
    assert irs(CODES, frame(SPELLINGS[0]), bins=2).value == irs(CODES, frame(SPELLINGS[1]), bins=2).value


def test_a_metric_called_directly_says_what_it_assumed_and_may_be_told() -> None:
    halves = LABELS / 2
    assert mig(CODES, LABELS).notes == ("Taken as discrete: factor_0, factor_1.",)
    assert mig(CODES, SIZE).notes == ("Taken as continuous: factor_0.",)
    assumed = mig(CODES, halves, bins=2)
    assert "Taken as discrete: factor_0, factor_1." in assumed.notes
    assert any("not whole numbers, but few" in note for note in assumed.notes)
    told = mig(CODES, halves, continuous="*", bins=2)
    assert told.notes == ("Taken as continuous: factor_0, factor_1.",)
    assert told.value == mig(Sample(CODES, halves), bins=2).value != assumed.value
    rounded = SIZE.round(1)
    assert mig(CODES, rounded, discrete=["factor_0"]).value == mig(CODES, (rounded * 10).round().astype(int)).value
    assert read_arrays(CODES, LABELS, continuous=iter(["factor_0"])).sample.kinds == ("continuous", "discrete")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="continuous and discrete must name factors, got 5"):
        mig(CODES, SIZE, continuous=5)  # type: ignore[call-arg]
    with pytest.raises(InvalidInput, match="continuous and discrete go with arrays of factors"):
        mig(Sample(CODES, LABELS), continuous="*")  # type: ignore[call-arg]
    assert snc(Sample(CODES, LABELS)).notes == ()


def test_a_sample_of_several_kinds_holds_whole_labels_alone() -> None:
    with pytest.raises(InvalidInput, match=r"discrete factors must be whole numbers below 2\^53 among floats, got 'a'"):
        Sample(CODES, np.column_stack([SIZE, SIZE]), ("a", "b"), ("discrete", "continuous"))
    with pytest.raises(InvalidInput, match="kinds must be 1 of continuous, discrete, text, got"):
        Sample(CODES, SIZE[:, None], kinds=("real",))  # type: ignore[arg-type]


def test_ordered_categories_have_an_order_and_others_do_not() -> None:
    steps = [*"zyx"]
    for ordered, kind in ((True, "discrete"), (False, "text")):
        column = pd.Series(pd.Categorical.from_codes(LABELS[:, 0], steps, ordered=ordered), name="step")
        assert read_arrays(CODES, column).sample.kinds == (kind,)
    assert sap(CODES, column.cat.as_ordered(), relation="r2").value == sap(CODES, LABELS[:, 0], relation="r2").value


@pytest.mark.parametrize("save", ["to_parquet", "to_feather"])
def test_ordered_categories_keep_their_order_in_files(tmp_path, save) -> None:
    steps = pd.Categorical.from_codes(LABELS[:, 0], [*"zyx"], ordered=True)
    frame = pd.DataFrame(CODES, columns=[f"code_{j}" for j in range(CODES.shape[1])]).assign(factor_step=steps)
    file = tmp_path / f"c.{save.removeprefix('to_')}"
    getattr(frame, save)(file)
    found, known = read_codes(file, rows=len(CODES) // 2).sample, read_codes(file).sample
    assert found.kinds == known.kinds == ("discrete",)
    np.testing.assert_array_equal(known.factors[:, 0], LABELS[:, 0])


@pytest.mark.parametrize(("values", "left"), [(2, False), (3, True)])
def test_text_of_two_values_has_an_order_and_of_three_none(values, left) -> None:
    sample = Sample(CODES, LABELS[:, [0, 0]] % values, ("shape", "size"), ("text", "discrete"))
    assert any("leaves out shape" in note for note in sap(sample, relation="r2").notes) == left


def test_names_with_underscores_are_text() -> None:
    names = np.array(["1_2", "2_1", "3_1"])[LABELS[:, 0] % 3]
    assert read_arrays(CODES, names[:, None]).sample.kinds == ("text",)


def test_the_table_says_which_factors_a_score_is_of() -> None:
    scores = score(CODES, frame(SPELLINGS[0]), metrics=["mig", "snc", "factor_vae", "sap[r2]"], repeats=0)
    of = {record["metric"]: record["factors"] for record in scores.records}
    assert of == {
        "factor_vae": ["shape", "id"],
        "mig": ["shape", "id", "size"],
        "sap[r2]": ["id", "size"],
        "snc": ["shape", "id"],
    }
    parts = scores.frame.query("part == 'factor' and metric == 'snc'")
    assert parts["name"].tolist() == ["shape", "id"]
    assert parts["score"].tolist() == list(snc(CODES, frame(SPELLINGS[0])[["shape", "id"]]).per_factor)  # type: ignore[arg-type]
    shown = str(scores)
    assert "3 factors (2 discrete, 3, 4 values; 1 continuous)" in shown
    assert "leaves out size" in shown
    assert "leaves out shape (text)" in shown


@pytest.mark.parametrize(
    ("values", "rows", "kind"),
    [
        (100, 1_000, "discrete"),
        (100, 999, "continuous"),
        (101, 2_000, "continuous"),
        (1, 10, "discrete"),
        (2, 20, "discrete"),
        (2, 19, "continuous"),
    ],
)
def test_fractions_are_labels_up_to_a_hundred_values_that_occur_ten_times_on_average(
    values: int, rows: int, kind: str
) -> None:
    column = (np.arange(rows) % values) / 8 + 0.0625
    factors, kinds, notes = FactorTypes().encode([column], ["size"])
    assert kinds == (kind,)
    assert factors[:values, 0].tolist() == (list(range(values)) if kind == "discrete" else column[:values].tolist())
    word = "1 value" if values == 1 else f"{values} values"
    assert [note.partition(":")[0] for note in notes] == ([f"size ({word})"] if kind == "discrete" else [])


@pytest.mark.parametrize(("number", "more"), [(12, ""), (13, " and 1 more")])
def test_of_text_the_first_twelve_labels_are_shown(number: int, more: str) -> None:
    text = [f"c{i:02}" for i in range(number)] * 2
    (note,) = read_arrays(np.zeros((2 * number, 1)), {"shape": text}).notes[-1:]
    assert note == f"shape: text, read as labels {', '.join(f'{i} = c{i:02}' for i in range(12))}{more}."
