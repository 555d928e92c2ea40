"""The heading of a finding comes from its primary record; all else stands beside it, in words."""

import itertools
import re

import pytest

from dbench.claims.ledger import Finding
from dbench.claims.record import broken_record
from dbench.report import VERDICTS, build_document
from dbench.report.document import headings_match
from dbench.report.headings import chance_text
from dbench.report.html import render_html
from dbench.report.markdown import render_markdown


@pytest.fixture
def heading_of(make_document):
    def head(*records):
        (heading,) = make_document(list(records))["headings"]
        return heading

    return head


@pytest.mark.parametrize(("better", "worse"), list(itertools.combinations(VERDICTS, 2)))
def test_the_worse_of_two_cases_heads(heading_of, make_record, better, worse):
    verdicts = [better, worse, better]
    cases = [make_record(params={"i": i}, verdict=v, interval=None) for i, v in enumerate(verdicts)]
    assert heading_of(*cases)["verdict"] == worse


@pytest.mark.parametrize("role", ["cell", "probe", "print"])
def test_only_the_primary_record_heads(heading_of, make_record, role):
    heading = heading_of(make_record(), make_record(role=role, verdict="broken", nodeid="b.py::test_b"))
    assert (heading["verdict"], heading["record"]) == ("reproduced", make_record()["nodeid"])
    assert heading["beside"] == {role: {"broken": 1}}


def test_the_kind_of_evidence_that_the_sentence_is_about_heads(heading_of, make_record):
    printed = make_record(evidence="published", verdict="contradicted", nodeid="b.py::test_b")
    heading = heading_of(printed, make_record())
    assert (heading["heads"], heading["verdict"]) == ("zoo", "reproduced")
    assert heading["beside"] == {"primary": {"contradicted": 1}}
    assert heading["notes"] == ["The same sentence, on the paper's printed tables: contradicted."]


def test_a_finding_without_a_primary_record_is_not_tested(heading_of, make_record):
    heading = heading_of(make_record(role="cell"), make_record(evidence="published"))
    assert (heading["verdict"], heading["record"], heading["revision"]) == ("not tested", None, None)
    assert heading["says"] == "The sentence itself was not judged on trained models."


def test_of_several_cases_all_must_hold(heading_of, make_record):
    cases = [
        make_record(params={"metric": name}, verdict=verdict, nodeid=name)
        for name, verdict in [("dci", "reproduced"), ("mig", "contradicted"), ("sap", "weaker")]
    ]
    heading = heading_of(*cases)
    assert (heading["verdict"], heading["record"]) == ("contradicted", "mig")
    assert heading["says"].startswith("Holds in 1 of 3 cases. The worst (metric=mig): Spearman correlation")
    assert heading["beside"] == {"primary": {"reproduced": 1, "weaker": 1}}
    assert heading["notes"] == []


OPEN = {"verdict": "undecided", "estimate": -0.15, "interval": [-0.2, 0.0]}


ABSENT = {"verdict": "absent", "interval": [-0.05, 0.05]}
AGAINST = {"verdict": "contradicted", "interval": [0.1, 0.2]}
EXACTLY = {"verdict": "contradicted", "confidence": 1.0}
TOO_FEW = "of fewer than the 40 seeds that are asked for"


@pytest.mark.parametrize(
    ("changes", "seen", "change"),
    [
        ({}, "-0.620 [-0.710, -0.530] (30 seeds), below -0.1 as asked.", "An interval that leaves that range (below"),
        (
            {"verdict": "weaker", "interval": [-0.09, -0.01]},
            "side of 0, but not below -0.1",
            "that reaches either end (",
        ),
        (
            ABSENT,
            "no effect (0), and not below -0.1 as asked",
            "reaches that range or leaves no effect out (below -0.1)",
        ),
        (AGAINST, "of no effect (0), away from what is asked (below -0.1)", "An interval that reaches 0 (below -0.1)."),
        ({**AGAINST, "null": None}, "on the other side of what is asked (below -0.1)", "that reaches that range ("),
        (EXACTLY, "not below -0.1 as asked", "An exact value: only another reading of the sentence."),
        ({**EXACTLY, "high": 1.0, "low": 1.0, "closed": True}, "not exactly 1 as asked", "only another reading"),
        (
            {**EXACTLY, "verdict": "weaker", "tips_at": -0.05, "source": "sign"},
            "side of 0, but not below -0.1 as asked",
            "An exact value: only another reading of the sentence. Reproduced for any bound down to -0.05; asked by ",
        ),
        ({**OPEN, "settles_at": 74}, "below -0.1 as asked, and not wholly outside.", "About 74 seeds would decide it."),
        (OPEN, "and not wholly outside", "More seeds would decide it."),
        ({**OPEN, "settles_at": 7_308}, "and not wholly outside", "More than 1,000 seeds would decide it."),
        ({"verdict": "undecided", "settles_at": 40, "min_n": 40}, TOO_FEW, "About 40 seeds would decide it."),
        ({"verdict": "not tested", "reason": "needs shape"}, "Needs shape", "Such evidence would be judged."),
        (
            {"verdict": "undecided", "interval": [1, 1]},
            "no interval can be given",
            "Seeds that differ would decide it.",
        ),
        ({"verdict": "broken", "reason": "ZeroDivisionError", "estimate": None}, "ZeroDivisionError", ""),
        ({"tips_at": -0.5, "source": "sign"}, "as asked.", "Reproduced for any bound down to -0.5; asked by sign."),
    ],
)
def test_a_heading_says_what_was_seen_and_apart_from_it_what_would_change_it(
    heading_of, make_record, changes, seen, change
):
    heading = heading_of(make_record(**changes))
    assert seen in heading["says"]
    assert change in heading["change"]
    assert "would" not in heading["says"]


