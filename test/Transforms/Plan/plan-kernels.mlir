// RUN: conv-opt %s -conv-to-blocks=chip=sm_90a -o %t.f4.mlir
// RUN: conv-opt %t.f4.mlir -conv-blocks-to-kernels=chip=sm_90a -o %t.f5.mlir
// RUN: FileCheck %s --input-file=%t.f5.mlir
// RUN: conv-opt %t.f4.mlir -conv-outline-kernels -canonicalize -cse | conv-opt -pass-pipeline="builtin.module(gpu.module(conv-plan-kernels))" | FileCheck %s --check-prefix=PASS
// RUN: conv-opt %t.f5.mlir -conv-kernels-to-rings=chip=sm_90a | FileCheck %s --check-prefix=BOXES
// RUN: sed 's/left = skewed_boxes, right = tma, keeps = none, slots = 4/left = pieces/; s/, loads_ahead = 8//' %t.f5.mlir | conv-opt -conv-kernels-to-rings=chip=sm_90a | FileCheck %s --check-prefix=PIECES
// RUN: sed 's/left = skewed_boxes, right = tma, keeps = none, slots = 4/left = registers/; s/, loads_ahead = 8//' %t.f5.mlir | conv-opt -conv-kernels-to-rings=chip=sm_90a | FileCheck %s --check-prefix=REGISTERS
// RUN: sed 's/left = skewed_boxes, right = tma, keeps = none, slots = 4/left = registers/; s/, loads_ahead = 8//' %t.f5.mlir > %t.registers.mlir
// RUN: conv-run %t.registers.mlir --device=emulator --verify | FileCheck %s --check-prefix=RUNS
// RUN: sed 's/left = skewed_boxes, right = tma, keeps = none, slots = 4/left = pieces/; s/, loads_ahead = 8//' %t.f5.mlir > %t.pieces.mlir
// RUN: sed 's/slots = 4/slots = 2/' %t.f5.mlir > %t.slots.mlir
// RUN: conv-opt %t.slots.mlir -conv-kernels-to-rings=chip=sm_90a | FileCheck %s --check-prefix=SLOTS
// RUN: conv-run %t.slots.mlir --device=emulator --verify | FileCheck %s --check-prefix=RUNS
// RUN: conv-run %t.pieces.mlir --device=emulator --verify | FileCheck %s --check-prefix=RUNS

// A plan is written at F5, where tiles are [position, channel] however they
// come. Another way in the text makes another kernel of the same result.

// CHECK:     conv.kernel_plan = #conv.kernel_plan<left = skewed_boxes, right = tma, keeps = none, slots = 4, producer_registers = 152, consumer_registers = 176, loads_ahead = 8>
// CHECK:     conv.im2col %{{.*}} channels_first : memref<3x72x14x14xbf16> into memref<128x64xbf16,

// The pass by itself writes the same.

// PASS:      conv.kernel_plan = #conv.kernel_plan<left = skewed_boxes, right = tma, keeps = none, slots = 4, producer_registers = 152, consumer_registers = 176, loads_ahead = 8>
// PASS:      conv.im2col %{{.*}} channels_first : memref<3x72x14x14xbf16> into memref<128x64xbf16,

// BOXES:     conv.kernel_plan = #conv.kernel_plan<left = skewed_boxes, right = tma, keeps = none, slots = 4, producer_registers = 152, consumer_registers = 176, loads_ahead = 8, stores = [panels]>
// BOXES:     memref.alloc() : memref<4x4x32x64xbf16,
// BOXES:     engine.deskew_rows {{.*}} into memref<64x128xbf16,
// BOXES-NOT: conv.im2col

// PIECES-LABEL: gpu.func @forward_1
// PIECES-NOT: engine.deskew_rows
// PIECES:     conv.im2col %arg0{{.*}} async {{.*}} channels_first transposed {{.*}} into memref<64x128xbf16,
// PIECES:     vector.contract {{.*}}vector<64x128xbf16>, vector<64x64xbf16>

// REGISTERS-LABEL: gpu.func @forward_1
// REGISTERS-NOT: transposed
// REGISTERS:     conv.im2col %arg0{{.*}} channels_first {{.*}} into memref<128x64xbf16,
// REGISTERS:     vector.contract {{.*}}vector<128x64xbf16>, vector<64x64xbf16>

// SLOTS-LABEL: gpu.func @forward_1
// SLOTS:       memref.alloc() : memref<2x4x32x64xbf16,

// RUNS: verify {{.*}}full: passed
func.func @forward(%x: tensor<3x72x14x14xbf16>, %w: tensor<64x1x1x72xbf16>, %y0: tensor<3x14x14x64xbf16>) -> tensor<3x14x14x64xbf16> {
  %e = tensor.empty() : tensor<3x14x14x72xbf16>
  %t = linalg.transpose ins(%x : tensor<3x72x14x14xbf16>) outs(%e : tensor<3x14x14x72xbf16>) permutation = [0, 2, 3, 1]
  %y = conv.forward ins(%t, %w : tensor<3x14x14x72xbf16>, tensor<64x1x1x72xbf16>) outs(%y0 : tensor<3x14x14x64xbf16>)
       {conv.schedule = #conv.schedule<algorithm=implicit_gemm tile=128x64x64 warps=8x1 stages=4 copy=tma mma=wgmma split-k=1 gather=true>} -> tensor<3x14x14x64xbf16>
  return %y : tensor<3x14x14x64xbf16>
}
