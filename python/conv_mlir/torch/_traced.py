"""Convolutions in traced programs: PyTorch's and ours read alike.

Input: a node. Output: a Place with its operands and its window, which can be written
as a call of ours. Transposed convolutions are left to PyTorch.
"""

from typing import NamedTuple

import torch

from . import _ops
from ._graphs import aten, insert, is_call, value
from ._window import Window, format_of, make_window

ours = torch.ops.conv_mlir
CONVOLUTION = aten.convolution.default
BACKWARD = aten.convolution_backward.default


class Place(NamedTuple):
    """A convolution: which operands, and its window."""

    x: torch.fx.Node
    w: torch.fx.Node
    bias: torch.fx.Node
    window: Window


def read_forward(node):
    """The Place of a convolution with nothing but a bias behind it, or None."""
    if is_call(node, CONVOLUTION) and not node.args[6]:
        x, w, bias, stride, padding, dilation, _, _, groups = node.args
        return _place(x, w, bias, stride, padding, dilation, groups)
    if is_call(node, ours.conv.default):
        x, w, bias, scale, residual, activation, *places, out = node.args
        if (scale, residual, activation, out) == (None, None, "none", None):
            return _place(x, w, bias, *places)
    return None


def read_backward(node):
    """(dy, Place, mask) of PyTorch's backward, or None."""
    if not is_call(node, BACKWARD) or node.args[7]:
        return None
    dy, x, w, _, stride, padding, dilation, _, _, groups, mask = node.args
    place = _place(x, w, None, stride, padding, dilation, groups)
    return place and (dy, place, mask)


def _place(x, w, bias, *places):
    if value(x).dim() not in (3, 4, 5) or value(x).dim() != value(w).dim():
        return None
    return Place(x, w, bias, make_window(value(x).dim() - 2, *places))


def arguments(window):
    """Of our operators."""
    pads = [pad for pair in zip(window.low, window.high) for pad in pair]
    return [*window.stride], pads, [*window.dilation], window.groups


def _insert(like, target, *arguments):
    """A call of ours. Inductor keeps channels last as it is traced. Where nothing is
    channels last its own choice stands: kernels of ours take both."""
    node = insert(like, target, *arguments)
    values = torch.fx.map_arg(arguments, value)
    if format_of(*values[:2]) != torch.contiguous_format:
        node.meta["eager_input_vals"] = (values, {})
    return node


def write_forward(like, place, scale=None, residual=None, activation="none"):
    """A call of conv_mlir::conv in front of `like`."""
    x, w, bias, window = place
    steps = (bias, scale, residual, activation)
    return _insert(like, ours.conv.default, x, w, *steps, *arguments(window), None)


def write_dgrad(like, dy, place, act=None, activation="none"):
    x, w, _, window = place
    shape = list(value(x).shape)
    rest = (act, None, shape, activation, *arguments(window), None)
    return _insert(like, ours.conv_dgrad.default, dy, w, *rest)


def write_wgrad(like, dy, place, bias):
    x, w, _, window = place
    shape = list(value(w).shape)
    rest = (None, shape, bias, *arguments(window), None)
    return _insert(like, ours.conv_wgrad.default, x, dy, *rest)


def accepted(node):
    """Whether our kernel is to run a call of ours, by the policy."""
    name = node.target._schema.name.split("::")[1]
    values = torch.fx.map_arg(tuple(node.args), value)
    return _ops.refusal(name, values) is None
