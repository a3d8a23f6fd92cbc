// RUN: conv-opt %s --convert-conv-to-gemm --split-input-file | FileCheck %s

// Taps and channels are two reductions; the result goes through a plain view.

// CHECK-DAG: #[[MAP_X:.+]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
// CHECK-DAG: #[[MAP_W:.+]] = affine_map<(d0, d1, d2, d3) -> (d1, d2, d3)>
// CHECK-DAG: #[[MAP_Y:.+]] = affine_map<(d0, d1, d2, d3) -> (d0, d1)>
// CHECK-LABEL: func @window
// CHECK-SAME: %[[x:.+]]: tensor<2x9x8x4xf32>, %[[w:.+]]: tensor<6x3x2x4xf32>, %[[y0:.+]]: tensor<2x4x9x6xf32>
func.func @window(%x: tensor<2x9x8x4xf32>, %w: tensor<6x3x2x4xf32>, %y0: tensor<2x4x9x6xf32>) -> tensor<2x4x9x6xf32> {
  // CHECK: %[[X:.+]] = conv.im2col %[[x]] view <rows = [4, 9], taps = [3, 2], stride = [2, 1], step = [1, 3], offset = [0, -1], groups = 1> : tensor<2x9x8x4xf32> -> tensor<72x6x4xf32>
  // CHECK: %[[W:.+]] = conv.im2col %[[w]] view <rows = [1, 1], taps = [3, 2], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1> : tensor<6x3x2x4xf32> -> tensor<6x6x4xf32>
  // CHECK: %[[EMPTY:.+]] = tensor.empty() : tensor<72x6xf32>
  // CHECK: %[[ZERO:.+]] = arith.constant 0.0
  // CHECK: %[[FILL:.+]] = linalg.fill ins(%[[ZERO]] : f32) outs(%[[EMPTY]]
  // CHECK: %[[ACC:.+]] = linalg.generic {indexing_maps = [#[[MAP_X]], #[[MAP_W]], #[[MAP_Y]]], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%[[X]], %[[W]] : {{.*}}) outs(%[[FILL]]
  // CHECK: arith.mulf
  // CHECK: arith.addf
  // CHECK: %[[y:.+]] = conv.scatter %[[ACC]] into %[[y0]] view <rows = [4, 9], taps = [1, 1], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1> : tensor<72x6xf32> into tensor<2x4x9x6xf32> -> tensor<2x4x9x6xf32>
  // CHECK: return %[[y]]
  %y = conv.forward ins(%x, %w : tensor<2x9x8x4xf32>, tensor<6x3x2x4xf32>) outs(%y0 : tensor<2x4x9x6xf32>) stride [2, 1] pad [0, 1:3] dilation [1, 3] -> tensor<2x4x9x6xf32>
  return %y : tensor<2x4x9x6xf32>
}

// -----

// Sums are formed in the accumulation type and converted once, before the scatter.

// CHECK-LABEL: func @narrow_types
func.func @narrow_types(%x: tensor<1x5x4xf16>, %w: tensor<6x2x4xf16>, %y0: tensor<1x4x6xf16>) -> tensor<1x4x6xf16> {
  // CHECK: linalg.generic
  // CHECK: arith.extf {{.*}} : f16 to f32
  // CHECK: arith.extf {{.*}} : f16 to f32
  // CHECK: arith.mulf {{.*}} : f32
  // CHECK: -> tensor<4x6xf32>
  // CHECK: linalg.generic
  // CHECK: arith.truncf {{.*}} : f32 to f16
  // CHECK: conv.scatter {{.*}} : tensor<4x6xf16> into tensor<1x4x6xf16>
  %y = conv.forward ins(%x, %w : tensor<1x5x4xf16>, tensor<6x2x4xf16>) outs(%y0 : tensor<1x4x6xf16>) -> tensor<1x4x6xf16>
  return %y : tensor<1x4x6xf16>
}

// -----

// CHECK-LABEL: func @integers
func.func @integers(%x: tensor<1x5x4xi8>, %w: tensor<6x2x4xi8>, %y0: tensor<1x4x6xi32>) -> tensor<1x4x6xi32> {
  // CHECK: linalg.generic
  // CHECK: arith.extsi {{.*}} : i8 to i32
  // CHECK: arith.muli {{.*}} : i32
  // CHECK: arith.addi {{.*}} : i32
  %y = conv.forward ins(%x, %w : tensor<1x5x4xi8>, tensor<6x2x4xi8>) outs(%y0 : tensor<1x4x6xi32>) -> tensor<1x4x6xi32>
  return %y : tensor<1x4x6xi32>
}

// -----

// Groups are the first loop; they divide the rows of the filter.

