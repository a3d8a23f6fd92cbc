// RUN: conv-opt %s -split-input-file -verify-diagnostics | FileCheck %s

#view = #conv.view<rows = [6, 8], taps = [3, 3], stride = [1, 1], step = [1, 1], offset = [-1, -1], groups = 1>

// The whole result, a tile of it, and one in registers.

// CHECK-LABEL: @forms
// CHECK:       conv.depthwise %{{.*}}, %{{.*}} view <rows = [6, 8], taps = [3, 3], stride = [1, 1], step = [1, 1], offset = [-1, -1], groups = 1> schedule <algorithm=loops tile=4x8x1 warps=1x1 stages=1 copy=cp_async mma=fma split-k=1> : tensor<2x6x8x16xbf16>, tensor<9x16xbf16> -> tensor<2x6x8x16xf32>
// CHECK:       conv.depthwise %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] view <{{.*}}> : tensor<2x6x8x16xbf16>, tensor<9x16xbf16> -> tensor<1x1x4x8xf32>
// CHECK:       conv.depthwise %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] view <{{.*}}> : memref<2x6x8x16xbf16>, memref<9x16xbf16> -> vector<1x1x4x8xf32>
func.func @forms(%x: tensor<2x6x8x16xbf16>, %w: tensor<9x16xbf16>, %xb: memref<2x6x8x16xbf16>, %wb: memref<9x16xbf16>, %i: index) -> (tensor<2x6x8x16xf32>, tensor<1x1x4x8xf32>, vector<1x1x4x8xf32>) {
  %0 = conv.depthwise %x, %w view #view schedule <algorithm = loops, tile = [4, 8, 1], warps = [1, 1], stages = 1, copy = cp_async, mma = fma> : tensor<2x6x8x16xbf16>, tensor<9x16xbf16> -> tensor<2x6x8x16xf32>
  %1 = conv.depthwise %x, %w[%i, %i, %i, %i] view #view : tensor<2x6x8x16xbf16>, tensor<9x16xbf16> -> tensor<1x1x4x8xf32>
  %2 = conv.depthwise %xb, %wb[%i, %i, %i, %i] view #view : memref<2x6x8x16xbf16>, memref<9x16xbf16> -> vector<1x1x4x8xf32>
  return %0, %1, %2 : tensor<2x6x8x16xf32>, tensor<1x1x4x8xf32>, vector<1x1x4x8xf32>
}

// -----

// A filter for each image, and four sums of it: of three lines each, in two
// halves.

// CHECK-LABEL: @parts
// CHECK:       conv.depthwise {{.*}} split-k=4> : tensor<2x8x10x16xbf16>, tensor<2x48x16xbf16> -> tensor<8x3x3x16xf32>
// CHECK:       conv.depthwise {{.*}} : tensor<2x8x10x16xbf16>, tensor<2x48x16xbf16> -> tensor<1x1x3x8xf32>
func.func @parts(%x: tensor<2x8x10x16xbf16>, %dy: tensor<2x48x16xbf16>, %i: index) -> (tensor<8x3x3x16xf32>, tensor<1x1x3x8xf32>) {
  %0 = conv.depthwise %x, %dy view <rows = [3, 3], taps = [6, 8], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1> schedule <algorithm = loops, tile = [3, 8, 4], warps = [1, 1], stages = 1, copy = cp_async, mma = fma, split = 4> : tensor<2x8x10x16xbf16>, tensor<2x48x16xbf16> -> tensor<8x3x3x16xf32>
  %1 = conv.depthwise %x, %dy[%i, %i, %i, %i] view <rows = [3, 3], taps = [6, 8], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1> schedule <algorithm = loops, tile = [3, 8, 4], warps = [1, 1], stages = 1, copy = cp_async, mma = fma, split = 4> : tensor<2x8x10x16xbf16>, tensor<2x48x16xbf16> -> tensor<1x1x3x8xf32>
  return %0, %1 : tensor<8x3x3x16xf32>, tensor<1x1x3x8xf32>
}

// -----

// CHECK-LABEL: @rounded
// CHECK:       conv.depthwise %{{.*}}, %{{.*}} view <{{.*}}> precision tf32 : tensor<2x8x4xf32>, tensor<3x4xf32> -> tensor<2x8x4xf32>
func.func @rounded(%x: tensor<2x8x4xf32>, %w: tensor<3x4xf32>) -> tensor<2x8x4xf32> {
  %0 = conv.depthwise %x, %w view <rows = [8], taps = [3], stride = [1], step = [1], offset = [-1], groups = 1> precision tf32 : tensor<2x8x4xf32>, tensor<3x4xf32> -> tensor<2x8x4xf32>
  return %0 : tensor<2x8x4xf32>
}

