"""Families of metrics, and codes of thousands of dimensions."""

import tracemalloc

import numpy as np
import pytest
from click.testing import CliRunner

from dbench.cli import main
from dbench.codes import Sample
from dbench.codes.arrays import read_arrays
from dbench.codes.reading import CodesFile
from dbench.errors import InvalidInput, UnknownName
from dbench.metrics import METRICS, mig, mutual_information
from dbench.metrics.ceilings import informations, shared_informations
from dbench.metrics.relations import information
from dbench.scoring import score
from dbench.scoring.compute import compute
from dbench.scoring.inputs import most_informative, prepared
from dbench.scoring.plan import PLAN, WIDE, choose

RNG = np.random.default_rng(0)
FACTORS = RNG.integers(2, size=(600, 10))
CODES = np.hstack([FACTORS + 0.3 * RNG.normal(size=FACTORS.shape), RNG.normal(size=(600, WIDE))])


def test_the_metrics_of_the_papers_are_the_default_and_the_others_are_asked_for() -> None:
    names = {family: {item.name for item in choose((), family)} for family in ("papers", "identifiability", "all")}
    assert {item.name for item in choose()} == names["papers"]
    assert names["papers"].isdisjoint(names["identifiability"])
    assert names["papers"] | names["identifiability"] == names["all"] == set(PLAN)
    assert {"mcc", "mcc[spearman]", "r2", "infom", "posterior_mig"} <= names["identifiability"]
    assert [item.name for item in choose(["mcc"])] == ["mcc"]
    assert {METRICS[name].card.family for name in ("mig", "dci", "udr")} == {"papers"}  # type: ignore[attr-defined]
    with pytest.raises(UnknownName, match="unknown family 'paper'; did you mean 'papers'"):
        choose((), "paper")


def test_a_family_is_scored_by_its_name(tmp_path) -> None:
    scores = score(CODES[:300, :12], FACTORS[:300], family="identifiability", repeats=0)
    assert scores["mcc"] > 0.8
    assert {record["metric"] for record in scores.records} == {item.name for item in choose((), "identifiability")}
    with pytest.raises(InvalidInput, match="posterior_mig has no score: needs the posterior"):
        scores["posterior_mig"]
    posterior = {"logvar": np.full((600, 12), -2.0), "continuous": "*"}
    with pytest.raises(InvalidInput, match="posterior_mig has no score: is defined for labels"):
        score(CODES[:, :12], FACTORS, metrics=["posterior_mig"], repeats=0, **posterior)["posterior_mig"]
    file = tmp_path / "c.npz"
    np.savez(file, codes=CODES[:300, :4], factors=FACTORS[:300, :2], logvar=np.full((300, 4), -2.0))
    result = CliRunner().invoke(main, ["score", str(file), "--family", "identifiability", "--repeats", "0", "--fast"])
    assert result.exit_code == 0
    assert "posterior_mig" in result.output
    assert "sap" not in result.output
    wrong = CliRunner().invoke(main, ["score", str(file), "--family", "mine"])
    assert (wrong.exit_code, "unknown family 'mine'" in wrong.stderr) == (2, True)


@pytest.mark.parametrize("continuous", [False, True])
def test_many_factors_at_once_are_counted_as_one_after_another(continuous, monkeypatch) -> None:
    factors = RNG.normal(size=(300, 9)) if continuous else RNG.integers(1, 6, size=(300, 9))
    codes = np.hstack([RNG.normal(size=(300, 20)), np.ones((300, 1))])
    alone = np.hstack([mutual_information(codes, factors[:, [j]]) for j in range(9)])
    np.testing.assert_array_equal(mutual_information(codes, factors), alone)
    monkeypatch.setattr(information, "CELLS", 300 * 6)  # blocks of six codes, which are counted one after another
    np.testing.assert_array_equal(mutual_information(codes, factors), alone)


