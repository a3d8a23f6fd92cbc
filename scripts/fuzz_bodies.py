#!/usr/bin/env python3
"""Random bodies of linalg: what the compiler makes of them, and what they mean.

  CONV_MLIR_LIBRARY=build/release/lib/libconv-mlir.so build/venv/bin/python scripts/fuzz_bodies.py [COUNT] [--seed=S]
      [--of=convolutions]

With --of=convolutions they are convolutions and gradients with their dimensions
in any order (scripts/bodies/convolutions.py).

Each function runs on the emulator and must give the numbers of its text, which
NumPy computes operation by operation (scripts/bodies), to the bit. A case
depends on the seed and its number alone. What the compiler refuses is counted by
its reason. Status 1: a result differs; the function is printed. Status 2: each
function was refused, so nothing was compared.
"""

import argparse
import collections
import pathlib
import random
import re
import sys

import numpy

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "scripts")]

import conv_mlir  # noqa: E402
from bodies.convolutions import Convolution  # noqa: E402
from bodies.functions import Function  # noqa: E402

OF = {"bodies": Function, "convolutions": Convolution}
DTYPES = {"i8": "int8", "i32": "int32", "f16": "float16", "f32": "float32"}


def to_buffer(values, type):
    """As the emulator takes it: bf16 is its bits."""
    if type == "bf16":
        return (values.astype(numpy.float32).view(numpy.uint32) >> 16).astype("uint16")
    return numpy.ascontiguousarray(values.astype(DTYPES[type]))


def from_buffer(data, type):
    if type == "bf16":
        return (data.astype(numpy.uint32) << 16).view(numpy.float32).astype("float64")
    return data.astype(numpy.float64 if type in ("f16", "f32") else numpy.int64)


def draw(seed, number, of):
    """The function of a case, its precision and target."""
    rng = random.Random(f"{seed}:{number}")
    precision = rng.choice(["more", "text"])
    target = rng.choice(["sm_80", "sm_89", "sm_90a"])
    return OF[of](rng, precision), precision, target


def compute(function, precision, target, values):
    """The result of the compiled function."""
    plan = conv_mlir.compile_module(
        function.text(), target, name="f", emulator_only=True, tuned=False,
        ptxas="", precision=precision,
    )  # fmt: skip
    operands = [to_buffer(v, t.type) for v, t in zip(values, function.arguments)]
    result = function.result
    made = to_buffer(numpy.zeros(result.shape), result.type)
    plan.emulate(*operands, made)
    return from_buffer(made, result.type), plan


def check(seed, number, of="bodies"):
    """None where the numbers agree, else a description; raises conv_mlir.Error
    where the function is refused. Also whether it has a convolution."""
    function, precision, target = draw(seed, number, of)
    values = function.values()
    found, plan = compute(function, precision, target, values)
    expected = function.run(values)
    isConvolution = " 0 convolutions" not in plan.problem
    if numpy.array_equal(found, expected, equal_nan=expected.dtype.kind == "f"):
        return None, isConvolution
    at = tuple(
        numpy.argwhere(
            ~((found == expected) | ((found != found) & (expected != expected)))
        )[0]
    )
    return (
        f"case {number} of seed {seed}, --of={of}, --precision={precision}, {target}: element "
        f"{[int(i) for i in at]} is {found[at]}, expected {expected[at]}\n{function.text()}"
        f"{[v.tolist() for v in values]}\n",
        isConvolution,
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("count", type=int, nargs="?", default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--of", choices=OF, default="bodies")
    arguments = parser.parse_args()
    wrong = convolutions = 0
    refused, first = collections.Counter(), {}
    for number in range(arguments.first, arguments.first + arguments.count):
        try:
            found, isConvolution = check(arguments.seed, number, arguments.of)
        except conv_mlir.Error as error:
            reason = re.sub(r"^f:\d+:\d+: |\d+", "", str(error))
            refused[reason] += 1
            first.setdefault(reason, number)
            continue
        convolutions += isConvolution
        if found:
            wrong += 1
            print(found, flush=True)
    print(
        f"{arguments.count} functions, {convolutions} with a convolution, "
        f"{sum(refused.values())} refused, {wrong} mismatches"
    )
    for reason, count in refused.most_common():
        print(f"{count:5}  {reason} (case {first[reason]})")
    if sum(refused.values()) == arguments.count:
        print("nothing was compared: each function was refused", file=sys.stderr)
        return 2
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
