"""The page: one file, well formed, readable without scripts, and deaf to scripts inside records."""

import base64
import hashlib
import re
from html.parser import HTMLParser
from importlib.resources import files
from urllib.parse import parse_qs, urlsplit

import pytest

from dbench.report import SYMBOLS, VERDICTS, build_document, summary_lines
from dbench.report.cite import PAPER_LINKS, bibtex, dispute_link, source_link
from dbench.report.html import render_html
from dbench.report.markdown import render_markdown
from dbench.report.text import estimate_text, params_text

VOID = {"meta", "input", "br", "link", "img", "hr"}
HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(1)>\"'&<!--{{ 7*7 }}"


class Page(HTMLParser):
    """Elements, attributes, text outside scripts and styles; insists that every element is closed in order."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text, self.scripts = "", []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        assert len(dict(attrs)) == len(attrs), f"repeated attribute in {tag}"
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open, f"stray end of {tag}"
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.scripts.append(data)
        elif self.open and self.open[-1] != "style":
            self.text += data

    def all(self, name: str) -> list[dict[str, str | None]]:
        return [attrs for tag, attrs in self.elements if tag == name]


@pytest.fixture
def page(sample):
    return Page(render_html(sample))


def classed(page: Page, tag: str, name: str) -> list[dict[str, str | None]]:
    return [attrs for attrs in page.all(tag) if name in (attrs.get("class") or "").split()]


def test_the_page_is_well_formed_its_ids_are_unique_and_every_link_into_it_arrives(page):
    ids = [attrs["id"] for _, attrs in page.elements if "id" in attrs]
    assert len(ids) == len(set(ids))
    assert len(page.all("h1")) == 1
    assert {attrs["href"].partition("#")[2] for attrs in page.all("a") if "#" in attrs["href"]} <= set(ids)


def test_nothing_is_fetched_and_links_lead_into_the_page_or_to_the_papers(sample, page):
    for _, attrs in page.elements:
        assert not {"src", "xlink:href", "srcset", "style"} & set(attrs)
        link = attrs.get("href", "#")
        assert link.startswith(("#", "?")) or link in PAPER_LINKS.values()
    assert not re.search(r"url\(|@import", render_html(sample))
    assert not page.all("link")


def test_only_the_script_of_the_package_may_run(page):
    policy = next(attrs["content"] for attrs in page.all("meta") if "http-equiv" in attrs)
    _, script = page.scripts
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy
    kinds = [attrs.get("type") for attrs in page.all("script")]
    assert kinds == ["application/gzip", None]  # of a type that no browser runs


def test_the_first_screen_says_what_came_out_and_which_famous_claims_failed(sample, make_document):
    records = [record | {"unconfirmed": record["claim"] == "udr.kl-gap"} for record in sample["records"]]
    parts = {name: sample[name] for name in ("provenance", "errata")}
    page = Page(render_html(make_document(records, **parts)))
    text = " ".join(page.text.split())
    places = [
        text.index(said)
        for said in (
            "Of 8 findings on trained models, tested again, 3 hold, 1 is weaker than said, 1 failed, 2 are open "
            "and 1 is broken.",
            "The models are small, mostly on images of 16 x 16 pixels and trained for 6,000 steps, ",
            "Exploratory, by rules written after their evidence was first read: 1, all on trained models.",
            "trained modelsprinted tablesconstructions",
            "440 models of 2 objectives, dSprites at 16 x 16 pixels, 6,000 training steps",
            "commit 3f2c9d1e",
            "Famous claims that failed or are weaker than said, and why",
            "Claim: The score falls as nuisance factors move the code. A absent The score falls by 0.07, where 0.5 is "
            "asked. Robustly Disentangled Causal Mechanisms, conclusion.",
            "One code for several factors scores well. C contradicted",
            "All findings",
            "Errata",
        )
    ]
    assert places == sorted(places)
    (totals,) = classed(page, "table", "totals")
    assert totals is page.all("table")[0]


def test_failures_that_are_not_famous_are_counted_and_lead_to_the_findings(make_document, make_record):
    records = [make_record(claim=f"sober.{i}", verdict="contradicted", nodeid=f"n{i}") for i in range(3)]
    page = Page(render_html(make_document(records)))
    assert "Famous" not in page.text
    assert "Claims that failed" in page.text
    assert "3 on trained models" in page.text
    assert "?verdict=failed&evidence=zoo#findings" in [attrs["href"] for attrs in page.all("a")]
    assert "failed" not in Page(render_html(make_document([make_record()]))).text.partition("All findings")[0]


def test_every_count_leads_to_its_findings(sample, page):
    asked = [parse_qs(attrs["href"][1:].partition("#")[0]) for attrs in page.all("a") if attrs["href"].startswith("?")]
    found = {tuple(query.get(name, [""])[0] for name in ("paper", "evidence", "verdict")) for query in asked}
    of_papers = {(heading["paper"], "", heading["verdict"]) for heading in sample["headings"]}
    assert found == of_papers | {("", heading["heads"], heading["verdict"]) for heading in sample["headings"]}


def test_everything_can_be_read_without_scripts(sample, page):
    for heading in sample["headings"]:
        for text in (heading["claim"], heading["statement"], heading["says"], *heading["notes"]):
            assert text in page.text
    deciders = {heading["record"] for heading in sample["headings"]}
    for record in sample["records"]:
        if record["nodeid"] in deciders:
            for text in (record["says"], record["quote"], record["where"], record["rule"], record["nodeid"]):
                assert text in page.text
        assert params_text(record["params"]) in page.text
        assert estimate_text(record) in page.text
    hidden = {attrs.get("id") for _, attrs in page.elements if "hidden" in attrs}
    assert hidden == {"controls", "save"}  # what needs a script to be of use
    assert "3 runs retrained" in page.text


def test_a_finding_is_one_row_with_an_address_of_its_own(sample, page):
    rows = classed(page, "details", "finding")
    assert [row["id"] for row in rows] == [row["data-claim"] for row in rows]
    assert sorted(row["id"] for row in rows) == sorted(heading["claim"] for heading in sample["headings"])


def test_a_verdict_is_told_by_symbol_and_word_beside_its_colour(sample, page):
    assert len(classed(page, "span", "badge")) > 21
    shown = {heading["verdict"] for heading in sample["headings"]}
    for word, symbol in SYMBOLS.items():
        assert (f"{symbol} {word}" in page.text) is (word in shown)


def test_each_decided_finding_has_two_labelled_plots(sample, page):
    plots = [attrs for attrs in classed(page, "svg", "plot") if attrs.get("role") == "img"]
    deciders = {heading["record"] for heading in sample["headings"]}
    estimated = [r for r in sample["records"] if r["nodeid"] in deciders and r["estimate"] is not None]
    assert len(plots) == 2 * len(estimated)
    assert any("0.412 [0.361, 0.463]; asked above 0.5" in attrs["aria-label"] for attrs in plots)


def test_a_bar_of_the_records_beside_is_as_long_as_they_are_many(page):
    bars = {attrs["aria-label"] for attrs in classed(page, "svg", "bar")}
    assert "2 reproduced, 1 undecided, 1 contradicted" in bars
    assert "2 of 4 cells reproduced" in page.text
    assert "0 of 1 probe reproduced" in page.text


def test_conditions_are_shown_with_the_value_of_each_unit(page):
    for value, left_out in (("0.6", ""), ("0.4", "; left out: beta_vae")):
        said = f"half of the factors are held, above 0.5 is asked of each: beta_vae {value}{left_out} (source: papers)"
        assert said in page.text


def test_a_finding_can_be_cited_and_disputed(sample):
    page = Page(render_html(sample))
    assert "@misc{dbench-sober.theorem-1-2026-11-20," in page.text
    assert "open an issue of the project with the template" in page.text
    home = sample | {"provenance": sample["provenance"] | {"repository": "https://example.org/dbench/"}}
    addresses = [attrs["href"] for attrs in Page(render_html(home)).all("a")]
    assert "https://example.org/dbench/blob/3f2c9d1e5b7a/claims/irs/section.py" in addresses
    record = {"nodeid": "dbench_claims/irs/section.py::test", "paper": "irs"}  # as from a wheel
    assert source_link(home, record) == "https://example.org/dbench/blob/3f2c9d1e5b7a/claims/irs/section.py"
    links = [address for address in addresses if "https://example.org/dbench/issues/new" in address]
    assert len(links) == len(sample["headings"])
    assert parse_qs(urlsplit(links[0]).query)["title"] == ["Dispute sober.metric-pairs: broken"]
    own = sample["headings"][0] | {"paper": "mine"}  # lies in another repository, and is not ours to answer for
    assert dispute_link(home, own) == source_link(home, record | {"paper": "mine"}) == ""
    assert "author" not in bibtex(home, own)
    assert r"(x, x\textasciicircum{}2) is 5\%" in bibtex(home, own | {"statement": "(x, x^2) is 5%"})


@pytest.mark.parametrize("repository", ["javascript:alert(1)", "", None, 3])
def test_only_an_address_becomes_a_link(sample, repository):
    home = sample | {"provenance": sample["provenance"] | {"repository": repository}}
    assert not any("/issues/new" in attrs["href"] for attrs in Page(render_html(home)).all("a"))


def test_earlier_verdicts_are_shown_where_they_are_known(sample):
    assert "Over time" not in Page(render_html(sample)).text
    page = Page(render_html(sample, trends={"irs.monotone": [("2026-11-19", "weaker"), ("2026-11-18", "undecided")]}))
    assert page.text.count("Over time") == 1
    assert page.text.index("2026-11-19") < page.text.index("2026-11-18")


def test_the_sentence_is_followed_over_data_sets_and_image_sizes(make_record, sample):
    table = sample["provenance"]["evidence"][0]
    tables = [table | {"name": f"t{side}", "side": side} for side in (64, 16)]
    records = [
        make_record(params={"evidence_folder": "t16"}, nodeid="a"),
        make_record(params={"evidence_folder": "t64"}, role="cell", verdict="weaker", nodeid="b"),
        make_record(params={"evidence_folder": "t64", "metric": "mig"}, role="cell", verdict="absent", nodeid="c"),
    ]
    page = Page(render_html(build_document(records, provenance={"evidence": tables})))
    section = " ".join(page.text.partition("On each data set and image size")[2].split())
    assert section.startswith(
        "dSprites, 16 x 16 pixels: R reproduced -0.620 [-0.710, -0.530]dSprites, 64 x 64 pixels: W"
    )
    assert "image size" not in Page(render_html(build_document(records[:1], provenance={"evidence": tables}))).text


def test_what_differs_in_the_models_is_told_by_table(sample):
    table = sample["provenance"]["evidence"][0]
    tables = [table | {"name": name, "deviations": [f"of {size}"]} for name, size in (("a", 1), ("b", 2), ("c", 1))]
    page = Page(render_html(sample | {"provenance": {"evidence": tables}}))
    section = page.text.partition("The trained models, and how they differ from the papers'")[2].partition(
        "The same by paper"
    )[0]
    assert " ".join(section.split()).endswith("in 1 further table. a, c: of 1 b: of 2")


def test_what_differs_from_the_paper_is_stated_once_and_not_lost(make_record):
    lists = [["own <1>", "grey images"], ["grey images", "own <2>"], ["grey images"]]
    roles = ["primary", "cell", "cell"]
    records = [make_record(params={"i": i}, deviations=d, role=roles[i], nodeid=f"n{i}") for i, d in enumerate(lists)]
    page = Page(render_html(build_document(records)))
    assert [page.text.count(text) for text in ("grey images", "own <1>", "own <2>")] == [1, 1, 1]


def test_a_partial_report_says_so_on_top(make_record):
    part = build_document([make_record()], complete=False, selection="claims/sober -k printed")
    says = "Partial report: claims/sober -k printed."
    text = Page(render_html(part)).text
    assert text.index(says) < text.index("Of 1 finding on trained models, tested again, 1 holds.")
    assert render_markdown(part).split("\n\n")[1] == says
    assert says in summary_lines(part)
    assert "Partial" not in Page(render_html(build_document([make_record()]))).text


def test_every_control_has_a_label(page):
    assert len(page.all("label")) == len(page.all("select")) + len(page.all("input"))


def test_hostile_text_is_shown_and_not_run(make_record, sample):
    fields = ("claim", "paper", "part", "where", "says", "reason", "rule", "statistic", "unit", "printed", "nodeid")
    record = make_record(verdict="contradicted", params={HOSTILE: HOSTILE}, deviations=[HOSTILE])
    record |= {field: field + HOSTILE for field in (*fields, "quote", "expected_reason")}
    check = {"nodeid": HOSTILE, "outcome": "failed", "detail": HOSTILE, "seconds": 0.0}
    texts = ("name", "place", "printed", "right", "derivation", "stands", "test")
    parts = {
        "provenance": {HOSTILE: {HOSTILE: [HOSTILE, {HOSTILE: HOSTILE}]}, "repository": f"https://{HOSTILE}"},
        "errata": [sample["errata"][0] | dict.fromkeys(texts, HOSTILE) | {"cells": [HOSTILE]}],
    }
    page = Page(render_html(build_document([record], checks=[check], selection=HOSTILE, **parts)))
    assert len(page.all("script")) == 2
    assert not page.all("img")
    assert not any(name.startswith("on") for _, attrs in page.elements for name in attrs)
    assert [field for field in (*fields, "quote", "expected_reason") if field + HOSTILE not in page.text] == []
    section = page.text.partition("Errata")[2].partition("Checks beside")[0]
    assert section.count("<img src=x onerror=alert(1)>") >= len(texts) + 1
    assert "49" not in page.text


def test_a_report_of_nothing_says_so():
    page = Page(render_html(build_document([])))
    assert "Nothing was judged." in page.text
    assert "Nothing was judged." in render_markdown(build_document([]))
    assert not page.all("form")


def test_very_long_text_stays_whole(make_record):
    says = "unbroken" * 5_000
    assert says in Page(render_html(build_document([make_record(says=says)]))).text


@pytest.mark.parametrize(
    "changes",
    [
        {"estimate": None, "interval": None, "n": None, "verdict": "broken", "says": ""},
        {"estimate": 1e-8, "interval": [1e-8, 1e-8], "population": ""},
        {"estimate": -3, "interval": [-4, -2], "printed": "-3.1", "printed_value": -3.1},
        {"role": "probe"},
    ],
)
def test_a_record_may_lack_what_it_does_not_have(make_record, changes):
    page = Page(render_html(build_document([make_record(**changes)])))
    findings = page.text.partition("All findings")[2].partition("Checks beside the claims")[0]
    assert "None" not in findings
    assert "5.2, Figure 2" in findings


def test_two_thousand_records_make_a_page_of_less_than_four_megabytes(make_record):
    claims = [f"sober.finding-{i}" for i in range(112)]
    records = [
        make_record(claim=claim, role="cell" if i else "primary", params={"objective": f"dip_vae_{i}", "metric": "mig"})
        for claim in claims
        for i in range(18)
    ]
    assert len(render_html(build_document(records)).encode()) < 4_000_000


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
