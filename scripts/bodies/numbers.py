"""What arith means, on NumPy arrays.

Nothing here knows of the compiler. Integers are signed, in int64, wrapped to
their width after every operation; floats are in float64, rounded to nearest
even to their type after every operation. For sums and products of types of at
most f32 that is the correctly rounded result.
"""

import numpy

FLOATS = {"f16": 11, "bf16": 8, "f32": 24, "f64": 53}


def is_float(type):
    return type in FLOATS


def bits(type):
    return 16 if type == "bf16" else int(type[1:])


def wrap(values, type):
    width = bits(type)
    if width == 64:
        return values.astype(numpy.int64)
    shift = numpy.int64(64 - width)
    return (values.astype(numpy.int64) << shift) >> shift


def unsigned(values, type):
    """The numbers that the same bits have without a sign."""
    data = values.astype(numpy.int64).view(numpy.uint64)
    width = bits(type)
    return data if width == 64 else data & numpy.uint64((1 << width) - 1)


def round_to(values, type):
    values = numpy.asarray(values, numpy.float64)
    if type == "f64":
        return values
    if type == "bf16":
        return _round_to_bf16(values)
    narrow = numpy.float16 if type == "f16" else numpy.float32
    with numpy.errstate(over="ignore"):
        return values.astype(narrow).astype(numpy.float64)


def _round_to_bf16(values):
    """By the bits of float64: the last 45 of the fraction go."""
    data = values.view(numpy.uint64)
    drop = numpy.uint64(45)
    odd = (data >> drop) & numpy.uint64(1)
    half = numpy.uint64((1 << 44) - 1)
    rounded = ((data + half + odd) >> drop) << drop
    found = rounded.view(numpy.float64)
    return numpy.where(numpy.isfinite(values), found, values)


def settle(values, type):
    """A result as its type holds it."""
    return round_to(values, type) if is_float(type) else wrap(values, type)


def _by_unsigned(choose):
    def run(a, b, type):
        return numpy.where(choose(unsigned(a, type), unsigned(b, type)), a, b)

    return run


def _divide(a, b, type):
    """Towards zero; the divisor is positive."""
    return a // b + ((a % b != 0) & (a < 0))


BINARY = {
    "addi": lambda a, b, t: a + b,
    "subi": lambda a, b, t: a - b,
    "muli": lambda a, b, t: a * b,
    "andi": lambda a, b, t: a & b,
    "ori": lambda a, b, t: a | b,
    "xori": lambda a, b, t: a ^ b,
    "maxsi": lambda a, b, t: numpy.maximum(a, b),
    "minsi": lambda a, b, t: numpy.minimum(a, b),
    "maxui": _by_unsigned(lambda a, b: a > b),
    "minui": _by_unsigned(lambda a, b: a < b),
    # The second operand of these is a constant in range.
    "shli": lambda a, b, t: a << b,
    "shrsi": lambda a, b, t: a >> b,
    "shrui": lambda a, b, t: (unsigned(a, t) >> b.astype(numpy.uint64)).view(
        numpy.int64
    ),
    "divsi": _divide,
    "divui": lambda a, b, t: (unsigned(a, t) // unsigned(b, t)).view(numpy.int64),
    "addf": lambda a, b, t: a + b,
    "subf": lambda a, b, t: a - b,
    "mulf": lambda a, b, t: a * b,
    "maximumf": lambda a, b, t: numpy.maximum(a, b),
    "minimumf": lambda a, b, t: numpy.minimum(a, b),
}

CASTS = {
    "extsi": lambda a, t: a,
    "extui": lambda a, t: unsigned(a, t).view(numpy.int64),
    "trunci": lambda a, t: a,
    "sitofp": lambda a, t: a.astype(numpy.float64),
    "uitofp": lambda a, t: unsigned(a, t).astype(numpy.float64),
    "extf": lambda a, t: a,
    "truncf": lambda a, t: a,
    "fptosi": lambda a, t: numpy.trunc(a).astype(numpy.int64),
}

COMPARE = {
    "slt": lambda a, b, t: a < b,
    "sge": lambda a, b, t: a >= b,
    "ult": lambda a, b, t: unsigned(a, t) < unsigned(b, t),
    "uge": lambda a, b, t: unsigned(a, t) >= unsigned(b, t),
    "eq": lambda a, b, t: a == b,
    "ogt": lambda a, b, t: a > b,
    "ole": lambda a, b, t: a <= b,
}


def binary(op, a, b, type):
    with numpy.errstate(all="ignore"):
        return settle(BINARY[op](a, b, type), type)


def cast(op, a, source, type):
    with numpy.errstate(all="ignore"):
        return settle(CASTS[op](a, source), type)


def select(predicate, a, b, type):
    """The first where the comparison holds."""
    return numpy.where(COMPARE[predicate](a, b, type), a, b)
