// RUN: conv-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// Taps that share a window: what is read, and its product.

#smem = #gpu.address_space<workgroup>
!acc = !nvgpu.warpgroup.accumulator<fragmented = vector<64x192xf32>>

// CHECK-LABEL: func @taps
func.func @taps(%a: memref<64x64xbf16, #smem>, %window: memref<1x4x18x64xbf16, #smem>, %line: index, %acc: !acc) -> (vector<64x3x64xbf16>, !acc) {
  // CHECK: engine.read_taps %{{.*}} box [1, 4, 16] taps [1, 3] step [2, 1] : memref<1x4x18x64xbf16, {{.*}}> -> vector<64x3x64xbf16>
  %t = engine.read_taps %window box [1, 4, 16] taps [1, 3] step [2, 1] : memref<1x4x18x64xbf16, #smem> -> vector<64x3x64xbf16>
  // CHECK: engine.window_mma %{{.*}}, %{{.*}}[%{{.*}}] box [1, 4, 16] distance 1, %{{.*}} : memref<64x64xbf16, {{.*}}>, memref<1x4x18x64xbf16, {{.*}}>, !nvgpu.warpgroup.accumulator
  %d = engine.window_mma %a, %window[%line] box [1, 4, 16] distance 1, %acc : memref<64x64xbf16, #smem>, memref<1x4x18x64xbf16, #smem>, !acc
  return %t, %d : vector<64x3x64xbf16>, !acc
}

// CHECK-LABEL: func @phases
func.func @phases(%window: memref<1x7x17x64xbf16, #smem>) -> vector<32x9x64xbf16> {
  // CHECK: engine.read_taps %{{.*}} box [1, 2, 16] taps [3, 3] step [1, 1] {phase_lines = array<i64: 51, 93>, stride = array<i64: 2, 2>} : memref<1x7x17x64xbf16, {{.*}}> -> vector<32x9x64xbf16>
  %t = engine.read_taps %window box [1, 2, 16] taps [3, 3] step [1, 1] {stride = array<i64: 2, 2>, phase_lines = array<i64: 51, 93>} : memref<1x7x17x64xbf16, #smem> -> vector<32x9x64xbf16>
  return %t : vector<32x9x64xbf16>
}

// CHECK-LABEL: func @k_major
func.func @k_major(%a: memref<64x96xbf16, #smem>, %window: memref<1x6x18x64xbf16, #smem>, %line: index, %acc: !acc) -> !acc {
  // CHECK: engine.window_mma %{{.*}}, %{{.*}}[%{{.*}}] box [1, 6, 16] distance 1, %{{.*}} {k_major} : memref<64x96xbf16, {{.*}}>
  %d = engine.window_mma %a, %window[%line] box [1, 6, 16] distance 1, %acc {k_major} : memref<64x96xbf16, #smem>, memref<1x6x18x64xbf16, #smem>, !acc
  return %d : !acc
}

// Columns that are in no position of the box.
// CHECK-LABEL: func @wider
func.func @wider(%a: memref<64x128xbf16, #smem>, %window: memref<1x6x18x64xbf16, #smem>, %line: index, %acc: !acc) -> !acc {
  // CHECK: engine.window_mma {{.*}} box [1, 6, 16] {{.*}} {k_major} : memref<64x128xbf16, {{.*}}>
  %d = engine.window_mma %a, %window[%line] box [1, 6, 16] distance 1, %acc {k_major} : memref<64x128xbf16, #smem>, memref<1x6x18x64xbf16, #smem>, !acc
  return %d : !acc
}

// -----

#smem = #gpu.address_space<workgroup>

func.func @narrow_lines(%window: memref<1x4x18x24xbf16, #smem>) {
  // expected-error @below {{window must have lines of 32, 64 or 128 bytes in workgroup memory, but is 'memref<1x4x18x24xbf16}}
  %t = engine.read_taps %window box [1, 4, 16] taps [1, 3] step [1, 1] : memref<1x4x18x24xbf16, #smem> -> vector<64x3x24xbf16>
  return
}

// -----

#smem = #gpu.address_space<workgroup>

func.func @box_leaves_window(%window: memref<1x4x18x64xbf16, #smem>) {
  // expected-error @below {{box [1, 5, 16] must have positions in every dimension of the window but the last}}
  %t = engine.read_taps %window box [1, 5, 16] taps [1, 3] step [1, 1] : memref<1x4x18x64xbf16, #smem> -> vector<80x3x64xbf16>
  return
}

// -----

#smem = #gpu.address_space<workgroup>

