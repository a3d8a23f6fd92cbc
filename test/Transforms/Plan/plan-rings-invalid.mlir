// RUN: conv-opt %s -conv-to-blocks=chip=sm_90a | conv-opt -conv-blocks-to-kernels=chip=sm_90a -o %t.f5.mlir
// RUN: sed 's/keeps = none/keeps = right/' %t.f5.mlir | not conv-opt -conv-kernels-to-rings=chip=sm_90a 2>&1 | FileCheck %s --check-prefix=BLOCKS
// RUN: sed 's/keeps = none/keeps = left/' %t.f5.mlir | not conv-opt -conv-kernels-to-rings=chip=sm_90a 2>&1 | FileCheck %s --check-prefix=LEFT
// RUN: sed 's/keeps = none/keeps = none, slots = 3/' %t.f5.mlir | not conv-opt -conv-kernels-to-rings=chip=sm_90a 2>&1 | FileCheck %s --check-prefix=SLOTS
// RUN: sed 's/keeps = none/keeps = none, slots = 17/' %t.f5.mlir | not conv-opt 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: sed 's/consumer_registers = 232/consumer_registers = 240/' %t.f5.mlir | not conv-opt -conv-kernels-to-rings=chip=sm_90a 2>&1 | FileCheck %s --check-prefix=POOL
// RUN: sed 's/producer_registers = 40/producer_registers = 176/' %t.f5.mlir | not conv-opt -conv-kernels-to-rings=chip=sm_90a 2>&1 | FileCheck %s --check-prefix=GIVE
// RUN: sed 's/producer_registers = 40/producer_registers = 41/' %t.f5.mlir | not conv-opt 2>&1 | FileCheck %s --check-prefix=UNIT
// RUN: sed 's/keeps = none, //' %t.f5.mlir > %t.none.mlir
// RUN: not conv-opt %t.none.mlir -conv-pipeline-barriers 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: conv-opt %s -conv-to-blocks=chip=sm_90a | conv-opt -conv-blocks-to-kernels=chip=sm_90a --remarks-filter=conv-plan-kernels -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK-DAG: remark: [Missed] operand-not-kept | Category:conv-plan-kernels | {{.*}}for every tile: 

// BLOCKS: 'gpu.func' op has no plan as it is given: keeps: its blocks must be no more than 3 stages
// LEFT:   'gpu.func' op has no plan as it is given: keeps: it is the right operand that these kernels can keep
// SLOTS:  'gpu.func' op has no plan as it is given: slots: the only ring is that of the schedule's stages
// MANY:   'slots' of a kernel plan are 1 to 16, not 17
// POOL:   'gpu.func' op has no plan as it is given: registers: a thread of each warpgroup has 520 registers together, but there are 504
// GIVE:   'gpu.func' op has no plan as it is given: registers: each thread begins with 168 registers, of which the producer can give up some, and consumers get more
// UNIT:   registers of a kernel plan are a multiple of 8 from 24 to 256, not 41
// NONE:   'gpu.func' op needs 'keeps' in its 'conv.kernel_plan', which conv-plan-kernels writes
func.func @tiles(%x: tensor<3x8x12x64xbf16>, %w: tensor<64x2x2x64xbf16>) -> tensor<3x7x11x64xbf16> {
  %e = tensor.empty() : tensor<3x7x11x64xbf16>
  %y = conv.forward ins(%x, %w : tensor<3x8x12x64xbf16>, tensor<64x2x2x64xbf16>) outs(%e : tensor<3x7x11x64xbf16>)
       {conv.schedule = #conv.schedule<algorithm=implicit_gemm tile=128x64x64 warps=8x1 stages=3 copy=tma mma=wgmma split-k=1>} -> tensor<3x7x11x64xbf16>
  return %y : tensor<3x7x11x64xbf16>
}
