"""Text of a function on tensors, one operation after the other.

What reads programs of other frameworks (conv_mlir.onnx, conv_mlir.torch.export)
writes MLIR by it: operations of the conv dialect, linalg.generic, views. The result
is what compile_module() and conv-run take.
"""

import math
import re
import struct
from dataclasses import dataclass
from typing import Tuple

# Floats by their type: the format of struct, and how many hexadecimal digits.
FLOATS = {"f16": ("<e", 4), "bf16": (None, 4), "f32": ("<f", 8), "f64": ("<d", 16)}
INTEGERS = {"i1": 1, "i8": 8, "i32": 32}


@dataclass(frozen=True)
class Value:
    """A tensor of the function."""

    name: str
    type: str  # Of the elements, as MLIR writes it.
    shape: Tuple[int, ...]

    @property
    def text(self):
        return f"tensor<{''.join(f'{extent}x' for extent in self.shape)}{self.type}>"


@dataclass(frozen=True)
class Scalar:
    """An element within a body."""

    name: str
    type: str


@dataclass(frozen=True)
class Window:
    """How a filter moves over images: an entry for each spatial dimension."""

    stride: Tuple[int, ...]
    low: Tuple[int, ...]  # Padding in front; negative numbers crop.
    high: Tuple[int, ...]
    dilation: Tuple[int, ...]
    groups: int = 1

    def text(self):
        """As operations of the conv dialect have it."""
        pads = ", ".join(f"{low}:{high}" for low, high in zip(self.low, self.high))
        return (
            f"stride {list(self.stride)} pad [{pads}] dilation {list(self.dilation)} "
            f"groups {self.groups}"
        )


def is_float(type):
    return type in FLOATS


def wide(type):
    """The type in which elements are computed: f32 for narrower floats."""
    return "f32" if type in ("f16", "bf16") else type


def literal(number, type):
    """A number as an attribute, to the bit."""
    if not is_float(type):
        return f"{int(number)} : {type}"
    format, digits = FLOATS[type]
    if format is None:  # bf16 is the upper half of f32; numbers here have no more.
        data = struct.pack("<f", number)[2:]
    else:
        data = struct.pack(format, number)
    return f"0x{int.from_bytes(data, 'little'):0{digits}X} : {type}"


class Body:
    """What is computed for one element."""

    def __init__(self, prefix):
        self.lines = []
        self._prefix = prefix

    def apply(self, operation, *operands, type=None):
        """`arith.addf %a, %b : f32`; a type of the result only where it is another."""
        names = ", ".join(operand.name for operand in operands)
        source = operands[-1].type
        suffix = f"{source} to {type}" if type else source
        return self._line(f"{operation} {names} : {suffix}", type or source)

    def number(self, number, type):
        return self._line(f"arith.constant {literal(number, type)}", type)

    def compare(self, predicate, left, right):
        kind = "cmpf" if is_float(left.type) else "cmpi"
        return self._line(
            f"arith.{kind} {predicate}, {left.name}, {right.name} : {left.type}", "i1"
        )

    def select(self, condition, left, right):
        names = f"{condition.name}, {left.name}, {right.name}"
        return self._line(f"arith.select {names} : {left.type}", left.type)

    def convert(self, scalar, type):
        """To another type: nothing where it is the same one."""
        if scalar.type == type:
            return scalar
        return self.apply(_conversion(scalar.type, type), scalar, type=type)

    def _line(self, text, type):
        result = Scalar(f"{self._prefix}{len(self.lines)}", type)
        self.lines.append(f"    {result.name} = {text}")
        return result


def _conversion(source, target):
    if is_float(source) != is_float(target):
        return "arith.sitofp" if is_float(target) else "arith.fptosi"
    width = {**INTEGERS, "f16": 16, "bf16": 16, "f32": 32, "f64": 64}
    grows = width[source] < width[target]
    if is_float(source):
        return "arith.extf" if grows else "arith.truncf"
    return "arith.extsi" if grows else "arith.trunci"


