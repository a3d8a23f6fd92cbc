"""Convolutions in traced programs: PyTorch's and ours read alike.

Input: a node. Output: a Place with its operands and its window, which can be written
as a call of ours. Transposed convolutions are left to PyTorch.
"""

from typing import NamedTuple

import torch

from . import _brief, _ops, _rules
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


def take_kernels(graph):
    """Gradients are in the program now, and types: its calls of our operators need
    neither autograd nor autocast, and cost the host less without them."""
    brief = {getattr(ours, name).default: name for name in _ops.SCHEMAS}
    for node in graph.nodes:
        name = brief.get(node.target) if node.op == "call_function" else None
        arguments = name and not node.kwargs and _brief.shorten(name, node.args)
        if arguments:
            node.target, node.args = _brief.operators()[name], arguments
            if "eager_input_vals" in node.meta:
                values = torch.fx.map_arg(arguments, value)
                node.meta["eager_input_vals"] = (values, {})


def accepted(node):
    """Whether our kernel is to run a call of ours, by the policy, and gains by it."""
    name = node.target._schema.name.split("::")[1]
    values = torch.fx.map_arg(tuple(node.args), value)
    if _ops.refusal(name, values) is not None:
        return False
    results = torch.utils._pytree.tree_leaves(value(node))
    if results[0].device.type != "cuda" or torch._inductor.config.triton.cudagraphs:
        return True
    return least_seconds(name, values, results) >= seconds_of_call()


# A device waits for the host where kernels are shorter than their calls, unless a CUDA
# graph records these (docs/PyTorch.md). Beside an H200 a call in Python takes 49 us, and
# some more with autograd. A call in C, as programs have them, takes 12 to 15 us.
SECONDS_IN_PYTHON = 60e-6
SECONDS_IN_C = 15e-6


def seconds_of_call():
    """How long a kernel has to take at least, to be worth a call of ours."""
    return SECONDS_IN_C if _rules.obstacle() is None else SECONDS_IN_PYTHON


# More than any device has: products of 16 bits, and memory.
FLOPS_PER_SECOND, BYTES_PER_SECOND = 800e12, 4.8e12


def least_seconds(name, values, results):
    """What the kernel of a call takes at least."""
    tensors = [v for v in (*values, *results) if isinstance(v, torch.Tensor)]
    y = {"conv": results[0], "conv_dgrad": values[0], "conv_wgrad": values[1]}[name]
    w = results[0] if name == "conv_wgrad" else values[1]
    flops = 2 * _count(y) * _count(w[0])
    size = sum(_count(tensor) * tensor.element_size() for tensor in tensors)
    return max(flops / FLOPS_PER_SECOND, size / BYTES_PER_SECOND)


def _count(tensor):
    """Elements; where sizes change, those of the tensor that was traced with."""
    count = tensor.numel()
    return count if isinstance(count, int) else count.node.hint or 0
