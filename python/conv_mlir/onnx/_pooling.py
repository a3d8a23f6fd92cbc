"""MaxPool, AveragePool and their global forms: linalg.generic over windows."""

import math

import numpy

from .._layers import over_windows, sum_over
from .._module_text import is_float, wide
from .._scalar_functions import add, divide, maximum
from ._convolutions import expect_images, read_window

# A table of divisors that is larger is no picture that anybody has.
MOST_DIVISORS = 1 << 24


def _read(node):
    """The window and its filter."""
    x = expect_images(node, 0)
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
    return window, filter


def max_pool(node):
    node.attribute("storage_order")  # Of the indices, which are refused.
    x = node.value(0)
    lowest = -math.inf if is_float(x.type) else -128
    return over_windows(
        node.function, x, *_read(node), node.result_shape, x.type, maximum, lowest, lowest
    )


def average_pool(node):
    node.expect_floats()
    with_padding = node.expect("count_include_pad", 0, 1)
    x, (window, filter) = node.value(0), _read(node)
    shape, type = node.result_shape, wide(x.type)
    sums = over_windows(node.function, x, window, filter, shape, type, add, 0, 0)
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


def global_average_pool(node):
    node.expect_floats()
    extents = expect_images(node, 0)[2:]
    x = node.value(0)
    sums = sum_over(node.function, x, tuple(range(2, len(x.shape))))
    means = _divide(node, sums, numpy.full((), math.prod(extents)), x.type)
    return node.function.reshape(means, node.result_shape)


def global_max_pool(node):
    node.expect_floats()
    axes = tuple(range(2, len(expect_images(node, 0))))
    x = node.value(0)
    result = node.function.reduce(
        x, axes, x.type, lambda body, scalars: maximum(body, *scalars), -math.inf
    )
    return node.function.reshape(result, node.result_shape)


OPERATORS = {
    "AveragePool": average_pool,
    "GlobalAveragePool": global_average_pool,
    "GlobalMaxPool": global_max_pool,
    "MaxPool": max_pool,
}
