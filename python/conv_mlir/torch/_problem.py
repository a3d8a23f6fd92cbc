"""Calls of aten::convolution and aten::convolution_backward as problem lines.

Input: tensors and parameters as PyTorch passes them. Output: a Convolution, which
writes the lines of its three operations (docs/Problem.md), or NotOurs with the
reason why PyTorch has to run the call. What PyTorch refuses is NotOurs, too: its
own kernel then raises its own error.
"""

import re
from typing import NamedTuple, Tuple

import torch

from .._convolution import LETTERS, Convolution

TYPES = {torch.float16: "f16", torch.bfloat16: "bf16", torch.float64: "f64"}


class NotOurs(Exception):
    """Why a call goes to PyTorch's kernel."""


class Parameters(NamedTuple):
    """The arguments behind the tensors, in their order."""

    stride: Tuple[int, ...]
    padding: Tuple[int, ...]
    dilation: Tuple[int, ...]
    transposed: bool
    output_padding: Tuple[int, ...]
    groups: int


def parameters_of(stride, padding, dilation, transposed, output_padding, groups):
    """Parameters, which can be compared."""
    lists = (tuple(stride), tuple(padding), tuple(dilation))
    return Parameters(*lists, transposed, tuple(output_padding), groups)


def layer_of(line):
    """A line without batch and extents of images: what stays the same where the
    shapes of a layer change."""
    return re.sub(r" [ndhw]=\d+", "", line)


def memory_format(x, w, bias, parameters, bias_sizes=None):
    """The memory format in which PyTorch's kernels would compute and return, which
    its compiler predicts: channels last where x or w is, as a rule."""
    try:
        backend = torch._C._select_conv_backend(
            *(x, w, bias, *map(_listed, parameters)), bias_sizes
        )
    except (RuntimeError, ValueError) as error:
        raise NotOurs(f"PyTorch refuses it: {str(error).splitlines()[0]}") from None
    if w.dim() == 3:
        # PyTorch computes them as 2-D with one row, of contiguous x.
        x, w = x.contiguous().unsqueeze(2), w.unsqueeze(2)
    return torch._C._conv_determine_backend_memory_format(x, w, backend)


def _listed(value):
    return list(value) if isinstance(value, tuple) else value


def check_tensors(x, w, *others):
    """Raises NotOurs where the tensors differ in type or device, are empty, or have
    not 1 to 3 spatial dimensions."""
    if w.dim() - 2 not in LETTERS or x.dim() != w.dim():
        raise NotOurs(f"dimensions: expected 3 to 5 of x and w, got {x.dim()}, {w.dim()}")
    for other in (w, *others):
        if other.dtype != x.dtype:
            raise NotOurs(f"types differ: {x.dtype} and {other.dtype}")
        if other.device != x.device:
            raise NotOurs(f"devices differ: {x.device} and {other.device}")
        if other.layout != torch.strided:
            raise NotOurs(f"layout is {other.layout}")
    if any(tensor.numel() == 0 for tensor in (x, w, *others)):
        raise NotOurs("nothing to compute: a tensor is empty")


def convolution_of(x, w, parameters, type, channels_last):
    """The Convolution of a call that PyTorch accepts; `type` is a problem's."""
    rank = w.dim() - 2
    stride, padding, dilation, output_padding = (
        value * rank if len(value) == 1 else value
        for value in (
            *(parameters.stride, parameters.padding),
            *(parameters.dilation, parameters.output_padding),
        )
    )
    common = dict(
        n=x.shape[0],
        groups=parameters.groups,
        filter=tuple(w.shape[2:]),
        stride=stride,
        pad_low=padding,
        pad_high=padding,
        dilation=dilation,
        type=type,
        channels_last=channels_last,
    )
    if not parameters.transposed:
        return Convolution(c=x.shape[1], k=w.shape[0], image=tuple(x.shape[2:]), **common)
    common["pad_high"] = tuple(
        # Rows that output_padding adds past the last stride meet no row of y.
        pad - max(0, extra - (step - 1))
        for pad, extra, step in zip(padding, output_padding, stride)
    )
    image = tuple(
        (y - 1) * step - 2 * pad + reach * (taps - 1) + extra + 1
        for y, step, pad, reach, taps, extra in zip(
            *(x.shape[2:], stride, padding, dilation, w.shape[2:], output_padding)
        )
    )
    return Convolution(
        c=w.shape[1] * parameters.groups, k=w.shape[0], image=image, **common
    )
