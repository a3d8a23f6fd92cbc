// RUN: conv-opt %s -split-input-file -conv-to-kernels='chip=sm_90a schedule="tile=128x32x64,warps=8x1,stages=3,copy=tma,mma=wgmma"' -conv-map-to-wgmma -canonicalize -cse | FileCheck %s
// RUN: conv-opt %s -split-input-file -conv-to-kernels='chip=sm_90a schedule="tile=64x32x64,warps=4x1,teams=2,stages=3,copy=tma,mma=wgmma"' -conv-map-to-wgmma -canonicalize -cse | FileCheck %s --check-prefix=TEAMS

// All threads write the zeros, and a fence precedes their first barrier. In each tile, before its products, a thread
// besides the one that stores values stores zeros: positions (even, odd) and (odd, any). A warpgroup has 64 rows, and
// twice as many where two positions belong to a row.
// 3*14*13 = 546 rows of values; 3*14*12 = 504 and 3*14*25 = 1050 of zeros.

// CHECK-LABEL: gpu.func @dgrad_1
// CHECK-DAG:     %[[C32:.*]] = arith.constant 32 : index
// CHECK-DAG:     %[[C64:.*]] = arith.constant 64 : index
// CHECK-DAG:     %[[C128:.*]] = arith.constant 128 : index
// CHECK-DAG:     %[[NONE:.*]] = arith.constant dense<0.000000e+00> : vector<8xbf16>
// CHECK-DAG:     %[[C504:.*]] = arith.constant 504 : index
// CHECK-DAG:     %[[C1050:.*]] = arith.constant 1050 : index
// CHECK:         %[[ZEROS:.*]] = memref.alloc() : memref<64x32xbf16, #gpu.address_space<workgroup>>
// CHECK:         %[[FLAT:.*]] = memref.collapse_shape %[[ZEROS]]
// CHECK:         vector.store %[[NONE]], %[[FLAT]][%{{.*}}] {alignment = 16 : i64}
// CHECK:         nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>
// CHECK:         gpu.barrier
// CHECK:         nvvm.setmaxregister  increase
// CHECK:         scf.for
// CHECK-NEXT:      %[[THREAD:.*]] = arith.remui
// CHECK-NEXT:      %[[STORES:.*]] = arith.cmpi eq, %[[THREAD]], %[[C32]]
// CHECK-NEXT:      scf.if %[[STORES]] {
// CHECK:             %[[INSIDE:.*]] = arith.cmpi ult, %[[ROW:.*]], %[[C504]]
// CHECK-NEXT:        scf.if %[[INSIDE]] {
// CHECK-NEXT:          engine.store_tile %[[ZEROS]] into %{{.*}}[%[[ROW]], %c0, %[[COLUMN:.*]]] view <rows = [14, 12], taps = [1, 1], stride = [2, 2], {{.*}} offset = [0, 1], groups = 1> :
// CHECK:             %[[FIRST:.*]] = arith.muli %[[ROW]], %c2
// CHECK:             scf.for %[[I:.*]] = %c0 to %[[C128]] step %[[C64]] {
// CHECK-NEXT:          %[[ROW2:.*]] = arith.addi %[[FIRST]], %[[I]]
// CHECK-NEXT:          %[[INSIDE2:.*]] = arith.cmpi ult, %[[ROW2]], %[[C1050]]
// CHECK-NEXT:          scf.if %[[INSIDE2]] {
// CHECK-NEXT:            engine.store_tile %[[ZEROS]] into %{{.*}}[%[[ROW2]], %c0, %[[COLUMN]]] view <rows = [14, 25], taps = [1, 1], stride = [2, 1], {{.*}} offset = [1, 0], groups = 1> :
// CHECK:             nvvm.cp.async.bulk.commit.group
// CHECK-NEXT:      }
// CHECK:           engine.warpgroup_mma
// CHECK:           nvvm.cp.async.bulk.wait_group  0 {read}
// CHECK:           engine.store_tile %{{.*}} view <rows = [14, 13], taps = [1, 1], stride = [2, 2], {{.*}} offset = [0, 0], groups = 1> :
// CHECK-NOT:       zero_fill
// CHECK:         nvvm.cp.async.bulk.wait_group  0{{$}}

// A team stores zeros before it waits for its turn.

// TEAMS-LABEL: gpu.func @dgrad_1
// TEAMS:         nvvm.setmaxregister  increase
// TEAMS:         engine.store_tile %{{.*}} offset = [0, 1], groups = 1> :
// TEAMS:         nvvm.cp.async.bulk.commit.group
// TEAMS:         nvvm.barrier id
// TEAMS:         engine.warpgroup_mma
func.func @dgrad(%dy: tensor<3x14x13x128xbf16>, %w: tensor<128x1x1x64xbf16>, %dx: tensor<3x28x25x64xbf16>) -> tensor<3x28x25x64xbf16> {
  %0 = conv.dgrad ins(%dy, %w : tensor<3x14x13x128xbf16>, tensor<128x1x1x64xbf16>) outs(%dx : tensor<3x28x25x64xbf16>) stride [2, 2] -> tensor<3x28x25x64xbf16>
  return %0 : tensor<3x28x25x64xbf16>
}
