"""conv_mlir.jax on JAX's CPU backend, where the library's handler runs the emulator:
values and gradients beside jax.lax.conv_general_dilated, mapping, types, refusals."""

import inspect
import pathlib
import re
import shutil
import subprocess
import sys

import numpy
import pytest

jax = pytest.importorskip("jax")
import conv_mlir  # noqa: E402
from conv_mlir.jax import _plans, _types, conv_general_dilated  # noqa: E402
from jax import lax  # noqa: E402
from jax import numpy as jnp  # noqa: E402
from jax_cases import integers, padded_apart, random_case, results  # noqa: E402

# Less to compile, and two devices.
jax.config.update("jax_disable_most_optimizations", True)
jax.config.update("jax_num_cpu_devices", 2)
ROOT = pathlib.Path(__file__).resolve().parents[2]


def run(function, *operands):
    """As one program: XLA compiles it once."""
    return jax.jit(function)(*operands)


def same(found, expected):
    for one, other in zip(found, expected, strict=True):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        assert numpy.array_equal(numpy.asarray(one), numpy.asarray(other))


def both(x, w, theirs=lax.conv_general_dilated, **arguments):
    """Checks the values and gradients of a convolution, to the bit."""
    found, expected = (
        run(lambda x, w, f=f: results(f, x, w, arguments), x, w)
        for f in (conv_general_dilated, theirs)
    )
    same(found, expected)


# Values and gradients.


@pytest.mark.parametrize("number", range(24))
def test_a_convolution_of_random_orders_is_jaxs(number):
    x, w, arguments = random_case(number)
    both(integers(1, *x), integers(2, *w), padded_apart, **arguments)


def test_a_dimension_cropped_in_front_as_much_as_it_is_padded_behind():
    x, w = integers(1, 2, 4, 6, 8), integers(2, 6, 4, 2, 3)
    arguments = dict(window_strides=(1, 1), padding=((-1, 1), (0, -1)), lhs_dilation=(1, 1))
    both(x, w, padded_apart, dimension_numbers=None, **arguments)


@pytest.mark.parametrize("padding", ["SAME", "SAME_LOWER", "VALID"])
def test_padding_has_jaxs_names(padding):
    both(
        integers(1, 1, 2, 6, 5), integers(2, 3, 2, 3, 2),
        window_strides=(2, 1), padding=padding, rhs_dilation=(1, 2),
    )  # fmt: skip


def test_arguments_have_jaxs_names_and_defaults():
    ours, theirs = map(inspect.signature, (conv_general_dilated, lax.conv_general_dilated))
    assert [(p.name, p.default) for p in ours.parameters.values()] == [
        (p.name, p.default) for p in theirs.parameters.values()
    ]


def test_arguments_may_be_arrays_of_numpy():
    """float64 of NumPy is float32, as in JAX."""
    both(
        integers(1, 1, 2, 6, 5).astype("float64"), integers(2, 3, 2, 3, 2).astype("float64"),
        window_strides=numpy.array([2, 1]), padding=numpy.array([[1, 0], [0, 1]]),
        rhs_dilation=numpy.array([1, 2]),
    )  # fmt: skip


def test_nothing_to_compute_is_zero():
    arguments = dict(window_strides=(1, 1), padding=((1, 1), (1, 1)))
    for x, w in [((0, 2, 4, 4), (3, 2, 3, 3)), ((1, 0, 4, 4), (3, 0, 3, 3)), ((1, 2, 0, 4), (3, 2, 2, 3))]:
        both(integers(1, *x), integers(2, *w), **arguments)
    both(integers(1, 1, 2, 2, 2), integers(2, 3, 2, 7, 7), **arguments)


