// RUN: conv-opt %s -conv-select-schedule="chip=sm_90a schedule=mma=mma_sync" | FileCheck %s
// RUN: conv-opt %s -conv-select-schedule="chip=sm_90a schedule=warps=1x4" | FileCheck %s --check-prefix=WARPS
// RUN: conv-opt %s -conv-select-schedule="chip=sm_90a schedule=copy=tma" | FileCheck %s --check-prefix=SAME
// RUN: not conv-opt %s -conv-select-schedule='chip=sm_90a schedule="tile=196x64x64 mma=mma_sync"' 2>&1 | FileCheck %s --check-prefix=TILE

// A key that names the other engine: the rest is a choice of that engine, since
// a box of 196 positions is no tile of mma.sync. A tile that is named is kept.

// CHECK: tile={{(16|32|64|128|256)}}x{{.*}}copy=cp_async mma=mma_sync split-k=1>
// WARPS: warps=1x4 {{.*}}copy=cp_async mma=mma_sync split-k=1>
// SAME: tile=196x64x64 warps=1x4 stages=9 copy=tma mma=wgmma split-k=1 teams=2 window=true>
// TILE: 'algorithm=implicit_gemm tile=196x64x64 {{.*}}mma=mma_sync split-k=1' cannot run: tile gemm-m (196) must be a multiple of 16 rows
func.func @other(%x: tensor<8x14x14x64xbf16>, %w: tensor<64x3x3x64xbf16>, %y0: tensor<8x14x14x64xbf16>) -> tensor<8x14x14x64xbf16> {
  %y = conv.forward ins(%x, %w : tensor<8x14x14x64xbf16>, tensor<64x3x3x64xbf16>) outs(%y0 : tensor<8x14x14x64xbf16>) pad [1, 1] {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [196, 64, 64], warps = [1, 4], stages = 9, copy = tma, mma = wgmma, teams = 2, window = true>} -> tensor<8x14x14x64xbf16>
  return %y : tensor<8x14x14x64xbf16>
}
