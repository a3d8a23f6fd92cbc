// RUN: conv-opt %s -split-input-file -conv-tile-plain-kernels | FileCheck %s

// What transposes a slice reads its elements where they are: pairs of positions
// that are two apart, of eight channels.

// CHECK-LABEL: func.func @positions
// CHECK-SAME:    %[[X:.*]]: tensor<8x64x28x28xbf16>
// CHECK-NOT:     linalg.generic
// CHECK:         %[[ROW:.*]] = tensor.collapse_shape %[[X]]
// CHECK:         %[[GROUPS:.*]] = tensor.expand_shape %[[ROW]] {{.*}} output_shape [8, 64, 14, 2, 14, 2]
// CHECK:         scf.forall {{.*}} in (8, 14, 1, 2, 7, 4)
// CHECK:           %[[TILE:.*]] = tensor.extract_slice %[[GROUPS]][%{{.*}}, %{{.*}}, %{{.*}}, 0, %{{.*}}, 0] [1, 8, 1, 2, 2, 2]
// CHECK:           linalg.generic {{.*}} ins(%[[TILE]] : {{.*}} outs(%{{.*}} : tensor<1x1x2x8xbf16>)
// CHECK-NOT:     linalg.generic
func.func @positions(%x: tensor<8x64x28x28xbf16>) -> tensor<8x14x14x64xbf16> {
  %row = tensor.collapse_shape %x [[0, 1, 2, 3]] : tensor<8x64x28x28xbf16> into tensor<401408xbf16>
  %groups = tensor.expand_shape %row [[0, 1, 2, 3]] output_shape [7168, 2, 14, 2] : tensor<401408xbf16> into tensor<7168x2x14x2xbf16>
  %e = tensor.empty() : tensor<7168x14xbf16>
  %slice = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, 0, d1, 0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
    ins(%groups : tensor<7168x2x14x2xbf16>) outs(%e : tensor<7168x14xbf16>) {
  ^bb0(%in: bf16, %out: bf16):
    linalg.yield %in : bf16
  } -> tensor<7168x14xbf16>
  %sliced = tensor.expand_shape %slice [[0, 1, 2], [3]] output_shape [8, 64, 14, 14] : tensor<7168x14xbf16> into tensor<8x64x14x14xbf16>
  %f = tensor.empty() : tensor<8x14x14x64xbf16>
  %t = linalg.transpose ins(%sliced : tensor<8x64x14x14xbf16>) outs(%f : tensor<8x14x14x64xbf16>) permutation = [0, 2, 3, 1]
  return %t : tensor<8x14x14x64xbf16>
}

// -----

// Not where others read the slice, too.

// CHECK-LABEL: func.func @read_twice
// CHECK:         scf.forall
// CHECK:           tensor.extract_slice {{.*}} : tensor<512x7x2xbf16> to
// CHECK:         scf.forall
// CHECK:           tensor.extract_slice {{.*}} : tensor<8x64x7xbf16> to
func.func @read_twice(%x: tensor<512x7x2xbf16>) -> (tensor<8x7x64xbf16>, tensor<8x64x7xbf16>) {
  %e = tensor.empty() : tensor<512x7xbf16>
  %slice = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1, 0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<512x7x2xbf16>) outs(%e : tensor<512x7xbf16>) {
  ^bb0(%in: bf16, %out: bf16):
    linalg.yield %in : bf16
  } -> tensor<512x7xbf16>
  %sliced = tensor.expand_shape %slice [[0, 1], [2]] output_shape [8, 64, 7] : tensor<512x7xbf16> into tensor<8x64x7xbf16>
  %f = tensor.empty() : tensor<8x7x64xbf16>
  %t = linalg.transpose ins(%sliced : tensor<8x64x7xbf16>) outs(%f : tensor<8x7x64xbf16>) permutation = [0, 2, 1]
  return %t, %sliced : tensor<8x7x64xbf16>, tensor<8x64x7xbf16>
}

// -----

// An index that is computed stays one of the slice's own loops.

// CHECK-LABEL: func.func @computed
// CHECK-SAME:    %[[X:.*]]: tensor<3x2x12xf32>
// CHECK:         %[[SLICE:.*]] = scf.forall (%[[A:.*]], %{{.*}}) in (3, 3)
// CHECK:           tensor.extract_slice %[[X]][%[[A]], 0, %{{.*}}] [1, 2, 3]
// CHECK:         scf.forall
// CHECK:           tensor.extract_slice %[[SLICE]]
func.func @computed(%x: tensor<3x2x12xf32>) -> tensor<6x3xf32> {
  %e = tensor.empty() : tensor<3x6xf32>
  %slice = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, 1, d1 * 2)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<3x2x12xf32>) outs(%e : tensor<3x6xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<3x6xf32>
  %f = tensor.empty() : tensor<6x3xf32>
  %t = linalg.transpose ins(%slice : tensor<3x6xf32>) outs(%f : tensor<6x3xf32>) permutation = [1, 0]
  return %t : tensor<6x3xf32>
}