def test_gradients_of_a_resnet_block_are_jaxs():
    def block(convolve, parameters, x):
        def layer(name, x, stride):
            y = convolve(
                x, parameters[name], (stride, stride), "SAME",
                dimension_numbers=("NHWC", "HWIO", "NHWC"),
            )  # fmt: skip
            mean, variance = y.mean((0, 1, 2)), y.var((0, 1, 2))
            return (y - mean) * lax.rsqrt(variance + 1e-5)

        y = layer("second", jax.nn.relu(layer("first", x, 2)), 1)
        return jnp.mean(jax.nn.relu(y + layer("short", x, 2)) ** 2)

    shapes = dict(first=(3, 3, 8, 16), second=(3, 3, 16, 16), short=(1, 1, 8, 16))
    keys = dict(zip(shapes, jax.random.split(jax.random.key(0), len(shapes))))
    parameters = {name: jax.random.normal(keys[name], shape) / 8 for name, shape in shapes.items()}
    x = jax.random.normal(jax.random.key(1), (2, 8, 6, 8))
    ours, theirs = (
        jax.jit(jax.value_and_grad(lambda p, x, f=f: block(f, p, x), (0, 1)))(parameters, x)
        for f in (conv_general_dilated, lax.conv_general_dilated)
    )
    jax.tree.map(
        lambda a, b: numpy.testing.assert_allclose(a, b, rtol=2e-4, atol=2e-6), ours, theirs
    )


SMALL = dict(window_strides=(2, 1), padding=((1, 0), (0, 1)))


def test_every_order_of_differentiation():
    x, w = integers(1, 1, 2, 5, 4), integers(2, 4, 1, 3, 2)

    def scalar(convolve):
        def of(x, w):
            y = convolve(x, w, feature_group_count=2, **SMALL)
            return jnp.sum(y**2) + jnp.sum(y * w.sum())

        return of

    tangents = integers(3, *x.shape), integers(4, *w.shape)
    def derivatives(f):
        return lambda x, w: (
            jax.jvp(f, (x, w), tangents),
            # Reverse over reverse, forward over reverse, reverse over forward.
            jax.grad(lambda w: jnp.sum(jax.grad(f)(x, w) ** 2))(w),
            jax.jvp(lambda x: jax.grad(f, 1)(x, w), (x,), tangents[:1])[1],
            jax.grad(lambda x: jax.jvp(lambda w: f(x, w), (w,), tangents[1:])[1])(x),
        )

    found, expected = (
        run(derivatives(scalar(f)), x, w)
        for f in (conv_general_dilated, lax.conv_general_dilated)
    )
    jax.tree.map(lambda a, b: same([a], [b]), found, expected)


# Mapping.


@pytest.mark.parametrize("channels_last", [False, True])
@pytest.mark.parametrize("axes", [(0, None), (None, 1), (2, 0)])
def test_a_mapped_convolution_and_its_gradients(axes, channels_last):
    orders = ("NHWC", "OHWI", "NHWC") if channels_last else ("NCHW", "OIHW", "NCHW")
    x, w = ((2, 5, 4, 4), (6, 3, 2, 2)) if channels_last else ((2, 4, 5, 4), (6, 2, 3, 2))
    size = 3
    operands = [
        integers(5, *shape) if axis is None else integers(5, *shape[:axis], size, *shape[axis:])
        for shape, axis in zip((x, w), axes)
    ]

    def of(convolve):
        arguments = dict(SMALL, dimension_numbers=orders, feature_group_count=2)
        mapped = jax.vmap(lambda x, w: results(convolve, x, w, arguments), axes)
        return run(mapped, *operands)

    same(of(conv_general_dilated), of(lax.conv_general_dilated))


def test_nothing_is_mapped():
    x, w = integers(1, 0, 1, 2, 5, 4), integers(2, 3, 2, 3, 2)

    def of(convolve):
        mapped = jax.vmap(lambda x, w: results(convolve, x, w, SMALL), (0, None))
        return run(mapped, x, w)

    same(of(conv_general_dilated), of(lax.conv_general_dilated))


