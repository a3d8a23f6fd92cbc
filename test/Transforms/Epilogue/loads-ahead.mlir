// RUN: conv-opt %s -split-input-file -conv-to-kernels='chip=sm_90a schedule="tile=128x64x64,warps=8x1,stages=3,copy=tma,mma=wgmma"' -conv-map-to-wgmma -canonicalize -cse | FileCheck %s
// RUN: conv-opt %s -split-input-file -conv-to-kernels='chip=sm_90a schedule="tile=128x64x64,warps=4x1,teams=2,stages=3,copy=tma,mma=wgmma"' -conv-map-to-wgmma -canonicalize -cse | FileCheck %s --check-prefix=TEAMS
// RUN: conv-opt %s -split-input-file -conv-to-kernels='chip=sm_90a schedule="tile=256x64x64,warps=8x1,staging=64,stages=3,copy=tma,mma=wgmma"' -conv-map-to-wgmma -canonicalize -cse | FileCheck %s --check-prefix=PARTS

// Each warpgroup has a barrier, and loads its rows of the residual in the
// fourth block, to where it stages the result. The epilogue waits, reads what
// the warp will write, and writes it without another barrier in front.
// 588 rows: the second warpgroup of the last tile has none, and loads the first.

// CHECK-LABEL: gpu.func @residual_0
// CHECK-SAME:    %{{[^:]*}}: memref<3x14x14x64xbf16>, %{{[^:]*}}: memref<64x3x3x64xbf16>, %[[R:[^:]*]]: memref<3x14x14x64xbf16>, %[[Y:[^:]*]]: memref<3x14x14x64xbf16>)
// CHECK-DAG:     %[[FALSE:.*]] = arith.constant false
// CHECK-DAG:     %[[TRUE:.*]] = arith.constant true
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG:     %[[C3:.*]] = arith.constant 3 : index
// CHECK-DAG:     %[[BYTES:.*]] = arith.constant 8192 : index
// CHECK-DAG:     %[[ROWS:.*]] = arith.constant 588 : index
// CHECK:         %[[WARPGROUP:.*]] = arith.index_cast %{{.*}} : i32 to index
// CHECK:         %[[ALL:.*]] = memref.alloc() : memref<2x64x64xbf16, #gpu.address_space<workgroup>>
// CHECK:         %[[PART:.*]] = memref.subview %[[ALL]][%[[WARPGROUP]], 0, 0]
// CHECK:         %[[FLAT:.*]] = memref.collapse_shape %[[PART]]
// CHECK:         %[[AHEAD:.*]] = nvgpu.mbarrier.create -> <{{.*}}, num_barriers = 2>
// CHECK:         nvgpu.mbarrier.init %[[AHEAD]][%[[C0]]], %[[C1]]
// CHECK:         nvgpu.mbarrier.init %[[AHEAD]][%[[C1]]], %[[C1]]
// CHECK-NEXT:    nvvm.fence.mbarrier.init
// CHECK:         nvvm.setmaxregister  increase
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %[[C0]], %{{.*}} = %[[FALSE]], %[[PHASE:.*]] = %[[FALSE]])
// CHECK:           scf.for %[[BLOCK:.*]] = %[[C1]] to
// CHECK:             engine.warpgroup_mma
// CHECK:             %[[NOW:.*]] = arith.cmpi eq, %[[BLOCK]], %[[C3]] : index
// CHECK:             %[[STARTS:.*]] = arith.andi %[[NOW]], %{{.*}} : i1
// CHECK-NEXT:        scf.if %[[STARTS]] {
// CHECK-NEXT:          nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK-NEXT:          nvgpu.mbarrier.arrive.expect_tx %[[AHEAD]][%[[WARPGROUP]]], %[[BYTES]]
// CHECK-NEXT:          %[[FIRST:.*]] = arith.addi
// CHECK-NEXT:          %[[THERE:.*]] = arith.cmpi ult, %[[FIRST]], %[[ROWS]]
// CHECK-NEXT:          %[[ROW:.*]] = arith.select %[[THERE]], %[[FIRST]], %[[C0]]
// CHECK-NEXT:          engine.load_tile %[[R]][%[[ROW]], %[[C0]], %[[C0]]] into %[[PART]], %[[AHEAD]][%[[WARPGROUP]]] view <rows = [14, 14], taps = [1, 1]
// CHECK-NEXT:        }
// CHECK:           nvgpu.mbarrier.try_wait.parity %[[AHEAD]][%[[WARPGROUP]]], %[[PHASE]]
// CHECK:           nvgpu.ldmatrix %[[FLAT]][%[[LANE:.*]]] {numTiles = 4 : i32, transpose = false}
// CHECK-COUNT-3:   nvgpu.ldmatrix %[[FLAT]]
// CHECK-NOT:       nvgpu.ldmatrix
// CHECK-NOT:       wait_group
// CHECK-NOT:       nvvm.barrier
// CHECK:           engine.store_matrices {{.*}} to %[[FLAT]][%[[LANE]]]
// CHECK-NOT:       wait_group
// CHECK:           engine.store_tile %[[PART]] into %[[Y]]
// CHECK:           %[[NEXT:.*]] = arith.xori %[[PHASE]], %[[TRUE]] : i1
// CHECK-NEXT:      scf.yield %{{.*}}, %{{.*}}, %[[NEXT]]

