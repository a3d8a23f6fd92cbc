"""Layers that programs of other frameworks have, as operations of a Function."""

import math

from ._module_text import Window, wide
from ._scalar_functions import add


def transposed_window(extents, filter, result, stride, low, dilation, groups):
    """That of conv.dgrad whose dy has `extents` and whose dx has those of `result`:
    so much padding at the end that dy has exactly these positions."""
    high = [
        (h - 1) * s + (r - 1) * d + 1 - z - l
        for h, r, z, s, l, d in zip(extents, filter, result, stride, low, dilation)
    ]
    return Window(tuple(stride), tuple(low), tuple(high), tuple(dilation), groups)


def channel_vector(function, value, rank):
    """A vector of channels as [C, 1, …], which is broadcast over images."""
    return function.reshape(value, [value.shape[0]] + [1] * (rank - 2))


def convolve(function, kind, sources, bias, shape, window, tf32):
    """A convolution of floats with a bias, or None. What is rounded to 16 bits is so
    once, behind the bias."""
    type = sources[0].type
    sums = type if bias is None else wide(type)
    precision = "tf32" if tf32 and type == "f32" else None
    result = function.convolution(kind, sources, shape, sums, window, precision)
    if bias is None:
        return result
    operands = [result, channel_vector(function, bias, len(shape))]
    return function.elementwise(
        operands, shape, type, lambda body, scalars: add(body, *scalars)
    )


def product(function, a, b, tf32):
    """[M, C] times [N, C], in f32 of 16 bits: a convolution of one position, whose
    images are rows."""
    (m, c), (n, _) = a.shape, b.shape
    x, w = function.reshape(a, (m, c, 1)), function.reshape(b, (n, c, 1))
    precision = "tf32" if tf32 and a.type == "f32" else None
    window = Window((1,), (0,), (0,), (1,))
    y = function.convolution(
        "forward", [x, w], (m, n, 1), wide(a.type), window, precision
    )
    return function.reshape(y, (m, n))


def reach(extents, results, filter, window):
    """Padding behind each dimension with which the last window fits."""
    last = [
        (p - 1) * s + (r - 1) * d + 1 - h - low
        for p, s, r, d, h, low in zip(
            results, window.stride, filter, window.dilation, extents, window.low
        )
    ]
    return tuple(max(need, 0) for need in last)


def over_windows(function, x, window, filter, shape, type, combine, start, outside):
    """combine() of all elements of each window, in ascending order, from `start` on;
    `outside` is around the images."""
    count = len(filter)
    behind = reach(x.shape[2:], shape[2:], filter, window)
    padded = function.pad(x, (0, 0, *window.low), (0, 0, *behind), outside)
    taps = function.empty(x.type, filter)
    spatial = [
        f"d{2 + i}*{window.stride[i]}+d{2 + count + i}*{window.dilation[i]}"
        for i in range(count)
    ]
    reductions = [2 + count + i for i in range(count)]
    maps = [["d0", "d1", *spatial], [f"d{d}" for d in reductions]]

    def compute(body, scalars):
        return combine(body, scalars[2], body.convert(scalars[0], type))

    begin = function.filled(start, type, shape)
    loops = list(range(2 + count))
    return function.generic(
        [padded, taps], maps, loops, reductions, shape, type, compute, begin, 2 + 2 * count
    )


def sum_over(function, x, axes):
    """The sum along axes, in f32 of 16 bits; of all axes it has the shape [1]."""
    if len(axes) == len(x.shape):
        x, axes = function.reshape(x, (1, math.prod(x.shape))), (1,)
    type = wide(x.type)

    def compute(body, scalars):
        return add(body, scalars[1], body.convert(scalars[0], type))

    return function.reduce(x, axes, type, compute, 0)