def test_mapping_within_mapping_and_scan():
    x, w = integers(1, 2, 3, 1, 2, 5, 4), integers(2, 3, 4, 2, 3, 2)

    def of(convolve):
        def layer(x, w):
            return convolve(x, w, **SMALL)

        def program(x, w):
            inner = jax.vmap(jax.vmap(layer), (0, None))
            step = lambda sum, w: (sum + layer(x[0, 0], w).sum(), None)  # noqa: E731
            return inner(x, w), lax.scan(step, 0.0, w)[0]

        return run(program, x, w)

    same(of(conv_general_dilated), of(lax.conv_general_dilated))


# Several devices, other processes.


@pytest.fixture
def mesh():
    return jax.make_mesh((2,), ("batch",), axis_types=(jax.sharding.AxisType.Auto,))


def test_sharded_arrays(mesh):
    """Gathered under jit; each device its own under shard_map."""
    x, w = integers(1, 4, 2, 5, 4), integers(2, 3, 2, 3, 2)
    expected = lax.conv_general_dilated(x, w, **SMALL)
    parts, whole = jax.sharding.PartitionSpec("batch"), jax.sharding.PartitionSpec()
    sharded = jax.device_put(x, jax.sharding.NamedSharding(mesh, parts))

    def layer(x, w):
        return conv_general_dilated(x, w, **SMALL)

    same([run(layer, sharded, w)], [expected])
    for checked in (False, True):
        mapped = jax.shard_map(
            layer, mesh=mesh, in_specs=(parts, whole), out_specs=parts, check_vma=checked
        )
        same([run(mapped, sharded, w)], [expected])


def test_gradients_of_a_filter_are_summed_over_devices(mesh):
    x, w = integers(1, 4, 2, 5, 4), integers(2, 3, 2, 3, 2)
    parts, whole = jax.sharding.PartitionSpec("batch"), jax.sharding.PartitionSpec()

    def gradients(convolve):
        return lambda x, w: jax.grad(lambda x, w: (convolve(x, w, **SMALL) ** 2).sum(), (0, 1))(x, w)

    mapped = jax.shard_map(
        gradients(conv_general_dilated), mesh=mesh, in_specs=(parts, whole), out_specs=(parts, whole)
    )
    same(run(mapped, x, w), run(gradients(lax.conv_general_dilated), x, w))


def test_an_exported_program_runs_where_its_plans_are():
    x, w = integers(1, 1, 2, 5, 4), integers(2, 3, 2, 3, 2)
    program = jax.jit(lambda x, w: conv_general_dilated(x, w, **SMALL))
    check = jax.export.DisabledSafetyCheck.custom_call("conv_mlir")
    exported = jax.export.export(program, disabled_checks=[check])(x, w)
    assert 'plan = "cpu sm_90a forward n=1 c=2 ' in exported.mlir_module()
    same([exported.call(x, w)], [lax.conv_general_dilated(x, w, **SMALL)])


# Types.


@pytest.mark.parametrize(
    "operands, preferred",
    [
        *[("float16", None), ("bfloat16", None), ("bfloat16", "float32")],
        *[("float16", "float32"), ("float32", None)],
    ],
)
def test_types_of_floats(operands, preferred):
    x = integers(1, 1, 8, 5, 4, dtype=operands)
    w = integers(2, 8, 8, 3, 2, dtype=operands)
    both(x, w, preferred_element_type=preferred and jnp.dtype(preferred), **SMALL)


def test_float64():
    with jax.enable_x64(True):
        both(
            integers(1, 1, 2, 5, 4, dtype="float64"),
            integers(2, 3, 2, 3, 2, dtype="float64"), **SMALL,
        )  # fmt: skip


def test_integers_of_8_bits_have_sums_of_32():
    x, w = (integers(s, *shape, dtype="int8") for s, shape in ((1, (1, 32, 5, 4)), (2, (8, 32, 3, 2))))
    arguments = dict(SMALL, preferred_element_type=jnp.int32)
    same([conv_general_dilated(x, w, **arguments)], [lax.conv_general_dilated(x, w, **arguments)])


