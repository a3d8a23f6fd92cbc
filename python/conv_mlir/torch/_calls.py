"""Calls of our operators: what is asked for, checked.

Input: arguments of conv_mlir::conv, conv_dgrad and conv_wgrad, of real or of fake
tensors. Output: a Call, or an Error with what was expected and what came.
"""

from typing import NamedTuple, Optional, Tuple

import torch

from .. import Error
from ._activations import check_activation
from ._types import check_types
from ._window import Window, check_shape, format_of, make_window, rank_of, y_shape


class Call(NamedTuple):
    op: str  # "forward", "dgrad" or "wgrad"
    tensors: dict  # By name, without those that are None.
    x: Tuple[int, ...]  # Shapes of x and of the filter.
    w: Tuple[int, ...]
    shape: Tuple[int, ...]  # Of the first result.
    window: Window
    activation: str
    bias: bool  # wgrad: whether the gradient of a bias is asked for.
    out: torch.dtype
    format: torch.memory_format
    type: Optional[torch.dtype] = None  # Of the operands.


# The tensors among the arguments, the first ones.
TENSORS = {
    "conv": ("x", "w", "bias", "scale", "residual"),
    "conv_dgrad": ("dy", "w", "act", "scale"),
    "conv_wgrad": ("x", "dy", "scale"),
}


def conv_call(x, w, bias, scale, residual, activation, *rest):
    *places, out = rest
    check_activation(activation)
    out = check_types(x, w, ("x", "w"), out)
    window = make_window(rank_of(x.dim()), *places)
    shape = y_shape(x.shape, w.shape, window)
    tensors = _tensors(x=x, w=w, scale=scale, bias=bias, residual=residual)
    if bias is not None:
        check_shape("bias", bias, shape[1:2])
    _check_scale(scale, shape[1])
    if residual is not None:
        check_shape("residual", residual, shape)
    return Call(
        *("forward", tensors, tuple(x.shape), tuple(w.shape), shape, window),
        *(activation, False, out, format_of(x, w), x.dtype),
    )


def dgrad_call(dy, w, act, scale, input_size, activation, *rest):
    *places, out = rest
    check_activation(activation)
    out = check_types(dy, w, ("dy", "w"), out)
    window = make_window(rank_of(dy.dim()), *places)
    shape = tuple(input_size)
    check_shape("dy", dy, y_shape(shape, w.shape, window))
    _check_scale(scale, shape[1])
    if (act is None) != (activation == "none"):
        raise Error("act: expected together with an activation, and only then")
    if act is not None:
        check_shape("act", act, shape)
    tensors = _tensors(dy=dy, w=w, act=act, scale=scale)
    return Call(
        *("dgrad", tensors, shape, tuple(w.shape), shape, window),
        *(activation, False, out, format_of(dy, w), dy.dtype),
    )


def wgrad_call(x, dy, scale, filter_size, bias, *rest):
    *places, out = rest
    out = check_types(x, dy, ("x", "dy"), out)
    window = make_window(rank_of(x.dim()), *places)
    shape = tuple(filter_size)
    check_shape("dy", dy, y_shape(x.shape, shape, window))
    _check_scale(scale, shape[0])
    return Call(
        *("wgrad", _tensors(x=x, dy=dy, scale=scale), tuple(x.shape), shape, shape),
        *(window, "none", bias, out, format_of(x, dy), x.dtype),
    )


def _check_scale(scale, channels):
    if scale is not None and tuple(scale.shape) not in ((), (1,), (channels,)):
        raise Error(
            f"scale: expected one value or {channels}, one for each channel, "
            f"got {list(scale.shape)}"
        )


def _tensors(**tensors):
    present = {name: tensor for name, tensor in tensors.items() if tensor is not None}
    first = next(iter(present.values()))
    for name, tensor in present.items():
        if tensor.device != first.device:
            raise Error(f"{name}: expected {first.device}, got {tensor.device}")
        if tensor.layout != torch.strided:
            raise Error(f"{name}: expected a dense tensor, got {tensor.layout}")
    return present
