"""Every way in gives the same sample, and what cannot be read is named."""

import inspect

import numpy as np
import pandas as pd
import pytest
import torch
from scipy import sparse

from dbench.codes import Sample
from dbench.codes.arrays import read_arrays
from dbench.errors import InvalidInput, UnknownName
from dbench.metrics import METRICS, mig, sap

RNG = np.random.default_rng(0)
FACTORS = RNG.integers(0, [3, 4], size=(240, 2))
CODES = (FACTORS + RNG.normal(0, 0.3, FACTORS.shape)).round(2)
HALVES = np.float64(FACTORS) / [2, 3]  # as in latents_values: few values, not whole

WAYS = {
    "lists": (CODES.tolist(), FACTORS.tolist()),
    "whole floats": (CODES, FACTORS.astype(np.float32)),
    "frames": (pd.DataFrame(CODES), pd.DataFrame(FACTORS)),
    "nullable": (pd.DataFrame(CODES).astype("Float64"), pd.DataFrame(FACTORS).astype("Int64")),
    "categories": (CODES, pd.DataFrame(FACTORS).astype("category")),
    "object": (CODES.astype(object), FACTORS.astype(object)),
    "torch with gradient": (torch.tensor(CODES, requires_grad=True), torch.tensor(FACTORS)),
    "torch int8": (torch.tensor(CODES), torch.tensor(FACTORS, dtype=torch.int8)),
    "torch bfloat16 factors": (torch.tensor(CODES), torch.tensor(FACTORS, dtype=torch.bfloat16)),
    "few floats": (CODES, HALVES),
    "ordered": (CODES, pd.DataFrame(np.array([*"abcd"])[FACTORS]).astype(pd.CategoricalDtype([*"abcd"], ordered=True))),
}


@pytest.mark.parametrize("way", WAYS)
def test_every_way_in_is_the_same_sample_and_score(way: str) -> None:
    found = read_arrays(*WAYS[way]).sample
    np.testing.assert_array_equal(found.codes, CODES)
    np.testing.assert_array_equal(found.factors, FACTORS)
    assert found.discrete
    assert mig(*WAYS[way]).value == mig(Sample(CODES, FACTORS)).value


def test_text_is_numbered_as_it_occurs() -> None:
    found = read_arrays(CODES, np.array(["d", "b", "c", "a"])[FACTORS]).sample
    assert found.kinds == ("text", "text")
    np.testing.assert_array_equal(found.factors, np.stack([pd.factorize(column)[0] for column in FACTORS.T], axis=1))
    assert mig(found).value == pytest.approx(mig(CODES, FACTORS).value, abs=1e-12)


def test_every_metric_of_a_sample_takes_arrays() -> None:
    for name, function in METRICS.items():
        takes = function.card.needs in ("sample", "sample+logvar")  # type: ignore[attr-defined]
        layers = [function]
        while hasattr(layers[-1], "__wrapped__"):
            layers.append(layers[-1].__wrapped__)
        kinds = [inspect.signature(layer, follow_wrapped=False).parameters for layer in layers]
        assert any("continuous" in names for names in kinds) == takes, name
    assert sap(CODES, FACTORS, relation="r2").value == sap(Sample(CODES, FACTORS), relation="r2").value
    assert mig(codes=CODES, factors=FACTORS).value == mig(sample=Sample(CODES, FACTORS)).value  # type: ignore[call-overload]
    for name in ("gaussian_total_correlation", "code_mutual_information"):
        assert METRICS[name](codes=Sample(CODES, FACTORS)).value == METRICS[name](CODES).value


def test_metrics_that_look_at_codes_alone_take_them_alone() -> None:
    codes = torch.tensor(CODES, requires_grad=True)
    for name in ("gaussian_total_correlation", "code_mutual_information"):
        expected = METRICS[name](CODES).value
        assert METRICS[name](codes).value == METRICS[name](codes, FACTORS).value == expected


@pytest.mark.parametrize("given", [(CODES,), (), (None, FACTORS)])
def test_a_metric_of_half_an_input_says_what_is_missing(given: tuple[object, ...]) -> None:
    with pytest.raises(InvalidInput, match="mig must be given a Sample, or codes and factors, got"):
        mig(*given)  # type: ignore[call-overload]
    with pytest.raises(InvalidInput, match="mig must be given a Sample, or codes and factors, got"):
        mig(**dict(zip(("sample", "factors"), given, strict=False)) | {"factors": None})  # type: ignore[call-overload]


def test_columns_of_frames_name_codes_and_factors() -> None:
    codes, factors = pd.DataFrame(CODES, columns=["x", "y"]), pd.DataFrame(FACTORS, columns=["shape", "size"])
    found = read_arrays(codes, factors)
    assert (found.code_names, found.sample.factor_names) == (("x", "y"), ("shape", "size"))
    assert read_arrays(codes, factors, factor_names=["a", "b"]).sample.factor_names == ("a", "b")
    assert read_arrays(codes["x"], factors["size"]).sample.factor_names == ("size",)


@pytest.mark.parametrize("labels", [("007", "7"), ("1", "1.0"), ("9223372036854775808", "9223372036854775809")])
def test_labels_that_are_one_number_stay_two(labels: tuple[str, str]) -> None:
    assert read_arrays([[0.0], [1.0]], [[label] for label in labels]).sample.factors.tolist() == [[0], [1]]


