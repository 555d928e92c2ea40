"""What A Sober Look (Locatello et al. 2020) swept; apart from the cards, so that profiles can read it without torch."""

SWEPT: dict[str, tuple[float, ...]] = {
    "beta_vae": (1, 2, 4, 6, 8, 16),
    "annealed_vae": (5, 10, 25, 50, 75, 100),
    "factor_vae": (10, 20, 30, 40, 50, 100),
    "beta_tcvae": (1, 2, 4, 6, 8, 10),
    "dip_vae_i": (1, 2, 5, 10, 20, 50),
    "dip_vae_ii": (1, 2, 5, 10, 20, 50),
}
"""Objective -> its strengths, table 3."""

UNSUPERVISED = tuple(SWEPT)
"""Its objectives, which Duan et al. use too; all are trained without labels."""
