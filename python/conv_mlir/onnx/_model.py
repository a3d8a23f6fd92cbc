"""Reads an ONNX model: parsed, checked, its functions inlined, with the type and the
shape of each value."""

import os
from dataclasses import dataclass
from typing import Dict, List, Tuple

import numpy
import onnx
import onnx.checker
import onnx.inliner
import onnx.numpy_helper
import onnx.shape_inference
from google.protobuf.message import DecodeError

from .._library import Error

FIRST_OPSET = 6  # Of the oldest one whose convolutions are those of today.
STANDARD = ("", "ai.onnx")
MAX_EXTENT = 2**31 - 1
LONGEST = 300  # Characters of a message of onnx, which may list every node.

TYPES = {
    onnx.TensorProto.FLOAT: "f32",
    onnx.TensorProto.FLOAT16: "f16",
    onnx.TensorProto.BFLOAT16: "bf16",
    onnx.TensorProto.DOUBLE: "f64",
    onnx.TensorProto.INT8: "i8",
    onnx.TensorProto.UINT8: "i8",
    onnx.TensorProto.INT32: "i32",
}


@dataclass(frozen=True)
class Fact:
    """What is known of a value before anything is computed."""

    elements: int  # onnx.TensorProto.DataType
    shape: Tuple[int, ...]  # An extent that is not known is None.

    @property
    def type_name(self):
        return onnx.TensorProto.DataType.Name(self.elements).lower()


@dataclass
class Model:
    nodes: List[onnx.NodeProto]  # Those that the outputs depend on, in order.
    inputs: List[str]
    outputs: List[str]
    facts: Dict[str, Fact]
    constants: Dict[str, numpy.ndarray]
    opset: int
    name: str


def read_model(_, source, shapes, constants):
    proto = _parse(source)
    for name, shape in shapes.items():
        _set_shape(_input(proto, name, "shapes"), shape)
    for name, array in constants.items():
        _bind(proto, _input(proto, name, "constants"), array)
    opset = _check(proto)
    return _facts(_infer(proto), opset)


def _parse(source):
    if isinstance(source, onnx.ModelProto):
        proto = onnx.ModelProto()
        proto.CopyFrom(source)
        return proto
    try:
        if isinstance(source, bytes):
            return onnx.load_model_from_string(source, format="protobuf")
        return onnx.load_model(os.fspath(source), format="protobuf")
    except DecodeError:
        raise Error(f"{_name(source)}: expected an ONNX model, got other bytes") from None
    except OSError as error:
        raise Error(f"{_name(source)}: {error.strerror or one_line(error)}") from None
    except TypeError:
        raise Error(
            "model: expected a path, bytes or an onnx.ModelProto, got "
            f"{type(source).__name__}"
        ) from None
    except (ValueError, onnx.checker.ValidationError) as error:
        raise Error(f"{_name(source)}: {one_line(error)}") from None


def _name(source):
    return "model" if isinstance(source, bytes) else os.fspath(source)


def one_line(error):
    """A message of onnx in one line; what it says first is what is wrong."""
    text = " ".join(str(error).split())
    return text if len(text) <= LONGEST else text[:LONGEST] + " …"


def _check(proto):
    """The version of the operators."""
    versions = [o.version for o in proto.opset_import if o.domain in STANDARD]
    newest = onnx.defs.onnx_opset_version()
    if versions and not FIRST_OPSET <= versions[0] <= newest:
        raise Error(
            f"model: expected operators of version {FIRST_OPSET} to {newest}, "
            f"got {versions[0]}"
        )
    for value in proto.graph.input:
        type = value.type
        if type.HasField("tensor_type") and not type.tensor_type.HasField("shape"):
            raise Error(f"'{value.name}': expected a shape, the model has none")
    try:
        onnx.checker.check_model(proto)
    except onnx.checker.ValidationError as error:
        raise Error(f"model: {one_line(error)}") from None
    if proto.graph.sparse_initializer:
        raise Error("model: expected dense initializers, some are sparse")
    if not versions:
        raise Error("model: expected operators of ONNX, there are only other domains")
    return versions[0]


