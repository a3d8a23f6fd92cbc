// RUN: conv-opt %s -split-input-file -conv-to-tiles=chip=sm_90a -canonicalize -cse | FileCheck %s --check-prefix=F3
// RUN: conv-opt %s -split-input-file -conv-to-kernels=chip=sm_90a -conv-map-to-wgmma -canonicalize -cse | FileCheck %s --check-prefix=F7

// Even and odd columns of a line are two phases. Eight pairs of tiles on 132 workgroups, of which each team takes the two tiles of a pair in
// turns with the other one: turns 0 and 2 are a pair, and 1 and 3. What has no pair makes another one once more.

// F3-LABEL: func.func @pairs
// F3:         scf.forall (%[[TURN:.*]], %[[WORKGROUP:.*]]) in (4, 132)
// F3-DAG:       %[[TEAM:.*]] = arith.remui %[[TURN]], %c2
// F3-DAG:       %[[HALF:.*]] = arith.divui %[[TURN]], %c2
// F3-DAG:       %[[ODD:.*]] = arith.remui %[[HALF]], %c2
// F3-DAG:       %[[FOUR:.*]] = arith.divui %[[TURN]], %c4
// F3:           %[[PAIR:.*]] = arith.remui %{{.*}}, %c8
// F3:           conv.scatter {{.*}} views [{{.*}}] channels_first

// The even ones stay in shared memory. With the odd ones eight elements of a line are stored.

// F7-LABEL: gpu.func @pairs
// F7-DAG:     memref.alloc() : memref<2x64x48xbf16, #gpu.address_space<workgroup>>
// F7-DAG:     memref.alloc() : memref<2x64x48xbf16, #gpu.address_space<workgroup>>
// F7:         %[[EVEN:.*]] = arith.cmpi ult, %{{.*}}, %c1 : index
// F7:         scf.if
// F7:           nvvm.barrier id = %{{.*}} number_of_threads = %c128_i32
// F7:           engine.store_matrices {{.*}} to %[[FIRST:.*]][%{{.*}}] transposed
// F7-NOT:       vector.store
// F7:         } else {
// F7:           engine.store_matrices {{.*}} to %[[SECOND:.*]][%{{.*}}] transposed
// F7:           nvvm.barrier id = %{{.*}} number_of_threads = %c128_i32
// F7:           %[[A:.*]] = vector.load %[[FIRST]][%[[AT:.*]]] {alignment = 8 : i64} : {{.*}}, vector<4xbf16>
// F7:           %[[B:.*]] = vector.load %[[SECOND]][%[[AT]]] {alignment = 8 : i64} : {{.*}}, vector<4xbf16>
// F7:           %[[BOTH:.*]] = vector.interleave %[[A]], %[[B]] : vector<4xbf16> -> vector<8xbf16>
// F7:           vector.store %[[BOTH]], %{{.*}} {alignment = 16 : i64}
func.func @pairs(%dy: tensor<2x64x8x16xbf16>, %w: tensor<64x48x3x3xbf16>) -> tensor<2x48x16x32xbf16> {
  %e = tensor.empty() : tensor<2x48x16x32xbf16>
  %dx = conv.dgrad ins(%dy, %w : tensor<2x64x8x16xbf16>, tensor<64x48x3x3xbf16>) outs(%e : tensor<2x48x16x32xbf16>) stride [2, 2] pad [1, 1] layout nchw
       {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 48, 64], warps = [4, 1], stages = 3, copy = tma, mma = wgmma, teams = 2>} -> tensor<2x48x16x32xbf16>
  return %dx : tensor<2x48x16x32xbf16>
}

// -----

// Where a part of the rows is staged at a time, phases are stored one by one; 64 channels make too few products for that, so that a kernel
// behind transposes the result.

// F3-LABEL: func.func @alone
// F3:         scf.forall (%{{.*}}, %{{.*}}) in (8, 1)
// F3-NOT:       channels_first
// F3:         return
// F7-LABEL: gpu.func @alone
// F7-NOT:     vector.interleave
// F7:         gpu.return
func.func @alone(%dy: tensor<2x64x8x16xbf16>, %w: tensor<64x48x3x3xbf16>) -> tensor<2x48x16x32xbf16> {
  %e = tensor.empty() : tensor<2x48x16x32xbf16>
  %dx = conv.dgrad ins(%dy, %w : tensor<2x64x8x16xbf16>, tensor<64x48x3x3xbf16>) outs(%e : tensor<2x48x16x32xbf16>) stride [2, 2] pad [1, 1] layout nchw
       {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [128, 48, 64], warps = [4, 1], stages = 3, copy = tma, mma = wgmma, teams = 2, staging = 64>} -> tensor<2x48x16x32xbf16>
  return %dx : tensor<2x48x16x32xbf16>
}
