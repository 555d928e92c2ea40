"""IRS, section 6.3, Figure 4: lines of trained codes under interventions, flat for the robust ones."""

from dataclasses import replace

from dbench.claims import Claim, above
from dbench.claims.regime import FACTORS_HELD
from dbench.errors import EvidenceLacking
from dbench.estimates.codes import informative_codes
from dbench.estimates.zoo_statistics import arrays_of
from dbench.stats import jackknife_interval

# As on the cards of constructed codes: the upper quarter of the scale, the lower half, a tenth of the range.
ROBUST, NOT_ROBUST, FLAT = 0.75, 0.5, 0.9

STAY = Claim.zoo(
    id="irs.flat-lines",
    quote="For a robustly disentangled feature, we would expect all of these colored lines to be horizontal",
    regime=(FACTORS_HELD,),
    part="trained",
    population="robust codes among the informative ones (KL above 0.01 nats) of all runs: objectives, strengths, seeds",
    deviations=(
        "Robust: IRS of 0.75 or more; not robust: below 0.5. Flat: the lines of no factor depart from their mean by "
        "more than a tenth of the code's largest deviation (largest departure, mean over values of the own factor).",
        "From an IRS of 0.9 flat lines follow: a mean departs no farther than the farthest of what it is the mean of.",
    ),
    statistic="share of robust codes whose lines are all flat",
    bounds=(0.0, 1.0),
    # 'All of these colored lines to be horizontal': nine codes in ten.
    rule=above(0.9),
    # Shares near their end are skewed: at 0.95 simulated worlds at the margin come out 'reproduced' in 6%.
    confidence=0.98,
)
SLOPE = STAY.cell(
    "trained, not robust",
    quote="its value can still be changed remarkably by switching any of posx, posy or orientation.",
    says="Codes of trained models that are not robust show lines that slope.",
    deviations=STAY.deviations[:1],
    statistic="share of codes that are not robust of which some line is not flat",
)
CONVERSE = STAY.probe(
    "trained, converse",
    says="Codes of trained models whose lines are all flat are robust.",
    deviations=(
        STAY.deviations[0],
        "Not claimed in so many words; the plots of 6.3 are offered to be read this way.",
    ),
    statistic="share of codes with flat lines alone that are robust",
)


def share(population, of, have, confidence):
    """Share of the informative codes of one kind that are of another, over the seeds that hold some of the one kind.

    Each kind takes IRS and flatness.
    """
    robust, flat = arrays_of(population, "irs.code"), arrays_of(population, "irs.one_nuisance")
    counted = informative_codes(population) & of(robust, flat)
    found = counted & have(robust, flat)
    holds = counted.any(axis=(1, 2))
    number, of_them = found.sum(axis=(1, 2))[holds], counted.sum(axis=(1, 2))[holds]
    if len(of_them) < 2:  # one seed cannot be left out
        raise EvidenceLacking(f"{population.name} holds too few such codes: {of_them.sum()} in {len(of_them)} seeds")
    estimate = jackknife_interval(
        lambda seeds: float(number[seeds].sum() / of_them[seeds].sum()), len(of_them), confidence=confidence
    )
    said = f"{number.sum():,} of {of_them.sum():,} such codes, which {len(of_them)} of {len(holds)} seeds hold."
    return replace(estimate, notes=(said,))


@STAY.covers
def test_lines_of_robust_codes_are_flat(unsupervised, confidence):
    return share(unsupervised, lambda irs, flat: irs >= ROBUST, lambda irs, flat: flat >= FLAT, confidence)


@SLOPE.covers
def test_lines_of_other_codes_slope(unsupervised, confidence):
    return share(unsupervised, lambda irs, flat: irs < NOT_ROBUST, lambda irs, flat: flat < FLAT, confidence)


@CONVERSE.covers
def test_codes_of_flat_lines_are_robust(unsupervised, confidence):
    return share(unsupervised, lambda irs, flat: flat >= FLAT, lambda irs, flat: irs >= ROBUST, confidence)
