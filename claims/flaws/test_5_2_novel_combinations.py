"""Correcting Flaws, section 5.2: novel combinations of familiar shape and size, asked of models trained here."""

from itertools import product

from dbench.claims import Claim, above, below
from dbench.claims.regime import knows_familiar
from dbench.estimates.simulated import Law, Simulated
from dbench.estimates.zoo_statistics import settings_of
from dbench.stats import largest_of, mean_of, smallest_of

PARTED = ("parted_vae", "parted_vae_semi")
UNSUPERVISED = ("beta_vae", "beta_tcvae", "factor_vae", "parted_vae")
SYSTEMS = (*UNSUPERVISED, "parted_vae_semi", "weak_de")
SUPERVISED = ("mtd",)
NOT_CLIPPED = "Accuracies are averaged, then adjusted for chance as in Table 3, but not set to 0 below chance."
SAME_MODEL = "Random splits are asked of the same models; the paper trains others, without random points."


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
        "'Essentially always at chance' is read as below 5 points after adjustment, for every system.",
        NOT_CLIPPED,
        "MPI3D, of which the sentence speaks too, is not trained on.",
    ),
    unit="combination",
    statistic="largest of six systems: chance-adjusted accuracy of an MLP, shape and size together",
    # Chance is on the sentence's side: there is no value of no effect beyond the bound.
    rule=below(0.05),
    # Of Table 3 the column 'both' of random splits repeats another score (errata: flaws-table-3-random-split).
    regime=(knows_familiar(SYSTEMS, 0.75, "three quarters; the paper's six models are at 83% (Tables 9 to 14)"),),
    false=models(mlp=0.4),
    revision=2,
)


@AT_CHANCE.covers
def test_novel_combinations_are_classified_at_chance(left_out):
    study = left_out("dsprites")
    return largest_of([adjusted(study, (s,), "mlp") for s in SYSTEMS])


RANDOM_SPLIT = AT_CHANCE.cell(
    "random split",
    quote="every model is capable of classifying the unseen data accurately",
    says="Every model classifies unseen data of a random split accurately.",
    deviations=("'Accurately' is read as at least halfway from chance to perfect.", NOT_CLIPPED, SAME_MODEL),
    statistic="smallest of six systems: chance-adjusted accuracy of an MLP on a random split, shape and size together",
    rule=above(0.5, null=0.0),
    regime=(),
    false=models(**{"random_split.mlp": 0.2}),
)


@RANDOM_SPLIT.covers
def test_random_splits_are_classified_accurately(left_out):
    study, kind = left_out("dsprites"), "random_split.mlp"
    return smallest_of([adjusted(study, (s,), kind) for s in SYSTEMS])


LINEAR = AT_CHANCE.cell(
    "linear",
    quote="The performance of the linear classifier is as low or lower, almost never above a random baseline",
    says="A linear classifier does no better on novel combinations than the MLP.",
    deviations=(
        "Better is read as by 5 points, which is what counts as above chance: five combinations tell no less apart.",
        NOT_CLIPPED,
    ),
    statistic="largest of six systems: adjusted accuracy of the linear classifier minus that of the MLP",
    # Chance is on the sentence's side: there is no value of no effect beyond the bound.
    rule=below(0.05),
    false=models(linear=0.5, mlp=0.1),
)


@LINEAR.covers
def test_a_linear_classifier_does_no_better(left_out):
    study = left_out("dsprites")
    signed = [{("linear", system): 1.0, ("mlp", system): -1.0} for system in SYSTEMS]
    return largest_of(differences(study, signed))


ON_3DSHAPES = Claim.zoo(
    id="flaws.cg-by-data-set",
    quote="There is a clear difference across datasets: results on Dsprites and MPI3D are essentially always at the "
    "level of random guessing, whereas those on 3dshapes are more promising",
    says="On 3dshapes systems classify novel combinations above chance.",
    population="systems trained without one combination of shape and size at a time, one strength each",
    deviations=("'Above chance' is read as by 5 points. That dSprites is at chance, flaws.cg-poor asks.", NOT_CLIPPED),
    unit="combination",
    statistic="mean of six systems: chance-adjusted accuracy of an MLP, shape and size together",
    rule=above(0.05, null=0.0),
    regime=(knows_familiar(SYSTEMS, 0.75, "three quarters; the paper's six models are at 94% (Tables 15 to 20)"),),
    false=models(mlp=1 / 18),
    revision=2,
)