// -----

// With channels first; a filter for each image.

#view = #conv.view<rows = [6, 8], taps = [3, 3], stride = [1, 1], step = [1, 1], offset = [-1, -1], groups = 1>

// CHECK-LABEL: @first
// CHECK:       conv.depthwise %{{.*}}, %{{.*}} view <{{.*}}> channels_first schedule <{{.*}}gather=true> : tensor<2x16x6x8xbf16>, tensor<16x9xbf16> -> tensor<2x16x6x8xf32>
// CHECK:       conv.depthwise %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] view <{{.*}}> channels_first : tensor<2x16x6x8xbf16>, tensor<16x9xbf16> -> tensor<1x1x1x4xf32>
// CHECK:       conv.depthwise {{.*}} channels_first schedule <{{.*}} split-k=4 gather=true> precision tf32 : tensor<2x16x8x10xf32>, tensor<2x16x48xf32> -> tensor<8x16x3x3xf32>
func.func @first(%x: tensor<2x16x6x8xbf16>, %w: tensor<16x9xbf16>, %xf: tensor<2x16x8x10xf32>, %dy: tensor<2x16x48xf32>, %i: index) -> (tensor<2x16x6x8xf32>, tensor<1x1x1x4xf32>, tensor<8x16x3x3xf32>) {
  %0 = conv.depthwise %x, %w view #view channels_first schedule <algorithm = loops, tile = [4, 1, 1], warps = [1, 1], stages = 1, copy = cp_async, mma = fma, gather = true> : tensor<2x16x6x8xbf16>, tensor<16x9xbf16> -> tensor<2x16x6x8xf32>
  %1 = conv.depthwise %x, %w[%i, %i, %i, %i] view #view channels_first : tensor<2x16x6x8xbf16>, tensor<16x9xbf16> -> tensor<1x1x1x4xf32>
  %2 = conv.depthwise %xf, %dy view <rows = [3, 3], taps = [6, 8], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1> channels_first schedule <algorithm = loops, tile = [3, 1, 4], warps = [1, 1], stages = 1, copy = cp_async, mma = fma, split = 4, gather = true> precision tf32 : tensor<2x16x8x10xf32>, tensor<2x16x48xf32> -> tensor<8x16x3x3xf32>
  return %0, %1, %2 : tensor<2x16x6x8xf32>, tensor<1x1x1x4xf32>, tensor<8x16x3x3xf32>
}

// -----

// Two places for each element of a line of dy.

// CHECK-LABEL: @dilated
// CHECK:       conv.depthwise %{{.*}}, %{{.*}} view <{{.*}}> dilated [1, 2] channels_first : tensor<2x16x6x8xbf16>, tensor<16x9xbf16> -> tensor<2x16x6x16xf32>
func.func @dilated(%dy: tensor<2x16x6x8xbf16>, %w: tensor<16x9xbf16>) -> tensor<2x16x6x16xf32> {
  %0 = conv.depthwise %dy, %w view <rows = [6, 16], taps = [3, 3], stride = [1, 1], step = [-1, -1], offset = [1, 1], groups = 1> dilated [1, 2] channels_first : tensor<2x16x6x8xbf16>, tensor<16x9xbf16> -> tensor<2x16x6x16xf32>
  return %0 : tensor<2x16x6x16xf32>
}

// -----

func.func @places(%x: tensor<2x8x16xbf16>, %w: tensor<3x16xbf16>) -> tensor<2x8x16xf32> {
  // expected-error @below {{needs a positive number of places below 2^31 for each of 1 spatial dimensions, but is dilated by array<i64: 2, 1>}}
  %0 = conv.depthwise %x, %w view <rows = [8], taps = [3], stride = [1], step = [1], offset = [-1], groups = 1> dilated [2, 1] : tensor<2x8x16xbf16>, tensor<3x16xbf16> -> tensor<2x8x16xf32>
  return %0 : tensor<2x8x16xf32>
}

// -----

