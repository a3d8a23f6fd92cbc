"""What one kernel of ours computes of a call: its problem line, which tensors it
takes, and what it returns.

aten            not transposed      transposed
output          forward(x, w)       dgrad(x, w)
gradient of x   dgrad(dy, w)        forward(dy, w)
gradient of w   wgrad(x, dy)        wgrad(dy, x)
gradient of b   beside wgrad        PyTorch's sum

The gradient of a bias is a second result of wgrad, where its kernel sums the tiles
of dy that it multiplies. Elsewhere it is PyTorch's sum.
"""

import torch

from .._convolution import NARROW, output_shape
from ._problem import NotOurs, check_tensors, convolution_of, memory_format

# Addresses that kernels take are multiples of this.
ALIGNMENT = 16


class Task:
    """A result of a call: .line, and run() with an executor (_devices.py)."""

    def __init__(self, line, operands, shape, dtype, format, bias, filters=None):
        self.line = line
        self.operands = operands  # Names of (x, w, dy), in the kernel's order.
        self.shape = shape
        self.dtype = dtype
        self.format = format
        self.bias = bias  # Whether one is the last operand.
        self.filters = filters  # So many gradients of a bias are a second result.

    def make(self, device):
        """New tensors for the results."""
        results = [empty(self.shape, self.dtype, device, self.format)]
        if self.filters is not None:
            results.append(torch.empty(self.filters, dtype=self.dtype, device=device))
        return results

    def formats(self, tensors):
        """In which an operand is read, by name."""
        return dict.fromkeys(self.operands, self.format)

    def run(self, device, plan, tensors, copies):
        """The results, new tensors; `tensors` by name: x, w, dy, bias."""
        operands = [
            copies.make(name, tensors[name], self.format) for name in self.operands
        ]
        if self.bias:
            operands.append(aligned(tensors["bias"].contiguous()))
        results = self.make(operands[0].device)
        device.launch(plan, [*operands, *results])
        return results


def in_format(tensor, format):
    """The tensor, or a copy, dense in a memory format and aligned."""
    return aligned(widened(tensor).contiguous(memory_format=format))


def widened(tensor):
    """One of N, C, W as one of N, C, 1, W, which has a memory format."""
    return tensor.unsqueeze(2) if tensor.dim() == 3 else tensor


def aligned(tensor):
    """The tensor, or a copy at an address that kernels take."""
    return tensor.clone() if tensor.data_ptr() % ALIGNMENT else tensor


def empty(shape, dtype, device, format):
    """A new tensor with the strides that PyTorch gives results of that format."""
    line = len(shape) == 3
    full = (*shape[:2], 1, shape[2]) if line else shape
    tensor = torch.empty(full, dtype=dtype, device=device, memory_format=format)
    return tensor.squeeze(2) if line else tensor


def forward_task(x, w, bias, parameters, type):
    """The Task of aten::convolution."""
    check_tensors(x, w, *([] if bias is None else [bias]))
    format = memory_format(x, w, bias, parameters)
    convolution = _convolution(x, w, parameters, type, format)
    if parameters.transposed:
        op = "dgrad"
        shape = (convolution.n, convolution.c, *convolution.image)
    else:
        op = "forward"
        shape = output_shape(convolution)
    has_bias = bias is not None
    return convolution, Task(
        convolution.line(op, has_bias), ("x", "w"), shape, x.dtype, format, has_bias
    )


def backward_task(which, dy, x, w, parameters, type):
    """The Task of a result of aten::convolution_backward, "dx" or "dw"; "dw+db": also
    of the gradient of the bias, where one kernel makes both."""
    check_tensors(x, w, dy)
    format = memory_format(x, w, None, parameters, [0])
    convolution = _convolution(x, w, parameters, type, format)
    inner = (convolution.n, convolution.c, *convolution.image)
    expected = inner if parameters.transposed else output_shape(convolution)
    if tuple(dy.shape) != expected:
        raise NotOurs(f"grad_output: expected {list(expected)}, got {list(dy.shape)}")
    if which == "dx":
        op = "forward" if parameters.transposed else "dgrad"
        operands, shape = ("dy", "w"), tuple(x.shape)
    else:
        op = "wgrad"
        operands = ("dy", "x") if parameters.transposed else ("x", "dy")
        shape = tuple(w.shape)
    sums = which == "dw+db" and not parameters.transposed and sums_beside(convolution)
    return convolution, Task(
        *(convolution.line(op, sums), operands, shape, x.dtype, format),
        bias=False,
        filters=convolution.k if sums else None,
    )


def sums_beside(convolution):
    """Whether the kernel of wgrad sums dy, too. A kernel of ours that does nothing else
    is not compared with PyTorch's sum."""
    channels = (convolution.c // convolution.groups, convolution.k // convolution.groups)
    by_tma = all(count % 8 == 0 for count in channels)
    return convolution.type in NARROW and convolution.channels_last and by_tma


def _convolution(x, w, parameters, type, format):
    channels_last = format != torch.contiguous_format
    return convolution_of(x, w, parameters, type, channels_last)
