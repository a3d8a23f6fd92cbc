// RUN: conv-opt %s -split-input-file -conv-to-kernels='chip=sm_90a schedule="tile=128x32x32,warps=8x1,stages=3,copy=tma,mma=wgmma"' | FileCheck %s

// Groups of 24 channels and filters: blocks of 32 reach into the next group, so
// the tiles of x keep their groups. Rows of the filter are along gemm-n: they
// name the whole tensor.

// CHECK-LABEL: gpu.func @forward_0
// CHECK-DAG:     engine.load_tile %{{[^,]*}}[%{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}] {{.*}} groups = 2> {{.*}} memref<2x13x14x48xbf16> into memref<128x32xb
// CHECK-DAG:     engine.load_tile %{{[^,]*}}[%{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}] {{.*}} groups = 1> {{.*}} memref<48x3x3x24xbf16> into memref<32x32xbf16
func.func @forward(%x: tensor<2x13x14x48xbf16>, %w: tensor<48x3x3x24xbf16>, %y0: tensor<2x13x14x48xbf16>) -> tensor<2x13x14x48xbf16> {
  %y = conv.forward ins(%x, %w : tensor<2x13x14x48xbf16>, tensor<48x3x3x24xbf16>) outs(%y0 : tensor<2x13x14x48xbf16>) pad [1, 1] groups 2 -> tensor<2x13x14x48xbf16>
  return %y : tensor<2x13x14x48xbf16>
}

// -----

// In dgrad they are along gemm-k, and so keep theirs.

// CHECK-LABEL: gpu.func @dgrad_0
// CHECK-DAG:     engine.load_tile %{{[^,]*}}[%{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}] {{.*}} groups = 2> {{.*}} memref<2x13x14x48xbf16> into memref<128x32xb
// CHECK-DAG:     engine.load_tile %{{[^,]*}}[%{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}] {{.*}} groups = 1, row_groups = 2> {{.*}} memref<48x3x3x24xbf16> into memref<32x32xbf16
func.func @dgrad(%dy: tensor<2x13x14x48xbf16>, %w: tensor<48x3x3x24xbf16>, %dx0: tensor<2x13x14x48xbf16>) -> tensor<2x13x14x48xbf16> {
  %dx = conv.dgrad ins(%dy, %w : tensor<2x13x14x48xbf16>, tensor<48x3x3x24xbf16>) outs(%dx0 : tensor<2x13x14x48xbf16>) pad [1, 1] groups 2 -> tensor<2x13x14x48xbf16>
  return %dx : tensor<2x13x14x48xbf16>
}
