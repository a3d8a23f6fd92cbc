// RUN: conv-opt %s -conv-to-tiles='chip=sm_90a schedule="tile=128x128x64,warps=8x1,stages=3,copy=tma,mma=wgmma,cluster=2x1"' | FileCheck %s --check-prefix=TILES
// RUN: conv-opt %s -conv-to-kernels='chip=sm_90a schedule="tile=128x128x64,warps=8x1,stages=3,copy=tma,mma=wgmma,cluster=2x1"' | FileCheck %s --check-prefix=ROLES
// RUN: conv-opt %s -conv-to-kernels='chip=sm_90a schedule="tile=128x128x64,warps=8x1,stages=3,copy=tma,mma=wgmma,cluster=1x2"' | FileCheck %s --check-prefix=ALONG-N
// RUN: conv-opt %s -conv-to-kernels='chip=sm_90a schedule="tile=128x128x64,warps=8x1,stages=3,copy=tma,mma=wgmma,cluster=2x2"' | FileCheck %s --check-prefix=SQUARE
// RUN: conv-opt %s -conv-to-threads='chip=sm_90a schedule="tile=128x128x64,warps=8x1,stages=3,copy=tma,mma=wgmma,cluster=1x2"' | FileCheck %s --check-prefix=THREADS
// RUN: conv-opt %s -conv-to-nvvm='chip=sm_90a schedule="tile=128x128x64,warps=8x1,stages=3,copy=tma,mma=wgmma,cluster=1x2"' | FileCheck %s --check-prefix=TARGET
// RUN: conv-opt %s -conv-to-kernels='chip=sm_90a schedule="tile=64x32x64,warps=4x1,stages=3,copy=tma,mma=wgmma,cluster=2x2"' | FileCheck %s --check-prefix=RESIDENT

// 7 x 3 tiles. Two of one cluster are neighbours; the last tile along the rows
// is made twice.

// TILES-DAG:    #[[PAIR:.*]] = affine_map<(d0, d1) -> (d0 * 2 + d1)>
// TILES-LABEL:  func.func @forward
// TILES:          scf.forall (%[[C:.*]], %[[BN:.*]], %[[I:.*]], %{{.*}}) in (4, 3, 2, 1)
// TILES:            %[[NUMBER:.*]] = affine.apply #[[PAIR]](%[[C]], %[[I]])
// TILES:            arith.minui %[[NUMBER]], %c6

// F6c. Both read the same B: each loads 64 of its 128 rows for both. A comes
// alone. The warps of both release a slot, each by two lanes.
// ROLES-LABEL:  gpu.func @forward_0
// ROLES-SAME:     known_cluster_size = array<i32: 2, 1, 1>
// ROLES:          %[[RANK:.*]] = gpu.cluster_block_id x
// ROLES:          %[[NEXT:.*]] = arith.addi %[[RANK]], %c1
// ROLES:          %[[OTHER:.*]] = arith.remui %[[NEXT]], %c2
// ROLES:          nvgpu.mbarrier.init %[[FULL:.*]][%c0], %c1
// ROLES:          nvgpu.mbarrier.init %[[EMPTY:.*]][%c0], %c16
// ROLES:          nvvm.fence.mbarrier.init
// ROLES-NOT:      gpu.barrier
// ROLES:          nvvm.cluster.arrive
// ROLES-NEXT:     nvvm.cluster.wait
// ROLES:          scf.if
// ROLES:            arith.cmpi eq, %{{.*}}, %c256
// ROLES:            scf.for %{{.*}} to %c24
// ROLES:              nvgpu.mbarrier.arrive.expect_tx %[[FULL]][%{{.*}}], %c32768
// ROLES:              engine.load_tile %{{.*}} offset = [-1, -1], groups = 1> {conv.producer}
// ROLES:              engine.load_tile %{{.*}} part %[[RANK]] of 2 to %c3 {conv.producer}
// ROLES:          } else {
// ROLES-DAG:        %[[FIRST:.*]] = arith.cmpi ult, %[[LANE:.*]], %c1
// ROLES-DAG:        %[[OWN:.*]] = arith.select %[[FIRST]], %[[RANK]], %[[OTHER]]
// ROLES-DAG:        %[[ARRIVES:.*]] = arith.cmpi ult, %[[LANE]], %c2
// ROLES-NOT:        nvgpu.mbarrier.arrive
// ROLES:            scf.if %[[ARRIVES]]
// ROLES-NEXT:         engine.arrive_remote %[[EMPTY]][%{{.*}}] of %[[OWN]]
// ROLES:            conv.scatter
// Behind the roles, for all threads.
// ROLES:          nvvm.cluster.arrive
// ROLES-NEXT:     nvvm.cluster.wait
// ROLES-NEXT:     gpu.return
// ROLES:        gpu.launch_func {{.*}} clusters in (%c2, %c1, %c1) blocks in (%c24, %c1, %c1)

