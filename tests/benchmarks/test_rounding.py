import numpy as np
import rounding

from dbench.estimates.evidence import evidence_folders


def test_pilots_are_all_settings_with_seeds_that_no_table_has():
    keys = rounding.pilots("noisy_dsprites_grid_16", 2)
    assert len({(key.objective, key.strength) for key in keys}) == 36
    assert len(keys) == 72
    assert {key.seed for key in keys} == {1000, 1001}


def test_the_first_loss_of_a_run_is_the_same_in_any_group(monkeypatch):
    for module in ("state", "ensemble"):
        monkeypatch.setattr(f"dbench.training.{module}.BLOCK", 10)  # steps that the first loss is of
    few = [key for key in rounding.pilots("dsprites_grid_16", 1) if key.strength in (1, 10)]
    losses = rounding.first_losses(few)
    assert losses[1:3] == rounding.first_losses(few[1:3])
    assert np.isfinite(losses).all()


def test_pairs_of_other_objectives_lie_beyond_more_often_than_those_of_seeds(capsys):
    (folder,) = (folder for folder in evidence_folders() if folder.name == "systems-dsprites_grid_16")
    rounding.print_pairs(folder, 2)
    head, *rows = capsys.readouterr().out.splitlines()
    assert "of 2 pairs" in head
    assert [row.split()[1] for row in rows] == ["seed", "objective"]  # each system has one strength
    seed, objective = (float(row.split()[2].rstrip("%")) for row in rows)
    assert 0 <= seed < objective <= 100
