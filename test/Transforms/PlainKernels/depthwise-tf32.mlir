// RUN: conv-opt %s -conv-to-tiles -conv-to-threads -canonicalize -cse | FileCheck %s

// Each element is rounded once, where it is loaded: of the three taps and four
// columns of a thread, two channels wide.

// CHECK:       gpu.func @main_1
// CHECK-COUNT-14: nvvm.convert.float.to.tf32 %{{.*}} {rnd = #nvvm.fp_rnd_mode<rna>}
// CHECK-NOT:   nvvm.convert.float.to.tf32
// CHECK:       gpu.return

func.func @main(%x: tensor<2x6x4xf32>, %w: tensor<4x3x1xf32>) -> tensor<2x4x4xf32> {
  %e = tensor.empty() : tensor<2x4x4xf32>
  %y = conv.forward ins(%x, %w : tensor<2x6x4xf32>, tensor<4x3x1xf32>) outs(%e : tensor<2x4x4xf32>) groups 4 precision tf32 {conv.schedule = #conv.schedule<algorithm = loops, tile = [2, 2, 1], warps = [1, 1], stages = 1, copy = cp_async, mma = fma>} -> tensor<2x4x4xf32>
  return %y : tensor<2x4x4xf32>
}
