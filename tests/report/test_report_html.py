"""The page: one file, well formed, readable without scripts, and deaf to scripts inside records."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections import Counter
from html.parser import HTMLParser
from importlib.resources import files

import pytest

from dbench.report import VERDICTS, build_document
from dbench.report.html import render_html

VOID = {"meta", "input", "br", "link", "img", "hr"}
HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(1)>\"'&<!--{{ 7*7 }}"


class Page(HTMLParser):
    """Elements, attributes, text outside scripts and styles; insists that every element is closed in order."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text, self.scripts, self.terms = "", [], []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        assert len(dict(attrs)) == len(attrs), f"repeated attribute in {tag}"
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open, f"stray end of {tag}"
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.scripts.append(data)
        elif self.open and self.open[-1] != "style":
            self.text += data
            if self.open[-1] == "dt":
                self.terms.append(data)

    def all(self, name: str) -> list[dict[str, str | None]]:
        return [attrs for tag, attrs in self.elements if tag == name]


@pytest.fixture
def page(sample):
    return Page(render_html(sample))


def test_the_page_is_well_formed_and_its_ids_are_unique(page):
    ids = [attrs["id"] for _, attrs in page.elements if "id" in attrs]
    assert len(ids) == len(set(ids))
    assert len(page.all("h1")) == 1


def test_nothing_is_fetched(sample, page):
    for _, attrs in page.elements:
        assert not {"src", "xlink:href", "srcset", "style"} & set(attrs)
        assert attrs.get("href", "#").startswith("#")
    assert not re.search(r"url\(|@import|https?://", render_html(sample))
    assert not page.all("link")


def test_only_the_script_of_the_package_may_run(page):
    policy = next(attrs["content"] for attrs in page.all("meta") if "http-equiv" in attrs)
    _, script = page.scripts
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy
    kinds = [attrs.get("type") for attrs in page.all("script")]
    assert kinds == ["application/gzip", None]  # of a type that no browser runs


def test_everything_can_be_read_without_scripts(sample, page):
    for record in sample["records"]:
        for text in (record["claim"], record["says"], record["where"], record["rule"], record["nodeid"]):
            assert text in page.text
    hidden = {attrs.get("id") for _, attrs in page.elements if "hidden" in attrs}
    assert hidden == {"controls", "save"}  # what needs a script to be of use
    assert "3 runs retrained, largest difference 2.1e-7" in page.text
    assert "3f2c9d1e" in page.text


def test_a_verdict_is_told_by_symbol_and_word_beside_its_colour(page):
    badges = [attrs for attrs in page.all("span") if "badge" in (attrs.get("class") or "")]
    assert len(badges) > 21
    for symbol, word in (("R", "reproduced"), ("N", "not reproduced"), ("?", "inconclusive"), ("F", "broken")):
        assert f"{symbol} {word}" in page.text


def test_each_estimate_has_two_labelled_plots_and_a_third_where_it_is_all_of_a_finding(sample, page):
    plots = [attrs for attrs in page.all("svg") if attrs.get("role") == "img"]
    behind = Counter((record["claim"], record["evidence"]) for record in sample["records"])
    estimated = [record for record in sample["records"] if record["estimate"] is not None]
    alone = [record for record in estimated if behind[record["claim"], record["evidence"]] == 1]
    assert len(plots) == 2 * len(estimated) + len(alone)
    assert any("0.412 [0.361, 0.463]; holds if > 0.5" in attrs["aria-label"] for attrs in plots)


def test_the_findings_come_before_the_records_and_lead_to_them(sample, page):
    links = [attrs["href"] for attrs in page.all("a") if attrs.get("class") == "id"]
    tables = [attrs for attrs in page.all("table") if attrs.get("class") == "records"]
    assert links == ["#" + table["id"] for table in tables]
    assert len(links) == len(sample["findings"])
    places = [page.text.index(heading) for heading in ("All findings", "Records of", "Checks beside")]
    assert places == sorted(places)


