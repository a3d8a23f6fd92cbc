// RUN: not mlir-opt %s 2>&1 | FileCheck %s

// Only rows of 128 bytes with the swizzle of their length, and only where a
// tensor map is at hand: tiles that were filled otherwise have none.

!tensor = memref<64x32xf16, 3>
!map = !nvgpu.tensormap.descriptor<tensor = !tensor, swizzle = swizzle_64b, l2promo = none, oob = zero, interleave = none>

// CHECK: supports only swizzle_128b is supported for the time being
func.func @narrow(%tile: !tensor, %map: !map) {
  %d = nvgpu.warpgroup.generate.descriptor %tile, %map : !tensor, !map -> !nvgpu.warpgroup.descriptor<tensor = !tensor>
  return
}
