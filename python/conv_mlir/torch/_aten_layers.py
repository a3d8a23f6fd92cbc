"""Operators of aten that sum: convolutions and their gradients, normalisations, poolings,
products of matrices, sums."""

import math

import torch

from .. import _layers
from .. import _scalar_functions as scalar
from .._module_text import Window, is_float, wide
from ._aten_lowering import argument, numbers

aten = torch.ops.aten


def _window(node, arguments, images, filter, result):
    """The window of a convolution whose x is `images` and whose y is `result`, or,
    transposed, the other way round."""
    stride, padding, dilation, transposed, _, groups = arguments
    count = len(filter.shape) - 2
    stride, low, dilation = (numbers(v, count) for v in (stride, padding, dilation))
    if not transposed:
        return Window(stride, low, low, dilation, groups)
    return _layers.transposed_window(
        images[2:], filter.shape[2:], result[2:], stride, low, dilation, groups
    )


def convolution(lowering, node):
    x, w, bias = node.args[:3]
    x, w = lowering.tensor(x), lowering.tensor(w)
    _, shape = lowering.result(node)
    arguments = node.args[3:9]
    # PyTorch refuses these only where it runs.
    if x.type != w.type:
        raise lowering.refuse(node, f"expected x and w of one type, got {x.type} and {w.type}")
    if min(numbers(arguments[2], 1)) < 1:
        raise lowering.refuse(node, f"expected positive dilations, got {list(arguments[2])}")
    window = _window(node, arguments, x.shape, w, shape)
    return _layers.convolve(
        lowering.function,
        "dgrad" if arguments[3] else "forward",
        [x, w],
        None if bias is None else lowering.tensor(bias),
        shape,
        window,
        lowering.tf32,
    )


def convolution_backward(lowering, node):
    """The gradients of input, filter and bias, as far as they are asked for."""
    dy, x, w = (lowering.tensor(argument) for argument in node.args[:3])
    arguments, mask = node.args[4:10], node.args[10]
    transposed, tf32 = arguments[3], lowering.tf32
    window = _window(node, arguments, x.shape, w, dy.shape)
    convolve, function = _layers.convolve, lowering.function
    dx = dw = db = None
    if mask[0]:
        kind = "forward" if transposed else "dgrad"
        dx = convolve(function, kind, [dy, w], None, x.shape, window, tf32)
    if mask[1]:
        sources = [dy, x] if transposed else [x, dy]
        dw = convolve(function, "wgrad", sources, None, w.shape, window, tf32)
    if mask[2]:
        axes = (0, *range(2, len(dy.shape)))
        db = _rounded(function, _layers.sum_over(function, dy, axes), dy.type)
    return dx, dw, db


def _rounded(function, value, type):
    """In another type, nothing where it is the same one."""
    if value.type == type:
        return value
    return function.elementwise([value], value.shape, type, lambda body, s: s[0])


# Normalisations.


def _normalise(lowering, node, x, mean, scale, weight, bias):
    """(x - mean) * scale * weight + bias; vectors of channels."""
    type, shape = lowering.result(node, node.meta["val"][0])
    vectors = [v for v in (mean, scale, weight, bias) if v is not None]
    spread = [_layers.channel_vector(lowering.function, v, len(shape)) for v in vectors]

    def compute(body, scalars):
        x, mean, scale, *rest = scalars
        y = scalar.multiply(body, scalar.subtract(body, x, mean), scale)
        if weight is not None:
            y = scalar.multiply(body, y, rest.pop(0))
        return scalar.add(body, y, rest[0]) if bias is not None else y

    return lowering.function.elementwise([x, *spread], shape, type, compute)


def _optional(lowering, argument):
    return None if argument is None else lowering.tensor(argument)


def _scale(function, variance, epsilon):
    """1 / √(variance + ε), of each channel."""

    def compute(body, scalars):
        total = scalar.add(body, scalars[0], body.number(epsilon, scalars[0].type))
        return body.apply("math.rsqrt", total)

    return function.elementwise([variance], variance.shape, variance.type, compute)


def normalise(lowering, node):
    """In inference: by statistics that are given."""
    x, weight, bias, mean, variance, _, epsilon = node.args
    scale = _scale(lowering.function, lowering.tensor(variance), epsilon)
    y = _normalise(
        lowering,
        node,
        lowering.tensor(x),
        lowering.tensor(mean),
        scale,
        _optional(lowering, weight),
        _optional(lowering, bias),
    )
    return y, None, None


def normalise_in_training(lowering, node):
    """By the statistics of the batch, which move those that are kept."""
    x, weight, bias, kept_mean, kept_variance, training, momentum, epsilon = node.args
    if not training:
        raise lowering.refuse(node, "expected training=True")
    x, function = lowering.tensor(x), lowering.function
    count = math.prod(x.shape) // x.shape[1]
    mean, variance = _statistics(function, x, count)
    scale = _scale(function, variance, epsilon)
    y = _normalise(
        lowering, node, x, mean, scale, _optional(lowering, weight), _optional(lowering, bias)
    )
    moved = [
        _moved(function, lowering.tensor(kept), new, momentum, factor)
        for kept, new, factor in (
            (kept_mean, mean, 1),
            (kept_variance, variance, count / max(count - 1, 1)),
        )
    ]
    return (y, mean, scale, *moved)


