// RUN: conv-opt %s -conv-to-blocks=chip=sm_90a | conv-opt -conv-blocks-to-kernels=chip=sm_90a -o %t.f5.mlir
// RUN: FileCheck %s --input-file=%t.f5.mlir
// RUN: sed 's/loads_ahead = 8/loads_ahead = 2/; s/loads_ahead = 80/loads_ahead = 16/' %t.f5.mlir > %t.fewer.mlir
// RUN: conv-opt %t.fewer.mlir -conv-kernels-to-rings=chip=sm_90a -conv-lower-tile-copies -canonicalize -cse | FileCheck %s --check-prefix=FEWER
// RUN: conv-opt %t.f5.mlir -conv-kernels-to-rings=chip=sm_90a -conv-lower-tile-copies -canonicalize -cse | FileCheck %s --check-prefix=MORE
// RUN: conv-run %t.fewer.mlir --entry=boxes --device=emulator --verify | FileCheck %s --check-prefix=RUNS
// RUN: conv-run %t.fewer.mlir --entry=elements --device=emulator --verify | FileCheck %s --check-prefix=RUNS
// RUN: sed 's/loads_ahead = 80/loads_ahead = 81/' %t.f5.mlir | not conv-opt -conv-kernels-to-rings=chip=sm_90a 2>&1 | FileCheck %s --check-prefix=MOST
// RUN: sed 's/loads_ahead = 2>/loads_ahead = 1>/' %t.f5.mlir > %t.step.mlir
// RUN: conv-run %t.step.mlir --entry=taps --device=emulator --verify | FileCheck %s --check-prefix=RUNS
// RUN: sed 's/loads_ahead = 2>/loads_ahead = 3>/' %t.f5.mlir | not conv-opt -conv-kernels-to-rings=chip=sm_90a 2>&1 | FileCheck %s --check-prefix=STEPS
// RUN: sed 's/loads_ahead = 80/loads_ahead = 0/' %t.f5.mlir | not conv-opt 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: sed 's/consumer_registers = 232/consumer_registers = 232, loads_ahead = 2/' %t.f5.mlir | not conv-opt -conv-kernels-to-rings=chip=sm_90a 2>&1 | FileCheck %s --check-prefix=TMA
// RUN: sed 's/producer_registers = 152, consumer_registers = 176, loads_ahead = 80/producer_registers = 40/' %t.f5.mlir | not conv-opt -conv-kernels-to-rings=chip=sm_90a 2>&1 | FileCheck %s --check-prefix=FEW
// RUN: conv-opt %t.f5.mlir -conv-kernels-to-rings=chip=sm_90a | sed 's/, loads_ahead = 8\([,>]\)/\1/' > %t.none.mlir
// RUN: not conv-opt %t.none.mlir -conv-lower-tile-copies 2>&1 | FileCheck %s --check-prefix=NONE

// A thread waits for its first load while others are on their way. Pieces of
// boxes come from shared memory: eight are enough. Single positions come from
// global memory: as many as there are registers. TMA has no such thread. Where
// images are rows of wgmma, the consumers read two steps of a block.

// CHECK-DAG: gpu.func @boxes_1({{.*}}<left = skewed_boxes,{{.*}} loads_ahead = 8>
// CHECK-DAG: gpu.func @elements_{{[0-9]}}({{.*}}<left = registers,{{.*}} loads_ahead = 80>
// CHECK-DAG: gpu.func @taps_{{[0-9]}}({{.*}}<left = tma,{{.*}} loads_ahead = 2>
// CHECK-DAG: gpu.func @tiles_{{[0-9]}}({{.*}}<left = tma,{{.*}} consumer_registers = 232>

// MORE-LABEL:    gpu.func @boxes_1
// MORE-COUNT-8:  vector.load %{{.*}} {alignment = 8 : i64} : memref<8192xbf16, {{.*}}, vector<4xbf16>
// MORE-COUNT-8:  vector.store %{{.*}} {alignment = 8 : i64} : memref<8192xbf16, {{.*}}, vector<4xbf16>
// MORE-LABEL:    gpu.func @elements
// MORE-COUNT-24: memref.load
// MORE:          vector.store

// FEWER-LABEL:    gpu.func @boxes_1
// FEWER-COUNT-2:  vector.load %{{.*}} {alignment = 8 : i64} : memref<8192xbf16, {{.*}}, vector<4xbf16>
// FEWER-NOT:      vector.load
// FEWER-COUNT-2:  vector.store %{{.*}} {alignment = 8 : i64} : memref<8192xbf16, {{.*}}, vector<4xbf16>
// FEWER-NOT:      vector.store
// FEWER:          vector.load
// FEWER-LABEL:    gpu.func @elements
// FEWER-COUNT-16: memref.load
// FEWER-NOT:      memref.load
// FEWER:          vector.store