@ON_3DSHAPES.covers
def test_novel_combinations_are_above_chance_on_3dshapes(left_out):
    return adjusted(left_out("shapes3d"), SYSTEMS, "mlp")


PARTED_BEST = ON_3DSHAPES.cell(
    "parted_vae",
    quote="PartedVae performs best, especially the semi-supervised variant",
    says="PartedVAE, unsupervised and semi-supervised, does best on 3dshapes.",
    deviations=(),
    statistic="worse of both variants of PartedVAE minus the best other system, adjusted accuracy",
    # The paper's own lead is 0.8 points.
    rule=above(0.0),
    false=models(mlp={"weak_de": 0.5}),
    revision=3,
)


@PARTED_BEST.covers
def test_parted_vae_does_best(left_out):
    study, others = left_out("shapes3d"), [system for system in SYSTEMS if system not in PARTED]
    signed = [{("mlp", ours): 1.0, ("mlp", other): -1.0} for ours, other in product(PARTED, others)]
    return smallest_of(differences(study, signed))


SEMI_BEST = ON_3DSHAPES.cell(
    "parted_vae, semi-supervised",
    quote="PartedVae performs best, especially the semi-supervised variant",
    says="The semi-supervised PartedVAE does better than its unsupervised variant on 3dshapes.",
    deviations=("'Better' is read as by 5 points.",),
    statistic="PartedVAE semi-supervised minus PartedVAE, adjusted accuracy",
    rule=above(0.05, null=0.0),
    false=models(mlp={"parted_vae": 0.5}),
)


@SEMI_BEST.covers
def test_the_semi_supervised_variant_does_better(left_out):
    signed = {("mlp", "parted_vae_semi"): 1.0, ("mlp", "parted_vae"): -1.0}
    return differences(left_out("shapes3d"), [signed])[0]


WEAK = ON_3DSHAPES.probe(
    "weak_de",
    quote="the other recent semi-supervised method, WeakDE, performs less well",
    says="WeakDE does not share the advantage of the other semi-supervised method.",
    deviations=("The paper compares it with PartedVAE, which 'parted_vae' asks. An advantage is one of 5 points.",),
    statistic="WeakDE minus the mean of the four unsupervised systems, adjusted accuracy",
    rule=below(0.05),
    false=models(mlp={"weak_de": 0.5}),
    revision=1,
)


@WEAK.covers
def test_weak_de_does_not_share_the_advantage(left_out):
    signed = {("mlp", "weak_de"): 1.0} | {("mlp", system): -1 / len(UNSUPERVISED) for system in UNSUPERVISED}
    return differences(left_out("shapes3d"), [signed])[0]


FAILS = Claim.zoo(
    id="flaws.cg-supervised-fails",
    quote="The accuracy for identifying novel combinations of familiar features is generally low, often at the level "
    "of random guessing (i.e., 0 after adjusting for chance agreement). This is even true for MTD, the supervised "
    "model.",
    population="systems trained without one combination of shape and size at a time, one strength each",
    deviations=(
        "'At chance' is read as below 5 points, as for flaws.cg-poor.",
        "MTD is rebuilt from its description, and asked by an MLP on its codes like every system.",
        NOT_CLIPPED,
    ),
    unit="combination",
    statistic="chance-adjusted accuracy of an MLP on the codes of MTD, shape and size together",
    # Chance is on the sentence's side: there is no value of no effect beyond the bound.
    rule=below(0.05),
    regime=(knows_familiar(SUPERVISED, 0.9, "Table 3, normal test set: MTD at 95% to 100% on three data sets"),),
    false=models(mlp=0.4),
    revision=2,
)


@FAILS.covers
def test_a_supervised_system_is_at_chance(left_out):
    return adjusted(left_out("dsprites"), SUPERVISED, "mlp")


SUPERVISED_RANDOM = FAILS.cell(
    "random split",
    quote="every model is capable of classifying the unseen data accurately",
    says="The same model classifies random splits nearly perfectly.",
    deviations=("'Nearly perfectly' is read as above 90%.", *FAILS.deviations[1:], SAME_MODEL),
    statistic="chance-adjusted accuracy of an MLP on the codes of MTD on a random split, shape and size together",
    rule=above(0.9, null=0.0),
    regime=(),
    false=models(**{"random_split.mlp": 0.6}),
)


@SUPERVISED_RANDOM.covers
def test_a_supervised_system_classifies_random_splits(left_out):
    return adjusted(left_out("dsprites"), SUPERVISED, "random_split.mlp")
