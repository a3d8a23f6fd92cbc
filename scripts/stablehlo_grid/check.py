"""Runs a case of the grid on the emulator and compares it with its meaning."""

import random
import zlib

import conv_mlir
import numpy

from . import meaning, text

RESULTS = ("y", "dx", "dw")
TARGETS = ("sm_80", "sm_90", "sm_90a")


def draw(case):
    """x, w and dy in canonical order: small integers, so that sums are exact. They
    depend on the case alone."""
    rng = numpy.random.default_rng(zlib.crc32(repr(case).encode()))
    shapes = (case.lhs, case.rhs, case.out)
    return [rng.integers(-2, 3, shape).astype(numpy.float64) for shape in shapes]


def to_order(tensor, order, canonical):
    return numpy.ascontiguousarray(tensor.transpose([canonical.index(c) for c in order]))


def in_memory(case, x, w, y):
    """The three tensors in the orders of the case."""
    kinds = (text.CANONICAL_IMAGE, text.CANONICAL_FILTER, text.CANONICAL_IMAGE)
    return [to_order(t, o, c) for t, o, c in zip((x, w, y), case.orders, kinds)]


def to_bf16(values):
    """Bits of the nearest bf16, the even one of two."""
    bits = values.astype(numpy.float32).view(numpy.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(numpy.uint16)


def from_bf16(bits):
    return (bits.astype(numpy.uint32) << 16).view(numpy.float32)


def to_buffer(values, element):
    return to_bf16(values) if element == "bf16" else values.astype(numpy.float32)


def emulate(case, element, target, operands):
    """y, dx and dw as the compiled program makes them."""
    plan = conv_mlir.compile_module(
        text.module(case, element), target, name="grid", emulator_only=True,
        tuned=False, ptxas="",
    )  # fmt: skip
    results = [
        numpy.full(operands[i].shape, 0x7FC0, numpy.uint16)
        if element == "bf16"
        else numpy.full(operands[i].shape, numpy.nan, numpy.float32)
        for i in (2, 0, 1)
    ]
    plan.emulate(*[to_buffer(o, element) for o in operands], *results)
    return results


def check(case, element="f32", target="sm_80"):
    """The names of the results that are not, to the bit, the definition's."""
    x, w, dy = draw(case)
    y, dx, dw = meaning.compute(case, x, w, dy)
    dx, dw, y = in_memory(case, dx, dw, y)
    made = emulate(case, element, target, in_memory(case, x, w, dy))
    expected = [to_buffer(values, element) for values in (y, dx, dw)]
    return [
        name for name, a, b in zip(RESULTS, made, expected) if not numpy.array_equal(a, b)
    ]


def sample(cases, count, seed):
    """As many of the cases, and a target for each, by the seed alone."""
    rng = random.Random(seed)
    chosen = rng.sample(cases, min(count, len(cases)))
    return [(case, rng.choice(TARGETS)) for case in chosen]
