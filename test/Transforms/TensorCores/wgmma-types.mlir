// RUN: conv-opt %s -conv-to-kernels='chip=sm_90a schedule="tile=64x64x32,warps=4x1,stages=2,copy=tma,mma=wgmma"' -split-input-file | FileCheck %s --check-prefix=ROLES
// RUN: conv-opt %s -conv-to-threads='chip=sm_90a schedule="tile=64x64x32,warps=4x1,stages=2,copy=tma,mma=wgmma"' -split-input-file | FileCheck %s --check-prefix=THREADS
// RUN: conv-opt %s -conv-to-threads='chip=sm_90a schedule="tile=64x64x32,warps=4x1,stages=3,copy=tma,mma=wgmma,window=true"' -split-input-file | FileCheck %s --check-prefix=WINDOW

// wgmma of factors of 4 and of 1 byte. TMA rounds to tf32, through maps of that type; the result's
// map is of f32, which it stores as it is.

// ROLES-LABEL: gpu.func @tf32_0
// ROLES:         engine.load_tile {{.*}} {conv.producer, to_tf32} : memref<2x9x9x64xf32>
// ROLES:         engine.load_tile {{.*}} {conv.producer, to_tf32} : memref<64x3x3x64xf32>
// ROLES:         arith.truncf %{{.*}} : vector<64x32xf32> to vector<64x32xtf32>

// THREADS-LABEL: gpu.func @tf32_0
// THREADS-NOT:     convert.float.to.tf32
// THREADS:         %[[ZERO:.*]] = engine.zero_accumulator : !nvgpu.warpgroup.accumulator<fragmented = vector<64x64xf32>>
// THREADS:         engine.warpgroup_mma %{{.*}}, %[[ZERO]] : memref<64x32xf32, {{.*}}>, memref<64x32xf32
// THREADS:         scf.for {{.*}} -> ({{.*}}warpgroup.accumulator
// THREADS-LABEL: func.func @tf32
// THREADS-COUNT-2: engine.tensor_map {{.*}} : memref<{{.*}}xf32> -> !nvgpu.tensormap.descriptor<tensor = memref<64x32xtf32, 3>
// THREADS:         engine.tensor_map {{.*}} : memref<2x9x9x64xf32> -> !nvgpu.tensormap.descriptor<tensor = memref<64x32xf32, 3>
// WINDOW-LABEL: func.func @tf32
// WINDOW-COUNT-2: engine.tensor_map {{.*}} -> !nvgpu.tensormap.descriptor<tensor = memref<{{.*}}x32xtf32, 3>
func.func @tf32(%x: tensor<2x9x9x64xf32>, %w: tensor<64x3x3x64xf32>) -> tensor<2x9x9x64xf32> {
  %y0 = tensor.empty() : tensor<2x9x9x64xf32>
  %y = conv.forward ins(%x, %w : tensor<2x9x9x64xf32>, tensor<64x3x3x64xf32>) outs(%y0 : tensor<2x9x9x64xf32>) precision tf32
    {pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>} -> tensor<2x9x9x64xf32>
  return %y : tensor<2x9x9x64xf32>
}

// -----

// Sums of integers.

// THREADS-LABEL: gpu.func @s8_0
// THREADS:         engine.zero_accumulator : !nvgpu.warpgroup.accumulator<fragmented = vector<64x64xi32>>
// THREADS:         nvvm.wgmma.wait.group.sync.aligned 0
// THREADS:         engine.read_accumulator
func.func @s8(%x: tensor<2x9x9x64xi8>, %w: tensor<64x3x3x64xi8>) -> tensor<2x9x9x64xi32> {
  %y0 = tensor.empty() : tensor<2x9x9x64xi32>
  %y = conv.forward ins(%x, %w : tensor<2x9x9x64xi8>, tensor<64x3x3x64xi8>) outs(%y0 : tensor<2x9x9x64xi32>)
    {pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>} -> tensor<2x9x9x64xi32>
  return %y : tensor<2x9x9x64xi32>
}

// -----

// 8-bit floats: the loop carries f32, to which it adds the products of a block once they are complete.

// THREADS-LABEL: gpu.func @e4m3_0
// THREADS:         %[[ZERO:.*]] = engine.zero_accumulator
// THREADS:         engine.warpgroup_mma {{.*}}, %[[ZERO]]
// THREADS:         nvvm.wgmma.wait.group.sync.aligned 0
// THREADS:         %[[FIRST:.*]]:8 = engine.read_accumulator
// THREADS:         scf.for {{.*}} iter_args(%[[SUM:.*]] = %[[FIRST]]#0,
// THREADS:           engine.warpgroup_mma {{.*}}, %[[ZERO]]
// THREADS-NEXT:      nvvm.wgmma.commit.group.sync.aligned
// THREADS-NEXT:      nvvm.wgmma.wait.group.sync.aligned 0
// THREADS-NEXT:      %[[BLOCK:.*]]:8 = engine.read_accumulator
// THREADS-NEXT:      arith.addf %[[SUM]], %[[BLOCK]]#0
func.func @e4m3(%x: tensor<2x9x9x64xf8E4M3FN>, %w: tensor<64x3x3x64xf8E4M3FN>) -> tensor<2x9x9x64xf32> {
  %y0 = tensor.empty() : tensor<2x9x9x64xf32>
  %y = conv.forward ins(%x, %w : tensor<2x9x9x64xf8E4M3FN>, tensor<64x3x3x64xf8E4M3FN>) outs(%y0 : tensor<2x9x9x64xf32>)
    {pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>} -> tensor<2x9x9x64xf32>
  return %y : tensor<2x9x9x64xf32>
}

// -----

// Both types of 8-bit floats: widened for the contraction, multiplied as they are.

// ROLES-LABEL: gpu.func @e5m2_e4m3_0
// ROLES:         arith.extf %{{.*}} : vector<64x32xf8E5M2> to vector<64x32xf32>
// ROLES:         arith.extf %{{.*}} : vector<64x32xf8E4M3FN> to vector<64x32xf32>
// ROLES:         vector.contract {{.*}} : vector<64x32xf32>, vector<64x32xf32> into vector<64x64xf32>
// THREADS-LABEL: gpu.func @e5m2_e4m3_0
// THREADS-NOT:     arith.extf
// THREADS:         engine.warpgroup_mma {{.*}} : memref<64x32xf8E5M2, {{.*}}>, memref<64x32xf8E4M3FN, {{.*}}>
// THREADS:         nvvm.wgmma.wait.group.sync.aligned 0
// THREADS-NEXT:    engine.read_accumulator
func.func @e5m2_e4m3(%x: tensor<2x9x9x64xf8E5M2>, %w: tensor<64x3x3x64xf8E4M3FN>) -> tensor<2x9x9x64xf32> {
  %y0 = tensor.empty() : tensor<2x9x9x64xf32>
  %y = conv.forward ins(%x, %w : tensor<2x9x9x64xf8E5M2>, tensor<64x3x3x64xf8E4M3FN>) outs(%y0 : tensor<2x9x9x64xf32>)
    {pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>} -> tensor<2x9x9x64xf32>
  return %y : tensor<2x9x9x64xf32>
}
