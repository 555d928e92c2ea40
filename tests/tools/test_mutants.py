"""The wrong lines that the mutation run puts in: small, one at a time, told apart by what they change."""

import types

import mutants
import mutate
import pytest
import trials

import dbench.errors  # noqa: F401 (it stands among sys.modules)

SOURCE = '''
"""Doc with 1 number."""
LIMIT: int = 3


def share(values: list[int], *, most: int = 2) -> float:
    """Some of 7."""
    if len(values) < 1:
        raise ValueError(f"at least {1}")
    kept = sorted(values, reverse=True)[:most]
    return sum(kept) / LIMIT if kept else 0.0
'''


@pytest.fixture
def found(tmp_path):
    (tmp_path / "small.py").write_text(SOURCE)
    return mutants.mutants_of(tmp_path / "small.py", tmp_path)


def test_every_decision_is_changed_once_and_no_text_or_annotation(found):
    changes = [mutant.change for mutant in found]
    assert changes == [
        "`3` -> `4`",
        "`2` -> `3`",
        "`len(values) < 1` -> `len(values) <= 1`",
        "`len(values) < 1` -> `len(values) < 2`",
        "`sorted(values, reverse=True)[:most]` -> `sorted(values)[:most]`",
        "`True` -> `False`",
        "`sum(kept) / LIMIT if kept else 0.0` -> `sum(kept) / LIMIT if not kept else 0.0`",
        "`sum(kept) / LIMIT if kept else 0.0` -> `sum(kept) * LIMIT if kept else 0.0`",
        "`sum(kept)` -> `mean(kept)`",
        "`sum(kept) / LIMIT if kept else 0.0` -> `sum(kept) / LIMIT if kept else 1.0`",
    ]
    assert len({mutant.name for mutant in found}) == len(found)
    assert [mutant.where for mutant in found] == ["", *["share"] * 9]


def test_the_changed_module_does_what_the_change_says(found, tmp_path):
    values = {}
    for mutant in found:
        module = types.ModuleType("small")
        exec(mutants.compile_mutant(mutant, tmp_path), module.__dict__)
        if mutant.change.startswith(("`3`", "`2`", "`sum(kept) / LIMIT if kept else 0.0` -> `sum(kept) *")):
            values[mutant.change[-4:]] = module.share([1, 5, 3])
    assert values == {" `4`": 2.0, " `3`": 3.0, "0.0`": 24.0}


def test_a_change_of_a_body_can_be_put_into_a_function_and_one_on_import_cannot(found, tmp_path):
    changed = [mutants.changed_functions(mutant, tmp_path) for mutant in found]
    assert [one is None for one in changed] == [True, True, *[False] * 8]
    assert {name for one in changed[2:] for name, _ in one} == {"share"}


def test_a_change_of_a_function_that_a_decorator_made_on_import_is_put_into_that_one(tmp_path):
    (tmp_path / "small.py").write_text(
        "def plus(number):\n    def added(value):\n        return value + number\n    return added\none = plus(1)\n"
    )
    module, found = types.ModuleType("small"), mutants.mutants_of(tmp_path / "small.py", tmp_path)
    exec((tmp_path / "small.py").read_text(), module.__dict__)
    (taken,) = (mutant for mutant in found if mutant.change == "`value + number` -> `value - number`")
    changed = mutants.changed_functions(taken, tmp_path)
    module.one.__code__ = changed["plus.<locals>.added", 2]
    assert (module.one(5), {name for name, _ in changed}) == (4, {"plus", "plus.<locals>.added"})


def test_what_is_left_out_of_an_area_is_there():
    out = [option for _, suite in mutate.AREAS.values() for option in suite if option.startswith("--deselect=")]
    assert out
    for option in out:
        path, _, name = option.removeprefix("--deselect=").partition("::")
        assert f"def {name}(" in (mutate.ROOT / path).read_text()


@pytest.mark.parametrize("module", ["numpy", "json", "mutants", "trials", "dbench.errors", "pytest"])
def test_what_forks_share_is_no_module_of_the_checkout_which_could_import_the_library_unchanged(module):
    assert trials._from_elsewhere(module) == (module in ("numpy", "json"))
