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
// CHECK:           engine.tma_load %[[MAP:.*]][%[[COLUMN]], %c0] to %{{.*}}[%c0], %[[FULL]]
// CHECK-NEXT:      scf.if %[[INSIDE]] {
// CHECK-NEXT:        engine.tma_load %[[MAP]][%[[SECOND]], %c0] to %{{.*}}[%c4096], %[[FULL]]
// CHECK-NEXT:      }
func.func @wgrad(%x: tensor<2x8x8x64xbf16>, %dy: tensor<2x8x8x320xbf16>, %init: tensor<320x1x1x64xf32>) -> tensor<320x1x1x64xf32> {
  %dw = conv.wgrad ins(%x, %dy : tensor<2x8x8x64xbf16>, tensor<2x8x8x320xbf16>) outs(%init : tensor<320x1x1x64xf32>)
         {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [128, 64, 64], warps = [8, 1], stages = 3, copy = tma, mma = wgmma>} -> tensor<320x1x1x64xf32>
  return %dw : tensor<320x1x1x64xf32>
}

// -----

// 328 filters: each panel has some, and all of it is loaded.

// CHECK-LABEL: gpu.func @all_1
// CHECK:         scf.for
// CHECK:           nvgpu.mbarrier.arrive.expect_tx %{{.*}}, %c24576
// CHECK-NOT:       scf.if
// CHECK:           engine.tma_load
func.func @all(%x: tensor<2x8x8x320xbf16>, %dy: tensor<2x8x8x328xbf16>, %init: tensor<328x1x1x320xf32>) -> tensor<328x1x1x320xf32> {
  %dw = conv.wgrad ins(%x, %dy : tensor<2x8x8x320xbf16>, tensor<2x8x8x328xbf16>) outs(%init : tensor<328x1x1x320xf32>)
         {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [128, 64, 64], warps = [8, 1], stages = 3, copy = tma, mma = wgmma>} -> tensor<328x1x1x320xf32>
  return %dw : tensor<328x1x1x320xf32>
}

// -----

// 576 filters of forward are rows: the last tile has 64 of them, which a map of
// its own copies.

// CHECK-LABEL: gpu.func @forward_1
// CHECK-SAME:    %[[WHOLE:[^:]*]]: !nvgpu.tensormap.descriptor<tensor = memref<128x64xbf16, 3>, {{[^>]*}}>, %[[REST:[^:]*]]: !nvgpu.tensormap.descriptor<tensor = memref<64x64xbf16, 3>
// CHECK:         scf.for
// CHECK:           %[[ALL:.*]] = arith.cmpi ult, %[[ROW:.*]], %c512
// CHECK:           %[[BYTES:.*]] = arith.select %[[ALL]], %c16384, %c8192
// CHECK:           %[[BOTH:.*]] = arith.addi %[[BYTES]], %c16384
// CHECK:           nvgpu.mbarrier.arrive.expect_tx %[[FULL:.*]][%{{.*}}], %[[BOTH]]
// CHECK:           scf.if %[[ALL]] {
// CHECK-NEXT:        engine.tma_load %[[WHOLE]][%c0, %[[ROW]]] to %[[TILE:.*]][%c0], %[[FULL]]
// CHECK-NEXT:      } else {
// CHECK-NEXT:        engine.tma_load %[[REST]][%c0, %[[ROW]]] to %[[TILE]][%c0], %[[FULL]]
// CHECK-NEXT:      }
func.func @forward(%x: tensor<2x8x8x72xbf16>, %w: tensor<576x1x1x72xbf16>, %init: tensor<2x8x8x576xf32>) -> tensor<2x8x8x576xf32> {
  %y = conv.forward ins(%x, %w : tensor<2x8x8x72xbf16>, tensor<576x1x1x72xbf16>) outs(%init : tensor<2x8x8x576xf32>)
         {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [128, 128, 64], warps = [8, 1], stages = 3, copy = tma, mma = wgmma>} -> tensor<2x8x8x576xf32>
  return %y : tensor<2x8x8x576xf32>
}
