// RUN: conv-opt %s -conv-to-kernels="chip=sm_90a multiprocessors=2" -o %t.f6.mlir
// RUN: FileCheck %s --input-file=%t.f6.mlir
// RUN: sed 's/.panels, panels./[tile, fragments]/' %t.f6.mlir > %t.other.mlir
// RUN: conv-opt %t.other.mlir -conv-rings-to-threads=chip=sm_90a | FileCheck %s --check-prefix=OTHER
// RUN: conv-run %t.other.mlir --target=sm_90a --device=emulator --verify | FileCheck %s --check-prefix=RUNS

// A kernel with a tail stores whole tiles, and parts of others: each has its
// own way.

// CHECK: gpu.func @tail_0({{.*}} stores = [panels, panels]>

// OTHER-LABEL: gpu.func @tail_0
// OTHER-NOT:     engine.tma_store
// OTHER-LABEL: gpu.func @tail_1

// RUNS: verify {{.*}}full: passed
func.func @tail(%x: tensor<1x16x12x32xbf16>, %w: tensor<16x3x3x32xbf16>) -> tensor<1x16x12x16xbf16> {
  %e = tensor.empty() : tensor<1x16x12x16xbf16>
  %y = conv.forward ins(%x, %w : tensor<1x16x12x32xbf16>, tensor<16x3x3x32xbf16>) outs(%e : tensor<1x16x12x16xbf16>) pad [1, 1]
       {conv.schedule = #conv.schedule<algorithm=implicit_gemm tile=64x16x32 warps=4x1 stages=2 copy=tma mma=wgmma tail=2>} -> tensor<1x16x12x16xbf16>
  return %y : tensor<1x16x12x16xbf16>
}
