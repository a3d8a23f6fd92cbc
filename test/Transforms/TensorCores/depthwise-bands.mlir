// RUN: conv-opt %s -conv-map-to-mma-sync | FileCheck %s

// All threads copy a line of x and one of dy, of 16 images, ahead of their use.
// A warp multiplies the line of x with the last three lines of dy, and keeps
// two of these. Taps are the sums of diagonals, line by line of the filter.

// CHECK-LABEL: gpu.func @wgrad
// CHECK:         %[[RING:.*]] = memref.alloc() : memref<13824xbf16, #gpu.address_space<workgroup>>
// CHECK-COUNT-5: nvgpu.device_async_copy %{{.*}}, %[[RING]]
// CHECK:         nvvm.cp.async.commit.group
// CHECK-COUNT-5: nvgpu.device_async_copy %{{.*}}, %[[RING]]
// CHECK:         nvvm.cp.async.commit.group
// CHECK:         scf.for {{.*}} -> (vector<2x2xf32>, {{.*}} vector<2x2xbf16>)
// CHECK:           nvvm.cp.async.wait.group 1
// CHECK:           gpu.barrier
// CHECK-COUNT-5:   nvgpu.device_async_copy %{{.*}}, %[[RING]]
// CHECK:           nvvm.cp.async.commit.group
// CHECK-COUNT-12:  nvgpu.mma.sync({{.*}}) {mmaShape = [16, 8, 16]} : (vector<4x2xbf16>, vector<2x2xbf16>, vector<2x2xf32>) -> vector<2x2xf32>
// CHECK-NOT:       nvgpu.mma.sync
// CHECK:           scf.yield
// CHECK:         nvvm.cp.async.wait.group 0
// CHECK:         %[[BLOCKS:.*]] = memref.alloc() : memref<2304xf32, #gpu.address_space<workgroup>>
// CHECK:         gpu.barrier
// CHECK-COUNT-16: memref.store %{{.*}}, %[[BLOCKS]]
// CHECK:         gpu.barrier
// CHECK-COUNT-8: memref.load %[[BLOCKS]]
// CHECK:         memref.store %{{.*}}, %arg2
// CHECK-NOT:     conv.depthwise
#view = #conv.view<rows = [3, 3], taps = [9, 8], stride = [1, 1], step = [1, 1], offset = [-1, -1], groups = 1>
#schedule = #conv.schedule<algorithm = loops, tile = [5, 16, 8], warps = [1, 4], stages = 3, copy = cp_async, mma = mma_sync, split = 2>
gpu.module @kernels {
  gpu.func @wgrad(%x: memref<20x9x8x48xbf16>, %dy: memref<20x72x48xbf16>, %sums: memref<2x3x3x48xf32>) kernel attributes {conv.loops = #schedule, known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %part = gpu.block_id x
    %v = conv.depthwise %x, %dy[%part, %c0, %c0, %c0] view #view schedule #schedule : memref<20x9x8x48xbf16>, memref<20x72x48xbf16> -> vector<1x3x3x16xf32>
    vector.transfer_write %v, %sums[%part, %c0, %c0, %c0] {in_bounds = [true, true, true, true]} : vector<1x3x3x16xf32>, memref<2x3x3x48xf32>
    gpu.return
  }
}
