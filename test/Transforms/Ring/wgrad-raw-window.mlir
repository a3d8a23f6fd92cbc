// RUN: conv-opt %s -conv-to-kernels='chip=sm_90a schedule="tile=64x576x96,warps=4x3,stages=6,split-k=1,copy=tma,mma=wgmma,window=true,gather=true,k-major=true"' | FileCheck %s --check-prefix=ONE

// The window of x of a wgrad that reads dy K-major, both with channels first.
// TMA loads positions as they lie, in boxes with barriers of their own, and
// three warps make lines of them. One thread loads all, a block's boxes first.
// Six slots leave room for the boxes of one block. A slot is full when TMA has
// copied dy and each warp has arrived; a box is free when each has read it.

// ONE-LABEL: gpu.func @wide_0(%arg0: memref<2x128x192xbf16>, %arg1: memref<2x64x12x16xbf16>
// ONE-DAG:     %[[X:.*]] = memref.collapse_shape %arg1 {{\[}}[0], [1], [2, 3]{{\]}} : {{.*}} into memref<2x64x192xbf16>
// ONE-DAG:     %[[WINDOWS:.*]] = memref.alloc() : memref<6x168x64xbf16
// ONE-DAG:     memref.alloc() : memref<1x64x64xbf16
// ONE-DAG:     %[[FLAT:.*]] = memref.collapse_shape %[[WINDOWS]]
// ONE:         vector.store %{{.*}}, %[[FLAT]]
// ONE:         nvgpu.mbarrier.init %[[FULL:.*]][%c0], %c4 :
// ONE-NEXT:    nvgpu.mbarrier.init %[[EMPTY:.*]][%c0], %c12 :
// ONE:         nvgpu.mbarrier.init %[[FULLB:.*]][%c0], %c1 :
// ONE-NEXT:    nvgpu.mbarrier.init %[[EMPTYB:.*]][%c0], %c3 :
// ONE:         nvvm.setmaxregister decrease 104
// ONE-NOT:     engine.load_box
// ONE:           nvgpu.mbarrier.try_wait.parity %[[EMPTY]]
// ONE:           %[[WINDOW:.*]] = memref.subview %[[WINDOWS]]
// ONE:           nvgpu.mbarrier.try_wait.parity %[[FULLB]][%c0]
// ONE-NEXT:      engine.transpose_rows %{{.*}}[%c0] into %[[WINDOW]] row 0 rows 8 width 16 column 1 pitch 18 lines 144 {conv.producers = 3 : i64}
// ONE-NEXT:      nvvm.bar.warp.sync
// ONE:           nvgpu.mbarrier.arrive %[[EMPTYB]][%c0]
// ONE:           nvgpu.mbarrier.try_wait.parity %[[FULLB]][%c1]
// ONE-NEXT:      engine.transpose_rows %{{.*}}[%c-64] into %[[WINDOW]] row 0 rows 8
// ONE:           nvgpu.mbarrier.arrive %[[EMPTYB]][%c1]
// ONE:           nvvm.fence.proxy
// ONE:           nvgpu.mbarrier.arrive %[[FULL]][
// ONE:         } else {
// ONE-NOT:     engine.transpose_rows
// ONE:           nvgpu.mbarrier.try_wait.parity %[[EMPTYB]][%c0]
// ONE-NEXT:      nvgpu.mbarrier.arrive.expect_tx %[[FULLB]][%c0], %c8192 {conv.producer}
// ONE:           engine.load_box %[[X]][%c0, %c0, %c-16] into %{{.*}}, %[[FULLB]][%c0] {conv.producer} : memref<2x64x192xbf16> into memref<64x64xbf16
// ONE:           engine.load_box %[[X]][%c0, %c0, %c48] into %{{.*}}, %[[FULLB]][%c1] {conv.producer}
// ONE:           nvgpu.mbarrier.try_wait.parity %[[EMPTY]]
// ONE-NEXT:      nvgpu.mbarrier.arrive.expect_tx %[[FULL]][%{{.*}}], %c12288 {conv.producer}
// ONE:           engine.load_box %arg0[{{.*}} into {{.*}}, %[[FULL]][%{{.*}}] {conv.producer} : memref<2x128x192xbf16> into memref<64x96xbf16
// ONE-NOT:     conv.loader
// ONE:         nvvm.setmaxregister increase 136
func.func @wide(%x: tensor<2x64x12x16xbf16>, %dy: tensor<2x128x12x16xbf16>) -> tensor<128x64x3x3xf32> {
  %e = tensor.empty() : tensor<128x64x3x3xf32>
  %dw = conv.wgrad ins(%x, %dy : tensor<2x64x12x16xbf16>, tensor<2x128x12x16xbf16>) outs(%e : tensor<128x64x3x3xf32>) pad [1, 1] layout nchw -> tensor<128x64x3x3xf32>
  return %dw : tensor<128x64x3x3xf32>
}
