"""ONNX models on the emulator, beside onnx's own evaluator and data."""

import functools
import pathlib
import subprocess
import sys

import conv_mlir
import conv_mlir.__main__
import numpy
import pytest

onnx = pytest.importorskip("onnx")
import conv_mlir.onnx  # noqa: E402
import onnx_cases  # noqa: E402
from onnx import helper  # noqa: E402
from onnx_cases import check, make  # noqa: E402

PYTHON = pathlib.Path(conv_mlir.__file__).resolve().parents[1]
F32, U8, S8, S32 = numpy.float32, numpy.uint8, numpy.int8, numpy.int32
node = helper.make_node


@functools.lru_cache
def node_cases():
    kinds = ("Conv", "ConvTranspose", "ConvInteger", "QLinearConv", "MaxPool")
    kinds += ("AveragePool", "BatchNormalization", "Gemm", "HardSwish", "Clip")
    cases = {}
    for name, *case in onnx_cases.node_cases(kinds):
        cases.setdefault(case[0].graph.node[0].op_type, []).append((name, *case))
    return cases


def numbers(rng, dtype, shape):
    """Random numbers; of bytes all that there are."""
    if dtype in (U8, S8):
        limits = numpy.iinfo(dtype)
        return rng.integers(limits.min, limits.max + 1, shape).astype(dtype)
    return rng.standard_normal(shape).astype(dtype)


# onnx's data.


@pytest.mark.parametrize(
    "operator, count",
    [("Conv", 6), ("ConvTranspose", 11), ("ConvInteger", 2), ("QLinearConv", 1)],
)
def test_node_cases(operator, count):
    cases = node_cases()[operator]
    assert len(cases) == count
    for _, model, inputs, expected in cases:
        constants = {n: a for n, a in inputs.items() if "zero" in n or "scale" in n}
        check(model, inputs, expected, constants=constants)


# Poolings and others have many; a few of each, by what is particular.
@pytest.mark.parametrize(
    "name",
    [
        "test_maxpool_2d_ceil",
        "test_maxpool_2d_same_lower",
        "test_maxpool_2d_uint8",
        "test_maxpool_3d_dilations",
        "test_averagepool_1d_default",
        "test_averagepool_2d_pads",
        "test_averagepool_2d_pads_count_include_pad",
        "test_averagepool_2d_ceil_last_window_starts_on_pad",
        "test_gemm_all_attributes",
        "test_hardswish",
    ],
)
def test_other_node_cases(name):
    cases = [case for cases in node_cases().values() for case in cases]
    (case,) = [case for case in cases if case[0] == name]
    # One has its results with four digits.
    check(*case[1:], tolerance=1e-3 if "starts_on_pad" in name else 1e-5)


@pytest.mark.parametrize("name, path", list(onnx_cases.converted_cases()))
def test_converted_models(name, path):
    model, inputs, expected = onnx_cases.converted_data(path)
    check(model, inputs, expected, tolerance=1e-5)


def test_all_converted_models_are_there():
    assert len(list(onnx_cases.converted_cases())) == 30


# What the data does not have.


@pytest.mark.parametrize("mode", ["SAME_UPPER", "SAME_LOWER", "VALID"])
def test_automatic_padding(mode):
    rng = numpy.random.default_rng(1)
    attributes = dict(auto_pad=mode, strides=[2, 3], dilations=[2, 1], group=2)
    model = make(
        [node("Conv", ["x", "w", "b"], ["y"], **attributes)],
        [("x", F32, (2, 4, 9, 8))],
        [("y", F32, None)],
        {"w": numbers(rng, F32, (6, 2, 3, 4)), "b": numbers(rng, F32, 6)},
    )
    check(model, {"x": numbers(rng, F32, (2, 4, 9, 8))})


def test_unequal_padding_in_16_bits():
    rng = numpy.random.default_rng(2)
    f16 = numpy.float16
    model = make(
        [node("Conv", ["x", "w", "b"], ["y"], pads=[1, 0, 2, 1])],
        [("x", f16, (1, 8, 6, 5))],
        [("y", f16, None)],
        {"w": numbers(rng, f16, (5, 8, 3, 2)), "b": numbers(rng, f16, 5)},
    )
    check(model, {"x": numbers(rng, f16, (1, 8, 6, 5))}, tolerance=1e-3)


