"""``benchmarks/causes.py``: a short rehearsal of an experiment, and what it measures of nearly constant codes."""

import causes
import numpy as np
import pytest


def test_a_rehearsal_prints_its_rule_and_a_row_for_each_variant(capsys, monkeypatch):
    monkeypatch.setattr(causes.protocol, "EPOCHS", 1)
    causes.main(["random-split", "--share", "0.0005", "--seeds", "1"])
    printed = capsys.readouterr().out
    assert "Length, width: each supported" in printed
    rows = [line for line in printed.splitlines() if " | " in line]
    assert len(rows) == 2 + 6  # heading and rule, variants
    assert len({line.count("|") for line in rows}) == 1


def test_an_experiment_that_is_not_there_is_refused():
    with pytest.raises(SystemExit):
        causes.main(["tea-leaves"])


def test_noise_takes_the_dependence_of_nearly_constant_codes():
    draw = np.random.default_rng(0)
    active, idle = draw.normal(size=(5000, 2)), 0.01 * draw.normal(size=(5000, 1))
    twin, square = idle + 0.001 * draw.normal(size=(5000, 1)), 0.01 * active[:, :1] ** 2
    row = causes.blurred(np.column_stack([active, idle, twin, square]), np.array([0, 1]), draw)
    assert row["all"] > 1
    assert max(row["noise"], row["active"]) < 0.01
    assert row["explained"] == pytest.approx(1 / 3, abs=0.01)  # the square; the twins depend on nothing active
    assert row["spread"] == pytest.approx(0.014, abs=0.001)


def test_noise_leaves_the_dependence_of_active_codes():
    draw = np.random.default_rng(0)
    active = draw.normal(size=(5000, 2))
    codes = np.column_stack([active, active + 0.1 * draw.normal(size=active.shape)])
    row = causes.blurred(codes, np.arange(4), draw)
    assert row["noise"] > 1
    assert row["spread"] == row["explained"] == 0  # no code is idle
