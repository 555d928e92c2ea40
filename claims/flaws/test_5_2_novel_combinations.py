"""Correcting Flaws, section 5.2: novel combinations of familiar shape and size, asked of models trained here."""

from dataclasses import replace

from dbench.claims import Claim, above, below
from dbench.claims.regime import mean_above
from dbench.estimates.simulated import Law, Simulated
from dbench.estimates.zoo_statistics import settings_of
from dbench.stats import largest_of, mean_of, smallest_of

SYSTEMS = ("beta_vae", "beta_tcvae", "factor_vae", "parted_vae", "parted_vae_semi", "weak_de")
SUPERVISED = ("mtd",)
NOT_CLIPPED = "Accuracies are averaged, then adjusted for chance as in Table 3, but not set to 0 below chance."
SAME_MODEL = "Random splits are asked of the same models; the paper trains others, without random points."
FAMILIAR = mean_above(
    "novel.random_split.mlp",
    above(0.4848),
    chance="novel.chance",
    name="familiar combinations known",
    says="mean accuracy on a random split, shape and size together, adjusted for chance",
    source="Table 3, normal test set: the smallest of 18, PartedVAE-ss on dSprites",
    reason="what is known of familiar combinations leaves open what becomes of those never seen",
    units=SYSTEMS,
)


def systems_of(population):
    return [system for system in SYSTEMS if system in population.objectives]


def chance(population):
    """Accuracy of guessing both factors uniformly, the same for every run."""
    return float(settings_of(population, "novel.chance", objectives=population.objectives[:1])[0, 0])


def adjusted(population, systems, kind):
    """Accuracy of systems, averaged over runs and combinations, then adjusted: both ends of the interval too."""
    runs, guessing = settings_of(population, f"novel.{kind}", objectives=systems), chance(population)
    return mean_of((runs.mean(axis=1) - guessing) / (1 - guessing))


def differences(population, signed):
    """Jackknife over combinations weighted sums of adjusted accuracies, given as (kind, system) -> weight.

    The weights of each add up to 0, so that chance itself cancels.
    """
    cells = [cell for sum_of in signed for cell in sum_of]
    kinds, systems = (list(dict.fromkeys(part)) for part in zip(*cells, strict=True))

    def sums(tables):
        return [
            sum(weight * float(tables[f"novel.{kind}", system].mean()) for (kind, system), weight in sum_of.items())
            / (1 - chance(population))
            for sum_of in signed
        ]

    scores = [f"novel.{kind}" for kind in kinds]
    return population.estimates(sums, scores=scores, objectives=systems)


def models(**means):
    """Simulated: two runs of a system without each of five combinations; accuracy of all, or by system and else 0."""
    laws = {f"novel.{kind}": Law(mean=mean, noise=0.03) for kind, mean in means.items()}
    laws["novel.chance"] = Law(mean=1 / 18, noise=0.0)
    return {"left_out": Simulated(laws, objectives=dict.fromkeys((*SYSTEMS, *SUPERVISED), (0.0, 1.0)), seeds=5)}


AT_CHANCE = Claim.zoo(
    id="flaws.cg-poor",
    quote="results on Dsprites and MPI3D are essentially always at the level of random guessing",
    population="systems trained without one combination of shape and size at a time, one strength each",
    deviations=(
        "'Essentially always at chance' is read of every system: below 2.34 points, as Table 3 has it there.",
        NOT_CLIPPED,
        "MPI3D, of which the sentence speaks too, is not trained on.",
    ),
    unit="combination",
    statistic="largest of six systems: chance-adjusted accuracy of an MLP, shape and size together",
    rule=below(0.0234, null=0.0636),
    source="paper: at the level of random guessing",
    # Of Table 3 the column 'both' of random splits repeats another score (errata: flaws-table-3-random-split).
    regime=(FAMILIAR,),
    false=models(mlp=0.4),
    revision=3,
)


@AT_CHANCE.covers
def test_novel_combinations_are_classified_at_chance(left_out):
    study = left_out("dsprites")
    return largest_of([adjusted(study, (s,), "mlp") for s in systems_of(study)])


RANDOM_SPLIT = AT_CHANCE.cell(
    "random split",
    quote="every model is capable of classifying the unseen data accurately",
    says="Every model classifies unseen data of a random split accurately.",
    deviations=(NOT_CLIPPED, SAME_MODEL),
    statistic="smallest of six systems: chance-adjusted accuracy of an MLP on a random split, shape and size together",
    rule=above(0.4848, null=0.0),
    source="paper: accurately",
    regime=(),
    false=models(**{"random_split.mlp": 0.2}),
)


@RANDOM_SPLIT.covers
def test_random_splits_are_classified_accurately(left_out):
    study, kind = left_out("dsprites"), "random_split.mlp"
    return smallest_of([adjusted(study, (s,), kind) for s in systems_of(study)])


LINEAR = AT_CHANCE.cell(
    "linear",
    quote="The performance of the linear classifier is as low or lower, almost never above a random baseline",
    says="A linear classifier does no better on novel combinations than the MLP, and no better than chance.",
    deviations=("As good is what lies no further than random guessing does from chance.", NOT_CLIPPED),
    statistic="largest of six systems: adjusted accuracy of the linear classifier, or its lead over the MLP",
    rule=below(0.0234, null=0.0636),
    false=models(linear=0.5, mlp=0.1),
)


@LINEAR.covers
def test_a_linear_classifier_does_no_better(left_out):
    study = left_out("dsprites")
    systems = systems_of(study)
    signed = [{("linear", system): 1.0, ("mlp", system): -1.0} for system in systems]
    return largest_of([*differences(study, signed), *(adjusted(study, (system,), "linear") for system in systems)])


FAILS = Claim.zoo(
    id="flaws.cg-supervised-fails",
    quote="The accuracy for identifying novel combinations of familiar features is generally low, often at the level "
    "of random guessing (i.e., 0 after adjusting for chance agreement). This is even true for MTD, the supervised "
    "model.",
    population="systems trained without one combination of shape and size at a time, one strength each",
    deviations=(
        "'At chance' is read as for flaws.cg-poor.",
        "MTD is rebuilt from its description, and asked by an MLP on its codes like every system.",
        NOT_CLIPPED,
    ),
    unit="combination",
    statistic="chance-adjusted accuracy of an MLP on the codes of MTD, shape and size together",
    rule=below(0.0234, null=0.0636),
    source="paper: at the level of random guessing",
    regime=(replace(FAMILIAR, units=SUPERVISED),),
    false=models(mlp=0.4),
    revision=3,
)


@FAILS.covers
def test_a_supervised_system_is_at_chance(left_out):
    return adjusted(left_out("dsprites"), SUPERVISED, "mlp")


SUPERVISED_RANDOM = FAILS.cell(
    "random split",
    role="primary",
    quote="every model is capable of classifying the unseen data accurately",
    says="The same model classifies random splits nearly perfectly.",
    deviations=("As accurate as MTD is where Table 3 prints least.", *FAILS.deviations[1:], SAME_MODEL),
    statistic="chance-adjusted accuracy of an MLP on the codes of MTD on a random split, shape and size together",
    rule=above(0.9536, null=0.4848),
    source="paper: accurately, of MTD",
    regime=(),
    false=models(**{"random_split.mlp": 0.6}),
)


@SUPERVISED_RANDOM.covers
def test_a_supervised_system_classifies_random_splits(left_out):
    return adjusted(left_out("dsprites"), SUPERVISED, "random_split.mlp")
