// RUN: conv-opt %s -conv-to-kernels='chip=sm_90a schedule="tile=128x128x64,warps=4x1,stages=6,teams=2,staging=64"' | FileCheck %s --check-prefix=ROLES
// RUN: conv-opt %s -conv-to-kernels='chip=sm_90a schedule="tile=128x128x64,warps=4x1,stages=6,teams=2,staging=64"' -conv-map-to-wgmma -canonicalize -cse | FileCheck %s --check-prefix=THREADS

// 400 tiles on 132 workgroups, whose two teams of four warps take them in turn.

// ROLES-LABEL: gpu.func @forward_0
// ROLES-SAME:    known_block_size = array<i32: 384, 1, 1>
// ROLES-DAG:     %[[BOTH:.*]] = arith.constant 256 : i32
// ROLES:         %[[EMPTY:.*]] = nvgpu.mbarrier.create
// A slot is released by the four warps of one team.
// ROLES:         nvgpu.mbarrier.init %{{.*}}[%c0], %c4
// ROLES:         nvvm.setmaxregister increase 232
// The last team lets the first one begin.
// ROLES:         scf.if
// ROLES-NEXT:      nvvm.barrier.arrive id = %{{.*}} number_of_threads = %[[BOTH]]
// ROLES:         scf.for %{{.*}} to %c400 step %{{.*}} iter_args(%{{.*}} = %c0, %{{.*}} = %false, %[[TURN:.*]] = %c0)
// ROLES:           %[[OWN:.*]] = arith.cmpi eq, %[[TURN]], %{{.*}}
// ROLES:           scf.if %[[OWN]]
// ROLES-NEXT:        nvvm.barrier id = %[[ID:.*]] number_of_threads = %[[BOTH]]
// ROLES:             scf.for
// ROLES:               vector.contract
// The last slot has been met: the next team begins before this sum is complete.
// ROLES:               scf.yield %{{.*}} : vector<128x128xf32>
// ROLES-NEXT:        }
// ROLES-NEXT:        nvvm.barrier.arrive id = %{{.*}} number_of_threads = %[[BOTH]]
// ROLES:             nvgpu.mbarrier.arrive
// ROLES:             conv.scatter
// What the other team does moves on through the slots.
// ROLES:           } else {
// ROLES-NOT:         mbarrier
// ROLES-NOT:         vector.contract
// ROLES-NOT:         conv.scatter
// ROLES:             scf.for
// ROLES:             scf.yield
// ROLES:       gpu.launch_func {{.*}} blocks in (%c132, %c1, %c1) threads in (%c384, %c1, %c1)

// THREADS-LABEL: gpu.func @forward_0
// THREADS-DAG:     memref.alloc() : memref<2x64x128xbf16, #gpu.address_space<workgroup>>
// THREADS:         nvvm.barrier.arrive
// THREADS:         scf.for
// THREADS:         engine.warpgroup_mma
// THREADS:         nvvm.barrier.arrive
// THREADS-NEXT:    nvvm.wgmma.wait.group.sync.aligned 0
func.func @forward(%x: tensor<25x32x32x128xbf16>, %w: tensor<256x3x3x128xbf16>) -> tensor<25x32x32x256xbf16> {
  %y = tensor.empty() : tensor<25x32x32x256xbf16>
  %r = conv.forward ins(%x, %w : tensor<25x32x32x128xbf16>, tensor<256x3x3x128xbf16>) outs(%y : tensor<25x32x32x256xbf16>) {pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>} -> tensor<25x32x32x256xbf16>
  return %r : tensor<25x32x32x256xbf16>
}
