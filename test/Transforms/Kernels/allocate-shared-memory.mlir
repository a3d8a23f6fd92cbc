// RUN: conv-opt %s -conv-allocate-shared-memory -split-input-file -verify-diagnostics | FileCheck %s

// Two rings live together; the tile of the epilogue comes after a barrier and
// takes their place. Offsets are multiples of 1024.

#smem = #gpu.address_space<workgroup>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @reuse
  // CHECK-SAME:    conv.shared_bytes = 4096 : i64
  // CHECK:         %[[ALL:.*]] = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
  // CHECK:         %[[O0:.*]] = arith.constant 0 : index
  // CHECK:         memref.view %[[ALL]][%[[O0]]][] : {{.*}} to memref<2x16x16xf16
  // CHECK:         %[[O1:.*]] = arith.constant 1024 : index
  // CHECK:         memref.view %[[ALL]][%[[O1]]][] : {{.*}} to memref<2x8x16xf16
  // CHECK:         %[[O2:.*]] = arith.constant 0 : index
  // CHECK:         memref.view %[[ALL]][%[[O2]]][] : {{.*}} to memref<32x32xf32
  // CHECK-NOT:     memref.alloc
  gpu.func @reuse(%v: f16, %f: f32) kernel {
    %c0 = arith.constant 0 : index
    %a = memref.alloc() : memref<2x16x16xf16, #smem>
    %b = memref.alloc() : memref<2x8x16xf16, #smem>
    %s = memref.subview %a[1, 0, 0] [1, 16, 16] [1, 1, 1] : memref<2x16x16xf16, #smem> to memref<16x16xf16, strided<[16, 1], offset: 256>, #smem>
    memref.store %v, %b[%c0, %c0, %c0] : memref<2x8x16xf16, #smem>
    memref.store %v, %s[%c0, %c0] : memref<16x16xf16, strided<[16, 1], offset: 256>, #smem>
    gpu.barrier
    %e = memref.alloc() : memref<32x32xf32, #smem>
    memref.store %f, %e[%c0, %c0] : memref<32x32xf32, #smem>
    gpu.return
  }

  // Without the barrier a thread could still be reading the ring.

  // CHECK-LABEL: gpu.func @no_barrier
  // CHECK-SAME:    conv.shared_bytes = 5120 : i64
  // CHECK:         arith.constant 1024 : index
  gpu.func @no_barrier(%v: f16, %f: f32) kernel {
    %c0 = arith.constant 0 : index
    %a = memref.alloc() : memref<2x16x16xf16, #smem>
    memref.store %v, %a[%c0, %c0, %c0] : memref<2x16x16xf16, #smem>
    %e = memref.alloc() : memref<32x32xf32, #smem>
    memref.store %f, %e[%c0, %c0] : memref<32x32xf32, #smem>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @none
  // CHECK-SAME:    conv.shared_bytes = 0 : i64
  // CHECK-NOT:     gpu.dynamic_shared_memory
  gpu.func @none() kernel {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @loop(%v: f16) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %c1 step %c1 {
      // expected-error @below {{in workgroup memory must be dense, static and outside of all loops and branches}}
      %a = memref.alloc() : memref<16xf16, #gpu.address_space<workgroup>>
    }
    gpu.return
  }
}
