// RUN: conv-opt %s -conv-to-matrices='chip=sm_90a schedule="tile=128x64x64,warps=8x1,stages=3,copy=tma,mma=wgmma,window=true"' | FileCheck %s --check-prefix=MATRICES
// RUN: conv-opt %s -conv-to-kernels='chip=sm_90a schedule="tile=128x64x64,warps=8x1,stages=3,copy=tma,mma=wgmma,window=true"' | FileCheck %s --check-prefix=ROLES
// RUN: conv-opt %s -conv-to-kernels='chip=sm_90a schedule="tile=128x64x64,warps=8x1,stages=3,copy=tma,mma=wgmma,window=true"' -conv-map-to-wgmma -canonicalize -cse | FileCheck %s --check-prefix=THREADS
// RUN: conv-opt %s -conv-to-kernels='chip=sm_90a schedule="tile=256x64x64,warps=8x1,stages=2,copy=tma,mma=wgmma,window=true,staging=64"' -conv-map-to-wgmma -canonicalize -cse | FileCheck %s --check-prefix=STAGED
// RUN: conv-opt %s -conv-to-kernels='chip=sm_90a schedule="tile=128x64x64,warps=8x1,stages=12,copy=tma,mma=wgmma,window=true"' | FileCheck %s --check-prefix=RESIDENT

// Taps that share a window. 70 columns are two strips of 64, 5 rows are three
// tiles of two; the epilogue sees the same rows.

// MATRICES: %[[X:.*]] = conv.im2col %{{.*}} view <rows = [6, 64], taps = [3, 2], stride = [1, 1], step = [1, 1], offset = [-1, 0], groups = 1, strips = 2> : tensor<2x5x71x128xbf16> -> tensor<1536x6x128xbf16>
// MATRICES: linalg.generic {{.*}} ins(%[[X]], %{{.*}}
// MATRICES: conv.scatter %{{.*}} view <rows = [6, 64], taps = [1, 1], {{.*}}, strips = 2> : tensor<1536x64xbf16> into tensor<2x5x70x64xbf16>

// ROLES-LABEL: gpu.func @forward_0
// Three windows of 4 x 65 lines, a multiple of eight apart; three filter tiles.
// ROLES:         %[[WINDOWS:.*]] = memref.alloc() : memref<3x264x64xbf16, #gpu.address_space<workgroup>>
// ROLES:         %[[FILTERS:.*]] = memref.alloc() : memref<3x64x64xbf16, #gpu.address_space<workgroup>>
// ROLES:         %[[FULL:.*]] = nvgpu.mbarrier.create
// ROLES-NEXT:    %[[EMPTY:.*]] = nvgpu.mbarrier.create
// ROLES-NEXT:    %[[FULLW:.*]] = nvgpu.mbarrier.create
// ROLES-NEXT:    %[[EMPTYW:.*]] = nvgpu.mbarrier.create
//
// The producer: a window at the first tap of a channel block, a filter tile always.
// ROLES:         scf.for
// ROLES:           %[[BOX:.*]] = memref.expand_shape {{.*}} output_shape [4, 65, 64]
// ROLES:           nvgpu.mbarrier.try_wait.parity %[[EMPTYW]]
// ROLES-NEXT:      nvgpu.mbarrier.arrive.expect_tx %[[FULLW]][%{{.*}}], %c33280
// ROLES-NEXT:      engine.load_box %{{.*}}[%[[N:.*]], %[[H:.*]], %[[Q:.*]], %c0] into %[[BOX]], %[[FULLW]]
// ROLES:           engine.load_tile
// ROLES:           scf.for %{{.*}} = %c1 to %c12
// ROLES:             %[[FIRST:.*]] = arith.cmpi eq, %{{.*}}, %c0
// ROLES-NEXT:        scf.if %[[FIRST]] {
// ROLES:               engine.load_box %{{.*}}[%[[N]], %[[H]], %[[Q]], %{{.*}}]
// ROLES:             } {conv.producer}
// ROLES:             engine.load_tile
//
// Consumers: a tap multiplies the part of the window that begins at it.
// ROLES:         } else {
// ROLES:           scf.for %{{.*}} = %c1 to %c12
// ROLES:             %[[FIRST:.*]] = arith.cmpi eq, %[[TAP:.*]], %c0
// ROLES-NEXT:        nvgpu.mbarrier.try_wait.parity %[[FULLW]]
// ROLES-NEXT:        nvgpu.mbarrier.try_wait.parity %[[FULL]]
// ROLES-DAG:         %[[S:.*]] = arith.remui %[[TAP]], %c2
// ROLES-DAG:         %[[R:.*]] = arith.divui %[[TAP]], %c2
// ROLES:             %[[PART:.*]] = memref.subview %{{.*}}[%[[R]], %[[S]], 0] [2, 64, 64] [1, 1, 1]
// ROLES:             %[[READ:.*]] = vector.transfer_read %[[PART]]{{.*}} vector<2x64x64xbf16>
// ROLES-NEXT:        %[[A:.*]] = vector.shape_cast %[[READ]] : vector<2x64x64xbf16> to vector<128x64xbf16>
// ROLES:             vector.contract {{.*}} %[[A]],
// ROLES:             nvgpu.mbarrier.arrive %[[EMPTY]]
// ROLES:             nvgpu.mbarrier.arrive %[[EMPTYW]]
// ROLES:           nvgpu.mbarrier.arrive %[[EMPTY]]
// ROLES:           nvgpu.mbarrier.arrive %[[EMPTYW]]

