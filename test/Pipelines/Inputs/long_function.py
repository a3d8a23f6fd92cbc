"""Prints a function of as many steps as the argument says: each takes the mean
of each row off its elements."""

import sys

MATRIX, ROWS = "tensor<6x8xf32>", "tensor<6xf32>"
STEP = """  %b{i} = tensor.empty() : {rows}
  %f{i} = linalg.fill ins(%zero : f32) outs(%b{i} : {rows}) -> {rows}
  %s{i} = linalg.reduce {{ arith.addf }} ins(%x{i} : {matrix}) outs(%f{i} : {rows}) dimensions = [1]
  %e{i} = tensor.empty() : {matrix}
  %x{next} = linalg.generic {{
      indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r)>, affine_map<(r, c) -> (r, c)>],
      iterator_types = ["parallel", "parallel"]}} ins(%x{i}, %s{i} : {matrix}, {rows}) outs(%e{i} : {matrix}) {{
  ^bb0(%x: f32, %sum: f32, %old: f32):
    %mean = arith.mulf %sum, %eighth : f32
    %y = arith.subf %x, %mean : f32
    %z = arith.addf %y, %x : f32
    %half = arith.mulf %z, %scale : f32
    linalg.yield %half : f32
  }} -> {matrix}"""

steps = int(sys.argv[1])
print(f"func.func @main(%x0: {MATRIX}) -> {MATRIX} {{")
for name, value in (("zero", "0.0"), ("eighth", "0.125"), ("scale", "0.5")):
    print(f"  %{name} = arith.constant {value} : f32")
for i in range(steps):
    print(STEP.format(i=i, next=i + 1, rows=ROWS, matrix=MATRIX))
print(f"  return %x{steps} : {MATRIX}\n}}")
