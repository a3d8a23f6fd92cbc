"""A worker of models.py without PyTorch. ResNet-50 takes 100 ms with PyTorch's kernels
and 80 with ours; ConvNeXt-T ends the process; EfficientNet-B0 is out of memory;
ResNeXt-50 never answers."""

import os
import pathlib
import signal
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "benchmarks"), str(ROOT / "python")]

from comparison.serving import serve  # noqa: E402
from networks.subjects import Subject  # noqa: E402


class FakeBench:
    def describe(self):
        return {"device": "NVIDIA Fake", "torch": "2.0"}

    def clean(self):
        pass


def answer(bench, request):
    subject = Subject(**request["subject"])
    if subject.network == "convnext_tiny":
        os.kill(os.getpid(), signal.SIGKILL)
    if subject.network == "efficientnet_b0":
        return {"error": "out of memory: of 79 GiB", "final": True}
    if subject.network == "resnext50_32x4d":
        time.sleep(600)
    if "losses" in request:
        return {"result": {"same_bits": True, "agrees": False, "steps": 50}}
    return {"result": [row(subject, request, policy) for policy in request["policies"]]}


def row(subject, request, policy):
    return {
        "subject": subject.document(),
        "mode": subject.mode(request["is_captured"]),
        "policy": policy,
        "ratio": 1.25,
        "pytorch": {"median_us": 100_000.0},
        "ours": {"median_us": 80_000.0},
        "calls": 53,
        "our_calls": 50,
    }


if __name__ == "__main__":
    sys.exit(serve(FakeBench, answer))
