// RUN: conv-opt %s -conv-to-kernels='chip=sm_90a schedule="tile=196x128x32,warps=1x8,stages=3,copy=tma,mma=wgmma,gather=true"' -conv-map-to-wgmma -canonicalize -cse | FileCheck %s
// RUN: conv-opt %s -conv-to-kernels='chip=sm_90a schedule="tile=196x128x32,warps=1x8,stages=3,copy=tma,mma=wgmma,gather=true"' -conv-lower-tile-copies -canonicalize -cse | FileCheck %s --check-prefix=THREADS
// RUN: conv-opt %s -conv-to-threads='chip=sm_90a schedule="tile=196x128x32,warps=1x8,stages=3,copy=tma,mma=wgmma,gather=true"' | FileCheck %s --check-prefix=MAPS

// A tile is four images of 7x7, and 32 channels of each are one run of memory:
// one box has them all. Three warps of the producer join them, in a slot of
// whole panels; the fourth loads boxes and filters. The instruction multiplies
// the first 200 columns of a slot.

// CHECK-LABEL: gpu.func @forward_0(%arg0: memref<5x64x7x7xbf16>
// CHECK-DAG:     %[[RUNS:.*]] = memref.collapse_shape %arg0 {{\[}}[0], [1, 2, 3]] : {{.*}} into memref<5x3136xbf16>
// CHECK-DAG:     %[[LINES:.*]] = memref.expand_shape %[[RUNS]] {{\[}}[0], [1, 2]] output_shape [5, 14, 224]
// CHECK-DAG:     %[[IMAGES:.*]] = memref.alloc() : memref<4x4x32x49xbf16
// CHECK-DAG:     %[[TILES:.*]] = memref.alloc() : memref<3x32x208xbf16
// CHECK:         nvgpu.mbarrier.init %[[FULL:.*]][%c0], %c4 :
// CHECK-NEXT:    nvgpu.mbarrier.init %[[EMPTY:.*]][%c0], %c8 :
// CHECK:         nvgpu.mbarrier.init %[[FULLX:.*]][%c0], %c1 :
// CHECK-NEXT:    nvgpu.mbarrier.init %[[EMPTYX:.*]][%c0], %c3 :
// CHECK:         nvgpu.mbarrier.try_wait.parity %[[EMPTY]]{{.*}} {conv.producers = 3 : i64}
// CHECK:         %[[TILE:.*]] = memref.subview %[[TILES]]{{.*}} [1, 32, 208]
// CHECK:         nvgpu.mbarrier.try_wait.parity %[[FULLX]]{{.*}} {conv.producers = 3 : i64}
// CHECK:         engine.join_images %{{.*}} into %[[TILE]] {conv.producers = 3 : i64} : memref<4x32x49xbf16, {{.*}} into memref<32x208xbf16
// CHECK:         nvgpu.mbarrier.arrive %[[EMPTYX]]
// CHECK:         nvvm.fence.proxy {{.*}}async.shared
// CHECK:         nvgpu.mbarrier.arrive %[[FULL]]
// CHECK:         nvgpu.mbarrier.try_wait.parity %[[EMPTYX]]{{.*}} {conv.producer}
// CHECK:         nvgpu.mbarrier.arrive.expect_tx %[[FULLX]]{{.*}}, %c12544 {conv.producer}
// CHECK:         engine.load_box %[[LINES]][%{{.*}}, %c0, %c0] into %{{.*}}, %[[FULLX]]{{.*}} {conv.producer, dense} : memref<5x14x224xbf16> into memref<4x7x224xbf16
// CHECK:         nvgpu.mbarrier.arrive.expect_tx %[[FULL]]{{.*}}, %c8192 {conv.producer}
// CHECK:         engine.load_tile %arg1
// CHECK:         engine.load_box %[[LINES]][%{{.*}}, %c7, %c0]
// CHECK:         engine.warpgroup_mma {{.*}}transpose_b} : {{.*}}memref<32x208xbf16, {{.*}}fragmented = vector<64x200xf32>>

// 25 chunks of a channel are those of three threads. An odd number of positions
// is loaded in words, of which four chunks need 17, and every second channel
// begins in the middle of one.

// THREADS-LABEL: gpu.func @forward_0
// THREADS:         %[[BEGIN:.*]] = arith.muli %[[CHANNEL:.*]], %c49
// THREADS:         arith.remui %[[BEGIN]], %c2
// THREADS:         scf.if
// THREADS-COUNT-5:   vector.load %{{.*}} {alignment = 4 : i64} : memref<6272xbf16, {{.*}}, vector<2xbf16>
// THREADS:           llvm.intr.fshr
// THREADS:           vector.store %{{.*}} {alignment = 16 : i64} : {{.*}}, vector<8xbf16>

// MAPS: engine.tensor_map %arg0 extents [224, 14, 5] byte_strides [448, 6272] element_strides [1, 1, 1] box [224, 7, 4]
func.func @forward(%x: tensor<5x64x7x7xbf16>, %w: tensor<128x1x1x64xbf16>) -> tensor<5x128x7x7xbf16> {
  %e = tensor.empty() : tensor<5x7x7x64xbf16>
  %t = linalg.transpose ins(%x : tensor<5x64x7x7xbf16>) outs(%e : tensor<5x7x7x64xbf16>) permutation = [0, 2, 3, 1]
  %y0 = tensor.empty() : tensor<5x7x7x128xbf16>
  %y = conv.forward ins(%t, %w : tensor<5x7x7x64xbf16>, tensor<128x1x1x64xbf16>) outs(%y0 : tensor<5x7x7x128xbf16>) -> tensor<5x7x7x128xbf16>
  %e1 = tensor.empty() : tensor<5x128x7x7xbf16>
  %r = linalg.transpose ins(%y : tensor<5x7x7x128xbf16>) outs(%e1 : tensor<5x128x7x7xbf16>) permutation = [0, 3, 1, 2]
  return %r : tensor<5x128x7x7xbf16>
}
