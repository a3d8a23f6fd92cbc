// RUN: conv-opt %s -conv-plan-stores -conv-map-to-mma-sync -canonicalize -cse -split-input-file | FileCheck %s

// The matrix instruction of each type of factors (MmaShape.h).

// tf32: `ldmatrix` moves words of 32 bits; each is rounded.

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [16, 8, 8], warps = [1, 1], stages = 2, copy = cp_async, mma = mma_sync>
#y = #conv.view<rows = [16], taps = [1], stride = [1], step = [1], offset = [0], groups = 1>
#smem = #gpu.address_space<workgroup>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @tf32
  // CHECK:         %[[A:.*]] = nvgpu.ldmatrix %{{.*}} {numTiles = 4 : i32, transpose = false} : memref<128xf32, #gpu.address_space<workgroup>> -> vector<4x1xf32>
  // CHECK:         %[[A0:.*]] = vector.extract %[[A]][0, 0]
  // CHECK:         %[[R:.*]] = nvvm.convert.float.to.tf32 %[[A0]] {rnd = #nvvm.fp_rnd_mode<rna>}
  // CHECK:         arith.bitcast %[[R]] : i32 to f32
  // CHECK-COUNT-3: nvvm.convert.float.to.tf32
  // CHECK:         %[[AR:.*]] = vector.from_elements {{.*}} : vector<4x1xf32>
  // CHECK:         nvgpu.ldmatrix %{{.*}} {numTiles = 2 : i32, transpose = false} : {{.*}} -> vector<2x1xf32>
  // CHECK-COUNT-2: nvvm.convert.float.to.tf32
  // CHECK:         %[[BR:.*]] = vector.from_elements {{.*}} : vector<2x1xf32>
  // CHECK:         nvgpu.mma.sync(%[[AR]], %[[BR]], %{{.*}}) {mmaShape = [16, 8, 8], tf32Enabled}
  gpu.func @tf32(%a: memref<16x8xf32, #smem>, %b: memref<8x8xf32, #smem>, %y: memref<1x16x8xf32>) kernel
      attributes {conv.schedule = #schedule, known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : f32
    %zero = arith.constant dense<0.0> : vector<16x8xf32>
    %va = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : memref<16x8xf32, #smem>, vector<16x8xf32>
    %vb = vector.transfer_read %b[%c0, %c0], %p {in_bounds = [true, true]} : memref<8x8xf32, #smem>, vector<8x8xf32>
    %ra = arith.truncf %va : vector<16x8xf32> to vector<16x8xtf32>
    %rb = arith.truncf %vb : vector<8x8xf32> to vector<8x8xtf32>
    %d = vector.contract {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>
    } %ra, %rb, %zero : vector<16x8xtf32>, vector<8x8xtf32> into vector<16x8xf32>
    conv.scatter %d into %y[%c0, %c0, %c0] view #y : vector<16x8xf32> into memref<1x16x8xf32>
    gpu.return
  }
}

// -----

// Rows of gemm-k: `ldmatrix` transposes elements of 16 bits only.

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [16, 8, 8], warps = [1, 1], stages = 2, copy = cp_async, mma = mma_sync>
#y = #conv.view<rows = [16], taps = [1], stride = [1], step = [1], offset = [0], groups = 1>
#smem = #gpu.address_space<workgroup>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @tf32_transposed
  // CHECK-NOT:     nvgpu.ldmatrix
  // CHECK-COUNT-4: memref.load %{{.*}} : memref<128xf32, #gpu.address_space<workgroup>>
  // CHECK-COUNT-4: nvvm.convert.float.to.tf32
  // CHECK-COUNT-2: memref.load %{{.*}} : memref<64xf32, #gpu.address_space<workgroup>>
  // CHECK:         nvgpu.mma.sync{{.*}} {mmaShape = [16, 8, 8], tf32Enabled}
  gpu.func @tf32_transposed(%a: memref<8x16xf32, #smem>, %b: memref<8x8xf32, #smem>, %y: memref<1x16x8xf32>) kernel
      attributes {conv.schedule = #schedule, known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : f32
    %zero = arith.constant dense<0.0> : vector<16x8xf32>
    %va = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : memref<8x16xf32, #smem>, vector<8x16xf32>
    %vb = vector.transfer_read %b[%c0, %c0], %p {in_bounds = [true, true]} : memref<8x8xf32, #smem>, vector<8x8xf32>
    %ra = arith.truncf %va : vector<8x16xf32> to vector<8x16xtf32>
    %rb = arith.truncf %vb : vector<8x8xf32> to vector<8x8xtf32>
    %d = vector.contract {
      indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>
    } %ra, %rb, %zero : vector<8x16xtf32>, vector<8x8xtf32> into vector<16x8xf32>
    conv.scatter %d into %y[%c0, %c0, %c0] view #y : vector<16x8xf32> into memref<1x16x8xf32>
    gpu.return
  }
}

