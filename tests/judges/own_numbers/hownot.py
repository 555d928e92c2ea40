"""Figures of How Not to Measure Disentanglement for its own sentences."""

ONE, TWO = "hownot/test_2_1_characteristic_1", "hownot/test_2_2_characteristic_2"

NUMBERS = [
    # 3/K.
    (ONE, "FACT_1", [3 / 6, 3 / 10], ""),
    (ONE, "FACT_2", [0.6], ""),
    (ONE, "FACT_3", [0.9967], ""),
    (ONE, "FACT_4", [1.0], ""),
    (ONE, "FACT_5", [0.957], ""),
    (TWO, "FACT_6", [0.32], ""),
    (TWO, "FACT_6_EXACT", [0.32], ""),
    (TWO, "FACT_8", [0.98], ""),
    (TWO, "FACT_8_EXACT", [0.98], ""),
]
