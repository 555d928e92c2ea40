"""Figures of Table 1 of the IRS paper for its own sentences."""

TRAINED = "irs/test_6_1_methods"

NUMBERS = [
    (TRAINED, "LEADS", [0.72 - 0.57]),
    (TRAINED, "TRAILS", [0.23 - 0.16]),
    (TRAINED, "LAST", [0.43 - 0.33]),
    (TRAINED, "EXAMPLE", [min(0.72 - 0.33, 0.82 - 0.74)]),
]
