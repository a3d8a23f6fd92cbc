"""What conv_mlir.jax refuses: an Error of ours with one sentence where JAX would take it
or say nothing that helps, JAX's own exception everywhere else."""

import numpy
import pytest

jax = pytest.importorskip("jax")
import conv_mlir  # noqa: E402
from conv_mlir.jax import conv_general_dilated  # noqa: E402
from jax import lax  # noqa: E402
from jax import numpy as jnp  # noqa: E402

X, W = (1, 2, 4, 5), (3, 2, 3, 2)
NONE = ((0, 0), (0, 0))
TYPES = "operands: expected one of float16, .*, float8_e5m2, got "


def call(convolve, x=X, w=W, strides=(1, 1), padding=NONE, dtypes=("float32",) * 2, **arguments):
    """Shapes stand for arrays of ones."""
    x, w = (
        jnp.ones(operand, dtype) if isinstance(operand, tuple) else operand
        for operand, dtype in zip((x, w), dtypes)
    )
    return convolve(x, w, strides, padding, **arguments)


def of(dtype, other=None):
    return (dtype, other or dtype)


# Ours.


@pytest.mark.parametrize(
    "arguments, message",
    [
        (dict(x=(3,)), "lhs: expected an array of 3 to 5 dimensions, got 1"),
        (dict(w=()), "rhs: expected an array of 3 to 5 dimensions, got 0"),
        (dict(x=1.5), "lhs: expected an array of 3 to 5 dimensions, got 0"),
        (dict(w=None), "rhs: expected an array of 3 to 5 dimensions, got 0"),
        (dict(x="x"), "lhs: expected an array of 3 to 5 dimensions, got 0"),
        (dict(strides=(0, 1)), r"window_strides: expected 2 positive numbers, .*, got \[0, 1\]"),
        (dict(strides=(1, -1)), r"window_strides: expected 2 positive numbers, .*, got \[1, -1\]"),
        (dict(strides=(2**33, 1)), r"conv-c10: stride along H \(8589934592\)"),
        (dict(padding=((2**40, 0), (0, 0))), r"conv-c10: padding \(low\) along H \(1099511627776\)"),
        (dict(lhs_dilation=(2,)), r"lhs_dilation: expected 2 positive numbers, .*, got \[2\]"),
        (dict(lhs_dilation=()), r"lhs_dilation: expected 2 positive numbers, .*, got \[\]"),
        (dict(rhs_dilation=(1, 1, 1)), r"rhs_dilation: expected 2 positive .*, got \[1, 1, 1\]"),
        (dict(feature_group_count=1.0), "groups=1.0: expected a whole number"),
        (dict(out_sharding="x"), "out_sharding: expected None, got x"),
        (dict(x=(1, 2), w=(3, 2), strides=(), padding=()), "1 to 3 spatial dimensions, got 0"),
        (
            dict(x=(1, 2, 1, 1, 1, 1), w=(3, 2, 1, 1, 1, 1), strides=(1,) * 4, padding=NONE * 2),
            "1 to 3 spatial dimensions, got 4",
        ),
        *[
            (dict(dtypes=of(dtype)), TYPES + dtype + "$")
            for dtype in ("bool", "uint8", "int16", "uint32", "int32", "int4", "complex64")
        ],
        (dict(dtypes=of("float8_e4m3b11fnuz")), TYPES + "float8_e4m3b11fnuz"),
        (dict(dtypes=of("int8")), "results of int8: expected int32 or float32, got int8"),
        (
            dict(dtypes=of("int8"), preferred_element_type=jnp.bfloat16),
            "results of int8: expected int32 or float32, got bfloat16; see preferred_element_type",
        ),
    ],
)
def test_ours(arguments, message):
    with pytest.raises(conv_mlir.Error, match=message) as error:
        call(conv_general_dilated, **arguments)
    assert "\n" not in str(error.value)
    assert error.value.status == 2


def test_extents_of_more_than_31_bits():
    x, w = (jax.ShapeDtypeStruct(s, "float32") for s in ((1, 2**31, 4, 5), (3, 2**31, 1, 1)))
    with pytest.raises(conv_mlir.Error, match=r"conv-c10: C \(2147483648\)"):
        jax.eval_shape(lambda x, w: conv_general_dilated(x, w, (1, 1), NONE), x, w)


# JAX's: the same exception of both, with these words.


