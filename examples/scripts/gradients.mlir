// Other keys for each gradient: parts of sums for wgrad, two slots for dgrad.
// The model chooses for forward.
//
//   conv-opt examples/scripts/step.mlir \
//     --transform-preload-library=transform-library-paths=examples/scripts/gradients.mlir --transform-interpreter
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op) {
    %wgrad = transform.conv.find kind "wgrad" in %module
        : (!transform.any_op) -> !transform.any_op
    transform.conv.schedule %wgrad keys "tile=64x32x32 copy=cp_async split-k=2" chip "sm_90a"
        : !transform.any_op
    %dgrad = transform.conv.find kind "dgrad" type bf16 in %module
        : (!transform.any_op) -> !transform.any_op
    transform.conv.schedule %dgrad keys "tile=64x32x32 stages=2 copy=cp_async" chip "sm_90a"
        : !transform.any_op
    %forward = transform.conv.find kind "forward" in %module
        : (!transform.any_op) -> !transform.any_op
    transform.conv.schedule %forward chip "sm_90a" : !transform.any_op
    transform.yield
  }
}