def _input(proto, name, option):
    for value in proto.graph.input:
        if value.name == name:
            return value
    names = ", ".join(value.name for value in proto.graph.input)
    raise Error(f"{option}: '{name}' is no input of the model, which has {names}")


def _set_shape(value, shape):
    declared = value.type.tensor_type.shape
    rank = len(declared.dim)
    if value.type.tensor_type.HasField("shape") and rank != len(shape):
        raise Error(
            f"shapes: '{value.name}' has {rank} dimensions, got {len(shape)} extents"
        )
    for position, (extent, dim) in enumerate(zip(shape, declared.dim)):
        if dim.HasField("dim_value") and dim.dim_value != extent:
            raise Error(
                f"shapes: dimension {position} of '{value.name}' is {dim.dim_value} "
                f"in the model, got {extent}"
            )
    declared.ClearField("dim")
    for extent in shape:
        declared.dim.add().dim_value = int(extent)


def _bind(proto, value, array):
    """An input becomes an initializer."""
    array = numpy.asarray(array)
    try:
        tensor = onnx.numpy_helper.from_array(array, value.name)
    except (NotImplementedError, KeyError, TypeError, ValueError):
        raise Error(
            f"constants: '{value.name}': expected numbers, got {array.dtype}"
        ) from None
    wanted = value.type.tensor_type.elem_type
    if tensor.data_type != wanted:
        raise Error(
            f"constants: '{value.name}' has elements of "
            f"{onnx.TensorProto.DataType.Name(wanted).lower()}, got {array.dtype}"
        )
    _set_shape(value, array.shape)
    proto.graph.initializer.append(tensor)


def _infer(proto):
    foreign = [n for n in proto.graph.node if n.domain not in STANDARD]
    foreign = [n for n in foreign if not _is_function(proto, n)]
    if foreign:
        raise Error(refusal(foreign))
    try:
        if proto.functions:
            proto = onnx.inliner.inline_local_functions(proto)
        return onnx.shape_inference.infer_shapes(
            proto, check_type=True, strict_mode=True, data_prop=True
        )
    except (
        onnx.shape_inference.InferenceError,
        onnx.checker.ValidationError,
        RuntimeError,
        ValueError,
    ) as error:
        raise Error(f"model: {one_line(error)}") from None


def _is_function(proto, node):
    return any(
        f.name == node.op_type and f.domain == node.domain for f in proto.functions
    )


def refusal(nodes):
    """One message about all nodes that no operator of ours takes."""
    names = ", ".join(
        f"{label(node)}" + (f" of {node.domain}" if node.domain else "") for node in nodes
    )
    what = "node has an operator" if len(nodes) == 1 else "nodes have operators"
    return f"{len(nodes)} {what} that cannot be imported (docs/ONNX.md): {names}"


def label(node):
    """How messages call a node: by its name, or by what it computes."""
    name = node.name or next((o for o in node.output if o), "")
    return f"'{name}' ({node.op_type})"


def _facts(proto, opset):
    graph = proto.graph
    facts = {}
    for value in [*graph.input, *graph.value_info, *graph.output]:
        facts[value.name] = _fact(value)
    constants = {}
    for tensor in graph.initializer:
        constants[tensor.name] = onnx.numpy_helper.to_array(tensor)
        facts[tensor.name] = Fact(tensor.data_type, tuple(tensor.dims))
    return Model(
        _needed(graph),
        [value.name for value in graph.input if value.name not in constants],
        [value.name for value in graph.output],
        facts,
        constants,
        opset,
        graph.name or "model",
    )


def _fact(value):
    if not value.type.HasField("tensor_type"):
        raise Error(
            f"'{value.name}': expected a tensor, got a {value.type.WhichOneof('value')}"
        )
    tensor = value.type.tensor_type
    if not tensor.HasField("shape"):
        return Fact(tensor.elem_type, None)
    extents = [
        dim.dim_value if dim.HasField("dim_value") else None for dim in tensor.shape.dim
    ]
    return Fact(tensor.elem_type, tuple(extents))


def _needed(graph):
    """Nodes whose results reach an output."""
    wanted, nodes = {value.name for value in graph.output}, []
    for node in reversed(graph.node):
        if wanted.intersection(node.output):
            nodes.append(node)
            wanted.update(node.input)
    return nodes[::-1]
