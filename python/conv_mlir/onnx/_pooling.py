"""MaxPool, AveragePool and their global forms: linalg.generic over windows."""

import math

import numpy

from .._module_text import Window, is_float, wide
from .._scalar_functions import add, divide, maximum
from ._convolutions import expect_images, read_window

# A table of divisors that is larger is no picture that anybody has.
MOST_DIVISORS = 1 << 24


def _read(node):
    """The window, its filter, and what is behind each dimension for the last one."""
    x, shape = expect_images(node, 0), node.result_shape
    filter = node.attribute("kernel_shape")
    if filter is None or len(filter) != len(x) - 2:
        raise node.refuse(f"kernel_shape: expected {len(x) - 2} numbers, got {filter}")
    node.expect("ceil_mode", 0, 1)
    window = read_window(node, x[2:], filter)
    if any(p >= r for p, r in zip((*window.low, *window.high), (*filter, *filter))):
        raise node.refuse(
            f"pads: expected less than kernel_shape {list(filter)}, got "
            f"{[*window.low, *window.high]}"
        )
    return window, filter, _reach(x[2:], shape[2:], filter, window)


def _reach(extents, results, filter, window):
    """Padding behind each dimension, so that the last window fits."""
    last = [
        (p - 1) * s + (r - 1) * d + 1 - h - low
        for p, s, r, d, h, low in zip(
            results, window.stride, filter, window.dilation, extents, window.low
        )
    ]
    return tuple(max(need, 0) for need in last)


def over_windows(node, x, window, filter, behind, type, combine, start, outside):
    """combine() of all elements of each window, in ascending order."""
    count, function = len(filter), node.function
    shape = node.result_shape
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


def max_pool(node):
    node.attribute("storage_order")  # Of the indices, which are refused.
    x = node.value(0)
    lowest = -math.inf if is_float(x.type) else -128
    window, filter, behind = _read(node)
    return over_windows(
        node, x, window, filter, behind, x.type, maximum, lowest, lowest
    )


def average_pool(node):
    node.expect_floats()
    with_padding = node.expect("count_include_pad", 0, 1)
    x, (window, filter, behind) = node.value(0), _read(node)
    sums = over_windows(node, x, window, filter, behind, wide(x.type), add, 0, 0)
    return _divide(node, sums, _divisors(node, window, filter, with_padding), x.type)


def _divisors(node, window, filter, with_padding):
    """How many elements each window has: of the image, or of the padded one."""
    x, shape = node.shape(0), node.result_shape
    if max(math.prod(shape[2:]), math.prod(filter)) > MOST_DIVISORS:
        raise node.refuse(f"expected windows of at most {MOST_DIVISORS} elements")
    table = numpy.ones((), numpy.int64)
    for i, extent in enumerate(x[2:]):
        first = numpy.arange(shape[2 + i]) * window.stride[i] - window.low[i]
        taps = first[:, None] + numpy.arange(filter[i]) * window.dilation[i]
        low, high = 0, extent
        if with_padding:
            low, high = -window.low[i], extent + window.high[i]
        table = numpy.multiply.outer(table, ((taps >= low) & (taps < high)).sum(1))
    return table


def _divide(node, sums, table, type):
    operands = [sums]
    if table.min() != table.max():
        array = table.astype(numpy.float64 if sums.type == "f64" else numpy.float32)
        operands.append(node.function.constant(array.tobytes(), sums.type, array.shape))

    def compute(body, scalars):
        count = scalars[1:] or [body.number(int(table.flat[0]), sums.type)]
        return divide(body, scalars[0], count[0])

    return node.function.elementwise(operands, sums.shape, type, compute)


def _over_images(node, type, combine, start):
    x = node.value(0)
    axes = tuple(range(2, len(x.shape)))

    def compute(body, scalars):
        return combine(body, scalars[1], body.convert(scalars[0], type))

    return node.function.reduce(x, axes, type, compute, start)


def global_average_pool(node):
    node.expect_floats()
    x = expect_images(node, 0)
    type = node.result_type
    sums = _over_images(node, wide(type), add, 0)
    means = _divide(node, sums, numpy.full((), math.prod(x[2:])), type)
    return node.function.reshape(means, node.result_shape)


def global_max_pool(node):
    node.expect_floats()
    expect_images(node, 0)
    result = _over_images(node, node.result_type, maximum, -math.inf)
    return node.function.reshape(result, node.result_shape)


OPERATORS = {
    "AveragePool": average_pool,
    "GlobalAveragePool": global_average_pool,
    "GlobalMaxPool": global_max_pool,
    "MaxPool": max_pool,
}
