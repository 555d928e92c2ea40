"""Figures that A Sober Look prints for sentences of 5.4 to 7: claim file, card, the card's statistic made of them."""

# Table 1, and chance among 36 settings when ties are successes.
SAME, OTHER_METRIC, OTHER_DATA, BOTH = 0.819, 0.621, 0.596, 0.527
CHANCE = 37 / 72
TRANSFER, DIFFERENCES = "sober/test_5_4_transfer", "sober/test_6_1_differences"

NUMBERS = [
    (
        TRANSFER,
        "TABLE",
        (min((SAME - CHANCE) / 0.305, (SAME - OTHER_DATA) / 0.222, (0.305 - (BOTH - CHANCE)) / (0.305 - 0.0136)),),
    ),
    (TRANSFER, "SAME", (SAME - CHANCE,)),
    (TRANSFER, "OTHER_METRIC", (SAME - OTHER_METRIC,)),
    (TRANSFER, "OTHER_DATA", (SAME - OTHER_DATA,)),
    (TRANSFER, "BOTH", (BOTH - CHANCE,)),
    # Figure 14: MIG of the two models; then the smaller of the first's lead in MIG and the second's in DCI.
    (DIFFERENCES, "FACTOR_OF_TWO", (0.66 / 0.33,)),
    (DIFFERENCES, "REVERSED", (min(0.66 - 0.33, 0.94 - 0.77),)),
]
