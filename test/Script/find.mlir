// Which convolutions a script means: each line of the script meets those of its number.
//
// RUN: conv-opt %s -transform-interpreter -verify-diagnostics

func.func @layers(%x: tensor<2x12x10x8xbf16>, %w: tensor<6x3x5x4xbf16>, %y: tensor<2x5x6x6xbf16>,
                  %line: tensor<2x9x8xf16>, %v: tensor<4x3x8xf16>, %z: tensor<2x7x4xf16>) {
  %0 = tensor.empty() : tensor<2x5x6x6xbf16>
  // expected-remark @+3 {{3x5}}
  // expected-remark @+2 {{two groups}}
  // expected-remark @+1 {{forward}}
  %1 = conv.forward ins(%x, %w : tensor<2x12x10x8xbf16>, tensor<6x3x5x4xbf16>) outs(%0 : tensor<2x5x6x6xbf16>)
                    stride [2, 1] groups 2 -> tensor<2x5x6x6xbf16>
  %2 = tensor.empty() : tensor<2x12x10x8xbf16>
  // expected-remark @+3 {{3x5}}
  // expected-remark @+2 {{two groups}}
  // expected-remark @+1 {{dgrad}}
  %3 = conv.dgrad ins(%y, %w : tensor<2x5x6x6xbf16>, tensor<6x3x5x4xbf16>) outs(%2 : tensor<2x12x10x8xbf16>)
                  stride [2, 1] groups 2 -> tensor<2x12x10x8xbf16>
  %4 = tensor.empty() : tensor<2x7x4xf16>
  // expected-remark @+3 {{a line}}
  // expected-remark @+2 {{f16}}
  // expected-remark @+1 {{forward}}
  %5 = conv.forward ins(%line, %v : tensor<2x9x8xf16>, tensor<4x3x8xf16>) outs(%4 : tensor<2x7x4xf16>)
                    -> tensor<2x7x4xf16>
  return
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %filter = transform.conv.find filter [3, 5] in %root : (!transform.any_op) -> !transform.any_op
    transform.debug.emit_remark_at %filter, "3x5" : !transform.any_op
    %groups = transform.conv.find extents {g = 2, h = 12, p = 5, n = 2} in %root : (!transform.any_op) -> !transform.any_op
    transform.debug.emit_remark_at %groups, "two groups" : !transform.any_op
    %forward = transform.conv.find kind "forward" in %root : (!transform.any_op) -> !transform.any_op
    transform.debug.emit_remark_at %forward, "forward" : !transform.any_op
    %dgrad = transform.conv.find kind "dgrad" stride [2, 1] in %root : (!transform.any_op) -> !transform.any_op
    transform.debug.emit_remark_at %dgrad, "dgrad" : !transform.any_op
    %line = transform.conv.find stride [1] extents {s = 3, q = 7} in %root : (!transform.any_op) -> !transform.any_op
    transform.debug.emit_remark_at %line, "a line" : !transform.any_op
    %f16 = transform.conv.find type f16 in %root : (!transform.any_op) -> !transform.any_op
    transform.debug.emit_remark_at %f16, "f16" : !transform.any_op
    // A line has no rows, and stride [1] is not that of an image.
    %none = transform.conv.find stride [1] extents {r = 3} in %root : (!transform.any_op) -> !transform.any_op
    transform.debug.emit_remark_at %none, "none" : !transform.any_op
    transform.yield
  }
}