SEEN = {
    "contradicted": "DCI goes with MIG ({agree / metric=mig}, {agree / metric=mig : asked} is asked) "
    "before SAP ({~sap}): "
    "{ : abs} behind, {:n}, {agree / metric=mig : %}, printed {agree / metric=mig : printed}."
}


def test_a_sentence_of_the_ledger_is_filled_from_the_records_for_its_verdict_alone(make_document, make_record):
    row = Finding("", "6.1", "They agree.", ("zoo",), "zoo", seen=SEEN, famous="abstract", table="t16")
    own = {"evidence_folder": "t16"}
    decider = make_record(verdict="contradicted", estimate=-0.258, params=own, notes=["sap: -0.04 [-0.1, 0.1], asked"])
    cells = [
        make_record(
            role="cell", part="agree", estimate=0.7, printed="0.8", printed_value=0.8, params=params, nodeid=name
        )
        for name, params in (("a", own | {"metric": "mig"}), ("b", {"evidence_folder": "t32", "metric": "mig"}))
    ]

    def head(*records):
        return make_document(list(records), ledger={decider["claim"]: row})["headings"][0]

    said = "DCI goes with MIG (0.70, -0.1 is asked) before SAP (-0.04): 0.26 behind, 30 seeds, 70%, printed 0.80."
    assert (head(decider, *cells)["says"], head(decider, *cells)["famous"]) == (said, "abstract")
    # A number that no record has leaves the statistic to say it, and so does a verdict that the words are not of.
    assert "Spearman" in head(decider)["says"]
    assert "Spearman" in head(decider, cells[0] | {"estimate": None})["says"]
    assert "Spearman" in head(decider, cells[0], cells[0] | {"nodeid": "c"})["says"]
    assert "Spearman" in head(decider | {"verdict": "weaker"}, *cells)["says"]


def varied(role, name, verdicts):
    return [{"role": role, "params": {name: value}, "verdict": verdict} for value, verdict in verdicts.items()]


@pytest.mark.parametrize(
    ("beside", "notes"),
    [
        (
            varied("cell", "objective", {f"vae_{i}": "weaker" if i == 3 else "reproduced" for i in range(6)}),
            ["The same sentence, on trained models: reproduced for 5 of 6 objectives; weaker for 1 (vae_3)."],
        ),
        (
            [
                {"role": "cell", "params": {"metric": m, "evidence_folder": e}, "verdict": v}
                for m, e, v in [("mig", "a", "absent"), ("mig", "b", "reproduced"), ("dci", "a", "reproduced")]
            ],
            ["The same sentence, on trained models: reproduced for 2 of 3 cases; absent for 1 (a / mig)."],
        ),
        (
            [{"role": "probe", "part": "part 0", "params": {"i": 0}, "verdict": "absent"}],
            ["Probe, not the paper's (part 0), on trained models: absent."],
        ),
        (
            varied("probe", "seed", dict.fromkeys(range(9), "absent")),
            ["Probe, not the paper's, on trained models: absent for 9 of 9 seeds (0, 1, 2, 3 and 5 more)."],
        ),
        (varied("print", "metric", {"dci": "weaker"}), ["Printed figure, on trained models (dci): weaker."]),
        (
            [
                {"role": "cell", "part": part, "quote": quote, "says": f"{part} too."}
                for part, quote in (("it falls", "representation decreases"), ("larger", "larger images are harder"))
            ],
            [
                "Of the same sentence: 'it falls too' (it falls), on trained models: reproduced.",
                "Another sentence: 'larger too' (larger), on trained models: reproduced.",
            ],
        ),
    ],
)
def test_the_records_beside_a_heading_are_named_or_counted(heading_of, make_record, beside, notes):
    assert heading_of(make_record(), *(make_record(**changes) for changes in beside))["notes"] == notes


