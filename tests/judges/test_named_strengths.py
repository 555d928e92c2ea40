"""Settings that claim files name are settings that are trained."""

import ast
from pathlib import Path

import pytest

from dbench.zoo.profiles import PROFILES, find_profile

CLAIMS = Path(__file__).parents[2] / "claims"
OBJECTIVES = {sweep.objective for profile in PROFILES.values() for sweep in profile.sweeps}
Named = tuple[str, tuple[float, ...]]


def numbers_in(node: ast.expr) -> tuple[float, ...]:
    """One number, or several that stand for each other in different sweeps; nothing if it is something else."""
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    found = [part.value for part in parts if isinstance(part, ast.Constant) and type(part.value) in (int, float)]
    return tuple(map(float, found)) if found and len(found) == len(parts) else ()


def settings_in(source: str) -> list[Named]:
    """Objectives beside a strength: as a pair, or as key and value, but for those of simulated models."""
    pairs: list[tuple[ast.expr | None, ast.expr]] = []
    tree = ast.parse(source)
    controls = [node for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg == "false"]
    simulated = {inner for control in controls for inner in ast.walk(control)}
    for node in ast.walk(tree):
        if node in simulated:
            continue
        if isinstance(node, ast.Tuple) and len(node.elts) == 2:
            pairs.append((node.elts[0], node.elts[1]))
        elif isinstance(node, ast.Dict):
            pairs += zip(node.keys, node.values, strict=True)
    named = [(key.value, numbers_in(value)) for key, value in pairs if isinstance(key, ast.Constant)]
    return [(objective, strengths) for objective, strengths in named if objective in OBJECTIVES and strengths]


FOUND = [
    (path.relative_to(CLAIMS).as_posix(), *named)
    for path in sorted(CLAIMS.glob("*/test_*.py"))
    for named in settings_in(path.read_text(encoding="utf-8"))
]


@pytest.mark.parametrize(("file", "objective", "strengths"), FOUND)
def test_a_setting_that_a_claim_names_lies_in_the_profile_that_ships(file, objective, strengths):
    trained = {sweep.strengths for sweep in find_profile("micro").sweeps if sweep.objective == objective}
    assert trained, f"{file} names {objective}, which profile micro does not train"
    # Where strengths of different sweeps stand for each other exactly one may be meant.
    for sweep in trained:
        assert len(set(strengths) & set(map(float, sweep))) == 1, (
            f"{file} names {objective} at {strengths}, not {sweep}"
        )


def test_the_claims_of_all_papers_that_name_settings_are_seen():
    assert {file.partition("/")[0] for file, _, _ in FOUND} >= {"irs", "sober"}
    assert ("irs/test_6_1_methods.py", "annealed_vae", (4.0, 25.0)) in FOUND
