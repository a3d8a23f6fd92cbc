"""Types of arrays as types of problems (docs/Problem.md), and precision."""

import jax
import numpy
from jax import numpy as jnp

from .. import Error

TYPES = {
    "float16": "f16",
    "bfloat16": "bf16",
    "float32": "f32",
    "float64": "f64",
    "int8": "s8",
    "int32": "s32",
    "float8_e4m3fn": "e4m3",
    "float8_e5m2": "e5m2",
}
# Operands of a type, and the results that kernels have.
RESULTS = {
    "float16": ("float16", "float32"),
    "bfloat16": ("bfloat16", "float32"),
    "float32": ("float32", "float16", "bfloat16"),
    "float64": ("float64",),
    "int8": ("int32", "float32"),
    "float8_e4m3fn": ("float32", "float16", "bfloat16", "float8_e4m3fn"),
    "float8_e5m2": ("float32", "float16", "bfloat16", "float8_e5m2"),
}
_EXACT = {jax.lax.Precision.HIGHEST}


def check_types(operands, result):
    """Error where no kernel multiplies the one and makes the other."""
    if operands not in RESULTS:
        names = ", ".join(RESULTS)
        raise Error(f"operands: expected one of {names}, got {operands}")
    if result not in RESULTS[operands]:
        names = " or ".join(RESULTS[operands])
        raise Error(f"results of {operands}: expected {names}, got {result}; see preferred_element_type")


def type_of(dtype, exact, platform):
    """The type of a problem. As JAX's own on a GPU, float32 is multiplied as tf32
    unless the highest precision is asked for."""
    if dtype == "float32" and platform == "cuda" and not exact:
        return "tf32"
    return TYPES[dtype]


def is_exact(precision):
    """Whether float32 must be multiplied as it is: Precision.HIGHEST, of either
    operand. None stands for jax.default_matmul_precision()."""
    if precision is None:
        precision = jax.config.jax_default_matmul_precision
    entries = precision if isinstance(precision, (tuple, list)) else (precision,)
    return any(_is_highest(entry) for entry in entries)


def _is_highest(entry):
    if entry is None:
        return False
    if isinstance(entry, str):
        # Names of algorithms, which a default may be, are no Precision.
        return entry in ("highest", "float32", "F32_F32_F32")
    return entry == jax.lax.Precision.HIGHEST


def name_of(dtype):
    return numpy.dtype(dtype).name


def gradient_types(cotangent, other, operand):
    """How the gradient of an operand is computed: the type that both operands are
    converted to, and that of the kernel's result."""
    wide = name_of(jnp.promote_types(cotangent, other))
    return wide, operand if operand in RESULTS[wide] else wide
