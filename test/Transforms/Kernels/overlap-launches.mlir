// RUN: conv-opt %s -conv-overlap-launches | FileCheck %s
// RUN: conv-opt %S/../../../examples/layer.mlir --conv-to-threads=chip=sm_80 | conv-opt --conv-overlap-launches --remarks-filter=conv-overlap-launches -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK-DAG: remark: [Missed] launches-in-order | Category:conv-overlap-launches | {{.*}}sm_80 has no launch_overlap

!barriers = !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>, num_barriers = 2>
#shared = #gpu.address_space<workgroup>
gpu.module @kernels {
  // Barriers and shared memory are initialised first: all threads wait in front
  // of the branches in which some of them read and write tensors.

  // CHECK-LABEL: gpu.func @ring
  // CHECK:         scf.if
  // CHECK-NEXT:      nvgpu.mbarrier.init
  // CHECK-NEXT:      memref.store
  // CHECK-NEXT:      nvvm.fence.mbarrier.init
  // CHECK:         gpu.barrier
  // CHECK:         memref.subview
  // CHECK-NEXT:    nvvm.griddepcontrol wait
  // CHECK-NEXT:    nvvm.griddepcontrol launch_dependents
  // CHECK-NEXT:    scf.if
  // CHECK-NEXT:      memref.load %{{.*}} : memref<8xf32>
  // CHECK-NOT:     nvvm.griddepcontrol
  // CHECK:         gpu.return
  gpu.func @ring(%x: memref<8xf32>, %y: memref<8xf32>) workgroup(%s: memref<8xf32, #shared>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %full = nvgpu.mbarrier.create -> !barriers
    %thread = gpu.thread_id x
    %first = arith.cmpi eq, %thread, %c0 : index
    scf.if %first {
      nvgpu.mbarrier.init %full[%c0], %c1 : !barriers
      memref.store %zero, %s[%c0] : memref<8xf32, #shared>
      nvvm.fence.mbarrier.init
    }
    gpu.barrier
    %part = memref.subview %x[%thread] [1] [1] : memref<8xf32> to memref<1xf32, strided<[1], offset: ?>>
    scf.if %first {
      %v = memref.load %x[%c1] : memref<8xf32>
      memref.store %v, %y[%c1] : memref<8xf32>
    }
    %w = memref.load %part[%c0] : memref<1xf32, strided<[1], offset: ?>>
    memref.store %w, %y[%c0] : memref<8xf32>
    gpu.return
  }

  // Shared memory is of this kernel alone; a store to a tensor is not, nor is
  // what nobody knows.

  // CHECK-LABEL: gpu.func @stores
  // CHECK:         memref.store %{{.*}} : memref<8xf32, #gpu.address_space<workgroup>>
  // CHECK-NEXT:    nvvm.griddepcontrol wait
  // CHECK-NEXT:    nvvm.griddepcontrol launch_dependents
  // CHECK-NEXT:    scf.for
  gpu.func @stores(%y: memref<8xf32>) workgroup(%s: memref<8xf32, #shared>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    memref.store %zero, %s[%c0] : memref<8xf32, #shared>
    scf.for %i = %c0 to %c1 step %c1 {
      memref.store %zero, %s[%i] : memref<8xf32, #shared>
      memref.store %zero, %y[%i] : memref<8xf32>
    }
    gpu.return
  }

  // CHECK-LABEL: gpu.func @unknown
  // CHECK:         nvvm.griddepcontrol wait
  // CHECK-NEXT:    nvvm.griddepcontrol launch_dependents
  // CHECK-NEXT:    llvm.inline_asm
  gpu.func @unknown(%a: i64) kernel {
    llvm.inline_asm has_side_effects "st.global.u64 [$0], $0;", "l" %a : (i64) -> ()
    gpu.return
  }

  // A kernel without any access has waited when it ends: the next one relies
  // on it.

  // CHECK-LABEL: gpu.func @nothing
  // CHECK-NEXT:    nvvm.griddepcontrol wait
  // CHECK-NEXT:    nvvm.griddepcontrol launch_dependents
  // CHECK-NEXT:    gpu.return
  gpu.func @nothing() kernel {
    gpu.return
  }

  // Plain kernels are launched in order.

  // CHECK-LABEL: gpu.func @plain
  // CHECK-NEXT:    nvvm.griddepcontrol launch_dependents
  // CHECK-NEXT:    arith.constant
  // CHECK-NOT:     nvvm.griddepcontrol
  // CHECK:         gpu.return
  gpu.func @plain(%x: memref<8xf32>) kernel attributes {conv.plain} {
    %c0 = arith.constant 0 : index
    %v = memref.load %x[%c0] : memref<8xf32>
    memref.store %v, %x[%c0] : memref<8xf32>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @helper
  // CHECK-NOT:     nvvm.griddepcontrol
  // CHECK:         gpu.return
  gpu.func @helper(%x: memref<8xf32>) {
    %c0 = arith.constant 0 : index
    %v = memref.load %x[%c0] : memref<8xf32>
    memref.store %v, %x[%c0] : memref<8xf32>
    gpu.return
  }
}
