"""Runs plans with a valid checksum and wrong contents on the emulator.

    crafted_plans.py CONV_RUN GROUP

Each case changes a plan that is right, and says with which status conv-run ends
and words of what it says: 1 for a verification that fails, on standard output;
2 where the plan is refused and 3 where its kernel fails, in one line on standard
error. A signal never ends the process.
"""

import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "conv-run", "Inputs"))

import crafted_images  # noqa: E402
import crafted_launches  # noqa: E402
import crafted_problems  # noqa: E402
import fixtures  # noqa: E402
import plan_file  # noqa: E402

GROUPS = {
    "problems": crafted_problems.CASES,
    "launches": crafted_launches.CASES,
    "images": crafted_images.CASES,
}

# The plans that cases change.
SEEDS = {
    "plain": ("forward n=1 c=8 h=5 w=5 k=8 r=3 s=3 pad=1 type=f16", "sm_80"),
    "maps": ("forward n=1 c=16 h=8 w=8 k=16 r=3 s=3 pad=1 type=bf16", "sm_90a"),
    "sums": ("wgrad n=2 c=16 h=8 w=8 k=16 r=3 s=3 pad=1 type=bf16 epilogue=dbias", "sm_90a"),
}


def write_inputs(folder):
    """NaN of the shapes of the plain plan's arguments."""
    for name, shape in (("nan-x", (1, 5, 5, 8)), ("nan-w", (8, 3, 3, 8))):
        count = 1
        for extent in shape:
            count *= extent
        content = fixtures.npy(shape, "<f2", data=b"\x00\x7e" * count)
        with open(os.path.join(folder, name + ".npy"), "wb") as file:
            file.write(content)


def write_seeds(tool, folder):
    for name, (problem, target) in SEEDS.items():
        subprocess.run(
            [tool, "--problem=" + problem, "--target=" + target, "--emit=plan", "-o", name],
            cwd=folder,
            check=True,
        )


def complaints(result, status, words):
    """Why a finished process does not end as it should."""
    error = result.stderr.decode(errors="replace")
    lines = [line for line in error.splitlines() if line]
    text = error if status >= 2 else result.stdout.decode(errors="replace")
    if result.returncode != status:
        yield f"expected exit status {status}, got {result.returncode}"
    if len(lines) != (1 if status >= 2 else 0):
        yield f"expected one line on standard error or none, got {len(lines)}"
    if len(error) > 10000:
        yield f"{len(error)} bytes on standard error"
    for word in words:
        if word not in text:
            yield f"expected '{word}'"


def run_case(tool, folder, case):
    seed, change, arguments, status, words = case
    plan = plan_file.Plan(os.path.join(folder, seed))
    change(plan)
    plan.write(os.path.join(folder, "case.plan"))
    command = [tool, "case.plan", "--device=emulator"] + arguments
    result = subprocess.run(command, cwd=folder, capture_output=True, timeout=120)
    return result, list(complaints(result, status, words))


def main():
    tool, group = sys.argv[1:]
    cases = GROUPS[group]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        write_seeds(tool, folder)
        write_inputs(folder)
        for name, case in cases.items():
            result, problems = run_case(tool, folder, case)
            if problems:
                failed += 1
                print(f"FAILED: {name}: " + "; ".join(problems))
                print("   ", result.stdout.decode(errors="replace").strip()[-300:])
                print("   ", result.stderr.decode(errors="replace").strip()[:500])
    print(f"{group}: {len(cases) - failed} of {len(cases)} crafted plans end as they should")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
