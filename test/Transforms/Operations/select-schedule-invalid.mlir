// RUN: conv-opt %s -conv-select-schedule="chip=sm_86" -split-input-file -verify-diagnostics

func.func @shared(%x: tensor<1x8x9x64xf16>, %w: tensor<64x3x3x64xf16>, %y0: tensor<1x6x7x64xf16>) -> tensor<1x6x7x64xf16> {
  // expected-error @below {{131072 bytes of shared memory, but sm_86 has 101376 for a workgroup}}
  %y = conv.forward ins(%x, %w : tensor<1x8x9x64xf16>, tensor<64x3x3x64xf16>) outs(%y0 : tensor<1x6x7x64xf16>) {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [128, 128, 64], warps = [2, 2], stages = 4, copy = cp_async, mma = mma_sync>} -> tensor<1x6x7x64xf16>
  return %y : tensor<1x6x7x64xf16>
}

// -----

func.func @rows(%x: tensor<1x8x9x64xf16>, %w: tensor<64x3x3x64xf16>, %y0: tensor<1x6x7x64xf16>) -> tensor<1x6x7x64xf16> {
  // expected-error @below {{tile gemm-m (48) must be a multiple of 16 rows for each of 2 warps}}
  %y = conv.forward ins(%x, %w : tensor<1x8x9x64xf16>, tensor<64x3x3x64xf16>) outs(%y0 : tensor<1x6x7x64xf16>) {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [48, 64, 32], warps = [2, 2], stages = 2, copy = cp_async, mma = mma_sync>} -> tensor<1x6x7x64xf16>
  return %y : tensor<1x6x7x64xf16>
}

// -----

func.func @columns(%x: tensor<1x8x9x64xf16>, %w: tensor<64x3x3x64xf16>, %y0: tensor<1x6x7x64xf16>) -> tensor<1x6x7x64xf16> {
  // expected-error @below {{tile gemm-n (24) must be a multiple of 16 columns for each of 1 warps}}
  %y = conv.forward ins(%x, %w : tensor<1x8x9x64xf16>, tensor<64x3x3x64xf16>) outs(%y0 : tensor<1x6x7x64xf16>) {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [32, 24, 32], warps = [2, 1], stages = 2, copy = cp_async, mma = mma_sync>} -> tensor<1x6x7x64xf16>
  return %y : tensor<1x6x7x64xf16>
}

// -----

func.func @row_bytes(%x: tensor<1x8x9x64xf16>, %w: tensor<64x3x3x64xf16>, %y0: tensor<1x6x7x64xf16>) -> tensor<1x6x7x64xf16> {
  // expected-error @below {{tile gemm-k (48) must be 32, 64 or 128 bytes, but is 96}}
  %y = conv.forward ins(%x, %w : tensor<1x8x9x64xf16>, tensor<64x3x3x64xf16>) outs(%y0 : tensor<1x6x7x64xf16>) {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [32, 32, 48], warps = [2, 1], stages = 2, copy = cp_async, mma = mma_sync>} -> tensor<1x6x7x64xf16>
  return %y : tensor<1x6x7x64xf16>
}

// -----

func.func @registers(%x: tensor<1x8x9x64xf16>, %w: tensor<64x3x3x64xf16>, %y0: tensor<1x6x7x64xf16>) -> tensor<1x6x7x64xf16> {
  // expected-error @below {{256 accumulators a thread, but at most 128 leave room}}
  %y = conv.forward ins(%x, %w : tensor<1x8x9x64xf16>, tensor<64x3x3x64xf16>) outs(%y0 : tensor<1x6x7x64xf16>) {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [128, 128, 16], warps = [2, 1], stages = 2, copy = cp_async, mma = mma_sync>} -> tensor<1x6x7x64xf16>
  return %y : tensor<1x6x7x64xf16>
}

// -----

func.func @wgmma(%x: tensor<1x8x9x64xf16>, %w: tensor<64x3x3x64xf16>, %y0: tensor<1x6x7x64xf16>) -> tensor<1x6x7x64xf16> {
  // expected-error @below {{TMA and wgmma are on sm_90a, not on sm_86}}
  %y = conv.forward ins(%x, %w : tensor<1x8x9x64xf16>, tensor<64x3x3x64xf16>) outs(%y0 : tensor<1x6x7x64xf16>) {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [32, 32, 32], warps = [2, 1], stages = 2, copy = tma, mma = wgmma>} -> tensor<1x6x7x64xf16>
  return %y : tensor<1x6x7x64xf16>
}

// -----

