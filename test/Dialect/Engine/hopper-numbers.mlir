// RUN: conv-opt %s -verify-diagnostics -split-input-file

// Numbers of operations on workgroup memory that leave 64 bits when they are multiplied.

#smem = #gpu.address_space<workgroup>

func.func @rows_without_end(%box: memref<64x48xbf16, #smem>, %lines: memref<344x64xbf16, #smem>, %i: index) {
  // expected-error @below {{must have rows within the 64 lines of the window, 8 each, but has 9223372036854775807 from row 0 on}}
  engine.transpose_rows %box[%i] into %lines row 0 rows 9223372036854775807 width 7 column 1 pitch 8 lines 64 {stride = array<i64: 2, 2>, phases = array<i64: 2, 2>, phase_lines = array<i64: 24, 44>} : memref<64x48xbf16, #smem> into memref<344x64xbf16, #smem>
  return
}

// -----

#smem = #gpu.address_space<workgroup>

func.func @far_row(%box: memref<64x48xbf16, #smem>, %lines: memref<344x64xbf16, #smem>, %i: index) {
  // expected-error @below {{must have rows within the 64 lines of the window, 8 each, but has 5 from row 9223372036854775807 on}}
  engine.transpose_rows %box[%i] into %lines row 9223372036854775807 rows 5 width 7 column 1 pitch 8 lines 64 {stride = array<i64: 2, 2>, phases = array<i64: 2, 2>, phase_lines = array<i64: 24, 44>} : memref<64x48xbf16, #smem> into memref<344x64xbf16, #smem>
  return
}

// -----

#smem = #gpu.address_space<workgroup>

func.func @far_pitch(%box: memref<64x48xbf16, #smem>, %lines: memref<344x64xbf16, #smem>, %i: index) {
  // expected-error @below {{must have rows within the 64 lines of the window, 9223372036854775807 each, but has 5 from row 0 on}}
  engine.transpose_rows %box[%i] into %lines row 0 rows 5 width 7 column 1 pitch 9223372036854775807 lines 64 {stride = array<i64: 2, 2>, phases = array<i64: 2, 2>, phase_lines = array<i64: 24, 44>} : memref<64x48xbf16, #smem> into memref<344x64xbf16, #smem>
  return
}

// -----

#smem = #gpu.address_space<workgroup>

func.func @far_phase(%box: memref<64x48xbf16, #smem>, %lines: memref<344x64xbf16, #smem>, %i: index) {
  // expected-error @below {{must have phases within 1048576 lines, but has [2, 2] of [9223372036854775807, 44] lines}}
  engine.transpose_rows %box[%i] into %lines row 0 rows 5 width 7 column 1 pitch 8 lines 64 {stride = array<i64: 2, 2>, phases = array<i64: 2, 2>, phase_lines = array<i64: 9223372036854775807, 44>} : memref<64x48xbf16, #smem> into memref<344x64xbf16, #smem>
  return
}

// -----

#smem = #gpu.address_space<workgroup>

func.func @far_images(%boxes: memref<4x32x64xbf16, #smem>, %tile: memref<64x128xbf16, #smem>, %i: index) {
  // expected-error @below {{has no boxes: images have at most 281474976710656 positions, but there are 9223372036854775807}}
  engine.deskew_rows %boxes[%i] into %tile channel 32 positions 9223372036854775807 : memref<4x32x64xbf16, #smem> into memref<64x128xbf16, #smem>
  return
}

// -----

#smem = #gpu.address_space<workgroup>

func.func @far_channel(%boxes: memref<4x32x64xbf16, #smem>, %tile: memref<64x128xbf16, #smem>, %i: index) {
  // expected-error @below {{from 9223372036854775800 on}}
  engine.deskew_rows %boxes[%i] into %tile channel 9223372036854775800 positions 49 : memref<4x32x64xbf16, #smem> into memref<64x128xbf16, #smem>
  return
}

// -----

#view = #conv.view<rows = [6, 7], taps = [3, 3], stride = [1, 1], step = [1, 1], offset = [-1, -1], groups = 1>
#smem = #gpu.address_space<workgroup>

!ring = !nvgpu.mbarrier.group<memorySpace = #smem, num_barriers = 4>
func.func @parts_without_number(%x: memref<1x6x7x64xbf16>, %a: memref<64x64xbf16, #smem>, %full: !ring, %i: index) {
  // expected-error @below {{64 rows are no -9223372036854775808 parts of a multiple of 8 rows}}
  engine.load_tile %x[%i, %i, %i] into %a, %full[%i] view #view part %i of -9223372036854775808 to %i : memref<1x6x7x64xbf16> into memref<64x64xbf16, #smem>, !ring
  return
}

// -----

#smem = #gpu.address_space<workgroup>

func.func @far_taps(%window: memref<1x4x18x64xbf16, #smem>) -> vector<64x3x64xbf16> {
  // expected-error @below {{must have numbers of 32 bits, but "taps" is array<i64: 9223372036854775807, 3>}}
  %t = engine.read_taps %window box [1, 4, 16] taps [9223372036854775807, 3] step [2, 1] : memref<1x4x18x64xbf16, #smem> -> vector<64x3x64xbf16>
  return %t : vector<64x3x64xbf16>
}

// -----

#smem = #gpu.address_space<workgroup>

func.func @far_step(%window: memref<1x4x18x64xbf16, #smem>) -> vector<64x3x64xbf16> {
  // expected-error @below {{must have numbers of 32 bits, but "step" is array<i64: 9223372036854775807, 1>}}
  %t = engine.read_taps %window box [1, 4, 16] taps [1, 3] step [9223372036854775807, 1] : memref<1x4x18x64xbf16, #smem> -> vector<64x3x64xbf16>
  return %t : vector<64x3x64xbf16>
}

// -----

#smem = #gpu.address_space<workgroup>

func.func @many_taps(%window: memref<1x4x18x64xbf16, #smem>) -> vector<64x3x64xbf16> {
  // expected-error @below {{must have at most 1048576 taps, but has [1048577, 3]}}
  %t = engine.read_taps %window box [1, 4, 16] taps [1048577, 3] step [2, 1] {stride = array<i64: 2, 2>, phase_lines = array<i64: 9, 2>} : memref<1x4x18x64xbf16, #smem> -> vector<64x3x64xbf16>
  return %t : vector<64x3x64xbf16>
}

// -----

#smem = #gpu.address_space<workgroup>

func.func @far_margin(%boxes: memref<1x64x184xbf16, #smem>, %front: index) -> vector<112x9x64xbf16> {
  // expected-error @below {{must have numbers of 32 bits, but "margin" is 9223372036854775807 : i64}}
  %x = engine.read_image_taps %boxes[%front] {width = 28, taps = array<i64: 3, 3>, extent = 28, column = -1, margin = 9223372036854775807, columns = array<i64: 1, 1>, rows = array<i64: 28, 28>} : memref<1x64x184xbf16, #smem> -> vector<112x9x64xbf16>
  return %x : vector<112x9x64xbf16>
}

// -----

#smem = #gpu.address_space<workgroup>

// Positions without a bound.
func.func @no_extent(%boxes: memref<1x64x184xbf16, #smem>, %front: index) -> vector<112x9x64xbf16> {
  %x = engine.read_image_taps %boxes[%front] {width = 28, taps = array<i64: 3, 3>, extent = 9223372036854775807, column = -1, margin = 2, columns = array<i64: 1, 1>, rows = array<i64: 28, 28>} : memref<1x64x184xbf16, #smem> -> vector<112x9x64xbf16>
  return %x : vector<112x9x64xbf16>
}
