// RUN: conv-opt %s -split-input-file -conv-to-kernels=chip=sm_90a -conv-lower-tile-loads -canonicalize -cse | FileCheck %s

// 320 filters in tiles of 128: the second panel of the last tile begins past
// them. TMA does not fill it with zeros, and the barrier does not wait for it.

// CHECK-LABEL: gpu.func @wgrad_1
// CHECK:         scf.for
// CHECK:           %[[COLUMN:.*]] = affine.apply
// CHECK:           %[[SECOND:.*]] = arith.addi %[[COLUMN]], %c64
// CHECK:           %[[INSIDE:.*]] = arith.cmpi ult, %[[SECOND]], %c320
// CHECK:           %[[BYTES:.*]] = arith.select %[[INSIDE]], %c8192, %c0
// CHECK:           %[[ALL:.*]] = arith.addi %[[BYTES]], %c{{.*}}
// CHECK:           nvgpu.mbarrier.arrive.expect_tx %[[FULL:.*]][%{{.*}}], %[[ALL]]
// CHECK:           conv.tma_load %[[MAP:.*]][%[[COLUMN]], %c0] to %{{.*}}[%c0], %[[FULL]]
// CHECK-NEXT:      scf.if %[[INSIDE]] {
// CHECK-NEXT:        conv.tma_load %[[MAP]][%[[SECOND]], %c0] to %{{.*}}[%c4096], %[[FULL]]
// CHECK-NEXT:      }
func.func @wgrad(%x: tensor<2x8x8x64xbf16>, %dy: tensor<2x8x8x320xbf16>, %init: tensor<320x1x1x64xf32>) -> tensor<320x1x1x64xf32> {
  %dw = conv.wgrad ins(%x, %dy : tensor<2x8x8x64xbf16>, tensor<2x8x8x320xbf16>) outs(%init : tensor<320x1x1x64xf32>)
         {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [128, 64, 64], warps = [8, 1], stages = 3, copy = tma, mma = wgmma>} -> tensor<320x1x1x64xf32>
  return %dw : tensor<320x1x1x64xf32>
}

// -----

// 328 filters: each panel has some. All of it is loaded, as what is K-major
// (x and w of forward) always is: zeros past gemm-k are multiplied.

// CHECK-LABEL: gpu.func @all_1
// CHECK:         scf.for
// CHECK:           nvgpu.mbarrier.arrive.expect_tx %{{.*}}, %c24576
// CHECK-NOT:       scf.if
// CHECK:           conv.tma_load
func.func @all(%x: tensor<2x8x8x128xbf16>, %dy: tensor<2x8x8x328xbf16>, %init: tensor<328x1x1x128xf32>) -> tensor<328x1x1x128xf32> {
  %dw = conv.wgrad ins(%x, %dy : tensor<2x8x8x128xbf16>, tensor<2x8x8x328xbf16>) outs(%init : tensor<328x1x1x128xf32>)
         {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [128, 64, 64], warps = [8, 1], stages = 3, copy = tma, mma = wgmma>} -> tensor<328x1x1x128xf32>
  return %dw : tensor<328x1x1x128xf32>
}
