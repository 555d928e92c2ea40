"""A record says the same in every session and holds nothing but JSON."""

import numpy as np
import pytest

from dbench.claims.record import _plain


def encode(codes):
    return codes


@pytest.mark.parametrize(
    ("value", "plain"),
    [(encode, "encode"), (np.float64(0.5), 0.5), (np.int64(3), 3), ((1, "a"), [1, "a"]), (None, None), (True, True)],
)
def test_a_parameter_is_named_without_its_address(value, plain):
    assert _plain(value) == plain
    assert type(_plain(value)) is type(plain)
