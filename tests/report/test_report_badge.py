"""A badge for each paper."""

from xml.etree import ElementTree

from dbench.report import build_document
from dbench.report.badge import badges


def test_each_paper_has_a_badge_that_counts_its_headings(sample):
    drawn = badges(sample)
    assert sorted(drawn) == [f"badge-{paper}.svg" for paper in ("flaws", "hownot", "irs", "sober", "udr")]
    root = ElementTree.fromstring(drawn["badge-sober.svg"])
    title, count = (text.text for text in root.iter("{http://www.w3.org/2000/svg}text"))
    assert root.attrib["aria-label"] == f"{title}: {count}" == "A Sober Look: 4 of 6 findings reproduced"


def test_a_badge_runs_nothing_whatever_its_paper_is_called(make_record):
    (drawn,) = badges(build_document([make_record(paper='<script>"')])).values()
    root = ElementTree.fromstring(drawn)
    assert {element.tag.partition("}")[2] for element in root.iter()} == {"svg", "rect", "g", "text"}
