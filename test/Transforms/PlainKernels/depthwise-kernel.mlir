// RUN: conv-opt %s -conv-to-tiles -canonicalize | FileCheck %s --check-prefix=TILES
// RUN: conv-opt %s -conv-to-threads -canonicalize -cse | FileCheck %s --check-prefix=THREADS

// A depthwise convolution without matrices, with what follows it. A thread has
// four positions of a line and eight channels; lines are inside of the places
// in a line, so that a workgroup reads each line of x for several of y.

// TILES-LABEL: @main
// TILES:         %[[T:.*]] = scf.forall {{.*}} -> (tensor<9x16xbf16>)
// TILES:         scf.forall (%[[N:.*]], %[[J:.*]], %[[P:.*]], %[[I:.*]]) in (2, 2, 6, 2) shared_outs(%[[OUT:.*]] = %{{.*}}) -> (tensor<2x6x8x16xbf16>)
// TILES-DAG:       %[[Q:.*]] = affine.apply #{{.*}}(%[[J]])
// TILES-DAG:       %[[C:.*]] = affine.apply #{{.*}}(%[[I]])
// TILES:           %[[S:.*]] = conv.depthwise %{{.*}}, %[[T]][%[[N]], %[[P]], %[[Q]], %[[C]]] {{.*}} -> tensor<1x1x4x8xf32>
// TILES:           %[[Y:.*]] = linalg.generic {{.*}} ins(%[[S]], %{{.*}} : tensor<1x1x4x8xf32>, tensor<8xf32>)
// TILES:             arith.truncf
// TILES:             arith.maximumf
// TILES:           tensor.parallel_insert_slice %[[Y]] into %[[OUT]][%[[N]], %[[P]], %[[Q]], %[[C]]] [1, 1, 4, 8]

// Each column of x is loaded once for a line of the filter: six of them, of
// which the first and the last can be outside. Two words are four elements.

// THREADS:       gpu.func @main_1
// THREADS-SAME:    conv.loops = #conv.schedule<algorithm=loops tile=4x8x1
// THREADS-SAME:    conv.plain
// THREADS-COUNT-3: vector.load %{{.*}}[%{{.*}}] {alignment = 16 : i64} : memref<144xbf16>, vector<8xbf16>
// THREADS-COUNT-6: vector.load %{{.*}}[%{{.*}}] {alignment = 16 : i64} : memref<1536xbf16>, vector<8xbf16>
// THREADS-COUNT-3: vector.load %{{.*}}[%{{.*}}] {alignment = 16 : i64} : memref<144xbf16>, vector<8xbf16>
// THREADS-COUNT-6: vector.load %{{.*}}[%{{.*}}] {alignment = 16 : i64} : memref<1536xbf16>, vector<8xbf16>
// THREADS:         math.fma
// THREADS-NOT:     scf.if

func.func @main(%x: tensor<2x6x8x16xbf16>, %w: tensor<16x3x3x1xbf16>, %bias: tensor<16xf32>) -> tensor<2x6x8x16xbf16> {
  %e = tensor.empty() : tensor<2x6x8x16xbf16>
  %y = conv.forward ins(%x, %w : tensor<2x6x8x16xbf16>, tensor<16x3x3x1xbf16>) outs(%e : tensor<2x6x8x16xbf16>) pad [1, 1] groups 16 {conv.schedule = #conv.schedule<algorithm = loops, tile = [4, 8, 1], warps = [1, 1], stages = 1, copy = cp_async, mma = fma>} -> tensor<2x6x8x16xbf16>
  %r = linalg.generic {indexing_maps = [affine_map<(n, p, q, c) -> (n, p, q, c)>, affine_map<(n, p, q, c) -> (c)>, affine_map<(n, p, q, c) -> (n, p, q, c)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%y, %bias : tensor<2x6x8x16xbf16>, tensor<16xf32>) outs(%e : tensor<2x6x8x16xbf16>) {
  ^bb0(%v: bf16, %b: f32, %o: bf16):
    %zero = arith.constant 0.0 : f32
    %f = arith.extf %v : bf16 to f32
    %s = arith.addf %f, %b : f32
    %m = arith.maximumf %s, %zero : f32
    %t = arith.truncf %m : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<2x6x8x16xbf16>
  return %r : tensor<2x6x8x16xbf16>
}