// -----

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [16, 8, 32], warps = [1, 1], stages = 2, copy = cp_async, mma = mma_sync>
#y = #conv.view<rows = [16], taps = [1], stride = [1], step = [1], offset = [0], groups = 1>
#smem = #gpu.address_space<workgroup>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @s8
  // CHECK:         %[[A:.*]] = nvgpu.ldmatrix %{{.*}} {numTiles = 4 : i32, transpose = false} : memref<512xi8, #gpu.address_space<workgroup>> -> vector<4x4xi8>
  // CHECK:         nvgpu.ldmatrix %{{.*}} {numTiles = 2 : i32, transpose = false} : {{.*}} -> vector<2x4xi8>
  // CHECK:         nvgpu.mma.sync(%[[A]], %{{.*}}, %{{.*}}) {mmaShape = [16, 8, 32]} : (vector<4x4xi8>, vector<2x4xi8>, vector<2x2xi32>) -> vector<2x2xi32>
  gpu.func @s8(%a: memref<16x32xi8, #smem>, %b: memref<8x32xi8, #smem>, %y: memref<1x16x8xi32>) kernel
      attributes {conv.schedule = #schedule, known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %p = arith.constant 0 : i8
    %zero = arith.constant dense<0> : vector<16x8xi32>
    %va = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : memref<16x32xi8, #smem>, vector<16x32xi8>
    %vb = vector.transfer_read %b[%c0, %c0], %p {in_bounds = [true, true]} : memref<8x32xi8, #smem>, vector<8x32xi8>
    %d = vector.contract {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>
    } %va, %vb, %zero : vector<16x32xi8>, vector<8x32xi8> into vector<16x8xi32>
    conv.scatter %d into %y[%c0, %c0, %c0] view #y : vector<16x8xi32> into memref<1x16x8xi32>
    gpu.return
  }
}

