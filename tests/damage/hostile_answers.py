"""What encoders, decoders, metrics and data sets of a user may answer: it is refused, or taken as it is."""

import os
import sys
from collections.abc import Callable, Sequence
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import torch
from damage import Reader
from scipy import sparse

from dbench.audit.subject import guarded
from dbench.data.base import GridData, digest
from dbench.scoring.encoders import decoder_of, encode_data

KINDS = ["f8", "f4", "f2", "i8", "u1", "?", "c16", "M8[D]", "m8[s]", "U3", "S3", "O", "V2"]
WHOLE: list[Any] = [None, 0, 1.0, True, float("nan"), float("inf"), "1", b"1", {}, [], object, Decimal(1)]
WHOLE += [datetime(2026, 1, 1), Path("a")]
ERRORS = [OSError("gone"), KeyError(3), RecursionError(), MemoryError(), AssertionError(), ValueError("\x1b[2J\n" * 9)]


class Liar:
    """Says of itself what is not so."""

    ndim, shape, dtype = 2, (4, 2), "float64"

    def __array__(self, *arguments: Any, **options: Any) -> Any:
        raise RuntimeError("never an array")

    def __len__(self) -> int:
        return 4


def hostile(right: np.ndarray, stream: np.random.Generator) -> Any:
    """The right answer of another type, shape, count or content, something else, or an end."""

    def one_of(choices: Sequence[Any]) -> Any:
        return choices[int(stream.integers(len(choices)))]

    draw = int(stream.integers(12))
    if draw < 4:
        n, rest = right.shape[0], right.shape[1:]
        found = np.zeros(one_of([right.shape, right.shape[::-1], rest, (*right.shape, 1), (0, *rest), (n - 1,)]))
        found[...] = one_of([0.0, 0.5, 1.0, 255.0, -1.0, 1e308, np.nan, np.inf])
        kind = one_of(KINDS)
        with np.errstate(all="ignore"):
            return np.zeros(found.shape, kind) if kind[0] in "MmVc" else found.astype(kind)
    if draw == 4:
        spoilt = right.astype("f8")
        spoilt.flat[int(stream.integers(spoilt.size))] = one_of([np.nan, np.inf, -np.inf, 1e300])
        return spoilt
    if draw == 5:
        return one_of(WHOLE)
    if draw == 6:
        pairs = [(right,), (right, right), (right, right[:-1]), (right,) * 3, [right, right[:1]], [[right]]]
        return one_of(pairs)
    if draw == 7:
        dense = torch.tensor(right)
        return one_of([dense.to_sparse(), dense.to(torch.complex64), dense.requires_grad_(dense.is_floating_point())])
    if draw == 8:
        masked = np.ma.masked_equal(right.copy(), right.flat[0])
        return one_of([masked, list(masked), sparse.csr_matrix(right.reshape(len(right), -1))])
    if draw == 9:
        return one_of([Liar(), iter(right), (row for row in right), right.tolist(), torch.empty(2, device="meta")])
    if draw == 10:
        raise one_of(ERRORS)
    print("said by user code\x1b[2J")  # noqa: T201
    return one_of([lambda: os._exit(0), lambda: sys.exit(0), lambda: sys.exit("text"), sys.exit])()


class Points(GridData):
    """Twelve images of 2 x 2, as whoever draws them answers."""

    name, factor_names, factor_sizes, image_shape = "points", ("a", "b"), (3, 4), (1, 2, 2)
    fingerprint = digest("points of hostile answers")

    def __init__(self, render: Callable[[np.ndarray], Any]) -> None:
        self._answer = render

    def _render(self, factors: Any, generator: Any) -> Any:
        right = np.zeros((len(factors), *self.image_shape), dtype=np.uint8)
        right[:, 0, 0] = 60 * factors
        return self._answer(right)


def _codes(images: np.ndarray) -> np.ndarray:
    return np.asarray(images)[:, 0, 0].astype(np.float64)


def _of_encoder(stream: np.random.Generator) -> None:
    found, _ = encode_data(lambda images: hostile(_codes(images), stream), Points(lambda right: right))
    assert len(found.sample) == 12
    assert np.isfinite(found.sample.codes).all()
    assert found.sample.codes.dtype == np.float64


def _of_data_set(stream: np.random.Generator) -> None:
    found, _ = encode_data(_codes, Points(lambda right: hostile(right, stream)))
    assert found.sample.codes.shape == (12, 2)


def _of_decoder(stream: np.random.Generator) -> None:
    images = decoder_of(lambda z: hostile(np.zeros((len(z), 1, 2, 2)), stream), "decoder")(np.zeros((4, 2)))
    assert images.shape[0] == 4
    assert 0 <= images.min() <= images.max() <= 1


def _of_metric(stream: np.random.Generator) -> None:
    answer = guarded(lambda: hostile(np.array([[0.5]]), stream), timeout=5.0)
    assert isinstance(answer, float)
    assert np.isfinite(answer)


ANSWERERS = {"an encoder": _of_encoder, "a data set": _of_data_set, "a decoder": _of_decoder, "a metric": _of_metric}


def answer_reader(folder: Path, what: str) -> Reader:
    """Of this reader the damage is a number, from which a stream draws the answer."""
    (folder / "number").write_text("whole")

    def spoil(folder: Path, stream: np.random.Generator) -> None:
        (folder / "number").write_text(str(int(stream.integers(2**31))))

    def read(folder: Path) -> None:
        text = (folder / "number").read_text()
        if text == "whole":
            return
        ANSWERERS[what.removeprefix("answer of ")](np.random.default_rng(int(text)))

    return Reader(folder, spoil, read)
