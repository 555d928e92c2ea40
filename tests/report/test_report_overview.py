"""What the first screen says of the models and the rules, in sentences."""

from dbench.report.overview import models_text, scale_text


def test_what_is_said_of_models_and_rules_is_said_of_findings_on_them_alone(make_document, make_record, sample):
    own = {"evidence_folder": "micro-dsprites"}
    (table,) = sample["provenance"]["evidence"]
    rules = "Each finding on trained models is judged by a rule that was set without sight of its table."

    def seen(record, **changes):
        document = make_document([record], provenance={"evidence": [table | changes]})
        return scale_text(document), models_text(document, document["records"][0])

    small, models = seen(make_record(params=own, n=8))
    assert small.startswith("The models are small, mostly on images of 16 x 16 pixels and trained for 6,000 steps, ")
    assert small.endswith(rules)
    assert models == "440 models of 2 objectives, dSprites at 16 x 16 pixels; 8 of 10 seeds"
    assert seen(make_record(params=own, n=10))[1].endswith("; 10 seeds")
    assert seen(make_record(params=own), side=64, steps=300_000)[0] == rules
    assert seen(make_record(evidence="synthetic"))[0] == ""