func.func @small_window(%window: memref<1x4x18x64xbf16, #smem>) {
  // expected-error @below {{window must have 20 positions in spatial dimension 1, but has 18}}
  %t = engine.read_taps %window box [1, 4, 16] taps [1, 3] step [1, 2] : memref<1x4x18x64xbf16, #smem> -> vector<64x3x64xbf16>
  return
}

// -----

#smem = #gpu.address_space<workgroup>

func.func @steps_of_another_rank(%window: memref<1x4x18x64xbf16, #smem>) {
  // expected-error @below {{must have taps and steps for the 2 spatial dimensions of the box, but has 2 and 1}}
  %t = engine.read_taps %window box [1, 4, 16] taps [1, 3] step [1] : memref<1x4x18x64xbf16, #smem> -> vector<64x3x64xbf16>
  return
}

// -----

#smem = #gpu.address_space<workgroup>

func.func @other_result(%window: memref<1x4x18x64xbf16, #smem>) {
  // expected-error @below {{result must be 'vector<64x3x64xbf16>', but is 'vector<64x9x64xbf16>'}}
  %t = engine.read_taps %window box [1, 4, 16] taps [1, 3] step [1, 1] : memref<1x4x18x64xbf16, #smem> -> vector<64x9x64xbf16>
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!acc = !nvgpu.warpgroup.accumulator<fragmented = vector<64x64xf32>>

func.func @other_positions(%a: memref<48x64xbf16, #smem>, %window: memref<1x4x18x64xbf16, #smem>, %line: index, %acc: !acc) {
  // expected-error @below {{A must be the box's 64 positions of 64 rows in workgroup memory, but is 'memref<48x64xbf16}}
  %d = engine.window_mma %a, %window[%line] box [1, 4, 16] distance 1, %acc : memref<48x64xbf16, #smem>, memref<1x4x18x64xbf16, #smem>, !acc
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!acc = !nvgpu.warpgroup.accumulator<fragmented = vector<64x64xf32>>

func.func @narrower(%a: memref<64x80xbf16, #smem>, %window: memref<1x6x18x64xbf16, #smem>, %line: index, %acc: !acc) {
  // expected-error @below {{A must be the box's 96 positions of 64 rows in workgroup memory, K-major, but is 'memref<64x80xbf16}}
  %d = engine.window_mma %a, %window[%line] box [1, 6, 16] distance 1, %acc {k_major} : memref<64x80xbf16, #smem>, memref<1x6x18x64xbf16, #smem>, !acc
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!acc = !nvgpu.warpgroup.accumulator<fragmented = vector<64x64xf32>>

func.func @other_order(%a: memref<96x64xbf16, #smem>, %window: memref<1x6x18x64xbf16, #smem>, %line: index, %acc: !acc) {
  // expected-error @below {{A must be the box's 96 positions of 64 rows in workgroup memory, K-major, but is 'memref<96x64xbf16}}
  %d = engine.window_mma %a, %window[%line] box [1, 6, 16] distance 1, %acc {k_major} : memref<96x64xbf16, #smem>, memref<1x6x18x64xbf16, #smem>, !acc
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!acc = !nvgpu.warpgroup.accumulator<fragmented = vector<64x64xf32>>

func.func @rows_of_12(%a: memref<48x64xbf16, #smem>, %window: memref<1x4x18x64xbf16, #smem>, %line: index, %acc: !acc) {
  // expected-error @below {{box must have a multiple of 16 positions, and of 8 in its last dimension, but has 48 and 12}}
  %d = engine.window_mma %a, %window[%line] box [1, 4, 12] distance 1, %acc : memref<48x64xbf16, #smem>, memref<1x4x18x64xbf16, #smem>, !acc
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!acc = !nvgpu.warpgroup.accumulator<fragmented = vector<64x96xf32>>

func.func @half_a_tap(%a: memref<64x64xbf16, #smem>, %window: memref<1x4x18x64xbf16, #smem>, %line: index, %acc: !acc) {
  // expected-error @below {{accumulator must be 64 rows of whole taps of 64 f32, at most 256, but is 'vector<64x96xf32>'}}
  %d = engine.window_mma %a, %window[%line] box [1, 4, 16] distance 1, %acc : memref<64x64xbf16, #smem>, memref<1x4x18x64xbf16, #smem>, !acc
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!acc = !nvgpu.warpgroup.accumulator<fragmented = vector<64x64xf32>>

func.func @no_distance(%a: memref<64x64xbf16, #smem>, %window: memref<1x4x18x64xbf16, #smem>, %line: index, %acc: !acc) {
  // expected-error @below {{distance of two taps must be positive, but is 0}}
  %d = engine.window_mma %a, %window[%line] box [1, 4, 16] distance 0, %acc : memref<64x64xbf16, #smem>, memref<1x4x18x64xbf16, #smem>, !acc
  return
}
