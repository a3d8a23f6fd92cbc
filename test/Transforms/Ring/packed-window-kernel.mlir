// RUN: conv-opt %s -conv-to-kernels='chip=sm_90a schedule="tile=64x64x32,warps=4x1,stages=3,copy=tma,mma=wgmma,window=true,gather=true"' | FileCheck %s

// Phases of rows and columns follow each other, and a tap reads 64 lines of one.

// CHECK-LABEL: gpu.func @taps_1(%arg0: memref<2x64x20x14xbf16>
// CHECK-DAG:     memref.collapse_shape %arg0 {{\[}}[0], [1], [2, 3]{{\]}} : memref<2x64x20x14xbf16> into memref<2x64x280xbf16>
// CHECK-DAG:     memref.alloc() : memref<3x328x32xbf16
// CHECK:         engine.transpose_rows %{{.*}} into %{{.*}} row 0 rows 17 width 14 column 1 pitch 8 lines [[LINES:[0-9]+]]
// CHECK-SAME:      phase_lines = array<i64: 72, 141>, phases = array<i64: 2, 2>, stride = array<i64: 2, 2>
// CHECK:         %[[PART:.*]] = memref.subview %{{.*}}[%{{.*}}, 0] [64, 32] [1, 1] : memref<[[LINES]]x32xbf16
// CHECK-NEXT:    vector.transfer_read %[[PART]]
func.func @taps(%x: tensor<2x64x20x14xbf16>, %w: tensor<64x3x3x64xbf16>, %y0: tensor<2x10x7x64xbf16>) -> tensor<2x10x7x64xbf16> {
  %e = tensor.empty() : tensor<2x20x14x64xbf16>
  %t = linalg.transpose ins(%x : tensor<2x64x20x14xbf16>) outs(%e : tensor<2x20x14x64xbf16>) permutation = [0, 2, 3, 1]
  %y = conv.forward ins(%t, %w : tensor<2x20x14x64xbf16>, tensor<64x3x3x64xbf16>) outs(%y0 : tensor<2x10x7x64xbf16>) stride [2, 2] pad [1, 1] -> tensor<2x10x7x64xbf16>
  return %y : tensor<2x10x7x64xbf16>
}
