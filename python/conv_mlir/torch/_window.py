"""What a convolution does with its images: strides, paddings, dilations, groups; the
shapes and memory formats that follow.

Input: arguments of our operators, of real and of fake tensors. Output: a Window, or
an Error that says what was expected and what came.
"""

from typing import NamedTuple, Tuple

import torch
from torch._prims_common import suggest_memory_format

from .. import Error
from ._problem import LETTERS, Convolution

RANKS = {rank + 2: rank for rank in LETTERS}


class Window(NamedTuple):
    stride: Tuple[int, ...]
    low: Tuple[int, ...]
    high: Tuple[int, ...]
    dilation: Tuple[int, ...]
    groups: int

    @property
    def is_even(self):
        """Whether PyTorch's operators have such a padding."""
        return self.low == self.high and min(self.low) >= 0

    @property
    def pads(self):
        """The paddings as torch.nn.functional.pad takes them."""
        pairs = zip(reversed(self.low), reversed(self.high))
        return [pad for pair in pairs for pad in pair]

    def without_padding(self):
        none = (0,) * len(self.low)
        return self._replace(low=none, high=none)


def rank_of(dimensions):
    if dimensions not in RANKS:
        raise Error(f"x and w: expected 3 to 5 dimensions, got {dimensions}")
    return RANKS[dimensions]


def make_window(rank, stride, padding, dilation, groups):
    """The Window of an operator's arguments. `padding` has an entry for each
    dimension, or two, low and high; every list may have one entry for all."""
    pads = tuple(padding)
    if len(pads) == 2 * rank:
        low, high = pads[::2], pads[1::2]
    else:
        low = high = _entries("padding", pads, rank, " or twice as many")
    stride = _entries("stride", stride, rank)
    dilation = _entries("dilation", dilation, rank)
    for name, entries in (("stride", stride), ("dilation", dilation), ("groups", (groups,))):
        if min(entries) < 1:
            raise Error(f"{name}: expected at least 1, got {min(entries)}")
    return Window(stride, low, high, dilation, groups)


def _entries(name, entries, rank, more=""):
    entries = tuple(entries)
    if len(entries) not in (1, rank):
        raise Error(f"{name}: expected {rank} entries{more}, got {len(entries)}")
    return entries * rank if len(entries) == 1 else entries


def y_shape(x, w, window):
    """The shape of y of those of x and w."""
    if len(x) != len(w):
        raise Error(f"w: expected {len(x)} dimensions as x, got {len(w)}")
    n, c, *image = x
    k, slice, *filter = w
    if c != slice * window.groups:
        raise Error(
            f"x: expected {slice * window.groups} channels ({slice} of the filter, "
            f"groups={window.groups}), got {c}"
        )
    if k % window.groups:
        raise Error(f"groups: expected a divisor of {k} filters, got {window.groups}")
    return (n, k, *map(_output, image, filter, *window[:4]))


def _output(image, taps, stride, low, high, dilation):
    room = image + low + high - dilation * (taps - 1) - 1
    if room < 0:
        raise Error(
            f"w: expected a filter that reaches over at most {image + low + high} "
            f"positions, as many as the padded x has, got {dilation * (taps - 1) + 1}"
        )
    return room // stride + 1


def check_shape(name, tensor, expected):
    if tuple(tensor.shape) != tuple(expected):
        raise Error(f"{name}: expected {list(expected)}, got {list(tensor.shape)}")


def format_of(*tensors):
    """The memory format of a result: channels last where one of the operands is."""
    for tensor in tensors:
        format = suggest_memory_format(tensor)
        if format != torch.contiguous_format:
            return format
    return torch.contiguous_format


def padded(x, window):
    """x with its padding, and the Window that is left."""
    if window.is_even:
        return x, window
    return torch.nn.functional.pad(x, window.pads), window.without_padding()


def convolution(x, w, window, type, format):
    """The Convolution of shapes x and w."""
    return Convolution(
        n=x[0],
        c=x[1],
        k=w[0],
        groups=window.groups,
        image=tuple(x[2:]),
        filter=tuple(w[2:]),
        stride=window.stride,
        pad_low=window.low,
        pad_high=window.high,
        dilation=window.dilation,
        type=type,
        channels_last=format != torch.contiguous_format,
    )
