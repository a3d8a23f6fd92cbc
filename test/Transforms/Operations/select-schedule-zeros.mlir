// RUN: conv-opt %s -conv-select-schedule=chip=sm_90a | FileCheck %s

// Three of four phases are zeros. A kernel that stores them beside its tiles has a fourth of the tiles, and those fill
// the chip once: 25 x 4 of 128x64. Behind an epilogue that makes something else of zeros, all phases have tiles.

// CHECK-LABEL: func.func @zeros
// CHECK:         conv.dgrad
// CHECK-SAME:    tile=128x64x64 warps=8x1
#id = affine_map<(n, p, q, k) -> (n, p, q, k)>
func.func @zeros(%dy: tensor<16x14x14x512xbf16>, %w: tensor<512x1x1x256xbf16>) -> tensor<16x28x28x256xbf16> {
  %e = tensor.empty() : tensor<16x28x28x256xf32>
  %y = tensor.empty() : tensor<16x28x28x256xbf16>
  %c = conv.dgrad ins(%dy, %w : tensor<16x14x14x512xbf16>, tensor<512x1x1x256xbf16>) outs(%e : tensor<16x28x28x256xf32>) stride [2, 2] -> tensor<16x28x28x256xf32>
  %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
       ins(%c : tensor<16x28x28x256xf32>) outs(%y : tensor<16x28x28x256xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %u = arith.truncf %a : f32 to bf16
    linalg.yield %u : bf16
  } -> tensor<16x28x28x256xbf16>
  return %s : tensor<16x28x28x256xbf16>
}

// CHECK-LABEL: func.func @no_zeros
// CHECK:         conv.dgrad
// CHECK-SAME:    tile=64x128x64 warps=4x1
// CHECK-SAME:    teams=2
func.func @no_zeros(%dy: tensor<16x14x14x512xbf16>, %w: tensor<512x1x1x256xbf16>) -> tensor<16x28x28x256xbf16> {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<16x28x28x256xf32>
  %y = tensor.empty() : tensor<16x28x28x256xbf16>
  %c = conv.dgrad ins(%dy, %w : tensor<16x14x14x512xbf16>, tensor<512x1x1x256xbf16>) outs(%e : tensor<16x28x28x256xf32>) stride [2, 2] -> tensor<16x28x28x256xf32>
  %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
       ins(%c : tensor<16x28x28x256xf32>) outs(%y : tensor<16x28x28x256xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %t = arith.addf %a, %one : f32
    %u = arith.truncf %t : f32 to bf16
    linalg.yield %u : bf16
  } -> tensor<16x28x28x256xbf16>
  return %s : tensor<16x28x28x256xbf16>
}
