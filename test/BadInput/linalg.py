"""Modules of linalg, tensor and arith with one fault each, and words of their messages."""

# Of module files, as in cases.py.
MODULE = ["--device=emulator", "--target=sm_80"]


def function(body, arguments="%x: tensor<4xf32>", result="tensor<4xf32>", value="%y"):
    """A function whose lines begin at line 2 of the file."""
    return f"func.func @main({arguments}) -> {result} {{\n{body}  return {value} : {result}\n}}\n"


NAMED_ARGUMENTS = "%x: tensor<1x8x4x5xf32>, %w: tensor<6x8x3x2xf32>"
NAMED = function(
    """  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x6x2x4xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<1x6x2x4xf32>) -> tensor<1x6x2x4xf32>
  %y = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<1x8x4x5xf32>, tensor<6x8x3x2xf32>) outs(%i : tensor<1x6x2x4xf32>) -> tensor<1x6x2x4xf32>
""",
    NAMED_ARGUMENTS,
    "tensor<1x6x2x4xf32>",
)
GROUPED = function(
    """  %z = arith.constant dense<0.0> : tensor<1x2x3x2x4xf32>
  %y = linalg.conv_2d_ngchw_fgchw
      ins(%x, %w : tensor<1x2x4x4x5xf32>, tensor<3x2x4x3x2xf32>) outs(%z : tensor<1x2x3x2x4xf32>) -> tensor<1x2x3x2x4xf32>
""",
    "%x: tensor<1x2x4x4x5xf32>, %w: tensor<3x2x4x3x2xf32>",
    "tensor<1x2x3x2x4xf32>",
)
GENERIC = function(
    """  %i = arith.constant dense<0.0> : tensor<1x2x4x6xf32>
  %y = linalg.generic {indexing_maps = [
      affine_map<(n, p, q, k, r, s, c) -> (n, p + r, q + s, c)>,
      affine_map<(n, p, q, k, r, s, c) -> (k, r, s, c)>,
      affine_map<(n, p, q, k, r, s, c) -> (n, p, q, k)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
    ins(%x, %w : tensor<1x4x5x8xf32>, tensor<6x3x2x8xf32>) outs(%i : tensor<1x2x4x6xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  } -> tensor<1x2x4x6xf32>
""",
    "%x: tensor<1x4x5x8xf32>, %w: tensor<6x3x2x8xf32>",
    "tensor<1x2x4x6xf32>",
)
MAP = function(
    """  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> (d)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %r = math.absf %a : f32
    linalg.yield %r : f32
  } -> tensor<4xf32>
"""
)
PAD = function(
    """  %z = arith.constant 0.0 : f32
  %y = tensor.pad %x low[1, 0] high[0, 2] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f32
  } : tensor<4x5xf32> to tensor<5x7xf32>
""",
    "%x: tensor<4x5xf32>",
    "tensor<5x7xf32>",
)
SLICE = function(
    """  %y = tensor.extract_slice %x[1, 0] [3, 2] [1, 3] : tensor<4x5xf32> to tensor<3x2xf32>
""",
    "%x: tensor<4x5xf32>",
    "tensor<3x2xf32>",
)
INSERT = function(
    """  %z = arith.constant dense<0.0> : tensor<7x5xf32>
  %y = tensor.insert_slice %x into %z[0, 0] [4, 5] [2, 1] : tensor<4x5xf32> into tensor<7x5xf32>
""",
    "%x: tensor<4x5xf32>",
    "tensor<7x5xf32>",
)
TRANSPOSE = function(
    """  %e = tensor.empty() : tensor<5x4xf32>
  %y = linalg.transpose ins(%x : tensor<4x5xf32>) outs(%e : tensor<5x4xf32>) permutation = [1, 0]
""",
    "%x: tensor<4x5xf32>",
    "tensor<5x4xf32>",
)
COLLAPSE = function(
    """  %y = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x3x4xf32> into tensor<6x4xf32>
""",
    "%x: tensor<2x3x4xf32>",
    "tensor<6x4xf32>",
)
POOL = function(
    """  %i = arith.constant dense<0.0> : tensor<1x8x2x4xf32>
  %t = tensor.empty() : tensor<3x2xf32>
  %y = linalg.pooling_nchw_max ins(%x, %t : tensor<1x8x4x5xf32>, tensor<3x2xf32>) outs(%i : tensor<1x8x2x4xf32>) -> tensor<1x8x2x4xf32>
""",
    "%x: tensor<1x8x4x5xf32>",
    "tensor<1x8x2x4xf32>",
)
MATMUL = function(
    """  %i = arith.constant dense<0.0> : tensor<4x6xf32>
  %y = linalg.matmul ins(%x, %w : tensor<4x5xf32>, tensor<5x6xf32>) outs(%i : tensor<4x6xf32>) -> tensor<4x6xf32>
""",
    "%x: tensor<4x5xf32>, %w: tensor<5x6xf32>",
    "tensor<4x6xf32>",
)
CONCAT = function(
    """  %y = tensor.concat dim(1) %x, %w : (tensor<4x5xf32>, tensor<4x6xf32>) -> tensor<4x11xf32>
""",
    "%x: tensor<4x5xf32>, %w: tensor<4x6xf32>",
    "tensor<4x11xf32>",
)


