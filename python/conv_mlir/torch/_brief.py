"""conv_mlir_kernels: our operators without gradients and without autocast, whose
arguments behind the tensors are one text.

Programs that were traced already call them, and calls that want neither. They cost the
host less: PyTorch takes some 0.4 us for each number of a list. The text is JSON, of
what conv_mlir's operators have behind their tensors. A size that changes is a list of
its own, and null in the text.
"""

import functools
import json

import torch

from ._calls import TENSORS

SPACE = "conv_mlir_kernels"
SCHEMAS = {
    "conv": "(Tensor x, Tensor w, Tensor? bias, Tensor? scale, Tensor? residual, "
    "str rest) -> Tensor",
    "conv_dgrad": "(Tensor dy, Tensor w, Tensor? act, Tensor? scale, "
    "SymInt[]? input_size, str rest) -> Tensor",
    "conv_wgrad": "(Tensor x, Tensor dy, Tensor? scale, SymInt[]? filter_size, "
    "str rest) -> (Tensor, Tensor)",
}
# Those that have a size in front of the rest.
SIZED = ("conv_dgrad", "conv_wgrad")


def operators():
    """By name."""
    space = getattr(torch.ops, SPACE)
    return {name: getattr(space, name).default for name in SCHEMAS}


def shorten(name, arguments):
    """The arguments of conv_mlir's operator as those of the same one here; None where
    numbers are none, or others than a size change."""
    count = len(TENSORS[name])
    tensors = arguments[:count]
    rest = tuple(tuple(a) if isinstance(a, list) else a for a in arguments[count:])
    size = ()
    if name in SIZED:
        size = (None,)
        if not _are_numbers(rest[0]):
            size, rest = (list(rest[0]),), (None, *rest[1:])
    *places, groups, _ = rest
    if type(groups) is not int or not all(map(_are_numbers, places[-3:])):
        return None
    return (*tensors, *size, _pack(*rest))


def _are_numbers(values):
    for value in values:
        if type(value) is not int:
            return False
    return True


def lengthen(name, arguments):
    """The other way."""
    *tensors, text = arguments
    size = tensors.pop() if name in SIZED else None
    rest = _unpack(text)
    return (*tensors, *rest) if size is None else (*tensors, size, *rest[1:])


@functools.lru_cache(maxsize=4096)
def _pack(*rest):
    *rest, out = rest
    return json.dumps([*rest, out and str(out).split(".")[1]], separators=(",", ":"))


@functools.lru_cache(maxsize=4096)
def _unpack(text):
    *rest, out = json.loads(text)
    return (*rest, out and getattr(torch, out))
