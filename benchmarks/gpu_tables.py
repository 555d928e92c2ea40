"""Write what benchmarks/gpu.py measured: everything as JSON, and the tables to be read as Markdown."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

CLASSES = {
    "matrix products and convolutions": (
        *("gemm", "conv", "cutlass", "cudnn", "xmma", "wgrad", "dgrad", "baddbmm", "aten::mm", "aten::bmm", "addmm"),
        *("mkldnn", "nvjet", "winograd"),
    ),
    "optimiser": ("adam", "multi_tensor"),
    "reductions": ("reduce", "aten::sum", "aten::mean", "softmax", "logsumexp"),
    "copies and layouts": (
        *("memcpy", "memset", "copy", "transpose", "nchw", "nhwc", "cat", "permute", "aten::fill", "clone", "pad"),
    ),
    "gathering": ("index", "gather", "scatter"),
    "element by element": ("elementwise", "vectorized", "relu", "threshold", "triton", "aten::"),
}
"""Classes of kernels, and words of which one is in their names; the first class that fits counts."""


def kernel_class(name: str) -> str:
    """Return the class of a kernel or operation by its name."""
    lower = name.lower()
    return next((kind for kind, words in CLASSES.items() if any(word in lower for word in words)), "other")


def write_results(folder: Path, results: dict[str, Any]) -> None:
    """Write results.json and results.md, each aside and then renamed, so that a stopped run leaves whole files."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in (("results.json", json.dumps(results, indent=1) + "\n"), ("results.md", report(results))):
        aside = folder / f".{name}"
        aside.write_text(text, encoding="utf-8")
        os.replace(aside, folder / name)  # noqa: PTH105 - Path.replace returns what nobody needs


def table(rows: list[dict[str, Any]], columns: dict[str, str]) -> str:
    """Return rows as a Markdown table; ``columns`` maps keys to headings, and missing values stay empty."""
    lines = ["| " + " | ".join(columns.values()) + " |", "| " + " | ".join("---" for _ in columns) + " |"]
    for row in rows:
        lines.append("| " + " | ".join(_cell(row.get(key)) for key in columns) + " |")
    return "\n".join(lines)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return str(value).replace("|", "/").replace("\n", " ")


def best(results: dict[str, Any]) -> dict[str, Any] | None:
    """Return the quickest measured ensemble whose precision passed its check; None when there is none."""
    passed = {(row["precision"], row["algorithm"]) for row in results.get("checks", []) if row.get("ok")}
    rows = [row for row in results.get("rates", []) if row.get("model_steps_a_second")]
    rows = [row for row in rows if (row["precision"], row["algorithm"]) in passed]
    return max(rows, key=lambda row: float(row["model_steps_a_second"]), default=None)


def summary(results: dict[str, Any]) -> list[str]:
    """Return the sentences that say how the targets were met."""
    top, alone, lines = best(results), results.get("alone", []), []
    if top is None:
        return ["No ensemble was measured whose precision passed its check."]
    rate = float(top["model_steps_a_second"])
    lines.append(
        f"Best: {rate:,.0f} model-steps a second ({top['members']} members, {top['precision']}, {top['algorithm']}, "
        f"{'captured' if top['captured'] else 'not captured'}); asked for on an H200: 16,700."
    )
    rates = {row["precision"]: float(row["model_steps_a_second"]) for row in alone if row.get("model_steps_a_second")}
    for precision, single in rates.items():
        lines.append(
            f"One plain model at a time, {precision}: {single:,.0f}; ratio {rate / single:.1f} (asked for: 50)."
        )
    floor = results.get("floor", {}).get(top["precision"])
    if floor:
        lines.append(
            f"Floors: {floor['by_arithmetic']:,.0f} by arithmetic, {floor['by_memory']:,.0f} by memory traffic; "
            f"reached {rate / min(floor['by_arithmetic'], floor['by_memory']):.1%} of the lower one."
        )
    return lines


_SECTIONS: tuple[tuple[str, str, dict[str, str]], ...] = (
    (
        "checks",
        "First steps against float32 on the processor",
        {
            "precision": "precision",
            "algorithm": "convolutions",
            "steps": "steps",
            "fallen": "share by which the mean loss fell",
            "difference": "largest relative difference of a loss",
            "bound": "bound",
            "ok": "within",
            "error": "error",
        },
    ),
    (
        "rates",
        "Model-steps a second",
        {
            "members": "members",
            "precision": "precision",
            "algorithm": "convolutions",
            "captured": "captured",
            "compiled": "compiled",
            "model_steps_a_second": "model-steps/s",
            "ms_a_step": "ms a step of all",
            "mib_a_model": "MiB a model, peak",
            "error": "error",
        },
    ),
    (
        "alone",
        "One plain PyTorch model at a time",
        {"precision": "precision", "model_steps_a_second": "model-steps/s", "error": "error"},
    ),
    (
        "profile",
        "Where a step's time goes",
        {"kind": "kernels", "ms_a_step": "ms a step", "share": "share of busy time", "launches_a_step": "launches"},
    ),
    (
        "drawing",
        "Drawing a block of 100 steps on the processor",
        {
            "members": "members",
            "threads": "threads",
            "seconds": "s a block",
            "normals_a_second": "normals/s",
            "share": "share of the block's time at the best rate",
        },
    ),
    (
        "evaluation",
        "The evaluation pass",
        {"members": "members", "precision": "precision", "images_a_second": "images x members/s", "error": "error"},
    ),
    (
        "zoo",
        "Trained: part of the profile `standard`",
        {
            "objective": "objective",
            "strength": "strength",
            "seed": "seed",
            "steps": "steps",
            "loss": "loss",
            "elbo": "ELBO",
            "kl": "KL",
            "informative": "codes > 0.01 nats",
            "mig": "MIG",
            "diverged": "diverged",
        },
    ),
)


def report(results: dict[str, Any]) -> str:
    """Return the results as Markdown; sections that were not reached are left out, and said to be."""
    machine = results["machine"]
    parts = ["# Benchmark of training on one device", ", ".join(f"{key}: {value}" for key, value in machine.items())]
    if machine.get("rehearsal"):
        parts.append("**A rehearsal: these numbers say nothing about a GPU.**")
    parts += summary(results)
    for key, title, columns in _SECTIONS:
        if results.get(key):
            parts += [f"## {title}", table(results[key], columns)]
    for key in ("profile_note", "zoo_note", "floor_note"):
        if results.get(key):
            parts.append(results[key])
    missing = [title for key, title, _ in _SECTIONS if not results.get(key)]
    if missing:
        parts.append("Not reached: " + "; ".join(missing) + ".")
    return "\n\n".join(parts) + "\n"
