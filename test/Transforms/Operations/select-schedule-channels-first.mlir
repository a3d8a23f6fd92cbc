// RUN: conv-opt %s -split-input-file -conv-select-schedule=chip=sm_90a | FileCheck %s

// Images of 49 positions, four to a tile, whose filters are runs of memory: no sector is written in part.

// CHECK-LABEL: func.func @first
// CHECK:         conv.forward
// CHECK-SAME:    tile=196x128x64 warps=1x4 {{.*}} mma=wgmma split-k=1 teams=2 staging=64>
func.func @first(%x: tensor<256x7x7x512xbf16>, %w: tensor<2048x1x1x512xbf16>) -> tensor<256x2048x7x7xbf16> {
  %e = tensor.empty() : tensor<256x7x7x2048xbf16>
  %y = conv.forward ins(%x, %w : tensor<256x7x7x512xbf16>, tensor<2048x1x1x512xbf16>) outs(%e : tensor<256x7x7x2048xbf16>) -> tensor<256x7x7x2048xbf16>
  %f = tensor.empty() : tensor<256x2048x7x7xbf16>
  %t = linalg.transpose ins(%y : tensor<256x7x7x2048xbf16>) outs(%f : tensor<256x2048x7x7xbf16>) permutation = [0, 3, 1, 2]
  return %t : tensor<256x2048x7x7xbf16>
}

// -----

// Filters that are no multiple of 64 are stored from where all rows of a warpgroup are staged: more images lie there with all their positions, and
// fewer sectors are written in part. The same result with its channels last takes the deeper ring.

// CHECK-LABEL: func.func @other_filters
// CHECK:         conv.forward
// CHECK-SAME:    mma=wgmma split-k=1 teams=2>
func.func @other_filters(%x: tensor<256x7x7x512xbf16>, %w: tensor<2080x1x1x512xbf16>) -> tensor<256x2080x7x7xbf16> {
  %e = tensor.empty() : tensor<256x7x7x2080xbf16>
  %y = conv.forward ins(%x, %w : tensor<256x7x7x512xbf16>, tensor<2080x1x1x512xbf16>) outs(%e : tensor<256x7x7x2080xbf16>) -> tensor<256x7x7x2080xbf16>
  %f = tensor.empty() : tensor<256x2080x7x7xbf16>
  %t = linalg.transpose ins(%y : tensor<256x7x7x2080xbf16>) outs(%f : tensor<256x2080x7x7xbf16>) permutation = [0, 3, 1, 2]
  return %t : tensor<256x2080x7x7xbf16>
}

// -----

// CHECK-LABEL: func.func @last
// CHECK:         conv.forward
// CHECK-SAME:    mma=wgmma split-k=1 teams=2 staging=64>
func.func @last(%x: tensor<256x7x7x512xbf16>, %w: tensor<2048x1x1x512xbf16>) -> tensor<256x7x7x2048xbf16> {
  %e = tensor.empty() : tensor<256x7x7x2048xbf16>
  %y = conv.forward ins(%x, %w : tensor<256x7x7x512xbf16>, tensor<2048x1x1x512xbf16>) outs(%e : tensor<256x7x7x2048xbf16>) -> tensor<256x7x7x2048xbf16>
  return %y : tensor<256x7x7x2048xbf16>
}

// -----

// The one phase of 1x1 with a stride that is no zeros has the positions of dy as its rows: boxes of its images come as they lie. The kernel
// stores the zeros between the values of dx.