@pytest.mark.parametrize("operands", ["float8_e4m3fn", "float8_e5m2"])
def test_floats_of_8_bits(operands):
    x, w = integers(1, 1, 16, 5, 4), integers(2, 8, 16, 3, 2)
    narrow = [values.astype(operands) for values in (x, w)]
    found = conv_general_dilated(*narrow, preferred_element_type=jnp.float32, **SMALL)
    same([found], [lax.conv_general_dilated(x, w, **SMALL)])


def test_f32_is_tf32_on_gpus_unless_it_must_be_exact():
    def kind(precision, platform="cuda"):
        return _types.type_of("float32", _types.is_exact(precision), platform)

    assert [kind(p) for p in (None, lax.Precision.DEFAULT, "high")] == ["tf32"] * 3
    assert [kind(p) for p in (lax.Precision.HIGHEST, "highest", "float32", (None, "highest"))] == ["f32"] * 4
    assert kind(None, "cpu") == "f32"
    with jax.default_matmul_precision("highest"):
        assert kind(None) == "f32"


# Refusals.


@pytest.mark.parametrize(
    "x, w, dtype, arguments, message",
    [
        ((1, 2, 4, 4), (3, 2, 3, 3), "int16", {}, "operands: expected one of float16, .*, got int16"),
        ((1, 2, 4, 4), (3, 2, 3, 3), "complex64", {}, "operands: expected one of .*, got complex64"),
        ((1, 2, 4, 4), (3, 2, 3, 3), "int8", {}, "results of int8: expected int32 or float32, got int8"),
        ((1, 2, 4, 4), (3, 2, 3, 3), "float32", dict(out_sharding="x"), "out_sharding: expected None, got x"),
        ((1, 2), (3, 2), "float32", {}, "expected 1 to 3 spatial dimensions, got 0"),
        ((1, 2, 4, 4, 4, 4), (3, 2, 1, 1, 1, 1), "float32", {}, "expected 1 to 3 spatial dimensions, got 4"),
    ],
)
def test_what_has_no_kernel_is_one_sentence(x, w, dtype, arguments, message):
    rank = len(x) - 2
    with pytest.raises(conv_mlir.Error, match=message):
        conv_general_dilated(
            *(jnp.ones(x, dtype), jnp.ones(w, dtype)), (1,) * rank, ((0, 0),) * rank, **arguments
        )


def test_what_jax_refuses_is_jaxs_error():
    x, w = jnp.ones((1, 2, 4, 4)), jnp.ones((3, 3, 3, 3))
    for call in (conv_general_dilated, lax.conv_general_dilated):
        with pytest.raises(ValueError, match="feature_group_count"):
            call(x, w, (1, 1), "SAME")


# Plans.


class FakeCompilers:
    """Keeps what is asked for; answers with an error where it has one."""

    def __init__(self):
        self.asked = []
        self.error = None

    def submit(self, request, done):
        self.asked.append((request["problem"].split()[0], done))
        if self.error:
            done(None, self.error)


def test_plans_of_a_program_are_compiled_at_the_same_time(monkeypatch):
    fake = FakeCompilers()
    monkeypatch.setattr(_plans, "compilers", lambda: fake)
    x, w = jnp.ones((1, 2, 11, 4)), jnp.ones((3, 2, 3, 2))
    program = jax.jit(lambda x, w: results(conv_general_dilated, x, w, SMALL))
    traced = program.trace(x, w)
    assert sorted(op for op, _ in fake.asked) == ["dgrad", "forward", "wgrad"]
    # What has failed is asked for again, and then it is an error.
    fake.error = conv_mlir.Error("the compiler ended")
    for _, done in fake.asked:
        done(None, fake.error)
    with pytest.raises(conv_mlir.Error, match="the compiler ended"):
        traced.lower()
    monkeypatch.undo()
    traced.lower()


# The handler.


