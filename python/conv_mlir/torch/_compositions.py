"""Our operators in PyTorch's: what runs where we have no kernel.

Results are those of the kernels but for rounding: PyTorch rounds behind every step.
"""

import torch

from . import _activations
from ._tasks import empty
from ._types import wide_type
from ._window import padded

aten = torch.ops.aten


def forward(call):
    tensors, window = call.tensors, call.window
    type = call.out
    x, w = in_type(call, tensors["x"]), in_type(call, tensors["w"])
    x, window = padded(x, window)
    y = aten.convolution(x, w, None, *_arguments(window))
    if len(tensors) > 2 or call.activation != "none":
        y = _activations.apply(call.activation, _linear(y.to(wide_type(type)), tensors, type))
    return finish(call, narrow(y, type))


def _linear(y, tensors, type):
    rows = [1, -1] + [1] * (y.dim() - 2)
    if "scale" in tensors:
        y = y * tensors["scale"].to(y.dtype).view(rows)
    if "bias" in tensors:
        y = y + tensors["bias"].to(y.dtype).view(rows)
    return y + tensors["residual"].to(type) if "residual" in tensors else y


def dgrad(call):
    tensors, window = call.tensors, call.window
    shape = call.shape
    if not window.is_even:
        pads = zip(shape[2:], window.low, window.high)
        shape = (*shape[:2], *(sum(extents) for extents in pads))
    dy, w = in_type(call, tensors["dy"]), in_type(call, tensors["w"])
    left = window if window.is_even else window.without_padding()
    x = dy.new_empty(1).expand(shape)
    dx, _, _ = aten.convolution_backward(
        dy, x, w, None, *_arguments(left), [True, False, False]
    )
    if not window.is_even:
        dx = torch.nn.functional.pad(dx, [-pad for pad in window.pads])
    return finish(call, scaled(derived(call, dx), tensors, call.out, 1))


def derived(call, dx):
    if "act" not in call.tensors:
        return dx
    act = call.tensors["act"].to(dx.dtype)
    return _activations.backward(call.activation, dx, act)


def wgrad(call):
    x, window = padded(in_type(call, call.tensors["x"]), call.window)
    dy = in_type(call, call.tensors["dy"])
    w = dy.new_empty(1).expand(call.shape)
    _, dw, _ = aten.convolution_backward(
        dy, x, w, None, *_arguments(window), [False, True, False]
    )
    db = bias_gradient(call.tensors["dy"]) if call.bias else no_bias(dy)
    return finish(call, scaled(dw, call.tensors, call.out, 0)), db


def bias_gradient(dy):
    wide = wide_type(dy.dtype)
    if dy.dtype.itemsize == 1:
        dy = dy.to(wide)
    return dy.sum([0, *range(2, dy.dim())], dtype=wide)


def no_bias(like):
    """What stands for the gradient of a bias that was not asked for."""
    return like.new_empty(0, dtype=wide_type(like.dtype))


def _arguments(window):
    zeros = [0] * len(window.low)
    return (
        *(list(window.stride), list(window.low), list(window.dilation)),
        *(False, zeros, window.groups),
    )


def in_type(call, tensor):
    """In the type that PyTorch computes in: that of the result where it is wider,
    and float32 for 8-bit floats."""
    if tensor.dtype.itemsize == 1:
        return tensor.to(torch.float32)
    if call.out.itemsize > tensor.dtype.itemsize:
        return tensor.to(call.out)
    return tensor


def scaled(result, tensors, type, channel):
    """result * scale, the values of scale along a dimension, in a type."""
    scale = tensors.get("scale")
    if scale is not None:
        wide = wide_type(result.dtype)
        rows = [1] * result.dim()
        rows[channel] = -1
        result = result.to(wide) * scale.to(wide).view(rows)
    return narrow(result, type)


def narrow(tensor, type):
    """In a type; what is too large for 8-bit floats becomes their largest number."""
    if type.itemsize == 1 and tensor.dtype != type:
        limit = torch.finfo(type).max
        tensor = tensor.clamp(-limit, limit)
    return tensor.to(type)


def finish(call, result):
    """With the strides that our kernels give it, and memory of its own."""
    expected = empty(result.shape, result.dtype, "meta", call.format)
    if result.stride() == expected.stride():
        return result
    return torch.empty_strided(
        result.shape, expected.stride(), dtype=result.dtype, device=result.device
    ).copy_(result)
