// RUN: conv-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// Taps of images as they lie.

#smem = #gpu.address_space<workgroup>

// CHECK-LABEL: func @run
func.func @run(%boxes: memref<1x64x184xbf16, #smem>, %front: index) -> vector<112x9x64xbf16> {
  // CHECK: engine.read_image_taps %{{.*}}[%{{.*}}] {column = -1 : i64, columns = array<i64: 1, 1>, extent = 28 : i64, margin = 2 : i64, rows = array<i64: 28, 28>, taps = array<i64: 3, 3>, width = 28 : i64} : memref<1x64x184xbf16, {{.*}}> -> vector<112x9x64xbf16>
  %x = engine.read_image_taps %boxes[%front] {width = 28, taps = array<i64: 3, 3>, extent = 28, column = -1, margin = 2, columns = array<i64: 1, 1>, rows = array<i64: 28, 28>} : memref<1x64x184xbf16, #smem> -> vector<112x9x64xbf16>
  return %x : vector<112x9x64xbf16>
}

// A part of a slot, and lines that a stride leaves.
// CHECK-LABEL: func @lines
func.func @lines(%boxes: memref<4x128x48xf16, strided<[6144, 48, 1], offset: ?>, #smem>, %front: index) -> vector<64x3x128xf16> {
  // CHECK: engine.read_image_taps {{.*}} columns = array<i64: 2, 1>, {{.*}} rows = array<i64: 48, 0>, {{.*}} : memref<4x128x48xf16, strided<[6144, 48, 1], offset: ?>, {{.*}}> -> vector<64x3x128xf16>
  %x = engine.read_image_taps %boxes[%front] {width = 16, taps = array<i64: 1, 3>, extent = 32, column = -1, margin = 2, columns = array<i64: 2, 1>, rows = array<i64: 48, 0>} : memref<4x128x48xf16, strided<[6144, 48, 1], offset: ?>, #smem> -> vector<64x3x128xf16>
  return %x : vector<64x3x128xf16>
}

// -----

func.func @global(%boxes: memref<1x64x184xbf16>, %front: index) {
  // expected-error @below {{boxes must be [box, channel, position] of 16-bit elements in workgroup memory, but are 'memref<1x64x184xbf16>'}}
  %x = engine.read_image_taps %boxes[%front] {width = 28, taps = array<i64: 3, 3>, extent = 28, column = -1, margin = 2, columns = array<i64: 1, 1>, rows = array<i64: 28, 28>} : memref<1x64x184xbf16> -> vector<112x9x64xbf16>
  return
}

// -----

#smem = #gpu.address_space<workgroup>

func.func @no_boxes(%boxes: memref<64x184xbf16, #smem>, %front: index) {
  // expected-error @below {{boxes must be [box, channel, position] of 16-bit elements in workgroup memory, but are 'memref<64x184xbf16}}
  %x = engine.read_image_taps %boxes[%front] {width = 28, taps = array<i64: 3, 3>, extent = 28, column = -1, margin = 2, columns = array<i64: 1, 1>, rows = array<i64: 28, 28>} : memref<64x184xbf16, #smem> -> vector<112x9x64xbf16>
  return
}

// -----

#smem = #gpu.address_space<workgroup>

func.func @wide_elements(%boxes: memref<1x64x184xf32, #smem>, %front: index) {
  // expected-error @below {{boxes must be [box, channel, position] of 16-bit elements in workgroup memory, but are 'memref<1x64x184xf32}}
  %x = engine.read_image_taps %boxes[%front] {width = 28, taps = array<i64: 3, 3>, extent = 28, column = -1, margin = 2, columns = array<i64: 1, 1>, rows = array<i64: 28, 28>} : memref<1x64x184xf32, #smem> -> vector<112x9x64xf32>
  return
}

// -----

#smem = #gpu.address_space<workgroup>