// CHECK-LABEL: func.func @among_zeros
// CHECK:         conv.dgrad
// CHECK-SAME:    gather=true>
func.func @among_zeros(%dy: tensor<64x512x28x28xbf16>, %w: tensor<512x1x1x256xbf16>) -> tensor<64x256x56x56xbf16> {
  %e0 = tensor.empty() : tensor<64x28x28x512xbf16>
  %e1 = tensor.empty() : tensor<64x56x56x256xbf16>
  %e2 = tensor.empty() : tensor<64x256x56x56xbf16>
  %t = linalg.transpose ins(%dy : tensor<64x512x28x28xbf16>) outs(%e0 : tensor<64x28x28x512xbf16>) permutation = [0, 2, 3, 1]
  %dx = conv.dgrad ins(%t, %w : tensor<64x28x28x512xbf16>, tensor<512x1x1x256xbf16>) outs(%e1 : tensor<64x56x56x256xbf16>) stride [2, 2] -> tensor<64x56x56x256xbf16>
  %u = linalg.transpose ins(%dx : tensor<64x56x56x256xbf16>) outs(%e2 : tensor<64x256x56x56xbf16>) permutation = [0, 3, 1, 2]
  return %u : tensor<64x256x56x56xbf16>
}

// -----

// Behind a bias nothing is zero: all phases have tiles.

// CHECK-LABEL: func.func @no_zeros
// CHECK:         conv.dgrad
// CHECK-NOT:     gather
// CHECK:         return
#map = affine_map<(n, h, w, c) -> (n, h, w, c)>
#channel = affine_map<(n, h, w, c) -> (c)>
func.func @no_zeros(%dy: tensor<64x512x28x28xbf16>, %w: tensor<512x1x1x256xbf16>, %bias: tensor<256xbf16>) -> tensor<64x256x56x56xbf16> {
  %e0 = tensor.empty() : tensor<64x28x28x512xbf16>
  %e1 = tensor.empty() : tensor<64x56x56x256xbf16>
  %e2 = tensor.empty() : tensor<64x256x56x56xbf16>
  %t = linalg.transpose ins(%dy : tensor<64x512x28x28xbf16>) outs(%e0 : tensor<64x28x28x512xbf16>) permutation = [0, 2, 3, 1]
  %dx = conv.dgrad ins(%t, %w : tensor<64x28x28x512xbf16>, tensor<512x1x1x256xbf16>) outs(%e1 : tensor<64x56x56x256xbf16>) stride [2, 2] -> tensor<64x56x56x256xbf16>
  %b = linalg.generic {indexing_maps = [#map, #channel, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
       ins(%dx, %bias : tensor<64x56x56x256xbf16>, tensor<256xbf16>) outs(%e1 : tensor<64x56x56x256xbf16>) {
  ^bb0(%a: bf16, %c: bf16, %o: bf16):
    %s = arith.addf %a, %c : bf16
    linalg.yield %s : bf16
  } -> tensor<64x56x56x256xbf16>
  %u = linalg.transpose ins(%b : tensor<64x56x56x256xbf16>) outs(%e2 : tensor<64x256x56x56xbf16>) permutation = [0, 3, 1, 2]
  return %u : tensor<64x256x56x56xbf16>
}

// -----

// Pairs of phases are stored without a transposition behind, by the tile that leaves room for two of them beside the deepest ring.

// CHECK-LABEL: func.func @pairs
// CHECK:         conv.dgrad
// CHECK-SAME:    tile=128x128x64 warps=8x1 stages=5 copy=tma mma=wgmma split-k=1>
func.func @pairs(%dy: tensor<256x14x14x256xbf16>, %w: tensor<256x3x3x256xbf16>) -> tensor<256x256x28x28xbf16> {
  %e1 = tensor.empty() : tensor<256x28x28x256xbf16>
  %e2 = tensor.empty() : tensor<256x256x28x28xbf16>
  %dx = conv.dgrad ins(%dy, %w : tensor<256x14x14x256xbf16>, tensor<256x3x3x256xbf16>) outs(%e1 : tensor<256x28x28x256xbf16>) stride [2, 2] pad [1, 1] -> tensor<256x28x28x256xbf16>
  %u = linalg.transpose ins(%dx : tensor<256x28x28x256xbf16>) outs(%e2 : tensor<256x256x28x28xbf16>) permutation = [0, 3, 1, 2]
  return %u : tensor<256x256x28x28xbf16>
}
