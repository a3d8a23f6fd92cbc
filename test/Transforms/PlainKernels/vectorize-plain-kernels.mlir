// RUN: conv-opt %s -conv-tile-plain-kernels -conv-vectorize-plain-kernels -canonicalize -cse -split-input-file | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>

// What the loop carries is a vector.

// CHECK-LABEL: @sum
// CHECK-DAG:     %[[PARTS:.*]] = tensor.collapse_shape %{{.*}} into tensor<4x2112xf32>
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<4xf32>
// CHECK:         scf.forall (%[[J:.*]]) in (528)
// CHECK:           %[[N:.*]] = affine.apply #{{.*}}(%[[J]])
// CHECK:           %[[S:.*]] = scf.for %[[K:.*]] = %c0 to %c4 step %c1 iter_args(%[[ACC:.*]] = %[[ZERO]]) -> (vector<4xf32>)
// CHECK:             %[[P:.*]] = vector.transfer_read %[[PARTS]][%[[K]], %[[N]]], %{{.*}} {in_bounds = [true]} : tensor<4x2112xf32>, vector<4xf32>
// CHECK:             arith.addf %[[ACC]], %[[P]] : vector<4xf32>
// CHECK:           vector.transfer_write %[[S]], %{{.*}}[%c0] {in_bounds = [true]} : vector<4xf32>, tensor<4xf32>
func.func @sum(%parts: tensor<4x33x64xf32>) -> tensor<33x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<33x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<33x64xf32>) -> tensor<33x64xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(s, i, j) -> (s, i, j)>, affine_map<(s, i, j) -> (i, j)>], iterator_types = ["reduction", "parallel", "parallel"]}
      ins(%parts : tensor<4x33x64xf32>) outs(%f : tensor<33x64xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %0 = arith.addf %acc, %x : f32
    linalg.yield %0 : f32
  } -> tensor<33x64xf32>
  return %s : tensor<33x64xf32>
}

// -----

#x = #conv.view<rows = [7, 9], taps = [3, 2], stride = [1, 1], step = [1, 1], offset = [-1, 0], groups = 1>

// A row of a matrix goes from tensor to register to workspace.

// CHECK-LABEL: @workspace
// CHECK-SAME:    %[[X:.*]]: tensor<1x7x9x24xbf16>
// CHECK:         %[[M:.*]] = conv.im2col %[[X]][{{.*}}] view {{.*}} -> vector<1x1x8xbf16>
// CHECK:         %[[V:.*]] = vector.shape_cast %[[M]] : vector<1x1x8xbf16> to vector<8xbf16>
// CHECK:         vector.transfer_write %[[V]]
func.func @workspace(%x: tensor<1x7x9x24xbf16>) -> tensor<63x6x24xbf16> {
  %ws = tensor.empty() : tensor<63x6x24xbf16>
  %X = conv.im2col %x into %ws view #x : tensor<1x7x9x24xbf16> into tensor<63x6x24xbf16> -> tensor<63x6x24xbf16>
  return %X : tensor<63x6x24xbf16>
}

// -----

#y = #conv.view<rows = [3, 4], taps = [1, 1], stride = [2, 2], step = [1, 1], offset = [1, 0], groups = 1>

// CHECK-LABEL: @scatter
// CHECK:         %[[V:.*]] = vector.transfer_read %arg1[%{{.*}}, %{{.*}}], {{.*}} : tensor<12x16xf32>, vector<4xf32>
// CHECK:         %[[ROW:.*]] = vector.shape_cast %[[V]] : vector<4xf32> to vector<1x4xf32>
// CHECK:         conv.scatter %[[ROW]] into {{.*}} : vector<1x4xf32> into tensor<1x7x8x16xf32>
func.func @scatter(%d: tensor<1x7x8x16xf32>, %value: tensor<12x16xf32>) -> tensor<1x7x8x16xf32> {
  %y = conv.scatter %value into %d view #y : tensor<12x16xf32> into tensor<1x7x8x16xf32> -> tensor<1x7x8x16xf32>
  return %y : tensor<1x7x8x16xf32>
}

// -----

// One element at a computed position is gathered as a vector of one.
// CHECK-LABEL: func @gather_one
// CHECK:         scf.forall (%{{.*}}) in (7)
// CHECK:           vector.gather %{{.*}} : tensor<7xf32>, vector<1xindex>, vector<1xi1>, vector<1xf32> into vector<1xf32>
func.func @gather_one(%x: tensor<7xf32>) -> tensor<7xf32> {
  %e = tensor.empty() : tensor<7xf32>
  %c6 = arith.constant 6 : index
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e : tensor<7xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %turned = arith.subi %c6, %i : index
    %v = tensor.extract %x[%turned] : tensor<7xf32>
    linalg.yield %v : f32
  } -> tensor<7xf32>
  return %y : tensor<7xf32>
}
