// Results in f64, which problem lines have for inputs of f64 only: sums of f32,
// made wider.
//
// RUN: conv-run %s --entry=bf16 --target=sm_80 --device=emulator --verify=full | FileCheck %s
// RUN: conv-run %s --entry=e4m3 --target=sm_90a --device=emulator --verify=full | FileCheck %s
// RUN: conv-run %s --entry=bf16 --target=sm_80 --device=emulator --input=integers:1 --input=integers:2 --input=integers:3 --verify=full \
// RUN:   | FileCheck %s --check-prefix=EXACT

// CHECK: verify     full: passed, relative error {{[1-9].*}} (at most {{1e-05|0.002}})
// EXACT: verify     full: passed, relative error 0 (

func.func @bf16(%x: tensor<1x4x5x8xbf16>, %w: tensor<8x3x3x8xbf16>, %y0: tensor<1x4x5x8xf64>) -> tensor<1x4x5x8xf64> {
  %y = conv.forward ins(%x, %w : tensor<1x4x5x8xbf16>, tensor<8x3x3x8xbf16>)
                    outs(%y0 : tensor<1x4x5x8xf64>) pad [1, 1] accumulate -> tensor<1x4x5x8xf64>
  return %y : tensor<1x4x5x8xf64>
}

func.func @e4m3(%x: tensor<1x4x5x16xf8E4M3FN>, %w: tensor<16x3x3x16xf8E4M3FN>) -> tensor<1x4x5x16xf64> {
  %e = tensor.empty() : tensor<1x4x5x16xf64>
  %y = conv.forward ins(%x, %w : tensor<1x4x5x16xf8E4M3FN>, tensor<16x3x3x16xf8E4M3FN>)
                    outs(%e : tensor<1x4x5x16xf64>) pad [1, 1] -> tensor<1x4x5x16xf64>
  return %y : tensor<1x4x5x16xf64>
}
