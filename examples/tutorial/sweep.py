"""A table of the emulator's counters over tiles; docs/tutorial/4-schedule.md."""

import json
import subprocess

import conv_mlir

LAYER = "forward n=1 c=32 h=14 w=14 k=32 r=3 s=3 pad=1 type=f16"
TILES = ["32x32x32", "64x32x32", "128x32x32", "64x32x64", "48x32x32"]
COUNTERS = ["mma_flops", "global_load_bytes", "barriers"]


def counters(schedule):
    report = subprocess.run(
        ["conv-run", f"--problem={LAYER}", f"--schedule={schedule}", "--target=sm_90a",
         "--device=emulator", "--verify", "--benchmark", "--json"],
        capture_output=True, text=True, check=True)
    return json.loads(report.stdout)["counters"]


print(f"{'tile':10}", *(f"{name:>18}" for name in COUNTERS))
for tile in TILES:
    schedule = f"tile={tile} warps=2x1 stages=3 copy=cp_async"
    answer = conv_mlir.can_implement(LAYER, target="sm_90a", schedule=schedule)
    if not answer:
        print(f"{tile:10} {answer.reason}")
        continue
    counted = counters(schedule)
    print(f"{tile:10}", *(f"{counted[name]:18}" for name in COUNTERS))
