import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from dbench.cli import main
from dbench.errors import InvalidInput
from dbench.estimates.evidence import load_population
from dbench.zoo.arrays import AGREEMENTS
from dbench.zoo.complete import build_table, write_table
from dbench.zoo.extend import load_earlier
from dbench.zoo.profiles import Sweep
from dbench.zoo.store import Store
from dbench.zoo.table import load_manifest

MORE = (Sweep("beta_vae", (1, 4)), Sweep("beta_tcvae", (1, 4)), Sweep("factor_vae", (10,)))
SEEDS = (2, 3, 4, 5, 6)
RULES = {"mine / zoo": "0123"}


@pytest.fixture
def part(tmp_path, finish):
    """Make the table of some runs from a store of their own, beside those of an earlier table."""

    def of(profile, keys, name="store", diverged=(), earlier=None, **scores):
        store, population = Store(tmp_path / name), {}
        for key in keys:
            status = "diverged" if key in diverged else "done"
            found = {"mig": key.seed + key.strength, "kl.code": [0.5, key.seed], **scores}
            finish(store, key, status=status, scores=found)
            among = [other for other in sorted(keys) if other.objective == key.objective and other not in diverged]
            population[key.digest] = {AGREEMENTS: [float(key.seed - other.seed) for other in among]}
        return build_table(store, keys, profile, population, earlier=earlier)

    return of


@pytest.fixture
def first(part, tiny, tmp_path):
    """The folder of a table of two seeds, of which one run diverged."""
    keys = tiny.runs()
    table, arrays = part(tiny, keys, "first", diverged=keys[:1])
    write_table(tmp_path / "table", table, tiny, arrays=arrays, rules=RULES)
    return tmp_path / "table"


def later(profile):
    return profile.runs(seeds=SEEDS)


def test_a_table_in_two_parts_is_the_table_in_one_but_for_comparisons_across(first, part, tiny, tmp_path):
    seven = replace(tiny, seeds=7)
    table, arrays = part(seven, later(seven), earlier=load_earlier(first, later(seven), seven))
    whole, of_whole = part(seven, seven.runs(), "whole", diverged=tiny.runs()[:1])
    pd.testing.assert_frame_equal(table, whole)
    assert arrays.runs == of_whole.runs
    np.testing.assert_array_equal(arrays.of_runs["kl.code"], of_whole.of_runs["kl.code"])
    for objective, matrix in of_whole.agreements.items():
        runs = whole[(whole["objective"] == objective) & (whole["status"] == "done")].drop_duplicates("run")
        late = runs["seed"].isin(SEEDS).to_numpy()
        apart = np.where(np.equal.outer(late, late), matrix, np.nan)
        np.testing.assert_array_equal(arrays.agreements[objective], apart)
    write_table(tmp_path / "both", table, seven, arrays=arrays)
    assert load_population(tmp_path / "both").having(AGREEMENTS).seeds().tolist() == list(SEEDS)
    said = load_manifest(tmp_path / "both")["profile"]["deviations"]
    assert said == ["UDR compares runs of beta_tcvae, beta_vae within parts of 5 and 2 seeds"]


def test_scores_that_one_part_lacks_are_missing_for_its_seeds(first, part, tiny):
    earlier = load_earlier(first, later(tiny), tiny)
    table, arrays = part(tiny, later(tiny), earlier=earlier, nk=0.5, far=[1.0])
    nk = table[table["score"] == "nk"].set_index("seed")["value"]
    assert sorted(nk[nk.notna()].index.unique()) == list(SEEDS)
    assert np.isnan(arrays.of_runs["far"]).sum() == len(tiny.runs()) - 1


@pytest.mark.parametrize(
    ("change", "seeds", "message"),
    [
        ({}, range(1, 6), r"seeds must not be those that extend has of beta_tcvae, got \[1\]"),
        ({}, range(2, 6), "seeds must be 5 or more to be added, as UDR compares them alone, got 4 of beta_tcvae"),
        ({"name": "other"}, SEEDS, "a table of profile other, got one of tiny"),
        ({"steps": 24}, SEEDS, "must hold runs of today's profile tiny, got 8 others: "),
        ({"data": ("squares",)}, SEEDS, "extend must be a table of data set squares, got one of dsprites_grid_16"),
    ],
)
def test_a_table_of_other_runs_is_not_extended(first, tiny, change, seeds, message):
    profile = replace(tiny, **change)
    with pytest.raises(InvalidInput, match=message):
        load_earlier(first, profile.runs(seeds=seeds), profile)


@pytest.mark.parametrize("group", ["udr", "all"])
def test_a_table_of_scores_of_another_version_is_not_extended(first, tiny, forge, group):
    forge(first, score_versions={group: 1})
    with pytest.raises(InvalidInput, match=f"scores of the versions .*, got .*'{group}': 1"):
        load_earlier(first, later(tiny), tiny)


@pytest.mark.parametrize("score", [{"nk": 0.5}, {"far": [1.0]}])
def test_what_would_be_there_for_a_part_of_a_seeds_runs_is_refused(first, part, tiny, score):
    more = replace(tiny, sweeps=MORE)
    keys = more.runs(objectives=["factor_vae"], seeds=range(5))
    with pytest.raises(InvalidInput, match=r"lacks the scores (nk|far), which others of its seed have"):
        part(more, keys, earlier=load_earlier(first, keys, more), **score)


def test_parts_that_do_not_fit_together_are_refused(first, part, tiny):
    earlier = load_earlier(first, later(tiny), tiny)
    with pytest.raises(InvalidInput, match="must have arrays of one shape"):
        part(tiny, later(tiny), earlier=earlier, **{"kl.code": [0.5, 0.5, 0.5]})
    for have in earlier.scores.values():
        have.pop(AGREEMENTS)
    with pytest.raises(InvalidInput, match="runs of beta_tcvae must all have UDR or none"):
        part(tiny, later(tiny), earlier=earlier)
    for record in earlier.records.values():
        record["data_sha256"] = "0000"
    with pytest.raises(InvalidInput, match="must be of one version of the data, got 0000 and "):
        part(tiny, later(tiny), earlier=earlier)


def test_the_command_extends_a_table(tmp_path, tiny, part, spell, in_process):
    cards = {name: {"hash": card} for name, card in RULES.items()}
    (tmp_path / "frozen.json").write_text(json.dumps({"cards": cards}))
    nine = replace(tiny, seeds=9)
    part(nine, nine.runs())
    file = spell(nine, tmp_path / "tiny.toml")
    given = ["zoo", "table", "--profile", file, "--store", str(tmp_path / "store"), "--seeds"]
    old, new, rules = (str(tmp_path / name) for name in ("old", "new", "frozen.json"))

    def run(*more):
        result = CliRunner().invoke(main, [*given, *more])
        return result.exit_code, result.output

    assert run("0-3", "--out", old, "--rules", rules)[0] == 0
    code, said = run("4-8", "--out", old, "--extend", old)
    assert code == 2
    assert "out must be another folder than extend, which may be all there is of its runs, got" in said
    code, said = run("4-8", "--out", new, "--extend", old, "--rules", rules)
    assert code == 2
    assert "rules must not be given beside extend, whose own hold for all runs, got 1" in said
    assert run("4-8", "--out", new, "--extend", old)[0] == 0
    population = load_population(new)
    assert population.seeds().tolist() == [*range(9)]
    assert population.rules == RULES