class Function:
    """A function that grows by one operation at a time."""

    def __init__(self, name="main"):
        self.name = clean(name)
        self.arguments = []
        self._lines = []
        self._count = 0
        self._names = set()

    def argument(self, name, type, shape):
        value = Value(self._unique(name), type, tuple(shape))
        self.arguments.append(value)
        return value

    def constant(self, data, type, shape):
        """A tensor of these bytes, which are little-endian and in row-major order."""
        text = f'dense<"0x{bytes(data).hex().upper()}">'
        value = self._new(type, shape)
        self._lines.append(f"  {value.name} = arith.constant {text} : {value.text}")
        return value

    def empty(self, type, shape):
        value = self._new(type, shape)
        self._lines.append(f"  {value.name} = tensor.empty() : {value.text}")
        return value

    def filled(self, number, type, shape):
        start, scalar = self.empty(type, shape), self._scalar(number, type)
        value = self._new(type, shape)
        self._lines.append(
            f"  {value.name} = linalg.fill ins({scalar} : {type}) "
            f"outs({start.name} : {start.text}) -> {value.text}"
        )
        return value

    def convolution(self, kind, sources, shape, type, window, precision=None):
        """conv.forward, conv.dgrad or conv.wgrad with channels first."""
        start, value = self.empty(type, shape), self._new(type, shape)
        names = ", ".join(source.name for source in sources)
        types = ", ".join(source.text for source in sources)
        parameters = window.text() + " layout nchw"
        if precision:
            parameters += f" precision {precision}"
        self._lines.append(
            f"  {value.name} = conv.{kind} ins({names} : {types})\n"
            f"      outs({start.name} : {start.text}) {parameters} -> {value.text}"
        )
        return value

    def elementwise(self, inputs, shape, type, compute):
        """compute(body, scalars) of each element; inputs are broadcast as NumPy does.
        Floats of 16 bits are computed in f32 and rounded once."""
        operands, maps = zip(*(self._broadcast(input, shape) for input in inputs))
        dims = range(len(shape))

        def narrow(body, scalars):
            wider = [body.convert(s, wide(s.type)) for s in scalars]
            return body.convert(compute(body, wider), type)

        return self.generic(operands, maps, list(dims), (), shape, type, narrow)

    def reduce(self, input, axes, type, combine, start):
        """The extents `axes` of an input, in ascending order, become one number."""
        kept = [d for d in range(len(input.shape)) if d not in axes]
        shape = [input.shape[d] for d in kept]
        maps = [[f"d{d}" for d in range(len(input.shape))]]
        begin = self.filled(start, type, shape)
        return self.generic(
            [input], maps, kept, axes, shape, type, combine, begin, len(input.shape)
        )

    def generic(
        self, inputs, maps, result, reductions, shape, type, compute, begin=None, loops=None
    ):
        """linalg.generic. maps: lists of index expressions of d0, d1, …; result: the
        loops of the result's dimensions. With `begin`, compute() has the sum so far
        as its last scalar."""
        loops = len(shape) if loops is None else loops
        start = begin or self.empty(type, shape)
        value = self._new(type, shape)
        maps = [*maps, [f"d{d}" for d in result]]
        kinds = ["reduction" if d in reductions else "parallel" for d in range(loops)]
        self._lines.append(
            f"  {value.name} = linalg.generic {{\n      indexing_maps = ["
            + ", ".join(_map(loops, m) for m in maps)
            + "],\n      iterator_types = ["
            + ", ".join(f'"{kind}"' for kind in kinds)
            + f"]}}{_operands('ins', inputs)} outs({start.name} : {start.text}) {{"
        )
        self._body([i.type for i in inputs] + [type], begin is not None, compute)
        self._lines.append(f"  }} -> {value.text}")
        return value

    def pad(self, value, low, high, number):
        """`number` around a tensor."""
        if not any(low) and not any(high):
            return value
        extents = [l + e + h for l, e, h in zip(low, value.shape, high)]
        scalar, result = self._scalar(number, value.type), self._new(value.type, extents)
        indices = ", ".join(f"%i{d}: index" for d in range(len(extents)))
        self._lines.append(
            f"  {result.name} = tensor.pad {value.name} low{list(low)} high{list(high)} {{\n"
            f"  ^bb0({indices}):\n    tensor.yield {scalar} : {value.type}\n"
            f"  }} : {value.text} to {result.text}"
        )
        return result

    def transpose(self, value, permutation):
        shape = [value.shape[d] for d in permutation]
        start, result = self.empty(value.type, shape), self._new(value.type, shape)
        self._lines.append(
            f"  {result.name} = linalg.transpose ins({value.name} : {value.text}) "
            f"outs({start.name} : {start.text}) permutation = {list(permutation)}"
        )
        return result

    def reshape(self, value, shape):
        """The same elements in row-major order, by way of one row."""
        if tuple(shape) == value.shape:
            return value
        row = self._collapse(value)
        if len(shape) == 1:
            return row
        result = self._new(value.type, shape)
        group = list(range(len(shape)))
        self._lines.append(
            f"  {result.name} = tensor.expand_shape {row.name} [{group if shape else ''}] "
            f"output_shape {list(shape)} : {row.text} into {result.text}"
        )
        return result

    def text(self, results):
        """The whole module."""
        arguments = ", ".join(f"{a.name}: {a.text}" for a in self.arguments)
        types = ", ".join(value.text for value in results)
        names = ", ".join(value.name for value in results)
        lines = "\n".join(self._lines)
        return (
            f"func.func @{self.name}({arguments}) -> ({types}) {{\n{lines}\n"
            f"  return {names} : {types}\n}}\n"
        )

    def _collapse(self, value):
        if len(value.shape) == 1:
            return value
        row = self._new(value.type, [math.prod(value.shape)])
        if not value.shape:
            how = f"tensor.expand_shape {value.name} [] output_shape [1]"
        else:
            group = list(range(len(value.shape)))
            how = f"tensor.collapse_shape {value.name} [{group}]"
        self._lines.append(f"  {row.name} = {how} : {value.text} into {row.text}")
        return row

    def _broadcast(self, value, shape):
        """An operand and its index expressions. Extents of 1 that are repeated are
        dropped: then the map says which loops the operand has."""
        first = len(shape) - len(value.shape)
        if value.shape == tuple(shape):
            return value, [f"d{d}" for d in range(len(shape))]
        kept = [d for d, extent in enumerate(value.shape) if extent != 1]
        operand = self._view(value, [value.shape[d] for d in kept])
        return operand, [f"d{first + d}" for d in kept]

    def _view(self, value, shape):
        if not shape and value.shape:
            return self._without_dimensions(value)
        return self.reshape(value, shape)

    def _without_dimensions(self, value):
        result = self._new(value.type, ())
        self._lines.append(
            f"  {result.name} = tensor.collapse_shape {value.name} [] : "
            f"{value.text} into {result.text}"
        )
        return result

    def _body(self, types, sums, compute):
        prefix = f"%b{self._count}_"
        body = Body(prefix)
        scalars = [Scalar(f"{prefix}in{i}", type) for i, type in enumerate(types)]
        result = compute(body, scalars if sums else scalars[:-1])
        heads = ", ".join(f"{s.name}: {s.type}" for s in scalars)
        self._lines.append(f"  ^bb0({heads}):")
        self._lines += body.lines
        self._lines.append(f"    linalg.yield {result.name} : {result.type}")

    def _scalar(self, number, type):
        self._count += 1
        name = f"%v{self._count}"
        self._lines.append(f"  {name} = arith.constant {literal(number, type)}")
        return name

    def _new(self, type, shape):
        self._count += 1
        return Value(f"%v{self._count}", type, tuple(int(extent) for extent in shape))

    def _unique(self, name):
        """A name of an argument, which messages and reports show."""
        base = name = clean(name)
        number = 1
        while name in self._names:
            number += 1
            name = f"{base}_{number}"
        self._names.add(name)
        return f"%{name}"


def clean(name):
    """What MLIR takes as a name: `v1` and the like are those of operations."""
    name = re.sub("[^A-Za-z0-9_]", "_", name)
    return f"arg_{name}" if not name or re.match(r"[0-9]|[vb][0-9]", name) else name


def _map(loops, indices):
    dims = ", ".join(f"d{d}" for d in range(loops))
    return f"affine_map<({dims}) -> ({', '.join(indices)})>"


def _operands(word, values):
    if not values:
        return ""
    names = ", ".join(value.name for value in values)
    types = ", ".join(value.text for value in values)
    return f"\n      {word}({names} : {types})"