func.func @cluster(%x: tensor<1x8x9x64xf16>, %w: tensor<64x3x3x64xf16>, %y0: tensor<1x6x7x64xf16>) -> tensor<1x6x7x64xf16> {
  // expected-error @below {{cluster=2x1 has no kernel with copy=cp_async, a form that goes with split-k, merge and fold}}
  %y = conv.forward ins(%x, %w : tensor<1x8x9x64xf16>, tensor<64x3x3x64xf16>) outs(%y0 : tensor<1x6x7x64xf16>) {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [32, 32, 32], warps = [2, 1], stages = 2, copy = cp_async, mma = mma_sync, cluster = [2, 1]>} -> tensor<1x6x7x64xf16>
  return %y : tensor<1x6x7x64xf16>
}

// -----

func.func @split(%x: tensor<1x8x9x5xf16>, %dy: tensor<1x6x7x6xf16>, %dw0: tensor<6x3x3x5xf16>) -> tensor<6x3x3x5xf16> {
  // expected-error @below {{split-k is 4, but gemm-k has 3 blocks of 16}}
  %dw = conv.wgrad ins(%x, %dy : tensor<1x8x9x5xf16>, tensor<1x6x7x6xf16>) outs(%dw0 : tensor<6x3x3x5xf16>) {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [32, 32, 16], warps = [2, 1], stages = 2, copy = cp_async, mma = mma_sync, split = 4>} -> tensor<6x3x3x5xf16>
  return %dw : tensor<6x3x3x5xf16>
}

// -----

func.func @type(%x: tensor<1x8x9x5xi16>, %w: tensor<6x3x3x5xi16>, %y0: tensor<1x6x7x6xi32>) -> tensor<1x6x7x6xi32> {
  // expected-error @below {{element type s16 has no kernel, only f16, bf16, tf32, f32, f64, s8, e4m3 and e5m2 have}}
  %y = conv.forward ins(%x, %w : tensor<1x8x9x5xi16>, tensor<6x3x3x5xi16>) outs(%y0 : tensor<1x6x7x6xi32>) -> tensor<1x6x7x6xi32>
  return %y : tensor<1x6x7x6xi32>
}

// -----

func.func @sum(%x: tensor<1x8x9x5xf16>, %w: tensor<6x3x3x5xf16>, %y0: tensor<1x6x7x6xf16>) -> tensor<1x6x7x6xf16> {
  // expected-error @below {{products of f16 have kernels that accumulate in f32 only, not in f16}}
  %y = conv.forward ins(%x, %w : tensor<1x8x9x5xf16>, tensor<6x3x3x5xf16>) outs(%y0 : tensor<1x6x7x6xf16>) acc f16 -> tensor<1x6x7x6xf16>
  return %y : tensor<1x6x7x6xf16>
}

// -----

func.func @float8(%x: tensor<1x8x9x16xf8E4M3FN>, %w: tensor<6x3x3x16xf8E4M3FN>, %y0: tensor<1x6x7x6xf32>) -> tensor<1x6x7x6xf32> {
  // expected-error @below {{element type e4m3 has a kernel from sm_89 on, not on sm_86}}
  %y = conv.forward ins(%x, %w : tensor<1x8x9x16xf8E4M3FN>, tensor<6x3x3x16xf8E4M3FN>) outs(%y0 : tensor<1x6x7x6xf32>) -> tensor<1x6x7x6xf32>
  return %y : tensor<1x6x7x6xf32>
}

// -----

// f32 is never rounded to tf32 by the way.

func.func @f32_by_mma(%x: tensor<1x8x9x16xf32>, %w: tensor<16x3x3x16xf32>, %y0: tensor<1x6x7x16xf32>) -> tensor<1x6x7x16xf32> {
  // expected-error @below {{mma=mma_sync multiplies no f32, which is exact with mma=fma only}}
  %y = conv.forward ins(%x, %w : tensor<1x8x9x16xf32>, tensor<16x3x3x16xf32>) outs(%y0 : tensor<1x6x7x16xf32>) {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [32, 32, 16], warps = [2, 1], stages = 2, copy = cp_async, mma = mma_sync>} -> tensor<1x6x7x16xf32>
  return %y : tensor<1x6x7x16xf32>
}

// -----

func.func @tf32_by_fma(%x: tensor<1x8x9x16xf32>, %w: tensor<16x3x3x16xf32>, %y0: tensor<1x6x7x16xf32>) -> tensor<1x6x7x16xf32> {
  // expected-error @below {{mma=fma is for f32, and tf32 has tensor cores}}
  %y = conv.forward ins(%x, %w : tensor<1x8x9x16xf32>, tensor<16x3x3x16xf32>) outs(%y0 : tensor<1x6x7x16xf32>) precision tf32 {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [32, 32, 16], warps = [2, 1], stages = 2, copy = cp_async, mma = fma>} -> tensor<1x6x7x16xf32>
  return %y : tensor<1x6x7x16xf32>
}

// -----

