// RUN: conv-opt %s -conv-tile-to-workgroups -split-input-file -verify-diagnostics
// RUN: conv-opt %s -conv-select-schedule=chip=sm_90a -split-input-file -verify-diagnostics

// A contraction of buffers has no result: what it writes is its last operand.

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 64, 32], warps = [2, 2], stages = 30, copy = cp_async, mma = mma_sync>
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

func.func @buffers(%x: memref<128x64xf16>, %w: memref<64x64xf16>, %y: memref<128x64xf32>) {
  // expected-error @below {{cannot run: stages must be 2 to 8, but is 30}}
  linalg.generic {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : memref<128x64xf16>, memref<64x64xf16>) outs(%y : memref<128x64xf32>) attrs = {conv.schedule = #schedule} {
  ^bb0(%a: f16, %b: f16, %c: f32):
    linalg.yield %c : f32
  }
  return
}
