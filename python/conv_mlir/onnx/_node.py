"""A node of a model while it is imported: its operands, attributes and result."""

import numpy
import onnx

from .._library import Error
from .._module_text import is_float
from ._model import MAX_EXTENT, TYPES, label


class Node:
    """Operators read what they need by it; finish() refuses what none has read."""

    def __init__(self, importer, proto):
        self.importer = importer
        self.function = importer.function
        self.proto = proto
        self.op = proto.op_type
        self.opset = importer.model.opset
        self._attributes = {
            a.name: onnx.helper.get_attribute_value(a) for a in proto.attribute
        }
        self._read = set()

    def refuse(self, text):
        """The Error to raise."""
        return Error(f"node {label(self.proto)}: {text}")

    # Attributes.

    def attribute(self, name, default=None):
        self._read.add(name)
        value = self._attributes.get(name, default)
        return value.decode(errors="replace") if isinstance(value, bytes) else value

    def expect(self, name, *allowed):
        """An attribute of which not every value can be done; the first is the default."""
        value = self.attribute(name, allowed[0])
        if value not in allowed:
            names = " or ".join(map(str, allowed))
            raise self.refuse(f"{name}: expected {names}, got {value}")
        return value

    def integers(self, name, count, default, least):
        """A list attribute, such as strides."""
        values = list(self.attribute(name, [default] * count))
        if len(values) != count:
            raise self.refuse(f"{name}: expected {count} numbers, got {len(values)}")
        for value in values:
            if not least <= value <= MAX_EXTENT:
                raise self.refuse(
                    f"{name}: expected numbers of {least} to {MAX_EXTENT}, got {value}"
                )
        return values

    # Operands.

    def has(self, index):
        return index < len(self.proto.input) and self.proto.input[index] != ""

    def value(self, index):
        """An operand as a tensor of the function."""
        return self.importer.value(self.proto.input[index])

    def values(self):
        return [self.value(i) for i in range(len(self.proto.input))]

    def array(self, index):
        """An operand that is constant, else None."""
        if not self.has(index):
            return None
        return self.importer.constants.get(self.proto.input[index])

    def constant(self, index, what):
        array = self.array(index)
        if array is None:
            raise self.refuse(
                f"{what} '{self.proto.input[index]}': expected a constant, got a value "
                "that is computed, or an input; constants= makes one of an input"
            )
        return array

    def elements(self, index):
        """The type of an operand's elements, as ONNX calls it."""
        return self.importer.fact(self.proto.input[index]).type_name

    def shape(self, index):
        return self.importer.shape(self.proto.input[index])

    def expect_floats(self, *indices):
        for index in indices or range(len(self.proto.input)):
            self._expect(index, is_float, "floats")

    def expect_numbers(self):
        """Floats or int32, in which ONNX computes as MLIR does."""
        for index in range(len(self.proto.input)):
            self._expect(index, lambda t: is_float(t) or t == "i32", "floats or int32")

    def _expect(self, index, test, what):
        if not self.has(index):
            return
        fact = self.importer.fact(self.proto.input[index])
        if not test(TYPES.get(fact.elements, "")):
            raise self.refuse(
                f"'{self.proto.input[index]}': expected elements of {what}, got "
                f"{fact.type_name}"
            )

    # The result.

    @property
    def result_shape(self):
        return self.importer.shape(self.proto.output[0], self)

    @property
    def result_elements(self):
        return self.importer.fact(self.proto.output[0]).type_name

    @property
    def result_type(self):
        return self.importer.type(self.proto.output[0])

    def finish(self, result):
        unknown = sorted(set(self._attributes) - self._read)
        if unknown:
            raise self.refuse(f"attribute '{unknown[0]}' is not supported")
        more = [name for name in self.proto.output[1:] if name]
        if more:
            raise self.refuse(f"its result '{more[0]}' is not supported")
        if tuple(result.shape) != tuple(self.result_shape):
            raise self.refuse(
                f"its result has extents {list(result.shape)}, the model says "
                f"{list(self.result_shape)}"
            )
        return result

    # What several families do.

    def unary(self, compute):
        """compute(body, element) of each element of the first operand."""
        x = self.value(0)
        return self.function.elementwise(
            [x], x.shape, x.type, lambda body, scalars: compute(body, *scalars)
        )

    def number(self, index, what):
        """An operand that is one constant number."""
        array = numpy.asarray(self.constant(index, what))
        if array.size != 1:
            raise self.refuse(f"{what}: expected one number, got {array.size}")
        return array.reshape(()).item()
