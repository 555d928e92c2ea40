from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from dbench.claims.evidence import load_population
from dbench.cli import main
from dbench.errors import InvalidInput
from dbench.zoo.arrays import AGREEMENTS, load_arrays
from dbench.zoo.complete import build_table, write_table
from dbench.zoo.extend import extended
from dbench.zoo.profiles import Sweep
from dbench.zoo.store import Store
from dbench.zoo.table import load_manifest, load_runs

MORE = (Sweep("beta_vae", (1, 4, 8)), Sweep("beta_tcvae", (1, 4)))
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
    """The folder of a table of two seeds, the third to follow."""
    keys = tiny.runs()
    table, arrays = part(tiny, keys, "first", diverged=keys[:1])
    write_table(tmp_path / "table", table, tiny, arrays=arrays, rules=RULES)
    return tmp_path / "table"


def later(profile, *seeds):
    return [replace(profile.runs()[0], seed=seed, **cell) for seed in seeds for cell in _cells(profile)]


def _cells(profile):
    return [{"objective": s.objective, "strength": x} for s in profile.sweeps for x in s.strengths]


def test_a_table_in_two_parts_is_the_table_in_one_but_for_comparisons_across(first, part, tiny, tmp_path):
    keys, three = later(tiny, 2), replace(tiny, seeds=3)
    table, arrays, rules = extended(first, *part(three, keys), keys=keys, profile=three)
    whole, of_whole = part(three, tiny.runs() + keys, "whole", diverged=tiny.runs()[:1])
    pd.testing.assert_frame_equal(table, whole)
    assert arrays.runs == of_whole.runs
    np.testing.assert_array_equal(arrays.of_runs["kl.code"], of_whole.of_runs["kl.code"])
    for objective, matrix in of_whole.agreements.items():
        late = np.array([key.seed == 2 for key in sorted(tiny.runs()[1:] + keys) if key.objective == objective])
        apart = np.where(np.equal.outer(late, late), matrix, np.nan)
        np.testing.assert_array_equal(arrays.agreements[objective], apart)
    assert rules == RULES
    write_table(first, table, three, arrays=arrays, rules=rules)
    assert load_arrays(first, load_runs(first), load_manifest(first)).runs == of_whole.runs
    assert load_population(first).seeds().tolist() == [1, 2]
    assert load_manifest(first)["profile"]["deviations"] == ["UDR compares runs within parts of 2 and 1 seeds"]


def test_scores_that_one_part_lacks_are_missing_for_its_seeds(first, part, tiny):
    keys, three = later(tiny, 2), replace(tiny, seeds=3)
    table, arrays, _ = extended(first, *part(three, keys, nk=0.5, far=[1.0]), keys=keys, profile=three)
    nk = table[table["score"] == "nk"].set_index("seed")["value"]
    assert nk[nk.notna()].index.unique().tolist() == [2]
    assert np.isnan(arrays.of_runs["far"]).sum() == len(tiny.runs()) - 1


@pytest.mark.parametrize(
    ("change", "keys", "message"),
    [
        ({}, lambda p: p.runs(), "must not hold runs that are added to it, got 8, among them"),
        ({"name": "other"}, lambda p: later(p, 2), "of the profile other, got tiny"),
        ({"steps": 24}, lambda p: later(replace(p, steps=24), 2), "runs of today's profile tiny, got 8 others: "),
        ({"data": ("squares",)}, lambda p: [replace(key, data="squares") for key in later(p, 2)], "the data squares"),
        (
            {"sweeps": MORE},
            lambda p: [replace(p.runs()[0], strength=8, seed=seed) for seed in range(2)],
            "onto must have the scores that other runs of its seeds are given: nk must be there",
        ),
    ],
)
def test_a_table_of_other_runs_is_not_extended(first, part, tiny, change, keys, message):
    profile, keys = replace(tiny, **change), keys(tiny)
    added = part(profile, keys, nk=0.5)
    with pytest.raises(InvalidInput, match=message):
        extended(first, *added, keys=keys, profile=profile)


def test_arrays_of_another_shape_and_another_scoring_are_refused(first, part, tiny, forge):
    keys = later(tiny, 2)
    table, arrays = part(tiny, keys)
    wider = replace(arrays, of_runs={"kl.code": np.zeros((4, 3))})
    with pytest.raises(InvalidInput, match=r"kl\.code of shape \(3,\) a run, got \(2,\)"):
        extended(first, table, wider, keys=keys, profile=tiny)
    forge(first, scoring={"sample": "another"})
    with pytest.raises(InvalidInput, match="scored as this version scores"):
        extended(first, table, arrays, keys=keys, profile=tiny)


def test_the_command_extends_a_table_in_place(tmp_path, tiny, part):
    text = 'data = ["dsprites_grid_16"]\nnetwork = "mlp"\nsteps = 12\nbatch_size = 8\nlearning_rate = 1e-3\nseeds = 4\n'
    sweeps = "".join(f'[[sweep]]\nobjective = "{s.objective}"\nstrengths = {list(s.strengths)}\n' for s in tiny.sweeps)
    (tmp_path / "tiny.toml").write_text(text + sweeps)
    four = replace(tiny, seeds=4)
    part(four, four.runs())
    given = ["zoo", "table", "--profile", str(tmp_path / "tiny.toml"), "--store", str(tmp_path / "store")]
    out = str(tmp_path / "out")
    for seeds, more in (("0-1", []), ("2-3", ["--onto", out])):
        result = CliRunner().invoke(main, [*given, "--seeds", seeds, "--out", out, *more], catch_exceptions=False)
        assert result.exit_code == 0, result.output
    assert load_population(out).seeds().tolist() == [0, 1, 2, 3]
    result = CliRunner().invoke(main, [*given, "--seeds", "2-3", "--out", out, "--onto", out])
    assert result.exit_code == 2
    assert "must not hold runs that are added to it, got 8" in result.output
    frozen = tmp_path / "frozen.json"
    frozen.write_text('{"cards": {"mine / zoo": {"hash": "0123"}}}')
    result = CliRunner().invoke(main, [*given, "--out", out, "--onto", out, "--rules", str(frozen)])
    assert result.exit_code == 2
    assert "rules must not be given beside onto, whose own hold for all runs, got 1" in result.output
