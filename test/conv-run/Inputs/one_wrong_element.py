"""A single wrong element, in every type: one_wrong_element.py CONV_RUN FOLDER.

A plan clips the one large element of its result; the plan is then rewritten to
claim that it does not. --verify passes the first and fails the second, on whole
results and on samples, with integers and with other numbers.
"""

import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
tool, folder = sys.argv[1], pathlib.Path(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)

# The large element, and what it is clipped to: the number below it of the
# coarsest type. All others are below 4.
TYPES = {
    "f16": ("f16", 100, 99),
    "bf16": ("f32", 100, 99),
    "tf32": ("f32", 100, 99),
    "f32": ("bf16", 100, 99),
    "f64": ("f64", 100, 99),
    "s8": ("s8", 100, 99),
    "e4m3": ("e4m3", 104, 96),
    "e5m2": ("f16", 112, 96),
}


def write(name, dtype, shape, numbers):
    subprocess.run(
        [sys.executable, HERE / "write_npy.py", folder / name, dtype, shape, *map(str, numbers)],
        check=True,
    )


def run(plan, *options):
    command = [tool, plan, "--device=emulator", f"--input={folder}/x.npy", f"--input={folder}/w.npy"]
    return subprocess.run(command + list(options), capture_output=True, text=True)


def expect(status, text, what, result):
    if result.returncode != status or text not in result.stdout:
        print(f"{what}: exit status {result.returncode}\n{result.stdout}{result.stderr}")
        return 1
    return 0


def data_of(large, whole):
    """The first position of x has the channel 0 alone, and w the large element
    there; other elements are products of small numbers."""
    x = [1] + [0] * 15 + [(i % 3 - 1) * (1 if whole else 0.3) for i in range(41 * 16)]
    w = [large] + [(i % 3 - 1) * (1 if whole else 0.3) for i in range(255)]
    for row in range(42):
        x[row * 16] = float(row == 0)
    return x, w


failed = 0
for kind, (out, large, clipped) in TYPES.items():
    problem = f"forward n=1 c=16 h=6 w=7 k=16 r=1 s=1 type={kind} out-type={out}"
    plan, wrong = folder / f"{kind}.plan", folder / f"{kind}-wrong.plan"
    steps = f" epilogue=clip:-200:{clipped}"
    subprocess.run(
        [tool, f"--problem={problem}{steps}", "--target=sm_90a", "--emit=plan", "-o", plan],
        check=True,
    )
    subprocess.run(
        [sys.executable, HERE / "rewrite_plan.py", plan, steps, " epilogue=clip:-200:200", wrong],
        check=True,
    )
    for whole in (True, False) if kind != "s8" else (True,):
        x, w = data_of(large, whole)
        write("x.npy", "i1" if kind == "s8" else "f4", "1x6x7x16", map(int, x) if kind == "s8" else x)
        write("w.npy", "i1" if kind == "s8" else "f4", "16x1x1x16", map(int, w) if kind == "s8" else w)
        what = f"{kind}, {'integers' if whole else 'numbers'}"
        failed += expect(0, "full: passed", what, run(plan, "--verify=full"))
        wanted = f"y element [0, 0, 0, 0] is {clipped}, expected {large}"
        failed += expect(1, wanted, what, run(wrong, "--verify=full"))
        failed += expect(1, wanted, what, run(wrong, "--verify=sample:5"))
print(f"{len(TYPES)} types, {failed} failures")
sys.exit(failed != 0)
