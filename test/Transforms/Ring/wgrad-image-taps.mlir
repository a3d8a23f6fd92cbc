// RUN: conv-opt %s -conv-to-kernels=chip=sm_90a | FileCheck %s
// RUN: conv-opt %s -conv-to-kernels=chip=sm_90a -conv-map-to-wgmma -canonicalize -cse | FileCheck %s --check-prefix=WGMMA

// A wgrad that reads dy K-major, and x from boxes of images as they lie.

// A row of taps: 32 positions are two rows, and x has a run of two, with 2 + 6
// positions in front. The slot of the last block is free behind the first
// products of this one, which are those of 16 positions.

// CHECK-LABEL: gpu.func @run_0(%arg0: memref<2x64x64xbf16>, %arg1: memref<2x64x4x16xbf16>
// CHECK-DAG:     %[[X:.*]] = memref.collapse_shape %arg1 {{\[}}[0], [1], [2, 3]{{\]}} : {{.*}} into memref<2x64x64xbf16>
// CHECK-DAG:     memref.alloc() : memref<3x64x32xbf16
// CHECK-DAG:     memref.alloc() : memref<3x1x64x56xbf16
// CHECK:         engine.load_box %arg0[{{.*}} {conv.producer} : memref<2x64x64xbf16> into memref<64x32xbf16
// CHECK:         engine.load_box %[[X]][{{.*}} {conv.producer, dense} : memref<2x64x64xbf16> into memref<64x56xbf16
// CHECK:         } else {
// CHECK:         scf.for
// CHECK:         scf.for {{.*}} iter_args(%[[ACC:[^ ]*]] = {{.*}}, %{{.*}} = {{.*}}, %{{.*}} = {{.*}}, %[[LAST:[^ ]*]] = {{.*}}) ->
// CHECK:           nvgpu.mbarrier.try_wait.parity
// CHECK:           %[[TAPS:.*]] = engine.read_image_taps %{{.*}}[%c6] {column = -1 : i64, columns = array<i64: 1, 1>, extent = 16 : i64, margin = 2 : i64, rows = array<i64: 16, 16>, taps = array<i64: 1, 3>, width = 16 : i64} : memref<1x64x56xbf16, {{.*}} -> vector<32x3x64xbf16>
// CHECK:           %[[FIRST:.*]] = vector.extract_strided_slice %[[TAPS]] {offsets = [0, 0, 0]
// CHECK:           %[[BEGUN:.*]] = vector.contract {{.*}}, %[[FIRST]], %[[ACC]] : vector<64x16xbf16>, vector<16x3x64xbf16> into vector<64x3x64xf32>
// CHECK:           nvgpu.mbarrier.arrive %{{.*}}[%[[LAST]]]
// CHECK:           %[[REST:.*]] = vector.extract_strided_slice %[[TAPS]] {offsets = [16, 0, 0]
// CHECK:           vector.contract {{.*}}, %[[REST]], %[[BEGUN]] : vector<64x16xbf16>, vector<16x3x64xbf16> into vector<64x3x64xf32>
// CHECK:         conv.scatter {{.*}} : vector<64x3x64xf32> into memref<64x3x3x64xf32>

// The words of both steps are read in front of the first products. Those of
// column -1, which lane 0 has in its upper half, are masked.

