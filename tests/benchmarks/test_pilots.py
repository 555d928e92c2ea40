import pilots
import pytest


@pytest.fixture
def rehearse(capsys, monkeypatch):
    """Run a trial of a few steps and one seed, judged by a hundredth of the images; return its table."""
    whole = pilots.images_of
    monkeypatch.setattr(pilots, "images_of", lambda name: (whole(name)[0], whole(name)[1][::40]))

    def run(*trial):
        pilots.main([*trial, "--share", "0.0005", "--seeds", "1"])
        return [line.split(" | ") for line in capsys.readouterr().out.splitlines()]

    return run


@pytest.mark.parametrize(("trial", "rows"), [(["schedule", "--objective", "beta_vae"], 5), (["moments"], 7)])
def test_a_rehearsal_prints_a_row_for_each_candidate(trial, rows, rehearse):
    head, *printed = rehearse(*trial)
    assert len(printed) == rows
    assert {len(row) for row in printed} == {len(head)}


def test_rates_are_those_trained_with(rehearse):
    _, *printed = rehearse("rate")
    rates, bounds, _, _, dead = zip(*printed, strict=True)
    assert rates == ("0.001", "0.0003", "0.0001")
    assert len(set(bounds)) == 3
    assert all(0 <= float(share) <= 1 for line in dead for share in line.split(", "))
