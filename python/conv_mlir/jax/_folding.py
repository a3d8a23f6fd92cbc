"""A mapped convolution as one larger convolution.

The mapped dimension becomes part of the one that the tensors that have it share:

    tensors     part of
    x, y        the batch
    w, y        the filters, k
    x, w        the channels, c
    x, w, y     the groups

Within a group, the mapped index comes in front of the channel or filter.
"""

import dataclasses

from jax import numpy as jnp

_PARTS = {
    frozenset("xy"): "n",
    frozenset("wy"): "k",
    frozenset("xw"): "c",
    frozenset("xwy"): "groups",
}


class Fold:
    """The larger convolution, and how tensors become its own. `tensors` are those
    that have the mapped dimension of that size."""

    def __init__(self, convolution, size, tensors):
        self._size = size
        self._channels_last = convolution.channels_last
        self._part = _PARTS[frozenset(tensors)]
        self._groups = convolution.groups
        grown = ["c", "k", "groups"] if self._part == "groups" else [self._part]
        self.convolution = dataclasses.replace(
            convolution, **{name: getattr(convolution, name) * size for name in grown}
        )

    def fold(self, tensor, array):
        """An array whose dimension 0 is the mapped one, as that of the larger
        convolution."""
        axis, blocks = self._place(tensor, array.ndim - 1)
        shape = array.shape[1:]
        array = array.reshape(
            self._size, *shape[:axis], blocks, shape[axis] // blocks, *shape[axis + 1 :]
        )
        array = jnp.moveaxis(array, 0, axis + 1)
        return array.reshape(*shape[:axis], self._size * shape[axis], *shape[axis + 1 :])

    def unfold(self, tensor, array):
        """The inverse."""
        axis, blocks = self._place(tensor, array.ndim)
        shape = array.shape
        inner = shape[axis] // (blocks * self._size)
        array = array.reshape(
            *shape[:axis], blocks, self._size, inner, *shape[axis + 1 :]
        )
        array = jnp.moveaxis(array, axis + 1, 0)
        return array.reshape(self._size, *shape[:axis], blocks * inner, *shape[axis + 1 :])

    def _place(self, tensor, rank):
        """The dimension that grows, and how many blocks of it each have their own
        mapped index."""
        channels = rank - 1 if self._channels_last else 1
        if self._part == "n":
            return 0, 1
        if self._part == "groups":
            return (0 if tensor == "w" else channels), 1
        if tensor == "w":
            return (0, self._groups) if self._part == "k" else (channels, 1)
        return channels, self._groups