func.func @sums_of_fma(%x: tensor<1x8x9x16xf32>, %w: tensor<16x3x3x16xf32>, %y0: tensor<1x6x7x16xf32>) -> tensor<1x6x7x16xf32> {
  // expected-error @below {{128 accumulators a thread, but at most 64 leave room for the rest}}
  %y = conv.forward ins(%x, %w : tensor<1x8x9x16xf32>, tensor<16x3x3x16xf32>) outs(%y0 : tensor<1x6x7x16xf32>) {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [128, 64, 16], warps = [2, 1], stages = 2, copy = cp_async, mma = fma>} -> tensor<1x6x7x16xf32>
  return %y : tensor<1x6x7x16xf32>
}

// -----

func.func @engine(%x: tensor<1x8x9x64xf16>, %w: tensor<64x3x3x64xf16>, %y0: tensor<1x6x7x64xf16>) -> tensor<1x6x7x64xf16> {
  // expected-error @below {{resident=2 has no kernel with copy=cp_async, a form that goes with split-k, merge and fold}}
  %y = conv.forward ins(%x, %w : tensor<1x8x9x64xf16>, tensor<64x3x3x64xf16>) outs(%y0 : tensor<1x6x7x64xf16>) {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [32, 32, 32], warps = [2, 1], stages = 2, copy = cp_async, mma = mma_sync, resident = 2>} -> tensor<1x6x7x64xf16>
  return %y : tensor<1x6x7x64xf16>
}

// -----

func.func @buffers(%x: memref<1x8x8xf16>, %w: memref<8x1x8xf16>, %y: memref<1x8x8xf16>) {
  // expected-error @below {{schedules are for operations on tensors, but this one is on buffers}}
  conv.forward ins(%x, %w : memref<1x8x8xf16>, memref<8x1x8xf16>) outs(%y : memref<1x8x8xf16>)
  return
}

// -----

// What no kernel has room for.

func.func @bytes(%x: tensor<1x16777216x16777216x8xf16>, %w: tensor<8x1x1x8xf16>, %y0: tensor<1x1x1x8xf16>) -> tensor<1x1x1x8xf16> {
  // expected-error @below {{tensors of at most 2^48 bytes have kernels, but tensor<1x16777216x16777216x8xf16> has 4503599627370496}}
  %y = conv.forward ins(%x, %w : tensor<1x16777216x16777216x8xf16>, tensor<8x1x1x8xf16>) outs(%y0 : tensor<1x1x1x8xf16>) stride [16777216, 16777216] -> tensor<1x1x1x8xf16>
  return %y : tensor<1x1x1x8xf16>
}

// -----

func.func @phases(%dy: tensor<1x1x1x8xf16>, %w: tensor<8x1x1x8xf16>, %dx0: tensor<1x300x300x8xf16>) -> tensor<1x300x300x8xf16> {
  // expected-error @below {{operations of at most 4096 stride phases have kernels, but this one has 90000}}
  %dx = conv.dgrad ins(%dy, %w : tensor<1x1x1x8xf16>, tensor<8x1x1x8xf16>) outs(%dx0 : tensor<1x300x300x8xf16>) stride [300, 300] -> tensor<1x300x300x8xf16>
  return %dx : tensor<1x300x300x8xf16>
}

// -----

// As many are allowed of zeros; those that taps reach take longer to compile.

func.func @reached_phases(%dy: tensor<1x1x1x8xf16>, %w: tensor<8x64x64x8xf16>, %dx0: tensor<1x64x64x8xf16>) -> tensor<1x64x64x8xf16> {
  // expected-error @below {{operations of at most 2048 stride phases that taps reach have kernels, but this one has 4096}}
  %dx = conv.dgrad ins(%dy, %w : tensor<1x1x1x8xf16>, tensor<8x64x64x8xf16>) outs(%dx0 : tensor<1x64x64x8xf16>) stride [64, 64] -> tensor<1x64x64x8xf16>
  return %dx : tensor<1x64x64x8xf16>
}

// -----

func.func @grid(%x: tensor<1x46341x46341x8xf16>, %dy: tensor<1x1x1x8xf16>, %dw0: tensor<8x46341x46341x8xf16>) -> tensor<8x46341x46341x8xf16> {
  // expected-error @below {{2147488281 tiles of 32x32, but a grid has at most 2147483647 workgroups}}
  %dw = conv.wgrad ins(%x, %dy : tensor<1x46341x46341x8xf16>, tensor<1x1x1x8xf16>) outs(%dw0 : tensor<8x46341x46341x8xf16>) {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [32, 32, 16], warps = [2, 1], stages = 2, copy = cp_async, mma = mma_sync>} -> tensor<8x46341x46341x8xf16>
  return %dw : tensor<8x46341x46341x8xf16>
}
