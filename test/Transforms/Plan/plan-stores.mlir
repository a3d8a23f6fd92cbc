// RUN: conv-opt %s -conv-to-blocks=chip=sm_90a | conv-opt -conv-blocks-to-kernels=chip=sm_90a -o %t.f5.mlir
// RUN: conv-opt %t.f5.mlir -conv-kernels-to-rings=chip=sm_90a -o %t.f6.mlir
// RUN: FileCheck %s --input-file=%t.f6.mlir
// RUN: sed -e 's/, reads = .*]>/>/' -e 's/, zero_rows = .*]>/>/' -e 's/, stores = .*]>/>/' %t.f6.mlir | conv-opt -pass-pipeline="builtin.module(gpu.module(conv-plan-stores))" | FileCheck %s
// RUN: conv-opt %t.f6.mlir -conv-rings-to-threads=chip=sm_90a | FileCheck %s --check-prefix=F7
// RUN: sed -e '/@residual_0/s/reads = .*]>/reads = [fragments], stores = [unaligned_rows]>/' -e '/@zeros_2/s/zero_rows = .*]>/zero_rows = 0>/' -e 's/channel_boxes/channel_rows/' -e '/@odd_5/s/unaligned_rows/tile/' -e '/@threads_6/s/reads = .*]>/reads = [fragments], stores = [fragments]>/' %t.f6.mlir > %t.other.mlir
// RUN: conv-opt %t.other.mlir -conv-rings-to-threads=chip=sm_90a | FileCheck %s --check-prefix=OTHER
// RUN: conv-run %t.other.mlir --entry=residual --target=sm_90a --device=emulator --verify | FileCheck %s --check-prefix=RUNS
// RUN: conv-run %t.other.mlir --entry=zeros --target=sm_90a --device=emulator --verify | FileCheck %s --check-prefix=RUNS
// RUN: conv-run %t.other.mlir --entry=boxes --target=sm_90a --device=emulator --verify | FileCheck %s --check-prefix=RUNS
// RUN: conv-run %t.other.mlir --entry=odd --target=sm_90a --device=emulator --verify | FileCheck %s --check-prefix=RUNS
// RUN: conv-run %t.other.mlir --entry=threads --target=sm_90a --device=emulator --verify | FileCheck %s --check-prefix=RUNS
// RUN: sed 's/zero_rows = 64/zero_rows = 16/' %t.f6.mlir > %t.few.mlir
// RUN: conv-opt %t.few.mlir -conv-rings-to-threads=chip=sm_90a | FileCheck %s --check-prefix=FEW
// RUN: conv-run %t.few.mlir --entry=zeros --target=sm_90a --device=emulator --verify | FileCheck %s --check-prefix=RUNS
// RUN: sed '/@residual_0/s/consumer_registers = 232>/consumer_registers = 232, stores = [fragments]>/' %t.f5.mlir | conv-opt -conv-kernels-to-rings=chip=sm_90a | FileCheck %s --check-prefix=GIVEN

// When operands have their memory, the plan says how each tile leaves.

// CHECK-DAG: gpu.func @residual_0({{.*}}, reads = [ahead], stores = [panels]>
// CHECK-DAG: gpu.func @zeros_2({{.*}}, zero_rows = 64, stores = [panels]>
// CHECK-DAG: gpu.func @boxes_4({{.*}}, consumer_registers = 232, stores = [channel_boxes]>
// CHECK-DAG: gpu.func @odd_5({{.*}}, consumer_registers = 232, stores = [unaligned_rows]>
// CHECK-DAG: gpu.func @threads_6({{.*}} #conv.kernel_plan<left = cp_async, right = cp_async, reads = [staged], stores = [tile]>

// F7-LABEL:   gpu.func @residual_0
// F7:           nvgpu.ldmatrix
// F7:           engine.tma_store
// F7-LABEL:   gpu.func @zeros_2
// F7:           memref<64x64xbf16
// F7-COUNT-3:   engine.tma_store
// F7-LABEL:   gpu.func @boxes_4
// F7:           engine.tma_store
// F7-LABEL:   gpu.func @odd_5
// F7:           engine.store_matrices

// Later passes do as the plan says, in other ways as well.

// OTHER-LABEL: gpu.func @residual_0
// OTHER-NOT:     nvgpu.ldmatrix
// OTHER-NOT:     engine.tma_store
// OTHER:         engine.store_matrices
// OTHER-NOT:     engine.tma_store
// OTHER-LABEL: gpu.func @zeros_2
// OTHER-NOT:     engine.tma_store
// OTHER-LABEL: gpu.func @boxes_4
// OTHER-NOT:     engine.tma_store
// OTHER:         engine.store_matrices
// OTHER-NOT:     engine.tma_store
// OTHER-LABEL: gpu.func @odd_5
// OTHER-NOT:     engine.store_matrices
// OTHER-LABEL: gpu.func @threads_6