func.func @many_parts(%x: tensor<4611686018427387904x1x1xbf16>, %w: tensor<4x1xbf16>) {
  // expected-error @below {{needs fewer than 2^63 images of sums, but has 2 parts of}}
  %0 = conv.depthwise %x, %w view <rows = [1], taps = [4], stride = [1], step = [1], offset = [0], groups = 1> schedule <algorithm = loops, tile = [1, 1, 2], warps = [1, 1], stages = 1, copy = cp_async, mma = fma, split = 2> : tensor<4611686018427387904x1x1xbf16>, tensor<4x1xbf16> -> tensor<2x1x1xf32>
  return
}

// -----

func.func @no_place(%x: tensor<2x8x16xbf16>, %w: tensor<3x16xbf16>) -> tensor<2x8x16xf32> {
  // expected-error @below {{needs a positive number of places below 2^31 for each of 1 spatial dimensions, but is dilated by array<i64: 0>}}
  %0 = conv.depthwise %x, %w view <rows = [8], taps = [3], stride = [1], step = [1], offset = [-1], groups = 1> dilated [0] : tensor<2x8x16xbf16>, tensor<3x16xbf16> -> tensor<2x8x16xf32>
  return %0 : tensor<2x8x16xf32>
}

// -----

func.func @many_places(%x: tensor<2x8x16xbf16>, %w: tensor<3x16xbf16>) -> tensor<2x8x16xf32> {
  // expected-error @below {{needs a positive number of places below 2^31 for each of 1 spatial dimensions, but is dilated by array<i64: 2147483648>}}
  %0 = conv.depthwise %x, %w view <rows = [8], taps = [3], stride = [1], step = [1], offset = [-1], groups = 1> dilated [2147483648] : tensor<2x8x16xbf16>, tensor<3x16xbf16> -> tensor<2x8x16xf32>
  return %0 : tensor<2x8x16xf32>
}

// -----

func.func @first_taps(%x: tensor<2x16x8xbf16>, %w: tensor<3x16xbf16>) -> tensor<2x16x8xf32> {
  // expected-error @below {{needs a filter [channel, tap] of 16x3, perhaps one for each image, but has 'tensor<3x16xbf16>'}}
  %0 = conv.depthwise %x, %w view <rows = [8], taps = [3], stride = [1], step = [1], offset = [-1], groups = 1> channels_first : tensor<2x16x8xbf16>, tensor<3x16xbf16> -> tensor<2x16x8xf32>
  return %0 : tensor<2x16x8xf32>
}

// -----

