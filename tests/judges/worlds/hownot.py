"""Worlds in which findings of Sepliarskaia et al. are false, or too small to tell: a row for each card.

A row names the claim file, the card, the test, what the test is given where the sentence is false, and where there is
too little to tell.
"""

import numpy as np
from counter_worlds import EXACT, by_test

from dbench.constructions.battery import BATTERY
from dbench.constructions.powers import plain_powers

ONE, TWO, MIG, TABLE = (
    f"hownot/test_2_{name}" for name in ("1_characteristic_1", "2_characteristic_2", "2_mig", "3_table")
)
ONLY_BITS = {(2,): 1}
TWO_VALUES = np.array([0.0, 1.0])
# A battery in which nothing fools FactorVAE.
CAUGHT = {"one code for all": BATTERY["one code for all"]}
FACTOR_VAE = {"metric": "factor_vae"}


def several(codes, members):
    return (codes.changes[members].sum(axis=1) >= 2).all(axis=1)


def one_each(codes, members):
    return (codes.changes[members].sum(axis=1) == 1).all(axis=1)


WORLDS = by_test(
    (ONE, "FACT_1", "test_a_metric_is_not_high_where_factors_are_missing",
     FACTOR_VAE | {"n_factors": 3, "captured": 3}, FACTOR_VAE | {"n_factors": 5, "repetitions": 2}),
    (ONE, "FACT_1_FIGURE", "test_the_score_in_large_batches_is_three_over_the_number_of_factors",
     {"metric": "beta_vae", "n_factors": 5, "captured": 4}, EXACT),
    (ONE, "FACT_2", "test_dci_of_the_printed_matrix_is_not_high", {"matrix": np.eye(11)}, EXACT),
    (ONE, "FACT_2_SAMPLED", "test_dci_by_boosted_trees_is_not_high_on_codes_nearly_straight",
     {"straight": True, "n": 150}, {"repetitions": 2, "n": 60}),
    (ONE, "FACT_3", "test_beta_vae_tells_coin_copies_apart",
     {"probabilities": np.full((3, 3), 1 / 3)}, {"repetitions": 2}),
    (ONE, "FACT_4", "test_factor_vae_takes_mixtures_for_disentangled",
     {"weights": np.ones((3, 3))}, {"repetitions": 2}),
    (ONE, "FACT_5", "test_dci_lets_a_clean_code_hide_an_empty_one", {"matrix": np.ones((2, 2))}, EXACT),
    (TWO, "FACT_6", "test_sap_of_samples_is_not_high_on_powers", {"power": 1}, {"repetitions": 2}),
    (TWO, "FACT_6_EXACT", "test_sap_in_closed_form_is_not_high_on_powers", {"power": 1}, EXACT),
    (TWO, "FACT_8", "test_sap_of_samples_overlooks_a_code_of_powers", {"power": 1}, {"repetitions": 2}),
    (TWO, "FACT_8_EXACT", "test_sap_in_closed_form_overlooks_a_code_of_powers", {"power": 1}, EXACT),
    (MIG, "AS_DEFINED", "test_mig_is_high_wherever_each_factor_changes_one_code",
     {"condition": several}, {"grids": ONLY_BITS}),
    (MIG, "AS_PROVED", "test_mig_is_high_wherever_that_code_determines_the_factor",
     {"condition": one_each}, {"grids": ONLY_BITS}),
    (MIG, "PARITY", "test_mig_is_high_on_a_parity", {"codes": "parity alone"}, EXACT),
    (MIG, "SCALES", "test_mig_of_samples_is_high_on_every_scale",
     {"sizes": [12], "scales": 100}, {"sizes": [2], "scales": 5}),
    (MIG, "ESTIMATED", "test_mig_of_samples_is_high_on_three_stretched_values",
     {}, {"scale": TWO_VALUES, "repetitions": 2}),
    (MIG, "POWERS_LIMIT", "test_mig_in_the_limit_is_high_on_the_powers_of_fact_6", {"power": 15}, EXACT),
    (MIG, "LOW_AS_DEFINED", "test_mig_is_low_wherever_factors_change_several_codes",
     {"condition": one_each}, {"grids": {(2,): 2}}),
    (MIG, "LOW_PARITY", "test_mig_is_low_on_both_bits_beside_their_parity", {"codes": "one to one"}, EXACT),
    (MIG, "LOW_POWERS", "test_mig_of_samples_is_low_on_the_powers_of_fact_8",
     {"draw": plain_powers, "power": 1}, {"power": 1, "repetitions": 2}),
    (TABLE, "TABLE", "test_a_metric_satisfies_a_property_where_the_table_says_so",
     FACTOR_VAE | {"number": 2, "battery": CAUGHT}, FACTOR_VAE | {"number": 2, "repetitions": 2}),
    (TABLE, "CHARACTERISTICS", "test_a_representation_has_one_characteristic_and_not_the_other",
     {"codes": "spread", "representation": "straight"}, EXACT),
    (TABLE, "SPLIT", "test_a_metric_splits_the_two_representations",
     {"metric": "mig", "codes": "single", "representation": "spread"},
     {"metric": "mig", "codes": "single", "repetitions": 2}),
)  # fmt: skip
