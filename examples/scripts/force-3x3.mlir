// A tile for 3x3 convolutions only. The model chooses for all others.
//
//   conv-opt examples/scripts/layers.mlir \
//     --transform-preload-library=transform-library-paths=examples/scripts/force-3x3.mlir --transform-interpreter
module attributes {transform.with_named_sequence} {
  transform.named_sequence @is_3x3(%op: !transform.any_op {transform.readonly})
      -> !transform.any_op {
    transform.conv.match %op kind "forward" filter [3, 3] type bf16 : !transform.any_op
    transform.yield %op : !transform.any_op
  }

  transform.named_sequence @is_convolution(%op: !transform.any_op {transform.readonly})
      -> !transform.any_op {
    transform.conv.match %op : !transform.any_op
    transform.yield %op : !transform.any_op
  }

  transform.named_sequence @set_tile(%conv: !transform.any_op {transform.readonly}) {
    transform.conv.schedule %conv keys "tile=64x64x32 stages=3 copy=cp_async" chip "sm_90a"
        : !transform.any_op
    transform.yield
  }

  transform.named_sequence @choose(%conv: !transform.any_op {transform.readonly}) {
    transform.conv.schedule %conv chip "sm_90a" : !transform.any_op
    transform.yield
  }

  transform.named_sequence @__transform_main(%module: !transform.any_op) {
    // The first matcher that succeeds decides.
    %done = transform.foreach_match in %module
        @is_3x3 -> @set_tile, @is_convolution -> @choose
        : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
