// RUN: conv-opt %s -conv-select-schedule=chip=sm_90a -split-input-file | FileCheck %s
// RUN: conv-opt %s -conv-select-schedule=chip=sm_80 -split-input-file | FileCheck %s
// RUN: conv-opt %s -conv-select-schedule="chip=sm_90a schedule=algorithm=implicit_gemm" -split-input-file | FileCheck %s --check-prefix=GEMM
// RUN: conv-opt %s -conv-select-schedule="chip=sm_90a schedule=merge=8" -split-input-file | FileCheck %s --check-prefix=GEMM

// A depthwise convolution has no matrices, unless they are asked for.

// CHECK-LABEL: @forward
// CHECK:         conv.schedule = #conv.schedule<algorithm = loops, tile = [7, 4, 1], warps = [1, 1], stages = 1, copy = cp_async, mma = fma>
// GEMM-LABEL:  @forward
// GEMM:          conv.schedule = #conv.schedule<algorithm = implicit_gemm
func.func @forward(%x: tensor<64x28x28x240xbf16>, %w: tensor<240x5x5x1xbf16>, %y0: tensor<64x28x28x240xbf16>) -> tensor<64x28x28x240xbf16> {
  %y = conv.forward ins(%x, %w : tensor<64x28x28x240xbf16>, tensor<240x5x5x1xbf16>) outs(%y0 : tensor<64x28x28x240xbf16>) pad [2, 2] groups 240 -> tensor<64x28x28x240xbf16>
  return %y : tensor<64x28x28x240xbf16>
}

// -----

// Nor has its wgrad, with parts of the positions.

// CHECK-LABEL: @wgrad
// CHECK:         conv.schedule = #conv.schedule<algorithm = loops, tile = [5, {{[48]}}, {{[0-9]+}}], {{.*}} split = {{[0-9]+}}>
// GEMM-LABEL:  @wgrad
// GEMM:          conv.schedule = #conv.schedule<algorithm = implicit_gemm
func.func @wgrad(%x: tensor<64x28x28x240xbf16>, %dy: tensor<64x28x28x240xbf16>, %dw0: tensor<240x5x5x1xf32>) -> tensor<240x5x5x1xf32> {
  %dw = conv.wgrad ins(%x, %dy : tensor<64x28x28x240xbf16>, tensor<64x28x28x240xbf16>) outs(%dw0 : tensor<240x5x5x1xf32>) pad [2, 2] groups 240 -> tensor<240x5x5x1xf32>
  return %dw : tensor<240x5x5x1xf32>
}

// -----

// Those of other groups have, and of dgrad with a stride.

// CHECK-LABEL: @others
// CHECK-COUNT-2: conv.schedule = #conv.schedule<algorithm = implicit_gemm
// GEMM-LABEL:  @others
func.func @others(%x: tensor<8x28x28x64xbf16>, %w: tensor<64x3x3x1xbf16>, %w2: tensor<64x3x3x2xbf16>, %dy: tensor<8x14x14x64xbf16>, %y0: tensor<8x28x28x64xbf16>) -> (tensor<8x28x28x64xbf16>, tensor<8x28x28x64xbf16>) {
  %y = conv.forward ins(%x, %w2 : tensor<8x28x28x64xbf16>, tensor<64x3x3x2xbf16>) outs(%y0 : tensor<8x28x28x64xbf16>) pad [1, 1] groups 32 -> tensor<8x28x28x64xbf16>
  %dx = conv.dgrad ins(%dy, %w : tensor<8x14x14x64xbf16>, tensor<64x3x3x1xbf16>) outs(%y0 : tensor<8x28x28x64xbf16>) stride [2, 2] pad [1:0, 1:0] groups 64 -> tensor<8x28x28x64xbf16>
  return %y, %dx : tensor<8x28x28x64xbf16>, tensor<8x28x28x64xbf16>
}