func.func @first_rank(%x: tensor<16x8xbf16>, %w: tensor<16x3xbf16>) -> tensor<16x8xf32> {
  // expected-error @below {{needs a source [batch, channel, extent…] with the 1 spatial dimensions of its view, but has 'tensor<16x8xbf16>'}}
  %0 = conv.depthwise %x, %w view <rows = [8], taps = [3], stride = [1], step = [1], offset = [-1], groups = 1> channels_first : tensor<16x8xbf16>, tensor<16x3xbf16> -> tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

func.func @first_result(%x: tensor<2x16x8xbf16>, %w: tensor<16x3xbf16>) -> tensor<2x8x16xf32> {
  // expected-error @below {{must have a result of all positions, but has 'tensor<2x8x16xf32>'}}
  %0 = conv.depthwise %x, %w view <rows = [8], taps = [3], stride = [1], step = [1], offset = [-1], groups = 1> channels_first : tensor<2x16x8xbf16>, tensor<16x3xbf16> -> tensor<2x8x16xf32>
  return %0 : tensor<2x8x16xf32>
}

// -----

func.func @precision(%x: tensor<2x8x16xbf16>, %w: tensor<3x16xbf16>) -> tensor<2x8x16xf32> {
  // expected-error @below {{has a precision of tf32 where elements are f32, or none, but 'tf32' for 'bf16'}}
  %0 = conv.depthwise %x, %w view <rows = [8], taps = [3], stride = [1], step = [1], offset = [-1], groups = 1> precision tf32 : tensor<2x8x16xbf16>, tensor<3x16xbf16> -> tensor<2x8x16xf32>
  return %0 : tensor<2x8x16xf32>
}

// -----

func.func @block(%x: tensor<2x8x10x16xbf16>, %dy: tensor<2x48x16xbf16>) -> tensor<2x3x3x16xf32> {
  // expected-error @below {{needs taps that blocks of 5 of a line and 1 parts divide, but has #conv.view<rows = [3, 3], taps = [6, 8],}}
  %0 = conv.depthwise %x, %dy view <rows = [3, 3], taps = [6, 8], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1> schedule <algorithm = loops, tile = [3, 8, 5], warps = [1, 1], stages = 1, copy = cp_async, mma = fma> : tensor<2x8x10x16xbf16>, tensor<2x48x16xbf16> -> tensor<2x3x3x16xf32>
  return %0 : tensor<2x3x3x16xf32>
}

// -----

func.func @split(%x: tensor<2x8x10x16xbf16>, %dy: tensor<2x48x16xbf16>) -> tensor<10x3x3x16xf32> {
  // expected-error @below {{needs taps that blocks of 4 of a line and 5 parts divide, but has}}
  %0 = conv.depthwise %x, %dy view <rows = [3, 3], taps = [6, 8], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1> schedule <algorithm = loops, tile = [3, 8, 4], warps = [1, 1], stages = 1, copy = cp_async, mma = fma, split = 5> : tensor<2x8x10x16xbf16>, tensor<2x48x16xbf16> -> tensor<10x3x3x16xf32>
  return %0 : tensor<10x3x3x16xf32>
}

// -----

func.func @rank(%x: tensor<6x8x16xbf16>, %w: tensor<9x16xbf16>) -> tensor<6x8x16xf32> {
  // expected-error @below {{needs a source [batch, extent…, channel] with the 2 spatial dimensions of its view, but has 'tensor<6x8x16xbf16>'}}
  %0 = conv.depthwise %x, %w view <rows = [6, 8], taps = [3, 3], stride = [1, 1], step = [1, 1], offset = [-1, -1], groups = 1> : tensor<6x8x16xbf16>, tensor<9x16xbf16> -> tensor<6x8x16xf32>
  return %0 : tensor<6x8x16xf32>
}

// -----

func.func @groups(%x: tensor<2x8x16xbf16>, %w: tensor<3x16xbf16>) -> tensor<2x8x16xf32> {
  // expected-error @below {{has a view without groups and strips}}
  %0 = conv.depthwise %x, %w view <rows = [8], taps = [3], stride = [1], step = [1], offset = [-1], groups = 16> : tensor<2x8x16xbf16>, tensor<3x16xbf16> -> tensor<2x8x16xf32>
  return %0 : tensor<2x8x16xf32>
}

// -----

func.func @taps(%x: tensor<2x8x16xbf16>, %w: tensor<16x3xbf16>) -> tensor<2x8x16xf32> {
  // expected-error @below {{needs a filter [tap, channel] of 3x16, perhaps one for each image, but has 'tensor<16x3xbf16>'}}
  %0 = conv.depthwise %x, %w view <rows = [8], taps = [3], stride = [1], step = [1], offset = [-1], groups = 1> : tensor<2x8x16xbf16>, tensor<16x3xbf16> -> tensor<2x8x16xf32>
  return %0 : tensor<2x8x16xf32>
}

// -----

func.func @elements(%x: tensor<2x8x16xbf16>, %w: tensor<3x16xf16>) -> tensor<2x8x16xf32> {
  // expected-error @below {{needs a filter of the source's elements, but has 'tensor<2x8x16xbf16>' and 'tensor<3x16xf16>'}}
  %0 = conv.depthwise %x, %w view <rows = [8], taps = [3], stride = [1], step = [1], offset = [-1], groups = 1> : tensor<2x8x16xbf16>, tensor<3x16xf16> -> tensor<2x8x16xf32>
  return %0 : tensor<2x8x16xf32>
}

// -----

func.func @offsets(%x: tensor<2x8x16xbf16>, %w: tensor<3x16xbf16>, %i: index) -> tensor<1x4x8xf32> {
  // expected-error @below {{needs an offset for each of 3 dimensions of its result, but has 2}}
  %0 = conv.depthwise %x, %w[%i, %i] view <rows = [8], taps = [3], stride = [1], step = [1], offset = [-1], groups = 1> : tensor<2x8x16xbf16>, tensor<3x16xbf16> -> tensor<1x4x8xf32>
  return %0 : tensor<1x4x8xf32>
}

// -----

func.func @result(%x: tensor<2x8x16xbf16>, %w: tensor<3x16xbf16>) -> tensor<2x4x16xf32> {
  // expected-error @below {{must have a result of all positions, but has 'tensor<2x4x16xf32>'}}
  %0 = conv.depthwise %x, %w view <rows = [8], taps = [3], stride = [1], step = [1], offset = [-1], groups = 1> : tensor<2x8x16xbf16>, tensor<3x16xbf16> -> tensor<2x4x16xf32>
  return %0 : tensor<2x4x16xf32>
}
