"""Figures of UDR for its own sentences: Tables 1 and 6, Figure 4, limitation 1."""

SUPERVISED, VARIANTS = "udr/test_4_supervised_metrics", "udr/test_4_variants"
COMPARISONS, INFORMATIVE = "udr/test_4_comparisons", "udr/test_4_informative"
MODELS = "udr/test_4_models"
PRINTED, PROPERTIES = "udr/test_5_published_tables", "udr/test_5_metric_properties"

NUMBERS = [
    (SUPERVISED, "CORRELATES", [0.54, 0.60]),
    (SUPERVISED, "CONTROL", [0.67]),
    (VARIANTS, "BETTER", [0.54 - 0.53, 0.60 - 0.59]),
    (VARIANTS, "FOR_MODELS", [0.60 - 0.54, 0.59 - 0.53]),
    (COMPARISONS, "FIVE", [0.51]),
    (COMPARISONS, "FIVE_OF_MANY", [0.51 - 0.61 * (0.51 / 0.61)]),
    (COMPARISONS, "GROWS", [0.61 - 0.51]),
    (INFORMATIVE, "TRANSFER", [0.807]),
    # Figure 4: the top ranked DIP-VAE-I; beta-VAE and CCI-VAE.
    (MODELS, "NONE_GOOD", [0.212]),
    (MODELS, "SOME_GOOD", [0.607, 0.895]),
    (PRINTED, "FIVE", [0.51 / 0.61]),
    (PROPERTIES, "BETA_VAE", [1.0]),
]
