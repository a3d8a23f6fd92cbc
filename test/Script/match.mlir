// What a matcher of one operation says, and that it decides in foreach_match.
//
// RUN: conv-opt %s -transform-interpreter -split-input-file -verify-diagnostics

func.func @layer(%x: tensor<2x12x10x8xbf16>, %w: tensor<6x3x5x8xbf16>, %e: tensor<2x10x6x6xbf16>) {
  // expected-remark @+1 {{matched}}
  %y = conv.forward ins(%x, %w : tensor<2x12x10x8xbf16>, tensor<6x3x5x8xbf16>) outs(%e : tensor<2x10x6x6xbf16>) -> tensor<2x10x6x6xbf16>
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @is_wgrad(%op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    transform.conv.match %op kind "wgrad" : !transform.any_op
    transform.yield %op : !transform.any_op
  }
  transform.named_sequence @is_3x5(%op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    transform.conv.match %op kind "forward" filter [3, 5] type bf16 : !transform.any_op
    transform.yield %op : !transform.any_op
  }
  transform.named_sequence @wrong(%op: !transform.any_op {transform.readonly}) {
    transform.debug.emit_remark_at %op, "wrong" : !transform.any_op
    transform.yield
  }
  transform.named_sequence @right(%op: !transform.any_op {transform.readonly}) {
    transform.debug.emit_remark_at %op, "matched" : !transform.any_op
    transform.yield
  }
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %done = transform.foreach_match in %root @is_wgrad -> @wrong, @is_3x5 -> @right : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

func.func @layer(%x: tensor<2x12x10x8xbf16>, %w: tensor<6x3x5x8xbf16>, %e: tensor<2x10x6x6xbf16>) {
  %y = conv.forward ins(%x, %w : tensor<2x12x10x8xbf16>, tensor<6x3x5x8xbf16>) outs(%e : tensor<2x10x6x6xbf16>) -> tensor<2x10x6x6xbf16>
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %conv = transform.conv.find in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{expected c = 16, got 8}}
    transform.conv.match %conv extents {c = 16} : !transform.any_op
    transform.yield
  }
}

// -----

func.func @nothing() {
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %function = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{expected a convolution, got func.func}}
    transform.conv.match %function : !transform.any_op
    transform.yield
  }
}