def _statistics(function, x, count):
    """Mean and variance of each channel."""
    axes = (0, *range(2, len(x.shape)))

    def mean_of(value):
        total = _layers.sum_over(function, value, axes)
        return function.elementwise(
            [total],
            total.shape,
            total.type,
            lambda body, s: scalar.divide(body, s[0], body.number(count, s[0].type)),
        )

    def square(body, scalars):
        distance = scalar.subtract(body, *scalars)
        return scalar.multiply(body, distance, distance)

    mean = mean_of(x)
    spread = _layers.channel_vector(function, mean, len(x.shape))
    squares = function.elementwise([x, spread], x.shape, wide(x.type), square)
    return mean, mean_of(squares)


def _moved(function, kept, new, momentum, factor):
    def compute(body, scalars):
        kept, new = scalars
        part = scalar.multiply(body, new, body.number(momentum * factor, new.type))
        rest = scalar.multiply(body, kept, body.number(1 - momentum, kept.type))
        return scalar.add(body, rest, part)

    return function.elementwise([kept, new], kept.shape, kept.type, compute)


# Poolings.


def _pool_window(node, count, dilation):
    """Window and filter of a pooling. An empty stride is that of the filter."""
    filter = numbers(node.args[1], count)
    stride = argument(node, 2, ()) or filter
    padding = numbers(argument(node, 3, 0), count)
    window = Window(
        numbers(stride, count), padding, padding, numbers(dilation, count)
    )
    return window, filter


def max_pool(lowering, node):
    x = lowering.tensor(node.args[0])
    type, shape = lowering.result(node, node.meta["val"][0])
    window, filter = _pool_window(node, len(shape) - 2, argument(node, 4, 1))
    lowest = -math.inf
    y = _layers.over_windows(
        lowering.function, x, window, filter, shape, type, scalar.maximum, lowest, lowest
    )
    return y, None


def average_pool(lowering, node):
    x = lowering.tensor(node.args[0])
    type, shape = lowering.result(node)
    window, filter = _pool_window(node, len(shape) - 2, 1)
    ceil, with_padding = argument(node, 4, False), argument(node, 5, True)
    if ceil or (not with_padding and any(window.low)):
        raise lowering.refuse(
            node, "expected ceil_mode=False, and count_include_pad=True beside padding"
        )
    sums = _layers.over_windows(
        lowering.function, x, window, filter, shape, wide(type), scalar.add, 0, 0
    )
    count = argument(node, 6, None) or math.prod(filter)

    def compute(body, scalars):
        return scalar.divide(body, scalars[0], body.number(count, scalars[0].type))

    return lowering.function.elementwise([sums], shape, type, compute)


# Sums and products.


def _sum(mean):
    def run(lowering, node):
        x = lowering.tensor(node.args[0])
        type, shape = lowering.result(node)
        if not is_float(x.type):
            raise lowering.refuse(node, f"expected floats, got {x.type}")
        dims = argument(node, 1, None) or range(len(x.shape))
        axes = tuple(sorted({d % len(x.shape) for d in dims}))
        count = math.prod(x.shape[d] for d in axes)
        total = _layers.sum_over(lowering.function, x, axes)

        def compute(body, scalars):
            number = body.number(count, scalars[0].type)
            return scalar.divide(body, scalars[0], number) if mean else scalars[0]

        if mean or total.type != type:
            total = lowering.function.elementwise([total], total.shape, type, compute)
        return lowering.function.reshape(total, shape)

    return run


def _matrix_product(lowering, a, b):
    """[M, C] times [C, N], in f32 of 16 bits."""
    turned = lowering.function.transpose(lowering.tensor(b), (1, 0))
    return _layers.product(
        lowering.function, lowering.tensor(a), turned, lowering.tf32
    )


def matrix_product(lowering, node):
    type, _ = lowering.result(node)
    return _rounded(lowering.function, _matrix_product(lowering, *node.args), type)


def linear(lowering, node):
    """addmm: a bias, and a product."""
    if node.kwargs.get("alpha", 1) != 1 or node.kwargs.get("beta", 1) != 1:
        raise lowering.refuse(node, "expected alpha and beta of 1")
    type, shape = lowering.result(node)
    bias = lowering.tensor(node.args[0])
    sums = _matrix_product(lowering, *node.args[1:])
    return lowering.function.elementwise(
        [sums, bias], shape, type, lambda body, s: scalar.add(body, *s)
    )


OPERATORS = {
    aten._native_batch_norm_legit_functional.default: normalise_in_training,
    aten._native_batch_norm_legit_no_training.default: normalise,
    aten.addmm.default: linear,
    aten.avg_pool1d.default: average_pool,
    aten.avg_pool2d.default: average_pool,
    aten.avg_pool3d.default: average_pool,
    aten.convolution.default: convolution,
    aten.convolution_backward.default: convolution_backward,
    aten.max_pool2d_with_indices.default: max_pool,
    aten.max_pool3d_with_indices.default: max_pool,
    aten.mean.default: _sum(True),
    aten.mean.dim: _sum(True),
    aten.mm.default: matrix_product,
    aten.sum.default: _sum(False),
    aten.sum.dim_IntList: _sum(False),
}
