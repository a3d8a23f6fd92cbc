"""Our operators as functions with the usual arguments."""

import functools

import torch

from .. import Error
from . import _brief
from ._activations import apply, check_activation, have_result
from ._op_gradients import call_brief, is_traced
from ._window import rank_of


def conv(
    x,
    w,
    bias=None,
    scale=None,
    residual=None,
    activation="none",
    stride=1,
    padding=0,
    dilation=1,
    groups=1,
    out_dtype=None,
):
    """activation(scale * convolution(x, w) + bias + residual), in one kernel.

    x, w: [N, C, spatial…] and [K, C / groups, spatial…] of 1 to 3 dimensions.
    bias: [K]. scale: [K], or one value. residual: of the result's shape.
    activation: "none", "relu", "gelu", "gelu-tanh", "silu", "sigmoid", "tanh" or
    "clip:LOW:HIGH". padding: a number, "same", "valid", or an entry for each
    dimension, a number or a pair (low, high); negative ones crop.
    out_dtype: by default the type of x, and float32 for 8-bit floats.
    """
    arguments = (x, w, bias, scale, residual)
    needs = _need_gradients(arguments)
    numbers = (stride, padding, dilation, groups)
    if not needs and all(type(n) is int for n in numbers) and _is_plain(x):
        rest = _rest_of_conv(x.dim(), activation, *numbers, out_dtype)
        return torch.ops.conv_mlir_kernels.conv(*arguments, rest)
    check_activation(activation)
    places = _places(x.dim(), w, *numbers)
    if have_result(activation) or not needs:
        return _call("conv", needs, *arguments, activation, *places, out_dtype)
    # The gradient wants what the activation is applied to: it is kept.
    z = _call("conv", needs, *arguments, "none", *places, out_dtype)
    return apply(activation, z)


def conv_dgrad(
    dy,
    w,
    input_size,
    act=None,
    scale=None,
    activation="none",
    stride=1,
    padding=0,
    dilation=1,
    groups=1,
    out_dtype=None,
):
    """The gradient of x, which has the shape input_size: scale * activation'(act) *
    dgrad(dy, w). act: what an activation in front of the convolution was applied to.
    scale: [C], or one value. The rest is as in conv()."""
    places = _places(dy.dim(), w, stride, padding, dilation, groups)
    tensors = (dy, w, act, scale)
    rest = (list(input_size), activation, *places, out_dtype)
    return _call("conv_dgrad", _need_gradients(tensors), *tensors, *rest)


def conv_wgrad(
    x,
    dy,
    filter_size,
    scale=None,
    bias=False,
    stride=1,
    padding=0,
    dilation=1,
    groups=1,
    out_dtype=None,
):
    """The gradient of w, which has the shape filter_size, times a scale: [K], or one
    value. bias: (dw, db) is returned, the gradient of the bias beside it. The rest is
    as in conv()."""
    size = list(filter_size)
    places = _places(x.dim(), size, stride, padding, dilation, groups)
    tensors, rest = (x, dy, scale), (size, bias, *places, out_dtype)
    dw, db = _call("conv_wgrad", _need_gradients(tensors), *tensors, *rest)
    return (dw, db) if bias else dw


def _need_gradients(tensors):
    if not torch.is_grad_enabled():
        return False
    return any(tensor is not None and tensor.requires_grad for tensor in tensors)


@functools.lru_cache(maxsize=4096, typed=True)
def _rest_of_conv(dimensions, activation, stride, padding, dilation, groups, out_dtype):
    """What is behind the tensors of a call with a number for each: looked up, for to
    write it takes longer than the call."""
    check_activation(activation)
    places = _places(dimensions, None, stride, padding, dilation, groups)
    arguments = (None,) * 5 + (activation, *places, out_dtype)
    return _brief.shorten("conv", arguments)[-1]


def _is_plain(tensor):
    """Whether neither autocast nor a program that is traced wants a call of it."""
    kind = tensor.device.type
    is_cast = kind in ("cpu", "cuda") and torch.is_autocast_enabled(kind)
    return not is_cast and not is_traced()


def _call(name, needs_gradients, first, *arguments):
    """The operator: that without gradients and autocast where neither is wanted, which
    costs the host less. A traced program has the other: it may be run with both."""
    if needs_gradients or not _is_plain(first):
        return getattr(torch.ops.conv_mlir, name)(first, *arguments)
    return call_brief(name, first, *arguments)


def _places(dimensions, w, stride, padding, dilation, groups):
    """The operators' arguments (stride, padding, dilation, groups)."""
    rank = rank_of(dimensions)
    stride, dilation = _listed(stride, rank), _listed(dilation, rank)
    if padding == "valid":
        padding = 0
    if padding == "same":
        filter = (w if isinstance(w, list) else list(w.shape))[2:]
        padding = _same(filter, stride, dilation)
    return stride, _pads(padding, rank), dilation, groups


def _listed(value, rank):
    return [value] * rank if isinstance(value, int) else list(value)


def _pads(padding, rank):
    """Low and high of each dimension, or one number for both where all are even."""
    entries = _listed(padding, rank)
    if all(isinstance(entry, int) for entry in entries):
        return entries
    pairs = [[e, e] if isinstance(e, int) else list(e) for e in entries]
    if any(len(pair) != 2 for pair in pairs) or len(pairs) != rank:
        raise Error(f"padding: expected {rank} numbers or pairs (low, high), got {padding}")
    return [pad for pair in pairs for pad in pair]


def _same(filter, stride, dilation):
    """As PyTorch has it: the odd position is behind the image."""
    if max(stride) > 1:
        raise Error(f"padding: 'same' expects strides of 1, got {stride}")
    totals = [reach * (taps - 1) for taps, reach in zip(filter, dilation)]
    return [(total // 2, total - total // 2) for total in totals]
