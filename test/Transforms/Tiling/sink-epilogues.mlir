// RUN: conv-opt %s -conv-sink-epilogues -split-input-file | FileCheck %s

// What only the branch uses goes there, reads of global memory too; what is used elsewhere stays, and so does the loop.

#y = #conv.view<rows = [6, 7], taps = [1, 1], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1>
#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [32, 16, 32], warps = [2, 1], stages = 2, copy = cp_async, mma = mma_sync>

// CHECK-LABEL: @epilogue
// CHECK:       scf.forall
// CHECK:         %[[SUM:.*]] = scf.for
// CHECK-NOT:     arith.mulf
// CHECK:         scf.if
// CHECK-DAG:       %[[R:.*]] = conv.im2col
// CHECK-DAG:       %[[D:.*]] = arith.mulf %[[SUM]], %[[SUM]]
// CHECK:           %[[V:.*]] = arith.addf %[[D]], %[[R]]
// CHECK:           conv.scatter %[[V]]
// CHECK:         conv.scatter %[[SUM]]
func.func @epilogue(%res: memref<1x6x7x16xf32>, %out: memref<1x6x7x16xf32>, %ws: memref<1x6x7x16xf32>, %zero: vector<32x16xf32>, %one: vector<32x16xf32>, %whole: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.forall (%i) in (2) {
    %r = conv.im2col %res[%i, %c0, %c0] view #y : memref<1x6x7x16xf32> -> vector<32x16xf32>
    %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%a = %zero) -> (vector<32x16xf32>) {
      %n = arith.addf %a, %one : vector<32x16xf32>
      scf.yield %n : vector<32x16xf32>
    }
    %d = arith.mulf %sum, %sum : vector<32x16xf32>
    %v = arith.addf %d, %r : vector<32x16xf32>
    scf.if %whole {
      conv.scatter %v into %out[%i, %c0, %c0] view #y : vector<32x16xf32> into memref<1x6x7x16xf32>
    }
    conv.scatter %sum into %ws[%i, %c0, %c0] view #y : vector<32x16xf32> into memref<1x6x7x16xf32>
  } {conv.schedule = #schedule}
  return
}

// -----

// A read does not pass a write.

#y = #conv.view<rows = [6, 7], taps = [1, 1], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1>
#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [32, 16, 32], warps = [2, 1], stages = 2, copy = cp_async, mma = mma_sync>

// CHECK-LABEL: @overwritten
// CHECK:         conv.im2col
// CHECK-NEXT:    conv.scatter
// CHECK-NEXT:    scf.if
// CHECK-NEXT:      arith.negf
func.func @overwritten(%res: memref<1x6x7x16xf32>, %out: memref<1x6x7x16xf32>, %v: vector<32x16xf32>, %whole: i1) {
  %c0 = arith.constant 0 : index
  scf.forall (%i) in (2) {
    %r = conv.im2col %res[%i, %c0, %c0] view #y : memref<1x6x7x16xf32> -> vector<32x16xf32>
    conv.scatter %v into %res[%i, %c0, %c0] view #y : vector<32x16xf32> into memref<1x6x7x16xf32>
    %n = arith.negf %r : vector<32x16xf32>
    scf.if %whole {
      conv.scatter %n into %out[%i, %c0, %c0] view #y : vector<32x16xf32> into memref<1x6x7x16xf32>
    }
  } {conv.schedule = #schedule}
  return
}

// -----

// Opposite branches are the two sides of one; what stands between them goes in front.

#y = #conv.view<rows = [6, 7], taps = [1, 1], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1>
#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [32, 16, 32], warps = [2, 1], stages = 2, copy = cp_async, mma = mma_sync>

// CHECK-LABEL: @opposite
// CHECK:         %[[WHOLE:.*]] = arith.cmpi ult
// CHECK-NEXT:    arith.cmpi uge
// CHECK-NEXT:    %[[M:.*]] = arith.addi
// CHECK-NEXT:    scf.if %[[WHOLE]] {
// CHECK-NEXT:      %[[N:.*]] = arith.negf
// CHECK-NEXT:      conv.scatter %[[N]] {{.*}}[%[[M]],
// CHECK-NEXT:    } else {
// CHECK-NEXT:      conv.scatter %{{.*}}[%[[M]],
// CHECK-NEXT:    }
// CHECK-NEXT:    scf.if
func.func @opposite(%out: memref<1x6x7x16xf32>, %ws: memref<1x6x7x16xf32>, %v: vector<32x16xf32>, %other: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.forall (%i) in (2) {
    %whole = arith.cmpi ult, %i, %c1 : index
    %part = arith.cmpi uge, %i, %c1 : index
    %n = arith.negf %v : vector<32x16xf32>
    %m = arith.addi %i, %c1 : index
    scf.if %whole {
      conv.scatter %n into %out[%m, %c0, %c0] view #y : vector<32x16xf32> into memref<1x6x7x16xf32>
    }
    scf.if %part {
      conv.scatter %v into %ws[%m, %c0, %c0] view #y : vector<32x16xf32> into memref<1x6x7x16xf32>
    }
    scf.if %other {
      conv.scatter %v into %ws[%c0, %c0, %c0] view #y : vector<32x16xf32> into memref<1x6x7x16xf32>
    }
  } {conv.schedule = #schedule}
  return
}