def test_entropies_of_wide_codes_are_those_of_each_alone() -> None:
    alone = np.concatenate([information.entropy(CODES[:, [j]]) for j in range(200)])
    np.testing.assert_allclose(information.entropy(CODES[:, :200]), alone, atol=1e-12)


def test_what_is_shared_is_what_each_would_count() -> None:
    sample = Sample(CODES[:, :5], FACTORS[:, :2])
    plain = informations(sample, np.random.default_rng(1), bins=20)
    with shared_informations():
        first, again = (informations(sample, np.random.default_rng(1), bins=20) for _ in range(2))
        other = informations(sample, np.random.default_rng(2), bins=20)
    assert again is first
    for mine, shared, dealt in zip(plain, first, other, strict=True):
        np.testing.assert_array_equal(mine, shared)
        assert mine.shape == dealt.shape
    assert not np.array_equal(first[2], other[2])


def test_of_wide_codes_only_what_keeps_pace_is_computed_and_the_rest_says_what_it_takes() -> None:
    scores = score(CODES, FACTORS, family="all", fast=True)
    found = {record["metric"]: record for record in scores.records}
    assert {name for name, record in found.items() if record["score"] is not None} == {
        *("dcimig", "infoc", "infom", "jemmig", "mcc", "mcc[spearman]", "med", "mig", "mig_sup", "minimality"),
        *("modularity", "sap[r2]", "sufficiency"),
    }
    assert found["mig"]["score"] == mig(CODES, FACTORS).value
    assert found["mig"]["repeats"] == 0
    words = "fits predictors on 1,010 codes, about "
    assert found["linear_accuracy"]["reason"].startswith(words)
    assert found["linear_accuracy"]["reason"].endswith("(fewer codes with most=500); computed where asked for by name")
    assert found["factor_vae"]["reason"].startswith("takes more than in proportion to 1,010 codes")


def test_a_predictor_sees_the_most_informative_codes_of_other_rows(caplog) -> None:
    scores = score(CODES, FACTORS, metrics=["linear_accuracy"], most=10)
    (record,) = scores.records
    assert record["score"] > 0.8
    assert record["rows"] == 300
    assert "of the 10 codes of most information, chosen on the other half of the rows" in record["warnings"]
    assert not caplog.records
    kept = most_informative(Sample(CODES, FACTORS), 10, 0)
    first = {tuple(row) for row in CODES[:, :10]}
    assert {tuple(row) for row in kept.codes} < first  # the ten that hold a factor, in their order
    assert most_informative(Sample(CODES, FACTORS), 5000, 0).n_codes == CODES.shape[1]


def test_codes_that_were_chosen_say_nothing_more_of_noise() -> None:
    noise = Sample(RNG.normal(size=(600, 500)), RNG.integers(2, size=(600, 2)))
    kept = most_informative(noise, 5, 0)
    chosen = mutual_information(kept.codes, kept.factors).mean()
    assert chosen < 1.3 * mutual_information(noise.codes[:300], noise.factors[:300]).mean()


def test_a_predictor_that_is_named_says_what_it_takes_before_it_begins(caplog, monkeypatch) -> None:
    def stop(item: object, *_: object) -> None:
        raise KeyboardInterrupt

    scored = prepared(read_arrays(CODES, FACTORS))
    compute(scored, metrics=["linear_accuracy"], progress=stop)
    assert caplog.messages[0].startswith("linear_accuracy fits predictors on 1,010 codes, about ")


@pytest.mark.parametrize("most", [0, -1, 1.5])
def test_the_number_of_codes_is_a_count(most: float) -> None:
    with pytest.raises(InvalidInput, match="most must be an integer of at least 1"):
        score(CODES, FACTORS, metrics=["mig"], most=most)


def test_wide_codes_are_copied_once_and_never_changed_from_outside() -> None:
    codes = np.zeros((1000, 2000))
    tracemalloc.start()
    found: CodesFile = read_arrays(codes, FACTORS[:500].repeat(2, axis=0))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1.5 * codes.nbytes
    codes[0, 0] = 7.0
    assert found.sample.codes[0, 0] == 0.0