// CHECK-DAG: #[[MAP_X:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d1, d3, d0, d4)>
// CHECK-DAG: #[[MAP_W:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d3, d4)>
// CHECK-DAG: #[[MAP_Y:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d1, d0, d2)>
// CHECK-LABEL: func @groups
func.func @groups(%x: tensor<2x5x4xf32>, %w: tensor<6x2x2xf32>, %y0: tensor<2x4x6xf32>) -> tensor<2x4x6xf32> {
  // CHECK: conv.im2col {{.*}} groups = 2> : tensor<2x5x4xf32> -> tensor<8x2x2x2xf32>
  // CHECK: conv.im2col {{.*}} groups = 1, row_groups = 2> : tensor<6x2x2xf32> -> tensor<2x3x2x2xf32>
  // CHECK: linalg.generic {indexing_maps = [#[[MAP_X]], #[[MAP_W]], #[[MAP_Y]]], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
  // CHECK: conv.scatter {{.*}} groups = 2> : tensor<8x2x3xf32> into tensor<2x4x6xf32>
  %y = conv.forward ins(%x, %w : tensor<2x5x4xf32>, tensor<6x2x2xf32>) outs(%y0 : tensor<2x4x6xf32>) groups 2 -> tensor<2x4x6xf32>
  return %y : tensor<2x4x6xf32>
}

// -----

// CHECK-LABEL: func @three_dimensions
func.func @three_dimensions(%x: tensor<1x4x5x6x2xf32>, %w: tensor<3x2x3x1x2xf32>, %y0: tensor<1x3x3x3x3xf32>) -> tensor<1x3x3x3x3xf32> {
  // CHECK: conv.im2col {{.*}} view <rows = [3, 3, 3], taps = [2, 3, 1], stride = [1, 1, 2], step = [1, 1, 1], offset = [0, 0, 0], groups = 1> : tensor<1x4x5x6x2xf32> -> tensor<27x6x2xf32>
  // CHECK: conv.scatter {{.*}} view <rows = [3, 3, 3], {{.*}} : tensor<27x3xf32> into tensor<1x3x3x3x3xf32>
  %y = conv.forward ins(%x, %w : tensor<1x4x5x6x2xf32>, tensor<3x2x3x1x2xf32>) outs(%y0 : tensor<1x3x3x3x3xf32>) stride [1, 1, 2] -> tensor<1x3x3x3x3xf32>
  return %y : tensor<1x3x3x3x3xf32>
}

// -----

// The schedule moves to the contraction.

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 64, 32], warps = [2, 2], stages = 3, copy = cp_async, mma = mma_sync>
// CHECK-LABEL: func @schedule
func.func @schedule(%x: tensor<1x5x4xf16>, %w: tensor<6x2x4xf16>, %y0: tensor<1x4x6xf32>) -> tensor<1x4x6xf32> {
  // CHECK: linalg.generic
  // CHECK-SAME: attrs = {conv.schedule = #conv.schedule<algorithm=implicit_gemm
  %y = conv.forward ins(%x, %w : tensor<1x5x4xf16>, tensor<6x2x4xf16>) outs(%y0 : tensor<1x4x6xf32>) {conv.schedule = #schedule} -> tensor<1x4x6xf32>
  return %y : tensor<1x4x6xf32>
}

// -----

// CHECK-LABEL: func @empty_batch
// CHECK-SAME: %{{.+}}: tensor<6x2x4xf32>, %[[y0:.+]]: tensor<0x4x6xf32>
func.func @empty_batch(%x: tensor<0x5x4xf32>, %w: tensor<6x2x4xf32>, %y0: tensor<0x4x6xf32>) -> tensor<0x4x6xf32> {
  // CHECK-NEXT: return %[[y0]]
  %y = conv.forward ins(%x, %w : tensor<0x5x4xf32>, tensor<6x2x4xf32>) outs(%y0 : tensor<0x4x6xf32>) -> tensor<0x4x6xf32>
  return %y : tensor<0x4x6xf32>
}

// -----

// Factors of less precision than the tensors are rounded in the body.

// CHECK-LABEL: func @tf32
func.func @tf32(%x: tensor<1x5x4xf32>, %w: tensor<6x2x4xf32>, %y0: tensor<1x4x6xf32>) -> tensor<1x4x6xf32> {
  // CHECK: ^bb0(%[[A:.+]]: f32, %[[B:.+]]: f32, %{{.+}}: f32):
  // CHECK:   %[[TA:.+]] = arith.truncf %[[A]] : f32 to tf32
  // CHECK:   %[[FA:.+]] = arith.extf %[[TA]] : tf32 to f32
  // CHECK:   %[[TB:.+]] = arith.truncf %[[B]] : f32 to tf32
  // CHECK:   %[[FB:.+]] = arith.extf %[[TB]] : tf32 to f32
  // CHECK:   arith.mulf %[[FA]], %[[FB]] : f32
  %y = conv.forward ins(%x, %w : tensor<1x5x4xf32>, tensor<6x2x4xf32>) outs(%y0 : tensor<1x4x6xf32>) precision tf32 -> tensor<1x4x6xf32>
  return %y : tensor<1x4x6xf32>
}
