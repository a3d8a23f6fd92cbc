"""ONNX models and the values that they have by onnx's own evaluator, beside those of
the emulator."""

import glob
import os

import conv_mlir
import conv_mlir.onnx
import numpy
import onnx
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

TYPES = {"s8": numpy.int8, "s32": numpy.int32, "f32": numpy.float32}
TYPES.update({"f16": numpy.float16, "f64": numpy.float64, "bf16": numpy.uint16})


def emulate(text, inputs, results):
    """The results of a module; uint8 in and out as the bits of int8. Results have the
    types of the arrays in `results`."""
    plan = conv_mlir.compile_module(text, "sm_90a", emulator_only=True)
    given = [_bits(array, o) for array, o in zip(inputs, plan.arguments)]
    made = [numpy.zeros(o.shape, TYPES[o.type]) for o in plan.results]
    plan.emulate(*given, *made)
    return [got.view(want.dtype) for got, want in zip(made, results)]


def _bits(array, operand):
    array = numpy.ascontiguousarray(array)
    return array.view(TYPES[operand.type]).reshape(operand.shape)


def check(model, inputs, expected=None, tolerance=2e-6, **options):
    """Imports a model, runs it, and compares it with onnx's evaluator, or with what is
    expected. Inputs by name; those in `constants` are bound by the import."""
    if expected is None:
        expected = ReferenceEvaluator(model).run(None, inputs)
    text = conv_mlir.onnx.convert(model, **options)
    bound = options.get("constants", ())
    kept = {tensor.name for tensor in model.graph.initializer}
    names = [i.name for i in model.graph.input if i.name not in kept]
    arrays = [inputs[name] for name in names if name not in bound]
    for got, want in zip(emulate(text, arrays, expected), expected, strict=True):
        compare(got, want, tolerance)
    return text


def compare(got, want, tolerance):
    """Integers are equal; floats differ by so much of the largest one at most."""
    assert got.shape == want.shape
    if want.dtype.kind in "iu":
        numpy.testing.assert_array_equal(got, want)
        return
    scale = numpy.abs(want[numpy.isfinite(want)].astype(float)).max(initial=0)
    numpy.testing.assert_allclose(
        got.astype(float), want.astype(float), rtol=0, atol=tolerance * scale
    )


def make(nodes, inputs, outputs, constants=(), opset=22):
    """A model. Inputs and outputs: (name, dtype, shape); constants: {name: array}. An
    output without a shape has as many dimensions as the first input."""
    open_shape = [f"d{i}" for i in range(len(inputs[0][2]))]
    outputs = [(*o[:2], open_shape if o[2] is None else o[2]) for o in outputs]
    graph = helper.make_graph(
        nodes,
        "net",
        [_declare(*value) for value in inputs],
        [_declare(*value) for value in outputs],
        [numpy_helper.from_array(a, name) for name, a in dict(constants).items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])


def _declare(name, dtype, shape):
    elements = helper.np_dtype_to_tensor_dtype(numpy.dtype(dtype))
    return helper.make_tensor_value_info(name, elements, shape)


def node_cases(operators):
    """onnx's own node tests of these operators: (name, model, inputs, outputs)."""
    from onnx.backend.test.case.node import collect_testcases

    for case in collect_testcases(None):
        nodes = case.model.graph.node
        if len(nodes) == 1 and nodes[0].op_type in operators:
            for inputs, outputs in case.data_sets:
                names = [value.name for value in case.model.graph.input]
                yield case.name, case.model, dict(zip(names, inputs)), outputs


def converted_cases(prefixes=("test_Conv", "test_operator_conv")):
    """Models that PyTorch has exported, in the package onnx."""
    folder = os.path.join(os.path.dirname(onnx.__file__), "backend/test/data")
    for path in sorted(glob.glob(f"{folder}/pytorch-*/*/model.onnx")):
        name = os.path.basename(os.path.dirname(path))
        if name.startswith(prefixes):
            yield name, path


def converted_data(path):
    """The model, its inputs by name, and what its outputs are."""
    model = onnx.load(path)
    kept = {tensor.name for tensor in model.graph.initializer}
    names = [i.name for i in model.graph.input if i.name not in kept]
    folder = os.path.dirname(path) + "/test_data_set_0"
    inputs = {name: _tensor(f"{folder}/input_{i}.pb") for i, name in enumerate(names)}
    count = len(model.graph.output)
    return model, inputs, [_tensor(f"{folder}/output_{i}.pb") for i in range(count)]


def _tensor(path):
    with open(path, "rb") as file:
        return numpy_helper.to_array(onnx.TensorProto.FromString(file.read()))