// WGMMA-LABEL: gpu.func @run_0
// WGMMA:         scf.for
// WGMMA:         scf.for
// WGMMA:         %[[LANE:.*]] = arith.cmpi uge, %{{.*}}, %c1
// WGMMA:         %[[MASK:.*]] = arith.select %[[LANE]], %c-1_i32, %c-65536_i32 : i32
// WGMMA:         arith.andi %{{.*}}, %[[MASK]]
// WGMMA:         scf.for
// WGMMA:           nvgpu.mbarrier.try_wait.parity
// WGMMA-COUNT-24:  vector.load %{{.*}} {alignment = 4 : i64} : memref<3584xbf16, {{.*}}, vector<2xbf16>
// WGMMA-NOT:       vector.load
// WGMMA:           nvvm.wgmma.fence.aligned
// WGMMA-COUNT-3:   engine.register_mma [{{.*}} at 0, %{{.*}} : memref<64x32xbf16, {{.*}} vector<64x64xf32>>
// WGMMA-NEXT:      nvvm.wgmma.commit.group.sync.aligned
// WGMMA-NEXT:      nvvm.wgmma.wait.group.sync.aligned 1
// WGMMA-NEXT:      nvvm.bar.warp.sync
// WGMMA:           nvgpu.mbarrier.arrive
// WGMMA-NOT:       vector.load
// WGMMA:           nvvm.wgmma.fence.aligned
// WGMMA-COUNT-3:   engine.register_mma [{{.*}} at 16, %{{.*}} : memref<64x32xbf16
// WGMMA-NEXT:      nvvm.wgmma.commit.group.sync.aligned
// WGMMA:           scf.yield
// WGMMA:         nvvm.wgmma.wait.group.sync.aligned 0
// WGMMA-COUNT-3: engine.read_accumulator
// WGMMA:         nvgpu.mbarrier.arrive
// Eight blocks of columns, two of each, three taps, two channels.
// WGMMA-COUNT-96: vector.store %{{.*}} : memref<36864xf32>, vector<1xf32>
// WGMMA-NOT:     vector.store
// WGMMA:         gpu.return
func.func @run(%x: tensor<2x64x4x16xbf16>, %dy: tensor<2x64x4x16xbf16>) -> tensor<64x64x3x3xf32> {
  %e = tensor.empty() : tensor<64x64x3x3xf32>
  %dw = conv.wgrad ins(%x, %dy : tensor<2x64x4x16xbf16>, tensor<2x64x4x16xbf16>) outs(%e : tensor<64x64x3x3xf32>) pad [1, 1] layout nchw {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 192, 32], warps = [1, 4], stages = 3, copy = tma, mma = wgmma, window = true, gather = true, k_major = true>} -> tensor<64x64x3x3xf32>
  return %dw : tensor<64x64x3x3xf32>
}

// Rows of 28 begin at any multiple of 4: what is in front depends on the block,
// and is added to what a thread adds.

// CHECK-LABEL: gpu.func @anywhere_2
// CHECK:         arith.andi %{{.*}}, %c-8
// CHECK:         engine.load_box {{.*}} {conv.producer, dense} : memref<2x64x224xbf16> into memref<64x136xbf16
// CHECK:         } else {
// CHECK:         %[[BEGIN:.*]] = arith.andi %[[COLUMN0:.*]], %c-8
// CHECK:         %[[FRONT:.*]] = arith.subi %[[COLUMN0]], %[[BEGIN]]
// CHECK:         engine.read_image_taps %{{.*}}[%[[FRONT]]] {{.*}} -> vector<112x3x64xbf16>

// WGMMA-LABEL: gpu.func @anywhere_2
// WGMMA:         scf.for
// WGMMA:         scf.for
// WGMMA-COUNT-21: engine.register_mma [{{.*}} vector<64x32xf32>>
// WGMMA-NOT:     engine.register_mma
// WGMMA:         scf.for
// WGMMA-COUNT-21: engine.register_mma [{{.*}} vector<64x32xf32>>
// WGMMA-NOT:     engine.register_mma
// WGMMA:         gpu.return
func.func @anywhere(%x: tensor<2x64x8x28xbf16>, %dy: tensor<2x64x8x28xbf16>) -> tensor<64x64x3x3xf32> {
  %e = tensor.empty() : tensor<64x64x3x3xf32>
  %dw = conv.wgrad ins(%x, %dy : tensor<2x64x8x28xbf16>, tensor<2x64x8x28xbf16>) outs(%e : tensor<64x64x3x3xf32>) pad [1, 1] layout nchw {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [32, 192, 112], warps = [1, 4], stages = 2, copy = tma, mma = wgmma, window = true, gather = true, k_major = true>} -> tensor<64x64x3x3xf32>
  return %dw : tensor<64x64x3x3xf32>
}

