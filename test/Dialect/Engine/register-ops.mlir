// RUN: conv-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// Products with a factor in registers.

#smem = #gpu.address_space<workgroup>
!acc = !nvgpu.warpgroup.accumulator<fragmented = vector<64x192xf32>>

// CHECK-LABEL: func @bf16
func.func @bf16(%a: vector<2xbf16>, %b: memref<192x112xbf16, #smem>, %acc: !acc) -> !acc {
  // CHECK: engine.register_mma [%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}], %{{.*}} at 96, %{{.*}} : memref<192x112xbf16, {{.*}}>, !nvgpu.warpgroup.accumulator<fragmented = vector<64x192xf32>>
  %d = engine.register_mma [%a, %a, %a, %a], %b at 96, %acc : memref<192x112xbf16, #smem>, !acc
  return %d : !acc
}

// Rows of B that are no columns of the accumulator.
// CHECK-LABEL: func @f16
func.func @f16(%a: vector<2xf16>, %b: memref<200x64xf16, strided<[64, 1], offset: ?>, #smem>, %acc: !acc) -> !acc {
  // CHECK: engine.register_mma [%{{.*}}], %{{.*}} at 0, %{{.*}} : memref<200x64xf16, {{.*}}>
  %d = engine.register_mma [%a, %a, %a, %a], %b at 0, %acc : memref<200x64xf16, strided<[64, 1], offset: ?>, #smem>, !acc
  return %d : !acc
}

// -----

#smem = #gpu.address_space<workgroup>
!acc = !nvgpu.warpgroup.accumulator<fragmented = vector<64x64xf32>>

func.func @two_registers(%a: vector<2xbf16>, %b: memref<64x64xbf16, #smem>, %acc: !acc) {
  // expected-error @below {{number of operands and types do not match: got 2 operands and 4 types}}
  %d = engine.register_mma [%a, %a], %b at 0, %acc : memref<64x64xbf16, #smem>, !acc
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!acc = !nvgpu.warpgroup.accumulator<fragmented = vector<64x64xf32>>

func.func @no_registers(%b: memref<64x64xbf16, #smem>, %acc: !acc) {
  // expected-error @below {{failed to verify that A is four pairs of elements of B}}
  %d = "engine.register_mma"(%b, %acc) <{k = 0 : i64}> : (memref<64x64xbf16, #smem>, !acc) -> !acc
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!acc = !nvgpu.warpgroup.accumulator<fragmented = vector<64x64xf32>>

func.func @other_elements(%a: vector<2xf16>, %b: memref<64x64xbf16, #smem>, %acc: !acc) {
  // expected-error @below {{failed to verify that A is four pairs of elements of B}}
  %d = "engine.register_mma"(%a, %a, %a, %a, %b, %acc) <{k = 0 : i64}> : (vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, memref<64x64xbf16, #smem>, !acc) -> !acc
  return
}

// -----

!acc = !nvgpu.warpgroup.accumulator<fragmented = vector<64x64xf32>>

func.func @global(%a: vector<2xbf16>, %b: memref<64x64xbf16>, %acc: !acc) {
  // expected-error @below {{B must be a matrix of static shape in workgroup memory, but is 'memref<64x64xbf16>'}}
  %d = engine.register_mma [%a, %a, %a, %a], %b at 0, %acc : memref<64x64xbf16>, !acc
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!acc = !nvgpu.warpgroup.accumulator<fragmented = vector<64x64xf32>>

func.func @narrow(%a: vector<2xbf16>, %b: memref<64x24xbf16, #smem>, %acc: !acc) {
  // expected-error @below {{B must have rows of a multiple of 32 bytes, but they have 48}}
  %d = engine.register_mma [%a, %a, %a, %a], %b at 0, %acc : memref<64x24xbf16, #smem>, !acc
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!acc = !nvgpu.warpgroup.accumulator<fragmented = vector<128x64xf32>>

func.func @tall(%a: vector<2xbf16>, %b: memref<64x64xbf16, #smem>, %acc: !acc) {
  // expected-error @below {{accumulator must be 64 rows of 8, 16, … 256 f32, but is 'vector<128x64xf32>'}}
  %d = engine.register_mma [%a, %a, %a, %a], %b at 0, %acc : memref<64x64xbf16, #smem>, !acc
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!acc = !nvgpu.warpgroup.accumulator<fragmented = vector<64x72xf32>>

func.func @few_rows(%a: vector<2xbf16>, %b: memref<64x64xbf16, #smem>, %acc: !acc) {
  // expected-error @below {{B must have the 72 columns of the accumulator, but has 64}}
  %d = engine.register_mma [%a, %a, %a, %a], %b at 0, %acc : memref<64x64xbf16, #smem>, !acc
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!acc = !nvgpu.warpgroup.accumulator<fragmented = vector<64x64xf32>>

func.func @odd_position(%a: vector<2xbf16>, %b: memref<64x64xbf16, #smem>, %acc: !acc) {
  // expected-error @below {{first position must be a multiple of 16 below the 64 of B, but is 8}}
  %d = engine.register_mma [%a, %a, %a, %a], %b at 8, %acc : memref<64x64xbf16, #smem>, !acc
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!acc = !nvgpu.warpgroup.accumulator<fragmented = vector<64x64xf32>>

func.func @past_the_end(%a: vector<2xbf16>, %b: memref<64x64xbf16, #smem>, %acc: !acc) {
  // expected-error @below {{first position must be a multiple of 16 below the 64 of B, but is 64}}
  %d = engine.register_mma [%a, %a, %a, %a], %b at 64, %acc : memref<64x64xbf16, #smem>, !acc
  return
}
