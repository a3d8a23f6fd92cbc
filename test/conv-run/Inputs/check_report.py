"""Checks the keys and types of a report: check_report.py REPORT.json MODE."""

import json
import sys

KEYS = {
    "problem": str,
    "device": str,
    "target": str,
    "multiprocessors": int,
    "measured": bool,
    "schedule": str,
    "tuning": list,
    "untuned": list,
    "remarks": list,
    "kernels": list,
    "workspace_bytes": int,
    "deterministic": bool,
    "precision": str,
    "compile_ms": (int, float),
    "verify": dict,
    "counters": dict,
}
KERNEL = {
    "name": str,
    "grid": list,
    "block": list,
    "cluster": list,
    "registers": int,
    "shared_bytes": int,
}
VERIFY = {
    "mode": str,
    "relative_error": (int, float),
    "max_abs_error": (int, float),
    "worst_index": (list, type(None)),
    "tolerance": (int, float),
    "compared": int,
    "passed": bool,
}


def check(name, found, expected):
    assert set(found) == set(expected), f"{name}: {sorted(found)}"
    for key, kind in expected.items():
        assert isinstance(found[key], kind), f"{name}.{key}: {found[key]!r}"


with open(sys.argv[1]) as file:
    report = json.load(file)
check("report", report, KEYS)
for kernel in report["kernels"]:
    check("kernel", kernel, KERNEL)
    for key in ("grid", "block", "cluster"):
        assert len(kernel[key]) == 3 and min(kernel[key]) >= 1
    assert kernel["shared_bytes"] > 0
assert len(report["kernels"]) == 1
assert report["tuning"] == []
check("verify", report["verify"], VERIFY)
assert report["verify"]["mode"] == sys.argv[2]
assert report["verify"]["passed"]
differs = report["verify"]["max_abs_error"] > 0
assert len(report["verify"]["worst_index"] or []) == (4 if differs else 0)
assert report["device"] == "emulator"
assert report["counters"]["mma_flops"] > 0
