// RUN: conv-opt %s -split-input-file -conv-to-kernels='chip=sm_90a schedule="tile=128x64x64,warps=8x1,stages=4,copy=tma,mma=wgmma,gather=true"' | FileCheck %s --check-prefix=ROLES
// RUN: conv-opt %s -split-input-file -conv-to-kernels='chip=sm_90a schedule="tile=128x64x64,warps=8x1,stages=4,copy=tma,mma=wgmma,gather=true"' -conv-lower-tile-copies -canonicalize -cse | FileCheck %s --check-prefix=THREADS
// RUN: conv-opt %s -split-input-file -conv-to-threads='chip=sm_90a schedule="tile=128x64x64,warps=8x1,stages=4,copy=tma,mma=wgmma,gather=true"' | FileCheck %s --check-prefix=MAPS

// Positions of 1x1 filters come in boxes of images. Full barriers count the
// thread that announces the filter's bytes, and two warps; those of boxes one
// thread, and the empty ones two warps, which make the tile in two parts.

// ROLES-LABEL: gpu.func @forward_1(%arg0: memref<3x72x14x14xbf16>
// ROLES:         %[[IMAGES:.*]] = memref.collapse_shape %arg0 {{\[}}[0], [1], [2, 3]] : memref<3x72x14x14xbf16> into memref<3x72x196xbf16>
// ROLES:         %[[BOXES:.*]] = memref.alloc() : memref<4x4x32x64xbf16
// ROLES:         nvgpu.mbarrier.init %[[FULL:.*]][%c0], %c3 :
// ROLES-NEXT:    nvgpu.mbarrier.init %[[EMPTY:.*]][%c0], %c8 :
// ROLES:         nvgpu.mbarrier.init %[[FULLX:.*]][%c0], %c1 :
// ROLES-NEXT:    nvgpu.mbarrier.init %[[EMPTYX:.*]][%c0], %c2 :
// ROLES:         scf.for {{.*}} iter_args(%[[SLOT:.*]] = %c0, %{{.*}} = %false, %[[SLOTX:.*]] = %c0, %{{.*}} = %false)
// ROLES:           nvgpu.mbarrier.try_wait.parity %[[EMPTY]][%[[SLOT]]]{{.*}} {conv.producers = 2 : i64}
// ROLES:           nvgpu.mbarrier.try_wait.parity %[[FULLX]][%[[SLOTX]]]{{.*}} {conv.producers = 2 : i64}
// ROLES:           engine.deskew_rows %{{.*}}[%[[M:.*]]] into %[[TILE:.*]] channel 0 positions 196 {conv.producers = 2 : i64} : memref<4x32x64xbf16, {{.*}} into memref<64x128xbf16,
// ROLES:             nvgpu.mbarrier.arrive %[[EMPTYX]][%[[SLOTX]]]
// ROLES:           nvgpu.mbarrier.try_wait.parity %[[FULLX]][%[[NEXT:.*]]], {{.*}} {conv.producers = 2 : i64}
// ROLES:           engine.deskew_rows %{{.*}}[%[[M]]] into %[[TILE]] channel 32 positions 196
// ROLES:             nvgpu.mbarrier.arrive %[[EMPTYX]][%[[NEXT]]]
// ROLES:           nvvm.fence.proxy {{.*}}async.shared
// ROLES:             nvgpu.mbarrier.arrive %[[FULL]][%[[SLOT]]]
// ROLES:         engine.load_tile %arg1
// ROLES:         nvgpu.mbarrier.try_wait.parity %[[EMPTYX]]{{.*}} {conv.loader}
// ROLES:         nvgpu.mbarrier.arrive.expect_tx %[[FULLX]]{{.*}} {conv.loader}
// ROLES:         engine.load_box %[[IMAGES]][%{{.*}}, %c0, %{{.*}}] into %{{.*}}, %[[FULLX]][%{{.*}}] {conv.loader, skewed} : memref<3x72x196xbf16> into memref<32x64xbf16,
// ROLES:         scf.if
// ROLES-NEXT:      memref.subview
// ROLES-NEXT:      engine.load_box %[[IMAGES]]
// ROLES:         vector.contract {{.*}}vector<64x128xbf16>, vector<64x64xbf16> into vector<128x64xf32>

// A warp has 32 runs of four positions, of every second channel: 128 elements
// of the boxes, and eight loads come before their stores.

// THREADS-LABEL: gpu.func @forward_1
// THREADS-COUNT-8: vector.load %{{.*}} {alignment = 8 : i64} : memref<8192xbf16, {{.*}}, vector<4xbf16>
// THREADS-COUNT-8: vector.store %{{.*}} {alignment = 8 : i64} : memref<8192xbf16, {{.*}}, vector<4xbf16>

// Channels begin 0, 4, 8 and 12 positions behind a multiple of 16.

// MAPS: engine.tensor_map %{{.*}} extents [208, 4, 18, 3] byte_strides [384, 1568, 28224] element_strides [1, 1, 1, 1] box [64, 4, 8, 1]
func.func @forward(%x: tensor<3x72x14x14xbf16>, %w: tensor<64x1x1x72xbf16>, %y0: tensor<3x14x14x64xbf16>) -> tensor<3x14x14x64xbf16> {
  %e = tensor.empty() : tensor<3x14x14x72xbf16>
  %t = linalg.transpose ins(%x : tensor<3x72x14x14xbf16>) outs(%e : tensor<3x14x14x72xbf16>) permutation = [0, 2, 3, 1]
  %y = conv.forward ins(%t, %w : tensor<3x14x14x72xbf16>, tensor<64x1x1x72xbf16>) outs(%y0 : tensor<3x14x14x64xbf16>) -> tensor<3x14x14x64xbf16>
  return %y : tensor<3x14x14x64xbf16>
}

// -----

// Of an odd number of positions two neighbours are loaded one by one.

// ROLES-LABEL: gpu.func @odd_1
// ROLES:         engine.deskew_rows {{.*}} channel 0 positions 49 {{.*}} into memref<64x128xbf16,
// ROLES:         vector.contract {{.*}}vector<64x128xbf16>, vector<64x64xbf16> into vector<128x64xf32>

// THREADS-LABEL: gpu.func @odd_1
// THREADS:         memref.load %{{.*}} : memref<8192xbf16
// THREADS:         memref.load %{{.*}} : memref<8192xbf16
// THREADS:         vector.from_elements {{.*}} : vector<2xbf16>

// MAPS: engine.tensor_map %{{.*}} extents [64, 16, 4, 9] byte_strides [96, 1568, 6272] element_strides [1, 1, 1, 1] box [64, 16, 2, 1]
func.func @odd(%x: tensor<9x64x7x7xbf16>, %w: tensor<64x1x1x64xbf16>, %y0: tensor<9x7x7x64xbf16>) -> tensor<9x7x7x64xbf16> {
  %e = tensor.empty() : tensor<9x7x7x64xbf16>
  %t = linalg.transpose ins(%x : tensor<9x64x7x7xbf16>) outs(%e : tensor<9x7x7x64xbf16>) permutation = [0, 2, 3, 1]
  %y = conv.forward ins(%t, %w : tensor<9x7x7x64xbf16>, tensor<64x1x1x64xbf16>) outs(%y0 : tensor<9x7x7x64xbf16>) -> tensor<9x7x7x64xbf16>
  return %y : tensor<9x7x7x64xbf16>
}
