// RUN: conv-opt %s -pass-pipeline='builtin.module(func.func(conv-merge-groups))' -split-input-file -verify-diagnostics | FileCheck %s

// 12 groups of 2 channels and 1 filter; 3 of them are one.

#four = #conv.schedule<algorithm = implicit_gemm, tile = [32, 32, 16], warps = [2, 1], stages = 2, copy = cp_async, mma = mma_sync, merge = 3>

// Loops over a merged filter: group, member, number of the filter, taps, then
// the channels of each member. It is zero where the members differ.
// CHECK-DAG:   #[[FILTER:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3, d4, d5)>
// CHECK-DAG:   #[[MERGED:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3, d4, d6, d5)>
// CHECK-DAG:   #[[DIAGONAL:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4, d1, d5)>
// CHECK-LABEL: func @forward
// CHECK-SAME:    %[[X:.*]]: tensor<2x7x9x24xf16>, %[[W:.*]]: tensor<12x3x2x2xf16>, %[[Y0:.*]]: tensor
// CHECK:         %[[MEMBERS:.*]] = tensor.expand_shape %[[W]] {{.*}} into tensor<4x3x1x3x2x2xf16>
// CHECK:         %[[SPREAD:.*]] = linalg.generic {indexing_maps = [#[[FILTER]], #[[MERGED]]]
// CHECK-SAME:      ins(%[[MEMBERS]] : {{.*}}) outs(%{{.*}} : tensor<4x3x1x3x2x3x2xf16>)
// CHECK-DAG:       %[[MEMBER:.*]] = linalg.index 1
// CHECK-DAG:       %[[OTHER:.*]] = linalg.index 6
// CHECK:           %[[OWN:.*]] = arith.cmpi eq, %[[MEMBER]], %[[OTHER]]
// CHECK:           arith.select %[[OWN]], %{{.*}}, %{{.*}} : f16
// CHECK:         %[[MERGED_W:.*]] = tensor.collapse_shape %[[SPREAD]] {{.*}} into tensor<12x3x2x6xf16>
// CHECK:         conv.forward ins(%[[X]], %[[MERGED_W]] : {{.*}}) outs(%[[Y0]] : {{.*}}) groups 4 {{.*}}merge=3
func.func @forward(%x: tensor<2x7x9x24xf16>, %w: tensor<12x3x2x2xf16>, %y0: tensor<2x5x8x12xf16>) -> tensor<2x5x8x12xf16> {
  %y = conv.forward ins(%x, %w : tensor<2x7x9x24xf16>, tensor<12x3x2x2xf16>) outs(%y0 : tensor<2x5x8x12xf16>) groups 12 {conv.schedule = #four} -> tensor<2x5x8x12xf16>
  return %y : tensor<2x5x8x12xf16>
}

// CHECK-LABEL: func @dgrad
// CHECK-SAME:    %[[DY:.*]]: tensor<2x5x8x12xf16>
// CHECK:         %[[W:.*]] = tensor.collapse_shape %{{.*}} into tensor<12x3x2x6xf16>
// CHECK:         conv.dgrad ins(%[[DY]], %[[W]] : {{.*}}) {{.*}} groups 4
func.func @dgrad(%dy: tensor<2x5x8x12xf16>, %w: tensor<12x3x2x2xf16>, %dx0: tensor<2x7x9x24xf16>) -> tensor<2x7x9x24xf16> {
  %dx = conv.dgrad ins(%dy, %w : tensor<2x5x8x12xf16>, tensor<12x3x2x2xf16>) outs(%dx0 : tensor<2x7x9x24xf16>) groups 12 {conv.schedule = #four} -> tensor<2x7x9x24xf16>
  return %dx : tensor<2x7x9x24xf16>
}

// The sums of a merged filter are rounded when its diagonal is picked.
// CHECK-LABEL: func @wgrad
// CHECK:         %[[MERGED:.*]] = conv.wgrad ins({{.*}}) outs({{.*}} : tensor<12x3x2x6xf32>) groups 4
// CHECK:         %[[MEMBERS:.*]] = tensor.expand_shape %[[MERGED]] {{.*}} into tensor<4x3x1x3x2x3x2xf32>
// CHECK:         linalg.generic {indexing_maps = [#[[DIAGONAL]], #{{.*}}]{{.*}} ins(%[[MEMBERS]] : {{.*}}) outs(%{{.*}} : tensor<4x3x1x3x2x2xf16>)
// CHECK:           arith.truncf
// CHECK:         tensor.collapse_shape %{{.*}} into tensor<12x3x2x2xf16>
func.func @wgrad(%x: tensor<2x7x9x24xf16>, %dy: tensor<2x5x8x12xf16>, %dw0: tensor<12x3x2x2xf16>) -> tensor<12x3x2x2xf16> {
  %dw = conv.wgrad ins(%x, %dy : tensor<2x7x9x24xf16>, tensor<2x5x8x12xf16>) outs(%dw0 : tensor<12x3x2x2xf16>) groups 12 {conv.schedule = #four} -> tensor<12x3x2x2xf16>
  return %dw : tensor<12x3x2x2xf16>
}

// -----

func.func @no_divisor(%x: tensor<1x7x8xf16>, %w: tensor<8x3x2xf16>, %y0: tensor<1x5x8xf16>) -> tensor<1x5x8xf16> {
  // expected-error @below {{cannot merge 3 of 4 groups: they do not divide them}}
  %y = conv.forward ins(%x, %w : tensor<1x7x8xf16>, tensor<8x3x2xf16>) outs(%y0 : tensor<1x5x8xf16>) groups 4 {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [32, 32, 16], warps = [2, 1], stages = 2, copy = cp_async, mma = mma_sync, merge = 3>} -> tensor<1x5x8xf16>
  return %y : tensor<1x5x8xf16>
}

// -----

func.func @buffers(%x: memref<1x7x8xf16>, %w: memref<8x3x2xf16>, %y: memref<1x5x8xf16>) {
  // expected-error @below {{cannot merge groups: it is on buffers, not on tensors}}
  conv.forward ins(%x, %w : memref<1x7x8xf16>, memref<8x3x2xf16>) outs(%y : memref<1x5x8xf16>) groups 4 {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [32, 32, 16], warps = [2, 1], stages = 2, copy = cp_async, mma = mma_sync, merge = 2>}
  return
}
