import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from dbench.cli import main
from dbench.errors import DamagedData, InvalidInput
from dbench.estimates.evidence import load_population
from dbench.zoo.arrays import AGREEMENTS
from dbench.zoo.complete import build_table, write_table
from dbench.zoo.extend import extended, load_earlier
from dbench.zoo.profiles import Sweep
from dbench.zoo.store import Store
from dbench.zoo.table import load_manifest

MORE = (Sweep("beta_vae", (1, 4)), Sweep("beta_tcvae", (1, 4)), Sweep("factor_vae", (10,)))
SEEDS = (2, 3, 4, 5, 6)
RULES = {"mine / zoo": "0123"}


@pytest.fixture
def part(tmp_path, finish):
    """Make the table of some runs from a store of their own: what it returns is what ``extended`` adds."""

    def of(profile, keys, name="store", diverged=(), **scores):
        store, population = Store(tmp_path / name), {}
        for key in keys:
            status = "diverged" if key in diverged else "done"
            found = {"mig": key.seed + key.strength, "kl.code": [0.5, key.seed], **scores}
            finish(store, key, status=status, scores=found)
            among = [other for other in sorted(keys) if other.objective == key.objective and other not in diverged]
            population[key.digest] = {AGREEMENTS: [float(key.seed - other.seed) for other in among]}
        return build_table(store, keys, profile, population)

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


def both(folder, profile, added):
    return extended(load_earlier(folder, later(profile), profile), *added)


def test_a_table_in_two_parts_is_the_table_in_one_but_for_comparisons_across(first, part, tiny, tmp_path):
    seven = replace(tiny, seeds=7)
    table, arrays = both(first, seven, part(seven, later(seven)))
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
    table, arrays = both(first, tiny, part(tiny, later(tiny), nk=0.5, far=[1.0]))
    nk = table[table["score"] == "nk"].set_index("seed")["value"]
    assert sorted(nk[nk.notna()].index.unique()) == list(SEEDS)
    assert np.isnan(arrays.of_runs["far"]).sum() == len(tiny.runs()) - 1


@pytest.mark.parametrize(
    ("change", "seeds", "message"),
    [
        ({}, range(1, 6), r"seeds must not be those that onto has of beta_tcvae, got \[1\]"),
        ({}, range(2, 6), "seeds must be 5 or more to be added, as UDR compares them alone, got 4 of beta_tcvae"),
        ({"name": "other"}, SEEDS, "a table of profile other, got one of tiny"),
        ({"steps": 24}, SEEDS, "must hold runs of today's profile tiny, got 8 others: "),
        ({"data": ("squares",)}, SEEDS, "onto must be a table of data set squares, got one of dsprites_grid_16"),
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


def test_versions_of_scores_that_are_no_table_are_damage(first, tiny, forge):
    forge(first, score_versions=[3])
    with pytest.raises(DamagedData, match=r"score_versions must be numbers by group, got \[3\]"):
        load_earlier(first, later(tiny), tiny)


@pytest.mark.parametrize("score", [{"nk": 0.5}, {"far": [1.0]}])
def test_what_would_be_there_for_a_part_of_a_seeds_runs_is_refused(first, part, tiny, score):
    more = replace(tiny, sweeps=MORE)
    keys = more.runs(objectives=["factor_vae"], seeds=range(5))
    earlier = load_earlier(first, keys, more)
    with pytest.raises(InvalidInput, match=r"scores that other runs of its seeds are given: (nk|far) must be there"):
        extended(earlier, *part(more, keys, **score))


def test_parts_that_do_not_fit_together_are_refused(first, part, tiny):
    earlier = load_earlier(first, later(tiny), tiny)
    table, arrays = part(tiny, later(tiny))
    wider = replace(arrays, of_runs={"kl.code": np.zeros((20, 3))})
    with pytest.raises(InvalidInput, match=r"kl\.code of shape \(3,\) a run, got \(2,\)"):
        extended(earlier, table, wider)
    with pytest.raises(InvalidInput, match="onto must have UDR of beta_tcvae where the added runs do, and not els"):
        extended(earlier, table, replace(arrays, agreements={}))
    with pytest.raises(InvalidInput, match="must hold runs of the same version of the data, got 0000 and "):
        extended(earlier, table.assign(data_sha256="0000"), arrays)


def test_the_command_extends_a_table(tmp_path, tiny, part):
    text = 'data = ["dsprites_grid_16"]\nnetwork = "mlp"\nsteps = 12\nbatch_size = 8\nlearning_rate = 1e-3\nseeds = 9\n'
    sweeps = "".join(f'[[sweep]]\nobjective = "{s.objective}"\nstrengths = {list(s.strengths)}\n' for s in tiny.sweeps)
    (tmp_path / "tiny.toml").write_text(text + sweeps)
    cards = {name: {"hash": card} for name, card in RULES.items()}
    (tmp_path / "frozen.json").write_text(json.dumps({"cards": cards}))
    nine = replace(tiny, seeds=9)
    part(nine, nine.runs())
    given = ["zoo", "table", "--profile", str(tmp_path / "tiny.toml"), "--store", str(tmp_path / "store"), "--seeds"]
    old, new, rules = (str(tmp_path / name) for name in ("old", "new", "frozen.json"))

    def run(*more):
        result = CliRunner().invoke(main, [*given, *more])
        return result.exit_code, result.output

    assert run("0-3", "--out", old, "--rules", rules)[0] == 0
    code, said = run("4-8", "--out", old, "--onto", old)
    assert code == 2
    assert "out must be another folder than onto, which may be all there is of its runs, got" in said
    code, said = run("4-8", "--out", new, "--onto", old, "--rules", rules)
    assert code == 2
    assert "rules must not be given beside onto, whose own hold for all runs, got 1" in said
    assert run("4-8", "--out", new, "--onto", old)[0] == 0
    population = load_population(new)
    assert population.seeds().tolist() == [*range(9)]
    assert population.rules == RULES
