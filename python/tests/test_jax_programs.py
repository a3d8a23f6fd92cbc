"""Programs as JAX prints them, compiled and run on the emulator, beside what JAX computes."""

import numpy
import pytest

jax = pytest.importorskip("jax")
import conv_mlir  # noqa: E402
from jax import lax  # noqa: E402
from jax import numpy as jnp  # noqa: E402

TYPES = {"f32": numpy.float32, "s8": numpy.int8, "s32": numpy.int32}
ORDER = ("NHWC", "HWIO", "NHWC")


def run(function, *inputs):
    """The results of the program, as the emulator has them."""
    text = jax.jit(function).lower(*inputs).as_text()
    plan = conv_mlir.compile_module(text, "sm_90a", emulator_only=True)
    made = [numpy.zeros(result.shape, TYPES[result.type]) for result in plan.results]
    plan.emulate(*inputs, *made)
    return made


def check(function, *inputs):
    """Inputs are small integers, so that all sums are exact."""
    want = jax.tree_util.tree_leaves(jax.jit(function)(*inputs))
    got = run(function, *inputs)
    assert len(got) == len(want)
    for a, b in zip(got, want):
        assert a.dtype == b.dtype and numpy.array_equal(a, b)


def draw(shape, dtype=numpy.float32, seed=1):
    return numpy.random.default_rng(seed).integers(-4, 5, shape).astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "int8"])
@pytest.mark.parametrize(
    "edges",
    [
        [(1, 2, 0), (0, 0, 0)],
        [(-1, 2, 0), (3, -2, 0)],
        [(0, 0, 1), (1, 0, 2)],
        [(-1, -2, 3), (2, -1, 1)],
        [(-3, -2, 0), (0, 0, 0)],
    ],
)
def test_pad(edges, dtype):
    """Elements added, left out and between others; all of a dimension left out."""
    check(lambda x: lax.pad(x, jnp.array(3, dtype), edges), draw((5, 4), dtype))


@pytest.mark.parametrize("dtype", ["float32", "int8"])
@pytest.mark.parametrize(
    "bounds", [((0, 1), (5, 3), None), ((1, 0), (5, 4), (2, 3)), ((2, 2), (2, 4), (1, 1))]
)
def test_slice(bounds, dtype):
    check(lambda x: lax.slice(x, *bounds), draw((5, 4), dtype))


@pytest.mark.parametrize("dtype", ["float32", "int8"])
@pytest.mark.parametrize("dimension", [0, 1])
def test_concatenate(dimension, dtype):
    """One tensor twice, and one that has no elements."""
    shape = [3, 4]
    shape[dimension] = 0
    parts = draw((3, 4), dtype), draw(shape, dtype)
    check(lambda x, y: lax.concatenate([x, y, x], dimension), *parts)


@pytest.mark.parametrize("dtype", ["float32", "int8"])
def test_abs(dtype):
    check(jnp.abs, numpy.append(draw((40,), dtype), numpy.array([-128, 127], dtype)))


def convolve(x, w):
    return lax.conv_general_dilated(x, w, (1, 1), "VALID", dimension_numbers=ORDER)


def test_padded_block():
    """A block that pads by itself, joins and cuts, with its gradients."""

    def block(x, w, v):
        padded = jnp.pad(x, ((0, 0), (1, 1), (2, 0), (0, 0)))
        y = jax.nn.relu(convolve(padded, w))
        joined = jnp.concatenate([x, y], axis=-1)
        return convolve(joined[:, ::2, 1:], v)

    def gradients(x, w, v, dy):
        y, transposed = jax.vjp(block, x, w, v)
        return y, *transposed(dy)

    shapes = (2, 5, 6, 8), (3, 3, 8, 4), (1, 1, 12, 8), (2, 3, 5, 8)
    check(gradients, *(draw(shape, seed=seed) for seed, shape in enumerate(shapes)))


def test_value_of_a_pad():
    """Is a constant, also one that is converted."""
    with pytest.raises(conv_mlir.Error, match="pads with is no constant of dense elements"):
        run(lambda x, y: lax.pad(x, y, [(1, 0, 0)]), draw((3,)), draw(()))


# Products of matrices.

DOTS = {
    "rows": ((5, 12), (12, 7), ((1,), (0,)), ((), ())),
    "gradient of the right one": ((12, 5), (12, 7), ((0,), (0,)), ((), ())),
    "of the left one": ((5, 12), (7, 12), ((1,), (1,)), ((), ())),
    "columns times rows": ((12, 5), (7, 12), ((0,), (1,)), ((), ())),
    "two dimensions": ((5, 3, 4), (3, 4, 7), ((1, 2), (0, 1)), ((), ())),
    "in another order": ((3, 5, 4), (3, 4, 7), ((2, 0), (1, 0)), ((), ())),
    "outer": ((3,), (4,), ((), ()), ((), ())),
    "vectors": ((6,), (6,), ((0,), (0,)), ((), ())),
    "nothing to add up": ((5, 0), (0, 7), ((1,), (0,)), ((), ())),
    "batch": ((3, 5, 4), (3, 4, 7), ((2,), (1,)), ((0,), (0,))),
    "batch behind": ((5, 4, 3), (4, 3, 7), ((1,), (0,)), ((2,), (1,))),
}


