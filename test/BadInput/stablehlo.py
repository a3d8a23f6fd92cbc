"""Texts of StableHLO with one fault each, for the table of cases.py."""

TYPES = "(tensor<1x4x5x8xf32>, tensor<8x3x3x8xf32>) -> tensor<1x4x5x8xf32>"
DIMS = "dim_numbers = [b, 0, 1, f]x[o, 0, 1, i]->[b, 0, 1, f]"
WINDOW = "window = {stride = [1, 1], pad = [[1, 1], [1, 1]]}"
GROUPS = "{batch_group_count = 1 : i64, feature_group_count = 1 : i64}"
GOOD = f"""func.func @main(%x: tensor<1x4x5x8xf32>, %w: tensor<8x3x3x8xf32>) -> tensor<1x4x5x8xf32> {{
  %y = stablehlo.convolution(%x, %w) {DIMS}, {WINDOW} {GROUPS} : {TYPES}
  return %y : tensor<1x4x5x8xf32>
}}
"""
POPCNT = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = stablehlo.popcnt %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
"""
# Each function calls the one before it twice.
DOUBLING = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = call @f40(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func private @f0(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = stablehlo.add %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
""" + "".join(
    f"""func.func private @f{i}(%x: tensor<4xf32>) -> tensor<4xf32> {{
  %y = call @f{i - 1}(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %z = call @f{i - 1}(%y) : (tensor<4xf32>) -> tensor<4xf32>
  return %z : tensor<4xf32>
}}
"""
    for i in range(1, 41)
)
ITSELF = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = stablehlo.add %x, %x : tensor<4xf32>
  %z = call @main(%y) : (tensor<4xf32>) -> tensor<4xf32>
  return %z : tensor<4xf32>
}
"""
SAME = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = stablehlo.reshape %x : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
"""
TOKEN = """func.func @main(%x: tensor<4xf32>, %t: !stablehlo.token) -> tensor<4xf32> {
  %y = stablehlo.add %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
"""
REDUCE = """func.func @main(%x: tensor<4x8xf32>, %v: tensor<f32>) -> tensor<8xf32> {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %y = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}
"""
BODY = """func.func @main(%x: tensor<4x8xf32>) -> tensor<8xf32> {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %y = "stablehlo.reduce"(%x, %c) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}
"""
ADDED = """  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
"""

FILES = {
    "product.mlir": REDUCE.replace("stablehlo.add", "stablehlo.multiply"),
    "reducer.mlir": REDUCE.replace("applies stablehlo.add", "reducer"),
    "no-init.mlir": REDUCE.replace(" init: %c", ""),
    "first-value.mlir": REDUCE.replace("init: %c", "init: %v"),
    "across.mlir": REDUCE.replace("[0]", "[2]"),
    "no-types.mlir": REDUCE.replace(": (tensor<4x8xf32>, tensor<f32>) -> tensor<8xf32>", ": () -> ()"),
    "no-tensors.mlir": REDUCE.replace("init: %c", "init: %v")
    .replace("@main(%x: tensor<4x8xf32>, %v: tensor<f32>", "@main(%x: f32, %v: f32")
    .replace("(tensor<4x8xf32>, tensor<f32>) -> t", "(f32, f32) -> t"),
    "body.mlir": BODY,
    "window-of-a-pooling.mlir": BODY.replace('"stablehlo.reduce"', '"stablehlo.reduce_window"'),
    "no-body.mlir": BODY.replace(ADDED, "").replace("stablehlo.return %a : tensor<f32>", ""),
    "no-arguments.mlir": BODY.replace(ADDED, "").replace("stablehlo.return %a", "stablehlo.return %c"),
    "twice.mlir": GOOD.replace("[b, 0, 1, f]x", "[b, 0, b, f]x"),
    "no-dim.mlir": GOOD.replace("[o, 0, 1, i]", "[o, 0, 2, i]"),
    "letter.mlir": GOOD.replace("[o, 0, 1, i]", "[b, 0, 1, i]"),
    "no-numbers.mlir": GOOD.replace(DIMS + ", ", ""),
    "no-window.mlir": GOOD.replace(WINDOW, ""),
    "window.mlir": GOOD.replace("{stride", "{strides"),
    "rank.mlir": GOOD.replace(DIMS, "dim_numbers = [b, 0, f]x[o, 0, i]->[b, 0, f]"),
    "lists.mlir": GOOD.replace("[1, 1], pad", "[1, 1, 1], pad"),
    "pad.mlir": GOOD.replace("[[1, 1], [1, 1]]", "[[1], [1]]"),
    "huge.mlir": GOOD.replace("[[1, 1], [1, 1]]", f"[[{2**63 - 1}, 1], [1, 1]]"),
    "huger.mlir": GOOD.replace("[[1, 1], [1, 1]]", f"[[{2**70}, 1], [1, 1]]"),
    "stride.mlir": GOOD.replace("stride = [1, 1]", "stride = [0, 1]"),
    "groups.mlir": GOOD.replace("feature_group_count = 1", "feature_group_count = 3"),
    "result.mlir": GOOD.replace("tensor<1x4x5x8xf32>\n", "tensor<1x4x6x8xf32>\n").replace(
        "-> tensor<1x4x5x8xf32> {", "-> tensor<1x4x6x8xf32> {"
    ),
    "dynamic.mlir": GOOD.replace("1x4x5x8", "1x4x?x8"),
    "complex.mlir": GOOD.replace("f32", "complex<f32>"),
    "unsigned.mlir": GOOD.replace("f32", "ui8"),
    "wide.mlir": GOOD.replace("f32", "i32"),
    "mixed.mlir": GOOD.replace("8x3x3x8xf32", "8x3x3x8xbf16"),
    "precision.mlir": GOOD.replace(
        "feature_group_count = 1 : i64",
        "feature_group_count = 1 : i64, precision_config = [#stablehlo<precision LOW>]",
    ),
    "token.mlir": TOKEN,
    "popcnt.mlir": POPCNT,
    "generic.mlir": POPCNT.replace(
        "stablehlo.popcnt %x : tensor<4xf32>",
        '"stablehlo.popcnt"(%x) : (tensor<4xf32>) -> tensor<4xf32>',
    ),
    "chlo.mlir": POPCNT.replace("stablehlo.popcnt %x :", "chlo.lgamma %x : tensor<4xf32> ->"),
    "itself.mlir": ITSELF,
    "doubling.mlir": DOUBLING,
    "same.mlir": SAME,
}
