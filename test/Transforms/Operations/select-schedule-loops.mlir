// RUN: conv-opt %s -conv-select-schedule=chip=sm_90a -split-input-file | FileCheck %s
// RUN: conv-opt %s -conv-select-schedule=chip=sm_80 -split-input-file | FileCheck %s
// RUN: conv-opt %s -conv-select-schedule="chip=sm_90a schedule=algorithm=implicit_gemm" -split-input-file | FileCheck %s --check-prefix=GEMM
// RUN: conv-opt %s -conv-select-schedule="chip=sm_90a schedule=merge=8" -split-input-file | FileCheck %s --check-prefix=GEMM

// A depthwise convolution has no matrices of taps, unless they are asked for. Filters of five lines
// and more are bands.

// CHECK-LABEL: @forward
// CHECK:         conv.schedule = #conv.schedule<algorithm=loops tile={{[0-9]+}}x{{16|32}}x7 warps=1x{{[48]}} stages={{[48]}} copy=cp_async mma=mma_sync split-k=1>
// GEMM-LABEL:  @forward
// GEMM:          conv.schedule = #conv.schedule<algorithm=implicit_gemm
func.func @forward(%x: tensor<64x28x28x240xbf16>, %w: tensor<240x5x5x1xbf16>, %y0: tensor<64x28x28x240xbf16>) -> tensor<64x28x28x240xbf16> {
  %y = conv.forward ins(%x, %w : tensor<64x28x28x240xbf16>, tensor<240x5x5x1xbf16>) outs(%y0 : tensor<64x28x28x240xbf16>) pad [2, 2] groups 240 -> tensor<64x28x28x240xbf16>
  return %y : tensor<64x28x28x240xbf16>
}

// -----

// With fewer lines it has loops.

// CHECK-LABEL: @few_lines
// CHECK:         conv.schedule = #conv.schedule<algorithm=loops tile={{[0-9]+x[0-9]+}}x1 warps=1x1 stages=1 copy=cp_async mma=fma split-k=1>
// GEMM-LABEL:  @few_lines
func.func @few_lines(%x: tensor<64x28x28x192xbf16>, %w: tensor<192x3x3x1xbf16>, %y0: tensor<64x28x28x192xbf16>) -> tensor<64x28x28x192xbf16> {
  %y = conv.forward ins(%x, %w : tensor<64x28x28x192xbf16>, tensor<192x3x3x1xbf16>) outs(%y0 : tensor<64x28x28x192xbf16>) pad [1, 1] groups 192 -> tensor<64x28x28x192xbf16>
  return %y : tensor<64x28x28x192xbf16>
}

// -----

// Its wgrad has bands of lines on tensor cores, with parts of them.

// CHECK-LABEL: @wgrad
// CHECK:         conv.schedule = #conv.schedule<algorithm=loops tile={{[0-9]+}}x16x7 warps=1x{{[48]}} stages={{[0-9]}} copy=cp_async mma=mma_sync split-k={{[0-9]+}}>
// GEMM-LABEL:  @wgrad
// GEMM:          conv.schedule = #conv.schedule<algorithm=implicit_gemm
func.func @wgrad(%x: tensor<64x28x28x240xbf16>, %dy: tensor<64x28x28x240xbf16>, %dw0: tensor<240x5x5x1xf32>) -> tensor<240x5x5x1xf32> {
  %dw = conv.wgrad ins(%x, %dy : tensor<64x28x28x240xbf16>, tensor<64x28x28x240xbf16>) outs(%dw0 : tensor<240x5x5x1xf32>) pad [2, 2] groups 240 -> tensor<240x5x5x1xf32>
  return %dw : tensor<240x5x5x1xf32>
}

// -----

// dgrad with a stride has none either; its tiles end where elements of dy do.