def call_handler(plan, *operands, shape):
    result = jax.ShapeDtypeStruct(shape, jnp.float32)
    return numpy.asarray(jax.ffi.ffi_call("conv_mlir", result)(*operands, plan=plan))


def test_the_handler_runs_no_plan_that_it_does_not_know():
    with pytest.raises(Exception, match="conv_mlir: no plan named 'cpu nothing' in this process"):
        call_handler("cpu nothing", jnp.ones(3), shape=(3,))


def test_the_handler_checks_buffers():
    plan = _plans.prepare("forward n=1 c=2 h=3 w=4 k=3 r=1 s=1 type=f32 out-type=f32", "cpu").name
    x, w = integers(1, 1, 3, 4, 2), integers(2, 3, 1, 1, 2)
    assert call_handler(plan, x, w, shape=(1, 3, 4, 3)).shape == (1, 3, 4, 3)
    with pytest.raises(Exception, match="buffer 0 has not the type and shape of x"):
        call_handler(plan, x.astype(jnp.bfloat16), w, shape=(1, 3, 4, 3))
    with pytest.raises(Exception, match="buffer 2 has not the type and shape of y"):
        call_handler(plan, x, w, shape=(1, 3, 4, 4))
    with pytest.raises(Exception, match="expected 3 buffers, got 2"):
        call_handler(plan, x, shape=(1, 3, 4, 3))


def test_a_program_for_gpus_has_the_plans_and_their_workspace():
    """Lowered here, for a GPU that is elsewhere."""
    x, w = jnp.ones((1, 4, 5, 64)), jnp.ones((3, 3, 64, 8))
    arguments = dict(dimension_numbers=("NHWC", "HWIO", "NHWC"))

    def dw(x, w):
        return jax.grad(lambda w: conv_general_dilated(x, w, (1, 1), "SAME", **arguments).sum())(w)

    traced = jax.jit(dw).trace(x, w)
    text = traced.lower(lowering_platforms=("cuda",)).as_text()
    assert 'plan = "cuda sm_90a wgrad n=1 c=64 ' in text and "type=tf32 out-type=f32" in text
    with pytest.raises(conv_mlir.Error, match="expected a program for cuda, or for cpu, got tpu"):
        traced.lower(lowering_platforms=("tpu",))


def test_our_declarations_are_those_of_xla():
    """Sizes, places and numbers in lib/CAPI/Jax/Ffi.h."""
    if not shutil.which("g++"):
        pytest.skip("no g++")
    source = ROOT / "python/tests/jax_layout.cpp"
    folders = ["-I", ROOT / "lib/CAPI/Jax", "-isystem", jax.ffi.include_dir()]
    command = ["g++", "-std=c++20", "-fsyntax-only", *folders, source]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_example_of_the_document(capsys):
    """Its blocks of JAX, one after the other."""
    text = (ROOT / "docs/JAX.md").read_text()
    blocks = re.findall(r"```python jax\n(.*?)```", text, re.DOTALL)
    names = {}
    for block in blocks:
        exec(block, names)
    assert names["y"].shape == (2, 4, 3, 8) and names["dw"].shape == (3, 3, 4, 8)
    printed = capsys.readouterr().out
    for op in ("forward", "wgrad"):
        line = f"{op} n=2 c=4 h=8 w=6 k=8 r=3 s=3 stride=2 pad=0:1 dilation=1 groups=1 type=f32 conv_{op}_"
        assert line in printed


def test_jax_prints_the_gradients_of_the_tutorial():
    folder = ROOT / "examples/tutorial"
    done = subprocess.run([sys.executable, str(folder / "gradient.py")],
                          capture_output=True, text=True, check=True)
    kept = (folder / "gradient.mlir").read_text().split("\n")
    assert list(filter(None, done.stdout.split("\n"))) == list(filter(None, kept))


def test_the_doctor_finds_jax():
    from conv_mlir import _doctor

    state, text = _doctor.check_jax()
    assert state == "ok" and text == f"{jax.__version__}, conv_mlir.jax has its handlers in XLA"
