"""conv_general_dilated: arguments as JAX has them, made a Convolution.

Kernels read x as [n, …, c] or [n, c, …], w as [k, …, c/g] or [k, c/g, …], and y as x.
Dimensions in another order are transposed by JAX around the kernel, and groups of the
batch become groups of channels.
"""

from typing import NamedTuple, Tuple

import jax
import numpy
from jax import lax
from jax import numpy as jnp

from .. import Error, Problem
from .._convolution import LETTERS, Convolution
from ._primitive import convolve
from ._types import check_types, is_exact, name_of


class Orders(NamedTuple):
    """For each dimension of a kernel's operand, that of the array."""

    x: Tuple[int, ...]
    w: Tuple[int, ...]
    y: Tuple[int, ...]
    channels_last: bool


def conv_general_dilated(
    lhs,
    rhs,
    window_strides,
    padding,
    lhs_dilation=None,
    rhs_dilation=None,
    dimension_numbers=None,
    feature_group_count=1,
    batch_group_count=1,
    precision=None,
    preferred_element_type=None,
    out_sharding=None,
):
    """jax.lax.conv_general_dilated by our kernels; the arguments are JAX's.

    What JAX refuses raises JAX's error, what has no kernel conv_mlir.Error.
    """
    if out_sharding is not None:
        raise Error(f"out_sharding: expected None, got {out_sharding}")
    for name, array in (("lhs", lhs), ("rhs", rhs)):
        if numpy.ndim(array) < 2:  # JAX has an IndexError.
            raise Error(
                f"{name}: expected an array of 3 to 5 dimensions, got {numpy.ndim(array)}"
            )
    out = jax.eval_shape(
        lambda lhs, rhs: lax.conv_general_dilated(
            *(lhs, rhs, window_strides, padding, lhs_dilation, rhs_dilation),
            *(dimension_numbers, feature_group_count, batch_group_count, precision),
            preferred_element_type,
        ),
        lhs,
        rhs,
    )
    # float64 of NumPy is float32 here, as in JAX.
    lhs, rhs = jnp.asarray(lhs), jnp.asarray(rhs)
    check_types(name_of(lhs.dtype), name_of(out.dtype))
    numbers = lax.conv_dimension_numbers(lhs.shape, rhs.shape, dimension_numbers)
    orders = _orders(numbers)
    x = _split_batch(jnp.transpose(lhs, orders.x), batch_group_count, orders)
    w = jnp.transpose(rhs, orders.w)
    window = _window(
        *(lhs.shape, rhs.shape, numbers),
        *(window_strides, padding, lhs_dilation, rhs_dilation),
    )
    groups = feature_group_count * batch_group_count
    convolution = _convolution(x, w, groups, window, orders.channels_last)
    if out.size == 0 or x.size == 0 or w.size == 0:
        return jnp.zeros(out.shape, out.dtype)
    # Its own message, before a program is made.
    Problem(convolution.line("forward"))
    y = convolve(convolution, "y", x, w, name_of(out.dtype), is_exact(precision))
    return jnp.transpose(y, numpy.argsort(orders.y))


def _orders(numbers):
    """Orders of what jax.lax.conv_dimension_numbers() gives."""
    if len(numbers.lhs_spec) - 2 not in LETTERS:
        raise Error(
            "expected 1 to 3 spatial dimensions, got "
            f"{len(numbers.lhs_spec) - 2}"
        )
    specs = (numbers.lhs_spec, numbers.rhs_spec, numbers.out_spec)
    channels_last = any(spec[:2] != (0, 1) for spec in (specs[0], specs[2]))
    if channels_last:
        specs = tuple((spec[0], *spec[2:], spec[1]) for spec in specs)
    return Orders(*specs, channels_last)


def _split_batch(x, groups, orders):
    """The batch's groups as groups of channels: [n/g, …, g·c]."""
    if groups == 1:
        return x
    channels = x.ndim - 1 if orders.channels_last else 1
    x = x.reshape(groups, x.shape[0] // groups, *x.shape[1:])
    x = jnp.moveaxis(x, 0, channels)
    return x.reshape(*x.shape[:channels], -1, *x.shape[channels + 2 :])


def _window(lhs_shape, rhs_shape, numbers, strides, padding, lhs_dilation, rhs_dilation):
    """The window's parameters by their names of a Convolution."""
    image = [lhs_shape[d] for d in numbers.lhs_spec[2:]]
    taps = [rhs_shape[d] for d in numbers.rhs_spec[2:]]
    count = len(image)
    dilation = _positive("rhs_dilation", rhs_dilation, count)
    if isinstance(padding, str):
        reach = [(t - 1) * d + 1 if t else 0 for t, d in zip(taps, dilation)]
        padding = lax.padtype_to_pads(image, reach, window_strides=strides, padding=padding)
    return dict(
        stride=_positive("window_strides", strides, count),
        pad_low=tuple(int(low) for low, _ in padding),
        pad_high=tuple(int(high) for _, high in padding),
        dilation=dilation,
        input_dilation=_positive("lhs_dilation", lhs_dilation, count),
    )


def _positive(name, entries, count):
    """A number for each spatial dimension. JAX refuses others only where XLA does, as it
    lowers its own convolution."""
    numbers = (1,) * count if entries is None else tuple(map(int, entries))
    if len(numbers) != count or any(number < 1 for number in numbers):
        raise Error(
            f"{name}: expected {count} positive numbers, one for each spatial dimension, "
            f"got {list(numbers)}"
        )
    return numbers


def _convolution(x, w, groups, window, channels_last):
    spatial = slice(1, -1) if channels_last else slice(2, None)
    return Convolution(
        n=x.shape[0],
        c=x.shape[-1 if channels_last else 1],
        k=w.shape[0],
        groups=groups,
        image=x.shape[spatial],
        filter=w.shape[spatial],
        type="f32",  # Until the platform is known.
        channels_last=channels_last,
        **window,
    )
