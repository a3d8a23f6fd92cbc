// RUN: conv-opt %s -split-input-file -verify-diagnostics -conv-copies-to-plain-kernels | FileCheck %s
// RUN: not conv-opt %s -split-input-file -conv-copies-to-plain-kernels --remarks-filter=conv-copies-to-plain-kernels -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK-DAG: remark: [Missed] copy-left | Category:conv-copies-to-plain-kernels | {{.*}}elements

// CHECK-LABEL: @copy
// CHECK-SAME:    %[[A:.*]]: memref<3x8x5xbf16>, %[[B:.*]]: memref<3x8x5xbf16>
// CHECK-DAG:     %[[FROM:.*]] = memref.collapse_shape %[[A]] {{\[}}[0, 1, 2]]
// CHECK-DAG:     %[[TO:.*]] = memref.collapse_shape %[[B]] {{\[}}[0, 1, 2]]
// CHECK:         scf.forall (%[[I:.*]]) in (15) {
// CHECK:           %[[N:.*]] = affine.apply #{{.*}}(%[[I]])
// CHECK:           %[[V:.*]] = vector.transfer_read %[[FROM]][%[[N]]], %{{.*}} {in_bounds = [true]} : memref<120xbf16>, vector<8xbf16>
// CHECK:           vector.transfer_write %[[V]], %[[TO]][%[[N]]]
// CHECK:         } {mapping = [#gpu.thread<linear_dim_0>]}
// CHECK-NOT:     memref.copy
func.func @copy(%a: memref<3x8x5xbf16>, %b: memref<3x8x5xbf16>) {
  memref.copy %a, %b : memref<3x8x5xbf16> to memref<3x8x5xbf16>
  return
}

// -----

// CHECK-LABEL: @nothing
// CHECK-NEXT:    return
func.func @nothing(%a: memref<3x0xf32>, %b: memref<3x0xf32>) {
  memref.copy %a, %b : memref<3x0xf32> to memref<3x0xf32>
  return
}

// -----

// CHECK-LABEL: @in_kernel
// CHECK-SAME:    %[[A:.*]]: memref<2xi32>, %[[B:.*]]: memref<2xi32>
// CHECK:         scf.forall
// CHECK-DAG:       %[[ZERO:.*]] = arith.constant 0 : index
// CHECK:           %[[V:.*]] = vector.transfer_read %[[A]][%[[ZERO]]], %{{.*}} {in_bounds = [true]} : memref<2xi32>, vector<2xi32>
// CHECK:           vector.transfer_write %[[V]], %[[B]][%[[ZERO]]]
// CHECK-NOT:     memref.copy
func.func @in_kernel(%a: memref<2xi32>, %b: memref<2xi32>) {
  scf.forall (%i) in (1) {
    memref.copy %a, %b : memref<2xi32> to memref<2xi32>
  } {mapping = [#gpu.thread<linear_dim_0>]}
  return
}

// -----

// CHECK-LABEL: @part_in_kernel
// CHECK:         scf.forall
// CHECK:           %[[V:.*]] = vector.transfer_read %{{.*}}, %{{.*}} {in_bounds = [true]} : memref<1x3xi32, strided<[8, 1]>>, vector<3xi32>
// CHECK:           vector.transfer_write %[[V]]
// CHECK-NOT:     memref.copy
func.func @part_in_kernel(%a: memref<1x3xi32, strided<[8, 1]>>, %b: memref<1x3xi32>) {
  scf.forall (%i) in (1) {
    memref.copy %a, %b : memref<1x3xi32, strided<[8, 1]>> to memref<1x3xi32>
  } {mapping = [#gpu.thread<linear_dim_0>]}
  return
}

// -----

func.func @rows_in_kernel(%a: memref<2x3xi32>, %b: memref<2x3xi32>) {
  scf.forall (%i) in (1) {
    // expected-error @below {{has no kernel: expected one vector}}
    memref.copy %a, %b : memref<2x3xi32> to memref<2x3xi32>
  } {mapping = [#gpu.thread<linear_dim_0>]}
  return
}

// -----

func.func @gaps(%a: memref<3x8xf32>, %b: memref<3x8xf32, strided<[16, 1]>>) {
  // expected-error @below {{a copy of a part of a tensor has no kernel, as of tensor.pad, tensor.extract_slice}}
  memref.copy %a, %b : memref<3x8xf32> to memref<3x8xf32, strided<[16, 1]>>
  return
}
