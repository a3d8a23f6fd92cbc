// RUN: conv-opt %s -split-input-file -conv-to-kernels=chip=sm_90a | FileCheck %s --check-prefixes=CHECK,KERNEL
// RUN: conv-opt %s -split-input-file -conv-to-threads=chip=sm_90a | FileCheck %s --check-prefix=THREAD

// A block has 64 filters for each of three taps along a line, and positions,
// shifted by whole lines; whole panels of these, of which those past the tile
// are not read.

// CHECK-LABEL: gpu.func @ring_1
// KERNEL-DAG:    memref.alloc() : memref<4x192x64xbf16, #gpu.address_space<workgroup>>
// KERNEL-DAG:    memref.alloc() : memref<4x64x128xbf16, #gpu.address_space<workgroup>>
// KERNEL:        nvgpu.mbarrier.arrive.expect_tx %{{.*}}, %c40960
// KERNEL:        engine.load_tile %{{.*}} : memref<384x3x128xbf16> into memref<192x64xbf16
// KERNEL:        engine.load_box %{{.*}} : memref<8x128x672xbf16> into memref<64x128xbf16
// KERNEL:        vector.contract {{.*}} : vector<192x64xbf16>, vector<64x128xbf16> into vector<192x128xf32>
// KERNEL:        conv.add_taps %{{.*}} line 56 shifts [-1, 0, 1] : vector<192x128xf32> -> vector<64x112xf32>
// KERNEL:        conv.scatter

// 64 rows of each tap are an instruction with the columns of the tile. Of a
// block of eight columns only neighbours at its ends are other lanes': the
// second tap has none.
// THREAD-LABEL: gpu.func @ring_1
// THREAD-COUNT-6: engine.warpgroup_mma {{.*}}memref<192x64xbf16, {{.*}}memref<64x128xbf16, {{.*}}<fragmented = vector<64x112xf32>>
// THREAD-NOT:     engine.warpgroup_mma
// THREAD:         nvvm.shfl.sync  idx %c-1_i32, %{{.*}}, %{{.*}}, %c7199_i32 : f32 -> f32
// THREAD:         arith.addf
func.func @ring(%x: tensor<8x128x12x56xbf16>, %w: tensor<128x128x3x3xbf16>, %init: tensor<8x128x12x56xf32>) -> tensor<8x128x12x56xf32> {
  %y = conv.forward ins(%x, %w : tensor<8x128x12x56xbf16>, tensor<128x128x3x3xbf16>) outs(%init : tensor<8x128x12x56xf32>) pad [1, 1] layout nchw
         {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 112, 64], warps = [4, 1], stages = 4, copy = tma, mma = wgmma, teams = 1, kn2row = true>} -> tensor<8x128x12x56xf32>
  return %y : tensor<8x128x12x56xf32>
}

// -----

// As many stages as blocks: filters stay, and positions have the room that is
// left. Tiles along gemm-m come first, so that a workgroup has those of one.

// CHECK-LABEL: gpu.func @stay_1
// KERNEL-DAG:    memref.alloc() : memref<6x192x64xbf16, #gpu.address_space<workgroup>>
// KERNEL-DAG:    memref.alloc() : memref<4x64x128xbf16, #gpu.address_space<workgroup>>
// KERNEL-DAG:    num_barriers = 6>
// KERNEL-DAG:    num_barriers = 4>
// KERNEL:        scf.for %[[TILE:[^ ]*]] =
// KERNEL:          %[[M:.*]] = arith.remui %[[TILE]], %c2
// KERNEL:          affine.apply {{.*}}(%[[M]])
func.func @stay(%x: tensor<64x128x8x64xbf16>, %w: tensor<128x128x3x3xbf16>) -> tensor<64x128x8x64xbf16> {
  %e = tensor.empty() : tensor<64x128x8x64xbf16>
  %y = conv.forward ins(%x, %w : tensor<64x128x8x64xbf16>, tensor<128x128x3x3xbf16>) outs(%e : tensor<64x128x8x64xbf16>) pad [1, 1] layout nchw
         {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 128, 64], warps = [4, 1], stages = 6, copy = tma, mma = wgmma, kn2row = true>} -> tensor<64x128x8x64xbf16>
  return %y : tensor<64x128x8x64xbf16>
}

// -----

// Workgroups of a cluster load a half of the filters each, for both.

// CHECK-LABEL: gpu.func @shared_1
// KERNEL:        engine.load_tile %{{.*}} part %{{.*}} of 2
// KERNEL:        engine.load_box
func.func @shared(%x: tensor<4x256x8x64xf16>, %w: tensor<64x256x3x3xf16>) -> tensor<4x64x8x64xf16> {
  %e = tensor.empty() : tensor<4x64x8x64xf16>
  %y = conv.forward ins(%x, %w : tensor<4x256x8x64xf16>, tensor<64x256x3x3xf16>) outs(%e : tensor<4x64x8x64xf16>) pad [1, 1] layout nchw
         {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 128, 64], warps = [4, 1], stages = 4, copy = tma, mma = wgmma, cluster = [1, 2], teams = 2, kn2row = true>} -> tensor<4x64x8x64xf16>
  return %y : tensor<4x64x8x64xf16>
}