def absf(operations, yielded="%r"):
    """MAP with another body."""
    return MAP.replace("    %r = math.absf %a : f32\n", operations).replace(
        "linalg.yield %r", f"linalg.yield {yielded}"
    )


# Name of the file: its text, and words of the message.
TABLE = {
    # Named convolutions.
    "named-rank": (NAMED.replace("6x8x3x2", "6x8x3"), ["named-rank.mlir:5:", "rank (3)", "(4)"]),
    "named-channels": (
        NAMED.replace("6x8x3x2", "6x7x3x2"),
        ["named-channels.mlir:5:", "dimension #1 to be 8, but found 7"],
    ),
    "named-filters": (
        NAMED.replace("6x8x3x2", "5x8x3x2"),
        ["named-filters.mlir:5:", "dimension #1 to be 5, but found 6"],
    ),
    "named-window": (
        NAMED.replace("6x8x3x2", "6x8x7x2"),
        ["named-window.mlir:5:", "greater than or equal to 8, but found 4"],
    ),
    "named-result": (
        NAMED.replace("1x6x2x4", "1x6x3x4"),
        ["named-result.mlir:5:", "greater than or equal to 5, but found 4"],
    ),
    "named-batch": (
        NAMED.replace("1x6x2x4", "2x6x2x4"),
        ["named-batch.mlir:5:", "dimension #0 to be 1, but found 2"],
    ),
    "named-stride": (
        NAMED.replace("strides = dense<1>", "strides = dense<0>"),
        ["named-stride.mlir:5:", "unexpected loop dimension"],
    ),
    "named-back": (
        NAMED.replace("strides = dense<1>", "strides = dense<-1>"),
        ["named-back.mlir:5:", "unexpected result less than 0", "-d2 + d5"],
    ),
    "named-strides": (
        NAMED.replace("strides = dense<1> : tensor<2xi64>", "strides = dense<1> : tensor<3xi64>"),
        ["named-strides.mlir:5:", "'strides'", "shape [2]"],
    ),
    "named-dilation": (
        NAMED.replace("dilations = dense<1>", "dilations = dense<4>"),
        ["named-dilation.mlir:5:", "greater than or equal to 10, but found 4"],
    ),
    "named-attribute": (
        NAMED.replace("dilations = dense<1> : tensor<2xi64>", "dilations = 1 : i64"),
        ["named-attribute.mlir:5:", "'dilations'", "elements attribute"],
    ),
    "named-one": (
        NAMED.replace("ins(%x, %w : tensor<1x8x4x5xf32>, tensor<6x8x3x2xf32>)", "ins(%x : tensor<1x8x4x5xf32>)"),
        ["named-one.mlir:7:", "expects 3 args, got 2"],
    ),
    "named-dynamic": (
        NAMED.replace("1x8x4x5", "?x8x4x5"),
        ["named-dynamic.mlir:1:", "argument0", "static shape", "?x8x4x5"],
    ),
    "named-integers": (
        NAMED.replace("f32", "i16").replace("0.0", "0"),
        ["named-integers.mlir:1:", "argument0", "got tensor<1x8x4x5xi16>"],
    ),
    "named-unsigned": (
        NAMED.replace("f32", "ui8").replace("0.0", "0"),
        ["named-unsigned.mlir:2:", "must be signless"],
    ),
    "named-complex": (
        NAMED.replace("f32", "complex<f32>").replace("arith.constant 0.0", "complex.constant [0.0 : f32, 0.0 : f32]"),
        ["named-complex.mlir:1:", "argument0", "complex<f32>"],
    ),
    "named-index": (
        NAMED.replace("f32", "index").replace("0.0", "0"),
        ["named-index.mlir:5:", "allInteger, got 'index'"],
    ),
    "named-memory": (
        NAMED.replace("tensor<1x8x4x5xf32>", "memref<1x8x4x5xf32>"),
        ["named-memory.mlir:5:", "tensor or buffer semantics"],
    ),
    "named-name": (
        NAMED.replace("conv_2d_nchw_fchw", "conv_2d_nchw_kcrs"),
        ["named-name.mlir:5:", "'linalg.conv_2d_nchw_kcrs'", "is unknown", "lower others to these"],
    ),
    "named-hostile": (
        NAMED.replace("conv_2d_nchw_fchw", "conv_2d_%s%n\\x00"),
        ["named-hostile.mlir:5:", "'linalg.conv_2d_'", "is unknown"],
    ),
    "named-name-of-main": (
        NAMED.replace("@main", '@"\\00; rm -rf / %s"'),
        ["named-name-of-main.mlir:1:", "rm -rf / %s", "expected a name of letters, digits and '_'"],
    ),
    "named-empty": (
        NAMED.replace("1x8x4x5", "1x8x0x5"),
        ["named-empty.mlir:5:", "memref<1x8x0x5xf32>"],
    ),
    "named-huge": (
        NAMED.replace("1x8x4x5", "1x8x4x99999999999999999999"),
        ["named-huge.mlir:1:", "invalid dimension"],
    ),
    "named-large": (
        NAMED.replace("1x8x4x5", "1x8x4x4611686018427387904").replace("1x6x2x4", "1x6x2x4611686018427387903"),
        ["GiB", "memory"],
    ),
    "groups-differ": (
        GROUPED.replace("3x2x4x3x2", "3x3x4x3x2"),
        ["groups-differ.mlir:3:", "dimension #1 to be 2, but found 3"],
    ),
    "groups-channels": (
        GROUPED.replace("3x2x4x3x2", "3x2x5x3x2"),
        ["groups-channels.mlir:3:", "dimension #2 to be 4, but found 5"],
    ),
    # Convolutions as linalg.generic.
    "generic-maps": (
        GENERIC.replace("      affine_map<(n, p, q, k, r, s, c) -> (k, r, s, c)>,\n", ""),
        ["generic-maps.mlir:3:", "indexing_map (2)", "operands (3)"],
    ),
    "generic-results": (
        GENERIC.replace("-> (k, r, s, c)>", "-> (k, r, s)>"),
        ["generic-results.mlir:3:", "operand #1 rank (4)", "indexing_map (3)"],
    ),
    "generic-loops": (
        GENERIC.replace('"parallel", "parallel", "parallel", "parallel"', '"parallel", "parallel", "parallel"'),
        ["generic-loops.mlir:3:", "indexing_map #0 to have 6 dim(s)"],
    ),
    "generic-kind": (
        GENERIC.replace('"parallel", "parallel", "parallel", "parallel"', '"parallel", "parallel", "parallel", "sequential"'),
        ["generic-kind.mlir:8:", "unexpected iterator_type (sequential)"],
    ),
    "generic-extents": (
        GENERIC.replace("6x3x2x8", "6x3x2x9"),
        ["generic-extents.mlir:3:", "dimension #3 to be 8, but found 9"],
    ),
    "generic-reach": (
        GENERIC.replace("p + r,", "p + r * 2,"),
        ["generic-reach.mlir:3:", "greater than or equal to 6, but found 4"],
    ),
    "generic-negative": (
        GENERIC.replace("p + r,", "p - r,"),
        ["generic-negative.mlir:3:", "unexpected result less than 0", "d1 - d4"],
    ),
    "generic-square": (
        GENERIC.replace("p + r,", "p * r,"),
        ["generic-square.mlir:4:", "non-affine expression"],
    ),
    "generic-dims": (
        GENERIC.replace("affine_map<(n, p, q, k, r, s, c) -> (k, r, s, c)>", "affine_map<(n, p, q, k, r, s) -> (k, r, s, 0)>"),
        ["generic-dims.mlir:3:", "indexing_map #1 to have 7 dim(s)"],
    ),
    "generic-symbol": (
        GENERIC.replace("affine_map<(n, p, q, k, r, s, c) -> (k,", "affine_map<(n, p, q, k, r, s, c)[m] -> (k + m,"),
        ["generic-symbol.mlir:3:", "unexpected symbols in indexing_map #1"],
    ),
    "generic-body": (
        GENERIC.replace("^bb0(%a: f32, %b: f32, %sum: f32)", "^bb0(%a: f32, %sum: f32)").replace("%a, %b", "%a, %a"),
        ["generic-body.mlir:3:", "region arguments", "number of input/output operands"],
    ),
    "generic-types": (
        GENERIC.replace("^bb0(%a: f32, %b: f32,", "^bb0(%a: f32, %b: f16,"),
        ["generic-types.mlir:10:", "'f32' vs 'f16'"],
    ),
    "generic-yields": (
        GENERIC.replace("linalg.yield %s : f32", "linalg.yield %s, %p : f32, f32"),
        ["generic-yields.mlir:12:", "yield values (2)", "(1)"],
    ),
    "generic-undefined": (
        GENERIC.replace("arith.mulf %a, %b", "arith.mulf %a, %nothing"),
        ["generic-undefined.mlir:10:", "undeclared SSA value"],
    ),
    "generic-empty": (
        GENERIC.replace("arith.constant dense<0.0>", "tensor.empty()"),
        ["generic-empty.mlir:3:", "reads operand 2", "contents are undefined"],
    ),
    # Element by element.
    "body-call": (
        absf("    %r = func.call @main(%x) : (tensor<4xf32>) -> tensor<4xf32>\n", "%a"),
        ["body-call.mlir:6:", "'func.call' op has no kernel"],
    ),
    "body-assert": (
        absf('    %t = arith.cmpf oeq, %a, %a : f32\n    cf.assert %t, "no %s"\n', "%a"),
        ["body-assert.mlir:7:", "'cf.assert' op has no kernel", "'no %s'"],
    ),
    "body-unknown": (
        absf("    %r = math.of_a_poem %a : f32\n"),
        ["body-unknown.mlir:6:", "'math.of_a_poem'", "is unknown"],
    ),
    "body-reads-result": (
        absf("    %r = arith.addf %a, %b : f32\n"),
        ["body-reads-result.mlir:3:", "reads operand 1", "contents are undefined"],
    ),
    "body-reads-outside": (
        absf("    %i = linalg.index 3 : index\n    %r = tensor.extract %x[%i] : tensor<4xf32>\n"),
        ["body-reads-outside.mlir:6:", "dim (3)", "number of loops (1)"],
    ),
    "body-index-types": (
        absf("    %i = linalg.index 0 : index\n    %r = arith.addf %a, %i : f32\n"),
        ["body-index-types.mlir:7:", "'f32' vs 'index'"],
    ),
    "body-complex": (
        absf("    %r = complex.abs %a : f32\n"),
        ["body-complex.mlir:6:", "expected builtin.complex, but found 'f32'"],
    ),
    # Copies, views, poolings, products.
    "pad-extents": (
        PAD.replace("5x7", "5x8"),
        ["pad-extents.mlir:3:", "tensor<5x8xf32>", "tensor<5x7xf32>"],
    ),
    "pad-rank": (
        PAD.replace("low[1, 0]", "low[1]"),
        ["pad-rank.mlir:3:", "failed to infer", "tensor<4x5xf32>"],
    ),
    "pad-negative": (
        PAD.replace("low[1, 0]", "low[-9, 0]"),
        ["pad-negative.mlir:3:", "tensor<5x7xf32>", "tensor<-5x7xf32>"],
    ),
    "pad-type": (
        PAD.replace("0.0 : f32", "0.0 : f16").replace("yield %z : f32", "yield %z : f16"),
        ["pad-type.mlir:3:", "yield type to match"],
    ),
    "pad-nothing": (
        PAD.replace("    tensor.yield %z : f32\n", ""),
        ["pad-nothing.mlir:3:", "requires a single operand"],
    ),
    "pad-arguments": (
        PAD.replace("%i: index, %j: index", "%i: index"),
        ["pad-arguments.mlir:3:", "2 arguments"],
    ),
    "slice-outside": (
        SLICE.replace("[1, 0]", "[2, 0]"),
        ["slice-outside.mlir:2:", "dimension 0 runs out-of-bounds: 4 >= 4"],
    ),
    "slice-stride": (
        SLICE.replace("[1, 3]", "[1, 5]"),
        ["slice-stride.mlir:2:", "dimension 1 runs out-of-bounds: 5 >= 5"],
    ),
    "slice-rank": (
        SLICE.replace("[1, 0] [3, 2] [1, 3]", "[1] [3] [1]"),
        ["slice-rank.mlir:2:", "expected 2 offset values, got 1"],
    ),
    "slice-type": (
        SLICE.replace("tensor<3x2xf32>", "tensor<3x3xf32>"),
        ["slice-type.mlir:2:", "expected type to be 'tensor<3x2xf32>'"],
    ),
    "slice-negative": (
        SLICE.replace("[1, 0] [3", "[-1, 0] [3"),
        ["slice-negative.mlir:2:", "non-negative, but got -1"],
    ),
    "insert-outside": (
        INSERT.replace("[2, 1]", "[3, 1]"),
        ["insert-outside.mlir:3:", "dimension 0 runs out-of-bounds: 9 >= 7"],
    ),
    "insert-types": (
        INSERT.replace("tensor<7x5xf32>", "tensor<7x5xf16>"),
        ["insert-types.mlir:3:", "expected element type to be 'f16'"],
    ),
    "insert-nowhere": (
        INSERT.replace("into %z", "into %nowhere"),
        ["insert-nowhere.mlir:3:", "undeclared SSA value"],
    ),
    "transpose-twice": (
        TRANSPOSE.replace("[1, 0]", "[1, 1]"),
        ["transpose-twice.mlir:3:", "permutation is not valid"],
    ),
    "transpose-extents": (
        TRANSPOSE.replace("[1, 0]", "[0, 1]"),
        ["transpose-extents.mlir:3:", "= 5", "= 4"],
    ),
    "transpose-rank": (
        TRANSPOSE.replace("[1, 0]", "[1, 0, 2]"),
        ["transpose-rank.mlir:3:", "permutation 3", "rank 2"],
    ),
    "collapse-product": (
        COLLAPSE.replace("6x4", "5x4"),
        ["collapse-product.mlir:2:", "static value of 6"],
    ),
    "collapse-order": (
        COLLAPSE.replace("[[0, 1], [2]]", "[[0, 2], [1]]"),
        ["collapse-order.mlir:2:", "valid and contiguous"],
    ),
    "collapse-missing": (
        COLLAPSE.replace("[[0, 1], [2]]", "[[0, 1]]"),
        ["collapse-missing.mlir:2:", "rank (2)", "maps (1)"],
    ),
    "pool-window": (
        POOL.replace("3x2xf32", "5x2xf32"),
        ["pool-window.mlir:4:", "greater than or equal to 6, but found 4"],
    ),
    "pool-channels": (
        POOL.replace("1x8x2x4", "1x7x2x4"),
        ["pool-channels.mlir:4:", "dimension #1 to be 8, but found 7"],
    ),
    "matmul-inner": (
        MATMUL.replace("5x6", "4x6"),
        ["matmul-inner.mlir:3:", "dimension #0 to be 5, but found 4"],
    ),
    "matmul-rank": (
        MATMUL.replace("tensor<5x6xf32>", "tensor<5x6x1xf32>"),
        ["matmul-rank.mlir:3:", "rank (3)", "(2)"],
    ),
    "concat-extents": (CONCAT.replace("4x6", "3x6"), ["concat-extents.mlir:2:", "dimension 0"]),
    "concat-dimension": (
        CONCAT.replace("dim(1)", "dim(2)"),
        ["concat-dimension.mlir:2:", "less than the tensor rank"],
    ),
    "concat-none": (
        CONCAT.replace("%x, %w : (tensor<4x5xf32>, tensor<4x6xf32>)", ": ()"),
        ["concat-none.mlir:2:", "at least one input"],
    ),
    "constant-count": (
        INSERT.replace("dense<0.0> : tensor<7x5xf32>", "dense<[0.0, 1.0]> : tensor<7x5xf32>"),
        ["constant-count.mlir:2:", "([2])", "([7, 5])"],
    ),
    "constant-type": (
        INSERT.replace("dense<0.0> : tensor<7x5xf32>", "dense<true> : tensor<7x5xf32>"),
        ["constant-type.mlir:2:", "floating point literal"],
    ),
    "constant-text": (
        INSERT.replace("dense<0.0> : tensor<7x5xf32>", 'dense<"0xZZ"> : tensor<7x5xf32>'),
        ["constant-text.mlir:2:", "hex digits"],
    ),
}
FILES = {name + ".mlir": text for name, (text, words) in TABLE.items()}
CASES = [(MODULE + [name + ".mlir"], words) for name, (text, words) in TABLE.items()]
