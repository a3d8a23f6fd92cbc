"""Elementwise functions as operations of arith and math, in the body of an operation.

Each takes a body (Body of _module_text) and scalars of one type, f32, f64 or i32.
"""

from ._module_text import is_float


def add(body, a, b):
    return body.apply("arith.addf" if is_float(a.type) else "arith.addi", a, b)


def subtract(body, a, b):
    return body.apply("arith.subf" if is_float(a.type) else "arith.subi", a, b)


def multiply(body, a, b):
    return body.apply("arith.mulf" if is_float(a.type) else "arith.muli", a, b)


def divide(body, a, b):
    return body.apply("arith.divf", a, b)


def maximum(body, a, b):
    return body.apply("arith.maximumf" if is_float(a.type) else "arith.maxsi", a, b)


def minimum(body, a, b):
    return body.apply("arith.minimumf" if is_float(a.type) else "arith.minsi", a, b)


def negate(body, a):
    return body.apply("arith.negf", a) if is_float(a.type) else _minus(body, a)


def _minus(body, a):
    return body.apply("arith.subi", body.number(0, a.type), a)


def absolute(body, a):
    return body.apply("math.absf" if is_float(a.type) else "math.absi", a)


def relu(body, a):
    return maximum(body, a, body.number(0, a.type))


def clip(body, a, low=None, high=None):
    """Between two numbers; None: no bound."""
    if low is not None:
        a = maximum(body, a, body.number(low, a.type))
    if high is not None:
        a = minimum(body, a, body.number(high, a.type))
    return a


def linear(body, a, slope, shift):
    scaled = multiply(body, a, body.number(slope, a.type))
    return add(body, scaled, body.number(shift, a.type))


def sigmoid(body, a):
    one = body.number(1, a.type)
    return divide(body, one, add(body, one, body.apply("math.exp", negate(body, a))))


def silu(body, a):
    one = body.number(1, a.type)
    return divide(body, a, add(body, one, body.apply("math.exp", negate(body, a))))


def hard_sigmoid(body, a, slope, shift):
    return clip(body, linear(body, a, slope, shift), 0, 1)


def hard_swish(body, a):
    return multiply(body, a, hard_sigmoid(body, a, 1 / 6, 0.5))


def leaky_relu(body, a, slope):
    scaled = multiply(body, a, body.number(slope, a.type))
    return select_positive(body, a, a, scaled)


def select_positive(body, a, positive, other):
    """`positive` where a > 0; NaN takes `other`, which is made of a."""
    return body.select(body.compare("ogt", a, body.number(0, a.type)), positive, other)


def elu(body, a, scale):
    one = body.number(1, a.type)
    below = subtract(body, body.apply("math.exp", a), one)
    return select_positive(body, a, a, multiply(body, below, body.number(scale, a.type)))


def gelu(body, a):
    """x/2 (1 + erf(x/√2))."""
    error = body.apply("math.erf", multiply(body, a, body.number(0.5**0.5, a.type)))
    half = multiply(body, a, body.number(0.5, a.type))
    return multiply(body, half, add(body, error, body.number(1, a.type)))


def gelu_tanh(body, a):
    """x/2 (1 + tanh(√(2/π) (x + 0.044715 x³)))."""
    cube = multiply(body, multiply(body, a, a), a)
    inner = add(body, a, multiply(body, cube, body.number(0.044715, a.type)))
    inner = multiply(body, inner, body.number(0.7978845608028654, a.type))
    half = multiply(body, a, body.number(0.5, a.type))
    tanh = body.apply("math.tanh", inner)
    return multiply(body, half, add(body, tanh, body.number(1, a.type)))


def quantise(body, a, zero_point, low, high):
    """A float to the nearest whole number, the even one of two, shifted, and
    saturated: an i8. NaN is what the bounds make of it."""
    rounded = body.apply("math.roundeven", a)
    shifted = add(body, rounded, body.number(zero_point, a.type))
    kept = clip(body, shifted, low, high)
    return body.convert(body.convert(kept, "i32"), "i8")
