"""A Sober Look, section 7: statistical efficiency of a representation that is poor at every sample size."""

from functools import cache

from dbench.claims import Claim, above
from dbench.constructions.relations import noisy_copies
from dbench.metrics import statistical_efficiency
from dbench.seeds import generator
from dbench.stats import mean_of

FEW, MANY, TESTED = 100, 2_000, 5_000
SHORTER = "Accuracy with 100 training observations over that with 2,000 instead of 10,000."
LOGISTIC = "Logistic regression; boosted trees are left to trained models."


@cache
def _efficiency(signal, repetition, few=FEW):
    stream = generator(claim=EFFICIENT.id, signal=signal, repetition=repetition)
    sample = noisy_copies(MANY + TESTED, stream, signal=signal)
    return statistical_efficiency(sample, few=few, many=MANY, test=TESTED, generator=stream)


EFFICIENT = Claim.synthetic(
    id="sober.efficiency-artefact",
    quote="This can be explained by the fact that these models have low downstream performance and that hence the "
    "accuracy with 100 samples is similar to the accuracy with $10\\,000$ samples.",
    says="A representation that is poor at every sample size gets a higher statistical efficiency than a good one.",
    population="a factor of 16 values; a code of noise alone against a noisy copy; draws varied",
    deviations=(SHORTER, LOGISTIC),
    unit="repetition",
    statistic="mean difference of statistical efficiency: noise minus copy",
    rule=above(0.0),
    source="sign",
    demonstration=True,
    given={"poor": 0.0, "good": 1.0, "repetitions": 5},
    false={"good": 0.0},
    revision=2,
)


@EFFICIENT.covers
def test_codes_of_noise_look_more_efficient_than_copies(poor, good, repetitions):
    """Compare codes by the weight of the factor in them."""
    pairs = [(_efficiency(poor, i), _efficiency(good, i)) for i in range(repetitions)]
    return mean_of([float(a) - float(b) for a, b in pairs])


SIMILAR = EFFICIENT.cell(
    "poor is efficient",
    role="primary",
    says="Where accuracy is low at every sample size it is similar with few and with many, so efficiency is high.",
    population="a factor of 16 values and a code of noise alone; draws varied",
    deviations=(SHORTER, LOGISTIC, "'Similar' is a ratio above nine tenths."),
    statistic="mean statistical efficiency of noise",
    rule=above(0.9),
    source="lexicon: similar accuracy",
    given={"signal": 0.0, "few": FEW, "repetitions": 5},
    # Five observations cannot hold sixteen values, so those that come later do help.
    false={"signal": 0.1, "few": 5},
)


@SIMILAR.covers
def test_codes_of_noise_are_as_accurate_with_few_observations(signal, few, repetitions):
    return mean_of([float(_efficiency(signal, i, few)) for i in range(repetitions)])


POOR = EFFICIENT.cell(
    "poor at every size",
    role="primary",
    says="The representation of the higher efficiency has the lower accuracy at every sample size.",
    statistic="mean of the smaller lead in accuracy, copy minus noise, at 100 and at 2,000 observations",
    rule=above(0.0),
    given={"poor": 0.0, "good": 1.0, "repetitions": 5},
)


@POOR.covers
def test_codes_of_noise_are_less_accurate_at_every_size(poor, good, repetitions):
    def lead(repetition):
        a, b = _efficiency(poor, repetition).details, _efficiency(good, repetition).details
        return min(b[name] - a[name] for name in ("accuracy.few", "accuracy.many"))

    return mean_of([lead(i) for i in range(repetitions)])
