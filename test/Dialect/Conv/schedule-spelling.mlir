// One spelling of schedules is printed, that of --schedule; the other is read.

// RUN: conv-opt %s | FileCheck %s
// RUN: conv-opt %s | conv-opt | FileCheck %s

// CHECK:      a = #conv.schedule<algorithm=implicit_gemm tile=128x64x32 warps=2x2 stages=3 copy=cp_async mma=mma_sync split-k=2 merge=4>
// CHECK-SAME: b = #conv.schedule<algorithm=implicit_gemm tile=128x64x32 warps=2x2 stages=3 copy=cp_async mma=mma_sync split-k=2 merge=4>
// CHECK-SAME: c = #conv.schedule<algorithm=implicit_gemm tile=128x64x32 warps=2x2 stages=3 copy=cp_async mma=mma_sync split-k=2 merge=4>
func.func private @same() attributes {
  a = #conv.schedule<algorithm=implicit_gemm tile=128x64x32 warps=2x2 stages=3 copy=cp_async mma=mma_sync split-k=2 merge=4>,
  b = #conv.schedule<algorithm = implicit_gemm, tile = [128, 64, 32], warps = [2, 2], stages = 3, copy = cp_async, mma = mma_sync, split = 2, merge = 4>,
  c = #conv.schedule<merge=4 split-k=2 mma=mma_sync, copy=cp_async, tile=[128, 64, 32] stages=3 warps = 2x2 algorithm=implicit_gemm>
}

// Every key, and the defaults of those that are left out.
// CHECK:      a = #conv.schedule<algorithm=implicit_gemm tile=128x64x64 warps=4x1 stages=4 copy=tma mma=wgmma split-k=3 cluster=2x1 resident=2 teams=2 window=true staging=32 tail=even merge=2 fold=1x3 gather=true k-major=true kn2row=true>
// CHECK-SAME: b = #conv.schedule<algorithm=loops tile=4x8x1 warps=1x1 stages=1 copy=cp_async mma=fma split-k=1>
func.func private @all() attributes {
  a = #conv.schedule<algorithm = implicit_gemm, tile = [128, 64, 64], warps = [4, 1], stages = 4, copy = tma, mma = wgmma, split = 3, cluster = [2, 1],
                     resident = 2, teams = 2, window = true, staging = 32, merge = 2, tail = even, fold = [1, 3], gather = true, k_major = true, kn2row = true>,
  b = #conv.schedule<algorithm=loops tile=4x8x1 warps=1x1 stages=1 copy=cp_async mma=fma split-k=1 cluster=1x1 resident=1 teams=1 window=false staging=0 tail=1 merge=1 fold=false gather=false k-major=false kn2row=false>
}
