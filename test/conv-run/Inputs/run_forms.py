"""Takes a convolution to each form with conv-opt, and runs each with conv-run.

    run_forms.py CHIP PROBLEM FOLDER

Every step is one pipeline, which goes on from the text that the one before it
printed. Each form is verified on the emulator.
"""

import subprocess
import sys

STEPS = [
    "conv-operations-to-schedules",
    "conv-schedules-to-matrices",
    "conv-matrices-to-tiles",
    "conv-tiles-to-blocks",
    "conv-blocks-to-kernels",
    "conv-kernels-to-rings",
    "conv-rings-to-threads",
    "conv-threads-to-nvvm",
]


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def main():
    chip, problem, folder = sys.argv[1:]
    module = f"{folder}.f0.mlir"
    run("conv-run", f"--problem={problem}", "--emit=mlir:f0", "-o", module)
    for number, step in enumerate(STEPS, start=1):
        lowered = f"{folder}.f{number}.mlir"
        run("conv-opt", f"--{step}=chip={chip}", module, "-o", lowered)
        report = run(
            "conv-run", lowered, "--device=emulator", f"--target={chip}", "--no-tuning", "--verify"
        )
        passed = [line for line in report.splitlines() if "full: passed" in line]
        print(f"F{number}:", "passed" if passed else report)
        module = lowered


if __name__ == "__main__":
    main()