// -----

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [16, 16, 32], warps = [1, 1], stages = 2, copy = cp_async, mma = mma_sync>
#y = #conv.view<rows = [16], taps = [1], stride = [1], step = [1], offset = [0], groups = 1>
#smem = #gpu.address_space<workgroup>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @s8_transposed
  // CHECK-COUNT-16: memref.load %{{.*}} : memref<512xi8, #gpu.address_space<workgroup>>
  // CHECK:          vector.from_elements {{.*}} : vector<4x4xi8>
  // CHECK-COUNT-8:  memref.load
  // CHECK:          vector.from_elements {{.*}} : vector<2x4xi8>
  // CHECK-COUNT-2:  nvgpu.mma.sync{{.*}} {mmaShape = [16, 8, 32]}
  gpu.func @s8_transposed(%a: memref<32x16xi8, #smem>, %b: memref<32x16xi8, #smem>, %y: memref<1x16x16xi32>) kernel
      attributes {conv.schedule = #schedule, known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %p = arith.constant 0 : i8
    %zero = arith.constant dense<0> : vector<16x16xi32>
    %va = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x16xi8, #smem>, vector<32x16xi8>
    %vb = vector.transfer_read %b[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x16xi8, #smem>, vector<32x16xi8>
    %d = vector.contract {
      indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>
    } %va, %vb, %zero : vector<32x16xi8>, vector<32x16xi8> into vector<16x16xi32>
    conv.scatter %d into %y[%c0, %c0, %c0] view #y : vector<16x16xi32> into memref<1x16x16xi32>
    gpu.return
  }
}

// -----

// Two instructions of eight rows to a block.

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [16, 8, 4], warps = [1, 1], stages = 2, copy = cp_async, mma = mma_sync>
#y = #conv.view<rows = [16], taps = [1], stride = [1], step = [1], offset = [0], groups = 1>
#smem = #gpu.address_space<workgroup>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @f64
  // CHECK-COUNT-2: memref.load %{{.*}} : memref<64xf64, #gpu.address_space<workgroup>>
  // CHECK:         memref.load %{{.*}} : memref<32xf64, #gpu.address_space<workgroup>>
  // CHECK-COUNT-2: nvgpu.mma.sync{{.*}} {mmaShape = [8, 8, 4]} : (vector<1x1xf64>, vector<1x1xf64>, vector<1x2xf64>) -> vector<1x2xf64>
  gpu.func @f64(%a: memref<16x4xf64, #smem>, %b: memref<8x4xf64, #smem>, %y: memref<1x16x8xf64>) kernel
      attributes {conv.schedule = #schedule, known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : f64
    %zero = arith.constant dense<0.0> : vector<16x8xf64>
    %va = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : memref<16x4xf64, #smem>, vector<16x4xf64>
    %vb = vector.transfer_read %b[%c0, %c0], %p {in_bounds = [true, true]} : memref<8x4xf64, #smem>, vector<8x4xf64>
    %d = vector.contract {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>
    } %va, %vb, %zero : vector<16x4xf64>, vector<8x4xf64> into vector<16x8xf64>
    conv.scatter %d into %y[%c0, %c0, %c0] view #y : vector<16x8xf64> into memref<1x16x8xf64>
    gpu.return
  }
}

// -----

// 8-bit floats: an intrinsic takes the bits of four of them.

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [16, 8, 32], warps = [1, 1], stages = 2, copy = cp_async, mma = mma_sync>
#y = #conv.view<rows = [16], taps = [1], stride = [1], step = [1], offset = [0], groups = 1>
#smem = #gpu.address_space<workgroup>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @e4m3
  // CHECK:         %[[A:.*]] = nvgpu.ldmatrix %{{.*}} : memref<512xf8E4M3FN, #gpu.address_space<workgroup>> -> vector<4x4xf8E4M3FN>
  // CHECK:         %[[A0:.*]] = vector.extract %[[A]][0]
  // CHECK:         vector.bitcast %[[A0]] : vector<4xf8E4M3FN> to vector<1xi32>
  // CHECK:         %[[D:.*]] = llvm.call_intrinsic "llvm.nvvm.mma.m16n8k32.row.col.f32.e4m3.e4m3.f32"
  // CHECK-SAME:      %[[ZERO:[a-z0-9_]+]], %[[ZERO]], %[[ZERO]], %[[ZERO]])
  // CHECK-COUNT-4:   llvm.extractvalue %[[D]]
  // CHECK:         %[[P:.*]] = vector.from_elements {{.*}} : vector<2x2xf32>
  // CHECK:         arith.addf %{{.*}}, %{{.*}} : vector<2x2xf32>
  gpu.func @e4m3(%a: memref<16x32xf8E4M3FN, #smem>, %b: memref<8x32xf8E4M3FN, #smem>, %y: memref<1x16x8xf32>) kernel
      attributes {conv.schedule = #schedule, known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : f8E4M3FN
    %zero = arith.constant dense<0.0> : vector<16x8xf32>
    %va = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : memref<16x32xf8E4M3FN, #smem>, vector<16x32xf8E4M3FN>
    %vb = vector.transfer_read %b[%c0, %c0], %p {in_bounds = [true, true]} : memref<8x32xf8E4M3FN, #smem>, vector<8x32xf8E4M3FN>
    %d = vector.contract {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>
    } %va, %vb, %zero : vector<16x32xf8E4M3FN>, vector<8x32xf8E4M3FN> into vector<16x8xf32>
    conv.scatter %d into %y[%c0, %c0, %c0] view #y : vector<16x8xf32> into memref<1x16x8xf32>
    gpu.return
  }
}

// -----

// Both types of 8-bit floats: what widens them for the contraction is gone.

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [16, 8, 32], warps = [1, 1], stages = 2, copy = cp_async, mma = mma_sync>
#y = #conv.view<rows = [16], taps = [1], stride = [1], step = [1], offset = [0], groups = 1>
#smem = #gpu.address_space<workgroup>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @e5m2_e4m3
  // CHECK-NOT:     arith.extf
  // CHECK:         nvgpu.ldmatrix %{{.*}} -> vector<4x4xf8E5M2>
  // CHECK:         nvgpu.ldmatrix %{{.*}} -> vector<2x4xf8E4M3FN>
  // CHECK-NOT:     arith.extf
  // CHECK:         llvm.call_intrinsic "llvm.nvvm.mma.m16n8k32.row.col.f32.e5m2.e4m3.f32"
  gpu.func @e5m2_e4m3(%a: memref<16x32xf8E5M2, #smem>, %b: memref<8x32xf8E4M3FN, #smem>, %y: memref<1x16x8xf32>) kernel
      attributes {conv.schedule = #schedule, known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %pa = arith.constant 0.0 : f8E5M2
    %pb = arith.constant 0.0 : f8E4M3FN
    %zero = arith.constant dense<0.0> : vector<16x8xf32>
    %va = vector.transfer_read %a[%c0, %c0], %pa {in_bounds = [true, true]} : memref<16x32xf8E5M2, #smem>, vector<16x32xf8E5M2>
    %vb = vector.transfer_read %b[%c0, %c0], %pb {in_bounds = [true, true]} : memref<8x32xf8E4M3FN, #smem>, vector<8x32xf8E4M3FN>
    %wa = arith.extf %va : vector<16x32xf8E5M2> to vector<16x32xf32>
    %wb = arith.extf %vb : vector<8x32xf8E4M3FN> to vector<8x32xf32>
    %d = vector.contract {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>
    } %wa, %wb, %zero : vector<16x32xf32>, vector<8x32xf32> into vector<16x8xf32>
    conv.scatter %d into %y[%c0, %c0, %c0] view #y : vector<16x8xf32> into memref<1x16x8xf32>
    gpu.return
  }
}

// -----

// f32: rows lane / 4 and eight below of A, columns 2 (lane % 4) and the next of
// B, four of gemm-k at a time.

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [16, 8, 4], warps = [1, 1], stages = 2, copy = cp_async, mma = fma>
#y = #conv.view<rows = [16], taps = [1], stride = [1], step = [1], offset = [0], groups = 1>
#smem = #gpu.address_space<workgroup>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @f32
  // CHECK-COUNT-2:  vector.load %{{.*}} {alignment = 16 : i64} : memref<64xf32, #gpu.address_space<workgroup>>, vector<4xf32>
  // CHECK-COUNT-2:  vector.load %{{.*}} {alignment = 16 : i64} : memref<32xf32, #gpu.address_space<workgroup>>, vector<4xf32>
  // CHECK-COUNT-16: math.fma %{{.*}} : f32
  // CHECK-NOT:      math.fma
  gpu.func @f32(%a: memref<16x4xf32, #smem>, %b: memref<8x4xf32, #smem>, %y: memref<1x16x8xf32>) kernel
      attributes {conv.schedule = #schedule, known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : f32
    %zero = arith.constant dense<0.0> : vector<16x8xf32>
    %va = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : memref<16x4xf32, #smem>, vector<16x4xf32>
    %vb = vector.transfer_read %b[%c0, %c0], %p {in_bounds = [true, true]} : memref<8x4xf32, #smem>, vector<8x4xf32>
    %d = vector.contract {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>
    } %va, %vb, %zero : vector<16x4xf32>, vector<8x4xf32> into vector<16x8xf32>
    conv.scatter %d into %y[%c0, %c0, %c0] view #y : vector<16x8xf32> into memref<1x16x8xf32>
    gpu.return
  }
}

// -----

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [16, 8, 4], warps = [1, 1], stages = 2, copy = cp_async, mma = fma>
#y = #conv.view<rows = [16], taps = [1], stride = [1], step = [1], offset = [0], groups = 1>
#smem = #gpu.address_space<workgroup>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @f32_transposed
  // CHECK-COUNT-8:  vector.load %{{.*}} {alignment = 4 : i64} : memref<64xf32, #gpu.address_space<workgroup>>, vector<1xf32>
  // CHECK-COUNT-4:  vector.load %{{.*}} {alignment = 8 : i64} : memref<32xf32, #gpu.address_space<workgroup>>, vector<2xf32>
  // CHECK-COUNT-16: math.fma
  gpu.func @f32_transposed(%a: memref<4x16xf32, #smem>, %b: memref<4x8xf32, #smem>, %y: memref<1x16x8xf32>) kernel
      attributes {conv.schedule = #schedule, known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : f32
    %zero = arith.constant dense<0.0> : vector<16x8xf32>
    %va = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : memref<4x16xf32, #smem>, vector<4x16xf32>
    %vb = vector.transfer_read %b[%c0, %c0], %p {in_bounds = [true, true]} : memref<4x8xf32, #smem>, vector<4x8xf32>
    %d = vector.contract {
      indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>
    } %va, %vb, %zero : vector<4x16xf32>, vector<4x8xf32> into vector<16x8xf32>
    conv.scatter %d into %y[%c0, %c0, %c0] view #y : vector<16x8xf32> into memref<1x16x8xf32>
    gpu.return
  }
}