// A team loads while it waits for its turn, and counts its own turns.

// TEAMS-LABEL: gpu.func @residual_0
// TEAMS:         nvvm.setmaxregister  increase
// TEAMS:         scf.for {{.*}} iter_args({{.*}}, %[[TURN:[^ ]*]] = %{{[^ ]*}}, %[[PHASE:[^ ]*]] = %false) ->
// TEAMS:           %[[OWN:.*]] = arith.cmpi eq, %[[TURN]], %{{.*}} : index
// TEAMS-NEXT:      scf.if %[[OWN]]
// TEAMS:             scf.if
// TEAMS-NEXT:          nvvm.cp.async.bulk.wait_group 0 {read}
// TEAMS-NEXT:          nvgpu.mbarrier.arrive.expect_tx %[[AHEAD:.*]][%[[TEAM:.*]]], %{{.*}}
// TEAMS:               engine.load_tile
// TEAMS:             nvvm.barrier id = %{{.*}} number_of_threads = %{{.*}}
// TEAMS:             nvgpu.mbarrier.try_wait.parity %[[AHEAD]][%[[TEAM]]], %[[PHASE]]
// TEAMS:           } else {
// TEAMS:           %[[NEXT:.*]] = arith.xori %[[PHASE]], %[[OWN]] : i1
// TEAMS-NEXT:      scf.yield {{.*}}, %[[NEXT]] :

// What is staged in parts is read when the sums are complete.

// PARTS-LABEL: gpu.func @residual_0
// PARTS-NOT:     num_barriers = 2>
// PARTS-NOT:     nvgpu.ldmatrix
// PARTS:         nvvm.cp.async.bulk.wait_group 0 {read}
#id = affine_map<(n, p, q, k) -> (n, p, q, k)>
func.func @residual(%x: tensor<3x14x14x64xbf16>, %w: tensor<64x3x3x64xbf16>, %r: tensor<3x14x14x64xbf16>) -> tensor<3x14x14x64xbf16> {
  %y = tensor.empty() : tensor<3x14x14x64xbf16>
  %c = conv.forward ins(%x, %w : tensor<3x14x14x64xbf16>, tensor<64x3x3x64xbf16>) outs(%y : tensor<3x14x14x64xbf16>) pad [1, 1] -> tensor<3x14x14x64xbf16>
  %s = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
       ins(%c, %r : tensor<3x14x14x64xbf16>, tensor<3x14x14x64xbf16>) outs(%y : tensor<3x14x14x64xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %o: bf16):
    %t = arith.addf %a, %b : bf16
    linalg.yield %t : bf16
  } -> tensor<3x14x14x64xbf16>
  return %s : tensor<3x14x14x64xbf16>
}

// -----

// Residuals of another type are converted by the thread that loads them.

// CHECK-LABEL: gpu.func @wider_0
// CHECK-NOT:     num_barriers = 2>
// CHECK:         nvvm.setmaxregister  increase
// CHECK-NOT:     nvgpu.ldmatrix
// CHECK:         nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK-NEXT:    arith.addi
// CHECK-NEXT:    nvvm.barrier
#id = affine_map<(n, p, q, k) -> (n, p, q, k)>
func.func @wider(%x: tensor<3x14x14x64xbf16>, %w: tensor<64x3x3x64xbf16>, %r: tensor<3x14x14x64xf32>) -> tensor<3x14x14x64xbf16> {
  %y = tensor.empty() : tensor<3x14x14x64xbf16>
  %c = conv.forward ins(%x, %w : tensor<3x14x14x64xbf16>, tensor<64x3x3x64xbf16>) outs(%y : tensor<3x14x14x64xbf16>) pad [1, 1] -> tensor<3x14x14x64xbf16>
  %s = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
       ins(%c, %r : tensor<3x14x14x64xbf16>, tensor<3x14x14x64xf32>) outs(%y : tensor<3x14x14x64xbf16>) {
  ^bb0(%a: bf16, %b: f32, %o: bf16):
    %b16 = arith.truncf %b : f32 to bf16
    %t = arith.addf %a, %b16 : bf16
    linalg.yield %t : bf16
  } -> tensor<3x14x14x64xbf16>
  return %s : tensor<3x14x14x64xbf16>
}
