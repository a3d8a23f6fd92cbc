// RUN: conv-opt %s -conv-to-kernels='chip=sm_90a schedule="tile=128x64x64,warps=8x1,stages=3,copy=tma,mma=wgmma,window=true,gather=true"' | FileCheck %s
// RUN: conv-opt %s -conv-to-kernels='chip=sm_90a schedule="tile=64x64x64,warps=4x1,stages=18,copy=tma,mma=wgmma,window=true,gather=true"' | FileCheck %s --check-prefix=RESIDENT
// RUN: conv-opt %s -conv-to-kernels='chip=sm_90a schedule="tile=128x64x64,warps=8x1,stages=3,copy=tma,mma=wgmma,window=true,gather=true"' -conv-lower-tile-loads -conv-lower-tile-copies | FileCheck %s --check-prefix=LOWERED

// Two warps make windows of boxes that a thread of the last one loads; a thread
// of another copies filter tiles. Lines that are no position are zero from the
// start.

// CHECK-LABEL: gpu.func @forward_1(%arg0: memref<3x128x14x36xbf16>
// CHECK-DAG:     %[[IMAGES:.*]] = memref.collapse_shape %arg0 {{\[}}[0], [1], [2, 3]{{\]}} : memref<3x128x14x36xbf16> into memref<3x128x504xbf16>
// CHECK-DAG:     %[[WINDOWS:.*]] = memref.alloc() : memref<3x288x64xbf16
// CHECK-DAG:     memref.alloc() : memref<1x64x128xbf16
// CHECK-DAG:     memref.alloc() : memref<1x64x32xbf16
// CHECK-DAG:     %[[FLAT:.*]] = memref.collapse_shape %[[WINDOWS]]
// CHECK:         scf.for
// CHECK-NEXT:      vector.store %{{.*}}, %[[FLAT]]
// CHECK:         nvvm.fence.proxy
// CHECK-DAG:     nvgpu.mbarrier.init %[[FULLW:.*]][%c0], %c2 : <{{.*}}, num_barriers = 3>
// CHECK-DAG:     nvgpu.mbarrier.init %[[FULLB:.*]][%c1], %c1 : <{{.*}}, num_barriers = 2>
// CHECK-DAG:     nvgpu.mbarrier.init %[[EMPTYB:.*]][%c1], %c2 : <{{.*}}, num_barriers = 2>
// CHECK:         nvvm.setmaxregister decrease 128
// CHECK:         %[[TRANSPOSES:.*]] = arith.cmpi ult, %{{.*}}, %c320
// CHECK:         scf.if %[[TRANSPOSES]] {
// CHECK-NOT:       {{load_box|load_tile}}
// CHECK:           %[[WINDOW:.*]] = memref.subview %[[WINDOWS]]
// CHECK:           nvgpu.mbarrier.try_wait.parity %{{.*}}[%{{.*}}], %{{.*}} num_barriers = 3>
// CHECK:           nvgpu.mbarrier.try_wait.parity %[[FULLB]][%c0]
// CHECK-NEXT:      engine.transpose_rows %{{.*}}[%c4] into %[[WINDOW]] row 0 rows 4 width 36 column 1 pitch 66 lines 264 {conv.producers = 2 : i64}
// CHECK-NEXT:      nvvm.bar.warp.sync
// CHECK-NEXT:      scf.if
// CHECK-NEXT:        nvgpu.mbarrier.arrive %[[EMPTYB]][%c0]
// CHECK-NEXT:      {{^ *\}$}}
// CHECK:           nvgpu.mbarrier.try_wait.parity %[[FULLB]][%c1]
// CHECK-NEXT:      engine.transpose_rows %{{.*}}[%c-124] into %[[WINDOW]] row 0 rows 4
// CHECK:           nvgpu.mbarrier.arrive %[[EMPTYB]][%c1]
// CHECK-NEXT:      {{^ *\}$}}
// CHECK-NEXT:      nvvm.fence.proxy
// CHECK-NEXT:      nvvm.bar.warp.sync
// CHECK-NEXT:      scf.if
// CHECK-NEXT:        nvgpu.mbarrier.arrive %[[FULLW]]
// CHECK-NOT:       {{load_box|load_tile}}
// CHECK:         } else {
// CHECK:           %[[ONE:.*]] = arith.cmpi eq, %{{.*}}, %c320
// CHECK:           scf.if %[[ONE]] {
// CHECK-NOT:         {{load_box|transpose_rows}}
// CHECK:             engine.load_tile
// CHECK-NOT:         {{load_box|transpose_rows}}
// CHECK:           %[[OTHER:.*]] = arith.cmpi eq, %{{.*}}, %c352
// CHECK:           scf.if %[[OTHER]] {
// CHECK-NOT:         {{load_tile|transpose_rows}}
// CHECK:             nvgpu.mbarrier.try_wait.parity %[[EMPTYB]][%c0], %{{.*}} {conv.loader}
// CHECK-NEXT:        nvgpu.mbarrier.arrive.expect_tx %[[FULLB]][%c0], %c16384 {conv.loader}
// CHECK:             engine.load_box %[[IMAGES]][%{{.*}}, %c0, %{{.*}}] into %{{.*}}, %[[FULLB]][%c0] {conv.loader} : memref<3x128x504xbf16> into memref<64x128xbf16
// CHECK-NOT:         {{load_tile|transpose_rows}}
// CHECK:         nvvm.setmaxregister increase 184

// Beside a filter that stays, three do, and one thread loads all.

// RESIDENT-LABEL: gpu.func @forward_1
// RESIDENT:         nvgpu.mbarrier.init %{{.*}}[%c0], %c3 :
// RESIDENT:         engine.transpose_rows {{.*}} {conv.producers = 3 : i64}
// RESIDENT:         engine.load_box {{.*}} {conv.producer}
// RESIDENT:         engine.load_tile
// RESIDENT-NOT:     conv.loader

// Boxes have panels with a swizzle. What a lane stores to is known before all loops.

// LOWERED-LABEL: gpu.func @forward_1({{.*}}memref<64x64xbf16, 3>, swizzle = swizzle_128b,
// LOWERED:         scf.if
// LOWERED:         %[[PLACE:.*]] = arith.select
// LOWERED:         scf.for
// LOWERED:           %[[A:.*]] = nvgpu.ldmatrix %{{.*}} {numTiles = 4 : i32, transpose = true}
// LOWERED:           %[[B:.*]] = nvgpu.ldmatrix
// LOWERED:           engine.store_matrices %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} to %[[LINES:.*]][%{{.*}}]
// LOWERED:           engine.store_matrices %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} to %[[LINES]][%{{.*}}]
// LOWERED:           engine.tma_load %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] to
func.func @forward(%x: tensor<3x128x14x36xbf16>, %w: tensor<64x3x3x128xbf16>, %y0: tensor<3x14x36x64xbf16>) -> tensor<3x14x36x64xbf16> {
  %e = tensor.empty() : tensor<3x14x36x128xbf16>
  %t = linalg.transpose ins(%x : tensor<3x128x14x36xbf16>) outs(%e : tensor<3x14x36x128xbf16>) permutation = [0, 2, 3, 1]
  %y = conv.forward ins(%t, %w : tensor<3x14x36x128xbf16>, tensor<64x3x3x128xbf16>) outs(%y0 : tensor<3x14x36x64xbf16>) pad [1, 1] -> tensor<3x14x36x64xbf16>
  return %y : tensor<3x14x36x64xbf16>
}
