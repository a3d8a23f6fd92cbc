// RUN: conv-opt %s -conv-to-tiles -canonicalize -split-input-file | FileCheck %s --check-prefix=TILES
// RUN: conv-opt %s -conv-to-threads -canonicalize -cse -split-input-file | FileCheck %s --check-prefix=THREADS

// A depthwise convolution on images with their channels first: a thread has four
// positions of a line of one channel, and neighbouring threads are neighbours of
// that line.

// TILES-LABEL: @forward
// TILES:         scf.forall (%[[N:.*]], %[[C:.*]], %[[P:.*]], %[[J:.*]]) in (2, 16, 6, 2) shared_outs(%[[OUT:.*]] = %{{.*}}) -> (tensor<2x16x6x8xf32>)
// TILES:           %[[Q:.*]] = affine.apply #{{.*}}(%[[J]])
// TILES:           conv.depthwise %{{.*}}, %{{.*}}[%[[N]], %[[C]], %[[P]], %[[Q]]] {{.*}} -> tensor<1x1x1x4xf32>

// Taps one by one, for lines of three are not aligned. Of six columns of x four
// are an access; the first and the last can be outside.

// THREADS:       gpu.func @forward
// THREADS-COUNT-3: vector.load %{{.*}} {alignment = 4 : i64} : memref<144xf32>, vector<1xf32>
// THREADS:       vector.load %{{.*}} {alignment = 4 : i64} : memref<1536xf32>, vector<1xf32>
// THREADS:       vector.load %{{.*}} {alignment = 16 : i64} : memref<1536xf32>, vector<4xf32>
// THREADS:       vector.load %{{.*}} {alignment = 4 : i64} : memref<1536xf32>, vector<1xf32>
// THREADS:       vector.store %{{.*}} {alignment = 16 : i64} : memref<{{.*}}xf32>, vector<4xf32>
func.func @forward(%x: tensor<2x16x6x8xf32>, %w: tensor<16x1x3x3xf32>) -> tensor<2x16x6x8xf32> {
  %e = tensor.empty() : tensor<2x16x6x8xf32>
  %y = conv.forward ins(%x, %w : tensor<2x16x6x8xf32>, tensor<16x1x3x3xf32>) outs(%e : tensor<2x16x6x8xf32>) pad [1, 1] groups 16 layout nchw
         {conv.schedule = #conv.schedule<algorithm = loops, tile = [4, 1, 1], warps = [1, 1], stages = 1, copy = cp_async, mma = fma, gather = true>} -> tensor<2x16x6x8xf32>
  return %y : tensor<2x16x6x8xf32>
}

// -----

// wgrad: neighbouring threads have the lines of the filter, and then neighbouring
// blocks of a line of one image, each of them every third block. Six positions of a line are whole accesses of two.

// TILES-LABEL: @wgrad
// TILES:         scf.forall (%[[I:.*]], %[[C:.*]], %[[PART:.*]], %[[R:.*]], %{{.*}}) in (2, 16, 3, 3, 1)
// TILES:           %[[N:.*]] = affine.apply #{{.*}}(%[[I]], %[[PART]])
// TILES:           conv.depthwise %{{.*}}, %{{.*}}[%[[N]], %[[C]], %[[R]], %{{.*}}] {{.*}} -> tensor<1x1x1x3xf32>

// THREADS:       gpu.func @wgrad
// THREADS:       scf.for %{{.*}} = %{{.*}} to %c12{{.*}} step %c3
// THREADS-COUNT-3: vector.load %{{.*}} {alignment = 8 : i64} : memref<{{.*}}xf32>, vector<2xf32>
// THREADS:         math.fma
func.func @wgrad(%x: tensor<2x16x8x14xf32>, %dy: tensor<2x16x6x12xf32>) -> tensor<16x1x3x3xf32> {
  %e = tensor.empty() : tensor<16x1x3x3xf32>
  %dw = conv.wgrad ins(%x, %dy : tensor<2x16x8x14xf32>, tensor<2x16x6x12xf32>) outs(%e : tensor<16x1x3x3xf32>) groups 16 layout nchw
          {conv.schedule = #conv.schedule<algorithm = loops, tile = [3, 1, 6], warps = [1, 1], stages = 1, copy = cp_async, mma = fma, split = 3, gather = true>} -> tensor<16x1x3x3xf32>
  return %dw : tensor<16x1x3x3xf32>
}
