"""One primitive for the three operations, which JAX differentiates and maps.

A convolution is a form of three tensors, x, w and y: an operation takes two of them
and makes the third. The gradient of an operand takes the other operand and the
result's gradient, so it is an operation of the same convolution again: every order of
differentiation is made of these three.

    result   operation   operands
    y        forward     x, w
    x        dgrad       y, w
    w        wgrad       x, y
"""

import dataclasses
import functools

import jax
from jax import numpy as jnp
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir, xla

from .. import Error
from .._convolution import output_shape
from . import _folding
from ._handlers import TARGET
from ._plans import prepare, start
from ._types import TYPES, gradient_types, name_of, type_of

OPERANDS = {"y": ("x", "w"), "x": ("y", "w"), "w": ("x", "y")}
PLATFORMS = ("cpu", "cuda")
OPS = {"y": "forward", "x": "dgrad", "w": "wgrad"}

convolution_p = Primitive("conv_mlir")


def convolve(convolution, result, a, b, dtype, exact):
    """The result ("y", "x" or "w") of the other two tensors, in memory order."""
    a, b = _vary(a, b), _vary(b, a)
    return convolution_p.bind(
        a, b, convolution=convolution, result=result, dtype=dtype, exact=exact
    )


def _vary(array, other):
    """Within jax.shard_map: the array as one that differs along each axis of the mesh
    that the other does; the gradient is then summed along it."""
    ours, theirs = (_varying(tensor) for tensor in (array, other))
    axes = tuple(sorted(theirs - ours, key=str))
    return jax.lax.pcast(array, axes, to="varying") if axes else array


def _varying(array):
    manual = getattr(jax.typeof(array), "mat", None)
    return manual.varying if manual else frozenset()


def _line(operands, convolution, result, dtype, exact, platform):
    """The problem line on a platform."""
    type = type_of(name_of(operands), exact, platform)
    typed = dataclasses.replace(convolution, type=type)
    return typed.line(OPS[result], out_type=TYPES[dtype])


def shape_of(convolution, tensor):
    """The shape of "x", "w" or "y" in memory order."""
    c = convolution
    if tensor == "y":
        outer, inner, *spatial = output_shape(c)
    else:
        outer, inner = (c.n, c.c) if tensor == "x" else (c.k, c.c // c.groups)
        spatial = c.image if tensor == "x" else c.filter
    return (outer, *spatial, inner) if c.channels_last else (outer, inner, *spatial)


@convolution_p.def_abstract_eval
def _shape_and_type(a, b, *, convolution, result, dtype, exact):
    for tensor, operand in zip(OPERANDS[result], (a, b)):
        assert operand.shape == shape_of(convolution, tensor), (tensor, operand)
    platform = {"gpu": "cuda"}.get(jax.default_backend(), jax.default_backend())
    if platform in PLATFORMS:
        start(_line(a.dtype, convolution, result, dtype, exact, platform), platform)
    # As the operand within jax.shard_map; the rank is the same.
    shape = shape_of(convolution, result)
    return a.update(shape=shape, dtype=jnp.dtype(dtype), weak_type=False)


convolution_p.def_impl(functools.partial(xla.apply_primitive, convolution_p))

# Derivatives: the form is linear in each tensor.


def _gradient(position, cotangent, a, b, *, convolution, result, dtype, exact):
    """The gradient of an operand."""
    wanted, kept = OPERANDS[result][position], OPERANDS[result][1 - position]
    operand, other = (a, b) if position == 0 else (b, a)
    operand = name_of(operand.aval.dtype)
    wide, made = gradient_types(cotangent.dtype, other.dtype, operand)
    tensors = {result: cotangent.astype(wide), kept: other.astype(wide)}
    pair = [tensors[name] for name in OPERANDS[wanted]]
    return convolve(convolution, wanted, *pair, made, exact).astype(operand)


ad.defbilinear(
    convolution_p, functools.partial(_gradient, 0), functools.partial(_gradient, 1)
)

# Mapping: the mapped dimension becomes part of another one.


def _map(operands, dims, *, convolution, result, dtype, exact):
    names = OPERANDS[result]
    mapped = {name for name, dim in zip(names, dims) if dim is not None}
    size = next(a.shape[d] for a, d in zip(operands, dims) if d is not None)
    if size == 0:
        return jnp.zeros((0, *shape_of(convolution, result)), dtype), 0
    fold = _folding.Fold(convolution, size, mapped | {result})
    folded = [
        a if dim is None else fold.fold(name, jnp.moveaxis(a, dim, 0))
        for name, a, dim in zip(names, operands, dims)
    ]
    whole = convolve(fold.convolution, result, *folded, dtype, exact)
    return fold.unfold(result, whole), 0


batching.primitive_batchers[convolution_p] = _map

# Programs.


def _lower(platform, context, a, b, *, convolution, result, dtype, exact):
    """A call of the library's handler, which finds the plan by its name."""
    operands = context.avals_in[0].dtype
    plan = prepare(_line(operands, convolution, result, dtype, exact, platform), platform)
    results = list(context.avals_out)
    if plan.workspace_bytes:
        # Memory of XLA's, which stays where a recorded call will look for it.
        results.append(jax.core.ShapedArray((plan.workspace_bytes,), jnp.uint8))
    call = jax.ffi.ffi_lowering(TARGET)
    return call(context.replace(avals_out=results), a, b, plan=plan.name)[:1]


def _refuse(context, *operands, **parameters):
    platforms = ", ".join(context.module_context.platforms)
    raise Error(f"expected a program for cuda, or for cpu, got {platforms}")


mlir.register_lowering(convolution_p, _refuse)
for _platform in PLATFORMS:
    mlir.register_lowering(
        convolution_p, functools.partial(_lower, _platform), platform=_platform
    )
