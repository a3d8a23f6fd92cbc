"""Convolutions of 8-bit integers with zero points, and the conversions around them.

A convolution multiplies signed numbers of 8 bits. A value of uint8 is kept 128 less
(_importer.py), and so is its zero point. What zero points add is taken off the sums:

    sum (x - a)(w - b) = sum x w - a sum w - b sum x + n a b

where images are padded by a, and n is the number of products.
"""

import math

import numpy

from .._layers import channel_vector
from .._module_text import Window
from .._scalar_functions import add, divide, multiply, quantise, subtract
from ._convolutions import check_filters, expect_images, read_groups, read_window

BYTES = ("int8", "uint8")


def _expect_bytes(node, *indices):
    for index in indices:
        if node.elements(index) not in BYTES:
            raise node.refuse(
                f"'{node.proto.input[index]}': expected int8 or uint8, got "
                f"{node.elements(index)}"
            )


def signed(array):
    """int8 as it is, uint8 128 less, as int64."""
    return numpy.asarray(array).astype(numpy.int64) - 128 * (array.dtype == numpy.uint8)


def zero_point(node, index, elements):
    """Of one number or one for each channel; without an operand it is 0."""
    if not node.has(index):
        return numpy.array(-128 if elements == "uint8" else 0)
    array = node.constant(index, "the zero point")
    if str(array.dtype) != elements:
        raise node.refuse(f"the zero point: expected {elements}, got {array.dtype}")
    return signed(array).reshape(-1) if array.size != 1 else signed(array).reshape(())


def integer_sums(node, x, w, shifts):
    """The sums of a convolution of operands x and w (their indices), as i32."""
    _expect_bytes(node, x, w)
    shape, filter = expect_images(node, x), node.shape(w)
    window = read_window(node, shape[2:], filter[2:], read_groups(node))
    check_filters(node, shape, filter, window)
    a = int(zero_point(node, shifts[0], node.elements(x)))
    b = zero_point(node, shifts[1], node.elements(w))
    images = node.value(x)
    if a != 0:
        images = node.function.pad(images, (0, 0, *window.low), (0, 0, *window.high), a)
        none = (0,) * len(window.low)
        window = Window(window.stride, none, none, window.dilation, window.groups)
    filters, array, b = _filters(node, w, b)
    sums = node.function.convolution(
        "forward", [images, filters], node.result_shape, "i32", window
    )
    terms = _filter_terms(node, filters, array, a, b) + _image_terms(
        node, images, filter, window, b
    )
    return _add_terms(node, sums, terms)


def _filters(node, index, b):
    """The filter, its numbers where they are known, and the zero point that is left:
    none where numbers without it have 8 bits."""
    array = node.array(index)
    if array is None:
        return node.value(index), None, b
    array = signed(array)
    shifted = array - b.reshape([-1] + [1] * (array.ndim - 1))
    if -128 <= shifted.min() and shifted.max() <= 127:
        array, b = shifted, numpy.array(0)
    data = array.astype(numpy.int8)
    return node.function.constant(data.tobytes(), "i8", data.shape), array, b


def _filter_terms(node, filters, array, a, b):
    """n a b - a sum w, of each channel."""
    if a == 0:
        return []
    count = math.prod(filters.shape[1:])
    if array is not None:
        sums = array.reshape(array.shape[0], -1).sum(1)
        return [_vector(node, count * a * b - a * sums)]
    axes = tuple(range(1, len(filters.shape)))

    def total(body, scalars):
        return add(body, scalars[1], body.convert(scalars[0], "i32"))

    sums = node.function.reduce(filters, axes, "i32", total, 0)
    bias = _vector(node, numpy.broadcast_to(count * a * b, sums.shape))

    def term(body, scalars):
        product = multiply(body, scalars[0], body.number(-a, "i32"))
        return add(body, product, scalars[1])

    operands = [sums, node.function.reshape(bias, sums.shape)]
    result = node.function.elementwise(operands, sums.shape, "i32", term)
    return [channel_vector(node.function, result, len(filters.shape))]


def _vector(node, array):
    """Numbers of channels, as [K, 1, …]."""
    array = array.astype(numpy.int32)
    value = node.function.constant(array.tobytes(), "i32", array.shape)
    return channel_vector(node.function, value, len(node.result_shape))


