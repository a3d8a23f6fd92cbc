#!/usr/bin/env python3
"""Tiles of one layer, and what the emulator counts of each.

    examples/scripts/sweep.py [MODULE [TILE...]]

Input: a module with convolutions, tiles ("64x64x32"). Output: a table with a row
for each tile. A tile that cannot run has the reason in its row. conv-opt and
conv-run are found by PATH.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TILES = ["32x32x32", "64x32x32", "64x64x32", "128x64x32", "1024x256x64"]
COUNTERS = ["mma_instructions", "global_load_bytes", "shared_bank_conflicts"]


def apply_script(module, tile):
    """The module with the schedule, or the message that says why not."""
    text = (HERE / "tile.mlir").read_text().replace("TILE", tile)
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as script:
        script.write(text)
        script.flush()
        return subprocess.run(
            ["conv-opt", module,
             f"--transform-preload-library=transform-library-paths={script.name}",
             "--transform-interpreter"],
            capture_output=True, text=True)


def get_counters(scheduled):
    """What the emulator counted, of a kernel that was verified."""
    run = subprocess.run(
        ["conv-run", "-", "--device=emulator", "--verify", "--benchmark", "--json"],
        input=scheduled, capture_output=True, text=True)
    if run.returncode:
        sys.exit(run.stderr)
    return json.loads(run.stdout)["counters"]


def main(module, *tiles):
    print(f"{'tile':12}", *(f"{name:>22}" for name in COUNTERS))
    for tile in tiles or TILES:
        scheduled = apply_script(module, tile)
        if scheduled.returncode:
            print(f"{tile:12} {scheduled.stderr.splitlines()[0].partition('error: ')[2]}")
            continue
        counters = get_counters(scheduled.stdout)
        print(f"{tile:12}", *(f"{counters[name]:22}" for name in COUNTERS))


if __name__ == "__main__":
    main(*(sys.argv[1:] or [str(HERE / "layer.mlir")]))