def test_what_an_estimate_notes_stands_before_the_records_beside_it(heading_of, make_record):
    notes = heading_of(make_record(notes=["dci: 0.5"]), make_record(role="cell"))["notes"]
    assert notes == ["dci: 0.5", "The same sentence, on trained models: reproduced."]


def test_the_primary_record_alone_is_unconfirmed_and_the_unexpected_are_counted_over_all(heading_of, make_record):
    heading = heading_of(make_record(unconfirmed=True, revision=3), make_record(role="cell", unexpected=True))
    assert (heading["unconfirmed"], heading["revision"], heading["unexpected"]) == (True, 3, 1)
    assert heading_of(make_record(), make_record(role="cell", unconfirmed=True))["unconfirmed"] is False


@pytest.mark.parametrize(
    ("changes", "same"),
    [
        ({"says": "otherwise", "notes": ["in words of another version"]}, True),
        ({"verdict": "weaker"}, False),
        ({"beside": {"probe": {"weaker": 1}}}, False),
        ({"record": None}, False),
        ({"revision": 9}, False),
        ({"of a later version": 1}, True),
    ],
)
def test_an_edited_heading_is_told_from_other_words(sample, changes, same):
    first, *others = sample["headings"]
    assert headings_match({**sample, "headings": [first | changes, *others]}) is same


def test_an_older_report_lacks_fields_and_no_finding(sample):
    headings = [{name: part for name, part in heading.items() if name != "fresh"} for heading in sample["headings"]]
    assert headings_match(sample | {"headings": headings})
    assert not headings_match(sample | {"headings": headings[1:]})
    old = [{name: part for name, part in heading.items() if name != "qualified"} for heading in headings]
    assert headings_match(sample | {"headings": old})
    assert not headings_match(sample | {"headings": [old[0] | {"claim": "sober.unknown"}, *old[1:]]})


def test_a_claim_that_the_ledger_does_not_know_is_headed_by_its_primary_record(make_document, make_record):
    (heading,) = make_document([make_record(role="cell", says="A part."), make_record()], ledger={})["headings"]
    assert heading["statement"] == make_record()["says"]
    assert (heading["heads"], heading["verdict"]) == ("zoo", "reproduced")


def test_only_samples_err_by_chance(make_record):
    exact = make_record(confidence=1.0)
    assert chance_text([exact, make_record(interval=None)]) == ""
    assert chance_text([exact] + [make_record(confidence=0.9)] * 10).startswith("10 of the verdicts rest on samples")
    assert ", 0.5 would be" in chance_text([make_record(confidence=0.9)] * 10)


def test_of_cases_of_one_verdict_the_farthest_heads_or_the_narrowest(heading_of, make_record):
    shared = {"low": 0.5, "high": None, "closed": False}
    bad = [
        make_record(nodeid=f"n{e}", params={"e": e}, verdict="contradicted", estimate=e, interval=[e, e], **shared)
        for e in (0.3, -0.4, 0.1)
    ]
    assert heading_of(*bad)["record"] == "n-0.4"
    near = (0.9, 0.6, 0.7)
    good = [make_record(nodeid=f"n{e}", params={"e": e}, estimate=e, interval=[e, e], **shared) for e in near]
    heading = heading_of(*good)
    assert heading["record"] == "n0.6"
    assert heading["says"].startswith("Holds in all 3 cases. The narrowest (e=0.6): ")


def test_a_case_that_is_weaker_for_sure_outranks_one_that_cannot_be_worse(heading_of, make_record):
    shared = {"low": 0.5, "high": None, "closed": False, "null": 0.0}
    weaker = make_record(params={"i": 0}, verdict="weaker", estimate=0.3, interval=[0.2, 0.4], **shared)

    def beside(low):
        return make_record(params={"i": 1}, verdict="undecided", estimate=0.5, interval=[low, 0.6], **shared)

    assert heading_of(weaker, beside(0.1))["verdict"] == "weaker"
    assert heading_of(weaker, beside(-0.1))["verdict"] == "undecided"
    assert heading_of(make_record(params={"i": 0}), beside(0.1))["verdict"] == "undecided"