def test_tf32_is_in_the_text():
    model = make(
        [node("Conv", ["x", "w"], ["y"])],
        [("x", F32, (1, 4, 5, 6)), ("w", F32, (3, 4, 2, 3))],
        [("y", F32, None)],
    )
    assert "precision tf32" in conv_mlir.onnx.convert(model, tf32=True)
    assert "precision" not in conv_mlir.onnx.convert(model)


@pytest.mark.parametrize(
    "x, w, groups, points",
    [
        (U8, U8, 1, ([3], [200])),  # Both are shifted, and corrected.
        (U8, S8, 2, ([131], [0])),
        (S8, S8, 2, ([-7], [5, -6, 7, 8])),  # A zero point for each filter.
        (S8, U8, 4, ([0], [128])),
    ],
)
@pytest.mark.parametrize("constant", [True, False])
def test_zero_points(x, w, groups, points, constant):
    """Images are padded with their zero point, filters are constant or not."""
    rng = numpy.random.default_rng(3)
    arrays = {"x": numbers(rng, x, (2, 4, 5, 4))}
    filter = numbers(rng, w, (4, 4 // groups, 3, 2))
    constants = {"xz": numpy.array(points[0][0], x), "wz": numpy.array(points[1], w)}
    inputs = [("x", x, (2, 4, 5, 4))]
    if constant:
        constants["w"] = filter
    else:
        inputs.append(("w", w, filter.shape))
        arrays["w"] = filter
    model = make(
        [
            node("ConvInteger", ["x", "w", "xz", "wz"], ["y"], group=groups,
                 pads=[1, 0, 1, 2], strides=[2, 1])
        ],
        inputs,
        [("y", S32, None)],
        constants,
    )
    check(model, arrays, [sums(arrays["x"], filter, *points, groups)])


def sums(x, w, a, b, groups):
    """The definition, with padding, strides and images as above."""
    x = x.astype(int) - a[0]
    w = w.astype(int) - numpy.array(b).reshape(-1, 1, 1, 1)
    x = numpy.pad(x, [(0, 0), (0, 0), (1, 1), (0, 2)])
    y = numpy.zeros((2, 4, 3, 5), S32)
    size = 4 // groups
    for k in range(4):
        images = x[:, k // size * size :][:, :size]
        for p, q in numpy.ndindex(3, 5):
            window = images[:, :, 2 * p : 2 * p + 3, q : q + 2]
            y[:, k, p, q] = (window * w[k]).sum((1, 2, 3))
    return y


def test_quantised_chain():
    """QuantizeLinear, two convolutions of uint8 and int8, DequantizeLinear."""
    rng = numpy.random.default_rng(4)
    scale = lambda *n: numpy.array(n, F32).reshape(-1 if len(n) > 1 else ())  # noqa: E731
    constants = {
        "s0": scale(0.02), "z0": U8(120), "s1": scale(0.01, 0.02, 0.03, 0.04),
        "z1": S8(0), "s2": scale(0.3), "z2": U8(99), "s3": scale(0.02), "z3": U8(130),
        "s4": scale(0.5), "z4": S8(-3), "w1": numbers(rng, S8, (4, 3, 3, 3)),
        "b1": rng.integers(-900, 900, 4).astype(S32), "w2": numbers(rng, U8, (2, 4, 1, 1)),
    }
    nodes = [
        node("QuantizeLinear", ["x", "s0", "z0"], ["q"]),
        node("QLinearConv", ["q", "s0", "z0", "w1", "s1", "z1", "s2", "z2", "b1"], ["r"],
             pads=[1, 1, 1, 1]),
        node("QLinearConv", ["r", "s2", "z2", "w2", "s3", "z3", "s4", "z4"], ["t"]),
        node("DequantizeLinear", ["t", "s4", "z4"], ["y"]),
    ]
    model = make(
        nodes,
        [("x", F32, (1, 3, 5, 6))],
        [("y", F32, None), ("r", U8, None)],
        constants,
    )
    check(model, {"x": numbers(rng, F32, (1, 3, 5, 6))})


def mobile_net(rng):
    """Two inverted bottlenecks with a stem and a classifier, random weights."""
    nodes, constants = [], {}

    def constant(name, array):
        constants[name] = array
        return name

    def layer(x, name, c, k, r, activation=None, **attributes):
        w = 2 * numbers(rng, F32, (k, c // attributes.get("group", 1), r, r))
        nodes.append(node("Conv", [x, constant(name + "w", w)], [name + "c"],
                          pads=[r // 2] * 4, **attributes))
        numbers_of = [1 + 0.1 * numbers(rng, F32, k), numbers(rng, F32, k),
                      numbers(rng, F32, k), 4 + numbers(rng, F32, k) ** 2]
        names = [constant(f"{name}{i}", a) for i, a in enumerate(numbers_of)]
        nodes.append(node("BatchNormalization", [name + "c", *names], [name + "n"]))
        if activation:
            nodes.append(node(activation, [name + "n"], [name]))
            return name
        return name + "n"

    def bottleneck(x, name, c, k, stride):
        y = layer(x, name + "e", c, 3 * c, 1, "HardSwish")
        y = layer(y, name + "d", 3 * c, 3 * c, 3, "Relu", group=3 * c, strides=[stride] * 2)
        y = layer(y, name + "p", 3 * c, k, 1)
        if stride != 1 or c != k:
            return y
        nodes.append(node("Add", [x, y], [name]))
        return name

    x = layer("x", "stem", 3, 8, 3, "HardSwish", strides=[2, 2])
    x = bottleneck(bottleneck(x, "one", 8, 8, 1), "two", 8, 16, 2)
    constant("low", F32(0)), constant("high", F32(6))
    nodes.append(node("Clip", [x, "low", "high"], ["clipped"]))
    nodes.append(node("GlobalAveragePool", ["clipped"], ["mean"]))
    nodes.append(node("Flatten", ["mean"], ["row"]))
    constant("fc", numbers(rng, F32, (10, 16))), constant("fcb", numbers(rng, F32, 10))
    nodes.append(node("Gemm", ["row", "fc", "fcb"], ["y"], transB=1))
    inputs, outputs = [("x", F32, (2, 3, 17, 14))], [("y", F32, (2, 10))]
    return make(nodes, inputs, outputs, constants)


def test_mobile_net_is_one_plan():
    rng = numpy.random.default_rng(5)
    model = mobile_net(rng)
    text = check(model, {"x": numbers(rng, F32, (2, 3, 17, 14))}, tolerance=1e-5)
    # Normalisations are in the filters; the classifier is a convolution, too.
    assert text.count("conv.forward") == 8 and "math.rsqrt" not in text


def test_a_normalisation_that_cannot_be_folded():
    """The convolution's result is read twice."""
    rng = numpy.random.default_rng(6)
    vectors = {n: numpy.abs(numbers(rng, F32, 4)) for n in "sbmv"}
    model = make(
        [
            node("Conv", ["x", "w"], ["c"]),
            node("BatchNormalization", ["c", "s", "b", "m", "v"], ["n"]),
            node("Sub", ["c", "n"], ["y"]),
        ],
        [("x", F32, (1, 3, 4, 5))],
        [("y", F32, None)],
        {"w": numbers(rng, F32, (4, 3, 2, 3)), **vectors},
    )
    check(model, {"x": numbers(rng, F32, (1, 3, 4, 5))}, tolerance=1e-5)


def test_broadcasts_and_computed_constants():
    rng = numpy.random.default_rng(7)
    constants = {"one": F32(1.5), "row": numbers(rng, F32, (5,)), "p": numpy.array([3])}
    model = make(
        [
            node("Add", ["one", "row"], ["c"]),  # Of constants: computed by the import.
            node("Mul", ["x", "c"], ["m"]),
            node("Max", ["m", "z", "one"], ["n"]),
            node("Shape", ["n"], ["s"]),
            node("Reshape", ["n", "s"], ["r"]),
            node("Div", ["r", "one"], ["y"]),
        ],
        [("x", F32, (2, 3, 4, 5)), ("z", F32, (2, 1, 4, 1))],
        [("y", F32, (2, 3, 4, 5))],
        constants,
    )
    inputs = {"x": numbers(rng, F32, (2, 3, 4, 5)), "z": numbers(rng, F32, (2, 1, 4, 1))}
    check(model, inputs)


def test_activations_of_every_kind():
    rng = numpy.random.default_rng(8)
    unary = ["Relu", "Sigmoid", "HardSwish", "Tanh", "Elu", "LeakyRelu", "Gelu", "Neg"]
    unary += ["HardSigmoid", "Exp", "Abs", "Erf"]
    names = [f"y{i}" for i in range(len(unary))]
    model = make(
        [node(op, ["x"], [name]) for op, name in zip(unary, names)],
        [("x", F32, (3, 5))],
        [(name, F32, (3, 5)) for name in names],
    )
    check(model, {"x": 4 * numbers(rng, F32, (3, 5))})


def test_a_function_of_the_model_is_inlined():
    domain = helper.make_opsetid("ours", 1)
    default = helper.make_opsetid("", 22)
    body = [node("Relu", ["a"], ["t"]), node("Neg", ["t"], ["b"])]
    function = helper.make_function("ours", "Both", ["a"], ["b"], body, [default])
    model = make(
        [node("Both", ["x"], ["y"], domain="ours")],
        [("x", F32, (2, 3))],
        [("y", F32, (2, 3))],
    )
    model.functions.append(function)
    model.opset_import.append(domain)
    check(model, {"x": numbers(numpy.random.default_rng(9), F32, (2, 3))})


# The command.


def command(*arguments):
    return conv_mlir.__main__.main(["onnx", *map(str, arguments)])


def test_command_and_conv_run(tmp_path):
    from conv_mlir._tools import environment, find_tool

    model = make(
        [node("Conv", ["x", "w"], ["c"]), node("Relu", ["c"], ["y"])],
        [("x", F32, ("batch", 4, 6, 5)), ("w", F32, (3, 4, 2, 3))],
        [("y", F32, None)],
    )
    onnx.save(model, tmp_path / "m.onnx")
    numpy.save(tmp_path / "w.npy", numpy.ones((3, 4, 2, 3), F32))
    out = tmp_path / "m.mlir"
    bound = f"--constant=w={tmp_path / 'w.npy'}"
    assert command(tmp_path / "m.onnx", "-o", out, "--shape=x=2x4x6x5", bound) == 0
    run = subprocess.run(
        [find_tool("conv-run"), out, "--device=emulator", "--verify"],
        capture_output=True, text=True, env=environment(),
    )
    assert "verify     full: passed" in run.stdout, run.stderr


def test_a_refusal_writes_nothing(tmp_path, capsys):
    (tmp_path / "m.onnx").write_bytes(b"\x08not a model")
    assert command(tmp_path / "m.onnx", "-o", tmp_path / "m.mlir") == 2
    message = capsys.readouterr().err
    assert message.startswith("conv_mlir: error: ") and message.count("\n") == 1
    assert sorted(p.name for p in tmp_path.iterdir()) == ["m.onnx"]


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["nowhere.onnx"], "nowhere.onnx: No such file"),
        (["m.onnx", "--shape=x=1x2xq"], "--shape: expected extents such as 1x3x224"),
        (["m.onnx", "--shape=1x2"], "--shape: expected INPUT=VALUE"),
        (["m.onnx", "--constant=x=none.npy"], "--constant: none.npy: No such file"),
        (["m.onnx", "-o", "no/folder/m.mlir"], "no/folder/m.mlir: No such file"),
    ],
)
def test_command_refuses(tmp_path, monkeypatch, capsys, arguments, message):
    monkeypatch.chdir(tmp_path)
    onnx.save(relu(), "m.onnx")
    assert command(*arguments) == 2
    assert message in capsys.readouterr().err


def test_without_onnx():
    code = (
        "import sys; sys.modules['onnx'] = None\n"
        "import conv_mlir, conv_mlir.onnx\n"
        "try: conv_mlir.onnx.convert(b'')\n"
        "except conv_mlir.Error as error: print(error)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=PYTHON
    )
    assert "conv_mlir.onnx needs the package onnx" in run.stdout, run.stderr


# Bad input.


def relu(shape=(2, 3), dtype=F32, opset=22, **attributes):
    nodes = [node("Relu", ["x"], ["y"], name="first", **attributes)]
    return make(nodes, [("x", dtype, shape)], [("y", dtype, None)], opset=opset)


def conv(x=(1, 4, 6, 5), w=(2, 4, 3, 3), op="Conv", dtype=F32, **attributes):
    nodes = [node(op, ["x", "w"], ["y"], name="layer", **attributes)]
    inputs = [("x", dtype, x), ("w", dtype, w)]
    return make(nodes, inputs, [("y", dtype, None)])


def pool(op="MaxPool", outputs=("y",), **attributes):
    nodes = [node(op, ["x"], list(outputs), name="pool", **attributes)]
    values = [("y", F32, None)]
    return make(nodes, [("x", F32, (1, 2, 6, 5))], values)


def without_shape():
    model = relu()
    model.graph.input[0].type.tensor_type.ClearField("shape")
    return model


def foreign():
    nodes = [node("Fancy", ["x"], ["y"], name="n", domain="com.example")]
    model = make(nodes, [("x", F32, (2, 3))], [("y", F32, (2, 3))])
    model.opset_import.append(helper.make_opsetid("com.example", 1))
    return model


def sparse():
    model = relu()
    values = helper.make_tensor("s", onnx.TensorProto.FLOAT, [1], [1.0])
    indices = helper.make_tensor("i", onnx.TensorProto.INT64, [1], [0])
    tensor = helper.make_sparse_tensor(values, indices, [4])
    model.graph.sparse_initializer.append(tensor)
    return model


def huge_constant():
    nodes = [
        node("ConstantOfShape", ["s"], ["c"], name="fill"),
        node("Add", ["x", "c"], ["y"]),
    ]
    constants = {"s": numpy.array([1 << 20, 1 << 20])}
    return make(nodes, [("x", F32, (1, 1))], [("y", F32, None)], constants)


def two_kinds():
    nodes = [
        node("Softmax", ["x"], ["s"], name="a"),
        node("CumSum", ["s", "i"], ["y"], name="b"),
    ]
    return make(nodes, [("x", F32, (3, 3))], [("y", F32, None)], {"i": numpy.array(1)})


def integers(points, dtype=U8):
    """ConvInteger with a zero point that is given, or an input."""
    constants = {} if points is None else {"z": points}
    inputs = [("x", dtype, (1, 2, 4, 4)), ("w", dtype, (2, 2, 3, 3))]
    inputs += [("z", dtype, ())] if points is None else []
    nodes = [node("ConvInteger", ["x", "w", "z"], ["y"], name="sums")]
    return make(nodes, inputs, [("y", S32, None)], constants)


def training():
    nodes = [
        node("BatchNormalization", list("xsbmv"), ["y", "p", "q"], name="norm",
             training_mode=1)
    ]
    return make(nodes, [("x", F32, (1, 4, 3, 3))], [("y", F32, None)],
                {n: numpy.ones(4, F32) for n in "sbmv"})


BAD = [
    (lambda: 7, "model: expected a path, bytes or an onnx.ModelProto, got int"),
    (lambda: b"no model at all", "model: expected an ONNX model, got other bytes"),
    (lambda: b"", "model: The model does not have an ir_version set properly"),
    (lambda: conv().SerializeToString()[:-20], "expected an ONNX model, got other bytes"),
    (without_shape, "'x': expected a shape, the model has none"),
    (lambda: relu(("batch", 3)), "'x': dimension 0 is not known; give shapes of inputs"),
    (lambda: relu((2**40, 3)), "'x': expected extents of 0 to 2147483647, dimension 0"),
    (lambda: relu(dtype=numpy.int64), "'x': expected elements of float16, bfloat16, float"),
    (lambda: relu(opset=5), "model: expected operators of version 6 to"),
    (lambda: relu(opset=999), "model: expected operators of version 6 to"),
    (lambda: relu(colour=3), "model: Unrecognized attribute: colour for operator Relu ==> Context"),
    (foreign, "1 node has an operator that cannot be imported (docs/ONNX.md): 'n' (Fancy)"),
    (two_kinds, "2 nodes have operators that cannot be imported (docs/ONNX.md): "
                "'a' (Softmax), 'b' (CumSum)"),
    (sparse, "model: expected dense initializers"),
    (huge_constant, "node 'fill' (ConstantOfShape): expected a constant of at most"),
    (lambda: conv(pads=[0, 0, -1, 0]),
     "node name: layer): [ShapeInferenceError] Attribute pads must not contain negative"),
    (lambda: conv(pads=[0, 0, 0]), "pads"),
    (lambda: conv(strides=[0, 1]), "stride"),
    (lambda: conv(strides=[2**40, 1]), "node 'layer' (Conv): strides: expected numbers"),
    (lambda: conv(kernel_shape=[2, 3]), "node 'layer' (Conv): kernel_shape: expected [3, 3]"),
    (lambda: conv(group=0), "group"),
    (lambda: conv((1, 5, 4, 4), (2, 3, 3, 3)),
     "node 'layer' (Conv): its filters are for 3 channels, the image has 5"),
    (lambda: conv((1, 4, 4, 4), (3, 2, 3, 3), group=2),
     "node 'layer' (Conv): 3 filters cannot be divided among 2 groups"),
    (lambda: conv((1, 2, 4, 2), (2, 2, 3, 3), pads=[0, 0, 1, 0]),
     "node 'layer' (Conv): its window spans 3 positions, the padded image has 2"),
    (lambda: conv(auto_pad="SAME"), "node 'layer' (Conv): auto_pad: expected NOTSET"),
    (lambda: conv((1, 4, 2, 2, 2, 2), (2, 4, 1, 1, 1, 1)), "expected one to three spatial"),
    (lambda: conv((1, 2, 3, 3), (2, 3, 3, 3), "ConvTranspose", output_shape=[9, 9]),
     "node 'layer' (ConvTranspose): a result of [9, 9] needs negative padding"),
    (lambda: pool(kernel_shape=[3, 3], pads=[3, 0, 0, 0]),
     "node 'pool' (MaxPool): pads: expected less than kernel_shape [3, 3]"),
    (lambda: pool(kernel_shape=[2, 2], outputs=("y", "i")),
     "node 'pool' (MaxPool): its result 'i' is not supported"),
    (lambda: pool("LpPool", kernel_shape=[2, 2]), "'pool' (LpPool)"),
    (lambda: integers(None), "the zero point 'z': expected a constant, got a value that is "
                             "computed, or an input"),
    (lambda: integers(S8(3)), "model: "),
    (training, "node 'norm' (BatchNormalization): expected inference, got training"),
]


@pytest.mark.parametrize("make_model, message", BAD)
def test_bad_input(make_model, message):
    with pytest.raises(conv_mlir.Error) as error:
        conv_mlir.onnx.convert(make_model())
    assert error.value.status == 2
    assert message in str(error.value)
    assert "\n" not in str(error.value) and len(str(error.value)) < 400


@pytest.mark.parametrize(
    "options, message",
    [
        (dict(shapes={"q": (1, 2)}), "shapes: 'q' is no input of the model, which has x"),
        (dict(shapes={"x": (2, 3, 4)}), "shapes: 'x' has 2 dimensions, got 3 extents"),
        (dict(shapes={"x": (2, 4)}), "shapes: dimension 1 of 'x' is 3 in the model, got 4"),
        (dict(constants={"x": numpy.zeros((2, 3))}),
         "constants: 'x' has elements of float, got float64"),
        (dict(constants={"x": [conv_mlir]}), "constants: 'x': expected numbers, got object"),
        (dict(constants={"x": numpy.zeros((2, 4), F32)}),
         "shapes: dimension 1 of 'x' is 3 in the model, got 4"),
        (dict(constants={"x": numpy.zeros((2, 3), F32)}),
         "output 'y': expected a computed value, it is constant"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(conv_mlir.Error) as error:
        conv_mlir.onnx.convert(relu(), **options)
    assert message in str(error.value)
