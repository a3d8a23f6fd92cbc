"""Conv and ConvTranspose, and the window that all operators of windows have."""

from .. import _layers
from .._module_text import Window


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


def check_filters(node, image, filter, window):
    """Whether filters are for the channels of an image, and fit into it; both shapes."""
    groups = window.groups
    if filter[1] * groups != image[1]:
        raise node.refuse(
            f"its filters are for {filter[1] * groups} channels, the image has {image[1]}"
        )
    if filter[0] % groups:
        raise node.refuse(f"{filter[0]} filters cannot be divided among {groups} groups")
    steps = zip(image[2:], filter[2:], window.dilation, window.low, window.high)
    for extent, taps, dilation, low, high in steps:
        span, room = (taps - 1) * dilation + 1, low + extent + high
        if span > room:
            raise node.refuse(
                f"its window spans {span} positions, the padded image has {room}"
            )


def convolve(node, kind, shape, window):
    """A convolution of operands 0 and 1 with the bias in operand 2."""
    sources = [node.value(0), node.value(1)]
    bias = node.value(2) if node.has(2) else None
    tf32 = node.importer.tf32
    return _layers.convolve(node.function, kind, sources, bias, shape, window, tf32)


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
    check_filters(node, x, w, window)
    return convolve(node, "forward", node.result_shape, window)


def transposed_convolution(node):
    """The gradient of a convolution whose result is the input: conv.dgrad."""
    node.expect_floats()
    x, w = expect_images(node, 0), node.shape(1)
    groups, shape = read_groups(node), node.result_shape
    window = read_transposed_window(node, x[2:], w[2:], shape[2:], groups)
    return convolve(node, "dgrad", shape, window)


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
    return _layers.transposed_window(
        extents, filter, result, stride, low, dilation, groups
    )


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
