// RUN: conv-opt %s -conv-to-kernels='chip=sm_90a schedule="tile=64x576x64,warps=4x3,stages=2,split-k=1,copy=tma,mma=wgmma,window=true,gather=true"' | FileCheck %s --check-prefixes=BOTH,GATHERED

// Boxes of both operands of a wgrad: rows of 14 have 16 lines in a block, of
// which two are zero. There are boxes of two blocks; dy's, one of each, have the
// first two barriers. TMA counts no bytes of a slot.

// BOTH-LABEL: gpu.func @narrow_0(
// BOTH-DAG:     %[[DY:.*]] = memref.collapse_shape %arg0 {{\[}}[0], [1], [2, 3]{{\]}} : {{.*}} into memref<2x128x280xbf16>
// BOTH-DAG:     %[[X:.*]] = memref.collapse_shape %arg1 {{\[}}[0], [1], [2, 3]{{\]}} : {{.*}} into memref<2x64x280xbf16>
// BOTH-DAG:     %[[XBOXES:.*]] = memref.alloc() : memref<2x64x64xbf16
// BOTH-DAG:     %[[BOXES:.*]] = memref.alloc() : memref<2x64x64xbf16
// BOTH:         nvgpu.mbarrier.init %[[FULL:.*]][%c0], %c3 :
// BOTH:         nvgpu.mbarrier.init %[[FULLB:.*]][%c5], %c1 :
// BOTH:         scf.for {{.*}} iter_args(%[[SLOT:.*]] = %c0, %{{.*}} = %false, %[[BOX:.*]] = %c0, %[[PHASE:.*]] = %false)
// BOTH:           nvgpu.mbarrier.try_wait.parity %[[FULLB]][%[[BOX]]], %[[PHASE]]
// BOTH:           engine.transpose_rows %{{.*}}[%c0] into %{{.*}} row 0 rows 4 width 14 column 0 pitch 16 lines 64 {conv.producers = 3 : i64}
// BOTH:           %[[NUMBER:.*]] = arith.muli %[[BOX]], %c2
// BOTH:           %[[XBARRIER:.*]] = arith.addi %[[NUMBER]], %c2
// BOTH:           nvgpu.mbarrier.try_wait.parity %[[FULLB]][%[[XBARRIER]]], %[[PHASE]]
// BOTH:           engine.transpose_rows %{{.*}}[%c2] into %{{.*}} row 0 rows 6 width 14 column 1 pitch 18 lines 108
// BOTH:           engine.transpose_rows %{{.*}}[%c-62] into %{{.*}} row 0 rows 6 width 14 column 1 pitch 18 lines 108
// BOTH:           nvvm.fence.proxy
// BOTH:           nvgpu.mbarrier.arrive %[[FULL]][
// BOTH:         } else {
// BOTH-NOT:     expect_tx %[[FULL]][
// BOTH:           %[[MEMORY:.*]] = memref.subview %[[BOXES]][%[[PLACE:.*]], 0, 0]
// BOTH:           engine.load_box %[[DY]][%c0, %{{.*}}, %c0] into %[[MEMORY]], %[[FULLB]][%[[PLACE]]] {conv.producer} : {{.*}} into memref<64x64xbf16
// BOTH:           %[[NUMBER:.*]] = arith.muli %[[PLACE]], %c2
// BOTH:           %[[XBARRIER:.*]] = arith.addi %[[NUMBER]], %c2
// BOTH:           %[[MEMORY:.*]] = memref.subview %[[XBOXES]][%[[PLACE]], 0, 0]
// BOTH:           engine.load_box %[[X]][%c0, %{{.*}}, %c-16] into %[[MEMORY]], %[[FULLB]][%[[XBARRIER]]] {conv.producer} : {{.*}} into memref<64x64xbf16
// BOTH:           engine.load_box %[[X]][%c0, %{{.*}}, %c48] into
func.func @narrow(%x: tensor<2x64x20x14xbf16>, %dy: tensor<2x128x20x14xbf16>) -> tensor<128x64x3x3xf32> {
  %e = tensor.empty() : tensor<128x64x3x3xf32>
  %dw = conv.wgrad ins(%x, %dy : tensor<2x64x20x14xbf16>, tensor<2x128x20x14xbf16>) outs(%e : tensor<128x64x3x3xf32>) pad [1, 1] layout nchw -> tensor<128x64x3x3xf32>
  return %dw : tensor<128x64x3x3xf32>
}

// Blocks of several images are gathered.

// GATHERED-LABEL: gpu.func @several_2(
// GATHERED-NOT:     engine.transpose_rows
// GATHERED:         engine.gather_box %arg0
// GATHERED:         engine.gather_box %arg1
func.func @several(%x: tensor<8x64x4x8xbf16>, %dy: tensor<8x128x4x8xbf16>) -> tensor<128x64x3x3xf32> {
  %e = tensor.empty() : tensor<128x64x3x3xf32>
  %dw = conv.wgrad ins(%x, %dy : tensor<8x64x4x8xbf16>, tensor<8x128x4x8xbf16>) outs(%e : tensor<128x64x3x3xf32>) pad [1, 1] layout nchw -> tensor<128x64x3x3xf32>
  return %dw : tensor<128x64x3x3xf32>
}
