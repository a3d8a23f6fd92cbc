// RUN: not mlir-opt %s 2>&1 | FileCheck %s

// nvvm.cp.async.bulk.tensor has the offsets of im2col mode; nvgpu has not.

!map = !nvgpu.tensormap.descriptor<tensor = memref<64x64xf16, 3>, swizzle = swizzle_128b, l2promo = none, oob = zero, interleave = none>
!bar = !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>

// CHECK: custom op 'nvgpu.tma.async.load' expected 'to'
func.func @load(%map: !map, %bar: !bar, %to: memref<64x64xf16, 3>, %o: i16) {
  %c0 = arith.constant 0 : index
  nvgpu.tma.async.load %map[%c0, %c0, %c0, %c0], %bar[%c0] im2col[%o, %o] to %to : !map, !bar -> memref<64x64xf16, 3>
  return
}
