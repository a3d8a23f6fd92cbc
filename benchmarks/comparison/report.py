"""Measured rows as tables and as JSON.

A row is {"family", "op", "problem", "cudnn", "plans", …} as measuring.measure_row
makes it, or has an "error". The plan that counts is the fastest that is right.
"""

import json
import math

from .timing import geometric_mean


def best_plan(row):
    """The fastest plan without an error, or None."""
    timed = [plan for plan in row.get("plans", ()) if "error" not in plan]
    return min(timed, key=lambda plan: plan["median_us"], default=None)


def ratio(row):
    """cuDNN's time over ours: above 1 is faster than cuDNN. None where one is
    missing."""
    best = best_plan(row)
    return row["cudnn"]["median_us"] / best["median_us"] if best else None


def tflops(row, us):
    return row["flops"] / us * 1e-6


def error_of(row):
    """Why a row has no ratio."""
    if "error" in row:
        return row["error"]
    errors = [plan["error"] for plan in row["plans"] if "error" in plan]
    return "; ".join(dict.fromkeys(errors)) or "no plan"


def short_schedule(text):
    """The schedules of the kernels without the kernels' names, each once."""
    parts = [part.split(": ", 1)[-1] for part in text.split("; ")]
    return "; ".join(dict.fromkeys(parts))


def number(value, digits):
    return "" if value is None else f"{value:.{digits}f}"


def table_line(row):
    problem = row["problem"].split(maxsplit=1)[1]
    best = best_plan(row)
    if best is None:
        return f"| {row['family']} | {problem} | {error_of(row)} | | | | | |"
    us = best["median_us"]
    share = row["bound_us"] / us if row["bound_us"] else None
    cells = [
        row["family"],
        problem,
        number(us, 1),
        number(tflops(row, us), 0 if tflops(row, us) >= 10 else 2),
        number(row["cudnn"]["median_us"], 1),
        number(ratio(row), 3),
        number(share, 2),
        short_schedule(best["schedule"]),
    ]
    return "| " + " | ".join(cells) + " |"


def summary(rows):
    """One line about rows of one operation."""
    ratios = [r for r in map(ratio, rows) if r is not None]
    if not ratios:
        return f"None of {len(rows)} rows was compared."
    text = (
        f"{len(ratios)} of {len(rows)} rows compared: geometric mean "
        f"{geometric_mean(ratios):.3f}, lowest {min(ratios):.3f}, highest "
        f"{max(ratios):.3f}."
    )
    return text


def table(rows):
    header = (
        "| family | problem | µs | TFLOP/s | cuDNN, µs | cuDNN time / ours "
        "| share of the bound | schedule |\n|---|---|---|---|---|---|---|---|"
    )
    return "\n".join([header, *map(table_line, rows), "", summary(rows)])


def gemm_line(reference):
    return (
        f"cuBLAS {reference['extent']}³ {reference['type']}, {reference['when']}: "
        f"{reference['tflops']:.0f} TFLOP/s"
    )


def clocks_line(rows):
    clocks = [row["clocks"] for row in rows if row.get("clocks")]
    if not clocks:
        return ""
    medians = [c["sm_mhz"] for c in clocks]
    return (
        f"SM clock while timing: {min(medians):.0f} to {max(medians):.0f} MHz "
        f"(medians of the rows), at most {max(c['power_w'] for c in clocks):.0f} W."
    )


def settings_line(settings, timing):
    after = settings["settle_us"] / 1000
    own = f", each after {after:g} ms of the same launches" if after else ""
    alone = "; every launch timed by itself, after the cache was flushed"
    return (
        f"Medians of {settings['samples']} batches of "
        f"{settings['batch_us'] / 1000:g} ms{own}{alone if timing == 'flushed' else ''}."
    )


def markdown(document):
    """The whole report."""
    device = document["device"]
    lines = [
        f"{document['date']}, {device['device']} ({device['target']}), driver "
        f"{device.get('driver', 'unknown')}, PyTorch {device['torch']}, CUDA "
        f"{device['cuda']}, cuDNN {device['cudnn']}, conv-mlir {device['conv_mlir']}.",
        "",
        *[gemm_line(reference) + "  " for reference in document["references"]],
        settings_line(document["settings"], device.get("timing")) + "  ",
        clocks_line(document["rows"]),
    ]
    for op in dict.fromkeys(row["op"] for row in document["rows"]):
        rows = [row for row in document["rows"] if row["op"] == op]
        lines += ["", f"## {op}", "", table(rows)]
    return "\n".join(lines) + "\n"


def finite(value):
    """JSON has no NaN."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(item) for item in value]
    return value


def to_json(document):
    return json.dumps(finite(document), indent=1, ensure_ascii=False) + "\n"
