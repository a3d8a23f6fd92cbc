// RUN: conv-opt %s -conv-tile-plain-kernels -split-input-file -verify-diagnostics

// What a thread sums is part of a kernel, and none of its own.

#view = #conv.view<rows = [6, 8], taps = [3, 3], stride = [1, 1], step = [1, 1], offset = [-1, -1], groups = 1>

func.func @sums_of_a_thread(%x: memref<2x6x8x16xbf16>, %w: memref<9x16xbf16>, %i: index) -> vector<1x1x4x8xf32> {
  // expected-error @below {{has no kernel of its own: expected one operation of linalg, and no other, that reads its result}}
  %0 = conv.depthwise %x, %w[%i, %i, %i, %i] view #view : memref<2x6x8x16xbf16>, memref<9x16xbf16> -> vector<1x1x4x8xf32>
  return %0 : vector<1x1x4x8xf32>
}
