"""The state of an export: what each node of PyTorch's graph has become."""

from dataclasses import dataclass
from typing import Any, Tuple

import torch

from .._library import Error
from .._module_text import Value, wide

ELEMENTS = {
    torch.float32: "f32",
    torch.float16: "f16",
    torch.bfloat16: "bf16",
    torch.float64: "f64",
    torch.int8: "i8",
    torch.int32: "i32",
}


@dataclass(frozen=True)
class Fill:
    """A tensor of one number, which is written where it is read."""

    number: float
    type: str
    shape: Tuple[int, ...]


@dataclass(frozen=True)
class Condition:
    """A tensor of booleans, which is computed where it is read."""

    operands: Tuple[Any, ...]
    compute: Any  # (body, scalars) -> Scalar


class Lowering:
    """Operators ask it for operands, and add operations to `function`."""

    def __init__(self, function, tf32):
        self.function = function
        self.tf32 = tf32
        self.values = {}

    def refuse(self, node, text):
        """The Error to raise."""
        return Error(f"'{node.name}' ({node.target}): {text}")

    def result(self, node, value=None):
        """Type and shape of a node's result; one without dimensions has [1]."""
        value = node.meta["val"] if value is None else value
        if not all(isinstance(extent, int) for extent in value.shape):
            raise self.refuse(node, f"expected known extents, got {list(value.shape)}")
        if value.dtype not in ELEMENTS:
            names = ", ".join(str(t).partition(".")[2] for t in ELEMENTS)
            raise self.refuse(node, f"expected elements of {names}, got {value.dtype}")
        return ELEMENTS[value.dtype], tuple(value.shape) or (1,)

    def operand(self, argument):
        """A Value, Fill or Condition of a node, or a number as it is."""
        return self.values[argument] if isinstance(argument, torch.fx.Node) else argument

    def tensor(self, argument):
        """An operand that is a tensor of the function."""
        value = self.operand(argument)
        if isinstance(value, Fill):
            return self.function.filled(value.number, value.type, value.shape)
        if not isinstance(value, Value):
            raise self.refuse(argument, "expected a tensor of numbers")
        return value

    def elementwise(self, node, operands, compute):
        """compute(body, *scalars) of each element, all of the type of the result or
        of the wider one in which it is computed."""
        type, shape = self.result(node)
        inputs, readers = [], []
        for argument in operands:
            self._add_reader(self.operand(argument), wide(type), inputs, readers)
        if not inputs:  # Of numbers only: the first one is a tensor.
            first = next(o for o in operands if isinstance(o, torch.fx.Node))
            number = self.operand(first).number
            inputs.append(self.function.filled(number, type, shape))
            readers[list(operands).index(first)] = _element(0, wide(type))

        def all_of(body, scalars):
            return compute(body, *(reader(body, scalars) for reader in readers))

        return self.function.elementwise(inputs, shape, type, all_of)

    def condition(self, operands, compute):
        return Condition(tuple(map(self.operand, operands)), compute)

    def _add_reader(self, value, type, inputs, readers):
        """How an operand is read: a tensor is an input, a number is written."""
        if isinstance(value, Value):
            readers.append(_element(len(inputs), type))
            inputs.append(value)
        elif isinstance(value, Condition):
            readers.append(self._read_condition(value, inputs))
        else:
            number = value.number if isinstance(value, Fill) else value
            readers.append(lambda body, scalars: body.number(number, type))

    def _read_condition(self, value, inputs):
        types = [o.type for o in value.operands if isinstance(o, (Value, Fill))]
        inner = []
        for operand in value.operands:
            self._add_reader(operand, wide(types[0]), inputs, inner)
        return lambda body, scalars: value.compute(
            body, *(reader(body, scalars) for reader in inner)
        )


def _element(index, type):
    """Reads an input."""

    def read(body, scalars):
        return body.convert(scalars[index], type)

    return read


def numbers(values, count):
    """A list of PyTorch's, which may have one number for all dimensions."""
    values = [values] if isinstance(values, int) else list(values)
    return tuple(values * count if len(values) == 1 else values)


def argument(node, index, default):
    """An argument of an operator that may be left out."""
    return node.args[index] if index < len(node.args) else default