// RUNS: verify {{.*}}full: passed

// MOST: 'gpu.func' op has no plan as it is given: loads_ahead: a thread of the producer with 152 registers has 8 to 80 loads on their way, not 81
// STEPS: 'gpu.func' op has no plan as it is given: loads_ahead: a block has 1 to 2 steps of 16 positions, not 3
// ZERO: 'loads_ahead' of a kernel plan are 1 to 256, not 0
// TMA:  'gpu.func' op has no plan as it is given: loads_ahead: no thread takes operands into registers here
// FEW:  'gpu.func' op has no plan as it is given: loads_ahead: a thread of the producer has 40 registers, but wants 80 for loads on their way and all else
// NONE: 'gpu.func' op needs 'loads_ahead' in its 'conv.kernel_plan', which conv-plan-kernels writes
func.func @boxes(%x: tensor<1x72x14x14xbf16>, %w: tensor<64x1x1x72xbf16>, %y0: tensor<1x14x14x64xbf16>) -> tensor<1x14x14x64xbf16> {
  %e = tensor.empty() : tensor<1x14x14x72xbf16>
  %t = linalg.transpose ins(%x : tensor<1x72x14x14xbf16>) outs(%e : tensor<1x14x14x72xbf16>) permutation = [0, 2, 3, 1]
  %y = conv.forward ins(%t, %w : tensor<1x14x14x72xbf16>, tensor<64x1x1x72xbf16>) outs(%y0 : tensor<1x14x14x64xbf16>)
       {conv.schedule = #conv.schedule<algorithm=implicit_gemm tile=128x64x64 warps=8x1 stages=4 copy=tma mma=wgmma split-k=1 gather=true>} -> tensor<1x14x14x64xbf16>
  return %y : tensor<1x14x14x64xbf16>
}

func.func @elements(%x: tensor<1x72x13x13xbf16>, %w: tensor<64x1x1x72xbf16>, %y0: tensor<1x7x7x64xbf16>) -> tensor<1x7x7x64xbf16> {
  %e = tensor.empty() : tensor<1x13x13x72xbf16>
  %t = linalg.transpose ins(%x : tensor<1x72x13x13xbf16>) outs(%e : tensor<1x13x13x72xbf16>) permutation = [0, 2, 3, 1]
  %y = conv.forward ins(%t, %w : tensor<1x13x13x72xbf16>, tensor<64x1x1x72xbf16>) outs(%y0 : tensor<1x7x7x64xbf16>)
       {stride = array<i64: 2, 2>, conv.schedule = #conv.schedule<algorithm=implicit_gemm tile=128x64x64 warps=8x1 stages=4 copy=tma mma=wgmma split-k=1 gather=true>} -> tensor<1x7x7x64xbf16>
  return %y : tensor<1x7x7x64xbf16>
}

func.func @tiles(%x: tensor<3x8x12x64xbf16>, %w: tensor<64x2x2x64xbf16>) -> tensor<3x7x11x64xbf16> {
  %e = tensor.empty() : tensor<3x7x11x64xbf16>
  %y = conv.forward ins(%x, %w : tensor<3x8x12x64xbf16>, tensor<64x2x2x64xbf16>) outs(%e : tensor<3x7x11x64xbf16>)
       {conv.schedule = #conv.schedule<algorithm=implicit_gemm tile=128x64x64 warps=8x1 stages=3 copy=tma mma=wgmma split-k=1>} -> tensor<3x7x11x64xbf16>
  return %y : tensor<3x7x11x64xbf16>
}

func.func @taps(%x: tensor<2x64x4x16xbf16>, %dy: tensor<2x64x4x16xbf16>) -> tensor<64x64x3x3xf32> {
  %e = tensor.empty() : tensor<64x64x3x3xf32>
  %dw = conv.wgrad ins(%x, %dy : tensor<2x64x4x16xbf16>, tensor<2x64x4x16xbf16>) outs(%e : tensor<64x64x3x3xf32>) pad [1, 1] layout nchw
        {conv.schedule = #conv.schedule<algorithm=implicit_gemm tile=64x192x32 warps=1x4 stages=3 copy=tma mma=wgmma split-k=1 window=true gather=true k-major=true>} -> tensor<64x64x3x3xf32>
  return %dw : tensor<64x64x3x3xf32>
}
