// One tile for all convolutions: sweep.py writes it in the place of TILE.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op) {
    %convs = transform.conv.find filter [3, 3] in %module
        : (!transform.any_op) -> !transform.any_op
    transform.conv.schedule %convs keys "tile=TILE copy=cp_async" chip "sm_90a"
        : !transform.any_op
    transform.yield
  }
}
