"""A worker of compare_cudnn.py without a GPU: times and errors are written in the
"plans", which are text files of JSON.

The plan {"us": 50} takes 50 µs, {"us": 50, "error": 0.5} is wrong by half,
{"die": true} ends the process when it is launched, {"hang": true} stops it,
{"unstable": true} gives other bits every time, {"refuse": true} does not load.
cuDNN takes 100 µs for the forward of every problem and 200 µs for the gradients.
"""

import json
import os
import pathlib
import signal
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "benchmarks"), str(ROOT / "python")]

import conv_mlir  # noqa: E402
from comparison.measuring import Refused  # noqa: E402
from comparison.serving import serve  # noqa: E402


class Launch:
    def __init__(self, us, plan):
        self.us, self.plan, self.calls = us, plan, 0

    def __call__(self, index):
        self.calls += 1
        if self.plan.get("die"):
            os.kill(os.getpid(), signal.SIGKILL)
        if self.plan.get("hang"):
            time.sleep(600)
        if self.plan.get("fault"):
            raise RuntimeError("CUDA error: an illegal memory access\nat a line")
        return self.calls if self.plan.get("unstable") else 0


class FakeRow:
    sets = 3
    rotation = {"sets": 3, "input_bytes": 1000}

    def __init__(self, problem):
        if problem.groups > 1:
            raise Refused("groups are not compared")
        self.us = 100 if problem.op == "forward" else 200

    def cudnn(self):
        return Launch(self.us, {})

    def plan(self, path):
        plan = json.loads(pathlib.Path(path).read_text())
        if plan.get("refuse"):
            raise conv_mlir.Error("CUDA: cannot load a cubin", 3)
        return Launch(plan["us"], plan), {"schedule": f"main_0: {plan['schedule']}"}

    def check(self, launch, reference):
        return launch.plan.get("error", 1e-3), launch(0)

    def same(self, launch, bits):
        return launch(0) == bits

    def estimate_us(self, launch):
        return launch.us


class FakeBackend:
    def describe(self):
        print("this goes to standard error")
        return {
            "device": "NVIDIA Fake",
            "target": "sm_90",
            "memory_bytes_per_second": 4e12,
            "peak_16bit_tflops": 900.0,
            "torch": "2.0",
            "cuda": "13.0",
            "cudnn": 90000,
            "conv_mlir": conv_mlir.version(),
        }

    def bound(self, problem):
        return problem.flops / 900e6, problem.least_bytes / 4e6

    def open(self, problem):
        return FakeRow(problem)

    def gemm(self, type, extent):
        return Launch(1400, {}), 1400

    def batch(self, launch, count, sets):
        return launch.us * count

    def time(self, batches):
        return batches

    def clean(self):
        pass


if __name__ == "__main__":
    sys.exit(serve(FakeBackend))
