// RUN: conv-opt %s --split-input-file --verify-diagnostics

// #conv.view

// expected-error @below {{a view has 1 to 3 spatial dimensions, not 4}}
func.func private @f() attributes {a = #conv.view<rows = [1, 1, 1, 1], taps = [1, 1, 1, 1], stride = [1, 1, 1, 1], step = [1, 1, 1, 1], offset = [1, 1, 1, 1], groups = 1>}

// -----

// expected-error @below {{every list of a view must have as many entries as 'rows' (1), not 2}}
func.func private @f() attributes {a = #conv.view<rows = [6], taps = [3], stride = [1], step = [1, 1], offset = [0], groups = 1>}

// -----

// expected-error @below {{taps of a view must not be negative, but got -1}}
func.func private @f() attributes {a = #conv.view<rows = [6], taps = [-1], stride = [1], step = [1], offset = [0], groups = 1>}

// -----

// expected-error @below {{rows of a view must not be negative, but got -2}}
func.func private @f() attributes {a = #conv.view<rows = [-2], taps = [3], stride = [1], step = [1], offset = [0], groups = 1>}

// -----

// expected-error @below {{groups of a view must be positive, but got 0}}
func.func private @f() attributes {a = #conv.view<rows = [6], taps = [3], stride = [1], step = [1], offset = [0], groups = 0>}

// -----

// expected-error @below {{row groups of a view must be positive, but got 0}}
func.func private @f() attributes {a = #conv.view<rows = [6], taps = [3], stride = [1], step = [1], offset = [0], groups = 1, row_groups = 0>}

// -----

// expected-error @below {{rows and taps of a view must each number at most 2305843009213693952, but there are [5, 3] rows in 1 strips and [1, 9223372036854775807] taps}}
func.func private @f() attributes {a = #conv.view<rows = [5, 3], taps = [1, 9223372036854775807], stride = [1, 1], step = [1, 1], offset = [0, 1], groups = 1>}

// -----

// None along one dimension hides nothing of the other.
// expected-error @below {{rows and taps of a view must each number at most 2305843009213693952, but there are [0, 4611686018427387904] rows}}
func.func private @f() attributes {a = #conv.view<rows = [0, 4611686018427387904], taps = [1, 1], stride = [1, 1], step = [1, 1], offset = [0, 1], groups = 1>}

// -----

// expected-error @below {{[9223372036854775807] rows in 2 strips}}
func.func private @f() attributes {a = #conv.view<rows = [9223372036854775807], taps = [1], stride = [1], step = [1], offset = [0], groups = 1, strips = 2>}

// -----

// expected-error @below {{rows and taps of a view must reach at most 2305843009213693952 positions, but 6 rows are at a distance of 1, 3 taps at one of -9223372036854775808, and the offset is 0}}
func.func private @f() attributes {a = #conv.view<rows = [6], taps = [3], stride = [1], step = [-9223372036854775808], offset = [0], groups = 1>}

// -----

// expected-error @below {{6 rows are at a distance of 9223372036854775807, 3 taps at one of 1, and the offset is 0}}
func.func private @f() attributes {a = #conv.view<rows = [6], taps = [3], stride = [9223372036854775807], step = [1], offset = [0], groups = 1>}

// -----

// expected-error @below {{and the offset is -9223372036854775808}}
func.func private @f() attributes {a = #conv.view<rows = [6], taps = [3], stride = [1], step = [1], offset = [-9223372036854775808], groups = 1>}

// -----

// #conv.schedule

// expected-error @below {{'tile' of a schedule has 3 entries (gemm-m, gemm-n, gemm-k), not 2}}
func.func private @f() attributes {a = #conv.schedule<algorithm = loops, tile = [1, 1], warps = [1, 1], stages = 1, copy = cp_async, mma = mma_sync>}

// -----

// expected-error @below {{'warps' of a schedule has 2 entries (along gemm-m and gemm-n), not 1}}
func.func private @f() attributes {a = #conv.schedule<algorithm = loops, tile = [1, 1, 1], warps = [1], stages = 1, copy = cp_async, mma = mma_sync>}

// -----

// expected-error @below {{'tile' of a schedule must be positive, but got 0}}
func.func private @f() attributes {a = #conv.schedule<algorithm = loops, tile = [1, 0, 1], warps = [1, 1], stages = 1, copy = cp_async, mma = mma_sync>}

// -----

// expected-error @below {{'stages' of a schedule must be positive, but got 0}}
func.func private @f() attributes {a = #conv.schedule<algorithm = loops, tile = [1, 1, 1], warps = [1, 1], stages = 0, copy = cp_async, mma = mma_sync>}

// -----

// expected-error @below {{expected a number behind '-'}}
func.func private @f() attributes {a = #conv.schedule<algorithm = loops, tile = [1, 1, 1], warps = [1, 1], stages = 1, copy = cp_async, mma = mma_sync, tail = --9223372036854775808>}

// -----

// expected-error @below {{integer value too large}}
func.func private @f() attributes {a = #conv.schedule<algorithm = loops, tile = [1, 1, 1], warps = [1, 1], stages = -9223372036854775808, copy = cp_async, mma = mma_sync>}

// -----

// expected-error @below {{'split-k' of a schedule must be positive, but got 0}}
func.func private @f() attributes {a = #conv.schedule<algorithm = loops, tile = [1, 1, 1], warps = [1, 1], stages = 1, copy = cp_async, mma = mma_sync, split = 0>}

// -----

// expected-error @below {{'cluster' of a schedule has 2 entries (along gemm-m and gemm-n), not 1}}
func.func private @f() attributes {a = #conv.schedule<algorithm = loops, tile = [1, 1, 1], warps = [1, 1], stages = 1, copy = cp_async, mma = mma_sync, cluster = [2]>}

// -----

// expected-error @below {{'resident' of a schedule must be positive, but got 0}}
func.func private @f() attributes {a = #conv.schedule<algorithm = loops, tile = [1, 1, 1], warps = [1, 1], stages = 1, copy = cp_async, mma = mma_sync, resident = 0>}

// -----

// expected-error @below {{'merge' of a schedule must be positive, but got 0}}
func.func private @f() attributes {a = #conv.schedule<algorithm = loops, tile = [1, 1, 1], warps = [1, 1], stages = 1, copy = cp_async, mma = mma_sync, merge = 0>}

// -----

// expected-error @below {{'tail' of a schedule must be positive or 'even', but got 0}}
func.func private @f() attributes {a = #conv.schedule<algorithm = loops, tile = [1, 1, 1], warps = [1, 1], stages = 1, copy = cp_async, mma = mma_sync, tail = 0>}

// -----

// expected-error @below {{'tail' of a schedule must be positive or 'even', but got -1}}
func.func private @f() attributes {a = #conv.schedule<algorithm = loops, tile = [1, 1, 1], warps = [1, 1], stages = 1, copy = cp_async, mma = mma_sync, tail = -1>}

// -----

// expected-error @below {{'fold' of a schedule must be positive, but got 0}}
func.func private @f() attributes {a = #conv.schedule<algorithm = loops, tile = [1, 1, 1], warps = [1, 1], stages = 1, copy = cp_async, mma = mma_sync, fold = [2, 0]>}

// -----

// expected-error @below {{'warps' of a schedule must be at most 1048576, but got 1152921504606846976}}
func.func private @f() attributes {a = #conv.schedule<algorithm = loops, tile = [1, 1, 1], warps = [1152921504606846976, 1], stages = 1, copy = cp_async, mma = mma_sync>}

// -----

// expected-error @below {{'tail' of a schedule must be at most 1048576, but got 1048577}}
func.func private @f() attributes {a = #conv.schedule<algorithm = loops, tile = [1, 1, 1], warps = [1, 1], stages = 1, copy = cp_async, mma = mma_sync, tail = 1048577>}

// -----

// expected-error @below {{'merge' of a schedule is given twice}}
func.func private @f() attributes {a = #conv.schedule<algorithm = loops, tile = [1, 1, 1], warps = [1, 1], stages = 1, copy = cp_async, mma = mma_sync, merge = 2, merge = 4>}

// -----

// expected-error @below {{expected true or false for 'window' of a schedule}}
func.func private @f() attributes {a = #conv.schedule<algorithm = loops, tile = [1, 1, 1], warps = [1, 1], stages = 1, copy = cp_async, mma = mma_sync, window = 1>}

// -----

// expected-error @below {{schedule: unknown key 'residents', did you mean 'resident'? The keys are algorithm, tile, warps, stages, copy, mma, split-k, cluster, resident, teams, window, staging, tail, merge, fold, gather, k-major, kn2row, reading}}
func.func private @f() attributes {a = #conv.schedule<algorithm = loops, tile = [1, 1, 1], warps = [1, 1], stages = 1, copy = cp_async, mma = mma_sync, residents = 2>}

// -----

// One key in both spellings.
// expected-error @below {{'split-k' of a schedule is given twice}}
func.func private @f() attributes {a = #conv.schedule<algorithm=loops tile=1x1x1 warps=1x1 stages=1 copy=cp_async mma=fma split=2 split-k=2>}

// -----

// expected-error @below {{'warps' of a schedule is not given}}
func.func private @f() attributes {a = #conv.schedule<algorithm=loops tile=1x1x1 stages=1 copy=cp_async mma=fma>}

// -----

// expected-error @below {{expected cp_async, tma or sync for 'copy' of a schedule}}
func.func private @f() attributes {a = #conv.schedule<algorithm=loops tile=1x1x1 warps=1x1 stages=1 copy=bulk mma=fma>}

// -----

// expected-error @below {{expected the value of a key of a schedule}}
func.func private @f() attributes {a = #conv.schedule<algorithm=loops tile=1x1x1 warps=1x1 stages=1 copy=cp_async mma=fma split-k=>}

// -----

// conv.im2col

func.func @f(%x: tensor<2x8x4xf32>) {
  // expected-error @below {{'conv.im2col' op source must have rank 4 (batch, 2 spatial dimensions of the view, channels), but is 'tensor<2x8x4xf32>'}}
  %0 = conv.im2col %x view <rows = [6, 8], taps = [3, 2], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1> : tensor<2x8x4xf32> -> tensor<96x6x4xf32>
  return
}

// -----

func.func @f(%x: tensor<2x?x9x4xf32>) {
  // expected-error @below {{'conv.im2col' op source must have a static shape, but is 'tensor<2x?x9x4xf32>'}}
  %0 = conv.im2col %x view <rows = [6, 8], taps = [3, 2], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1> : tensor<2x?x9x4xf32> -> tensor<96x6x4xf32>
  return
}

// -----

func.func @f(%x: tensor<2x8x9x0xf32>) {
  // expected-error @below {{'conv.im2col' op source must have channels, but is 'tensor<2x8x9x0xf32>'}}
  %0 = conv.im2col %x view <rows = [6, 8], taps = [3, 2], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1> : tensor<2x8x9x0xf32> -> tensor<96x6x0xf32>
  return
}

// -----

func.func @f(%x: tensor<2x8x9x3xf32>) {
  // expected-error @below {{'conv.im2col' op groups (2) must divide the channels (3) of source}}
  %0 = conv.im2col %x view <rows = [6, 8], taps = [3, 2], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 2> : tensor<2x8x9x3xf32> -> tensor<96x6x2x1xf32>
  return
}

// -----

func.func @f(%x: tensor<2x8x9x4xf32>, %i: index) {
  // expected-error @below {{'conv.im2col' op expected 3 offsets (row, tap, channel) or none, but got 2}}
  %0 = conv.im2col %x[%i, %i] view <rows = [6, 8], taps = [3, 2], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1> : tensor<2x8x9x4xf32> -> tensor<16x4xf32>
  return
}

// -----

func.func @f(%x: tensor<2x8x9x4xf32>, %i: index) {
  // expected-error @below {{'conv.im2col' op expected 4 offsets (row, tap, group, channel) or none, but got 3}}
  %0 = conv.im2col %x[%i, %i, %i] view <rows = [6, 8], taps = [3, 2], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 2> : tensor<2x8x9x4xf32> -> tensor<16x2xf32>
  return
}

// -----

func.func @f(%x: tensor<2x8x9x4xf32>) {
  // expected-error @below {{'conv.im2col' op must have a result, or a buffer to copy into}}
  conv.im2col %x view <rows = [6, 8], taps = [3, 2], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1> : tensor<2x8x9x4xf32>
  return
}

// -----

func.func @f(%x: memref<2x8x9x4xf32>, %d: memref<16x4xf32>, %i: index) {
  // expected-error @below {{'conv.im2col' op copies into a buffer and has no result then}}
  %0 = conv.im2col %x[%i, %i, %i] into %d view <rows = [6, 8], taps = [3, 2], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1> : memref<2x8x9x4xf32> into memref<16x4xf32> -> tensor<16x4xf32>
  return
}

// -----

func.func @f(%x: tensor<2x8x9x4xf32>, %d: tensor<16x4xf32>, %i: index) {
  // expected-error @below {{'conv.im2col' op result must have the type of its destination, 'tensor<16x4xf32>', but is 'tensor<16x2xf32>'}}
  %0 = conv.im2col %x[%i, %i, %i] into %d view <rows = [6, 8], taps = [3, 2], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1> : tensor<2x8x9x4xf32> into tensor<16x4xf32> -> tensor<16x2xf32>
  return
}

// -----

func.func @f(%x: tensor<2x8x9x4xf32>) {
  // expected-error @below {{'conv.im2col' op result must have element type 'f32', but is 'tensor<96x6x4xf16>'}}
  %0 = conv.im2col %x view <rows = [6, 8], taps = [3, 2], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1> : tensor<2x8x9x4xf32> -> tensor<96x6x4xf16>
  return
}

// -----

func.func @f(%x: tensor<2x8x9x4xf32>) {
  // expected-error @below {{'conv.im2col' op result must be at least 96x6x4, but is 'tensor<95x6x4xf32>'}}
  %0 = conv.im2col %x view <rows = [6, 8], taps = [3, 2], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1> : tensor<2x8x9x4xf32> -> tensor<95x6x4xf32>
  return
}

// -----

func.func @f(%x: tensor<2x8x9x4xf32>, %i: index) {
  // expected-error @below {{'conv.im2col' op result must be a tile of rank 2 to 3, but is 'tensor<16xf32>'}}
  %0 = conv.im2col %x[%i, %i, %i] view <rows = [6, 8], taps = [3, 2], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1> : tensor<2x8x9x4xf32> -> tensor<16xf32>
  return
}

// -----

// conv.scatter

func.func @f(%v: vector<16x4xf32>, %y: memref<2x8x9x4xf32>, %c: i1, %i: index) {
  // expected-error @below {{'conv.scatter' op has a condition in a parallel region only}}
  conv.scatter %v into %y[%i, %i, %i] if %c view <rows = [8, 9], taps = [1, 1], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1> : vector<16x4xf32> into memref<2x8x9x4xf32>
  return
}

// -----

func.func @f(%v: tensor<144x4xf32>, %y: tensor<2x8x4xf32>) {
  // expected-error @below {{'conv.scatter' op destination must have rank 4 (batch, 2 spatial dimensions of the view, channels), but is 'tensor<2x8x4xf32>'}}
  %0 = conv.scatter %v into %y view <rows = [8, 9], taps = [1, 1], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1> : tensor<144x4xf32> into tensor<2x8x4xf32> -> tensor<2x8x4xf32>
  return
}

// -----

func.func @f(%v: tensor<144x4xf32>, %y: memref<2x8x9x4xf32>) {
  // expected-error @below {{'conv.scatter' op has no result on buffers and in a parallel region}}
  %0 = conv.scatter %v into %y view <rows = [8, 9], taps = [1, 1], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1> : tensor<144x4xf32> into memref<2x8x9x4xf32> -> tensor<2x8x9x4xf32>
  return
}

// -----

func.func @f(%v: tensor<144x4xf32>, %y: tensor<2x8x9x4xf32>) {
  // expected-error @below {{'conv.scatter' op must have a result of the destination's type 'tensor<2x8x9x4xf32>'}}
  conv.scatter %v into %y view <rows = [8, 9], taps = [1, 1], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1> : tensor<144x4xf32> into tensor<2x8x9x4xf32>
  return
}

// -----

func.func @f(%v: tensor<144x3xf32>, %y: tensor<2x8x9x4xf32>) {
  // expected-error @below {{'conv.scatter' op value must be at least 144x4, but is 'tensor<144x3xf32>'}}
  %0 = conv.scatter %v into %y view <rows = [8, 9], taps = [1, 1], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1> : tensor<144x3xf32> into tensor<2x8x9x4xf32> -> tensor<2x8x9x4xf32>
  return
}

// -----

func.func @f(%v: tensor<144x4xf16>, %y: tensor<2x8x9x4xf32>) {
  // expected-error @below {{'conv.scatter' op value must have element type 'f32', but is 'tensor<144x4xf16>'}}
  %0 = conv.scatter %v into %y view <rows = [8, 9], taps = [1, 1], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1> : tensor<144x4xf16> into tensor<2x8x9x4xf32> -> tensor<2x8x9x4xf32>
  return
}

// -----

func.func @row_groups(%x: tensor<3x8x4xf32>) {
  // expected-error @below {{'conv.im2col' op row groups (2) must divide the batch (3) of source}}
  %0 = conv.im2col %x view <rows = [6], taps = [3], stride = [1], step = [1], offset = [0], groups = 1, row_groups = 2> : tensor<3x8x4xf32> -> tensor<2x9x3x4xf32>
  return
}

// -----

func.func @row_group_offset(%x: tensor<2x8x4xf32>, %i: index) {
  // expected-error @below {{'conv.im2col' op expected 4 offsets (row group, row, tap, channel) or none, but got 3}}
  %0 = conv.im2col %x[%i, %i, %i] view <rows = [6], taps = [3], stride = [1], step = [1], offset = [0], groups = 1, row_groups = 2> : tensor<2x8x4xf32> -> tensor<16x4xf32>
  return
}

// -----

func.func @phase_of_one(%x: tensor<2x8x4xf32>, %i: index) {
  // expected-error @below {{'conv.im2col' op needs one view, or a phase and several views, but has a phase and 1}}
  %0 = conv.im2col %x[%i, %i, %i] at %i views [<rows = [6], taps = [3], stride = [1], step = [1], offset = [0], groups = 1>] : tensor<2x8x4xf32> -> tensor<16x4xf32>
  return
}

// -----

func.func @whole_phase(%x: tensor<2x8x4xf32>, %i: index) {
  // expected-error @below {{'conv.im2col' op is a tile of one phase and needs offsets}}
  %0 = conv.im2col %x at %i views [<rows = [6], taps = [3], stride = [1], step = [1], offset = [0], groups = 1>, <rows = [6], taps = [2], stride = [1], step = [1], offset = [0], groups = 1>] : tensor<2x8x4xf32> -> tensor<12x3x4xf32>
  return
}

// -----

func.func @unlike_phases(%v: vector<16x4xf32>, %x: memref<2x8x4xf32>, %i: index) {
  // expected-error @below {{'conv.scatter' op views of phases must have the same spatial rank, stride, step and groups, but there are}}
  conv.scatter %v into %x[%i, %i, %i] at %i views [<rows = [4], taps = [1], stride = [2], step = [1], offset = [0], groups = 1>, <rows = [6], taps = [1], stride = [1], step = [1], offset = [0], groups = 1>] : vector<16x4xf32> into memref<2x8x4xf32>
  return
}

// -----

func.func @channels_first_taps(%m: tensor<6x4x2xf32>, %w: tensor<6x2x4xf32>) -> tensor<6x2x4xf32> {
  // expected-error @below {{cannot write rows in groups, or taps, with the channels first}}
  %0 = conv.scatter %m into %w view <rows = [1], taps = [4], stride = [1], step = [1], offset = [0], groups = 1> channels_first : tensor<6x4x2xf32> into tensor<6x2x4xf32> -> tensor<6x2x4xf32>
  return %0 : tensor<6x2x4xf32>
}

// -----

func.func @zeros_of_two_taps(%m: tensor<2x2x5xf32>, %y: tensor<2x2x5xf32>) -> tensor<2x2x5xf32> {
  // expected-error @below {{with zero_fill must have one view of all positions at a distance of its stride}}
  %0 = conv.scatter %m into %y view <rows = [1], taps = [2], stride = [2], step = [1], offset = [0], groups = 1> zero_fill : tensor<2x2x5xf32> into tensor<2x2x5xf32> -> tensor<2x2x5xf32>
  return %0 : tensor<2x2x5xf32>
}

// -----

func.func @zeros_behind_some(%m: tensor<6x5xf32>, %y: tensor<2x5x7xf32>) -> tensor<2x5x7xf32> {
  // expected-error @below {{with zero_fill must have one view of all positions at a distance of its stride}}
  %0 = conv.scatter %m into %y view <rows = [3], taps = [1], stride = [2], step = [1], offset = [0], groups = 1> channels_first zero_fill : tensor<6x5xf32> into tensor<2x5x7xf32> -> tensor<2x5x7xf32>
  return %0 : tensor<2x5x7xf32>
}

// -----

func.func @channels_first_extents(%m: tensor<10x4xf32>, %y: tensor<2x5x4xf32>) -> tensor<2x5x4xf32> {
  // expected-error @below {{value must be at least 8x5, but is 'tensor<10x4xf32>'}}
  %0 = conv.scatter %m into %y view <rows = [4], taps = [1], stride = [1], step = [1], offset = [0], groups = 1> channels_first : tensor<10x4xf32> into tensor<2x5x4xf32> -> tensor<2x5x4xf32>
  return %0 : tensor<2x5x4xf32>
}

// -----

func.func @transposed_taps(%x: memref<2x8x4x4xbf16>, %s: memref<8x16xbf16, #gpu.address_space<workgroup>>, %i: index) {
  // expected-error @below {{can only be transposed as a copy into a tile of two dimensions, of positions with the channels first in their order}}
  conv.im2col %x[%i, %i, %i] into %s view <rows = [4, 3], taps = [1, 2], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1> channels_first transposed : memref<2x8x4x4xbf16> into memref<8x16xbf16, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @shifted_tile(%x: tensor<2x64x256xbf16>, %i: index) {
  // expected-error @below {{shifts taps of a whole matrix only, whose view has one}}
  %0 = conv.im2col %x[%i, %i, %i, %i] view <rows = [64], taps = [1], stride = [1], step = [1], offset = [0], groups = 1, row_groups = 2> tap_shift step 16 offset -16 : tensor<2x64x256xbf16> -> tensor<64x64xbf16>
  return
}

// -----

func.func @shifted_rank(%x: tensor<2x64x256xbf16>) {
  // expected-error @below {{with taps that are shifted must have a matrix of rank 4, but has 'tensor<2x64x256xbf16>'}}
  %0 = conv.im2col %x view <rows = [64], taps = [1], stride = [1], step = [1], offset = [0], groups = 1, row_groups = 2> tap_shift step 16 offset -16 : tensor<2x64x256xbf16> -> tensor<2x64x256xbf16>
  return
}

// -----

func.func @add_no_taps(%a: vector<64x64xf32>) {
  // expected-error @below {{must have shifts, and lines of a position or more}}
  %0 = conv.add_taps %a line 16 shifts [] : vector<64x64xf32> -> vector<64x64xf32>
  return
}

// -----

func.func @add_other_types(%a: vector<128x64xf32>) {
  // expected-error @below {{must have a source and a result of one element type and one rank of 2 or more, but they are 'vector<128x64xf32>' and 'vector<64x64xf16>'}}
  %0 = conv.add_taps %a line 16 shifts [0, 1] : vector<128x64xf32> -> vector<64x64xf16>
  return
}

// -----

func.func @add_other_rows(%a: vector<128x64xf32>) {
  // expected-error @below {{must have blocks of 64 rows for each of 3 taps and for their sum, but has 128 and 64 rows}}
  %0 = conv.add_taps %a line 16 shifts [-1, 0, 1] : vector<128x64xf32> -> vector<64x64xf32>
  return
}

// -----

func.func @add_part_of_line(%a: vector<128x64xf32>) {
  // expected-error @below {{must have a result of whole lines of 24 of the source's positions, but they have 64 and 64}}
  %0 = conv.add_taps %a line 24 shifts [0, 1] : vector<128x64xf32> -> vector<64x64xf32>
  return
}

// -----

func.func @many_elements(%x: memref<4611686018427387904x8x4xf32>, %s: memref<16x4xf32>, %i: index) {
  // expected-error @below {{'conv.im2col' op the elements of source must number fewer than 2^63, but it is 'memref<4611686018427387904x8x4xf32>'}}
  conv.im2col %x[%i, %i, %i] into %s view <rows = [6], taps = [3], stride = [1], step = [1], offset = [0], groups = 1> : memref<4611686018427387904x8x4xf32> into memref<16x4xf32>
  return
}

// -----

func.func @many_rows(%x: tensor<8x8x4xf32>, %i: index) -> tensor<16x4xf32> {
  // expected-error @below {{'conv.im2col' op the rows of all images of source must number fewer than 2^63, but 'tensor<8x8x4xf32>' is seen as}}
  %0 = conv.im2col %x[%i, %i, %i] at %i views [<rows = [6], taps = [3], stride = [1], step = [1], offset = [0], groups = 1>, <rows = [2305843009213693952], taps = [3], stride = [1], step = [1], offset = [0], groups = 1>] : tensor<8x8x4xf32> -> tensor<16x4xf32>
  return %0 : tensor<16x4xf32>
}

// -----

// Shifts and steps of taps have 32 bits, as all numbers of windows.

func.func @far_shifts(%s: tensor<8x192x48xf32>) -> tensor<8x64x48xf32> {
  // expected-error @below {{must have numbers of 32 bits, but "shifts" is array<i64: -9223372036854775808, 0, 9223372036854775807>}}
  %y = conv.add_taps %s line 24 shifts [-9223372036854775808, 0, 9223372036854775807] : tensor<8x192x48xf32> -> tensor<8x64x48xf32>
  return %y : tensor<8x64x48xf32>
}

// -----

func.func @long_line(%s: tensor<8x192x48xf32>) -> tensor<8x64x48xf32> {
  // expected-error @below {{must have numbers of 32 bits, but "line" is 4294967296 : i64}}
  %y = conv.add_taps %s line 4294967296 shifts [-1, 0, 1] : tensor<8x192x48xf32> -> tensor<8x64x48xf32>
  return %y : tensor<8x64x48xf32>
}

// -----

func.func @far_step(%x: tensor<8x64x96xbf16>) -> tensor<8x64x3x96xbf16> {
  // expected-error @below {{must have numbers of 32 bits, but "tap_step" is 9223372036854775807 : i64}}
  %X = conv.im2col %x view <rows = [64], taps = [1], stride = [1], step = [1], offset = [0], groups = 1, row_groups = 8> tap_shift step 9223372036854775807 offset 0 : tensor<8x64x96xbf16> -> tensor<8x64x3x96xbf16>
  return %X : tensor<8x64x3x96xbf16>
}

// -----

func.func @far_offset(%x: tensor<8x64x96xbf16>) -> tensor<8x64x3x96xbf16> {
  // expected-error @below {{must have numbers of 32 bits, but "tap_offset" is -9223372036854775808 : i64}}
  %X = conv.im2col %x view <rows = [64], taps = [1], stride = [1], step = [1], offset = [0], groups = 1, row_groups = 8> tap_shift step 1 offset -9223372036854775808 : tensor<8x64x96xbf16> -> tensor<8x64x3x96xbf16>
  return %X : tensor<8x64x3x96xbf16>
}
