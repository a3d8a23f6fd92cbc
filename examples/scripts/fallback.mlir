// A wish, where it can run: convolutions read windows. A 1x1 filter has none, so
// that the wish is passed over there, and the model chooses.
//
//   conv-opt examples/scripts/layers.mlir \
//     --transform-preload-library=transform-library-paths=examples/scripts/fallback.mlir --transform-interpreter
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op) {
    %convs = transform.conv.find in %module : (!transform.any_op) -> !transform.any_op
    // Each convolution apart: the first that cannot run ends a sequence.
    transform.foreach %convs : !transform.any_op {
    ^bb0(%conv: !transform.any_op):
      transform.sequence %conv : !transform.any_op failures(suppress) {
      ^bb1(%one: !transform.any_op):
        transform.conv.schedule %one keys "window=true" chip "sm_90a" : !transform.any_op
      }
    }
    // What has a schedule keeps it.
    transform.conv.schedule %convs chip "sm_90a" : !transform.any_op
    transform.yield
  }
}
