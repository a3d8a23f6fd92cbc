"""A convolution as numbers, and the problem lines of its three operations
(docs/Problem.md). What frameworks call a convolution becomes one of these.
"""

from dataclasses import dataclass
from typing import Tuple

# The letters of extents and filter extents, outermost first.
LETTERS = {1: ("w", "s"), 2: ("hw", "rs"), 3: ("dhw", "trs")}
# Types whose sums have another one.
NARROW = ("f16", "bf16")


@dataclass(frozen=True)
class Convolution:
    """A convolution with its extents: y [n, k, …] of x [n, c, …] and w [k, c/g, …].
    Of a transposed one x is what PyTorch calls the output."""

    n: int
    c: int
    k: int
    groups: int
    image: Tuple[int, ...]
    filter: Tuple[int, ...]
    stride: Tuple[int, ...]
    pad_low: Tuple[int, ...]
    pad_high: Tuple[int, ...]
    dilation: Tuple[int, ...]
    type: str
    channels_last: bool
    input_dilation: Tuple[int, ...] = ()  # (): 1 everywhere.

    @property
    def depthwise(self):
        return self.groups > 1 and self.groups == self.c

    def line(self, op, bias=False, out_type=None, second_type=None):
        """The problem line of "forward", "dgrad" or "wgrad"; a bias, of wgrad its
        gradient, has the type of the operands. second_type: where the second one has
        another (docs/Problem.md)."""
        image, taps = LETTERS[len(self.image)]
        words = [op, f"n={self.n}", f"c={self.c}"]
        words += [f"{name}={extent}" for name, extent in zip(image, self.image)]
        words += [f"k={self.k}"]
        words += [f"{name}={extent}" for name, extent in zip(taps, self.filter)]
        pads = [_pad(*pair) for pair in zip(self.pad_low, self.pad_high)]
        words += [f"stride={_joined(self.stride)}", f"pad={_joined(pads)}"]
        words += [f"dilation={_joined(self.dilation)}", f"groups={self.groups}"]
        if any(step != 1 for step in self.input_dilation):
            words.append(f"input-dilation={_joined(self.input_dilation)}")
        words += [f"type={self.type}"]
        words += [f"second-type={second_type}"] if second_type else []
        words += [f"out-type={out_type}"] if out_type else []
        words += [] if self.channels_last else ["layout=nchw"]
        if bias:
            words.append("epilogue=dbias" if op == "wgrad" else "epilogue=bias")
            words += [f"bias-type={self.type}"] if self.type in NARROW else []
        return " ".join(words)


def _joined(entries):
    same = len(set(entries)) == 1
    return "x".join(map(str, entries[:1] if same else entries))


def _pad(low, high):
    return str(low) if low == high else f"{low}:{high}"


def output_shape(convolution):
    """The shape of y, [n, k, …]."""
    rank = len(convolution.image)
    extents = zip(
        *(convolution.image, convolution.input_dilation or (1,) * rank),
        *(convolution.pad_low, convolution.pad_high),
        *(convolution.dilation, convolution.filter, convolution.stride),
    )
    spatial = (
        ((image - 1) * spread + low + high - reach * (taps - 1)) // step + 1
        for image, spread, low, high, reach, taps, step in extents
    )
    return (convolution.n, convolution.k, *spatial)
