import causes
import causes_sweeps
import numpy as np
import pytest
from causes_runs import EXPERIMENTS, Budget


def test_a_rehearsal_trains_prints_its_rule_its_table_and_a_finding_and_keeps_them(tmp_path, capsys):
    kept = tmp_path / "results.txt"
    causes.main(["collapsed-codes", "--share", "0.01", "--seeds", "1", "--append", str(kept)])
    printed = capsys.readouterr().out
    assert printed.strip() == kept.read_text(encoding="utf-8").strip()
    assert "Collapsed codes: supported if" in printed
    assert "Its findings mean nothing" in printed
    rows = [line for line in printed.splitlines() if line.startswith("|")]
    assert len(rows) == 2 + 6
    assert len({line.count("|") for line in rows}) == 1
    assert "\ncollapsed codes: " in printed


def test_without_names_the_experiments_are_listed_and_unknown_ones_refused(capsys):
    causes.main([])
    listed = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert listed == list(EXPERIMENTS)
    assert {"factor-vae", "dip-vae-i", "random-split"} <= set(listed)
    for wrong in (["tea-leaves"], ["factor-vae", "--share", "0"], ["factor-vae", "--seeds", "0"]):
        with pytest.raises(SystemExit):
            causes.main(wrong)


def test_steps_are_scaled_in_whole_blocks_and_seeds_start_where_no_profile_does():
    assert Budget(share=0.02).steps(20_000) == 400
    assert Budget(share=0.001).steps(6000) == 100
    assert list(Budget().numbers(2)) == [1000, 1001]
    assert list(Budget(seeds=1).numbers(2)) == [1000]


@pytest.mark.parametrize(("values", "expected"), [([0.9, 0.8], True), ([0.9, -0.8], False), ([0.3, 0.4], False)])
def test_a_sweep_is_ordered_where_all_seeds_agree(values, expected):
    assert causes_sweeps._one_way(np.array(values)) is expected
