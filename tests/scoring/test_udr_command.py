"""Models are ranked by their codes alone, from files."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from dbench.claims.ledger import ledger
from dbench.cli import main
from dbench.errors import InvalidInput
from dbench.metrics.udr import udr_agreements, udr_scores
from dbench.scoring.ranking import FINDINGS, CodesAlone, rank_models, read_codes_alone

RNG = np.random.default_rng(0)
TRUTH = RNG.normal(size=(400, 4))
TURN = np.linalg.qr(RNG.normal(size=(4, 4)))[0]


def run(*arguments: object, width: int = 100) -> Result:
    return CliRunner(env={"COLUMNS": str(width)}).invoke(main, ["udr", *map(str, arguments)], catch_exceptions=False)


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Three models that agree up to order, sign and noise, and one that mixes."""
    models = {}
    for name in "abc":
        same = TRUTH[:, RNG.permutation(4)] * RNG.choice([-1, 1], 4)
        models[name] = same + 0.1 * RNG.normal(size=same.shape)
    models["mixed"] = TRUTH @ TURN
    for name, codes in models.items():
        np.savez(tmp_path / f"{name}.npz", codes=codes, logvar=np.full((400, 4), -3.0))
    return [tmp_path / f"{name}.npz" for name in models]


def test_the_model_that_agrees_is_picked_and_the_one_that_mixes_is_last(files: list[Path]) -> None:
    found = json.loads(run(*files, "--json").stdout)
    scores = {Path(model["model"]).stem: model["udr"] for model in found["models"]}
    assert Path(found["pick"]).stem in "abc"
    assert min(scores, key=scores.__getitem__) == "mixed"
    codes = np.stack([model.codes for model in read_codes_alone(files)])
    np.testing.assert_allclose(list(scores.values()), udr_scores(codes, np.ones((4, 4), dtype=bool)), atol=2e-3)
    ranked = json.loads(run(*files, "--relation", "spearman", "--json").stdout)["models"]
    assert min(ranked, key=lambda model: model["udr"])["model"] == found["models"][3]["model"]
    shown = " ".join(run(*files).stdout.split())
    assert "Pick" in shown
    assert "with 4" in shown
    assert "the paper has five or more" in shown


SILENT = ("silent", "mute", "still")


def test_of_equal_models_the_first_is_picked_and_of_silent_ones_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, codes in (("a", TRUTH), ("b", TRUTH), ("c", TRUTH @ TURN), *((name, 0 * TRUTH) for name in SILENT)):
        np.save(f"{name}.npy", codes)
    equal = ["b.npy", "a.npy", "c.npy"]
    assert re.search(r"\n1 +b.npy .*\n2 +a.npy .*\n3 +c.npy (?s:.*)Pick b.npy", run(*equal).stdout)
    silent = [f"{name}.npy" for name in SILENT]
    assert "No model to pick: no model has an informative code." in run(*silent).stdout
    assert json.loads(run(*silent, "--json").stdout)["pick"] is None
    assert "No model to pick: no codes agree." in run(equal[0], silent[0]).stdout
    two = equal[0], equal[2]
    assert "No model to pick: of two models each agrees with the other alone." in run(*two).stdout
    assert json.loads(run(*two, "--json").stdout)["pick"] is None


def test_names_of_files_write_nothing_to_a_terminal_but_what_is_read(tmp_path: Path) -> None:
    files = [tmp_path / f"{name}\x1b[31m.npy" for name in "ab"]
    for file in files:
        np.save(file, TRUTH)
    assert "\x1b" not in (shown := run(*files, width=500).stdout)
    assert f"{tmp_path}/a.npy" in shown


@pytest.mark.parametrize("width", [40, 80])
def test_nothing_is_wider_than_the_terminal(files: list[Path], width: int) -> None:
    assert max(map(len, run(*files, width=width).stdout.splitlines())) <= width


def test_the_findings_named_are_in_the_ledger() -> None:
    assert {name for name, _ in FINDINGS} <= set(ledger())


def test_models_of_other_widths_are_filled_up_and_uninformative_codes_left_out() -> None:
    wide = np.concatenate([TRUTH, RNG.normal(size=(400, 2))], axis=1)
    logvar = np.tile([-3.0] * 4 + [0.0] * 2, (400, 1))
    wide[:, 4:] *= 1e-3  # as of a VAE that does not use them
    found = rank_models([CodesAlone("a", TRUTH, None, ()), CodesAlone("b", wide, logvar, ())])
    assert found.informative.tolist() == [4, 4]
    assert found.scores.min() > 0.9
    assert "No posterior (array logvar or std) in a:" in found.notes[0]


