"""Which columns are codes, which rows belong together: said, or refused where it is open."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dbench.codes import Sample
from dbench.codes.arrays import read_arrays
from dbench.codes.reading import read_codes
from dbench.errors import InvalidInput
from dbench.metrics import mig
from dbench.scoring import score

RNG = np.random.default_rng(0)
FACTORS = RNG.integers(0, [3, 4], size=(240, 2))
CODES = FACTORS + RNG.normal(0, 0.1, FACTORS.shape)
NAMES = ["code_0", "code_1", "factor_a", "factor_b"]


def table(path: Path, header: str, separator: str = ",") -> Path:
    rows = "\n".join(separator.join(map(str, row)) for row in np.column_stack([CODES, FACTORS]))
    path.write_text(f"{header}\n{rows}\n")
    return path


HEADERS = (
    "# code_0,code_1,factor_a,factor_b",
    "code_0, code_1, factor_a, factor_b ",
    "#code_0 ,code_1,factor_a,factor_b",
)


@pytest.mark.parametrize("header", HEADERS)
def test_blanks_and_the_sign_of_savetxt_are_no_part_of_a_name(tmp_path: Path, header: str) -> None:
    found = read_codes(table(tmp_path / "t.csv", header))
    assert found.code_names == ("code_0", "code_1")
    assert found.sample.factor_names == ("factor_a", "factor_b")
    np.testing.assert_array_equal(found.sample.codes, CODES)
    np.testing.assert_array_equal(found.sample.factors, FACTORS)
    frame = pd.DataFrame(np.column_stack([CODES, FACTORS]), columns=header.split(","))
    frame.to_parquet(tmp_path / "t.parquet")
    again = read_codes(tmp_path / "t.parquet").sample
    np.testing.assert_array_equal(again.codes, CODES)
    np.testing.assert_array_equal(again.factors, FACTORS)


def test_names_that_are_one_when_stripped_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="must name each column once, got 'code_0'"):
        read_codes(table(tmp_path / "t.csv", "code_0, code_0,factor_a,factor_b"))


@pytest.mark.parametrize(
    ("header", "role", "like"),
    [
        ("code_0,Code_1,factor_a,factor_b", "codes", "Code_1"),
        ("code_0,z_1,factor_a,factor_b", "codes", "z_1"),
        ("code_0,code1,factor_a,factor_b", "codes", "code1"),
        ("code_0,code_1,factor_a,Factor b", "factors", "Factor b"),
        ("z_0,z1,factor_a,factor_b", "codes", "z1"),
    ],
)
def test_what_looks_like_a_code_or_a_factor_is_not_left_over(tmp_path: Path, header: str, role: str, like: str) -> None:
    path = table(tmp_path / "t.csv", header)
    with pytest.raises(InvalidInput, match=rf"leave open which columns are {role}: .* and {like} look like it"):
        read_codes(path)
    names = header.split(",")
    asked = {"codes": ",".join(names[:2]), "factors": ",".join(names[2:])}
    found = read_codes(path, **{role: asked[role]})  # type: ignore[arg-type]
    assert (found.sample.n_codes, found.sample.n_factors) == (2, 2)


def test_arrays_of_an_archive_are_named_and_not_left_open(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", codes=CODES, factors=FACTORS, epochs=np.arange(3))
    assert read_codes(tmp_path / "a.npz").notes == ("Arrays that are neither codes nor factors are not used: epochs.",)
    np.savez(tmp_path / "b.npz", **{"codes": CODES, "factors": FACTORS, " Codes": CODES})
    with pytest.raises(InvalidInput, match="leave open which array holds the codes: there are 'codes' and ' Co"):
        read_codes(tmp_path / "b.npz")
    assert read_codes(tmp_path / "b.npz", codes="codes").sample.n_codes == 2


def test_which_columns_are_codes_and_which_factors_is_always_said(tmp_path: Path) -> None:
    found = read_codes(table(tmp_path / "t.csv", "code_0,zoom,factor_a,factor_b"))
    assert found.notes[:2] == (
        "Codes: code_0. Factors: factor_a, factor_b.",
        "Columns that are neither codes nor factors are not used: zoom.",
    )


def test_frames_in_another_order_are_told_how_to_pair_them() -> None:
    codes, factors = pd.DataFrame(CODES), pd.DataFrame(FACTORS)
    dealt = factors.sample(frac=1, random_state=0)
    with pytest.raises(InvalidInput, match=r"factors have .* in another order: factors\.loc\[codes\.index\]$"):
        mig(codes, dealt)
    assert mig(codes, dealt.loc[codes.index]).value == mig(CODES, FACTORS).value
    with pytest.raises(InvalidInput, match=r"in another length: factors\.loc\[codes\.index\]$"):
        mig(codes[:100], factors)
    with pytest.raises(InvalidInput, match=r"140 labels are in both: codes\.join\(factors, how='inner'\)"):
        mig(codes, factors.set_index(factors.index + 100))
    with pytest.raises(InvalidInput, match=r"no label is in both; .* reset_index\(drop=True\)"):
        mig(codes, factors.set_index(factors.index + 1000))
    (note,) = read_arrays(codes.sample(frac=1, random_state=0), FACTORS).notes
    assert "The index of codes is not in order" in note


@pytest.mark.parametrize("wrap", [list, tuple])
def test_masks_inside_containers_are_seen(wrap: Any) -> None:
    codes = np.ma.masked_greater(CODES, 2.0)
    hidden = int(codes.mask.sum())
    with pytest.raises(InvalidInput, match=f"codes must not be masked, got {hidden} masked entries"):
        mig(wrap(codes), FACTORS)
    with pytest.raises(InvalidInput, match="factors must not be masked, got 1 masked entries"):
        Sample(CODES, [np.ma.array([1, 2], mask=[0, 1])] * 1 + [np.ma.array([1, 2])] * 239)  # type: ignore[arg-type]


def test_codes_and_factors_that_came_the_other_way_round_are_warned_of(tmp_path: Path) -> None:
    said = "were codes and factors exchanged"
    assert any(said in note for note in mig(FACTORS, CODES).notes)
    assert any(said in note for note in score(FACTORS, CODES, metrics=["mig"]).file.notes)
    np.save(tmp_path / "codes.npy", CODES)
    np.save(tmp_path / "factors.npy", FACTORS)
    assert any(said in note for note in read_codes(tmp_path / "factors.npy", tmp_path / "codes.npy").notes)
    for codes, factors in ((CODES, FACTORS), (CODES, CODES), (FACTORS, FACTORS)):
        assert not any(said in note for note in mig(codes, factors).notes)


def test_one_array_is_not_codes_and_factors(tmp_path: Path) -> None:
    np.savez(tmp_path / "c.npz", codes=np.eye(4), factors=np.eye(4, dtype=int))
    with pytest.raises(InvalidInput, match="an array is codes or factors, got both for 'factors'"):
        read_codes(tmp_path / "c.npz", codes="factors")


def test_a_vector_is_one_column(tmp_path: Path) -> None:
    np.savez(tmp_path / "c.npz", codes=np.arange(6.0), factors=np.arange(6) % 2)
    found = read_codes(tmp_path / "c.npz").sample
    assert (found.n_codes, found.n_factors) == (1, 1)
