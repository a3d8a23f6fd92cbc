// RUN: conv-opt %s --conv-overlap-launches=chip=sm_90a | FileCheck %s
// RUN: conv-opt %s --conv-overlap-launches=chip=sm_80 | FileCheck %s --check-prefix=OLD

// The first kernel waits for nobody, the last one lets nobody begin.

// OLD-NOT: griddepcontrol
// OLD-NOT: overlaps_previous

// CHECK-LABEL: gpu.func @first
// CHECK-NEXT: nvvm.griddepcontrol launch_dependents
// CHECK-NEXT: gpu.return
// CHECK-LABEL: gpu.func @second
// CHECK-NEXT: nvvm.griddepcontrol wait
// CHECK-NEXT: nvvm.griddepcontrol launch_dependents
// CHECK-NEXT: gpu.return
// CHECK-LABEL: gpu.func @third
// CHECK-NEXT: nvvm.griddepcontrol wait
// CHECK-NEXT: gpu.return
// CHECK-LABEL: gpu.func @alone
// CHECK-NEXT: gpu.return
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @first() kernel { gpu.return }
    gpu.func @second() kernel { gpu.return }
    gpu.func @third() kernel { gpu.return }
    gpu.func @alone() kernel { gpu.return }
  }
  // CHECK-LABEL: func.func @three
  func.func @three() {
    %c1 = arith.constant 1 : index
    // CHECK: gpu.launch_func @kernels::@first
    // CHECK-NOT: overlaps_previous
    gpu.launch_func @kernels::@first blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    // CHECK: gpu.launch_func @kernels::@second {{.*}} {conv.overlaps_previous}
    gpu.launch_func @kernels::@second blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    // CHECK: gpu.launch_func @kernels::@third {{.*}} {conv.overlaps_previous}
    gpu.launch_func @kernels::@third blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    return
  }
  // CHECK-LABEL: func.func @one
  func.func @one() {
    %c1 = arith.constant 1 : index
    // CHECK: gpu.launch_func @kernels::@alone
    // CHECK-NOT: overlaps_previous
    gpu.launch_func @kernels::@alone blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    return
  }
}
