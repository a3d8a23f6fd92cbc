"""Prints a module that computes every problem of problems.py in all three kinds
and compares with the definition.

`main` prints a line for each result that differs anywhere, then how many results
it compared and how many were wrong. Destinations hold NaN beforehand, so that an
element that is not written is an element that differs.

With an argument, only the problems whose line contains it.
"""

import struct
import sys

from definition import Problem, define, random_data, size
from problems import CLOSED_FORMS, GRIDS, WINDOWS

NAN = "0x7FC00000"

PRELUDE = """
func.func private @verifyMemRefF32(memref<*xf32>, memref<*xf32>) -> i64
  attributes {llvm.emit_c_interface}

// 0 if the tensors are equal, else 1.
func.func private @differs(%got: memref<*xf32>, %want: memref<*xf32>) -> i64 {
  %errors = call @verifyMemRefF32(%got, %want) : (memref<*xf32>, memref<*xf32>) -> i64
  %zero = arith.constant 0 : i64
  %any = arith.cmpi ne, %errors, %zero : i64
  %result = arith.extui %any : i1 to i64
  return %result : i64
}
"""


def tensor_type(shape):
    return f"tensor<{'x'.join(map(str, shape))}xf32>"


def memref_type(shape):
    return f"memref<{'x'.join(map(str, shape))}xf32>"


def constant(name, values, shape):
    data = struct.pack(f"<{len(values)}f", *values).hex()
    return f'  {name} = arith.constant dense<"0x{data}"> : {tensor_type(shape)}\n'


def window(problem):
    pads = zip(problem.pad_low, problem.pad_high)
    return (
        f"stride {problem.stride} pad [{', '.join(f'{low}:{high}' for low, high in pads)}] "
        f"dilation {problem.dilation} input_dilation {problem.input_dilation} "
        f"groups {problem.groups}{' flip' * problem.flip}"
    )


def function(name, kind, problem, shapes):
    """The function that the compiler under test gets to see."""
    a, b, result = map(tensor_type, shapes)
    return (
        f"func.func @{name}(%a: {a}, %b: {b}, %dest: {result}) -> {result} {{\n"
        f"  %result = conv.{kind} ins(%a, %b : {a}, {b}) outs(%dest : {result}) "
        f"{window(problem)} -> {result}\n"
        f"  return %result : {result}\n}}\n"
    )


def check(name, kind, problem, shapes, values):
    """A function that calls `name` and returns 1 if the result is wrong."""
    a, b, result = map(tensor_type, shapes)
    buffer = memref_type(shapes[2])
    text = f"func.func private @check_{name}() -> i64 {{\n"
    for operand, data, shape in zip(("%a", "%b", "%want"), values, shapes):
        text += constant(operand, data, shape)
    text += f"  %dest = arith.constant dense<{NAN}> : {result}\n"
    text += f"  %got = call @{name}(%a, %b, %dest) : ({a}, {b}, {result}) -> {result}\n"
    for operand in ("got", "want"):
        text += f"  %{operand}_buffer = bufferization.to_buffer %{operand} : {result} to {buffer}\n"
        text += f"  %{operand}_cast = memref.cast %{operand}_buffer : {buffer} to memref<*xf32>\n"
    return text + (
        "  %wrong = call @differs(%got_cast, %want_cast) : (memref<*xf32>, memref<*xf32>) -> i64\n"
        "  %is_wrong = arith.trunci %wrong : i64 to i1\n"
        f'  scf.if %is_wrong {{ vector.print str "wrong: {kind} {problem.text}\\0A" }}\n'
        "  return %wrong : i64\n}\n"
    )


def main_function(names):
    text = "func.func @main() {\n  %sum0 = arith.constant 0 : i64\n"
    for i, name in enumerate(names):
        text += f"  %wrong{i} = call @check_{name}() : () -> i64\n"
        text += f"  %sum{i + 1} = arith.addi %sum{i}, %wrong{i} : i64\n"
    return text + (
        f'  vector.print str "{len(names)} results, wrong: "\n'
        f"  vector.print %sum{len(names)} : i64\n  return\n}}\n"
    )


def problems(part):
    """Pairs of a problem and its data [x, w, dy]."""
    lines = [line for line in (WINDOWS + GRIDS).splitlines() if line and part in line]
    for seed, problem in enumerate(map(Problem, lines)):
        shapes = problem.shape_x, problem.shape_w, problem.shape_y
        yield problem, [random_data(shape, 3 * seed + i) for i, shape in enumerate(shapes)]
    for problem in map(Problem, (line for line in CLOSED_FORMS if part in line)):
        shapes = problem.shape_x, problem.shape_w, problem.shape_y
        yield problem, [[1] * size(shape) for shape in shapes]


def check_closed_form(problem, kind, values, shape):
    """The definition itself must give what is known without it."""
    wanted_kind, wanted = CLOSED_FORMS.get(problem.text, (None, None))
    if wanted_kind == kind:
        got = values[:: shape[-1]][: len(wanted)]
        assert got == wanted, f"{kind} {problem.text}: the definition gives {got}"


def generate(part=""):
    yield PRELUDE
    names = []
    for i, (problem, (x, w, dy)) in enumerate(problems(part)):
        y, dx, dw = define(problem, x, w, dy)
        shape_x, shape_w, shape_y = problem.shape_x, problem.shape_w, problem.shape_y
        for kind, shapes, values in (
            ("forward", (shape_x, shape_w, shape_y), (x, w, y)),
            ("dgrad", (shape_y, shape_w, shape_x), (dy, w, dx)),
            ("wgrad", (shape_x, shape_y, shape_w), (x, dy, dw)),
        ):
            check_closed_form(problem, kind, values[2], shapes[2])
            names.append(f"{kind}_{i}")
            yield function(names[-1], kind, problem, shapes)
            yield check(names[-1], kind, problem, shapes, values)
    yield main_function(names)


if __name__ == "__main__":
    print("".join(generate(*sys.argv[1:])))
