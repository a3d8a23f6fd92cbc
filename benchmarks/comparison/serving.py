"""The worker: requests on standard input, answers on standard output.

The first line out is what the device is, or {"fatal": sentence}. A request is
{"problem", "plans", "settings"} for a row, or {"gemm": type, "settings"} for a
matrix product of cuBLAS; its answer is {"result"} or {"error": sentence}. After an
error of the device, marked "final", the process ends: no later result could be
trusted.
"""

import json
import os
import sys
import traceback

import conv_mlir

from .measuring import Refused, measure_row
from .timing import Settings, measure

GEMM = 8192


def answer_gemm(backend, type, settings):
    launch, estimate = backend.gemm(type, GEMM)
    times = measure(backend, {"gemm": launch}, {"gemm": estimate}, 2, settings)
    us = times["gemm"]["median_us"]
    return {**times["gemm"], "type": type, "tflops": 2 * GEMM**3 / us * 1e-6}


def answer(backend, request):
    settings = Settings(**request["settings"])
    try:
        if "gemm" in request:
            return {"result": answer_gemm(backend, request["gemm"], settings)}
        problem = conv_mlir.Problem(request["problem"])
        row = measure_row(backend, problem, request["plans"], settings)
        compute, memory = backend.bound(problem)
        return {
            "result": {
                **row,
                "flops": problem.flops,
                "least_bytes": problem.least_bytes,
                "type": problem.type,
                "bound_us": max(compute, memory),
            }
        }
    except (Refused, conv_mlir.Error) as refused:
        return {"error": str(refused)}
    except Exception as error:
        traceback.print_exc()
        text = (str(error).strip() or type(error).__name__).splitlines()[0]
        return {"error": text, "final": True}


def serve(open_backend, answer=answer):
    """Answers until there is no more to answer: answer(backend, request) is the
    document of one."""
    # Whatever else is printed goes to standard error.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", buffering=1)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    try:
        backend = open_backend()
    except (Refused, conv_mlir.Error, ImportError) as error:
        print(json.dumps({"fatal": str(error)}), file=answers)
        return 1
    print(json.dumps(backend.describe()), file=answers)
    for line in sys.stdin:
        document = answer(backend, json.loads(line))
        print(json.dumps(document), file=answers)
        if document.get("final"):
            return 1
        backend.clean()
    return 0
