"""Conv and ConvTranspose, and the window that all operators of windows have."""

from .._module_text import Window, is_float, wide
from .._scalar_functions import add


def read_window(node, extents, filter, groups=1):
    """The attributes of a window; extents and filter are the spatial ones."""
    count = len(extents)
    kernel = node.integers("kernel_shape", count, 0, 1) if _has_kernel(node) else filter
    if list(kernel) != list(filter):
        raise node.refuse(
            f"kernel_shape: expected {list(filter)}, the filter's extents, got {kernel}"
        )
    stride = node.integers("strides", count, 1, 1)
    dilation = node.integers("dilations", count, 1, 1)
    dilated = [(r - 1) * d + 1 for r, d in zip(filter, dilation)]
    low, high = read_pads(node, extents, dilated, stride)
    return Window(tuple(stride), low, high, tuple(dilation), groups)


def _has_kernel(node):
    return node.attribute("kernel_shape") is not None


def read_pads(node, extents, dilated, stride):
    """What is in front of each dimension, and behind it."""
    mode, count = node.expect(
        "auto_pad", "NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"
    ), len(extents)
    pads = node.integers("pads", 2 * count, 0, 0)
    if mode == "NOTSET":
        return tuple(pads[:count]), tuple(pads[count:])
    if mode == "VALID":
        return (0,) * count, (0,) * count
    totals = [
        max((-(-h // s) - 1) * s + r - h, 0) for h, r, s in zip(extents, dilated, stride)
    ]
    return split(totals, mode == "SAME_UPPER")


def split(totals, upper):
    """Halves of padding; an odd one is at the end if `upper`."""
    small = tuple(total // 2 for total in totals)
    large = tuple(total - total // 2 for total in totals)
    return (small, large) if upper else (large, small)


def read_groups(node):
    groups = node.attribute("group", 1)
    if groups < 1:
        raise node.refuse(f"group: expected at least 1, got {groups}")
    return groups


def convolve(node, kind, sources, shape, window):
    """A convolution of floats and the bias in operand 2."""
    type = sources[0].type
    has_bias = node.has(2)
    tf32 = node.importer.tf32 and type == "f32"
    # What is rounded to 16 bits is so once, behind the bias.
    sums = wide(type) if has_bias else type
    result = node.function.convolution(
        kind, sources, shape, sums, window, "tf32" if tf32 else None
    )
    if not has_bias:
        return result
    bias = channel_vector(node, node.value(2), len(shape))
    return node.function.elementwise(
        [result, bias], shape, type, lambda body, scalars: add(body, *scalars)
    )


def channel_vector(node, value, rank):
    """A vector of channels as [C, 1, …], which is broadcast over images."""
    return node.function.reshape(value, [value.shape[0]] + [1] * (rank - 2))


def expect_images(node, index, least=3):
    """The shape of an operand [N, C, extents…] of one to three dimensions."""
    shape = node.shape(index)
    if not least <= len(shape) <= 5:
        raise node.refuse(
            f"'{node.proto.input[index]}': expected one to three spatial dimensions, "
            f"got a shape of {list(shape)}"
        )
    return shape


def convolution(node):
    node.expect_floats()
    x, w = expect_images(node, 0), node.shape(1)
    window = read_window(node, x[2:], w[2:], read_groups(node))
    sources = [node.value(0), node.value(1)]
    return convolve(node, "forward", sources, node.result_shape, window)


def transposed_convolution(node):
    """The gradient of a convolution whose result is the input: conv.dgrad."""
    node.expect_floats()
    x, w = expect_images(node, 0), node.shape(1)
    groups, shape = read_groups(node), node.result_shape
    window = read_transposed_window(node, x[2:], w[2:], shape[2:], groups)
    return convolve(node, "dgrad", [node.value(0), node.value(1)], shape, window)


def read_transposed_window(node, extents, filter, result, groups):
    count = len(extents)
    extra = node.integers("output_padding", count, 0, 0)
    wanted = node.attribute("output_shape")
    mode = node.attribute("auto_pad", "NOTSET")
    kernel = node.integers("kernel_shape", count, 0, 1) if _has_kernel(node) else filter
    if list(kernel) != list(filter):
        raise node.refuse(f"kernel_shape: expected {list(filter)}, got {kernel}")
    stride = node.integers("strides", count, 1, 1)
    dilation = node.integers("dilations", count, 1, 1)
    natural = [
        (h - 1) * s + (r - 1) * d + 1
        for h, s, r, d in zip(extents, stride, filter, dilation)
    ]
    if wanted is None and mode in ("NOTSET", "VALID"):
        low, _ = read_pads(node, extents, natural, stride)
    else:
        low = _pads_of_result(node, mode, natural, extra, result)
    # So much that exactly the positions of the input are those of dy.
    high = tuple(n - z - l for n, z, l in zip(natural, result, low))
    return Window(tuple(stride), tuple(low), high, tuple(dilation), groups)


def _pads_of_result(node, mode, natural, extra, result):
    node.attribute("pads")  # Not used beside a shape of the result.
    node.attribute("output_shape")
    upper = mode == "SAME_UPPER"
    totals = [n + e - z for n, e, z in zip(natural, extra, result)]
    # One more zero than can be made is at the end; of several it is not said where.
    if min(totals) < (0 if upper else -1):
        raise node.refuse(
            f"a result of {list(result)} needs negative padding: at most "
            f"{[n + e for n, e in zip(natural, extra)]} can be made"
        )
    return split(totals, upper)[0]


OPERATORS = {"Conv": convolution, "ConvTranspose": transposed_convolution}
