// RUN: conv-opt %s -conv-to-blocks="chip=sm_90a multiprocessors=1" | conv-opt -conv-blocks-to-kernels="chip=sm_90a multiprocessors=1" -o %t.f5.mlir
// RUN: FileCheck %s --input-file=%t.f5.mlir
// RUN: conv-opt %t.f5.mlir -conv-kernels-to-rings=chip=sm_90a | FileCheck %s --check-prefix=RING
// RUN: sed -e 's/keeps = right/keeps = none/' -e 's/slots = 3/slots = 2/' -e 's/consumer_registers = [0-9]*/consumer_registers = 216/' %t.f5.mlir > %t.other.mlir
// RUN: conv-opt %t.other.mlir -conv-kernels-to-rings=chip=sm_90a | FileCheck %s --check-prefix=OTHER
// RUN: conv-run %t.other.mlir --entry=tiles --device=emulator --verify | FileCheck %s --check-prefix=RUNS
// RUN: conv-run %t.other.mlir --entry=window --device=emulator --verify | FileCheck %s --check-prefix=RUNS
// RUN: conv-opt %t.other.mlir -conv-kernels-to-rings=chip=sm_90a -o %t.f6.mlir
// RUN: conv-opt %t.f6.mlir -conv-rings-to-threads=chip=sm_90a -o %t.f7.mlir
// RUN: conv-opt %t.f7.mlir -conv-threads-to-nvvm=chip=sm_90a -o %t.f8.mlir
// RUN: FileCheck %s --input-file=%t.f6.mlir --check-prefix=STAYS
// RUN: FileCheck %s --input-file=%t.f7.mlir --check-prefix=STAYS
// RUN: FileCheck %s --input-file=%t.f8.mlir --check-prefix=STAYS
// RUN: conv-run %t.f6.mlir --entry=tiles --device=emulator --verify | FileCheck %s --check-prefix=RUNS
// RUN: conv-run %t.f7.mlir --entry=tiles --device=emulator --verify | FileCheck %s --check-prefix=RUNS
// RUN: conv-run %t.f8.mlir --entry=tiles --device=emulator --verify | FileCheck %s --check-prefix=RUNS
// RUN: conv-opt %s -conv-to-blocks="chip=sm_90a multiprocessors=1" | conv-opt -conv-blocks-to-kernels="chip=sm_90a multiprocessors=1" --remarks-filter=conv-plan-kernels -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK-DAG: remark: [Passed] operand-kept | Category:conv-plan-kernels | {{.*}}once for all tiles

// The filter is the same in all tiles, and has a slot for each block: it is
// loaded once, or goes through the ring like x. Windows have slots of their own.

// CHECK-DAG: gpu.func @tiles_0({{.*}} #conv.kernel_plan<left = tma, right = tma, keeps = right, producer_registers = 40, consumer_registers = 232>
// CHECK-DAG: gpu.func @window_1({{.*}} #conv.kernel_plan<left = tma, right = tma, keeps = right, slots = 3, producer_registers = 40, consumer_registers = 232>

// RING-LABEL: gpu.func @tiles_0
// RING:         memref.alloc() : memref<2x64x32xbf16,
// RING-COUNT-4: nvgpu.mbarrier.create
// RING-NOT:     nvgpu.mbarrier.create
// RING:         nvvm.setmaxregister decrease 40
// RING:         nvvm.setmaxregister increase 232
// RING-LABEL: gpu.func @window_1
// RING:         memref.alloc() : memref<3x{{[0-9]+}}x64xbf16,

// OTHER-LABEL: gpu.func @tiles_0
// OTHER:         memref.alloc() : memref<3x64x32xbf16,
// OTHER-COUNT-2: nvgpu.mbarrier.create
// OTHER-NOT:     nvgpu.mbarrier.create
// OTHER:         nvvm.setmaxregister increase 216
// OTHER-LABEL: gpu.func @window_1
// OTHER:         memref.alloc() : memref<2x{{[0-9]+}}x64xbf16,

// Every later form has the plan as it was given.

// STAYS: @tiles_0{{.*}} #conv.kernel_plan<left = tma, right = tma, keeps = none, producer_registers = 40, consumer_registers = 216, stores = [panels]>

// RUNS: verify {{.*}}full: passed
func.func @tiles(%x: tensor<3x8x12x64xbf16>, %w: tensor<64x1x1x64xbf16>) -> tensor<3x8x12x64xbf16> {
  %e = tensor.empty() : tensor<3x8x12x64xbf16>
  %y = conv.forward ins(%x, %w : tensor<3x8x12x64xbf16>, tensor<64x1x1x64xbf16>) outs(%e : tensor<3x8x12x64xbf16>)
       {conv.schedule = #conv.schedule<algorithm=implicit_gemm tile=128x64x32 warps=8x1 stages=3 copy=tma mma=wgmma split-k=1>} -> tensor<3x8x12x64xbf16>
  return %y : tensor<3x8x12x64xbf16>
}

func.func @window(%x: tensor<2x8x12x64xbf16>, %w: tensor<64x2x3x64xbf16>) -> tensor<2x7x10x64xbf16> {
  %e = tensor.empty() : tensor<2x7x10x64xbf16>
  %y = conv.forward ins(%x, %w : tensor<2x8x12x64xbf16>, tensor<64x2x3x64xbf16>) outs(%e : tensor<2x7x10x64xbf16>)
       {conv.schedule = #conv.schedule<algorithm=implicit_gemm tile=128x64x64 warps=8x1 stages=6 copy=tma mma=wgmma split-k=1 window=true>} -> tensor<2x7x10x64xbf16>
  return %y : tensor<2x7x10x64xbf16>
}
