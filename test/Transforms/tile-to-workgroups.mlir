// RUN: conv-opt %s -conv-tile-to-workgroups -canonicalize -cse -split-input-file | FileCheck %s

// Rows, columns and channels that no tile divides: the tiles stay static.

#x = #conv.view<rows = [6, 7], taps = [3, 3], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1>
#w = #conv.view<rows = [1, 1], taps = [3, 3], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1>
#y = #conv.view<rows = [6, 7], taps = [1, 1], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1>
#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [32, 16, 32], warps = [2, 1], stages = 2, copy = cp_async, mma = mma_sync>

// CHECK-LABEL: @forward
// CHECK-SAME:  %[[X:.*]]: tensor<1x8x9x40xf16>, %[[W:.*]]: tensor<24x3x3x40xf16>, %[[BIAS:.*]]: tensor<24xf32>
func.func @forward(%x: tensor<1x8x9x40xf16>, %w: tensor<24x3x3x40xf16>, %bias: tensor<24xf32>) -> tensor<1x6x7x24xf16> {
  %X = conv.im2col %x view #x : tensor<1x8x9x40xf16> -> tensor<42x9x40xf16>
  %W = conv.im2col %w view #w : tensor<24x3x3x40xf16> -> tensor<24x9x40xf16>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<42x24xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<42x24xf32>) -> tensor<42x24xf32>
  %acc = linalg.generic {
      indexing_maps = [affine_map<(m, n, t, c) -> (m, t, c)>, affine_map<(m, n, t, c) -> (n, t, c)>, affine_map<(m, n, t, c) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%X, %W : tensor<42x9x40xf16>, tensor<24x9x40xf16>) outs(%init : tensor<42x24xf32>) attrs = {conv.schedule = #schedule} {
  ^bb0(%a: f16, %b: f16, %c: f32):
    %0 = arith.extf %a : f16 to f32
    %1 = arith.extf %b : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %c, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<42x24xf32>
  %e2 = tensor.empty() : tensor<42x24xf16>
  %r = linalg.generic {
      indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%acc, %bias : tensor<42x24xf32>, tensor<24xf32>) outs(%e2 : tensor<42x24xf16>) {
  ^bb0(%a: f32, %b: f32, %o: f16):
    %0 = arith.addf %a, %b : f32
    %1 = arith.truncf %0 : f32 to f16
    linalg.yield %1 : f16
  } -> tensor<42x24xf16>
  %y0 = tensor.empty() : tensor<1x6x7x24xf16>
  %y = conv.scatter %r into %y0 view #y : tensor<42x24xf16> into tensor<1x6x7x24xf16> -> tensor<1x6x7x24xf16>
  return %y : tensor<1x6x7x24xf16>
}

// CHECK-DAG:  %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:  %[[C9:.*]] = arith.constant 9 : index
// CHECK-DAG:  %[[C32:.*]] = arith.constant 32 : index
// CHECK-DAG:  %[[C64:.*]] = arith.constant 64 : index
// CHECK:      scf.forall (%[[BM:.*]], %[[BN:.*]]) in (2, 2) shared_outs(%[[O:.*]] =
// CHECK-DAG:    %[[M:.*]] = affine.apply #{{.*}}(%[[BM]])
// CHECK-DAG:    %[[N:.*]] = affine.apply #{{.*}}(%[[BN]])
// CHECK:        scf.for %[[C:.*]] = %[[C0]] to %[[C64]] step %[[C32]]
// CHECK:          scf.for %[[T:.*]] = %[[C0]] to %[[C9]]
// CHECK-DAG:        conv.im2col %[[X]][%[[M]], %[[T]], %[[C]]] {{.*}} -> tensor<32x1x32xf16>
// CHECK-DAG:        conv.im2col %[[W]][%[[N]], %[[T]], %[[C]]] {{.*}} -> tensor<16x1x32xf16>
// CHECK:            linalg.generic
// CHECK:        tensor.extract_slice %[[BIAS]][%[[N]]] [%{{.*}}] [1] : tensor<24xf32> to tensor<?xf32>
// CHECK:        tensor.pad
// CHECK:        linalg.generic
// CHECK:        scf.forall.in_parallel {
// CHECK-NEXT:     conv.scatter %{{.*}} into %[[O]][%[[M]], %[[C0]], %[[N]]] {{.*}} : tensor<32x16xf16> into tensor<1x6x7x24xf16>
// CHECK:      mapping = [#gpu.block<y>, #gpu.block<x>]

// -----

// Groups are one more dimension of the grid; their unit tile leaves no trace
// in the shapes.

#x = #conv.view<rows = [7], taps = [3], stride = [1], step = [1], offset = [0], groups = 2>
#w = #conv.view<rows = [1], taps = [3], stride = [1], step = [1], offset = [0], groups = 1>
#y = #conv.view<rows = [7], taps = [1], stride = [1], step = [1], offset = [0], groups = 2>
#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [16, 16, 16], warps = [1, 1], stages = 2, copy = cp_async, mma = mma_sync>

// CHECK-LABEL: @grouped
func.func @grouped(%x: tensor<2x9x32xf16>, %w: tensor<32x3x16xf16>) -> tensor<2x7x32xf32> {
  %X = conv.im2col %x view #x : tensor<2x9x32xf16> -> tensor<14x3x2x16xf16>
  %W = conv.im2col %w view #w : tensor<32x3x16xf16> -> tensor<32x3x16xf16>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<14x2x16xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<14x2x16xf32>) -> tensor<14x2x16xf32>
  %acc = linalg.generic {
      indexing_maps = [affine_map<(g, m, n, t, c) -> (m, t, g, c)>, affine_map<(g, m, n, t, c) -> (g * 16 + n, t, c)>, affine_map<(g, m, n, t, c) -> (m, g, n)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%X, %W : tensor<14x3x2x16xf16>, tensor<32x3x16xf16>) outs(%init : tensor<14x2x16xf32>) attrs = {conv.schedule = #schedule} {
  ^bb0(%a: f16, %b: f16, %c: f32):
    %0 = arith.extf %a : f16 to f32
    %1 = arith.extf %b : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %c, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<14x2x16xf32>
  %y0 = tensor.empty() : tensor<2x7x32xf32>
  %y = conv.scatter %acc into %y0 view #y : tensor<14x2x16xf32> into tensor<2x7x32xf32> -> tensor<2x7x32xf32>
  return %y : tensor<2x7x32xf32>
}

// CHECK:      scf.forall (%{{.*}}, %[[G:.*]], %{{.*}}) in (1, 2, 1)
// CHECK:        conv.im2col %arg0[%{{.*}}, %{{.*}}, %[[G]], %{{.*}}] {{.*}} -> tensor<16x1x16xf16>
// CHECK:        linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<16x1x16xf16>, tensor<16x1x16xf16>) outs(%{{.*}} : tensor<16x16xf32>)
// CHECK:        conv.scatter %{{.*}} into %{{.*}}[%{{.*}}, %{{.*}}, %[[G]], %{{.*}}] {{.*}} : tensor<16x16xf32>