// A stride, and a row of taps: each row of dy has a box of its own. A pair is
// every second element of two words.

// CHECK-LABEL: gpu.func @lines_4
// CHECK-COUNT-2: engine.load_box {{.*}} {conv.producer, dense} : memref<2x64x256xbf16> into memref<64x40xbf16
// CHECK:         } else {
// CHECK:         engine.read_image_taps %{{.*}}[%c6] {{.*}} columns = array<i64: 2, 1>, extent = 32 : i64, {{.*}} rows = array<i64: 40, 32>, {{.*}} : memref<2x64x40xbf16, {{.*}} -> vector<32x3x64xbf16>

// WGMMA-LABEL: gpu.func @lines_4
// WGMMA:         %[[WORD:.*]] = vector.load
// WGMMA:         %[[NEXT:.*]] = vector.load
// WGMMA:         vector.shuffle %[[WORD]], %[[NEXT]] [1, 3]
// WGMMA:         vector.shuffle %[[NEXT]], %{{.*}} [0, 2]
func.func @lines(%x: tensor<2x64x8x32xbf16>, %dy: tensor<2x64x4x16xbf16>) -> tensor<64x64x3x3xf32> {
  %e = tensor.empty() : tensor<64x64x3x3xf32>
  %dw = conv.wgrad ins(%x, %dy : tensor<2x64x8x32xbf16>, tensor<2x64x4x16xbf16>) outs(%e : tensor<64x64x3x3xf32>) stride [2, 2] pad [1, 1] layout nchw {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [32, 192, 32], warps = [1, 4], stages = 2, copy = tma, mma = wgmma, window = true, gather = true, k_major = true>} -> tensor<64x64x3x3xf32>
  return %dw : tensor<64x64x3x3xf32>
}

// Half a row, of all taps: three rows of x, which TMA ends where the image does,
// so nothing is masked. Two warpgroups have 64 channels each.

// CHECK-LABEL: gpu.func @part_6(%arg0: memref<2x16x256xbf16>, %arg1: memref<2x128x4x64xbf16>
// CHECK-COUNT-3: engine.load_box %arg1[{{.*}} {conv.producer, dense} : memref<2x128x4x64xbf16> into memref<128x1x56xbf16
// CHECK:         } else {
// CHECK:         engine.read_image_taps %{{.*}}[%c0] {column = 0 : i64, {{.*}} margin = 7 : i64, rows = array<i64: {{[0-9]+}}, 56>, taps = array<i64: 3, 3>, width = 32 : i64} : memref<3x128x56xbf16, {{.*}} -> vector<32x9x128xbf16>

// WGMMA-LABEL: gpu.func @part_6
// WGMMA:         scf.for
// WGMMA:         scf.for
// WGMMA-NOT:     arith.select {{.*}} : i32
// WGMMA:         nvvm.wgmma.fence.aligned
// WGMMA-COUNT-9: engine.register_mma [{{.*}} at 0, %{{.*}} : memref<16x32xbf16, {{.*}} vector<64x16xf32>>
// WGMMA-NEXT:    nvvm.wgmma.commit.group.sync.aligned
func.func @part(%x: tensor<2x128x4x64xbf16>, %dy: tensor<2x16x4x64xbf16>) -> tensor<16x128x3x3xf32> {
  %e = tensor.empty() : tensor<16x128x3x3xf32>
  %dw = conv.wgrad ins(%x, %dy : tensor<2x128x4x64xbf16>, tensor<2x16x4x64xbf16>) outs(%e : tensor<16x128x3x3xf32>) pad [1, 1] layout nchw {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [16, 1152, 32], warps = [1, 8], stages = 2, copy = tma, mma = wgmma, window = true, gather = true, k_major = true>} -> tensor<16x128x3x3xf32>
  return %dw : tensor<16x128x3x3xf32>
}
