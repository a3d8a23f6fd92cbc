"""Our operators as functions with the usual arguments."""

import torch

from .. import Error
from ._activations import apply, check_activation, have_result
from ._op_gradients import is_traced
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
    check_activation(activation)
    places = _places(x.dim(), w, stride, padding, dilation, groups)
    arguments = (x, w, bias, scale, residual)
    needs = _need_gradients(arguments)
    operator = _operators(x, needs).conv
    if have_result(activation) or not needs:
        return operator(*arguments, activation, *places, out_dtype)
    # The gradient wants what the activation is applied to: it is kept.
    return apply(activation, operator(*arguments, "none", *places, out_dtype))


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
    operators = _operators(dy, _need_gradients((dy, w, act, scale)))
    return operators.conv_dgrad(
        dy, w, act, scale, list(input_size), activation, *places, out_dtype
    )


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
    operators = _operators(x, _need_gradients((x, dy, scale)))
    dw, db = operators.conv_wgrad(x, dy, scale, size, bias, *places, out_dtype)
    return (dw, db) if bias else dw


def _need_gradients(tensors):
    if not torch.is_grad_enabled():
        return False
    return any(tensor is not None and tensor.requires_grad for tensor in tensors)


def _operators(first, need_gradients):
    """Those without gradients and autocast where neither is wanted, which cost the
    host less. A traced program has the others: it may be run with both."""
    if need_gradients or is_traced():
        return torch.ops.conv_mlir
    kind = first.device.type
    if kind in ("cpu", "cuda") and torch.is_autocast_enabled(kind):
        return torch.ops.conv_mlir
    return torch.ops.conv_mlir_kernels


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
