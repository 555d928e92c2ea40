"""Figures on the page: only those drawn from the very tables that a report rests on."""

import pytest

from dbench.errors import DamagedData
from dbench.report.figures import LIST, PageFigure, read_figures, write_list
from dbench.report.html import render_html

SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 70 30"><text y="20">drawn</text></svg>'


def entry(name: str = "tc", claims: tuple[str, ...] = ("irs.monotone",), **evidence: str) -> PageFigure:
    return PageFigure(name, "Sweeps", "A dot is a run.", "one panel", ("IRS, Figure 3",), claims, evidence)


def document(sample, **checksums: str):
    table = sample["provenance"]["evidence"][0]
    tables = [table | {"name": name, "sha256": checksum} for name, checksum in checksums.items()]
    return sample | {"provenance": sample["provenance"] | {"evidence": tables}}


@pytest.fixture
def folder(tmp_path):
    write_list(tmp_path, [entry(t1="aa"), entry("pair", t1="aa", t2="bb"), entry("without_evidence")])
    for name in ("tc", "pair", "without_evidence"):
        (tmp_path / f"{name}.svg").write_text(SVG)
    return tmp_path


@pytest.mark.parametrize(
    ("checksums", "found"),
    [
        ({"t1": "aa", "t2": "bb"}, ["tc", "pair"]),
        ({"t1": "aa"}, ["tc"]),
        ({"t1": "aa", "t2": "changed"}, ["tc"]),
        ({"t1": "changed", "t2": "bb"}, []),
        ({}, []),
    ],
)
def test_a_figure_of_other_evidence_is_not_shown(sample, folder, checksums, found):
    assert [figure.name for figure in read_figures(folder, document(sample, **checksums))] == found


def test_a_figure_of_findings_that_were_not_judged_stays_away(sample, folder):
    partial = document(sample, t1="aa") | {"headings": [h for h in sample["headings"] if h["claim"] == "udr.kl-gap"]}
    assert read_figures(folder, partial) == []


def test_a_figure_is_read_as_it_was_written(sample, folder):
    figure, _ = read_figures(folder, document(sample, t1="aa", t2="bb"))
    assert (figure.svg, figure.title, tuple(figure.claims)) == (SVG, "Sweeps", ("irs.monotone",))


def test_no_folder_and_no_list_are_no_figures(sample, tmp_path):
    assert read_figures(None, sample) == read_figures(tmp_path, sample) == ()


@pytest.mark.parametrize("text", ["{", "[1]", '[{"name": "tc"}]', '[{"strange": 1}]'])
def test_a_damaged_list_is_refused_by_name(sample, tmp_path, text):
    (tmp_path / LIST).write_text(text)
    with pytest.raises(DamagedData, match=r"figures\.json must list figures as 'make pages' writes them"):
        read_figures(tmp_path, sample)


def test_a_listed_figure_that_is_missing_is_refused(sample, folder):
    (folder / "tc.svg").unlink()
    with pytest.raises(DamagedData, match=r"tc\.svg"):
        read_figures(folder, document(sample, t1="aa"))


def test_a_figure_stands_in_words_beside_the_findings_that_it_illustrates(sample, folder):
    figures = read_figures(folder, document(sample, t1="aa"))
    page = render_html(sample, figures=figures)
    assert page.count('<figure data-figure="tc">') == 1
    assert page.count("<figcaption>Figure 'Sweeps', after IRS, Figure 3. A dot is a run.</figcaption>") == 1
    assert SVG not in page  # compressed, and nothing of it is part of the page until the script draws it
    assert "<figure" not in render_html(sample)
