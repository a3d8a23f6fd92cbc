// RUN: conv-opt %s -conv-vectorize-tiles -canonicalize -cse -split-input-file -verify-diagnostics | FileCheck %s

// Operand tiles get a place in workgroup memory, the accumulator becomes a
// vector that both loops carry, the residual is read into registers.

#x = #conv.view<rows = [6, 7], taps = [3, 3], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1>
#y = #conv.view<rows = [6, 7], taps = [1, 1], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1>
#w = #conv.view<rows = [1, 1], taps = [3, 3], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1>
#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [32, 16, 32], warps = [2, 1], stages = 2, copy = cp_async, mma = mma_sync>

// CHECK-LABEL: @block
// CHECK-SAME:  %[[X:.*]]: tensor<1x8x9x64xf16>, %[[W:.*]]: tensor<24x3x3x64xf16>, %[[BIAS:.*]]: tensor<24xf32>, %[[RES:[a-z0-9]+]]: tensor<1x6x7x24xf16>
func.func @block(%x: tensor<1x8x9x64xf16>, %w: tensor<24x3x3x64xf16>, %bias: tensor<24xf32>, %res: tensor<1x6x7x24xf16>, %y0: tensor<1x6x7x24xf16>) -> tensor<1x6x7x24xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %y = scf.forall (%i, %j) in (2, 2) shared_outs(%o = %y0) -> (tensor<1x6x7x24xf16>) {
    %m = affine.apply affine_map<(d0) -> (d0 * 32)>(%i)
    %n = affine.apply affine_map<(d0) -> (d0 * 16)>(%j)
    %e = tensor.empty() : tensor<32x16xf32>
    %fill = linalg.fill ins(%zero : f32) outs(%e : tensor<32x16xf32>) -> tensor<32x16xf32>
    %acc = scf.for %c = %c0 to %c64 step %c32 iter_args(%a0 = %fill) -> (tensor<32x16xf32>) {
      %acc1 = scf.for %t = %c0 to %c9 step %c1 iter_args(%a1 = %a0) -> (tensor<32x16xf32>) {
        %a = conv.im2col %x[%m, %t, %c] view #x : tensor<1x8x9x64xf16> -> tensor<32x1x32xf16>
        %b = conv.im2col %w[%n, %t, %c] view #w : tensor<24x3x3x64xf16> -> tensor<16x1x32xf16>
        %r = linalg.generic {
            indexing_maps = [affine_map<(m, n, t, c) -> (m, t, c)>, affine_map<(m, n, t, c) -> (n, t, c)>, affine_map<(m, n, t, c) -> (m, n)>],
            iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
            ins(%a, %b : tensor<32x1x32xf16>, tensor<16x1x32xf16>) outs(%a1 : tensor<32x16xf32>) {
        ^bb0(%p: f16, %q: f16, %s: f32):
          %0 = arith.extf %p : f16 to f32
          %1 = arith.extf %q : f16 to f32
          %2 = arith.mulf %0, %1 : f32
          %3 = arith.addf %s, %2 : f32
          linalg.yield %3 : f32
        } -> tensor<32x16xf32>
        scf.yield %r : tensor<32x16xf32>
      }
      scf.yield %acc1 : tensor<32x16xf32>
    }
    %size = affine.min affine_map<(d0) -> (d0 * -16 + 24, 16)>(%j)
    %row = tensor.extract_slice %bias[%n] [%size] [1] : tensor<24xf32> to tensor<?xf32>
    %high = affine.apply affine_map<(d0) -> (-d0 + 16)>(%size)
    %padded = tensor.pad %row low[0] high[%high] {
    ^bb0(%k: index):
      tensor.yield %zero : f32
    } : tensor<?xf32> to tensor<16xf32>
    %residual = conv.im2col %res[%m, %c0, %n] view #y : tensor<1x6x7x24xf16> -> tensor<32x16xf16>
    %e2 = tensor.empty() : tensor<32x16xf16>
    %out = linalg.generic {
        indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
        iterator_types = ["parallel", "parallel"]}
        ins(%acc, %padded, %residual : tensor<32x16xf32>, tensor<16xf32>, tensor<32x16xf16>) outs(%e2 : tensor<32x16xf16>) {
    ^bb0(%p: f32, %q: f32, %r: f16, %s: f16):
      %0 = arith.addf %p, %q : f32
      %1 = arith.truncf %0 : f32 to f16
      %2 = arith.addf %1, %r : f16
      linalg.yield %2 : f16
    } -> tensor<32x16xf16>
    scf.forall.in_parallel {
      conv.scatter %out into %o[%m, %c0, %n] view #y : tensor<32x16xf16> into tensor<1x6x7x24xf16>
    }
  } {conv.schedule = #schedule}
  return %y : tensor<1x6x7x24xf16>
}

// CHECK-DAG:  %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<32x16xf32>
// CHECK:      scf.forall
// CHECK-DAG:    bufferization.alloc_tensor() {memory_space = #gpu.address_space<workgroup>} : tensor<32x32xf16>
// CHECK-DAG:    bufferization.alloc_tensor() {memory_space = #gpu.address_space<workgroup>} : tensor<16x32xf16>
// CHECK:        scf.for {{.*}} iter_args(%[[A0:.*]] = %[[ZERO]]) -> (vector<32x16xf32>)
// CHECK:          scf.for {{.*}} iter_args(%[[A1:.*]] = %[[A0]]) -> (vector<32x16xf32>)
// CHECK:            conv.im2col %[[X]]{{.*}} into
// CHECK:            conv.im2col %[[W]]{{.*}} into
// CHECK:            vector.contract {{.*}} %{{.*}}, %{{.*}}, %[[A1]] : vector<32x32xf16>, vector<16x32xf16> into vector<32x16xf32>
// CHECK:        vector.transfer_read %[[BIAS]]{{.*}} : tensor<24xf32>, vector<16xf32>
// CHECK:        vector.broadcast %{{.*}} : vector<16xf32> to vector<32x16xf32>
// CHECK:        conv.im2col %[[RES]]{{.*}} -> vector<32x16xf16>
// CHECK-NOT:    linalg
// CHECK:        conv.scatter %{{.*}} : vector<32x16xf16> into tensor<1x6x7x24xf16>

// -----

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [16, 16, 16], warps = [1, 1], stages = 2, copy = cp_async, mma = mma_sync>
#y = #conv.view<rows = [16], taps = [1], stride = [1], step = [1], offset = [0], groups = 1>

func.func @not_a_tile(%a: tensor<16x16xf16>, %y0: tensor<1x16x16xf32>) -> tensor<1x16x16xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %y = scf.forall (%i) in (1) shared_outs(%o = %y0) -> (tensor<1x16x16xf32>) {
    %e = tensor.empty() : tensor<16x16xf32>
    %fill = linalg.fill ins(%zero : f32) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
    // expected-error @below {{an operand of the contraction must be a tile of a conv.im2col}}
    %copy = tensor.extract_slice %a[%c0, 0] [16, 16] [1, 1] : tensor<16x16xf16> to tensor<16x16xf16>
    %r = linalg.matmul ins(%copy, %copy : tensor<16x16xf16>, tensor<16x16xf16>) outs(%fill : tensor<16x16xf32>) -> tensor<16x16xf32>
    scf.forall.in_parallel {
      conv.scatter %r into %o[%i, %c0, %c0] view #y : tensor<16x16xf32> into tensor<1x16x16xf32>
    }
  } {conv.schedule = #schedule}
  return %y : tensor<1x16x16xf32>
}

// -----

// What the body rounds is rounded as a tile.

#x = #conv.view<rows = [64], taps = [1], stride = [1], step = [1], offset = [0], groups = 1>
#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [32, 16, 8], warps = [2, 1], stages = 2, copy = cp_async, mma = mma_sync>

// CHECK-LABEL: @tf32
// CHECK:         %[[A:.*]] = vector.transfer_read {{.*}}, vector<32x8xf32>
// CHECK:         %[[RA:.*]] = arith.truncf %[[A]] : vector<32x8xf32> to vector<32x8xtf32>
// CHECK:         %[[B:.*]] = vector.transfer_read {{.*}}, vector<16x8xf32>
// CHECK:         %[[RB:.*]] = arith.truncf %[[B]] : vector<16x8xf32> to vector<16x8xtf32>
// CHECK:         vector.contract {{.*}} %[[RA]], %[[RB]], %{{.*}} : vector<32x8xtf32>, vector<16x8xtf32> into vector<32x16xf32>
func.func @tf32(%x: tensor<1x64x8xf32>, %w: tensor<1x64x8xf32>, %y0: tensor<1x64x16xf32>) -> tensor<1x64x16xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %y = scf.forall (%i) in (2) shared_outs(%o = %y0) -> (tensor<1x64x16xf32>) {
    %m = affine.apply affine_map<(d0) -> (d0 * 32)>(%i)
    %e = tensor.empty() : tensor<32x16xf32>
    %fill = linalg.fill ins(%zero : f32) outs(%e : tensor<32x16xf32>) -> tensor<32x16xf32>
    %a = conv.im2col %x[%m, %c0, %c0] view #x : tensor<1x64x8xf32> -> tensor<32x1x8xf32>
    %b = conv.im2col %w[%c0, %c0, %c0] view #x : tensor<1x64x8xf32> -> tensor<16x1x8xf32>
    %r = linalg.generic {
        indexing_maps = [affine_map<(m, n, t, c) -> (m, t, c)>, affine_map<(m, n, t, c) -> (n, t, c)>, affine_map<(m, n, t, c) -> (m, n)>],
        iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
        ins(%a, %b : tensor<32x1x8xf32>, tensor<16x1x8xf32>) outs(%fill : tensor<32x16xf32>) {
    ^bb0(%p: f32, %q: f32, %s: f32):
      %0 = arith.truncf %p : f32 to tf32
      %1 = arith.extf %0 : tf32 to f32
      %2 = arith.truncf %q : f32 to tf32
      %3 = arith.extf %2 : tf32 to f32
      %4 = arith.mulf %1, %3 : f32
      %5 = arith.addf %s, %4 : f32
      linalg.yield %5 : f32
    } -> tensor<32x16xf32>
    scf.forall.in_parallel {
      conv.scatter %r into %o[%m, %c0, %c0] view #x : tensor<32x16xf32> into tensor<1x64x16xf32>
    }
  } {conv.schedule = #schedule, mapping = [#gpu.block<x>]}
  return %y : tensor<1x64x16xf32>
}
