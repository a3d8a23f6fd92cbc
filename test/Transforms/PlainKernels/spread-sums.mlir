// RUN: conv-opt %s -conv-spread-sums -canonicalize -cse -split-input-file | FileCheck %s

#by4 = affine_map<(d0) -> (d0 * 4)>

// 2048 threads with 69 parts each are too few: 16 lanes take four parts each, the
// first five lanes one more, and the first of all stores the sum.

// CHECK-DAG:   #[[NEXT:.*]] = affine_map<(d0) -> (d0 + 16)>
// CHECK-DAG:   #[[LAST:.*]] = affine_map<(d0) -> (d0 + 64)>
// CHECK-LABEL: @lanes
// CHECK-SAME:    %[[PARTS:.*]]: memref<69x8192xf32>
// CHECK:         scf.forall (%[[J:.*]], %[[L:.*]]) in (2048, 16) {
// CHECK-DAG:       %[[N:.*]] = affine.apply #{{.*}}(%[[J]])
// CHECK-DAG:       %[[FIRST:.*]] = arith.cmpi eq, %[[L]], %c0
// CHECK-NOT:       scf.for
// CHECK:           %[[P0:.*]] = vector.transfer_read %[[PARTS]][%[[L]], %[[N]]]
// CHECK:           %[[S0:.*]] = arith.addf %[[P0]], %cst
// CHECK:           affine.apply #[[NEXT]](%[[L]])
// CHECK:           %[[P1:.*]] = vector.transfer_read
// CHECK:           arith.addf %[[S0]], %[[P1]]
// CHECK-COUNT-2:   vector.transfer_read
// CHECK:           %[[S:.*]] = arith.addf
// CHECK-NOT:       vector.transfer_read
// CHECK:           %[[MORE:.*]] = arith.cmpi ult, %[[L]], %c5
// CHECK:           %[[T:.*]] = scf.if %[[MORE]] -> (vector<4xf32>) {
// CHECK:             affine.apply #[[LAST]](%[[L]])
// CHECK:             %[[P4:.*]] = vector.transfer_read
// CHECK:             %[[S4:.*]] = arith.addf %[[S]], %[[P4]]
// CHECK:             scf.yield %[[S4]]
// CHECK:           } else {
// CHECK:             scf.yield %[[S]]
// CHECK:           %[[SUM:.*]] = gpu.subgroup_reduce add %[[T]] cluster(size = 16) : (vector<4xf32>) -> vector<4xf32>
// CHECK:           scf.if %[[FIRST]] {
// CHECK:             vector.transfer_write %[[SUM]], %{{.*}}[%[[N]]]
// CHECK:         } {mapping = [#gpu.thread<linear_dim_1>, #gpu.thread<linear_dim_0>]}
func.func @lanes(%parts: memref<69x8192xf32>, %y: memref<8192xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c69 = arith.constant 69 : index
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %p = ub.poison : f32
  scf.forall (%j) in (2048) {
    %n = affine.apply #by4(%j)
    %s = scf.for %k = %c0 to %c69 step %c1 iter_args(%a = %zero) -> (vector<4xf32>) {
      %v = vector.transfer_read %parts[%k, %n], %p {in_bounds = [true]} : memref<69x8192xf32>, vector<4xf32>
      %t = arith.addf %a, %v : vector<4xf32>
      scf.yield %t : vector<4xf32>
    }
    vector.transfer_write %s, %y[%n] {in_bounds = [true]} : vector<4xf32>, memref<8192xf32>
  } {mapping = [#gpu.thread<linear_dim_0>]}
  return
}

// -----

// A sum of something other than zero and the parts keeps its thread.

// CHECK-LABEL: @start
// CHECK:         scf.forall (%{{.*}}) in (9) {
// CHECK-NOT:     gpu.subgroup_reduce
func.func @start(%parts: memref<4x9xf32>, %y: memref<9xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %p = ub.poison : f32
  scf.forall (%i) in (9) {
    %init = vector.transfer_read %y[%i], %p {in_bounds = [true]} : memref<9xf32>, vector<1xf32>
    %s = scf.for %k = %c0 to %c4 step %c1 iter_args(%a = %init) -> (vector<1xf32>) {
      %v = vector.transfer_read %parts[%k, %i], %p {in_bounds = [true]} : memref<4x9xf32>, vector<1xf32>
      %t = arith.addf %v, %a : vector<1xf32>
      scf.yield %t : vector<1xf32>
    }
    vector.transfer_write %s, %y[%i] {in_bounds = [true]} : vector<1xf32>, memref<9xf32>
  } {mapping = [#gpu.thread<linear_dim_0>]}
  return
}

// -----

// Where there are threads enough, eight reads at a time are under way.

// CHECK-LABEL: @many
// CHECK:         scf.forall (%{{.*}}) in (40000) {
// CHECK:           scf.for %{{.*}} = %c0{{.*}} to %c16{{.*}} step %c8
// CHECK-COUNT-8:     vector.transfer_read
// CHECK:             scf.yield
// CHECK-COUNT-3:   vector.transfer_read
// CHECK-NOT:       vector.transfer_read
// CHECK-NOT:     gpu.subgroup_reduce
func.func @many(%parts: memref<19x40000xf32>, %y: memref<40000xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c19 = arith.constant 19 : index
  %zero = arith.constant dense<0.0> : vector<1xf32>
  %p = ub.poison : f32
  scf.forall (%i) in (40000) {
    %s = scf.for %k = %c0 to %c19 step %c1 iter_args(%a = %zero) -> (vector<1xf32>) {
      %v = vector.transfer_read %parts[%k, %i], %p {in_bounds = [true]} : memref<19x40000xf32>, vector<1xf32>
      %t = arith.addf %a, %v : vector<1xf32>
      scf.yield %t : vector<1xf32>
    }
    vector.transfer_write %s, %y[%i] {in_bounds = [true]} : vector<1xf32>, memref<40000xf32>
  } {mapping = [#gpu.thread<linear_dim_0>]}
  return
}

// -----

// Another reduction than a sum keeps its thread.

// CHECK-LABEL: @maximum
// CHECK:         scf.forall (%{{.*}}) in (9) {
// CHECK-COUNT-8:   arith.maximumf
// CHECK-NOT:     gpu.subgroup_reduce
func.func @maximum(%parts: memref<8x9xf32>, %y: memref<9xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant dense<0.0> : vector<1xf32>
  %p = ub.poison : f32
  scf.forall (%i) in (9) {
    %s = scf.for %k = %c0 to %c8 step %c1 iter_args(%a = %zero) -> (vector<1xf32>) {
      %v = vector.transfer_read %parts[%k, %i], %p {in_bounds = [true]} : memref<8x9xf32>, vector<1xf32>
      %t = arith.maximumf %a, %v : vector<1xf32>
      scf.yield %t : vector<1xf32>
    }
    vector.transfer_write %s, %y[%i] {in_bounds = [true]} : vector<1xf32>, memref<9xf32>
  } {mapping = [#gpu.thread<linear_dim_0>]}
  return
}

// -----

// Integers and f64 are summed alike.

// CHECK-LABEL: @integers
// CHECK:         scf.forall (%{{.*}}, %{{.*}}) in (9, 4) {
// CHECK:           gpu.subgroup_reduce add %{{.*}} cluster(size = 4) : (vector<1xi32>) -> vector<1xi32>
func.func @integers(%parts: memref<8x9xi32>, %y: memref<9xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant dense<0> : vector<1xi32>
  %p = ub.poison : i32
  scf.forall (%i) in (9) {
    %s = scf.for %k = %c0 to %c8 step %c1 iter_args(%a = %zero) -> (vector<1xi32>) {
      %v = vector.transfer_read %parts[%k, %i], %p {in_bounds = [true]} : memref<8x9xi32>, vector<1xi32>
      %t = arith.addi %a, %v : vector<1xi32>
      scf.yield %t : vector<1xi32>
    }
    vector.transfer_write %s, %y[%i] {in_bounds = [true]} : vector<1xi32>, memref<9xi32>
  } {mapping = [#gpu.thread<linear_dim_0>]}
  return
}

// -----

// A thread with one element: what its loop carries as a vector without
// dimensions is an element, and lanes share its parts, too.

// CHECK-LABEL: @element
// CHECK:         scf.forall (%{{.*}}, %[[L:.*]]) in (288, 32) {
// CHECK:           %[[SUM:.*]] = gpu.subgroup_reduce add %{{.*}} cluster(size = 32) : (f32) -> f32
// CHECK:           scf.if
// CHECK:             %[[V:.*]] = vector.broadcast %[[SUM]] : f32 to vector<f32>
// CHECK:             vector.transfer_write %[[V]]
func.func @element(%parts: memref<132x288xf32>, %y: memref<288xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c132 = arith.constant 132 : index
  %zero = arith.constant dense<0.0> : vector<f32>
  %p = ub.poison : f32
  scf.forall (%j) in (288) {
    %s = scf.for %k = %c0 to %c132 step %c1 iter_args(%a = %zero) -> (vector<f32>) {
      %v = vector.transfer_read %parts[%k, %j], %p : memref<132x288xf32>, vector<f32>
      %e = vector.extract %v[] : f32 from vector<f32>
      %b = vector.extract %a[] : f32 from vector<f32>
      %t = arith.addf %b, %e : f32
      %n = vector.broadcast %t : f32 to vector<f32>
      scf.yield %n : vector<f32>
    }
    vector.transfer_write %s, %y[%j] : vector<f32>, memref<288xf32>
  } {mapping = [#gpu.thread<linear_dim_0>]}
  return
}

// -----

// Threads that copy four bytes of rows of 14 elements take four rows each, a
// quarter of all apart: reads first.

#by2 = affine_map<(d0) -> (d0 * 2)>
#row = affine_map<(d0, d1, d2, d3) -> (d2)>

// CHECK-DAG:   #[[NEXT:.*]] = affine_map<(d0) -> (d0 + 114688)>
// CHECK-DAG:   #[[LAST:.*]] = affine_map<(d0) -> (d0 + 344064)>
// CHECK-LABEL: @copies
// CHECK:         scf.forall (%[[I:.*]], %[[J:.*]]) in (114688, 7) {
// CHECK:           %[[R0:.*]] = vector.transfer_read %{{.*}}[%[[I]], %c0,
// CHECK:           %[[I1:.*]] = affine.apply #[[NEXT]](%[[I]])
// CHECK:           %[[R1:.*]] = vector.transfer_read %{{.*}}[%[[I1]], %c0,
// CHECK:           %[[R2:.*]] = vector.transfer_read
// CHECK:           %[[I3:.*]] = affine.apply #[[LAST]](%[[I]])
// CHECK:           %[[R3:.*]] = vector.transfer_read %{{.*}}[%[[I3]], %c0,
// CHECK:           vector.transfer_write %[[R0]]
// CHECK:           vector.transfer_write %[[R1]]
// CHECK:           vector.transfer_write %[[R2]]
// CHECK:           vector.transfer_write %[[R3]]
// CHECK-NOT:       vector.transfer
func.func @copies(%x: memref<458752x2x14x2xbf16>, %y: memref<458752x14xbf16>) {
  %c0 = arith.constant 0 : index
  %p = ub.poison : bf16
  scf.forall (%i, %j) in (458752, 7) {
    %n = affine.apply #by2(%j)
    %v = vector.transfer_read %x[%i, %c0, %n, %c0], %p {in_bounds = [true], permutation_map = #row} : memref<458752x2x14x2xbf16>, vector<2xbf16>
    vector.transfer_write %v, %y[%i, %n] {in_bounds = [true]} : vector<2xbf16>, memref<458752x14xbf16>
  } {mapping = [#gpu.thread<linear_dim_1>, #gpu.thread<linear_dim_0>]}
  return
}

// Few threads stay as many: a chip has more room for them.

// CHECK-LABEL: @few
// CHECK:         scf.forall (%{{.*}}) in (65536) {
func.func @few(%x: memref<65536xf16>, %y: memref<65536xf16>) {
  %p = ub.poison : f16
  scf.forall (%i) in (65536) {
    %v = vector.transfer_read %x[%i], %p {in_bounds = [true]} : memref<65536xf16>, vector<1xf16>
    vector.transfer_write %v, %y[%i] {in_bounds = [true]} : vector<1xf16>, memref<65536xf16>
  } {mapping = [#gpu.thread<linear_dim_0>]}
  return
}

// -----

// Of a sum over two dimensions the inner one is unrolled, and the outer one stays
// where both together would be too many reads.

// CHECK-LABEL:    @nest
// CHECK:            scf.for
// CHECK-COUNT-11:     vector.transfer_read
// CHECK-NOT:          vector.transfer_read
// CHECK:              scf.yield
// CHECK-NOT:        vector.transfer_read
// CHECK:            vector.transfer_write
func.func @nest(%parts: memref<11x11x256xf32>, %y: memref<256xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c11 = arith.constant 11 : index
  %zero = arith.constant dense<0.0> : vector<1xf32>
  %p = ub.poison : f32
  scf.forall (%n) in (256) {
    %s = scf.for %i = %c0 to %c11 step %c1 iter_args(%a = %zero) -> (vector<1xf32>) {
      %r = scf.for %k = %c0 to %c11 step %c1 iter_args(%b = %a) -> (vector<1xf32>) {
        %v = vector.transfer_read %parts[%i, %k, %n], %p {in_bounds = [true]} : memref<11x11x256xf32>, vector<1xf32>
        %t = arith.addf %b, %v : vector<1xf32>
        scf.yield %t : vector<1xf32>
      }
      scf.yield %r : vector<1xf32>
    }
    vector.transfer_write %s, %y[%n] {in_bounds = [true]} : vector<1xf32>, memref<256xf32>
  } {mapping = [#gpu.thread<linear_dim_0>]}
  return
}
