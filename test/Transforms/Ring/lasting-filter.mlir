// RUN: conv-opt %s -split-input-file -conv-to-kernels=chip=sm_90a | FileCheck %s

// One tile along gemm-n: all tiles of the result have the same filter, whose
// two blocks are loaded with the workgroup's first tile, each into memory of
// its own. Only x goes through the ring.

// CHECK-LABEL: gpu.func @narrow_1
// CHECK-DAG:     %[[RING:.*]] = memref.alloc() : memref<4x128x64xbf16, #gpu.address_space<workgroup>>
// CHECK-DAG:     %[[FILTER:.*]] = memref.alloc() : memref<2x144x64xbf16, #gpu.address_space<workgroup>>
// CHECK:         %[[FULL:.*]] = nvgpu.mbarrier.create -> <memorySpace = #gpu.address_space<workgroup>, num_barriers = 4>
// CHECK-NEXT:    %[[EMPTY:.*]] = nvgpu.mbarrier.create -> <memorySpace = #gpu.address_space<workgroup>, num_barriers = 4>
// CHECK-NEXT:    %[[LOADED:.*]] = nvgpu.mbarrier.create -> <memorySpace = #gpu.address_space<workgroup>, num_barriers = 2>
//
// The producer.
// CHECK:         scf.for %[[TILE:.*]] = %[[OWN:.*]] to %c392
// CHECK:           %[[FIRST:.*]] = arith.cmpi eq, %[[TILE]], %[[OWN]] : index
// CHECK:           scf.if %[[FIRST]] {
// CHECK-NEXT:        nvgpu.mbarrier.arrive.expect_tx %[[LOADED]][%c0], %c18432
// CHECK-NEXT:        %[[BLOCK:.*]] = memref.subview %[[FILTER]][0, 0, 0]
// CHECK-NEXT:        engine.load_tile %{{.*}}[%c0, %c0, %c0] into %[[BLOCK]], %[[LOADED]][%c0]
// CHECK-NEXT:      } {conv.producer}
// CHECK:           nvgpu.mbarrier.try_wait.parity %[[EMPTY]]
// CHECK-NEXT:      nvgpu.mbarrier.arrive.expect_tx %[[FULL]][%{{.*}}], %c16384
// CHECK:           engine.load_tile {{.*}}, %[[FULL]]
// CHECK:           scf.if %[[FIRST]] {
// CHECK-NEXT:        nvgpu.mbarrier.arrive.expect_tx %[[LOADED]][%c1], %c18432
// CHECK:             engine.load_tile %{{.*}}[%c0, %c0, %c64] into %{{.*}}, %[[LOADED]][%c1]
//
// Consumers: the phase of what stays is always the first.
// CHECK:         scf.for
// CHECK:           nvgpu.mbarrier.try_wait.parity %[[LOADED]][%c0], %false
// CHECK-NEXT:      nvgpu.mbarrier.try_wait.parity %[[FULL]]
// CHECK:           memref.subview %[[FILTER]][0, 0, 0]
// CHECK:           nvgpu.mbarrier.try_wait.parity %[[LOADED]][%c1], %false
// CHECK:           memref.subview %[[FILTER]][1, 0, 0]
// CHECK-NOT:       nvgpu.mbarrier.arrive %[[LOADED]]
func.func @narrow(%x: tensor<64x28x28x72xbf16>, %w: tensor<144x1x1x72xbf16>, %init: tensor<64x28x28x144xf32>) -> tensor<64x28x28x144xf32> {
  %y = conv.forward ins(%x, %w : tensor<64x28x28x72xbf16>, tensor<144x1x1x72xbf16>) outs(%init : tensor<64x28x28x144xf32>)
         {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [128, 144, 64], warps = [8, 1], stages = 4, copy = tma, mma = wgmma>} -> tensor<64x28x28x144xf32>
  return %y : tensor<64x28x28x144xf32>
}

// -----

// Three blocks have no room in place of two slots.

// CHECK-LABEL: gpu.func @long_1
// CHECK-DAG:     memref.alloc() : memref<2x128x64xbf16, #gpu.address_space<workgroup>>
// CHECK-DAG:     memref.alloc() : memref<2x64x64xbf16, #gpu.address_space<workgroup>>
func.func @long(%x: tensor<64x28x28x192xbf16>, %w: tensor<64x1x1x192xbf16>, %init: tensor<64x28x28x64xf32>) -> tensor<64x28x28x64xf32> {
  %y = conv.forward ins(%x, %w : tensor<64x28x28x192xbf16>, tensor<64x1x1x192xbf16>) outs(%init : tensor<64x28x28x64xf32>)
         {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [128, 64, 64], warps = [8, 1], stages = 2, copy = tma, mma = wgmma>} -> tensor<64x28x28x64xf32>
  return %y : tensor<64x28x28x64xf32>
}

// -----

// Two tiles along gemm-n: 132 workgroups step by an even number of tiles, so
// each stays with its half of the filters.

// CHECK-LABEL: gpu.func @wide_1
// CHECK-DAG:     memref.alloc() : memref<4x128x64xbf16, #gpu.address_space<workgroup>>
// CHECK-DAG:     memref.alloc() : memref<1x128x64xbf16, #gpu.address_space<workgroup>>
// CHECK:         scf.for %[[TILE:.*]] = %[[OWN:.*]] to %c784
// CHECK:           %[[NUMBER:.*]] = arith.remui %[[TILE]], %c2
// CHECK:           %[[HALF:.*]] = affine.apply #{{.*}}(%[[NUMBER]])
// CHECK:           %[[FIRST:.*]] = arith.cmpi eq, %[[TILE]], %[[OWN]] : index
// CHECK:           scf.if %[[FIRST]] {
// CHECK:             engine.load_tile %{{.*}}[%[[HALF]], %c0, %c0]
// CHECK-NEXT:      } {conv.producer}
func.func @wide(%x: tensor<64x28x28x64xbf16>, %w: tensor<256x1x1x64xbf16>, %init: tensor<64x28x28x256xf32>) -> tensor<64x28x28x256xf32> {
  %y = conv.forward ins(%x, %w : tensor<64x28x28x64xbf16>, tensor<256x1x1x64xbf16>) outs(%init : tensor<64x28x28x256xf32>)
         {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [128, 128, 64], warps = [8, 1], stages = 4, copy = tma, mma = wgmma>} -> tensor<64x28x28x256xf32>
  return %y : tensor<64x28x28x256xf32>
}

// -----

// 132 is no multiple of five tiles: workgroups take them in turn.

// CHECK-LABEL: gpu.func @in_turn_1
// CHECK-DAG:     memref.alloc() : memref<4x128x64xbf16, #gpu.address_space<workgroup>>
// CHECK-DAG:     memref.alloc() : memref<4x64x64xbf16, #gpu.address_space<workgroup>>
func.func @in_turn(%x: tensor<64x28x28x64xbf16>, %w: tensor<320x1x1x64xbf16>, %init: tensor<64x28x28x320xf32>) -> tensor<64x28x28x320xf32> {
  %y = conv.forward ins(%x, %w : tensor<64x28x28x64xbf16>, tensor<320x1x1x64xbf16>) outs(%init : tensor<64x28x28x320xf32>)
         {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [128, 64, 64], warps = [8, 1], stages = 4, copy = tma, mma = wgmma>} -> tensor<64x28x28x320xf32>
  return %y : tensor<64x28x28x320xf32>
}
