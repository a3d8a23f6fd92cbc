// RUN: conv-opt %s -conv-to-blocks=chip=sm_90a | conv-opt -conv-blocks-to-kernels=chip=sm_90a -o %t.f5.mlir
// RUN: sed 's/left = skewed_boxes/left = pieces/' %t.f5.mlir | not conv-opt -conv-kernels-to-rings=chip=sm_90a 2>&1 | FileCheck %s --check-prefix=PIECES
// RUN: sed 's/left = skewed_boxes/left = images/' %t.f5.mlir | not conv-opt -conv-kernels-to-rings=chip=sm_90a 2>&1 | FileCheck %s --check-prefix=IMAGES
// RUN: sed 's/right = tma/right = boxes/' %t.f5.mlir | not conv-opt -conv-kernels-to-rings=chip=sm_90a 2>&1 | FileCheck %s --check-prefix=TILES
// RUN: sed 's/right = tma/right = fast/' %t.f5.mlir | not conv-opt -conv-kernels-to-rings=chip=sm_90a 2>&1 | FileCheck %s --check-prefix=WORD
// RUN: sed 's/right = tma/rights = tma/' %t.f5.mlir | not conv-opt -conv-kernels-to-rings=chip=sm_90a 2>&1 | FileCheck %s --check-prefix=FIELD
// RUN: sed 's/right = tma/left = tma/' %t.f5.mlir | not conv-opt -conv-kernels-to-rings=chip=sm_90a 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: sed 's/keeps = none/keeps = both/' %t.f5.mlir | not conv-opt 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: sed 's/slots = 4/slots = 1/' %t.f5.mlir | not conv-opt -conv-kernels-to-rings=chip=sm_90a 2>&1 | FileCheck %s --check-prefix=FEW
// RUN: sed 's/slots = 4/slots = 16/' %t.f5.mlir | not conv-opt -conv-kernels-to-rings=chip=sm_90a -conv-rings-to-threads=chip=sm_90a 2>&1 | FileCheck %s --check-prefix=ROOM
// RUN: sed 's/conv.kernel_plan = #conv.kernel_plan<[^>]*>/conv.kernel_plan = 3/' %t.f5.mlir | not conv-opt 2>&1 | FileCheck %s --check-prefix=KIND
// RUN: sed 's/conv.kernel_plan = #conv.kernel_plan<[^>]*>, //' %t.f5.mlir > %t.none.mlir
// RUN: not conv-opt %t.none.mlir -conv-pipeline-barriers 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: conv-opt %t.none.mlir -conv-kernels-to-rings=chip=sm_90a | FileCheck %s --check-prefix=OLDER

// What a plan says by hand is refused with the limit that it breaks.

// PIECES: 'gpu.func' op has no plan as it is given: left: pieces are of images with an even number of positions, but one has 49
// IMAGES: 'gpu.func' op has no plan as it is given: left: kernels of the form 'panels' copy tensors with channels first by skewed_boxes, pieces, registers, not by images
// TILES:  'gpu.func' op has no plan as it is given: right: kernels of the form 'panels' copy tiles by tma, not by boxes
// WORD:   error: expected cp_async, registers, tma, boxes, skewed_boxes, images, pieces for 'right' of a kernel plan
// WORD-NOT: error:
// FIELD:  error: a kernel plan has left, right, keeps, slots, producer_registers, consumer_registers, loads_ahead, reads, zero_rows, stores, and not 'rights'
// TWICE:  error: 'left' of a kernel plan is given twice
// BOTH:   error: expected none, left, right for 'keeps' of a kernel plan
// FEW:    'gpu.func' op has no plan as it is given: slots: the ring has at least 2, not 1
// ROOM:   'gpu.func' op needs {{[0-9]+}} bytes of shared memory, but a workgroup of sm_90a has 232448
// KIND:   'conv.kernel_plan' must be a #conv.kernel_plan, but is 3
// NONE:   'gpu.func' op needs 'left' in its 'conv.kernel_plan', which conv-plan-kernels writes

// Text without a plan gets one.

// OLDER:  #conv.kernel_plan<left = skewed_boxes, right = tma, keeps = none,
func.func @odd(%x: tensor<9x64x7x7xbf16>, %w: tensor<64x1x1x64xbf16>, %y0: tensor<9x7x7x64xbf16>) -> tensor<9x7x7x64xbf16> {
  %e = tensor.empty() : tensor<9x7x7x64xbf16>
  %t = linalg.transpose ins(%x : tensor<9x64x7x7xbf16>) outs(%e : tensor<9x7x7x64xbf16>) permutation = [0, 2, 3, 1]
  %y = conv.forward ins(%t, %w : tensor<9x7x7x64xbf16>, tensor<64x1x1x64xbf16>) outs(%y0 : tensor<9x7x7x64xbf16>)
       {conv.schedule = #conv.schedule<algorithm=implicit_gemm tile=128x64x64 warps=8x1 stages=4 copy=tma mma=wgmma split-k=1 gather=true>} -> tensor<9x7x7x64xbf16>
  return %y : tensor<9x7x7x64xbf16>
}
