"""What tests of conv_mlir.jax share, those on a GPU too (scripts/gpu_jax.py)."""

import random

import jax
import numpy
from jax import lax
from jax import numpy as jnp


def integers(seed, *shape, dtype="float32"):
    """Small integers, whose sums are exact."""
    values = numpy.random.default_rng(seed).integers(-2, 3, shape)
    return values.astype(numpy.float32).astype(dtype)


def results(convolve, x, w, arguments):
    """y, and the gradients of x and w for a dy of small integers."""
    y, transposed = jax.vjp(lambda x, w: convolve(x, w, **arguments), x, w)
    return (y, *transposed(jnp.asarray(integers(7, *y.shape, dtype=y.dtype))))


def padded_apart(x, w, padding, lhs_dilation, dimension_numbers, **arguments):
    """lax.conv_general_dilated, padded and dilated in front of it: XLA's convolution on
    the CPU reads memory of others where a dimension is cropped in front by as much as it
    is padded behind (docs/Upstream.md)."""
    numbers = lax.conv_dimension_numbers(x.shape, w.shape, dimension_numbers)
    config = [(0, 0, 0)] * x.ndim
    for dim, (low, high), step in zip(numbers.lhs_spec[2:], padding, lhs_dilation):
        config[dim] = (low, high, step - 1)
    x = lax.pad(x, jnp.zeros((), x.dtype), config)
    return lax.conv_general_dilated(
        x, w, padding="VALID", dimension_numbers=dimension_numbers, **arguments
    )


def random_case(number):
    """Shapes of x and w, and arguments: an order of dimensions and a window."""
    draw = random.Random(number)
    rank = draw.choice([1, 2, 2, 2, 3])
    # JAX refuses groups of both kinds.
    groups, batch_groups = draw.choice([(1, 1), (1, 1), (2, 1), (3, 1), (1, 2)])
    channels, filters = draw.randint(1, 5), draw.randint(1, 4) * groups * batch_groups
    image = [draw.randint(4, 7) for _ in range(rank)]
    taps = [draw.randint(1, 3) for _ in range(rank)]
    x = (draw.randint(1, 2) * batch_groups, channels * groups, *image)
    w = (filters, channels, *taps)
    letters = "DHW"[3 - rank :]
    orders = ["NC" + letters, "OI" + letters, "NC" + letters]
    specs = tuple("".join(draw.sample(order, rank + 2)) for order in orders)
    arguments = dict(
        window_strides=[draw.choice([1, 1, 2, 3]) for _ in range(rank)],
        padding=[(draw.randint(-1, 2), draw.randint(0, 3)) for _ in range(rank)],
        lhs_dilation=[draw.choice([1, 1, 1, 2]) for _ in range(rank)],
        rhs_dilation=[draw.choice([1, 1, 2]) for _ in range(rank)],
        dimension_numbers=specs,
        feature_group_count=groups,
        batch_group_count=batch_groups,
    )
    shapes = [
        tuple(shape[order.index(letter)] for letter in spec)
        for shape, order, spec in zip((x, w), orders, specs)
    ]
    return *shapes, arguments
