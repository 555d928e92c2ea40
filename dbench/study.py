"""What A Sober Look (Locatello et al. 2020) swept: for cards, which load torch, and for profiles, which must not."""

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
"""Its objectives, those of Duan et al. too: trained without labels."""
