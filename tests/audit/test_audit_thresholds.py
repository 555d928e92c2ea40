"""Each check passes up to its threshold and fails beyond it: a metric that answers from a list of scores."""

from dataclasses import dataclass, field

import pytest

from dbench.audit import CHECKS
from dbench.audit.gallery import NOISE_ONLY, PERFECT
from dbench.audit.record import CheckResult
from dbench.audit.referee import likely_bugs

HAIR = 1e-6
ROWS = 1_000


@dataclass
class Listed:
    """Stands for what is audited: 1 for perfect copies, 0 for noise, and what is listed for all else.

    A name stands for a representation, or with its number of rows, bins or draws: ``"perfect copy n=100"``.
    """

    scores: dict[str, float]
    direction: int = 1
    scale: tuple[float, float] | None = None
    bins: tuple[str, int] | None = ("bins", 20)
    bounds: tuple[float | None, float | None] = (0.0, 1.0)
    needs: str = "sample"
    name: str = "listed"
    observations: int = ROWS
    asked: list[str] = field(default_factory=list)

    def score(self, name: str, source: object, **how: int) -> float:
        key = " ".join([name, *(f"{option}={value}" for option, value in sorted(how.items()) if value)])
        self.asked.append(key)
        usual = {PERFECT: 1.0, NOISE_ONLY: 0.0, "leaky copy": 0.5}
        names = (key, key.partition(" repetition=")[0], name)
        return next(scores[n] for scores in (self.scores, usual, {name: 0.0}) for n in names if n in scores)

    def fresh_score(self, source: object) -> float:
        return self.scores["again"]


def asked(check: str, scores: dict[str, float], **options) -> CheckResult:
    return CHECKS[check](Listed(scores, **options))


def status(check: str, scores: dict[str, float], **options) -> str:
    return asked(check, scores, **options).status


# What a check scores, its threshold there, and which way it fails. Bias: a tenth of the scale; sameness a twentieth.
AT_MOST = [
    ("chance", NOISE_ONLY, 0.1),
    *(
        (f"bins[{name}]", f"{name} bins={count}", end)
        for name, end in ((PERFECT, 0.9), (NOISE_ONLY, 0.1))
        for count in (10, 40)
    ),
    ("bounds", "rotated by 45 degrees", 1 + 1e-9),
    ("regime[many codes of noise]", f"50 codes of noise n={ROWS}", 0.1),
    ("regime[many codes of noise, few rows]", f"50 codes of noise n={ROWS // 10}", 0.1),
    ("regime[correlated factors]", "copies, correlated factors", 0.9),
    ("regime[redundant factors]", "copies, redundant factors", 0.9),
    ("permutation[perfect copy]", "permutation perfect copy", 0.95),
    ("sign[leaky copy]", "sign leaky copy", 0.45),
    ("dead_codes[leaky copy, first]", "dead_codes leaky copy, first", 0.55),
    ("duplicated_codes[leaky copy]", "duplicated", 0.55),
]


@pytest.mark.parametrize(("check", "name", "end"), AT_MOST)
def test_a_score_may_lie_at_the_threshold_and_no_hair_beyond(check, name, end):
    assert check in CHECKS
    usual = {"again": 1.0, PERFECT: 1.0, NOISE_ONLY: 0.0, "leaky copy": 0.5}
    usual |= {f"copies, {no}{which} factors": 1.0 for no in ("", "no ") for which in ("correlated", "redundant")}
    usual |= {name: end}
    away = 1 if name in (NOISE_ONLY, "duplicated") or end in (0.1, 0.55) or end > 1 else -1
    just = 1e-12 if end <= 1 else 1e-10  # what is exactly there is there up to rounding
    assert status(check, usual | {name: end - away * just}) == "pass"
    assert status(check, usual | {name: end + away * (HAIR if end <= 1 else 1e-9)}) == "fail"


@pytest.mark.parametrize(
    ("chance", "perfect", "apart"),
    [(0.9, 1.0, False), (0.89, 1.0, True), (-0.1, -1.0, False), (-1.0, -0.9, False), (-1.0, -0.89, True)],
)
def test_perfect_copies_lie_more_than_a_tenth_of_the_larger_from_noise(chance, perfect, apart):
    found = asked("separation", {NOISE_ONLY: chance, PERFECT: perfect})
    assert (found.status, found.value) == ("pass" if apart else "fail", pytest.approx(perfect - chance))


def test_every_draw_of_perfect_copies_lies_above_every_one_of_noise():
    assert status("separation", {}) == "pass"
    assert status("separation", {f"{NOISE_ONLY} repetition=4": 1.0}) == "fail"
    assert status("separation", {f"{PERFECT} repetition=4": 0.0}) == "fail"
    assert status("separation", {f"{NOISE_ONLY} repetition=4": 1.0}, scale=(0.0, 1.0)) == "fail"  # whatever is declared
    turned = {NOISE_ONLY: 1.0, PERFECT: 0.0}
    assert "it is reversed" in asked("separation", turned).hint
    assert status("separation", turned, direction=-1) == "pass"
    assert "leave --less-is-better" in asked("separation", {}, direction=-1).hint
    # Where one draw lies on the other side nothing is reversed.
    assert asked("separation", turned | {f"{PERFECT} repetition=4": 1.0}).hint == ""