@pytest.mark.parametrize(
    "arguments, error, message",
    [
        (dict(w=(3, 2, 3)), TypeError, "ndim to be equal, got 4 and 3"),
        (dict(w=(3, 4, 3, 2)), ValueError, "rhs input feature dimension size, but 2 // 1 != 4"),
        (dict(x=[[1.0]]), AttributeError, "'list' object"),
        (dict(strides=(1,)), ValueError, "window_strides must have .* but got 2 and 1"),
        (dict(strides=2), TypeError, "not iterable"),
        (dict(strides=None), TypeError, "'NoneType' object is not iterable"),
        (dict(strides=(1.5, 1)), TypeError, "cannot be interpreted as an integer"),
        (dict(padding=((0, 0),)), TypeError, "explicit pads .* expected 2, got 1"),
        (dict(padding="MIDDLE"), RuntimeError, "'SAME_LOWER', got MIDDLE"),
        (dict(padding="%s\n"), RuntimeError, "'SAME_LOWER', got %s"),
        (dict(padding=((0, 0, 0), (0, 0, 0))), ValueError, r"\(low, high\) pairs"),
        (dict(padding=1), ValueError, r"\(low, high\) pairs, got 1"),
        (dict(padding=((0.5, 0), (0, 0))), ValueError, r"pairs, got \(\(0.5, 0\)"),
        (dict(padding=((-9, 0), (0, 0))), ValueError, "larger than the size"),
        (dict(padding="SAME", lhs_dilation=(2, 1)), ValueError, "String padding is not implemented"),
        (dict(lhs_dilation=(0, 1)), TypeError, r"must be positive, got \(0, 1\)"),
        (dict(lhs_dilation=(-2, 1)), TypeError, r"must be positive, got \(-2, 1\)"),
        (dict(rhs_dilation=(1, 0)), TypeError, r"must be positive, got \(1, 0\)"),
        (dict(rhs_dilation=(1.5, 1)), TypeError, "cannot be interpreted as an integer"),
        (dict(dimension_numbers=("NCHW", "OIHW")), TypeError, "must be length 3, got 2"),
        (dict(dimension_numbers=("NCHH", "OIHW", "NCHW")), TypeError, "duplicate characters"),
        (dict(dimension_numbers=("NCXY", "OIHW", "NCHW")), TypeError, "same set of spatial"),
        (dict(dimension_numbers=("NCH", "OIH", "NCH")), TypeError, "len equal to the ndim"),
        (dict(dimension_numbers="NCHW"), TypeError, "must be tuple/list or None"),
        (dict(dimension_numbers=("%s\0\n", "OIHW", "NCHW")), TypeError, "'N' and 'C' exactly once"),
        (dict(feature_group_count=3), ValueError, "3 does not divide 2"),
        (dict(feature_group_count=0), ValueError, "positive integer, got 0"),
        (dict(w=(3, 1, 3, 2), feature_group_count=2), ValueError, "3 is not a multiple of 2"),
        (dict(batch_group_count=3), ValueError, "3 does not divide 1"),
        (dict(x=(2, 2, 4, 5), batch_group_count=2), ValueError, "3 is not a multiple of 2"),
        (dict(batch_group_count=-1), ValueError, "positive integer, got -1"),
        (
            dict(x=(2, 4, 4, 5), w=(4, 2, 3, 2), feature_group_count=2, batch_group_count=2),
            ValueError,
            "At most one of",
        ),
        (dict(dtypes=of("float32", "bfloat16")), TypeError, "same dtypes, got float32, bfloat16"),
        (dict(preferred_element_type=jnp.int32), TypeError, "incompatible"),
        (dict(preferred_element_type=jnp.bfloat16), TypeError, "must not be narrower"),
        (dict(preferred_element_type="float33"), TypeError, "float33"),
        (dict(precision="sharp"), ValueError, "Precision argument must be one of"),
        (dict(precision=("high",) * 3), ValueError, "Precision argument must be one of"),
    ],
)
def test_jaxs(arguments, error, message):
    for convolve in (conv_general_dilated, lax.conv_general_dilated):
        with pytest.raises(error, match=message):
            call(convolve, **arguments)


@pytest.mark.parametrize("convolve", [conv_general_dilated, lax.conv_general_dilated])
def test_jaxs_where_it_differentiates_and_maps(convolve):
    with pytest.raises(TypeError, match="scalar-output functions.*1, 3, 2, 4"):
        jax.grad(lambda x: call(convolve, x))(jnp.ones(X))
    with pytest.raises(ValueError, match="inconsistent sizes"):
        jax.vmap(lambda x, w: call(convolve, x, w))(jnp.ones((2, *X)), jnp.ones((3, *W)))
    with pytest.raises(TypeError, match="not hashable"):
        jax.jit(lambda s: call(convolve, strides=(s, 1)))(1)


def test_what_is_nothing_to_compute_is_checked():
    """Strides whose result would be empty."""
    empty = numpy.ones((0, *X[1:]), "float32")
    with pytest.raises(conv_mlir.Error, match="window_strides"):
        call(conv_general_dilated, empty, strides=(-1, 1))
