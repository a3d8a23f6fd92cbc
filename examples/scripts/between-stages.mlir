// A pattern of upstream between two stages: matrices (F2), then common
// subexpressions and canonical forms, then a block program (F4).
//
//   conv-opt examples/scripts/layers.mlir \
//     --transform-preload-library=transform-library-paths=examples/scripts/between-stages.mlir --transform-interpreter
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.consumed}) {
    %convs = transform.conv.find in %module : (!transform.any_op) -> !transform.any_op
    transform.conv.schedule %convs keys "tile=64x32x32 copy=cp_async" chip "sm_90a"
        : !transform.any_op
    %matrices = transform.apply_registered_pass "conv-to-matrices"
        with options = {"chip" = "sm_90a"} to %module
        : (!transform.any_op) -> !transform.any_op

    %functions = transform.structured.match ops{["func.func"]} in %matrices
        : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %functions {
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    transform.apply_cse to %functions : !transform.any_op

    transform.apply_registered_pass "conv-to-blocks"
        with options = {"chip" = "sm_90a"} to %matrices
        : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