func.func @any_length(%boxes: memref<1x64x?xbf16, #smem>, %front: index) {
  // expected-error @below {{boxes must be [box, channel, position] of 16-bit elements in workgroup memory, but are 'memref<1x64x?xbf16}}
  %x = engine.read_image_taps %boxes[%front] {width = 28, taps = array<i64: 3, 3>, extent = 28, column = -1, margin = 2, columns = array<i64: 1, 1>, rows = array<i64: 28, 28>} : memref<1x64x?xbf16, #smem> -> vector<112x9x64xbf16>
  return
}

// -----

#smem = #gpu.address_space<workgroup>

func.func @one_dimension_of_taps(%boxes: memref<1x64x184xbf16, #smem>, %front: index) {
  // expected-error @below {{must have taps of two dimensions, a width, and of columns and rows a stride and a step}}
  %x = engine.read_image_taps %boxes[%front] {width = 28, taps = array<i64: 3>, extent = 28, column = -1, margin = 2, columns = array<i64: 1, 1>, rows = array<i64: 28, 28>} : memref<1x64x184xbf16, #smem> -> vector<112x3x64xbf16>
  return
}

// -----

#smem = #gpu.address_space<workgroup>

func.func @no_step_of_rows(%boxes: memref<1x64x184xbf16, #smem>, %front: index) {
  // expected-error @below {{must have taps of two dimensions, a width, and of columns and rows a stride and a step}}
  %x = engine.read_image_taps %boxes[%front] {width = 28, taps = array<i64: 3, 3>, extent = 28, column = -1, margin = 2, columns = array<i64: 1, 1>, rows = array<i64: 28>} : memref<1x64x184xbf16, #smem> -> vector<112x9x64xbf16>
  return
}

// -----

#smem = #gpu.address_space<workgroup>

func.func @no_width(%boxes: memref<1x64x184xbf16, #smem>, %front: index) {
  // expected-error @below {{must have taps of two dimensions, a width, and of columns and rows a stride and a step}}
  %x = engine.read_image_taps %boxes[%front] {width = 0, taps = array<i64: 3, 3>, extent = 28, column = -1, margin = 2, columns = array<i64: 1, 1>, rows = array<i64: 28, 28>} : memref<1x64x184xbf16, #smem> -> vector<112x9x64xbf16>
  return
}

// -----

#smem = #gpu.address_space<workgroup>

func.func @other_taps(%boxes: memref<1x64x184xbf16, #smem>, %front: index) {
  // expected-error @below {{result must be positions of 9 taps and the channels of 'memref<1x64x184xbf16, #gpu.address_space<workgroup>>', but is 'vector<112x3x64xbf16>'}}
  %x = engine.read_image_taps %boxes[%front] {width = 28, taps = array<i64: 3, 3>, extent = 28, column = -1, margin = 2, columns = array<i64: 1, 1>, rows = array<i64: 28, 28>} : memref<1x64x184xbf16, #smem> -> vector<112x3x64xbf16>
  return
}

// -----

#smem = #gpu.address_space<workgroup>

func.func @other_channels(%boxes: memref<1x64x184xbf16, #smem>, %front: index) {
  // expected-error @below {{result must be positions of 9 taps and the channels of 'memref<1x64x184xbf16, #gpu.address_space<workgroup>>', but is 'vector<112x9x128xbf16>'}}
  %x = engine.read_image_taps %boxes[%front] {width = 28, taps = array<i64: 3, 3>, extent = 28, column = -1, margin = 2, columns = array<i64: 1, 1>, rows = array<i64: 28, 28>} : memref<1x64x184xbf16, #smem> -> vector<112x9x128xbf16>
  return
}

// -----

#smem = #gpu.address_space<workgroup>

func.func @other_elements(%boxes: memref<1x64x184xbf16, #smem>, %front: index) {
  // expected-error @below {{result must be positions of 9 taps and the channels of 'memref<1x64x184xbf16, #gpu.address_space<workgroup>>', but is 'vector<112x9x64xf16>'}}
  %x = engine.read_image_taps %boxes[%front] {width = 28, taps = array<i64: 3, 3>, extent = 28, column = -1, margin = 2, columns = array<i64: 1, 1>, rows = array<i64: 28, 28>} : memref<1x64x184xbf16, #smem> -> vector<112x9x64xf16>
  return
}
