"""Runs every problem of a grid on a device, with small integers, exactly; what
is a function of exact numbers is compared element by element.

    run_grid.py CONV_RUN DEVICE GRID [forward|dgrad|wgrad [TYPE]]
"""

import json
import subprocess
import sys

import grids

# Activations whose results are rounded.
FUNCTIONS = {"gelu", "gelu-tanh", "silu", "sigmoid", "tanh"}
FUNCTIONS |= {"d" + name for name in FUNCTIONS}


def why_wrong(tool, device, problem, schedule):
    """What is wrong with the result of a problem; empty where nothing is."""
    inputs = [f"--input=integers:{seed}" for seed in (11, 12)]
    values = dict(word.partition("=")[::2] for word in problem.split())
    steps = values.get("epilogue", "").split(",")
    inputs += ["--input=integers:16"] * ("scale" in steps)
    inputs += ["--input=integers:13"] * ("bias" in steps)
    inputs += ["--input=integers:14"] * ("residual" in steps)
    inputs += ["--input=integers:17"] * (steps[0].startswith("d") and steps[0] != "dbias")
    inputs += ["--input=integers:15"] * ("accumulate" in problem)
    is_function = not FUNCTIONS.isdisjoint(steps)
    command = [tool, "--problem=" + problem, "--device=" + device]
    if schedule:
        mma = "fma" if "type=f32" in problem.split() else "mma_sync"
        command += [f"--schedule=copy=cp_async mma={mma} {schedule}"]
    result = subprocess.run(
        command + inputs + ["--verify=full", "--json"], capture_output=True, text=True
    )
    # An empty batch runs, and leaves nothing to compare; a wgrad of it is zero.
    is_empty = values.get("n") == "0" and not problem.startswith("wgrad")
    if result.returncode != (1 if is_empty else 0):
        return f"exit status {result.returncode}: {result.stderr or result.stdout}"
    verified = json.loads(result.stdout)["verify"]
    if is_empty:
        return "" if verified["compared"] == 0 else f"something was compared: {verified}"
    if (verified["tolerance"] != 0 and not is_function) or not verified["passed"]:
        return f"not exact: {verified}"
    return ""


def main():
    tool, device, grid, *rest = sys.argv[1:]
    kind = rest[0] if rest else "forward"
    of = rest[1] if len(rest) > 1 else None
    failed = total = 0
    for problem, schedule in grids.problems(grid, kind, of):
        total += 1
        why = why_wrong(tool, device, problem, schedule)
        if why:
            failed += 1
            print(f"FAILED: {problem}\n    {why.strip()}")
    name = f"{kind} {grid}" + (f" {of}" if of else "")
    print(f"{name} on {device}: {total - failed} of {total} problems passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