@pytest.mark.parametrize("scale", [(0.0, 1.0), (2.0, 6.0), (1.0, 0.0)])
def test_high_begins_above_three_quarters_of_the_way_and_low_ends_below_half(scale):
    def at(check, place):
        name = check.partition("[")[2].removesuffix("]")
        options = {"scale": scale, "direction": 1 if scale[1] > scale[0] else -1}
        return status(check, {name: scale[0] + place * (scale[1] - scale[0])}, **options)

    high, low = (
        next(c for c in CHECKS if c.startswith(f"strong_{level}") and PERFECT not in c) for level in ("high", "low")
    )
    broken = "modularity[factors packed in pairs]"
    assert [at(high, place) for place in (0.7499, 0.75, 0.7501)] == ["fail", "fail", "pass"]
    assert [at(low, place) for place in (0.4999, 0.5, 0.5001)] == ["pass", "fail", "fail"]
    assert [at(broken, place) for place in (0.7499, 0.75, 0.7501)] == ["pass", "fail", "fail"]


def test_where_noise_and_copies_are_not_apart_nothing_is_high_or_low_and_sizes_are_the_unit():
    flat = {NOISE_ONLY: 2.0, PERFECT: 2.0, "leaky copy": 2.0}
    assert "nothing is high or low" in asked("strong_high[perfect copy]", flat).reason
    assert [status("sign[leaky copy]", flat | {"sign leaky copy": 2 + away}) for away in (0.09, 0.11)] == [
        "pass",
        "fail",
    ]
    none = dict.fromkeys(flat, 0.0)
    assert [status("sign[leaky copy]", none | {"sign leaky copy": away}) for away in (0.04, 0.06)] == ["pass", "fail"]


@pytest.mark.parametrize("name", [PERFECT, NOISE_ONLY])
def test_the_bias_of_few_rows_is_that_of_the_mean_of_five_draws(name):
    usual = {PERFECT: 1.0, NOISE_ONLY: 0.0}[name]
    sign = 1 if name == NOISE_ONLY else -1
    for away, passed in ((0.49, "pass"), (0.51, "fail")):  # of one draw: a fifth of it is the mean's
        found = asked(
            f"sample_size[{name}]", {f"{name} n=100": usual, f"{name} n=100 repetition=4": usual + sign * away}
        )
        assert (found.status, found.value) == (passed, pytest.approx(sign * away / 5))
    assert status(f"sample_size[{name}]", {}, needs="source") == "not applicable"
    assert status("regime[many codes of noise]", {}, needs="source") == "pass"
    assert status("regime[many codes of noise, few rows]", {}, needs="source") == "not applicable"
    assert status(f"bins[{name}]", {}, bins=None) == "not applicable"


def test_of_two_other_numbers_of_bins_the_one_that_moves_more_is_judged():
    found = asked(f"bins[{PERFECT}]", {f"{PERFECT} bins=10": 1.05, f"{PERFECT} bins=40": 0.85})
    assert (found.status, found.value) == ("fail", pytest.approx(-0.15))


def test_bounds_are_those_declared_and_the_largest_score_outside_is_named():
    outside = {"rotated by 45 degrees": -1.5, PERFECT: 1.2}
    found = asked("bounds", outside)
    assert (found.status, found.value) == ("fail", -1.5)
    assert "rotated by 45 degrees" in found.hint
    for bounds, word in (((None, 1.2), "pass"), ((None, 1.1), "fail"), ((-1.5, None), "pass"), ((-1.4, None), "fail")):
        assert status("bounds", outside, bounds=bounds) == word
    assert asked("bounds", {}).value == 1


def test_the_same_arrays_give_the_same_number():
    assert [status("determinism", {"again": value}) for value in (1.0, 1.0 + 1e-15)] == ["pass", "fail"]


def test_noise_never_helps_and_ends_low():
    levels = {
        f"noise {s}": score
        for s, score in zip(("0.0", "0.5", "1.0", "2.0", "4.0"), (1, 0.8, 0.7, 0.6, 0.4), strict=True)
    }
    assert status("noise[perfect copy]", levels) == "pass"
    assert status("noise[perfect copy]", levels | {"noise 2.0": 0.749}) == "pass"
    assert status("noise[perfect copy]", levels | {"noise 2.0": 0.751}) == "fail"
    assert status("noise[perfect copy]", levels | {"noise 4.0": 0.5}) == "fail"


def test_a_failure_that_was_declared_or_that_the_other_shares_is_no_bug():
    def record(check="determinism", status="fail", **fields):
        return CheckResult("m", check, check, status, 0.0, "", "", "", **fields)

    records = [
        record(),
        record(status="error"),
        record(deviation="why"),
        record(status="pass"),
        record("monotone[leaky copy]"),
    ]
    assert likely_bugs(records) == records[:2]
    beside = [record("monotone[leaky copy]", like="mig", like_status=s) for s in ("pass", "fail")]
    assert likely_bugs(beside) == beside[:1]
