// RUN: conv-opt %s -conv-outline-kernels -split-input-file | FileCheck %s

// Loops that touch different buffers are one kernel: the second one has the
// threads from the next workgroup on, 512 of them for 300 indices.

// CHECK:       gpu.func @two_0(%{{.*}}, %{{.*}}, %{{.*}}) kernel attributes {conv.plain
// CHECK-DAG:     %[[FIRST:.*]] = arith.addi
// CHECK-DAG:     %[[COUNT:.*]] = arith.constant 300 : index
// CHECK:         %[[IS:.*]] = arith.cmpi ult, %[[FIRST]], %[[COUNT]]
// CHECK:         scf.if %[[IS]] {
// CHECK:           vector.transfer_write %{{.*}}, %{{.*}}[%[[FIRST]]] {{.*}}, memref<300xf32>
// CHECK:         } else {
// CHECK:           %[[START:.*]] = arith.constant 512 : index
// CHECK:           %[[SECOND:.*]] = arith.subi %[[FIRST]], %[[START]]
// CHECK:           arith.cmpi ult, %[[SECOND]], %{{.*}}
// CHECK:           vector.transfer_write %{{.*}}, %{{.*}}[%[[SECOND]]] {{.*}}, memref<7xf32>
// CHECK-NOT:   gpu.func
// CHECK:       func.func @two
// CHECK:         memref.alloc
// CHECK-DAG:     %[[BLOCKS:.*]] = arith.constant 3 : index
// CHECK:         gpu.launch_func @conv_kernels::@two_0 blocks in (%[[BLOCKS]],
// CHECK-NOT:     gpu.launch_func
func.func @two(%x: memref<300xf32>, %y: memref<300xf32>) -> memref<7xf32> {
  %p = arith.constant 0.0 : f32
  scf.forall (%i) in (300) {
    %0 = vector.transfer_read %x[%i], %p {in_bounds = [true]} : memref<300xf32>, vector<1xf32>
    vector.transfer_write %0, %y[%i] {in_bounds = [true]} : vector<1xf32>, memref<300xf32>
  } {mapping = [#gpu.thread<linear_dim_0>]}
  %z = memref.alloc() : memref<7xf32>
  scf.forall (%i) in (7) {
    %0 = vector.transfer_read %x[%i], %p {in_bounds = [true]} : memref<300xf32>, vector<1xf32>
    vector.transfer_write %0, %z[%i] {in_bounds = [true]} : vector<1xf32>, memref<7xf32>
  } {mapping = [#gpu.thread<linear_dim_0>]}
  return %z : memref<7xf32>
}

// -----

// Not so where one reads what the other one writes, through a view too, or
// writes what the other one reads.

// CHECK:       gpu.func @read_0
// CHECK:       gpu.func @read_1
// CHECK:       gpu.func @read_2
func.func @read(%x: memref<300xf32>, %y: memref<300xf32>, %z: memref<30x10xf32>) {
  %p = arith.constant 0.0 : f32
  scf.forall (%i) in (300) {
    %0 = vector.transfer_read %x[%i], %p {in_bounds = [true]} : memref<300xf32>, vector<1xf32>
    vector.transfer_write %0, %y[%i] {in_bounds = [true]} : vector<1xf32>, memref<300xf32>
  } {mapping = [#gpu.thread<linear_dim_0>]}
  %rows = memref.expand_shape %y [[0, 1]] output_shape [30, 10] : memref<300xf32> into memref<30x10xf32>
  scf.forall (%i, %j) in (30, 10) {
    %0 = vector.transfer_read %rows[%i, %j], %p {in_bounds = [true]} : memref<30x10xf32>, vector<1xf32>
    vector.transfer_write %0, %z[%i, %j] {in_bounds = [true]} : vector<1xf32>, memref<30x10xf32>
  } {mapping = [#gpu.thread<linear_dim_1>, #gpu.thread<linear_dim_0>]}
  scf.forall (%i) in (300) {
    %0 = vector.transfer_read %x[%i], %p {in_bounds = [true]} : memref<300xf32>, vector<1xf32>
    vector.transfer_write %0, %y[%i] {in_bounds = [true]} : vector<1xf32>, memref<300xf32>
  } {mapping = [#gpu.thread<linear_dim_0>]}
  return
}

// -----

// Nor where something with an effect stands between them.

// CHECK:       gpu.func @between_0
// CHECK:       gpu.func @between_1
func.func @between(%x: memref<8xf32>, %y: memref<8xf32>, %z: memref<8xf32>, %f: f32) {
  %p = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  scf.forall (%i) in (8) {
    %0 = vector.transfer_read %x[%i], %p {in_bounds = [true]} : memref<8xf32>, vector<1xf32>
    vector.transfer_write %0, %y[%i] {in_bounds = [true]} : vector<1xf32>, memref<8xf32>
  } {mapping = [#gpu.thread<linear_dim_0>]}
  memref.store %f, %x[%c0] : memref<8xf32>
  scf.forall (%i) in (8) {
    %0 = vector.transfer_read %x[%i], %p {in_bounds = [true]} : memref<8xf32>, vector<1xf32>
    vector.transfer_write %0, %z[%i] {in_bounds = [true]} : vector<1xf32>, memref<8xf32>
  } {mapping = [#gpu.thread<linear_dim_0>]}
  return
}

// -----

// A sum over lanes touches no memory.

// CHECK-LABEL: gpu.func @lanes_0
// CHECK:         gpu.subgroup_reduce
// CHECK:         gpu.subgroup_reduce
// CHECK-NOT:   gpu.func
// CHECK:       func.func @lanes
func.func @lanes(%x: memref<8xf32>, %y: memref<2xf32>, %z: memref<2xf32>) {
  %p = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  scf.forall (%i, %l) in (2, 4) {
    %0 = vector.transfer_read %x[%l], %p {in_bounds = [true]} : memref<8xf32>, vector<1xf32>
    %s = gpu.subgroup_reduce add %0 cluster(size = 4) : (vector<1xf32>) -> vector<1xf32>
    %first = arith.cmpi eq, %l, %c0 : index
    scf.if %first {
      vector.transfer_write %s, %y[%i] {in_bounds = [true]} : vector<1xf32>, memref<2xf32>
    }
  } {mapping = [#gpu.thread<linear_dim_1>, #gpu.thread<linear_dim_0>]}
  scf.forall (%i, %l) in (2, 4) {
    %0 = vector.transfer_read %x[%l], %p {in_bounds = [true]} : memref<8xf32>, vector<1xf32>
    %s = gpu.subgroup_reduce add %0 cluster(size = 4) : (vector<1xf32>) -> vector<1xf32>
    %first = arith.cmpi eq, %l, %c0 : index
    scf.if %first {
      vector.transfer_write %s, %z[%i] {in_bounds = [true]} : vector<1xf32>, memref<2xf32>
    }
  } {mapping = [#gpu.thread<linear_dim_1>, #gpu.thread<linear_dim_0>]}
  return
}