@pytest.mark.parametrize("dtype", ["float32", "int8"])
@pytest.mark.parametrize("case", DOTS)
def test_dot_general(case, dtype):
    """int8 with results of int32, on tensor cores, and without."""
    left, right, *dimensions = DOTS[case]
    wide = numpy.int32 if dtype == "int8" else None

    def dot(x, w):
        products = lax.dot_general(x, w, dimensions, preferred_element_type=wide)
        return products, lax.dot_general(x, w, dimensions)

    check(dot, draw(left, dtype), draw(right, dtype, seed=2))


# Windows.


@pytest.mark.parametrize(
    "window, strides",
    [((1, 3, 3, 1), (1, 2, 2, 1)), ((1, 2, 3, 1), (1, 1, 2, 1)), ((1, 1, 1, 1), (1, 2, 1, 1))],
)
@pytest.mark.parametrize("padding", ["SAME", "VALID", [(0, 0), (1, 2), (-1, 1), (0, 0)]])
def test_reduce_window(window, strides, padding):
    def pool(x):
        return (
            lax.reduce_window(x, -jnp.inf, lax.max, window, strides, padding),
            lax.reduce_window(x, jnp.inf, lax.min, window, strides, padding),
            lax.reduce_window(x, 0.0, lax.add, window, strides, padding),
        )

    check(pool, draw((2, 8, 7, 4)))


def test_windows_of_integers_and_dilations():
    check(
        lambda x: lax.reduce_window(x, jnp.int8(-128), lax.max, (2, 3), (1, 2), "SAME"),
        draw((6, 9), "int8"),
    )
    dilations = (1, 2, 3, 1), (1, 2, 1, 1)
    check(
        lambda x: lax.reduce_window(
            x, 0.0, lax.add, (1, 2, 2, 1), (1, 1, 1, 1), "VALID", *dilations
        ),
        draw((2, 5, 6, 3)),
    )


@pytest.mark.parametrize("largest", [lax.max, lax.min])
@pytest.mark.parametrize(
    "window, strides, padding",
    [
        ((1, 3, 3, 1), (1, 2, 2, 1), "SAME"),
        ((1, 2, 2, 1), (1, 2, 2, 1), "VALID"),
        ((1, 3, 2, 1), (1, 1, 3, 1), [(0, 0), (1, 2), (0, 1), (0, 0)]),
        ((1, 1, 1, 1), (1, 2, 1, 1), "VALID"),
        ((1, 9, 9, 1), (1, 1, 1, 1), "VALID"),
    ],
)
def test_gradient_of_a_pooling(window, strides, padding, largest):
    """Small integers: many windows have several largest elements."""
    first = -jnp.inf if largest is lax.max else jnp.inf

    def pool(x):
        return lax.reduce_window(x, first, largest, window, strides, padding)

    def gradient(x, dy):
        return jax.vjp(pool, x)[1](dy)

    x = draw((2, 8, 7, 4))
    check(gradient, x, draw(jax.eval_shape(pool, x).shape, seed=2))


def test_gradient_of_a_pooling_of_nan():
    """An element that is NaN is never kept."""
    x = draw((4, 12))
    x[0, 1] = x[1, 2] = x[2, :3] = x[3, 11] = numpy.nan

    def gradient(x, dy):
        pool = lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 3), (1, 3), "VALID")  # noqa: E731
        return jax.vjp(pool, x)[1](dy)

    check(gradient, x, draw((4, 4), seed=2))


# Functions.

WIDE = numpy.random.default_rng(0).uniform(-3, 3, (5, 9)).astype(numpy.float32)
SPECIAL = numpy.array([0, -0.0, numpy.inf, -numpy.inf, numpy.nan, 1e20, -1e20, 1e-9], numpy.float32)
UNIT = numpy.tanh(WIDE)
ABOVE = numpy.abs(WIDE) + 1
# Of all magnitudes, with both signs.
SPREAD = (10.0 ** numpy.linspace(-8, 4, 40) * (-1) ** numpy.arange(40)).astype(numpy.float32)


