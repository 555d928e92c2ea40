"""Levels of settings against each other, and transfer between two data sets, where the answers are known."""

import numpy as np
import pytest
from simulation import Law, SimulatedPopulation, simulated_zoo

from dbench.errors import EvidenceLacking
from dbench.estimates.population import PopulationPair
from dbench.estimates.zoo_levels import (
    change_over_sweep,
    place_of,
    ratio_to,
    ratios_to,
    superiority_of_objective,
    superiority_of_setting,
)
from dbench.estimates.zoo_transfer import settings_agreement, shared_estimates, transfer
from dbench.seeds import generator
from dbench.stats import transfer_success

# Seeds 0 and 1 (rows) at strengths 1, 2 and 4.
SCORES = {
    ("tc", "beta_vae"): np.array([[4.0, 2.0, 1.0], [6.0, 4.0, 1.0]]),
    ("tc", "dip_vae_i"): np.array([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]]),
}
EXACT = SimulatedPopulation(SCORES, dict.fromkeys(("beta_vae", "dip_vae_i"), (1.0, 2.0, 4.0)))
PLAIN = ("beta_vae", 1.0)


def zoo(name: str, seeds: int = 10, **options) -> SimulatedPopulation:
    laws = {"mig": Law(mean={"beta_vae": 1.0}, trend=1.0), "dci": Law(seed=0.3)}
    return simulated_zoo(laws, generator=generator(test="zoo levels", zoo=name), seeds=seeds, **options)


def test_ratios_are_those_of_means_over_seeds():
    assert ratio_to(EXACT, "tc", "dip_vae_i", PLAIN).value == pytest.approx(2 / 5)
    assert [e.value for e in ratios_to(EXACT, "tc", "dip_vae_i", PLAIN)] == pytest.approx([1 / 5, 2 / 5, 3 / 5])
    assert ratio_to(EXACT, "tc", "beta_vae", PLAIN).value == pytest.approx(3 / 5)
    # One mean over strengths can hide what single ones are: they stand beside it.
    assert ratio_to(EXACT, "tc", "dip_vae_i", PLAIN).notes == ("strength by strength: 0.2 at 1, 0.4 at 2, 0.6 at 4",)


def test_changes_run_from_the_first_strength_that_counts_to_the_last():
    assert change_over_sweep(EXACT, "tc", "beta_vae").tolist() == [-3, -5]
    assert change_over_sweep(EXACT, "tc", "beta_vae", start=2.0).tolist() == [-1, -3]
    with pytest.raises(EvidenceLacking, match="fewer than two strengths of beta_vae from 3 on"):
        change_over_sweep(EXACT, "tc", "beta_vae", start=3.0)


def test_a_setting_that_was_not_trained_is_lacking_not_guessed():
    assert place_of(EXACT, ("beta_vae", 2.0)) == 1
    with pytest.raises(EvidenceLacking, match="simulated holds no beta_vae of strength 3"):
        place_of(EXACT, ("beta_vae", 3.0))
    with pytest.raises(EvidenceLacking, match="holds no objective 'factor_vae'"):
        ratio_to(EXACT, "tc", "factor_vae", PLAIN)


def test_superiority_counts_pairs_of_runs():
    against = superiority_of_setting(EXACT, "tc", PLAIN, "beta_vae", [2.0, 4.0])
    assert [e.value for e in against] == [3.5 / 4, 1.0]
    (over,) = superiority_of_objective(EXACT, ["tc"], "dip_vae_i", ["beta_vae"])
    # Of 1, 2, 3 against 4, 2, 1, 6, 4, 1: 1 ties twice, 2 wins twice and ties once, 3 wins three times.
    assert over.value == pytest.approx((1 + 2.5 + 3) / 18)


def test_transfer_uses_the_seeds_and_settings_of_both():
    pair = PopulationPair(zoo("here"), zoo("there", seeds=7))
    scores = ["dci", "mig"]
    tables = {
        (place, score): np.hstack([p.scores(score, o)[:7] for o in p.objectives])
        for place, p in (("source", pair.source), ("target", pair.target))
        for score in scores
    }
    for chosen in ("source", "target"):
        for judged in ("source", "target"):
            found = transfer(pair, scores, lambda t, c=chosen, j=judged: float(getattr(t, f"{c}_{j}")[1, 0]))
            assert found.value == pytest.approx(transfer_success(tables[chosen, "mig"], tables[judged, "dci"]))
            assert found.n == 7
    assert transfer(pair, scores, lambda t: float(t.settings)).value == 36
    agreement = settings_agreement(pair, scores)
    assert len(agreement) == 2
    # mig's settings differ alike on both data sets.
    assert agreement[1].value > 0.5 > agreement[0].value


def test_populations_are_compared_on_the_objectives_asked_for():
    pair = PopulationPair(EXACT, EXACT)
    for objectives, settings in ((["beta_vae"], 3), (None, 6)):
        (found,) = shared_estimates(pair, ["tc"], lambda ours, theirs: [ours[0].shape[1]], objectives=objectives)
        assert found.value == settings


def test_pairs_that_cannot_be_compared_are_lacking():
    other = {"beta_vae": (1, 2, 3, 4, 5, 7)}
    for source, target, message in (
        (zoo("a"), zoo("b", objectives=other), "other strengths of beta_vae"),
        (zoo("a", seeds=1), zoo("b"), "share at least 2 complete seeds, got 1"),
        (zoo("a", objectives={"mtd": (1, 2)}), zoo("b"), "share no objective"),
    ):
        with pytest.raises(EvidenceLacking, match=message):
            settings_agreement(PopulationPair(source, target), ["mig"])


def test_a_claim_on_two_data_sets_insists_on_the_same_strengths_and_says_which(claim_files):
    reconstruction = claim_files["sober/test_5_1_reconstruction"]
    laws = {"reconstruction": Law(mean=50.0)}
    zoos = (
        simulated_zoo(laws, generator=generator(test="pairs", zoo=last), objectives={"beta_vae": (1, 2, last)})
        for last in (4, 8)
    )
    data_set, ends = dict(zip(("dsprites", "color"), zoos, strict=True)).get, ((100.0, 0.0), (100.0, 0.0))
    with pytest.raises(EvidenceLacking, match="other strengths of beta_vae: 1, 2, 4 against 1, 2, 8"):
        reconstruction.test_a_variant_of_dsprites_is_harder(data_set, "color", ends=ends)
