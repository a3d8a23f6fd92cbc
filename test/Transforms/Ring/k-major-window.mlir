// RUN: conv-opt %s -conv-to-kernels='chip=sm_90a schedule="tile=64x192x112,warps=4x1,stages=2,split-k=1,copy=tma,mma=wgmma,window=true,k-major=true"' -conv-map-to-wgmma -canonicalize -cse | FileCheck %s

// Blocks of 112 positions of dy are two panels of 64, of which the last 16
// positions are copied and not multiplied.

// CHECK-LABEL: gpu.func @wgrad_1
// CHECK-DAG:     %[[DY:.*]] = memref.alloc() : memref<2x64x128xbf16
// CHECK-DAG:     memref.alloc() : memref<2x120x64xbf16
// CHECK:         nvgpu.mbarrier.arrive.expect_tx %{{.*}}, %c31232
// CHECK:         %[[TILE:.*]] = memref.subview %[[DY]][%{{.*}}, 0, 0] [1, 64, 128]
// CHECK-NEXT:    engine.load_box %{{.*}} into %[[TILE]], {{.*}} : memref<2x64x336xbf16> into memref<64x128xbf16
// CHECK:         engine.load_box {{.*}} into memref<1x2x58x64xbf16
// CHECK:         engine.window_mma %{{.*}}, %{{.*}} box [1, 2, 56] distance 1, %{{.*}} {k_major} : memref<64x128xbf16
func.func @wgrad(%x: tensor<2x64x6x56xbf16>, %dy: tensor<2x64x6x56xbf16>) -> tensor<64x64x3x3xf32> {
  %e = tensor.empty() : tensor<64x64x3x3xf32>
  %dw = conv.wgrad ins(%x, %dy : tensor<2x64x6x56xbf16>, tensor<2x64x6x56xbf16>) outs(%e : tensor<64x64x3x3xf32>) pad [1, 1] layout nchw -> tensor<64x64x3x3xf32>
  return %dw : tensor<64x64x3x3xf32>
}
