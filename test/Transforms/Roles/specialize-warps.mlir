// RUN: conv-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(gpu.module(conv-specialize-warps,canonicalize,cse))' | FileCheck %s

// Of what stands behind the first barrier, the last warpgroup keeps what is
// marked as the producer's, in one of its threads, and the others the rest. An
// arrival is made by one lane of each warp of the consumers.

// CHECK-LABEL: gpu.func @roles
// CHECK:       memref.store {{.*}}%arg1[%c7]
// CHECK:       gpu.barrier
// CHECK:       %[[THREAD:.*]] = gpu.thread_id x
// CHECK:       %[[LAST:.*]] = arith.cmpi eq, %{{.*}}, %c2
// CHECK:       scf.if %[[LAST]] {
// CHECK:         nvvm.setmaxregister decrease 40
// CHECK:         %[[ONE:.*]] = arith.cmpi eq, %[[THREAD]], %c256
// CHECK:         scf.if %[[ONE]] {
// CHECK:           scf.for
// CHECK-NEXT:        %[[V:.*]] = memref.load %arg0
// CHECK-NEXT:        memref.store %[[V]], %arg1[%{{.*}}] {conv.producer}
// CHECK-NOT:         memref.store
// CHECK-NOT:         nvgpu.mbarrier.arrive
// CHECK:       } else {
// CHECK-DAG:     nvvm.setmaxregister increase 232
// CHECK-DAG:     %[[LANE:.*]] = arith.remui %[[THREAD]], %c32
// CHECK-DAG:     %[[FIRST:.*]] = arith.cmpi ult, %[[LANE]], %c1
// CHECK:         scf.for
// CHECK-NEXT:      %[[W:.*]] = memref.load %arg1
// CHECK-NEXT:      memref.store %[[W]], %arg0
// CHECK-NEXT:      scf.if %[[FIRST]] {
// CHECK-NEXT:        nvgpu.mbarrier.arrive
// CHECK-NOT:     conv.producer
// CHECK:       gpu.return

#one = #conv.schedule<algorithm = implicit_gemm, tile = [128, 64, 64], warps = [8, 1], stages = 2, copy = tma, mma = wgmma>
!barriers = !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>, num_barriers = 2>
!token = !nvgpu.mbarrier.token
gpu.module @kernels {
  gpu.func @roles(%x: memref<8xf32>, %y: memref<8xf32>) kernel attributes {conv.kernel_plan = #conv.kernel_plan<producer_registers = 40, consumer_registers = 232>, conv.schedule = #one, known_block_size = array<i32: 384, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c7 = arith.constant 7 : index
    %zero = arith.constant 0.0 : f32
    %full = nvgpu.mbarrier.create -> !barriers
    memref.store %zero, %y[%c7] : memref<8xf32>
    gpu.barrier
    scf.for %i = %c0 to %c4 step %c1 {
      %v = memref.load %x[%i] {conv.producer} : memref<8xf32>
      memref.store %v, %y[%i] {conv.producer} : memref<8xf32>
      %w = memref.load %y[%i] : memref<8xf32>
      memref.store %w, %x[%i] : memref<8xf32>
      %t = nvgpu.mbarrier.arrive %full[%c1] : !barriers -> !token
    }
    gpu.return
  }
}

// -----

// Kernels with cp.async have no roles.

// CHECK-LABEL: gpu.func @none
// CHECK:       gpu.barrier
// CHECK-NEXT:  memref.store
// CHECK-NOT:   scf.if
gpu.module @kernels {
  gpu.func @none(%y: memref<8xf32>) kernel attributes {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 64, 64], warps = [4, 1], stages = 2, copy = cp_async, mma = mma_sync>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    gpu.barrier
    memref.store %zero, %y[%c0] : memref<8xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @below {{has no barrier after which its warps could take roles}}
  gpu.func @no_barrier(%y: memref<8xf32>) kernel attributes {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 64, 64], warps = [4, 1], stages = 2, copy = tma, mma = wgmma>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    memref.store %zero, %y[%c0] : memref<8xf32>
    gpu.return
  }
}
