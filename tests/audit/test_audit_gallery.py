"""Is every representation what the gallery says it is?"""

import numpy as np
import pytest

from dbench.audit import REPRESENTATIONS
from dbench.metrics import beta_vae_metric, dci, factor_vae, mig, mutual_information, sap
from dbench.seeds import generator

# Each code is a fair draw, whatever the factor: what it holds shows only beside others.
HIDDEN = {"xor pairs": 2, "five codes, parity": 2, "band code": 9}
# The second code of M1 repeats a factor with probability one half: it takes part, and tells nothing.
TOYS = ("toy model M1", "toy model M2")
SHOWN = [name for name in REPRESENTATIONS if name not in HIDDEN and name not in TOYS]
# Noise of 0.05 on codes that are whole numbers.
NOISY = ("factors copied twice", "factors split into digits", "factors packed in pairs", "two of four missing")
NOISY += ("xor pairs", "five codes, parity", "five codes, digits")


def draw(name, n=2000):
    return REPRESENTATIONS[name].source.sample(n, generator(test="gallery"))


def distinct(name, codes):
    """Codes as whole numbers, without their noise."""
    if name == "band code":
        codes = np.floor(codes * 9)
    if name == "powers":  # the least of them is 1e-15
        return codes
    return np.round(codes, 0 if name in NOISY else 9) + 0.0


@pytest.mark.parametrize("name", SHOWN)
def test_a_code_changes_with_the_factors_it_is_said_to_hold_and_no_others(name):
    representation = REPRESENTATIONS[name]
    source = representation.source
    factors = source.draw_factors(2000, generator(test="gallery"))
    before = source.codes(factors, generator(noise=1))
    for j, column in enumerate(factors.T):
        other = factors.copy()
        other[:, j] = np.random.default_rng(j).permutation(column)
        # The same noise: what differs is owed to the factor.
        moved = np.abs(source.codes(other, generator(noise=1)) - before).max(axis=0) > 1e-9
        assert moved.tolist() == representation.holds[:, j].tolist()


@pytest.mark.parametrize("name", [name for name in REPRESENTATIONS if name not in TOYS])
def test_codes_tell_all_factors_just_where_they_are_said_to(name):
    sample = draw(name, 4000)
    factors_of = {}
    for code, factors in zip(map(tuple, distinct(name, sample.codes)), map(tuple, sample.factors), strict=True):
        factors_of.setdefault(code, set()).add(factors)
    if name in ("band code", "five codes, digits", "five codes, parity"):
        # More codes than observations: look at each factor with the codes that are said to hold it.
        for j in range(sample.n_factors):
            own = distinct(name, sample.codes)[:, REPRESENTATIONS[name].holds[:, j]]
            pairs = np.unique(np.column_stack([own, sample.factors[:, j]]), axis=0)
            if name == "band code":  # the digits of both, though not all of either
                pairs = np.unique(np.column_stack([*band_digits(own, j), sample.factors[:, j]]), axis=0)
            assert len(np.unique(pairs[:, :-1], axis=0)) == len(pairs)
        return
    assert all(len(found) == 1 for found in factors_of.values()) == REPRESENTATIONS[name].explicit


def band_digits(own, j):
    """Leading digit of a factor's own code and second digit of the next, whose place among the two wraps around."""
    first, second = own.T if j < 7 else own.T[::-1]
    return first // 3, second % 3


@pytest.mark.parametrize("name", HIDDEN)
def test_a_hidden_code_alone_tells_nothing_and_its_group_without_it_no_more(name):
    sample = draw(name, 20_000)
    codes = distinct(name, sample.codes)
    information = mutual_information(codes, sample.factors, bins=HIDDEN[name])
    assert information.max() < 0.002
    if name != "band code":
        own = codes[:, REPRESENTATIONS[name].holds[:, 0]]
        for left_out in range(own.shape[1]):
            rest = np.delete(own, left_out, axis=1) @ (2.0 ** np.arange(own.shape[1] - 1))
            assert mutual_information(rest[:, None], sample.factors[:, :1], bins=2 ** own.shape[1]).max() < 0.002


@pytest.mark.parametrize(("name", "second"), [("toy model M1", 0.0), ("toy model M2", 0.1187)])
def test_the_toy_models_tell_as_much_as_the_paper_says(name, second):
    sample = draw(name, 40_000)
    bits = mutual_information(np.round(sample.codes), sample.factors, bins=2) / np.log(2)
    assert bits == pytest.approx(np.array([[0.1887, 0.1887], [0.0, second]]), abs=0.01)


def test_strong_is_both_characteristics_and_nothing_lost():
    for representation in REPRESENTATIONS.values():
        both = representation.characteristic_1 and representation.characteristic_2 and representation.explicit
        assert bool(representation.strong) == bool(both)
        assert not representation.strong or representation.weak


def at(name, metric, **options):
    return float(metric(draw(name, 10_000), **options))


def test_the_scores_that_the_gallery_quotes_come_out():
    assert at("stretched copy", mig) == pytest.approx(0.579, abs=0.01)
    assert at("both bits beside their parity", mig) == pytest.approx(1.0, abs=0.01)
    assert at("hidden powers", sap, relation="r2") == pytest.approx(0.75, abs=0.02)
    assert at("one code for all", mig) == pytest.approx(1.0, abs=0.01)
    assert at("one code for all", dci, estimator="forest") < 0.2
    quick = {"train_points": 1000, "test_points": 500, "batch": 128}
    assert float(beta_vae_metric(REPRESENTATIONS["two of five factors"].source, **quick)) == pytest.approx(
        0.6, abs=0.05
    )
    assert float(beta_vae_metric(REPRESENTATIONS["copies at the toss of a coin"].source, **quick)) > 0.95
    assert float(factor_vae(REPRESENTATIONS["Gaussian mixtures"].source, batch=128, train_votes=500)) > 0.95


def test_agreement_of_confounded_factors_is_as_stated():
    a, b, _ = draw("confounded copies", 40_000).factors.T
    assert (a == b).mean() == pytest.approx(0.6**2 + 0.64 / 4, abs=0.01)
