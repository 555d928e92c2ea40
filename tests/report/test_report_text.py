"""Numbers and records as short text."""

import math

import pytest

from dbench.report import text


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (-1.25e-8, "-1.25e-8"),
        (5e-324, "4.94e-324"),
        (0.999999, "1"),
        (123.456, "123"),
        (1.7976931348623157e308, "1.8e308"),
    ],
)
def test_a_number_is_short_and_keeps_its_magnitude(value, shown):
    assert text.number(value) == shown


@pytest.mark.parametrize(
    ("estimate", "interval", "shown"),
    [
        (0.54, None, "0.54"),
        (0.54, [0.54, 0.54], "0.54"),
        (None, None, "no estimate"),
        (0.54, [0.2, 0.9], "0.54 [0.20, 0.90]"),
        (0.0, [-0.05, 0.05], "0 [-0.050, 0.050]"),
        (1e-8, [0.0, 2e-8], "1e-8 [0, 2e-8]"),
        (0.0001, [0.0, 0.9], "1e-4 [0, 0.90]"),
        (512.3, [490.0, 535.0], "512 [490, 535]"),
        (0.0, [-1.7e308, 1.7e308], "0 [-1.7e308, 1.7e308]"),
    ],
)
def test_an_estimate_has_the_digits_its_interval_deserves(make_record, estimate, interval, shown):
    assert text.estimate_text(make_record(estimate=estimate, interval=interval)) == shown


@pytest.mark.parametrize(
    ("estimate", "low", "shown", "asked"),
    [(1.0, 0.999999, "1", "above 0.999999"), (0.95736, 0.957, "0.95736", "above 0.957"), (0.5, 0.957, "0.5", "above ")],
)
def test_rounding_moves_no_exact_value_onto_the_end_of_what_is_asked(make_record, estimate, low, shown, asked):
    record = make_record(estimate=estimate, interval=None, low=low, high=None)
    assert text.estimate_text(record) == shown
    assert text.asked_text(record).startswith(asked)


def test_rounding_never_moves_a_whole_interval_onto_a_point():
    for exponent in range(-5, 12):
        shown = text.estimate_text({"estimate": 1.0, "interval": [1.0, 1.0 + 10.0**exponent]})
        low, high = shown.split("[")[1].rstrip("]").split(", ")
        assert float(low) < float(high), shown


@pytest.mark.parametrize(
    ("low", "high", "closed", "words", "signs"),
    [
        (None, 0.5, False, "below 0.5", "< 0.5"),
        (0.5, None, False, "above 0.5", "> 0.5"),
        (None, 0.5, True, "at most 0.5", "<= 0.5"),
        (0.5, None, True, "at least 0.5", ">= 0.5"),
        (0.9, 1.0, True, "from 0.9 to 1", "in [0.9, 1]"),
    ],
)
def test_what_the_rule_asks_is_said_in_words_or_signs(make_record, low, high, closed, words, signs):
    record = make_record(low=low, high=high, closed=closed)
    assert (text.asked_text(record), text.asked_text(record, signs=True)) == (words, signs)


@pytest.mark.parametrize(
    ("word", "shown"),
    [
        ("agrees", "0.98 (ours agrees: 0.9 to 1 was to be expected)"),
        ("smaller", "0.98 (ours is smaller: 0.9 to 1 was to be expected)"),
        (None, "0.98"),
    ],
)
def test_the_printed_figure_is_judged_apart(make_record, word, shown):
    assert text.printed_text(make_record(printed="0.98", agreement=word, printed_expects=[0.9, 1.0])) == shown


def test_a_printed_figure_of_unknown_spread_is_shown_alone(make_record):
    assert text.printed_text(make_record(printed="0.98", agreement="agrees", printed_expects=None)) == "0.98"


def test_only_a_y_after_a_consonant_becomes_ies():
    assert (text.counted(2, "day"), text.counted(2, "entry")) == ("2 days", "2 entries")


@pytest.mark.parametrize("width", [0, 1, 3, 4, 10, 50])
def test_clipped_text_keeps_to_its_width(width):
    clipped = text.clip("a sentence of some length, at least longer", width)
    assert len(clipped) <= width


@pytest.mark.parametrize(("seconds", "shown"), [(9.96, "10 s"), (59.6, "1 min 0 s"), (3599.7, "1 h 0 min")])
def test_durations_are_rounded_without_a_sixtieth_second(seconds, shown):
    assert text.duration(seconds) == shown


def test_a_number_never_reads_as_zero_unless_it_is():
    for exponent in range(-300, 300, 7):
        for decimals in (None, 0, 3, 6):
            shown = float(text.number(-3.7 * 10.0**exponent, decimals=decimals))
            assert shown < 0
            assert math.isfinite(shown)
