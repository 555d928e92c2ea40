"""Codes of many thousand dimensions: what a metric would take, and the codes of most information."""

import time
import warnings
from dataclasses import replace

import numpy as np

from dbench.codes import Sample
from dbench.errors import DbenchError
from dbench.metrics import entropy, mutual_information
from dbench.metrics.relations import classes
from dbench.scoring.plan import Item
from dbench.scoring.scored_codes import ScoredCodes
from dbench.seeds import generator

WIDE = 1_000
"""Codes above which only metrics that take time and memory in proportion are computed where none is named."""

_CODES, _ROWS, _FACTORS = 32, 500, 2  # of the trial


def too_wide(item: Item, scored: ScoredCodes, seed: int) -> str:
    """Say what a metric of wide codes would take, by a trial where it fits predictors."""
    sample = scored.sample
    count = f"{sample.n_codes:,} codes"
    if not (item.learned and item.needs == "sample" and item.speed == "fast"):
        return f"takes more than in proportion to {count}"
    few = Sample(sample.codes[:_ROWS, :_CODES], sample.factors[:_ROWS], sample.factor_names, sample.kinds)
    few = few.of_factors(range(min(_FACTORS, few.n_factors)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            for _ in range(2):  # the first imports what it needs
                start = time.perf_counter()
                item.function(few, **item.options, generator=generator(task="trial", seed=seed))
        except (DbenchError, ArithmeticError, ValueError):
            return f"fits predictors on {count}"
    more = len(sample) / len(few) * sample.n_codes / few.n_codes * sample.n_factors / few.n_factors
    minutes = (time.perf_counter() - start) * more / 60
    said = f"{minutes / 60:,.0f} hours" if minutes > 90 else f"{max(minutes, 1):.0f} minutes"
    return f"fits predictors on {count}, about {said} by a trial of {_CODES} (fewer codes with --most 500)"


def most_informative(sample: Sample, most: int, seed: int) -> Sample:
    """Return the codes that know most of a factor, by its entropy, on the rows by which they were not chosen.

    One half of the rows chooses, the other is returned: where they are chosen, the best of many noise codes look
    informed. A sample of no more codes than asked for is returned as it is.
    """
    if sample.n_codes <= most:
        return sample
    order = generator(task="score_codes", step="most", seed=seed).permutation(len(sample))
    choosing, kept = np.sort(order[len(sample) // 2 :]), np.sort(order[: len(sample) // 2])
    factors = classes(sample)[choosing]
    known = mutual_information(sample.codes[choosing], factors) / np.maximum(entropy(factors), 1e-12)
    codes = np.sort(np.argsort(-known.max(axis=1), kind="stable")[:most])
    return replace(sample, codes=sample.codes[np.ix_(kept, codes)], factors=sample.factors[kept])
