"""Brings what follows a convolution into its kernel.

Input: a traced program. Output: the same with conv_mlir::conv in the place of

    activation(scale[k] * convolution(x, w) + bias[k] + residual)

as far as each step alone uses the one in front. Any chain of sums and products with
values of channels counts, such as that of a batch normalisation in inference.
"""

import torch

from ._activation_patterns import find_activation
from ._graphs import CONVERT, aten, erase, insert, is_call, live_nodes, only_user
from ._graphs import replace, same_value, value
from ._traced import CONVOLUTION, accepted, read_forward, write_forward
from ._types import wide_type

SUM, DIFFERENCE, PRODUCT = aten.add.Tensor, aten.sub.Tensor, aten.mul.Tensor
REDUCED = (torch.float16, torch.bfloat16)


def fuse_epilogues(graph):
    """Returns how many convolutions have become ours."""
    return sum(_fuse(node) for node in live_nodes(graph) if read_forward(node))


class Chain:
    """What follows a convolution."""

    def __init__(self, node):
        self.start = self.end = node
        self.nodes = [node]
        self.steps = []  # (operator, values of channels)
        self.residual = None
        self.activation = "none"

    def grow(self):
        """Takes one step more; false where there is none."""
        if self.activation != "none":
            return False
        found = find_activation(self.end)
        if found:
            self.activation, self.end = found.name, found.end
            self.nodes += [n for n in found.nodes if n not in self.nodes]
            return True
        user = only_user(self.end)
        if user is None or not self._take(user):
            return False
        self.end = user
        self.nodes.append(user)
        return True

    def _take(self, user):
        if is_call(user, CONVERT):
            return self._converts(user)
        if not is_call(user, SUM, DIFFERENCE, PRODUCT) or user.kwargs:
            return False
        first, second = user.args
        other = second if first is self.end else first
        if not isinstance(other, torch.fx.Node) or other is self.end or self.residual:
            return False
        if user.target == DIFFERENCE and first is not self.end:
            return False
        if self._is_of_channels(other):
            self.steps.append((user.target, other))
            return True
        return user.target == SUM and self._takes_residual(other)

    def _converts(self, user):
        """To the type of sums, and back."""
        narrow = value(self.start).dtype
        if narrow not in REDUCED:
            return False
        return value(user).dtype in (narrow, torch.float32)

    def _is_of_channels(self, other):
        tensor, result = value(other), value(self.end)
        channels = result.shape[1]
        if not isinstance(tensor, torch.Tensor) or not tensor.is_floating_point():
            return False
        expected = (channels, *[1] * (result.dim() - 2))
        return tuple(tensor.shape) in (expected, (1, *expected))

    def _takes_residual(self, other):
        tensor, result = value(other), value(self.start)
        if not isinstance(tensor, torch.Tensor) or tensor.shape != result.shape:
            return False
        if tensor.dtype != result.dtype:
            return False
        self.residual = other
        return True

    @property
    def is_whole(self):
        """Whether it can end here."""
        has_steps = self.steps or self.residual is not None or self.activation != "none"
        return bool(has_steps) and value(self.end).dtype == value(self.start).dtype


def _fuse(start):
    length = _best_length(start)
    chain = Chain(start)
    for _ in range(length):
        chain.grow()
    if length == 0 and not _bias_alone(start):
        return False
    with start.graph.inserting_before(chain.end):
        return _write(chain)


def _best_length(start):
    """How many steps the longest chain has that can be one kernel."""
    chain, best, length = Chain(start), 0, 0
    while chain.grow():
        length += 1
        if chain.is_whole:
            best = length
    return best


def _bias_alone(start):
    """Whether no kernel of Inductor's follows, which would add the bias."""
    if not is_call(start, CONVOLUTION) or start.args[2] is None:
        return False
    return all(u.op == "output" or read_forward(u) is not None for u in start.users)


def _write(chain):
    place = read_forward(chain.start)
    made = []
    bias, scale = _affine(chain, place.bias, made)
    node = write_forward(
        *(chain.end, place._replace(bias=bias), scale),
        *(chain.residual, chain.activation),
    )
    if not same_value(node, chain.end) or not accepted(node):
        erase(*made, node)
        return False
    replace(chain.end, node, *chain.nodes[:-1])
    return True


def _affine(chain, bias, made):
    """(bias, scale) of all steps on values of channels, computed in the program."""
    scale, wide = None, wide_type(value(chain.start).dtype)

    def make(target, *arguments):
        made.append(insert(chain.end, target, *arguments))
        return made[-1]

    if bias is not None and chain.steps:
        bias = _widened(make, bias, wide)
    for operator, other in chain.steps:
        other = make(aten.reshape.default, other, [value(chain.start).shape[1]])
        other = _widened(make, other, wide)
        if operator == PRODUCT:
            scale = other if scale is None else make(PRODUCT, scale, other)
            bias = bias if bias is None else make(PRODUCT, bias, other)
        elif bias is None:
            bias = other if operator == SUM else make(aten.neg.default, other)
        else:
            bias = make(operator, bias, other)
    return bias, scale


def _widened(make, node, wide):
    return node if value(node).dtype == wide else make(CONVERT, node, wide)
