"""Has the kernel in front of a convolution write the memory format that it reads.

Input: a program of one direction, with the strides that its tensors will have. What
the forward program saved may have width in front of height, in memory that only
Inductor knows; sums and products take such strides over, and a gradient comes to a
convolution in neither of PyTorch's memory formats. Every kernel of convolutions then
copies it, alone. Output: the same program with these copies written down, so that
Inductor makes them in the kernel that computes the gradient.
"""

import torch

from . import _brief
from ._graphs import aten, insert, is_call, live_nodes, value
from ._traced import BACKWARD, CONVOLUTION, ours
from ._window import format_of

CLONE = aten.clone.default
# The operands that are images, and those whose format the operator follows.
IMAGES = {
    CONVOLUTION: ((0,), (0, 1)),
    BACKWARD: ((0, 1), (1, 2)),
    ours.conv.default: ((0, 4), (0, 1)),
    ours.conv_dgrad.default: ((0, 2), (0, 1)),
    ours.conv_wgrad.default: ((0, 1), (0, 1)),
}
IMAGES.update(
    {kernel: IMAGES[getattr(ours, name).default] for name, kernel in _brief.operators().items()}
)


def write_copies(graph):
    """Returns how many operands have a copy in front."""
    return sum(
        _copy(node, index)
        for node in live_nodes(graph)
        if is_call(node, *IMAGES)
        for index in IMAGES[node.target][0]
    )


def _copy(node, index):
    image = node.args[index]
    if not isinstance(image, torch.fx.Node) or not _has_no_format(value(image)):
        return False
    format = format_of(*(value(node.args[i]) for i in IMAGES[node.target][1]))
    with node.graph.inserting_before(node):
        copy = insert(image, CLONE, image, memory_format=format)
    node.update_arg(index, copy)
    return True


def _has_no_format(tensor):
    """Whether it is in none of PyTorch's memory formats. What has extents that change
    is left alone."""
    if not all(isinstance(i, int) for i in (*tensor.shape, *tensor.stride())):
        return False
    formats = [torch.contiguous_format]
    formats += {4: [torch.channels_last], 5: [torch.channels_last_3d]}.get(tensor.dim(), [])
    return not any(tensor.is_contiguous(memory_format=format) for format in formats)
