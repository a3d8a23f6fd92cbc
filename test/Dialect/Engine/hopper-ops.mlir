// RUN: conv-opt %s -split-input-file -verify-diagnostics | conv-opt -split-input-file | FileCheck %s

#view = #conv.view<rows = [6, 7], taps = [3, 3], stride = [1, 1], step = [1, 1], offset = [-1, -1], groups = 1>
#odd = #conv.view<rows = [3, 3], taps = [1, 1], stride = [2, 2], step = [1, 1], offset = [1, 1], groups = 1>
#smem = #gpu.address_space<workgroup>
!ring = !nvgpu.mbarrier.group<memorySpace = #smem, num_barriers = 3>
!map = !nvgpu.tensormap.descriptor<tensor = memref<64x64xbf16, 3>, swizzle = swizzle_128b, l2promo = l2promo_128b, oob = zero, interleave = none>
!acc = !nvgpu.warpgroup.accumulator<fragmented = vector<64x16xf32>>

// CHECK-LABEL: func @all
func.func @all(%x: memref<1x6x7x64xbf16>, %a: memref<64x64xbf16, #smem>, %b: memref<64x16xbf16, #smem>,
               %full: !ring, %acc: !acc, %flat: memref<4096xbf16, #smem>, %v: vector<2xbf16>, %i: index,
               %window: memref<5x66x64xbf16, #smem>, %box: memref<64x40xbf16, #smem>, %row: memref<64x1x96xbf16, #smem>, %panels: memref<64x48xbf16, #smem>,
               %lines: memref<344x64xbf16, #smem>, %image: memref<1x64x48xbf16>, %runs: memref<98x64xbf16>, %run: memref<49x64xbf16, #smem>) {
  // CHECK: engine.load_tile %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] into %{{.*}}, %{{.*}}[%{{.*}}] view <rows = [6, 7]
  engine.load_tile %x[%i, %i, %i] into %a, %full[%i] view #view : memref<1x6x7x64xbf16> into memref<64x64xbf16, #smem>, !ring
  // CHECK: engine.load_tile %{{.*}} view <{{.*}}> {inner_panels, inner_rows} :
  engine.load_tile %x[%i, %i, %i] into %a, %full[%i] view #view {inner_panels, inner_rows} : memref<1x6x7x64xbf16> into memref<64x64xbf16, #smem>, !ring
  // CHECK: engine.load_tile %{{.*}} view <{{.*}}> part %{{.*}} of 4 to %{{.*}} :
  engine.load_tile %x[%i, %i, %i] into %a, %full[%i] view #view part %i of 4 to %i : memref<1x6x7x64xbf16> into memref<64x64xbf16, #smem>, !ring
  // CHECK: engine.load_tile %{{.*}} view <{{.*}}> : memref<1x6x7x64xbf16> into memref<49x64xbf16
  engine.load_tile %x[%i, %i, %i] into %run, %full[%i] view #view : memref<1x6x7x64xbf16> into memref<49x64xbf16, #smem>, !ring
  // CHECK: engine.tensor_map %{{.*}} extents [64, 7, 6, 1] byte_strides [128, 896, 5376] element_strides [1, 1, 1, 1] lower [-1, -1] upper [-1, -1]
  %map = engine.tensor_map %x extents [64, 7, 6, 1] byte_strides [128, 896, 5376] element_strides [1, 1, 1, 1] lower [-1, -1] upper [-1, -1]
    : memref<1x6x7x64xbf16> -> !map
  // CHECK: engine.tma_load %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] offsets[%{{.*}}, %{{.*}}] to %{{.*}}[%{{.*}}], %{{.*}}[%{{.*}}]
  engine.tma_load %map[%i, %i, %i, %i] offsets [%i, %i] to %flat[%i], %full[%i] : !map, memref<4096xbf16, #smem>, !ring
  // CHECK: engine.tma_load %{{.*}}[%{{.*}}, %{{.*}}] to %{{.*}}[%{{.*}}], %{{.*}}[%{{.*}}] multicast %{{.*}} :
  engine.tma_load %map[%i, %i] to %flat[%i], %full[%i] multicast %i : !map, memref<4096xbf16, #smem>, !ring
  // CHECK: engine.arrive_remote %{{.*}}[%{{.*}}] of %{{.*}}, %{{.*}} : !nvgpu.mbarrier.group
  engine.arrive_remote %full[%i] of %i, %i : !ring
  // CHECK: engine.store_tile %{{.*}} into %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] view <rows = [3, 3], taps = [1, 1]
  engine.store_tile %a into %x[%i, %i, %i] view #odd : memref<64x64xbf16, #smem> into memref<1x6x7x64xbf16>
  // CHECK: engine.store_tile %{{.*}} view <{{.*}}> interleaved : memref<64x64xbf16
  engine.store_tile %a into %x[%i, %i, %i] view #odd interleaved : memref<64x64xbf16, #smem> into memref<1x6x7x64xbf16>
  // CHECK: engine.load_box %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] into %{{.*}}, %{{.*}}[%{{.*}}] : memref<1x6x7x64xbf16> into memref<5x66x64xbf16
  engine.load_box %x[%i, %i, %i, %i] into %window, %full[%i] : memref<1x6x7x64xbf16> into memref<5x66x64xbf16, #smem>, !ring
  // CHECK: engine.gather_box %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] into %{{.*}} : memref<1x6x7x64xbf16> into memref<5x66x64xbf16
  engine.gather_box %x[%i, %i, %i, %i] into %window : memref<1x6x7x64xbf16> into memref<5x66x64xbf16, #smem>
  // CHECK: engine.load_box %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] into %{{.*}}, %{{.*}}[%{{.*}}] {dense} : memref<1x64x48xbf16> into memref<64x40xbf16
  engine.load_box %image[%i, %i, %i] into %box, %full[%i] {dense} : memref<1x64x48xbf16> into memref<64x40xbf16, #smem>, !ring
  // CHECK: engine.transpose_rows %{{.*}}[%{{.*}}] into %{{.*}} row 0 rows 5 width 7 column 1 pitch 66 lines 330 : memref<64x48xbf16, {{.*}}> into memref<344x64xbf16
  engine.transpose_rows %panels[%i] into %lines row 0 rows 5 width 7 column 1 pitch 66 lines 330 : memref<64x48xbf16, #smem> into memref<344x64xbf16, #smem>
  // CHECK: engine.transpose_rows %{{.*}}[%{{.*}}] into %{{.*}} row 4 rows 1 width 66 column -1 pitch 66 lines 330 : memref<64x1x96xbf16
  engine.transpose_rows %row[%i] into %lines row 4 rows 1 width 66 column -1 pitch 66 lines 330 : memref<64x1x96xbf16, #smem> into memref<344x64xbf16, #smem>
  // CHECK: engine.transpose_rows {{.*}} pitch 8 lines 88 {dense, phase_lines = array<i64: 24, 44>, phases = array<i64: 2, 2>, stride = array<i64: 2, 2>}
  engine.transpose_rows %box[%i] into %lines row 0 rows 5 width 7 column 1 pitch 8 lines 88 {stride = array<i64: 2, 2>, phases = array<i64: 2, 2>, phase_lines = array<i64: 24, 44>, dense} : memref<64x40xbf16, #smem> into memref<344x64xbf16, #smem>
  // CHECK: engine.store_box %{{.*}} into %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] : memref<5x66x64xbf16
  engine.store_box %window into %x[%i, %i, %i, %i] : memref<5x66x64xbf16, #smem> into memref<1x6x7x64xbf16>
  // CHECK: engine.store_box %{{.*}} into %{{.*}}[%{{.*}}, %{{.*}}] {dense} : memref<49x64xbf16
  engine.store_box %run into %runs[%i, %i] {dense} : memref<49x64xbf16, #smem> into memref<98x64xbf16>
  // CHECK: engine.tma_store %{{.*}}[%{{.*}}] to %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] im2col
  engine.tma_store %flat[%i] to %map[%i, %i, %i, %i] im2col : memref<4096xbf16, #smem>, !map
  // CHECK: engine.tma_store %{{.*}}[%{{.*}}] to %{{.*}}[%{{.*}}, %{{.*}}] : memref
  engine.tma_store %flat[%i] to %map[%i, %i] : memref<4096xbf16, #smem>, !map
  // CHECK: engine.warpgroup_mma %{{.*}}[%{{.*}}], %{{.*}}, %{{.*}} {transpose_b}
  %d = engine.warpgroup_mma %a[%i], %b, %acc {transpose_b} : memref<64x64xbf16, #smem>, memref<64x16xbf16, #smem>, !acc
  // CHECK: %{{.*}}:2 = engine.read_accumulator
  %f:2 = engine.read_accumulator %d : !acc
  // CHECK: engine.store_matrices %{{.*}}, %{{.*}} to %{{.*}}[%{{.*}}] : vector<2xbf16>, vector<2xbf16> to memref<4096xbf16, #gpu.address_space<workgroup>>
  engine.store_matrices %v, %v to %flat[%i] : vector<2xbf16>, vector<2xbf16> to memref<4096xbf16, #smem>
  // CHECK: engine.store_matrices %{{.*}} to %{{.*}}[%{{.*}}] transposed : vector<2xbf16> to memref<4096xbf16, #gpu.address_space<workgroup>>
  engine.store_matrices %v to %flat[%i] transposed : vector<2xbf16> to memref<4096xbf16, #smem>
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!acc = !nvgpu.warpgroup.accumulator<fragmented = vector<64x16xf32>>

func.func @wrong_columns(%a: memref<64x64xbf16, #smem>, %b: memref<32x64xbf16, #smem>, %acc: !acc, %i: index) {
  // expected-error @below {{B must have the 16 columns of the accumulator, but has 32}}
  %d = engine.warpgroup_mma %a[%i], %b, %acc : memref<64x64xbf16, #smem>, memref<32x64xbf16, #smem>, !acc
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!acc = !nvgpu.warpgroup.accumulator<fragmented = vector<64x16xf32>>

func.func @half_of_m(%a: memref<64x32xbf16, #smem>, %b: memref<64x16xbf16, #smem>, %acc: !acc, %i: index) {
  // expected-error @below {{A must have a multiple of 64 rows, but has 32}}
  %d = engine.warpgroup_mma %a[%i], %b, %acc {transpose_a, transpose_b} : memref<64x32xbf16, #smem>, memref<64x16xbf16, #smem>, !acc
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!acc = !nvgpu.warpgroup.accumulator<fragmented = vector<64x16xf32>>

func.func @no_panels(%a: memref<64x40xbf16, #smem>, %b: memref<16x40xbf16, #smem>, %acc: !acc, %i: index) {
  // expected-error @below {{A must have rows of a multiple of 32 bytes, but they have 80}}
  %d = engine.warpgroup_mma %a[%i], %b, %acc : memref<64x40xbf16, #smem>, memref<16x40xbf16, #smem>, !acc
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!acc = !nvgpu.warpgroup.accumulator<fragmented = vector<64x16xi32>>

// CHECK-LABEL: func.func @integers
// CHECK: engine.zero_accumulator : !nvgpu.warpgroup.accumulator<fragmented = vector<64x16xi32>>
// CHECK: engine.read_accumulator
func.func @integers(%a: memref<64x64xi8, #smem>, %b: memref<16x64xi8, #smem>, %row: index) -> vector<2x2xi32> {
  %zero = engine.zero_accumulator : !acc
  %d = engine.warpgroup_mma %a[%row], %b, %zero : memref<64x64xi8, #smem>, memref<16x64xi8, #smem>, !acc
  %f:2 = engine.read_accumulator %d : !acc
  return %f#1 : vector<2x2xi32>
}

// -----

#smem = #gpu.address_space<workgroup>
!acc = !nvgpu.warpgroup.accumulator<fragmented = vector<64x16xf32>>

func.func @turned(%a: memref<64x64xf32, #smem>, %b: memref<64x16xf32, #smem>, %acc: !acc, %row: index) {
  // expected-error @below {{operands of 'f32' must be K-major, only those of 16 bits need not be}}
  %d = engine.warpgroup_mma %a[%row], %b, %acc {transpose_b} : memref<64x64xf32, #smem>, memref<64x16xf32, #smem>, !acc
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!acc = !nvgpu.warpgroup.accumulator<fragmented = vector<64x16xf32>>

func.func @sums(%a: memref<64x64xi8, #smem>, %b: memref<16x64xi8, #smem>, %acc: !acc, %row: index) {
  // expected-error @below {{products of 'i8' cannot be added to sums of 'f32'}}
  %d = engine.warpgroup_mma %a[%row], %b, %acc : memref<64x64xi8, #smem>, memref<16x64xi8, #smem>, !acc
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!acc = !nvgpu.warpgroup.accumulator<fragmented = vector<64x16xf32>>

func.func @part_of_step(%a: memref<64x48xf8E4M3FN, #smem>, %b: memref<16x64xf8E4M3FN, #smem>, %acc: !acc, %row: index) {
  // expected-error @below {{rows of a multiple of 32 bytes, but they have 48}}
  %d = engine.warpgroup_mma %a[%row], %b, %acc : memref<64x48xf8E4M3FN, #smem>, memref<16x64xf8E4M3FN, #smem>, !acc
  return
}

// -----

#view = #conv.view<rows = [6, 7], taps = [3, 3], stride = [1, 1], step = [1, 1], offset = [-1, -1], groups = 1>
#smem = #gpu.address_space<workgroup>
!ring = !nvgpu.mbarrier.group<memorySpace = #smem, num_barriers = 3>

func.func @rounds_halves(%x: memref<1x6x7x64xf16>, %a: memref<64x64xf16, #smem>, %full: !ring, %i: index) {
  // expected-error @below {{rounds f32 to tf32, but copies 'f16'}}
  engine.load_tile %x[%i, %i, %i] into %a, %full[%i] view #view {to_tf32} : memref<1x6x7x64xf16> into memref<64x64xf16, #smem>, !ring
  return
}

// -----

!acc = !nvgpu.warpgroup.accumulator<fragmented = vector<32x16xf32>>

func.func @half(%acc: !acc) {
  // expected-error @below {{accumulator must be 64 rows of 8, 16, … 256 f32 or i32, but is 'vector<32x16xf32>'}}
  %f:2 = engine.read_accumulator %acc : !acc
  return
}

// -----

func.func @neither(%x: memref<1x6x7x64xbf16>) {
  // expected-error @below {{must have either 'box' or both 'lower' and 'upper'}}
  %map = engine.tensor_map %x extents [64, 7, 6, 1] byte_strides [128, 896, 5376] element_strides [1, 1, 1, 1]
    : memref<1x6x7x64xbf16> -> !nvgpu.tensormap.descriptor<tensor = memref<64x64xbf16, 3>, swizzle = swizzle_128b, l2promo = l2promo_128b, oob = zero, interleave = none>
  return
}

// -----

#view = #conv.view<rows = [6, 7], taps = [3, 3], stride = [1, 1], step = [1, 1], offset = [-1, -1], groups = 1>
#smem = #gpu.address_space<workgroup>

func.func @many_taps(%x: memref<1x6x7x64xbf16>, %a: memref<64x64xbf16, #smem>, %i: index) {
  // expected-error @below {{view must have one tap, but has 9}}
  engine.store_tile %a into %x[%i, %i, %i] view #view : memref<64x64xbf16, #smem> into memref<1x6x7x64xbf16>
  return
}

// -----

#view = #conv.view<rows = [6, 7], taps = [3, 3], stride = [1, 1], step = [1, 1], offset = [-1, -1], groups = 2>
#smem = #gpu.address_space<workgroup>
!ring = !nvgpu.mbarrier.group<memorySpace = #smem, num_barriers = 3>

func.func @no_group(%x: memref<1x6x7x64xbf16>, %a: memref<64x64xbf16, #smem>, %full: !ring, %i: index) {
  // expected-error @below {{expected 4 offsets (row, tap, group, channel) or none, but got 3}}
  engine.load_tile %x[%i, %i, %i] into %a, %full[%i] view #view : memref<1x6x7x64xbf16> into memref<64x64xbf16, #smem>, !ring
  return
}

// -----

!map = !nvgpu.tensormap.descriptor<tensor = memref<64x64xbf16, 3>, swizzle = swizzle_128b, l2promo = l2promo_128b, oob = zero, interleave = none>

func.func @flat_im2col(%flat: memref<4096xbf16, #gpu.address_space<workgroup>>, %map: !map, %i: index) {
  // expected-error @below {{must have 3 to 5 coordinates in im2col mode, but has 2}}
  engine.tma_store %flat[%i] to %map[%i, %i] im2col : memref<4096xbf16, #gpu.address_space<workgroup>>, !map
  return
}

// -----

func.func @three_matrices(%flat: memref<4096xbf16, #gpu.address_space<workgroup>>, %v: vector<2xbf16>, %i: index) {
  // expected-error @below {{must have 1, 2 or 4 matrices, but has 3}}
  engine.store_matrices %v, %v, %v to %flat[%i] : vector<2xbf16>, vector<2xbf16>, vector<2xbf16> to memref<4096xbf16, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @other_type(%flat: memref<4096xbf16, #gpu.address_space<workgroup>>, %v: vector<2xf16>, %i: index) {
  // expected-error @below {{matrices and destination must have one element type, but are 'vector<2xf16>' and 'memref<4096xbf16}}
  engine.store_matrices %v to %flat[%i] : vector<2xf16> to memref<4096xbf16, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @global(%flat: memref<4096xbf16>, %v: vector<2xbf16>, %i: index) {
  // expected-error @below {{destination must be one row of workgroup memory, but is 'memref<4096xbf16>'}}
  engine.store_matrices %v to %flat[%i] : vector<2xbf16> to memref<4096xbf16>
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!ring = !nvgpu.mbarrier.group<memorySpace = #smem, num_barriers = 3>

func.func @box_without_batch(%x: memref<1x6x7x64xbf16>, %box: memref<2x7x64xbf16, #smem>, %full: !ring, %i: index) {
  // expected-error @below {{must have a coordinate for each of 4 dimensions, but has 3}}
  engine.load_box %x[%i, %i, %i] into %box, %full[%i] : memref<1x6x7x64xbf16> into memref<2x7x64xbf16, #smem>, !ring
  return
}

// -----

#smem = #gpu.address_space<workgroup>

func.func @box_larger_than_its_tensor(%x: memref<7x64xbf16>, %box: memref<2x7x64xbf16, #smem>, %i: index) {
  // expected-error @below {{tensor must have at most 5 dimensions, and those of the box, but they are 'memref<7x64xbf16>' and 'memref<2x7x64xbf16, #gpu.address_space<workgroup>>'}}
  engine.store_box %box into %x[%i, %i] : memref<2x7x64xbf16, #smem> into memref<7x64xbf16>
  return
}

// -----

#smem = #gpu.address_space<workgroup>

func.func @box_of_narrow_lines(%x: memref<1x7x64xbf16>, %box: memref<7x8xbf16, #smem>, %i: index) {
  // expected-error @below {{source must have rows of a multiple of 32 bytes, but they have 16}}
  engine.store_box %box into %x[%i, %i, %i] : memref<7x8xbf16, #smem> into memref<1x7x64xbf16>
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!acc = !nvgpu.warpgroup.accumulator<fragmented = vector<64x16xf32>>

func.func @short_window(%a: memref<63x64xbf16, #smem>, %b: memref<16x64xbf16, #smem>, %acc: !acc, %i: index) {
  // expected-error @below {{A must have 64 or more rows, but has 63}}
  %d = engine.warpgroup_mma %a[%i], %b, %acc : memref<63x64xbf16, #smem>, memref<16x64xbf16, #smem>, !acc
  return
}

// -----

#view = #conv.view<rows = [6, 7], taps = [3, 3], stride = [1, 1], step = [1, 1], offset = [-1, -1], groups = 1>
#smem = #gpu.address_space<workgroup>
!ring = !nvgpu.mbarrier.group<memorySpace = #smem, num_barriers = 3>

func.func @small_parts(%x: memref<1x6x7x64xbf16>, %a: memref<48x64xbf16, #smem>, %full: !ring, %i: index) {
  // expected-error @below {{48 rows are no 4 parts of a multiple of 8 rows}}
  engine.load_tile %x[%i, %i, %i] into %a, %full[%i] view #view part %i of 4 to %i : memref<1x6x7x64xbf16> into memref<48x64xbf16, #smem>, !ring
  return
}

// -----

#view = #conv.view<rows = [6, 7], taps = [3, 3], stride = [1, 1], step = [1, 1], offset = [-1, -1], groups = 1>
#smem = #gpu.address_space<workgroup>
!ring = !nvgpu.mbarrier.group<memorySpace = #smem, num_barriers = 3>

func.func @panels_of_other_rows(%x: memref<1x6x7x64xbf16>, %a: memref<49x128xbf16, #smem>, %full: !ring, %i: index) {
  // expected-error @below {{49 rows are no 1 parts of a multiple of 8 rows}}
  engine.load_tile %x[%i, %i, %i] into %a, %full[%i] view #view : memref<1x6x7x64xbf16> into memref<49x128xbf16, #smem>, !ring
  return
}

// -----

#view = #conv.view<rows = [6, 7], taps = [3, 3], stride = [1, 1], step = [1, 1], offset = [-1, -1], groups = 1>
#smem = #gpu.address_space<workgroup>
!ring = !nvgpu.mbarrier.group<memorySpace = #smem, num_barriers = 3>

func.func @which_part(%x: memref<1x6x7x64xbf16>, %a: memref<48x64xbf16, #smem>, %full: !ring, %i: index) {
  // expected-error @below {{must have a part and the workgroups that get it, or be one part}}
  engine.load_tile %x[%i, %i, %i] into %a, %full[%i] view #view {parts = 2 : i64} : memref<1x6x7x64xbf16> into memref<48x64xbf16, #smem>, !ring
  return
}

// -----

#view = #conv.view<rows = [6, 7], taps = [3, 3], stride = [1, 1], step = [1, 1], offset = [-1, -1], groups = 1>
#smem = #gpu.address_space<workgroup>
!ring = !nvgpu.mbarrier.group<memorySpace = #smem, num_barriers = 3>

func.func @inner_part(%x: memref<1x6x7x64xbf16>, %a: memref<48x64xbf16, #smem>, %full: !ring, %i: index) {
  // expected-error @below {{of a part must copy all panels and rows}}
  engine.load_tile %x[%i, %i, %i] into %a, %full[%i] view #view part %i of 2 to %i {inner_rows} : memref<1x6x7x64xbf16> into memref<48x64xbf16, #smem>, !ring
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!ring = !nvgpu.mbarrier.group<memorySpace = #smem, num_barriers = 3>

func.func @dense_store_of_other_bytes(%y: memref<64x48xbf16>, %box: memref<64x36xbf16, #smem>, %i: index) {
  // expected-error @below {{source must be of static shape in workgroup memory, with at least 2 dimensions and lines of a multiple of 16 bytes, but is 'memref<64x36xbf16, #gpu.address_space<workgroup>>'}}
  engine.store_box %box into %y[%i, %i] {dense} : memref<64x36xbf16, #smem> into memref<64x48xbf16>
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!ring = !nvgpu.mbarrier.group<memorySpace = #smem, num_barriers = 3>

func.func @dense_lines_of_other_bytes(%x: memref<1x64x48xbf16>, %box: memref<64x36xbf16, #smem>, %full: !ring, %i: index) {
  // expected-error @below {{destination must be of static shape in workgroup memory, with at least 2 dimensions and lines of a multiple of 16 bytes, but is 'memref<64x36xbf16}}
  engine.load_box %x[%i, %i, %i] into %box, %full[%i] {dense} : memref<1x64x48xbf16> into memref<64x36xbf16, #smem>, !ring
  return
}

// -----

#smem = #gpu.address_space<workgroup>

func.func @rows_of_other_channels(%box: memref<32x48xbf16, #smem>, %lines: memref<344x64xbf16, #smem>, %i: index) {
  // expected-error @below {{makes lines of 16-bit channels of a box [channel, position] of as many, but has 'memref<32x48xbf16, #gpu.address_space<workgroup>>' and 'memref<344x64xbf16}}
  engine.transpose_rows %box[%i] into %lines row 0 rows 5 width 7 column 1 pitch 66 lines 330 : memref<32x48xbf16, #smem> into memref<344x64xbf16, #smem>
  return
}

// -----

#smem = #gpu.address_space<workgroup>

func.func @rows_behind_the_window(%box: memref<64x48xbf16, #smem>, %lines: memref<344x64xbf16, #smem>, %i: index) {
  // expected-error @below {{must have rows within the 330 lines of the window, 66 each, but has 5 from row 1 on}}
  engine.transpose_rows %box[%i] into %lines row 1 rows 5 width 7 column 1 pitch 66 lines 330 : memref<64x48xbf16, #smem> into memref<344x64xbf16, #smem>
  return
}

// -----

#smem = #gpu.address_space<workgroup>

func.func @phases_behind_the_window(%box: memref<64x48xbf16, #smem>, %lines: memref<344x64xbf16, #smem>, %i: index) {
  // Row 4 is row 2 of phase 0, 24 lines of each phase of columns; the second begins at 44.
  // expected-error @below {{must have rows within the 64 lines of the window, 8 each, but has 5 from row 0 on}}
  engine.transpose_rows %box[%i] into %lines row 0 rows 5 width 7 column 1 pitch 8 lines 64 {stride = array<i64: 2, 2>, phases = array<i64: 2, 2>, phase_lines = array<i64: 24, 44>} : memref<64x48xbf16, #smem> into memref<344x64xbf16, #smem>
  return
}

// -----

#smem = #gpu.address_space<workgroup>

func.func @phases_without_stride(%box: memref<64x48xbf16, #smem>, %lines: memref<344x64xbf16, #smem>, %i: index) {
  // expected-error @below {{must have 'stride', 'phases' and 'phase_lines' of rows and columns, or none of them}}
  engine.transpose_rows %box[%i] into %lines row 0 rows 5 width 7 column 1 pitch 8 lines 64 {phases = array<i64: 2, 2>} : memref<64x48xbf16, #smem> into memref<344x64xbf16, #smem>
  return
}

// -----

#smem = #gpu.address_space<workgroup>

func.func @no_stride_of_columns(%box: memref<64x48xbf16, #smem>, %lines: memref<344x64xbf16, #smem>, %i: index) {
  // expected-error @below {{must have positive strides and phases}}
  engine.transpose_rows %box[%i] into %lines row 0 rows 5 width 7 column 1 pitch 8 lines 64 {stride = array<i64: 2, 0>, phases = array<i64: 1, 1>, phase_lines = array<i64: 24, 44>} : memref<64x48xbf16, #smem> into memref<344x64xbf16, #smem>
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!ring = !nvgpu.mbarrier.group<memorySpace = #smem, num_barriers = 4>

// CHECK-LABEL: @whole_images
func.func @whole_images(%images: memref<4x32x49xbf16, #smem>, %tile: memref<32x208xbf16, #smem>, %a: memref<64x32xbf16, #smem>, %acc: !nvgpu.warpgroup.accumulator<fragmented = vector<64x200xf32>>, %i: index) {
  // CHECK: engine.join_images %{{.*}} into %{{.*}} : memref<4x32x49xbf16, {{.*}}> into memref<32x208xbf16
  engine.join_images %images into %tile : memref<4x32x49xbf16, #smem> into memref<32x208xbf16, #smem>
  // CHECK: engine.warpgroup_mma {{.*}} {transpose_b} : memref<64x32xbf16, {{.*}}, memref<32x208xbf16, {{.*}}vector<64x200xf32>
  %sum = engine.warpgroup_mma %a[%i], %tile, %acc {transpose_b} : memref<64x32xbf16, #smem>, memref<32x208xbf16, #smem>, !nvgpu.warpgroup.accumulator<fragmented = vector<64x200xf32>>
  return
}

// -----

#smem = #gpu.address_space<workgroup>

func.func @too_many_images(%images: memref<5x32x49xbf16, #smem>, %tile: memref<32x208xbf16, #smem>) {
  // expected-error @below {{makes a tile [channel, row] of 16-bit elements of dense images [image, channel, position] in workgroup memory that have as many channels, a multiple of 8, and no more positions together, but has 'memref<5x32x49xbf16}}
  engine.join_images %images into %tile : memref<5x32x49xbf16, #smem> into memref<32x208xbf16, #smem>
  return
}

// -----

#smem = #gpu.address_space<workgroup>

func.func @few_channels(%images: memref<4x36x49xbf16, #smem>, %tile: memref<36x208xbf16, #smem>) {
  // expected-error @below {{that have as many channels, a multiple of 8, and no more positions together, but has 'memref<4x36x49xbf16}}
  engine.join_images %images into %tile : memref<4x36x49xbf16, #smem> into memref<36x208xbf16, #smem>
  return
}

// -----

#smem = #gpu.address_space<workgroup>

func.func @rows_apart(%images: memref<4x32x49xbf16, strided<[2048, 64, 1]>, #smem>, %tile: memref<32x208xbf16, #smem>) {
  // expected-error @below {{makes a tile [channel, row] of 16-bit elements of dense images}}
  engine.join_images %images into %tile : memref<4x32x49xbf16, strided<[2048, 64, 1]>, #smem> into memref<32x208xbf16, #smem>
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!acc = !nvgpu.warpgroup.accumulator<fragmented = vector<64x200xf32>>

func.func @too_few_columns(%a: memref<64x32xbf16, #smem>, %b: memref<32x192xbf16, #smem>, %acc: !acc, %i: index) {
  // expected-error @below {{B must have 200 or more columns, as the accumulator, but has 192}}
  %sum = engine.warpgroup_mma %a[%i], %b, %acc {transpose_b} : memref<64x32xbf16, #smem>, memref<32x192xbf16, #smem>, !acc
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!ring = !nvgpu.mbarrier.group<memorySpace = #smem, num_barriers = 4>

// CHECK-LABEL: @boxes_of_images
func.func @boxes_of_images(%x: memref<8x64x196xbf16>, %box: memref<32x64xbf16, #smem>, %boxes: memref<4x32x64xbf16, #smem>, %tile: memref<64x128xbf16, #smem>, %full: !ring, %i: index) {
  // CHECK: engine.load_box %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] into %{{.*}}, %{{.*}}[%{{.*}}] {skewed} : memref<8x64x196xbf16> into memref<32x64xbf16
  engine.load_box %x[%i, %i, %i] into %box, %full[%i] {skewed} : memref<8x64x196xbf16> into memref<32x64xbf16, #smem>, !ring
  // CHECK: engine.deskew_rows %{{.*}}[%{{.*}}] into %{{.*}} channel 32 positions 196 : memref<4x32x64xbf16, {{.*}}> into memref<64x128xbf16
  engine.deskew_rows %boxes[%i] into %tile channel 32 positions 196 : memref<4x32x64xbf16, #smem> into memref<64x128xbf16, #smem>
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!ring = !nvgpu.mbarrier.group<memorySpace = #smem, num_barriers = 4>

func.func @skewed_and_dense(%x: memref<8x64x196xbf16>, %box: memref<32x64xbf16, #smem>, %full: !ring, %i: index) {
  // expected-error @below {{is skewed only as a box [channel, position] of [image, channel, position] of 16-bit elements, and not dense, but has 'memref<32x64xbf16, #gpu.address_space<workgroup>>' of 'memref<8x64x196xbf16>'}}
  engine.load_box %x[%i, %i, %i] into %box, %full[%i] {dense, skewed} : memref<8x64x196xbf16> into memref<32x64xbf16, #smem>, !ring
  return
}

// -----

#smem = #gpu.address_space<workgroup>

func.func @too_few_boxes(%boxes: memref<2x32x64xbf16, #smem>, %tile: memref<64x128xbf16, #smem>, %i: index) {
  // expected-error @below {{of 128 rows of images of 196 positions needs 4 boxes of 64 positions, but has 'memref<2x32x64xbf16}}
  engine.deskew_rows %boxes[%i] into %tile channel 0 positions 196 : memref<2x32x64xbf16, #smem> into memref<64x128xbf16, #smem>
  return
}

// -----

#smem = #gpu.address_space<workgroup>

func.func @channels_behind_the_tile(%boxes: memref<4x32x64xbf16, #smem>, %tile: memref<64x128xbf16, #smem>, %i: index) {
  // expected-error @below {{makes lines of a tile of 16-bit elements [channel, row], from a multiple of 8 on, of boxes [number, channel, position], but has 'memref<4x32x64xbf16, #gpu.address_space<workgroup>>' and 'memref<64x128xbf16, #gpu.address_space<workgroup>>' from 40 on}}
  engine.deskew_rows %boxes[%i] into %tile channel 40 positions 196 : memref<4x32x64xbf16, #smem> into memref<64x128xbf16, #smem>
  return
}

// -----

// As many results as there are groups of columns: none are made of a wrong type.

!huge = !nvgpu.warpgroup.accumulator<fragmented = vector<64x9223372036854775800xf32>>

func.func @f(%a: !huge) {
  // expected-error @below {{expected an accumulator of two dimensions and at most 256 columns}}
  %f:2 = engine.read_accumulator %a : !huge
  return
}
