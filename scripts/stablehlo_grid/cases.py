"""The cases of JAX's testConvGeneralDilated: 5184 convolutions.

Input extents of 0 are among them, as are both kinds of groups."""

import itertools
from dataclasses import dataclass
from typing import Tuple

# The order of the dimensions in memory, and for each the dimension of the
# canonical shapes (batch, feature, 0, 1 and output, input, 0, 1).
DIMENSION_NUMBERS = [
    ("NCHW", "OIHW", "NCHW"),
    ("NHWC", "HWIO", "NHWC"),
    ("NCHW", "HWIO", "NHWC"),
]


@dataclass(frozen=True)
class Case:
    lhs: Tuple[int, ...]  # batch, feature, height, width
    rhs: Tuple[int, ...]  # output, input, height, width
    orders: Tuple[str, str, str]
    strides: Tuple[int, int]
    padding: Tuple[Tuple[int, int], Tuple[int, int]]
    lhs_dilation: Tuple[int, int]
    rhs_dilation: Tuple[int, int]
    feature_groups: int
    batch_groups: int

    @property
    def is_empty(self):
        return 0 in self.lhs or 0 in self.out

    @property
    def out(self):
        """batch, feature, height, width"""
        spatial = []
        for d in range(2):
            window = spread(self.rhs[2 + d], self.rhs_dilation[d])
            room = spread(self.lhs[2 + d], self.lhs_dilation[d]) + sum(self.padding[d])
            spatial.append(max(0, (room - window) // self.strides[d] + 1))
        return (self.lhs[0] // self.batch_groups, self.rhs[0], *spatial)


def spread(extent, dilation):
    return (extent - 1) * dilation + 1 if extent else 0


def grid():
    """All cases, in a fixed order."""
    groups = [(1, 1), (2, 1), (1, 2)]
    for (batches, features), width in itertools.product(groups, [0, 10]):
        for b, i, j in itertools.product([2, 3], repeat=3):
            yield from shaped(
                (b * batches, i * features, 9, width),
                (j * batches * features, i, 4, 5),
                features,
                batches,
            )


def shaped(lhs, rhs, features, batches):
    for orders, strides, padding, lhs_dilation, rhs_dilation in itertools.product(
        DIMENSION_NUMBERS,
        [(1, 1), (2, 1)],
        [((1, 2), (2, 0)), ((10, 8), (7, 13))],
        [(1, 1), (1, 2), (1, 4)],
        [(1, 1), (1, 2), (1, 4)],
    ):
        yield Case(
            lhs, rhs, orders, strides, padding, lhs_dilation, rhs_dilation, features, batches
        )
