#!/usr/bin/env python3
"""JAX's grid of general convolutions, forward and both gradients, on the emulator.

  CONV_MLIR_LIBRARY=build/release/lib/libconv-mlir.so PYTHON scripts/jax_grid.py [--part=0/1] [--first=0] [--type=f32] [--text-only]

PYTHON has NumPy and JAX (`pip install jax`; a CPU is enough). For each of the 5184
cases: the text that scripts/stablehlo_grid writes is the one that JAX prints; the
program that is compiled of it makes, to the bit, what the definition says, which
is what JAX computes. Status 1: something differs; the cases are printed.
"""

import argparse
import pathlib
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "scripts")]

import jax  # noqa: E402
import numpy  # noqa: E402
from stablehlo_grid import cases, check, meaning, text  # noqa: E402

TYPES = {"f32": jax.numpy.float32, "bf16": jax.numpy.bfloat16}


def gradients(case):
    """y, dx and dw of x, w and dy, as a program of JAX."""

    def convolve(x, w):
        return jax.lax.conv_general_dilated(
            x, w, case.strides, case.padding, case.lhs_dilation, case.rhs_dilation,
            case.orders, feature_group_count=case.feature_groups,
            batch_group_count=case.batch_groups,
        )  # fmt: skip

    # The module that JAX prints has this name.
    def g(x, w, dy):
        y, transposed = jax.vjp(convolve, x, w)
        return (y, *transposed(dy))

    return g


def differences(case, element, target, only_text):
    function = jax.jit(gradients(case))
    x, w, dy = check.draw(case)
    operands = check.in_memory(case, x, w, dy)
    shapes = [jax.ShapeDtypeStruct(o.shape, TYPES[element]) for o in operands]
    if function.lower(*shapes).as_text() != text.module(case, element):
        yield "the text"
    if only_text:
        return
    y, dx, dw = meaning.compute(case, x, w, dy)
    dx, dw, y = check.in_memory(case, dx, dw, y)
    if element == "f32":
        made = function(*[o.astype(numpy.float32) for o in operands])
        for name, a, b in zip(check.RESULTS, made, (y, dx, dw)):
            if not numpy.array_equal(a, b):
                yield "JAX's " + name
    for name in check.check(case, element, target):
        yield name


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--part", default="0/1", help="I/N: every Nth case from I on")
    parser.add_argument("--first", type=int, default=0, help="the case to begin with")
    parser.add_argument("--type", default="f32", choices=TYPES)
    parser.add_argument("--text-only", action="store_true")
    options = parser.parse_args()
    first, step = map(int, options.part.split("/"))
    chosen = list(cases.grid())[options.first :][first::step]
    wrong, begin = 0, time.time()
    for number, case in enumerate(chosen):
        target = check.TARGETS[number % len(check.TARGETS)]
        found = list(differences(case, options.type, target, options.text_only))
        if found:
            wrong += 1
            print(f"{', '.join(found)} of {case} on {target}", flush=True)
        if number % 100 == 99:
            print(f"{number + 1} cases, {time.time() - begin:.0f} s", file=sys.stderr, flush=True)
    print(f"{len(chosen) - wrong} of {len(chosen)} cases passed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