// FEW-LABEL:  gpu.func @zeros_2
// FEW:          memref<16x64xbf16
// FEW-COUNT-3:  engine.tma_store

// What is given at F5 stays, and what is not follows it: nothing is loaded
// ahead to where a result is staged that is not.

// GIVEN:      gpu.func @residual_0({{.*}}, reads = [fragments], stores = [fragments]>

// RUNS: verify {{.*}}full: passed
#id = affine_map<(n, p, q, k) -> (n, p, q, k)>
func.func @residual(%x: tensor<3x7x9x64xbf16>, %w: tensor<64x1x1x64xbf16>, %r: tensor<3x7x9x64xbf16>) -> tensor<3x7x9x64xbf16> {
  %e = tensor.empty() : tensor<3x7x9x64xbf16>
  %c = conv.forward ins(%x, %w : tensor<3x7x9x64xbf16>, tensor<64x1x1x64xbf16>) outs(%e : tensor<3x7x9x64xbf16>)
       {conv.schedule = #conv.schedule<algorithm=implicit_gemm tile=128x64x64 warps=8x1 stages=3 copy=tma mma=wgmma split-k=1>} -> tensor<3x7x9x64xbf16>
  %s = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
       ins(%c, %r : tensor<3x7x9x64xbf16>, tensor<3x7x9x64xbf16>) outs(%e : tensor<3x7x9x64xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %o: bf16):
    %t = arith.addf %a, %b : bf16
    linalg.yield %t : bf16
  } -> tensor<3x7x9x64xbf16>
  return %s : tensor<3x7x9x64xbf16>
}

func.func @zeros(%dy: tensor<1x9x7x64xbf16>, %w: tensor<64x1x1x64xbf16>, %dx: tensor<1x18x13x64xbf16>) -> tensor<1x18x13x64xbf16> {
  %0 = conv.dgrad ins(%dy, %w : tensor<1x9x7x64xbf16>, tensor<64x1x1x64xbf16>) outs(%dx : tensor<1x18x13x64xbf16>) stride [2, 2]
       {conv.schedule = #conv.schedule<algorithm=implicit_gemm tile=128x64x64 warps=8x1 stages=2 copy=tma mma=wgmma split-k=1>} -> tensor<1x18x13x64xbf16>
  return %0 : tensor<1x18x13x64xbf16>
}

func.func @boxes(%x: tensor<3x16x8x8xbf16>, %w: tensor<40x16x3x3xbf16>) -> tensor<3x40x8x8xbf16> {
  %e = tensor.empty() : tensor<3x40x8x8xbf16>
  %y = conv.forward ins(%x, %w : tensor<3x16x8x8xbf16>, tensor<40x16x3x3xbf16>) outs(%e : tensor<3x40x8x8xbf16>) pad [1, 1] layout nchw
       {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [128, 48, 16], warps = [8, 1], stages = 3, copy = tma, mma = wgmma>} -> tensor<3x40x8x8xbf16>
  return %y : tensor<3x40x8x8xbf16>
}

func.func @odd(%x: tensor<3x5x7x64xbf16>, %w: tensor<36x1x1x64xbf16>) -> tensor<3x5x7x36xbf16> {
  %e = tensor.empty() : tensor<3x5x7x36xbf16>
  %y = conv.forward ins(%x, %w : tensor<3x5x7x64xbf16>, tensor<36x1x1x64xbf16>) outs(%e : tensor<3x5x7x36xbf16>)
       {conv.schedule = #conv.schedule<algorithm=implicit_gemm tile=128x64x64 warps=8x1 stages=3 copy=tma mma=wgmma split-k=1>} -> tensor<3x5x7x36xbf16>
  return %y : tensor<3x5x7x36xbf16>
}

func.func @threads(%x: tensor<1x6x7x32xf16>, %w: tensor<32x1x1x32xf16>, %r: tensor<1x6x7x32xf16>) -> tensor<1x6x7x32xf16> {
  %e = tensor.empty() : tensor<1x6x7x32xf16>
  %c = conv.forward ins(%x, %w : tensor<1x6x7x32xf16>, tensor<32x1x1x32xf16>) outs(%e : tensor<1x6x7x32xf16>)
       {conv.schedule = #conv.schedule<algorithm=implicit_gemm tile=32x32x32 warps=2x1 stages=2 copy=cp_async mma=mma_sync split-k=1>} -> tensor<1x6x7x32xf16>
  %s = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
       ins(%c, %r : tensor<1x6x7x32xf16>, tensor<1x6x7x32xf16>) outs(%e : tensor<1x6x7x32xf16>) {
  ^bb0(%a: f16, %b: f16, %o: f16):
    %t = arith.addf %a, %b : f16
    linalg.yield %t : f16
  } -> tensor<1x6x7x32xf16>
  return %s : tensor<1x6x7x32xf16>
}