def test_few_floats_are_labels_and_who_knows_better_says_so() -> None:
    found = read_arrays(CODES, HALVES)
    assert "factor_0 (3 values), factor_1 (4 values): not whole numbers, but few that" in found.notes[0]
    kept = read_arrays(CODES, HALVES, continuous=["factor_1"])
    np.testing.assert_array_equal(kept.sample.factors, np.stack([FACTORS[:, 0], HALVES[:, 1]], axis=1))
    assert kept.sample.kinds == ("discrete", "continuous")
    assert len(kept.notes) == 1
    assert "factor_0 (3 values): not whole numbers, but few that" in kept.notes[0]
    assert not read_arrays(CODES, FACTORS, continuous="*").sample.discrete


def test_floats_of_which_each_is_rare_are_continuous_unless_named() -> None:
    factors = np.repeat(RNG.normal(size=60), 4)
    assert not read_arrays(CODES, factors).sample.discrete
    asked = read_arrays(CODES, factors, discrete=["factor_0"]).sample
    np.testing.assert_array_equal(asked.factors[:, 0], np.unique(factors, return_inverse=True)[1])


@pytest.mark.parametrize(
    ("codes", "factors", "message"),
    [
        (CODES, None, "factors must be given beside codes, got ndarray alone"),
        (CODES, FACTORS[:9], r"equally many rows, got shapes \(240, 2\) and \(9, 2\)"),
        ([["a"]], [[1]], "codes must hold real numbers, got text such as 'a' in code_0"),
        ([[1.0, 2.0], [3.0]], [[1], [2]], "codes must be a matrix with rows of equal length"),
        (CODES * 1j, FACTORS, "codes: code_0 must hold real numbers, got dtype complex128"),
        (CODES * np.nan, FACTORS, "codes: code_0 must be finite, got 240 entries"),
        (CODES, FACTORS[:, :0], "factors must be a non-empty matrix"),
        (CODES, [[None]] * 240, "factors: factor_0 must be finite, got 240 entries"),
        (CODES, [[1.0], ["a", None]] * 120, "factors must be a matrix"),
        (CODES, np.array([["a"], [3]] * 120, object), "factors: factor_0 must hold real numbers or text"),
        (CODES, [[" "]] * 240, "must have printable text in every row"),
        (pd.DataFrame({"x": [1.0, None]}), [1, 2], "codes: x must be finite in every row, got 1 missing"),
        (pd.DataFrame({"x": [1.0, 2.0]}), pd.DataFrame({"f": [1, 2]}, index=[1, 0]), "must have the same index"),
        (torch.zeros(3, 2).to_sparse(), [1, 2, 3], "codes must be a dense matrix"),
        (np.ma.masked_equal(CODES, CODES[0, 0]), FACTORS, "codes must not be masked, got 1 masked entries"),
        (CODES, np.ma.masked_less(FACTORS, 1), "factors must not be masked, got"),
        (CODES[:2], [["a"], ["NA"]], "factors: factor_0 must have text in every row, got 'NA'; another name"),
    ],
)
def test_what_cannot_be_read_is_named(codes: object, factors: object, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        read_arrays(codes, factors)


@pytest.mark.parametrize(
    ("factors", "said", "message"),
    [
        (FACTORS, {"continuous": ["factor_9"]}, "unknown factor 'factor_9'; did you mean 'factor_"),
        (FACTORS, {"continuous": ["factor_0"], "discrete": ["factor_*"]}, "or discrete, got both for 'factor_0'"),
        ([["a"]] * 240, {"continuous": ["factor_0"]}, "must name factors of numbers, got 'factor_0', which is text"),
    ],
)
def test_what_is_said_of_factors_must_fit_them(factors: object, said: dict[str, list[str]], message: str) -> None:
    with pytest.raises((InvalidInput, UnknownName), match=message):
        read_arrays(CODES, factors, **said)


def test_lists_of_tensors_and_text_as_bytes_are_read() -> None:
    codes = [torch.tensor(row, requires_grad=True) for row in CODES]
    shapes = np.array(["a", "b", "c"])[FACTORS[:, 0]]
    found = read_arrays(codes, np.array([text.encode() for text in shapes], dtype=object)).sample
    np.testing.assert_array_equal(found.codes, CODES)
    assert found.kinds == ("text",)
    assert mig(tuple(codes), FACTORS).value == mig(CODES, FACTORS).value


@pytest.mark.parametrize(
    ("codes", "message"),
    [
        (sparse.csr_matrix(CODES), r"must be a dense matrix, got csr_matrix; \.toarray\(\) makes one"),
        (torch.tensor(CODES).to_sparse(), r"got a tensor of layout torch\.sparse_coo; \.to_dense\(\) makes one"),
        ({"z": CODES}, r"codes: z must be a vector of one value a row, got shape"),
        ("codes.npz", r"must be a matrix \(observations x dimensions\), got a str"),
    ],
)
def test_what_is_no_matrix_is_named(codes: object, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        mig(codes, FACTORS)  # type: ignore[call-overload]
