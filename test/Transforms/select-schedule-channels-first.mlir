// RUN: conv-opt %s -split-input-file -conv-select-schedule=chip=sm_90a | FileCheck %s

// Images of 49 positions are stored from where all rows of a warpgroup are staged: more of them lie there with all their positions, and
// fewer sectors are written in part. The same result with its channels last takes the deeper ring.

// CHECK-LABEL: func.func @first
// CHECK:         conv.forward
// CHECK-SAME:    mma = wgmma, teams = 2>
func.func @first(%x: tensor<256x7x7x512xbf16>, %w: tensor<2048x1x1x512xbf16>) -> tensor<256x2048x7x7xbf16> {
  %e = tensor.empty() : tensor<256x7x7x2048xbf16>
  %y = conv.forward ins(%x, %w : tensor<256x7x7x512xbf16>, tensor<2048x1x1x512xbf16>) outs(%e : tensor<256x7x7x2048xbf16>) -> tensor<256x7x7x2048xbf16>
  %f = tensor.empty() : tensor<256x2048x7x7xbf16>
  %t = linalg.transpose ins(%y : tensor<256x7x7x2048xbf16>) outs(%f : tensor<256x2048x7x7xbf16>) permutation = [0, 3, 1, 2]
  return %t : tensor<256x2048x7x7xbf16>
}

// -----

// CHECK-LABEL: func.func @last
// CHECK:         conv.forward
// CHECK-SAME:    mma = wgmma, teams = 2, staging = 64>
func.func @last(%x: tensor<256x7x7x512xbf16>, %w: tensor<2048x1x1x512xbf16>) -> tensor<256x7x7x2048xbf16> {
  %e = tensor.empty() : tensor<256x7x7x2048xbf16>
  %y = conv.forward ins(%x, %w : tensor<256x7x7x512xbf16>, tensor<2048x1x1x512xbf16>) outs(%e : tensor<256x7x7x2048xbf16>) -> tensor<256x7x7x2048xbf16>
  return %y : tensor<256x7x7x2048xbf16>
}
