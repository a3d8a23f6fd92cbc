// RUN: conv-opt %s -conv-view-matrices -canonicalize -split-input-file -verify-diagnostics | FileCheck %s

#schedule = #conv.schedule<algorithm = im2col, tile = [32, 32, 32], warps = [2, 1], stages = 2, copy = cp_async, mma = mma_sync>
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

// CHECK-LABEL: @dense
// CHECK:         %[[A:.*]] = tensor.expand_shape %arg0 {{\[}}[0, 1], [2]] output_shape [1, 42, 36]
// CHECK:         %[[X:.*]] = conv.im2col %[[A]] view <rows = [42], taps = [1], stride = [1], step = [1], offset = [0], groups = 1> : tensor<1x42x36xf16> -> tensor<42x36xf16>
// CHECK:         %[[B:.*]] = tensor.expand_shape %arg1 {{\[}}[0, 1], [2]] output_shape [1, 6, 36]
// CHECK:         %[[W:.*]] = conv.im2col %[[B]] view <rows = [6], {{.*}}> : tensor<1x6x36xf16> -> tensor<6x36xf16>
// CHECK:         linalg.generic {{.*}} ins(%[[X]], %[[W]] : tensor<42x36xf16>, tensor<6x36xf16>)
func.func @dense(%a: tensor<42x36xf16>, %b: tensor<6x36xf16>, %init: tensor<42x6xf32>) -> tensor<42x6xf32> {
  %acc = linalg.generic {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<42x36xf16>, tensor<6x36xf16>) outs(%init : tensor<42x6xf32>) attrs = {conv.schedule = #schedule} {
  ^bb0(%x: f16, %y: f16, %sum: f32):
    %0 = arith.extf %x : f16 to f32
    %1 = arith.extf %y : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %sum, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<42x6xf32>
  return %acc : tensor<42x6xf32>
}

// -----

#schedule = #conv.schedule<algorithm = im2col, tile = [32, 32, 32], warps = [2, 1], stages = 2, copy = cp_async, mma = mma_sync>
#mgk = affine_map<(g, m, n, k) -> (m, g, k)>
#gnk = affine_map<(g, m, n, k) -> (g, n, k)>
#mgn = affine_map<(g, m, n, k) -> (m, g, n)>

// Groups between rows and columns are groups of channels; those in front of the
// rows are row groups.

// CHECK-LABEL: @groups
// CHECK:         conv.im2col {{.*}} view <rows = [42], {{.*}}, groups = 5> : tensor<1x42x180xf16> -> tensor<42x5x36xf16>
// CHECK:         conv.im2col %arg1 view <rows = [6], {{.*}}, groups = 1, row_groups = 5> : tensor<5x6x36xf16> -> tensor<5x6x36xf16>
func.func @groups(%a: tensor<42x5x36xf16>, %b: tensor<5x6x36xf16>, %init: tensor<42x5x6xf32>) -> tensor<42x5x6xf32> {
  %acc = linalg.generic {indexing_maps = [#mgk, #gnk, #mgn], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<42x5x36xf16>, tensor<5x6x36xf16>) outs(%init : tensor<42x5x6xf32>) attrs = {conv.schedule = #schedule} {
  ^bb0(%x: f16, %y: f16, %sum: f32):
    %0 = arith.extf %x : f16 to f32
    %1 = arith.extf %y : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %sum, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<42x5x6xf32>
  return %acc : tensor<42x5x6xf32>
}

// -----

#schedule = #conv.schedule<algorithm = im2col, tile = [32, 32, 32], warps = [2, 1], stages = 2, copy = cp_async, mma = mma_sync>

func.func @taps(%a: tensor<42x9x4xf16>, %b: tensor<6x9x4xf16>, %init: tensor<42x6xf32>) -> tensor<42x6xf32> {
  // expected-error @below {{reads a matrix that has no rows and columns: 'tensor<42x9x4xf16>'}}
  %acc = linalg.generic {
      indexing_maps = [affine_map<(m, n, t, c) -> (m, t, c)>, affine_map<(m, n, t, c) -> (n, t, c)>, affine_map<(m, n, t, c) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %b : tensor<42x9x4xf16>, tensor<6x9x4xf16>) outs(%init : tensor<42x6xf32>) attrs = {conv.schedule = #schedule} {
  ^bb0(%x: f16, %y: f16, %sum: f32):
    %0 = arith.extf %x : f16 to f32
    %1 = arith.extf %y : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %sum, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<42x6xf32>
  return %acc : tensor<42x6xf32>
}

// -----

#schedule = #conv.schedule<algorithm = im2col, tile = [32, 32, 32], warps = [2, 1], stages = 2, copy = cp_async, mma = mma_sync>
#w = #conv.view<rows = [1, 1], taps = [3, 2], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1>
#id = affine_map<(n, t, c) -> (n, t, c)>

// A gradient of filters: its taps stay with their channels until it is written.

// CHECK-LABEL: @gradient
// CHECK-DAG:     %[[SUM:.*]] = linalg.generic {{.*}}conv.schedule
// CHECK-DAG:     %[[CAST:.*]] = linalg.generic {{.*}} ins(%[[SUM]] : tensor<5x24xf32>) outs(%{{.*}} : tensor<5x24xf16>)
// CHECK-DAG:     %[[DEST:.*]] = tensor.collapse_shape %{{.*}} {{\[}}[0], [1, 2, 3]] : tensor<5x3x2x4xf16> into tensor<5x24xf16>
// CHECK:         %[[IMAGE:.*]] = tensor.expand_shape %[[DEST]] {{\[}}[0, 1], [2]] output_shape [1, 5, 24]
// CHECK:         conv.scatter %[[CAST]] into %[[IMAGE]] view <rows = [5], taps = [1], {{.*}}> : tensor<5x24xf16> into tensor<1x5x24xf16>
func.func @gradient(%a: tensor<42x5xf16>, %b: tensor<42x24xf16>, %init: tensor<5x24xf32>, %dw: tensor<5x3x2x4xf16>) -> tensor<5x3x2x4xf16> {
  %acc = linalg.generic {
      indexing_maps = [affine_map<(n, k, m) -> (m, n)>, affine_map<(n, k, m) -> (m, k)>, affine_map<(n, k, m) -> (n, k)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<42x5xf16>, tensor<42x24xf16>) outs(%init : tensor<5x24xf32>) attrs = {conv.schedule = #schedule} {
  ^bb0(%x: f16, %y: f16, %sum: f32):
    %0 = arith.extf %x : f16 to f32
    %1 = arith.extf %y : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %sum, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<5x24xf32>
  %taps = tensor.expand_shape %acc [[0], [1, 2]] output_shape [5, 6, 4] : tensor<5x24xf32> into tensor<5x6x4xf32>
  %e = tensor.empty() : tensor<5x6x4xf16>
  %cast = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%taps : tensor<5x6x4xf32>) outs(%e : tensor<5x6x4xf16>) {
  ^bb0(%x: f32, %out: f16):
    %0 = arith.truncf %x : f32 to f16
    linalg.yield %0 : f16
  } -> tensor<5x6x4xf16>
  %y = conv.scatter %cast into %dw view #w : tensor<5x6x4xf16> into tensor<5x3x2x4xf16> -> tensor<5x3x2x4xf16>
  return %y : tensor<5x3x2x4xf16>
}
