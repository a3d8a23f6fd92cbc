// RUN: conv-opt %s -conv-tile-to-workgroups | FileCheck %s
// RUN: conv-opt %s -conv-tile-to-workgroups -conv-vectorize-tiles | FileCheck %s --check-prefix=VECTOR

// A workgroup has a part of the sums of some channels. Its tile is a vector that
// is written in its place.

#view = #conv.view<rows = [3, 3], taps = [9, 8], stride = [1, 1], step = [1, 1], offset = [-1, -1], groups = 1>
#schedule = #conv.schedule<algorithm = loops, tile = [5, 16, 8], warps = [1, 4], stages = 2, copy = cp_async, mma = mma_sync, split = 2>

// CHECK-LABEL: @wgrad
// CHECK:         scf.forall (%[[PART:.*]], %[[SLAB:.*]]) in (2, 3) shared_outs(%[[SUMS:.*]] =
// CHECK:           %[[C:.*]] = affine.apply {{.*}}(%[[SLAB]])
// CHECK:           %[[TILE:.*]] = conv.depthwise %{{.*}}, %{{.*}}[%{{.*}}] view {{.*}} -> tensor<1x3x3x16xf32>
// CHECK:           tensor.parallel_insert_slice %[[TILE]] into %[[SUMS]][%[[PART]], 0, 0, %[[C]]] [1, 3, 3, 16]
// CHECK:         conv.loops = #conv.schedule<algorithm=loops {{.*}} mapping = [#gpu.block<y>, #gpu.block<x>]

// VECTOR-LABEL: @wgrad
// VECTOR:         %[[V:.*]] = conv.depthwise {{.*}} -> vector<1x3x3x16xf32>
// VECTOR:         %[[PLACE:.*]] = tensor.extract_slice
// VECTOR:         %[[W:.*]] = vector.transfer_write %[[V]], %[[PLACE]]
// VECTOR:         tensor.parallel_insert_slice %[[W]]
func.func @wgrad(%x: tensor<20x9x8x48xbf16>, %dy: tensor<20x72x48xbf16>) -> tensor<2x3x3x48xf32> {
  %s = conv.depthwise %x, %dy view #view schedule #schedule : tensor<20x9x8x48xbf16>, tensor<20x72x48xbf16> -> tensor<2x3x3x48xf32>
  return %s : tensor<2x3x3x48xf32>
}