def _image_terms(node, images, filter, window, b):
    """-b sum x: a convolution with ones of each group, repeated for its channels."""
    if not b.any():
        return []
    groups, result = window.groups, node.result_shape
    ones = numpy.ones((groups, *filter[1:]), numpy.int8)
    ones = node.function.constant(ones.tobytes(), "i8", ones.shape)
    shape = (result[0], groups, *result[2:])
    sums = node.function.convolution("forward", [images, ones], shape, "i32", window)
    factors = _vector(node, numpy.broadcast_to(-b, (result[1],)))
    inner = (groups, result[1] // groups) + (1,) * (len(result) - 2)
    operands = [
        node.function.reshape(sums, (result[0], groups, 1, *result[2:])),
        node.function.reshape(factors, inner),
    ]
    spread = (result[0], *inner[:2], *result[2:])
    products = node.function.elementwise(
        operands, spread, "i32", lambda body, scalars: multiply(body, *scalars)
    )
    return [node.function.reshape(products, result)]


def _add_terms(node, sums, terms):
    if not terms:
        return sums

    def compute(body, scalars):
        total = scalars[0]
        for scalar in scalars[1:]:
            total = add(body, total, scalar)
        return total

    return node.function.elementwise([sums, *terms], sums.shape, "i32", compute)


def convolution_of_integers(node):
    return integer_sums(node, 0, 1, (2, 3))


def quantised_convolution(node):
    sums = integer_sums(node, 0, 3, (2, 5))
    if node.has(8):
        bias = channel_vector(node.function, node.value(8), len(sums.shape))
        sums = _add_terms(node, sums, [bias])
    scales = [node.constant(i, "the scale").astype(numpy.float64) for i in (1, 4, 6)]
    if scales[0].size != 1 or scales[2].size != 1:
        raise node.refuse("the scale: expected one number for the image and the result")
    factors = scales[1].reshape(-1) * scales[0].reshape(()) / scales[2].reshape(())
    point = int(zero_point(node, 7, node.result_elements))
    return _requantise(node, sums, factors, point)


def _requantise(node, sums, factors, point):
    factors = numpy.broadcast_to(factors, (sums.shape[1],)).astype(numpy.float32)
    vector = node.function.constant(factors.tobytes(), "f32", factors.shape)

    def compute(body, scalars):
        product = multiply(body, body.convert(scalars[0], "f32"), scalars[1])
        return quantise(body, product, point, -128, 127)

    operands = [sums, channel_vector(node.function, vector, len(sums.shape))]
    return node.function.elementwise(operands, sums.shape, "i8", compute)


def _along_axis(node, array, default):
    """A scale or a zero point of one number, or of each index of an axis."""
    axis = node.attribute("axis", default)
    rank = len(node.shape(0))
    if array.size == 1:
        return array.reshape(())
    axis %= rank
    if array.ndim != 1 or array.size != node.shape(0)[axis]:
        raise node.refuse(
            f"expected one scale, or one for each index of axis {axis}, got a shape "
            f"of {list(array.shape)}"
        )
    return array.reshape([-1] + [1] * (rank - 1 - axis))


def _floats(node, array):
    array = numpy.asarray(array, numpy.float32)
    return node.function.constant(array.tobytes(), "f32", array.shape)


def quantise_linear(node):
    node.expect_floats(0, 1)
    node.expect("saturate", 1)
    node.expect("block_size", 0)
    node.attribute("output_dtype")
    if node.result_elements not in BYTES:
        raise node.refuse(f"expected int8 or uint8 as result, got {node.result_elements}")
    scale = _along_axis(node, node.constant(1, "the scale"), 1)
    point = _along_axis(node, zero_point(node, 2, node.result_elements), 1)
    operands = [node.value(0), _floats(node, scale), _floats(node, point)]

    def compute(body, scalars):
        x, s, z = scalars
        rounded = body.apply("math.roundeven", divide(body, x, s))
        return quantise(body, add(body, rounded, z), 0, -128, 127)

    return node.function.elementwise(operands, node.result_shape, "i8", compute)


def dequantise_linear(node):
    node.expect("block_size", 0)
    node.attribute("output_dtype")
    elements = node.elements(0)
    if elements not in (*BYTES, "int32"):
        raise node.refuse(f"expected int8, uint8 or int32, got {elements}")
    scale = _along_axis(node, node.constant(1, "the scale"), 1)
    point = _along_axis(node, zero_point(node, 2, elements), 1)
    operands = [node.value(0), _floats(node, scale), _floats(node, point)]

    def compute(body, scalars):
        x, s, z = scalars
        return multiply(body, subtract(body, body.convert(x, "f32"), z), s)

    return node.function.elementwise(
        operands, node.result_shape, node.result_type, compute
    )


OPERATORS = {
    "ConvInteger": convolution_of_integers,
    "DequantizeLinear": dequantise_linear,
    "QLinearConv": quantised_convolution,
    "QuantizeLinear": quantise_linear,
}