def test_the_order_of_the_rows_of_a_file_hardly_matters() -> None:
    grid = np.indices((8, 8, 8)).reshape(3, -1).T - 3.5
    stream = np.random.default_rng(0)
    models = [grid @ turn + stream.normal(size=grid.shape) for turn in stream.normal(size=(3, 3, 3))]
    orders = np.arange(512), stream.permutation(512)
    listed, mixed = (
        rank_models([CodesAlone(f"m{i}", model[order], None, ()) for i, model in enumerate(models)]).scores
        for order in orders
    )
    np.testing.assert_allclose(listed, mixed, atol=0.01)


def models(number: int, logvar: bool = False) -> list[CodesAlone]:
    """Codes of one base, each with noise of its own."""
    stream = np.random.default_rng(number)
    base = stream.normal(size=(200, 3))
    posterior = np.full(base.shape, -3.0) if logvar else None
    return [CodesAlone(f"m{i}", base + 0.5 * stream.normal(size=base.shape), posterior, ()) for i in range(number)]


def test_a_ranking_is_of_medians_and_quartiles_of_the_comparisons_with_others() -> None:
    found = rank_models(models(4), relation="spearman")
    codes = np.stack([model.codes for model in models(4)])
    known = udr_agreements(codes, np.ones((4, 3), dtype=bool), relation="spearman")
    np.testing.assert_allclose(found.agreements, known, atol=1e-12)
    for i in range(4):
        others = np.delete(found.agreements[i], i)
        assert found.scores[i] == np.median(others)
        assert found.spread[i] == pytest.approx(np.subtract(*np.percentile(others, [75, 25])))
    assert found.informative.tolist() == [3] * 4
    assert found.scores[found.order].tolist() == sorted(found.scores, reverse=True)
    assert found.best == found.scores.argmax()


def test_shorter_codes_are_filled_up_with_what_relates_to_nothing() -> None:
    whole = models(3)
    wider = [*whole[:2], whole[2]._replace(codes=np.c_[whole[2].codes, np.zeros((200, 2))])]
    first, second = (rank_models(group, relation="spearman") for group in (whole, wider))
    np.testing.assert_allclose(first.scores, second.scores)
    assert second.informative.tolist() == [3, 3, 3]


@pytest.mark.parametrize("number", [5, 6])
def test_a_ranking_says_how_few_comparisons_it_has_and_names_five_without_a_posterior(number: int) -> None:
    notes = " ".join(rank_models(models(number), relation="spearman").notes)
    assert ("Comparisons for each model: 4; the paper has five or more" in notes) is (number == 5)
    assert ("m4, ...:" in notes) is (number == 6)
    assert "m4" in notes
    assert "m5" not in notes
    assert "posterior" not in " ".join(rank_models(models(number, logvar=True), relation="spearman").notes)


def test_every_format_is_read_and_long_files_keep_the_same_rows(files: list[Path], tmp_path: Path) -> None:
    codes = np.load(files[0])["codes"]
    np.save(tmp_path / "a.npy", codes)
    header = ",".join(f"z_{i}" for i in range(4))
    np.savetxt(tmp_path / "a.csv", codes, fmt="%.17g", delimiter=",", header=header, comments="")
    with pytest.raises(InvalidInput, match="rows must be an integer of at least 1, got 0"):
        read_codes_alone(files[:1], rows=0)
    read = read_codes_alone([files[0], tmp_path / "a.npy", tmp_path / "a.csv"], rows=50, seed=2)
    for model in read[1:]:
        np.testing.assert_array_equal(model.codes, read[0].codes)
    assert read[0].logvar is not None
    assert read[0].logvar.shape == (50, 4)


def test_bad_input_gives_one_line(files: list[Path], tmp_path: Path) -> None:
    np.savez(tmp_path / "short.npz", codes=TRUTH[:9])
    np.savez(tmp_path / "z.npz", z=TRUTH)
    np.savez(tmp_path / "empty.npz")
    for arguments, message in (
        ([files[0]], "models must be at least 2"),
        ([files[0], files[1], files[0]], "models must have a name each, got"),
        ([files[0], tmp_path / "short.npz"], "must hold the codes of the same observations, got 400 rows"),
        ([files[0], tmp_path / "z.npz"], "z.npz has no array 'codes'; it holds z (400 x 4, float64); say which is"),
        ([files[0], tmp_path / "empty.npz"], "empty.npz holds no arrays"),
        ([files[0], tmp_path / "none.npz"], "no file of codes at"),
        ([files[0], Path(__file__)], "codes must come in .npz, .safetensors, .h5, .hdf5, .mat, .pt, .pth, .npy, .csv"),
    ):
        result = run(*arguments)
        assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
        assert message in result.stderr
