import importlib.util
import json
from pathlib import Path

import pytest

PATH = Path(__file__).parents[2] / "benchmarks" / "gpu_tables.py"


def _load():
    spec = importlib.util.spec_from_file_location("tables_of_the_gpu_benchmark", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


TABLES = _load()


@pytest.fixture
def results():
    def rated(rate, precision, **changed):
        row = {"members": 64, "precision": precision, "algorithm": "grouped", "captured": True, "compiled": False}
        return row | {"model_steps_a_second": rate} | changed

    return {
        "machine": {"device": "a GPU", "rehearsal": False},
        "checks": [
            {"precision": "float32", "algorithm": "grouped", "ok": True},
            {"precision": "tf32", "algorithm": "grouped", "ok": True},
            {"precision": "bfloat16", "algorithm": "grouped", "ok": False},
        ],
        "rates": [
            rated(4000.0, "float32"),
            rated(9000.0, "tf32"),
            rated(30000.0, "bfloat16"),
            rated(50000.0, "tf32", algorithm="products"),
            {"members": 480, "precision": "tf32", "algorithm": "grouped", "error": "OutOfMemoryError: out | of\nit"},
        ],
        "alone": [{"precision": "tf32", "model_steps_a_second": 300.0}],
        "floor": {"tf32": {"by_arithmetic": 20000.0, "by_memory": 18000.0}},
    }


def test_the_best_ensemble_is_the_quickest_whose_precision_and_way_to_convolve_passed_the_check(results):
    assert TABLES.best(results)["model_steps_a_second"] == 9000.0
    assert TABLES.best({"rates": results["rates"]}) is None


def test_the_summary_states_ratio_and_share_of_the_lower_floor(results):
    text = " ".join(TABLES.summary(results))
    assert "9,000 model-steps a second (64 members, tf32, grouped, captured)" in text
    assert "ratio 30.0" in text
    assert "50.0% of the lower one" in text
    assert "No ensemble" in TABLES.summary({})[0]


def test_a_table_has_a_cell_for_every_column_whatever_is_missing_or_holds_a_bar(results):
    lines = TABLES.table(results["rates"], {"members": "members", "captured": "captured", "error": "error"}).split("\n")
    assert len(lines) == 2 + 5
    assert {line.count("|") for line in lines} == {4}
    assert lines[2] == "| 64 | yes |  |"
    assert lines[-1] == "| 480 |  | OutOfMemoryError: out / of it |"


def test_a_report_says_what_was_not_reached_and_whether_it_is_a_rehearsal(results):
    text = TABLES.report(results)
    assert "## Model-steps a second" in text
    assert "Not reached: Where a step's time goes;" in text
    assert "rehearsal:" not in text.split("##")[1]
    assert "say nothing about a GPU" in TABLES.report(results | {"machine": {"rehearsal": True}})


def test_results_are_written_whole_and_again(results, tmp_path):
    for rate in (1.0, 2.0):
        results["alone"][0]["model_steps_a_second"] = rate
        TABLES.write_results(tmp_path / "out", results)
        assert json.loads((tmp_path / "out" / "results.json").read_text()) == results
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["results.json", "results.md"]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("sm90_xmma_gemm_bf16bf16_bf16f32", "matrix products and convolutions"),
        ("void cudnn::cnn::wgrad2d_grouped_direct_kernel", "matrix products and convolutions"),
        ("multi_tensor_apply_kernel<FusedAdamMathFunctor>", "optimiser"),
        ("void at::native::reduce_kernel<512, 1>", "reductions"),
        ("Memcpy HtoD (Pinned -> Device)", "copies and layouts"),
        ("void at::native::vectorized_elementwise_kernel<4>", "element by element"),
        ("void at::native::indexSelectLargeIndex", "gathering"),
        ("something_new", "other"),
    ],
)
def test_kernels_are_classed_by_their_names(name, kind):
    assert TABLES.kernel_class(name) == kind
