// RUN: conv-opt %s -conv-to-kernels='chip=sm_90a schedule="tile=128x64x64,warps=8x1,stages=3,copy=tma,mma=wgmma,window=true,gather=true"' | FileCheck %s
// RUN: conv-opt %s -conv-to-kernels='chip=sm_90a schedule="tile=128x64x64,warps=8x1,stages=18,copy=tma,mma=wgmma,window=true,gather=true"' | FileCheck %s --check-prefix=RESIDENT

// Three warps gather windows, and a thread of the fourth copies filter tiles: it
// does not wait for windows.

// CHECK-LABEL: gpu.func @forward_1(%arg0: memref<3x128x14x13xbf16>
// CHECK-DAG:     nvgpu.mbarrier.init %[[FULL:.*]][%c0], %c1 :
// CHECK-DAG:     nvgpu.mbarrier.init %[[FULLW:.*]][%c0], %c3 :
// CHECK:         nvvm.setmaxregister decrease 152
// CHECK:         %[[GATHERS:.*]] = arith.cmpi ult, %{{.*}}, %c352
// CHECK:         scf.if %[[GATHERS]] {
// CHECK-NOT:       load_tile
// CHECK:           conv.gather_box %arg0[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] into %{{.*}} {conv.producers = 3 : i64} : memref<3x128x14x13xbf16> into memref<4x66x64xbf16
// CHECK-NEXT:      nvvm.fence.proxy
// CHECK-NEXT:      nvvm.bar.warp.sync
// CHECK-NEXT:      scf.if
// CHECK-NEXT:        nvgpu.mbarrier.arrive %[[FULLW]]
// CHECK-NOT:       load_tile
// CHECK:         } else {
// CHECK:           %[[ONE:.*]] = arith.cmpi eq, %{{.*}}, %c352
// CHECK:           scf.if %[[ONE]] {
// CHECK-NOT:         gather_box
// CHECK:             conv.load_tile
// CHECK-NOT:         gather_box
// CHECK:         nvvm.setmaxregister increase 176

// Beside a filter that stays, four do.

// RESIDENT-LABEL: gpu.func @forward_1
// RESIDENT:         nvgpu.mbarrier.init %{{.*}}[%c0], %c4 :
// RESIDENT:         conv.load_tile
// RESIDENT:         conv.gather_box {{.*}} {conv.producers = 4 : i64}
func.func @forward(%x: tensor<3x128x14x13xbf16>, %w: tensor<64x3x3x128xbf16>, %y0: tensor<3x14x13x64xbf16>) -> tensor<3x14x13x64xbf16> {
  %e = tensor.empty() : tensor<3x14x13x128xbf16>
  %t = linalg.transpose ins(%x : tensor<3x128x14x13xbf16>) outs(%e : tensor<3x14x13x128xbf16>) permutation = [0, 2, 3, 1]
  %y = conv.forward ins(%t, %w : tensor<3x14x13x128xbf16>, tensor<64x3x3x128xbf16>) outs(%y0 : tensor<3x14x13x64xbf16>) pad [1, 1] -> tensor<3x14x13x64xbf16>
  return %y : tensor<3x14x13x64xbf16>
}