def test_what_all_records_of_a_finding_differ_in_is_told_once_above_them(make_record):
    told = [
        ["own <1>", "grey images", "ten seeds"],
        ["grey images", "ten seeds", "own <2>"],
        ["ten seeds", "grey images"],
    ]
    page = Page(render_html(build_document([make_record(params={"i": i}, deviations=d) for i, d in enumerate(told)])))
    assert [page.text.count(text) for text in ("grey images", "ten seeds", "own <1>", "own <2>")] == [1, 1, 1, 1]
    places = [page.text.index(text) for text in ("in all of them", "grey images", "ten seeds", "Holds if", "own <1>")]
    assert places == sorted(places)
    (shared,) = [attrs for attrs in page.all("details") if attrs.get("class") == "shared"]
    assert "open" not in shared
    led = [attrs["href"] for attrs in page.all("a") if "class" not in attrs]
    assert led == ["#" + shared["id"]] * 3
    assert page.text.count("2 shared by all records") == 3


@pytest.mark.parametrize("told", [[["grey"]], [["grey"], []], [["grey"], ["tiny"]], [[], []]])
def test_records_that_share_no_deviation_list_what_they_have(make_record, told):
    records = [make_record(params={"i": i}, deviations=deviations) for i, deviations in enumerate(told)]
    page = Page(render_html(build_document(records)))
    assert "in all of them" not in page.text
    assert all(page.text.count(text) == sum(text in each for each in told) for text in ("grey", "tiny"))
    assert page.text.count("Deviations") == sum(map(bool, told))


def test_no_deviation_is_lost(sample, page):
    listed = {text for record in sample["records"] for text in record["deviations"]}
    assert len(listed) > 1
    assert all(text in page.text for text in listed)


@pytest.mark.parametrize(("records", "opened"), [(1, True), (6, True), (7, False), (63, False)])
def test_many_records_of_a_finding_wait_until_they_are_asked_for(make_record, records, opened):
    document = build_document([make_record(params={"seed": seed}) for seed in range(records)])
    page = Page(render_html(document))
    (group,) = [attrs for attrs in page.all("details") if attrs.get("class") == "group"]
    assert ("open" in group) is opened
    assert page.text.count("claims/sober/tc-sampled-falls.py::test_holds") == records


def test_a_finding_is_told_by_the_ledger_and_not_by_one_of_its_parts(make_record):
    records = [make_record(part="a", says="The first half."), make_record(part="b", says="The second half.")]
    overview = Page(render_html(build_document(records, statements={records[0]["claim"]: "The whole & nothing but."})))
    findings = overview.text.partition("Records of")[0]
    assert "The whole & nothing but." in findings
    assert "half" not in findings


def test_a_finding_counts_the_figures_that_agree_and_those_that_differ(make_record):
    agrees = [True, True, True, False, None]
    records = [make_record(params={"i": i}, printed_agrees=each) for i, each in enumerate(agrees)]
    assert "3 agree, 1 differs" in Page(render_html(build_document(records))).text


def test_claims_that_spell_alike_have_places_of_their_own(make_record):
    page = Page(render_html(build_document([make_record(claim=claim) for claim in ("a b", "a  b", "a.b", "?", "!")])))
    ids = [attrs["id"] for _, attrs in page.elements if "id" in attrs]
    assert len(ids) == len(set(ids))
    assert {attrs["href"][1:] for attrs in page.all("a")} <= set(ids)


def test_the_remark_of_a_check_that_passed_is_shown():
    check = {"nodeid": "a.py::test_b", "outcome": "passed", "detail": "2 runs retrained: 52 of 52", "seconds": 1.0}
    assert "2 runs retrained: 52 of 52" in Page(render_html(build_document([], checks=[check]))).text