// Two with the same A; three tiles along the columns are two clusters.
// ALONG-N:      engine.load_tile %{{.*}} offset = [-1, -1], groups = 1> part %[[RANK:.*]] of 2 to %c3
// ALONG-N:      engine.load_tile %{{.*}} offset = [0, 0], groups = 1> {conv.producer}
// ALONG-N:      gpu.launch_func {{.*}} clusters in (%c2, %c1, %c1) blocks in (%c28, %c1, %c1)

// Two pairs of each kind: three workgroups have a tile in common with one.
// SQUARE:       %[[RANK:.*]] = gpu.cluster_block_id x
// SQUARE:       %[[I:.*]] = arith.divui %[[RANK]], %c2
// SQUARE:       %[[J:.*]] = arith.remui %[[RANK]], %c2
// SQUARE:       %[[ROW:.*]] = arith.muli %[[I]], %c2
// SQUARE:       %[[ROW_BITS:.*]] = arith.shli %c3, %[[ROW]]
// SQUARE:       %[[COLUMN_BITS:.*]] = arith.shli %c5, %[[J]]
// SQUARE:       nvgpu.mbarrier.init
// SQUARE-NEXT:  nvgpu.mbarrier.init %{{.*}}, %c24
// SQUARE:       engine.load_tile %{{.*}} offset = [-1, -1], groups = 1> part %[[J]] of 2 to %[[ROW_BITS]]
// SQUARE:       engine.load_tile %{{.*}} offset = [0, 0], groups = 1> part %[[I]] of 2 to %[[COLUMN_BITS]]
// SQUARE:       gpu.launch_func {{.*}} clusters in (%c4, %c1, %c1) blocks in (%c32, %c1, %c1)

// 168 tiles. Of clusters of four, 30 are on the chip at the same time.
// RESIDENT:     scf.for %{{.*}} to %c168
// RESIDENT:     gpu.launch_func {{.*}} clusters in (%c4, %c1, %c1) blocks in (%c120, %c1, %c1)

// A box of 64 rows, to its place in the panel of 128.
// THREADS-LABEL: gpu.func @forward_0
// THREADS-SAME:    !nvgpu.tensormap.descriptor<tensor = memref<64x64xbf16, 3>
// THREADS-SAME:    !nvgpu.tensormap.descriptor<tensor = memref<128x64xbf16, 3>
// THREADS:         %[[RANK:.*]] = gpu.cluster_block_id x
// THREADS:         %[[PLACE:.*]] = arith.muli %[[RANK]], %c4096
// THREADS:         engine.tma_load %{{.*}} to %{{.*}}[%[[PLACE]]], %{{.*}} multicast %c3
// THREADS:         engine.tma_load {{.*\]}} : !nvgpu.tensormap.descriptor<tensor = memref<128x64xbf16, 3>

// TARGET:       llvm.func @forward_0
// TARGET-SAME:    nvvm.cluster_dim = array<i32: 2, 1, 1>
// TARGET:         nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} multicast_mask = %{{.*}} {mode = #nvvm.tma_load_mode<im2col>}
// TARGET:         %[[REMOTE:.*]] = nvvm.mapa %{{.*}}, %{{.*}} : !llvm.ptr<3> -> !llvm.ptr<7>
// TARGET-NEXT:    nvvm.mbarrier.arrive %[[REMOTE]] : !llvm.ptr<7>
func.func @forward(%x: tensor<1x28x30x64xbf16>, %w: tensor<384x3x3x64xbf16>) -> tensor<1x28x30x384xbf16> {
  %y0 = tensor.empty() : tensor<1x28x30x384xbf16>
  %y = conv.forward ins(%x, %w : tensor<1x28x30x64xbf16>, tensor<384x3x3x64xbf16>) outs(%y0 : tensor<1x28x30x384xbf16>)
    {pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>} -> tensor<1x28x30x384xbf16>
  return %y : tensor<1x28x30x384xbf16>
}