// CHECK-LABEL: @strided
// CHECK:         conv.schedule = #conv.schedule<algorithm=loops tile={{4|14}}x{{[248]}}x1
func.func @strided(%w: tensor<240x3x3x1xbf16>, %dy: tensor<64x14x14x240xbf16>, %dx0: tensor<64x28x28x240xbf16>) -> tensor<64x28x28x240xbf16> {
  %dx = conv.dgrad ins(%dy, %w : tensor<64x14x14x240xbf16>, tensor<240x3x3x1xbf16>) outs(%dx0 : tensor<64x28x28x240xbf16>) stride [2, 2] pad [1:0, 1:0] groups 240 -> tensor<64x28x28x240xbf16>
  return %dx : tensor<64x28x28x240xbf16>
}

// -----

// Those of other groups have matrices.

// CHECK-LABEL: @others
// CHECK:         conv.schedule = #conv.schedule<algorithm=implicit_gemm
// GEMM-LABEL:  @others
func.func @others(%x: tensor<8x28x28x64xbf16>, %w: tensor<64x3x3x2xbf16>, %y0: tensor<8x28x28x64xbf16>) -> tensor<8x28x28x64xbf16> {
  %y = conv.forward ins(%x, %w : tensor<8x28x28x64xbf16>, tensor<64x3x3x2xbf16>) outs(%y0 : tensor<8x28x28x64xbf16>) pad [1, 1] groups 32 -> tensor<8x28x28x64xbf16>
  return %y : tensor<8x28x28x64xbf16>
}

// -----

// With channels first images are read as they lie, by threads of one channel.

// CHECK-LABEL: @first
// CHECK:         conv.schedule = #conv.schedule<algorithm=loops tile={{[0-9]+}}x1x1 {{.*}} gather=true>
func.func @first(%x: tensor<64x96x56x56xbf16>, %w: tensor<96x1x3x3xbf16>, %y0: tensor<64x96x56x56xbf16>) -> tensor<64x96x56x56xbf16> {
  %y = conv.forward ins(%x, %w : tensor<64x96x56x56xbf16>, tensor<96x1x3x3xbf16>) outs(%y0 : tensor<64x96x56x56xbf16>) pad [1, 1] groups 96 layout nchw -> tensor<64x96x56x56xbf16>
  return %y : tensor<64x96x56x56xbf16>
}

// -----

// CHECK-LABEL: @first_wgrad
// CHECK:         conv.schedule = #conv.schedule<algorithm=loops tile=3x1x{{[0-9]+}} {{.*}} gather=true>
func.func @first_wgrad(%x: tensor<64x96x56x56xbf16>, %dy: tensor<64x96x56x56xbf16>, %dw0: tensor<96x1x3x3xbf16>) -> tensor<96x1x3x3xbf16> {
  %dw = conv.wgrad ins(%x, %dy : tensor<64x96x56x56xbf16>, tensor<64x96x56x56xbf16>) outs(%dw0 : tensor<96x1x3x3xbf16>) pad [1, 1] groups 96 layout nchw -> tensor<96x1x3x3xbf16>
  return %dw : tensor<96x1x3x3xbf16>
}

// -----

// Where every image has to be filled up to 16, threads add one product after
// the other, in parts of the positions.

// CHECK-LABEL: @one_image
// CHECK:         conv.schedule = #conv.schedule<algorithm=loops tile=5x{{[24]}}x{{[0-9]+}} {{.*}} mma=fma split-k={{[0-9]+}}>
func.func @one_image(%x: tensor<1x28x28x240xbf16>, %dy: tensor<1x28x28x240xbf16>, %dw0: tensor<240x5x5x1xf32>) -> tensor<240x5x5x1xf32> {
  %dw = conv.wgrad ins(%x, %dy : tensor<1x28x28x240xbf16>, tensor<1x28x28x240xbf16>) outs(%dw0 : tensor<240x5x5x1xf32>) pad [2, 2] groups 240 -> tensor<240x5x5x1xf32>
  return %dw : tensor<240x5x5x1xf32>
}