@pytest.mark.parametrize(
    "function, inputs",
    [
        (jnp.sin, [SPREAD, SPECIAL[:5]]),
        (jnp.cos, [SPREAD, SPECIAL[:5]]),
        (jnp.tan, [SPREAD, SPECIAL[:5]]),
        (jnp.sinh, [WIDE, WIDE * 29, SPREAD[:30], SPECIAL]),
        (jnp.cosh, [WIDE, WIDE * 29, SPECIAL]),
        (jnp.arcsin, [UNIT]),
        (jnp.arccos, [UNIT]),
        (jnp.arctan, [SPREAD, SPECIAL]),
        (jnp.arcsinh, [SPREAD, SPECIAL]),
        (jnp.arccosh, [ABOVE, 1 + numpy.abs(SPREAD), SPECIAL]),
        (jnp.arctanh, [UNIT, SPREAD[:27]]),
        (jnp.cbrt, [SPREAD, SPECIAL]),
        (jnp.ceil, [WIDE, SPECIAL]),
        (jnp.floor, [WIDE, SPECIAL]),
        (jnp.round, [WIDE * 2, SPECIAL]),
        (lax.round, [numpy.round(WIDE * 2) / 2, SPECIAL]),
        (jnp.sign, [WIDE, SPECIAL]),
        (jnp.expm1, [SPREAD[:32], SPECIAL]),
        (jnp.log1p, [numpy.abs(SPREAD)]),
        (lax.erf, [SPREAD, SPECIAL]),
        (lax.erfc, [WIDE, SPECIAL]),
        (lax.square, [WIDE, SPECIAL]),
        (lambda x: lax.pow(x, x), [ABOVE]),
        (lambda x: x**2.5, [ABOVE]),
        (lambda x: jnp.arctan2(x, x[::-1]), [WIDE]),
        (lambda x: jnp.arctan2(x[:, None], x), [SPECIAL, SPREAD]),
        (lambda x: jnp.isfinite(x).astype(jnp.float32), [WIDE, SPECIAL]),
        (lambda x: ((x > 0) & (x < 1) | ~(x < 2) ^ (x > -1)).astype(x.dtype), [WIDE]),
        (jax.nn.softplus, [WIDE * 3]),
        (jax.nn.elu, [WIDE]),
        (jax.nn.mish, [WIDE]),
        (jax.nn.hard_swish, [WIDE]),
        (lambda x: jax.nn.gelu(x, approximate=False), [WIDE]),
        (jax.grad(lambda x: jax.nn.gelu(x, approximate=False).sum()), [WIDE]),
    ],
)
def test_function(function, inputs):
    for x in inputs:
        got, want = run(function, x)[0], jax.jit(function)(x)
        numpy.testing.assert_allclose(got, want, rtol=5e-6)
        is_zero = numpy.equal(want, 0)
        assert numpy.array_equal(numpy.signbit(got)[is_zero], numpy.signbit(want)[is_zero])


@pytest.mark.parametrize("dtype", ["int8", "int32"])
def test_bits_and_indices(dtype):
    def function(x):
        index = lax.broadcasted_iota(dtype, x.shape, 1)
        return (x & 6) | (x ^ index) & ~x, jnp.sign(x), index

    check(function, numpy.arange(-8, 8, dtype=dtype).reshape(2, 8))


# A whole network.


def mean_pool(x):
    return lax.reduce_window(x, 0.0, lax.add, (1, 2, 2, 1), (1, 2, 2, 1), "VALID") / 4


def loss(parameters, x, wanted):
    first, second, dense, bias = parameters
    h = mean_pool(jax.nn.relu(convolve(x, first)))
    h = jax.nn.relu(convolve(h, second))
    logits = h.reshape(len(x), -1) @ dense + bias
    return -jnp.mean(jnp.sum(jax.nn.log_softmax(logits) * wanted, axis=-1))


def test_loss_and_gradients_of_a_network():
    """Convolutions, a pooling, a dense layer and the loss as one program."""
    shapes = (3, 3, 4, 8), (3, 3, 8, 8), (8, 10), (10,)
    parameters = [draw(shape, seed=seed) / 8 for seed, shape in enumerate(shapes)]
    inputs = *parameters, draw((3, 8, 8, 4)), numpy.eye(10, dtype=numpy.float32)[:3]

    def step(*inputs):
        return jax.value_and_grad(loss)(list(inputs[:4]), *inputs[4:])

    want = jax.tree_util.tree_leaves(jax.jit(step)(*inputs))
    for a, b in zip(run(step, *inputs), want):
        numpy.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def loss_of_labels(parameters, x, labels):
    """What image networks have: the largest of windows, gelu, the mean of an image."""
    first, second, dense = parameters
    h = jax.nn.relu(convolve(x, first))
    h = lax.reduce_window(h, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
    h = jax.nn.gelu(convolve(h, second), approximate=False)
    logits = h.mean(axis=(1, 2)) @ dense
    wanted = jax.nn.one_hot(labels, logits.shape[-1])
    return -jnp.mean(jnp.sum(jax.nn.log_softmax(logits) * wanted, axis=-1))


def test_loss_of_labels_and_gradients():
    shapes = (3, 3, 4, 8), (3, 3, 8, 8), (8, 10)
    parameters = [draw(shape, seed=seed) / 8 for seed, shape in enumerate(shapes)]
    inputs = *parameters, draw((3, 9, 9, 4)), numpy.array([3, 0, 9], numpy.int32)

    def step(*inputs):
        return jax.value_and_grad(loss_of_labels)(list(inputs[:3]), *inputs[3:])

    want = jax.tree_util.tree_leaves(jax.jit(step)(*inputs))
    for a, b in zip(run(step, *inputs), want):
        numpy.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6)
