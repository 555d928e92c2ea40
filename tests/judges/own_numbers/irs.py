"""Figures of Table 1 of the IRS paper for its own sentences."""

TABLE, TRAINED = "irs/test_6_1_published_table", "irs/test_6_1_methods"

NUMBERS = [
    (TABLE, "LEADS", [0.72 - 0.57]),
    (TABLE, "TRAILS", [0.16 - 0.23]),
    (TABLE, "LAST", [0.33 - 0.43]),
    (TRAINED, "LEADS", [0.72 - 0.57]),
    (TRAINED, "TRAILS", [0.23 - 0.16]),
    (TRAINED, "LAST", [0.43 - 0.33]),
    (TRAINED, "EXAMPLE", [min(0.72 - 0.33, 0.82 - 0.74)]),
]