def test_every_control_has_a_label_and_every_column_can_be_sorted(page):
    keys = [attrs["data-key"] for attrs in page.all("th") if "data-key" in attrs]
    finding, record = (
        next(attrs for attrs in page.all("tbody") if attrs.get("class") == kind) for kind in ("finding", "record")
    )
    assert all(f"data-{key}" in finding for key in keys[:6])
    assert all(f"data-{key}" in record for key in keys[6:14])
    assert keys[6:14] == keys[-8:]
    assert len(page.all("label")) == len(page.all("select")) + len(page.all("input"))


@pytest.mark.parametrize(
    "field", ["claim", "where", "says", "reason", "rule", "statistic", "unit", "printed", "nodeid"]
)
def test_hostile_text_is_shown_and_not_run(make_record, field):
    record = make_record(**{field: HOSTILE}) | {"paper": "sober"}
    page = Page(render_html(build_document([record])))
    assert len(page.all("script")) == 2
    assert not page.all("img")
    assert not any(name.startswith("on") for _, attrs in page.elements for name in attrs)
    assert "<img src=x onerror=alert(1)>" in page.text
    assert "49" not in page.text


def test_hostile_names_in_lists_and_objects_are_not_run(make_record):
    record = make_record(
        params={HOSTILE: HOSTILE}, deviations=[HOSTILE], paper=HOSTILE, part=HOSTILE, expected_reason=HOSTILE
    )
    check = {"nodeid": HOSTILE, "outcome": "failed", "detail": HOSTILE, "seconds": 0.0}
    provenance = {HOSTILE: {HOSTILE: [HOSTILE, {HOSTILE: HOSTILE}]}}
    page = Page(render_html(build_document([record], provenance=provenance, checks=[check])))
    assert len(page.all("script")) == 2
    assert not page.all("img")


def test_a_report_of_nothing_is_a_page_that_says_so():
    page = Page(render_html(build_document([])))
    assert "No records: nothing was judged." in page.text
    assert not page.all("form")


def test_very_long_text_stays_whole(make_record):
    says = "unbroken" * 5_000
    assert says in Page(render_html(build_document([make_record(says=says)]))).text


@pytest.mark.parametrize(
    "changes",
    [
        {"bound": None, "margin": None, "direction": None, "rule": None, "statistic": None},
        {"estimate": None, "interval": None, "n": None, "unit": None, "verdict": "broken", "says": ""},
        {"estimate": 1e-8, "interval": [1e-8, 1e-8], "population": None, "confidence": None},
        {"estimate": -3, "interval": [-4, -2], "printed": "-3.1", "printed_value": -3.1, "printed_agrees": True},
    ],
)
def test_a_record_may_lack_what_it_does_not_have(make_record, changes):
    page = Page(render_html(build_document([make_record(**changes)])))
    records = page.text.partition("Checks beside the claims")[0]
    assert "None" not in records
    assert "5.2, Figure 2" in records


def test_the_same_document_gives_the_same_page(sample):
    assert render_html(sample) == render_html(json.loads(json.dumps(sample)))


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_words_stand_out_from_the_page_by_the_contrast_guidelines_ask_for(mode):
    css = files("dbench.report").joinpath("report.css").read_text()
    light, dark = (dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", block)) for block in css.split("@media", 2)[:2])
    colours = light if mode == "light" else dark
    assert light.keys() == dark.keys()
    for ink in ("ink", "soft", "link", *(verdict.replace(" ", "-") for verdict in VERDICTS)):
        for ground in ("page", "panel"):
            low, high = sorted([luminance(colours[ink]), luminance(colours[ground])])
            assert (high + 0.05) / (low + 0.05) >= 4.5, (ink, ground)


def test_the_script_sorts_verdicts_in_the_order_of_the_roll_up(page):
    listed = re.search(r"const VERDICTS = (\[.*\]);", page.scripts[1])
    assert tuple(json.loads(listed.group(1))) == VERDICTS


def test_what_the_script_searches_is_told_in_every_record(sample, page):
    searched = json.loads(re.search(r"const SEARCHED = (\[.*\]);", page.scripts[1]).group(1))
    assert len(searched) == 5
    assert all(page.terms.count(term) == len(sample["records"]) for term in searched)