@pytest.mark.parametrize("own", [16, 64])
def test_of_several_image_sizes_that_of_the_primary_heads(make_record, sample, own):
    tables = [sample["provenance"]["evidence"][0] | {"name": f"t{side}", "side": side} for side in (64, 16, 32)]
    verdicts = {16: "undecided", 32: "contradicted", 64: "weaker"}
    records = [
        make_record(
            role="primary" if side == own else "size",
            verdict=verdict,
            params={"evidence_folder": f"t{side}", "i": i},
            nodeid=f"n{side}-{i}",
        )
        for side in verdicts
        for i, verdict in enumerate(["reproduced", verdicts[side]])
    ]
    document = build_document(records, provenance={"evidence": tables})
    assert headings_match(document)
    (heading,) = document["headings"]
    assert (heading["verdict"], heading["record"][:4]) == (verdicts[own], f"n{own}-")
    (note,) = heading["notes"]
    said = {side: f"{each} at {side} x {side} pixels (-0.620 [-0.710, -0.530])" for side, each in verdicts.items()}
    said[own] += ", which heads the finding"
    assert note == f"By image size: {'; '.join(said[side] for side in sorted(said, key=lambda side: side != own))}."
    # The page and the summary show all three side by side.
    summary, page = render_markdown(document), render_html(document)
    row = summary.partition("| finding | 16 x 16 | 32 x 32 | 64 x 64 |")[2].splitlines()[2]
    assert [cell.split(" -0")[0].strip() for cell in row.split("|")[2:-1]] == [*verdicts.values()]
    section = page.partition('<h2 id="sizes">')[2].partition("</section>")[0]
    assert re.findall(r'class="word">([a-z ]+)<', section) == [*verdicts.values()]
    for text in (render_markdown, render_html):
        assert "By image size" not in text(build_document(records[:1]))


def test_what_the_ledger_sets_aside_is_not_tested_whatever_its_records_say(make_record):
    record = make_record(verdict="contradicted")
    row = Finding(record["claim"], "5.2", "It holds.", ("zoo",), "zoo", aside="The table is scrambled in our text.")
    document = build_document([record], ledger={row.id: row})
    assert headings_match(document)
    (heading,) = document["headings"]
    assert (heading["verdict"], heading["says"], heading["record"]) == ("not tested", row.aside, None)
    assert heading["beside"] == {"primary": {"contradicted": 1}}


def test_the_word_on_fresh_seeds_stands_beside_the_heading_and_moves_nothing(make_record):
    fresh = [
        make_record(role="fresh", verdict=verdict, params={"evidence_folder": "t-fresh", "i": i}, nodeid=f"f{i}")
        for i, verdict in enumerate(("reproduced", "weaker", "not tested"))
    ]
    document = build_document([make_record(), *fresh])
    assert headings_match(document)
    (heading,) = document["headings"]
    assert (heading["fresh"], heading["verdict"]) == ("weaker", "reproduced")
    (note,) = heading["notes"]
    assert note.startswith("On fresh seeds alone, drawn after the rules were frozen: weaker (-0.620 [-0.710, -0.530]")


def test_a_primary_that_broke_heads_whatever_other_sizes_say(make_record, sample):
    tables = [sample["provenance"]["evidence"][0] | {"name": f"t{side}", "side": side} for side in (64, 16)]
    records = [
        make_record(params={"evidence_folder": "t16", "i": 0}),
        broken_record(make_record(), nodeid="b", reason="a worker died") | {"seconds": 0.0},
        make_record(role="size", params={"evidence_folder": "t64", "i": 0}, nodeid="c"),
    ]
    document = build_document(records, provenance={"evidence": tables})
    assert headings_match(document)
    assert (document["headings"][0]["verdict"], document["headings"][0]["record"]) == ("broken", "b")
    assert "0 x 0" not in render_markdown(document) + render_html(document)


NOTHING_LEFT = {"estimate": None, "left_out": None, "verdict": "not tested", "reason": "no seed is left"}


def test_what_a_filter_leaves_is_a_note(heading_of, make_record):
    found = {"estimate": 0.2, "interval": [0.1, 0.3], "n": 30, "left_out": [3, 360], "verdict": "weaker", "reason": "r"}
    notes = [heading_of(make_record(filtered=found | changes))["notes"][0] for changes in ({}, NOTHING_LEFT)]
    assert notes == [
        "Without 3 of 360 models or codes, which a filter removes, weaker (0.20 [0.10, 0.30]).",
        "Without what a filter on models or codes removes, not tested: no seed is left.",
    ]