// A row of the tile is 65 lines further, and a warpgroup has one.
// THREADS-LABEL: gpu.func @forward_0
// THREADS-DAG:     %[[WARPGROUP:.*]] = arith.index_cast %{{.*}} : i32 to index
// THREADS-DAG:     %[[OWN:.*]] = arith.muli %[[WARPGROUP]], %c65
// THREADS:         scf.for %{{.*}} = %c1 to %c12
// THREADS:           %[[ROW:.*]] = arith.muli %{{.*}}, %c65
// THREADS:           %[[LINE:.*]] = arith.addi %[[ROW]], %{{.*}}
// THREADS:           %[[FIRST:.*]] = arith.addi %{{.*}}, %[[LINE]]
// THREADS:           engine.warpgroup_mma %{{.*}}[%[[FIRST]]], %{{.*}} : memref<260x64xbf16, strided<[64, 1], offset: ?>, {{.*}}>, memref<64x64xbf16
// Columns and rows past the image are dropped by the store.
// THREADS:         %[[BOX:.*]] = memref.expand_shape {{.*}} output_shape [1, 64, 64]
// THREADS:         engine.store_box %[[BOX]] into %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] : memref<1x64x64xbf16
// THREADS-NEXT:    nvvm.cp.async.bulk.commit.group

// Two rows of a warpgroup, staged one after the other in the same place.
// STAGED-LABEL: gpu.func @forward_0
// STAGED-DAG:     memref.alloc() : memref<2x64x64xbf16, #gpu.address_space<workgroup>>
// STAGED:         nvvm.cp.async.bulk.wait_group 0 {read}
// STAGED:         engine.store_matrices
// STAGED:         engine.store_box %[[BOX:.*]] into
// STAGED-NEXT:    nvvm.cp.async.bulk.commit.group
// STAGED:         nvvm.cp.async.bulk.wait_group 0 {read}
// STAGED:         engine.store_matrices
// STAGED:         engine.store_box %[[BOX]] into
// STAGED-NEXT:    nvvm.cp.async.bulk.commit.group

// A slot for each of 12 blocks: loaded in the workgroup's first tile, waited for
// by the parity of the only phase, never released.
// RESIDENT-LABEL: gpu.func @forward_0
// RESIDENT:       memref.alloc() : memref<12x64x64xbf16
// RESIDENT:       %[[FULL:.*]] = nvgpu.mbarrier.create
// RESIDENT-NEXT:  %[[EMPTY:.*]] = nvgpu.mbarrier.create
// RESIDENT:       scf.for %[[TILE:.*]] = %[[FIRST:.*]] to %c12 {{.*}} iter_args(%{{.*}} = %c0, %{{.*}} = %false)
// RESIDENT:         %[[ISFIRST:.*]] = arith.cmpi eq, %[[TILE]], %[[FIRST]]
// RESIDENT-NOT:     try_wait.parity %[[EMPTY]]
// RESIDENT:         scf.if %[[ISFIRST]] {
// RESIDENT:           nvgpu.mbarrier.arrive.expect_tx %[[FULL]][%c0]
// RESIDENT-NEXT:      engine.load_tile
// RESIDENT:         scf.for %{{.*}} = %c1 to %c12
// RESIDENT:           scf.if %[[ISFIRST]] {
// RESIDENT:       } else {
// RESIDENT:         nvgpu.mbarrier.try_wait.parity %[[FULL]][%c0], %false
// RESIDENT:         scf.for %{{.*}} = %c1 to %c12
// RESIDENT:           nvgpu.mbarrier.try_wait.parity %[[FULL]][%{{.*}}], %false
// RESIDENT-NOT:       nvgpu.mbarrier.arrive %[[EMPTY]]
func.func @forward(%x: tensor<2x5x71x128xbf16>, %w: tensor<64x3x2x128xbf16>) -> tensor<2x5x70x64xbf16> {
  %y0 = tensor.empty() : tensor<2x5x70x64xbf16>
  %y = conv.forward ins(%x, %w : tensor<2x5x71x128xbf16>, tensor<64x3x2x128xbf16>) outs(%y0 : tensor<2x5x70x64xbf16>)
    {pad_low = array<i64: 1, 0>, pad_high = array<i64: 1, 0>} -> tensor<2x5x70x64xbf16>
  return %y : tensor<2x5x70x64xbf16>
}
