// RUN: conv-opt %s -conv-limit-workspace="chip=sm_80 max-workspace=1000" -split-input-file -verify-diagnostics

// A schedule that is given stays: 4 parts of 64x3x3x16 f32.
// expected-error @below {{with the schedules that are given the kernels need at least 147456 bytes of workspace, 146456 more than max-workspace=1000 allows}}
func.func @given(%x: tensor<64x9x10x16xf16>, %dy: tensor<64x7x8x64xf16>, %e: tensor<64x3x3x16xf16>) -> tensor<64x3x3x16xf16> {
  %dw = conv.wgrad ins(%x, %dy : tensor<64x9x10x16xf16>, tensor<64x7x8x64xf16>) outs(%e : tensor<64x3x3x16xf16>) {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 32, 32], warps = [2, 1], stages = 3, copy = cp_async, mma = mma_sync, split = 4>} -> tensor<64x3x3x16xf16>
  return %dw : tensor<64x3x3x16xf16>
}

// -----

// What lies between two kernels is there whatever the schedules.
// expected-error @below {{the kernels need at least 2304 bytes of workspace, 1304 more than max-workspace=1000 allows}}
func.func @between(%x: tensor<1x8x9x16xf16>, %w: tensor<16x1x1x16xf16>, %e: tensor<1x8x9x16xf16>) -> tensor<1x8x9x16xf16> {
  %t = tensor.empty() : tensor<1x8x9x16xf16>
  %a = conv.forward ins(%x, %w : tensor<1x8x9x16xf16>, tensor<16x1x1x16xf16>) outs(%t : tensor<1x8x9x16xf16>) -> tensor<1x8x9x16xf16>
  %y = conv.forward ins(%a, %w : tensor<1x8x9x16xf16>, tensor<16x1x1x16xf16>) outs(%e : tensor<1x8x9x16xf16>) -> tensor<1x8x9x16xf16>
  return %y : tensor<1x8x9x16xf16>
}

// -----

// What cannot be compiled at all is refused as it is without a limit.
func.func @unsupported(%x: tensor<1x8x9x16xf8E4M3FN>, %w: tensor<16x1x1x16xf8E4M3FN>, %e: tensor<1x8x9x16xf32>) -> tensor<1x8x9x16xf32> {
  // expected-error @below {{element type e4m3 has a kernel from sm_89 on, not on sm_80}}
  %y = conv.forward ins(%x, %w : tensor<1x8x9x16xf8E4M3FN>, tensor<16x1x1x16xf8E4M3FN>) outs(%e : tensor<1x8x9x16xf32>) -> tensor<1x8x9x16xf32>
  return %y : tensor<1x8x9x16xf32>
}
