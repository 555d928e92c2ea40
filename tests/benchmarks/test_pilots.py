import pilots
import pytest

REHEARSAL = ("--share", "0.0025", "--seeds", "1")


@pytest.mark.parametrize(
    ("trial", "rows"),
    [(["schedule", "--objective", "beta_vae"], 5), (["moments"], 7)],
)
def test_a_rehearsal_prints_a_row_for_each_candidate(trial, rows, capsys):
    pilots.main([*trial, *REHEARSAL])
    head, *printed = capsys.readouterr().out.splitlines()
    assert len(printed) == rows
    assert {line.count("|") for line in printed} == {head.count("|")}


def test_rates_are_those_trained_with(capsys):
    pilots.main(["rate", *REHEARSAL])
    _, *printed = capsys.readouterr().out.splitlines()
    rates, bounds, _, _, dead = ([line.split(" | ")[i] for line in printed] for i in range(5))
    assert rates == ["0.001", "0.0003", "0.0001"]
    assert len(set(bounds)) == 3
    assert all(0 <= float(share) <= 1 for line in dead for share in line.split(", "))
