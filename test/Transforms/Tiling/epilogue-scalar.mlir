// RUN: conv-opt %s --conv-to-blocks="chip=sm_80" | FileCheck %s

// A tensor without dimensions is read once for a tile, which has its value in
// all places.

#id = affine_map<(n, p, q, k) -> (n, p, q, k)>
#one = affine_map<(n, p, q, k) -> ()>

// CHECK-LABEL: {{^ *}}func.func @scale
// CHECK-SAME:  %[[S:[^ ]*]]: memref<f32>
// CHECK:       scf.forall
// CHECK:         vector.contract
// CHECK:         %[[V:.*]] = memref.load %[[S]][] : memref<f32>
// CHECK:         %[[T:.*]] = vector.broadcast %[[V]] : f32 to vector<[[TILE:.*]]xf32>
// CHECK:         arith.mulf %{{.*}}, %[[T]] : vector<[[TILE]]xf32>
// CHECK-NOT:   scf.forall
func.func @scale(%s: tensor<f32>, %x: tensor<1x8x8x16xbf16>, %w: tensor<16x3x3x16xbf16>) -> tensor<1x6x6x16xf32> {
  %e = tensor.empty() : tensor<1x6x6x16xf32>
  %y = conv.forward ins(%x, %w : tensor<1x8x8x16xbf16>, tensor<16x3x3x16xbf16>) outs(%e : tensor<1x6x6x16xf32>) -> tensor<1x6x6x16xf32>
  %o = tensor.empty() : tensor<1x6x6x16xf32>
  %m = linalg.generic {indexing_maps = [#id, #one, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%y, %s : tensor<1x6x6x16xf32>, tensor<f32>) outs(%o : tensor<1x6x6x16xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<1x6x6x16xf32>
  return %m : tensor<1x6x6x16xf32>
}
