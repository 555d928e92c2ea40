"""``dbench figures``: files, page and messages."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from dbench.claims import Claim, above, broken_record, card_fields
from dbench.cli import main
from dbench.errors import EvidenceLacking
from dbench.estimates import evidence
from dbench.estimates.evidence import evidence_folders, evidence_sha256
from dbench.report import build_document, write_report
from dbench.report.document import report_text
from dbench.report.figures import LIST, read_figures
from dbench.report.html import embedded
from dbench_published.figures import files, small
from dbench_published.figures.card import FIGURES
from dbench_published.figures.draw import ORDER, Evidence, draw_figures
from dbench_published.figures.files import write_figure
from dbench_published.figures.index import write_index
from dbench_published.figures.sweeps import tc_of_samples

DOCS = Path(__file__).parents[2] / "docs"


def run(*arguments, code=0):
    result = CliRunner().invoke(main, ["figures", *map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == code, result.output
    return result


@pytest.fixture
def shipped(tmp_path, monkeypatch):
    """Ship one table alone, and return its name: to read all takes seconds."""
    one, folder = "full-dsprites_grid", tmp_path / "shipped"
    folder.mkdir()
    (folder / one).symlink_to(evidence.SHIPPED / one)
    monkeypatch.setattr(evidence, "SHIPPED", folder)
    return one


def test_the_same_figure_gives_the_same_bytes(tmp_path, population):
    for name in ("one", "two"):
        write_figure(tc_of_samples(population), tmp_path, name, title="Sweep", alt="dots & <lines>")
    for kind in ("png", "svg"):
        first, second = ((tmp_path / f"{name}.{kind}").read_bytes() for name in ("one", "two"))
        assert first == second
    svg = (tmp_path / "one.svg").read_text()
    assert "dots &amp; &lt;lines&gt;" in svg
    assert not re.search(r"20\d\d-\d\d-\d\d", svg)


def test_the_page_links_every_picture_with_its_claims_and_numbers(tmp_path, population):
    source = Evidence("table", "unsupervised", population, ("small images",))
    only = ("tc_of_samples", "metric_correlations")
    drawn = list(draw_figures([source], tmp_path, only=only))
    write_index(tmp_path, drawn, verdicts={"sober.tc-sampled-falls": "reproduced"})
    html, markdown = ((tmp_path / f"index.{kind}").read_text(encoding="utf-8") for kind in ("html", "md"))
    for page in (html, markdown):
        for name in only:
            assert f"table/{name}.png" in page
            assert all(claim in page for claim in FIGURES[name].claims)
        assert "18 runs, 6 settings of β-VAE, DIP-VAE-I with 3 seeds each" in page
        assert "small images" in page
        assert page.count("reproduced") == 1
    for place in re.findall(r'(?:src|href)="([^"#]+)"', html):
        assert (tmp_path / place).is_file()


def test_what_the_evidence_cannot_carry_is_said_and_the_rest_drawn(tmp_path, population):
    poor = type(population)(
        {(s, o): population.scores(s, o) for s in ("mig", "dci") for o in population.objectives},
        {o: population.strengths(o) for o in population.objectives},
    )
    source = Evidence("table", "unsupervised", poor)
    drawn = list(draw_figures([source], tmp_path, only=("tc_of_samples", "metric_correlations")))
    assert [not one.lacking for one in drawn] == [False, True]
    assert "gaussian_tc.sampled" in drawn[0].lacking
    write_index(tmp_path, drawn)
    assert "gaussian_tc.sampled" in (tmp_path / "index.html").read_text()


def test_small_figures_are_drawn_once_and_name_their_tables(tmp_path, monkeypatch, population, renames):
    def lacking_all(_):
        raise EvidenceLacking("no such score")

    table = tmp_path / population.name
    table.mkdir()
    (table / "manifest.json").write_text("{}")
    sources = [Evidence("table", "unsupervised", population)] * 2
    monkeypatch.setattr(small, "evidence_of_tables", lambda root: sources)
    monkeypatch.setattr(files, "MOST_MARKS", 100)
    monkeypatch.setattr(small, "ORDER", ("tc_of_samples", "efficiency_logistic", "udr_search"))
    for name in ("udr_search", "mine"):
        (tmp_path / f"{name}.svg").write_text("from before")
    monkeypatch.setitem(FIGURES, "udr_search", replace(FIGURES["udr_search"], draw=lacking_all))
    unlink, listed = Path.unlink, tmp_path / LIST
    monkeypatch.setattr(
        Path, "unlink", lambda path, **how: (path.suffix != ".svg" or listed.is_file()) and unlink(path)
    )
    result = run("--small", "--runs", table, "--out", tmp_path)
    assert [name for name, _ in renames] == ["tc_of_samples.svg", "efficiency_logistic.svg", LIST]
    assert result.output == f"2 figures: {tmp_path}\n"
    assert {path.stem for path in tmp_path.glob("*.svg")} == {"tc_of_samples", "efficiency_logistic", "mine"}
    judged = [{"claim": "sober.tc-sampled-falls"}, {"claim": "sober.efficiency-artefact"}]
    tables = [{"name": table.name, "sha256": evidence_sha256(table)}]
    document = {"headings": judged, "provenance": {"evidence": tables}}
    first, dense = read_figures(tmp_path, document)
    assert first.claims == list(FIGURES["tc_of_samples"].claims)
    assert "18 runs, 6 settings" in first.caption
    # Letters stay letters; a crowd of marks is a picture.
    assert "<text" in first.svg
    assert "image/png" not in first.svg
    assert "<text" in dense.svg
    assert "image/png" in dense.svg


def test_a_store_alone_gives_the_figures_of_models(tmp_path, store):
    run("--store", store.url, "--out", tmp_path, "--only", "latent_traversals")
    assert (tmp_path / "models-dsprites_grid_16" / "latent_traversals.svg").is_file()
    assert "best and worst by mig" in (tmp_path / "index.md").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--only", "violin"], "unknown figure 'violin'"),
        (["--only", "latent_traversals"], "no figure could be drawn"),
        (["--runs", "nowhere"], "nowhere"),
        (["--store", "nowhere"], "nowhere"),
        (["--only", "tc_of_samples", "--report", __file__], "is not strict JSON"),
    ],
)
def test_mistakes_are_one_line(tmp_path, shipped, arguments, message):
    result = run("--out", tmp_path / "out", *arguments, code=2)
    assert message in result.output
    assert result.output.count("\n") == 1


def test_a_folder_is_asked_for():
    assert "--out" in run(code=2).output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--small", "--only", "violin", "--report", "r"], "leave out --only, --report"),
        (["--small", "--store", "s", "--data", "d"], "leave out --store, --data"),
        (["--data", "rooms_16"], "--data names data sets of a --store, got none"),
    ],
)
def test_options_that_would_be_ignored_are_refused(tmp_path, arguments, message):
    assert message in run("--out", tmp_path, *arguments, code=2).output


def test_figures_are_listed_and_the_docs_name_all_of_them():
    listed = [line.split()[0] for line in run("--list").output.splitlines()]
    assert listed == list(ORDER)
    page = (DOCS / "figures.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE) == listed


def test_pictures_of_the_docs_are_small_and_there():
    page = (DOCS / "figures.md").read_text(encoding="utf-8")
    pictures = [DOCS / place for place in re.findall(r"!\[[^]]*\]\(([^)]+)\)", page)]
    assert 2 <= len(pictures) <= 3
    assert all(picture.stat().st_size < 150_000 for picture in pictures)


def test_shipped_evidence_need_not_be_named_and_verdicts_of_a_report_stand_beside_the_claims(tmp_path, shipped):
    words = dict.fromkeys(("says", "where", "population", "statistic", "unit"), "words")
    card = Claim(id="sober.tc-sampled-falls", role="cell", evidence="zoo", rule=above(0), **words)
    record = broken_record(card_fields(card), reason="the worker died", nodeid="a.py::b") | {"seconds": 0.0}
    write_report(tmp_path, build_document([record]))
    run("--out", tmp_path / "out", "--only", "tc_of_samples", "--report", tmp_path)
    assert "`sober.tc-sampled-falls` (not tested)" in (tmp_path / "out" / "index.md").read_text()
    assert (tmp_path / "out" / shipped / "tc_of_samples.png").is_file()


def test_the_figures_of_the_page_are_of_the_tables_that_are_shipped():
    shipped = {folder.name: evidence_sha256(folder) for folder in evidence_folders()}
    listed = json.loads((DOCS / "figures" / LIST).read_text())
    assert listed
    stale = {one["name"] for one in listed if one["evidence"].items() - shipped.items()}
    assert not stale, "run make pages: other tables are shipped than these were drawn from"
    drawn = {path.stem: path.read_text() for path in (DOCS / "figures").glob("*.svg")}
    assert drawn.keys() == {one["name"] for one in listed}
    # In the page, which must stay below four million with all records.
    assert len(embedded(report_text(drawn))) < 1_500_000
