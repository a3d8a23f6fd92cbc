// RUN: conv-opt %s -conv-to-kernels='chip=sm_90a schedule="tile=256x128x64,warps=8x1,stages=3,copy=tma,mma=wgmma"' | FileCheck %s --check-prefix=ROLES
// RUN: conv-opt %s -conv-to-kernels='chip=sm_90a schedule="tile=256x128x64,warps=8x1,stages=3,copy=tma,mma=wgmma"' -conv-map-to-wgmma -canonicalize -cse | FileCheck %s --check-prefix=THREADS

// A ring with barriers whose warps have roles (F6c), and what a consumer does
// (F7). 200 output tiles on 132 workgroups: each loops over its tiles.

// ROLES-LABEL: gpu.func @forward_0
// ROLES-SAME:    known_block_size = array<i32: 384, 1, 1>
// ROLES:         %[[RA:.*]] = memref.alloc() : memref<3x256x64xbf16, #gpu.address_space<workgroup>>
// ROLES:         %[[RB:.*]] = memref.alloc() : memref<3x128x64xbf16, #gpu.address_space<workgroup>>
// ROLES:         %[[FULL:.*]] = nvgpu.mbarrier.create -> <memorySpace = #gpu.address_space<workgroup>, num_barriers = 3>
// ROLES:         %[[EMPTY:.*]] = nvgpu.mbarrier.create
// One thread initialises: one arrival and bytes, one arrival of each consumer warp.
// ROLES:         scf.if
// ROLES:           nvgpu.mbarrier.init %[[FULL]][%c0], %c1
// ROLES:           nvgpu.mbarrier.init %[[EMPTY]][%c0], %c8
// ROLES-COUNT-4:   nvgpu.mbarrier.init
// ROLES:           nvvm.fence.mbarrier.init
// ROLES:         gpu.barrier
// ROLES:         %[[UNIFORM:.*]] = nvvm.shfl.sync idx
// ROLES:         scf.if
//
// The producer: one thread, no product, no store.
// ROLES:           nvvm.setmaxregister decrease 40
// ROLES:           arith.cmpi eq, %{{.*}}, %c256
// ROLES:           scf.for %{{.*}} to %c200 step %{{.*}} iter_args(%[[SLOT:.*]] = %c0, %[[PHASE:.*]] = %false)
// ROLES:             %[[OTHER:.*]] = arith.xori %[[PHASE]], %true
// ROLES-NEXT:        nvgpu.mbarrier.try_wait.parity %[[EMPTY]][%[[SLOT]]], %[[OTHER]]
// ROLES-NEXT:        nvgpu.mbarrier.arrive.expect_tx %[[FULL]][%[[SLOT]]], %c49152
// ROLES:             engine.load_tile {{.*}} %[[FULL]][%[[SLOT]]]
// ROLES:             engine.load_tile {{.*}} %[[FULL]][%[[SLOT]]]
// Slot, phase, and the digits of the block.
// ROLES:             scf.for %{{.*}} = %c1 to %c18 {{.*}} -> (index, i1, index, index) {
// ROLES-NOT:         vector.contract
// ROLES-NOT:         conv.scatter
//
// Consumers: no copy; a slot is released one block late.
// ROLES:         } else {
// ROLES:           nvvm.setmaxregister increase 232
// ROLES-NOT:       engine.load_tile
// ROLES-NOT:       expect_tx
// ROLES:           scf.for %{{.*}} to %c200
// ROLES:             nvgpu.mbarrier.try_wait.parity %[[FULL]]
// ROLES:             vector.contract
// ROLES-NOT:         nvgpu.mbarrier.arrive
// The sum, slot, phase, and the slot of the block before.
// ROLES:             scf.for %{{.*}} = %c1 to %c18 {{.*}} iter_args(%{{.*}}, %[[SLOT:.*]] = %{{.*}}, %{{.*}} = %{{.*}}, %[[LAST:.*]] = %{{.*}}) -> (vector<256x128xf32>, index, i1, index) {
// ROLES:               nvgpu.mbarrier.try_wait.parity %[[FULL]][%[[SLOT]]]
// ROLES:               vector.contract
// ROLES:               scf.if
// ROLES-NEXT:            nvgpu.mbarrier.arrive %[[EMPTY]][%[[LAST]]]
// ROLES:               scf.yield %{{.*}}, %{{.*}}, %{{.*}}, %[[SLOT]] :
// ROLES:             scf.if
// ROLES-NEXT:          nvgpu.mbarrier.arrive %[[EMPTY]]
// ROLES:             conv.scatter
// ROLES:       gpu.launch_func {{.*}} blocks in (%c132, %c1, %c1) threads in (%c384, %c1, %c1)

// Each of the two warpgroups has two blocks of 64 rows.
// THREADS-LABEL: gpu.func @forward_0
// THREADS-SAME:    nvvm.minctasm = 1
// THREADS-DAG:     %[[ZERO:.*]] = engine.zero_accumulator : !nvgpu.warpgroup.accumulator<fragmented = vector<64x128xf32>>
// THREADS:         nvvm.wgmma.fence.aligned
// THREADS:         %[[P0:.*]] = engine.warpgroup_mma %[[A:.*]][%[[ROW:.*]]], %{{.*}}, %[[ZERO]]
// THREADS:         %[[P1:.*]] = engine.warpgroup_mma %[[A]][%{{.*}}], %{{.*}}, %[[ZERO]]
// THREADS:         nvvm.wgmma.commit.group.sync.aligned
// THREADS:         scf.for %{{.*}} iter_args(%[[C0:.*]] = %[[P0]], %[[C1:.*]] = %[[P1]],
// THREADS:           nvvm.wgmma.fence.aligned
// THREADS:           engine.warpgroup_mma {{.*}}, %[[C0]]
// THREADS:           engine.warpgroup_mma {{.*}}, %[[C1]]
// THREADS:           nvvm.wgmma.commit.group.sync.aligned
// THREADS:           nvvm.wgmma.wait.group.sync.aligned 1
// The last block is waited for before its slot is released.
// THREADS:         nvvm.wgmma.wait.group.sync.aligned 0
// THREADS:         engine.read_accumulator
// THREADS:         engine.read_accumulator
// THREADS:         nvgpu.mbarrier.arrive
// THREADS:         nvvm.cp.async.bulk.wait_group 0 {read}
// THREADS:         engine.store_matrices
// THREADS:         engine.store_tile
// THREADS-NEXT:    nvvm.cp.async.bulk.commit.group
// THREADS:         nvvm.cp.async.bulk.wait_group 0
// THREADS-NEXT:    gpu.return
func.func @forward(%x: tensor<25x32x32x128xbf16>, %w: tensor<256x3x3x128xbf16>) -> tensor<25x32x32x256xbf16> {
  %y0 = tensor.empty() : tensor<25x32x32x256xbf16>
  %y = conv.forward ins(%x, %w : tensor<25x32x32x128xbf16>, tensor<256x3x3x128xbf16>) outs(%y0 : tensor<25x32x32x256xbf16>)
    {pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>} -> tensor<25x32x32x256xbf16>
  return %y : tensor<25x32x32x256xbf16>
}
