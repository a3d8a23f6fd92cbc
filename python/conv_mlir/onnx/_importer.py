"""From the nodes of a model to a function, one after the other."""

import math

import numpy
import onnx
import onnx.reference

from .._library import Error
from .._module_text import Function
from . import _convolutions, _elementwise, _normalisation, _pooling, _quantised, _views
from ._model import MAX_EXTENT, TYPES, Fact, label, one_line, refusal
from ._node import Node
from ._normalisation import fold_normalisations

# An operator's function takes a Node and returns the Value of its first result.
OPERATORS = {
    **_convolutions.OPERATORS,
    **_elementwise.OPERATORS,
    **_normalisation.OPERATORS,
    **_pooling.OPERATORS,
    **_quantised.OPERATORS,
    **_views.OPERATORS,
}

UINT8 = onnx.TensorProto.UINT8
MOST_ELEMENTS = 1 << 28  # Of a constant that is computed by the import.


class Importer:
    """The state of one import.

    A value of uint8 is kept as i8, 128 less: what an i8 of a convolution is. Only
    arguments and results of the function have the bits of the model."""

    def __init__(self, model, tf32):
        self.model = model
        self.tf32 = tf32
        self.constants = dict(model.constants)
        self.function = Function(model.name)
        self._values = {}

    def run(self):
        """The text of the module."""
        fold_normalisations(self.model, self.constants)
        nodes = [node for node in self.model.nodes if not self._fold(node)]
        refused = [node for node in nodes if node.op_type not in OPERATORS]
        if refused:
            raise Error(refusal(refused))
        for name in self.model.inputs:
            self._add_argument(name)
        for proto in nodes:
            node = Node(self, proto)
            self._values[proto.output[0]] = node.finish(OPERATORS[node.op](node))
        return self.function.text([self._result(name) for name in self.model.outputs])

    def value(self, name):
        """A value of the model as a tensor of the function."""
        if name not in self._values:
            self._values[name] = self._constant(name)
        return self._values[name]

    def fact(self, name):
        return self.model.facts.get(name) or Fact(onnx.TensorProto.UNDEFINED, None)

    def type(self, name):
        fact = self.fact(name)
        if fact.elements not in TYPES:
            raise Error(
                f"'{name}': expected elements of float16, bfloat16, float, double, "
                f"int8, uint8 or int32, got {fact.type_name}"
            )
        return TYPES[fact.elements]

    def shape(self, name, node=None):
        """Extents, all known."""
        shape = self.fact(name).shape
        where = f"node {label(node.proto)}: " if node else ""
        if shape is None:
            raise Error(f"{where}'{name}': expected a shape, the model has none")
        for position, extent in enumerate(shape):
            if extent is None:
                raise Error(
                    f"{where}'{name}': dimension {position} is not known; give shapes "
                    "of inputs (shapes=, --shape)"
                )
            if not 0 <= extent <= MAX_EXTENT:
                raise Error(
                    f"{where}'{name}': expected extents of 0 to {MAX_EXTENT}, "
                    f"dimension {position} is {extent}"
                )
        return shape

    def _add_argument(self, name):
        argument = self.function.argument(name, self.type(name), self.shape(name))
        self._values[name] = self._shifted(name, argument)

    def _constant(self, name):
        array, type = self.constants[name], self.type(name)
        if self.fact(name).elements == UINT8:
            array = array ^ numpy.uint8(128)
        data = numpy.ascontiguousarray(array).tobytes()
        return self.function.constant(data, type, array.shape)

    def _result(self, name):
        if name in self.constants and name not in self._values:
            raise Error(f"output '{name}': expected a computed value, it is constant")
        return self._shifted(name, self.value(name))

    def _shifted(self, name, value):
        """From the bits of uint8 to those of i8, and back."""
        if self.fact(name).elements != UINT8:
            return value

        def flip(body, scalars):
            return body.apply("arith.xori", *scalars, body.number(-128, "i8"))

        return self.function.elementwise([value], value.shape, "i8", flip)

    def _fold(self, node):
        """Computes what depends on constants only, by onnx's own evaluator."""
        if node.op_type == "Shape" and node.input[0] not in self.constants:
            shape = self.fact(node.input[0]).shape
            if shape is None or None in shape:
                return False
            inputs = {node.input[0]: numpy.empty(shape, numpy.uint8)}
        elif all(name in self.constants for name in node.input if name):
            inputs = {name: self.constants[name] for name in node.input if name}
        else:
            return False
        if not _is_pure(node):
            return False
        self._check_size(node)
        self._define(node, _evaluate(node, inputs, self.model.opset))
        return True

    def _check_size(self, node):
        """Before memory is taken: a few numbers can ask for any shape."""
        for name in node.output:
            shape = self.fact(name).shape or ()
            elements = math.prod(extent or 0 for extent in shape)
            if elements > MOST_ELEMENTS:
                raise Error(
                    f"node {label(node)}: expected a constant of at most "
                    f"{MOST_ELEMENTS} elements, got {elements}"
                )

    def _define(self, node, results):
        for name, array in zip(node.output, results):
            if name:
                array = numpy.asarray(array)
                self.constants[name] = array
                elements = onnx.helper.np_dtype_to_tensor_dtype(array.dtype)
                self.model.facts[name] = Fact(elements, array.shape)


def _is_pure(node):
    """Whether a node computes the same each time, without subgraphs."""
    graphs = (onnx.AttributeProto.GRAPH, onnx.AttributeProto.GRAPHS)
    if any(attribute.type in graphs for attribute in node.attribute):
        return False
    return not node.op_type.startswith(("Random", "Bernoulli", "Multinomial", "Dropout"))


def _evaluate(node, inputs, opset):
    try:
        evaluator = onnx.reference.ReferenceEvaluator(
            onnx.helper.make_model(
                onnx.helper.make_graph(
                    [node],
                    "constant",
                    [onnx.helper.make_value_info(n, onnx.TypeProto()) for n in inputs],
                    [onnx.helper.make_value_info(n, onnx.TypeProto()) for n in node.output],
                ),
                opset_imports=[onnx.helper.make_opsetid("", opset)],
            )
        )
        return evaluator.run(None, inputs)
    except Exception as error:  # Whatever NumPy and the evaluator raise.
        raise Error(f"node {label(node)}: {one_line(error)}") from None
