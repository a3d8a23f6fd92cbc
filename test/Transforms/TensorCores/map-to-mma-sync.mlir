// RUN: conv-opt %s -conv-plan-stores -conv-map-to-mma-sync -canonicalize -cse -split-input-file | FileCheck %s

// Two warps beside each other, each with a 32x16 part of the 32x32 tile: 2x2 blocks of 16x8.
// Two steps of gemm-k, each with one ldmatrix for each 16 rows of A and 16
// columns of B.

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [32, 32, 32], warps = [1, 2], stages = 2, copy = cp_async, mma = mma_sync>
#y = #conv.view<rows = [5, 7], taps = [1, 1], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1>
#smem = #gpu.address_space<workgroup>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @contract
  // CHECK-SAME:    nvvm.minctasm = 2 : i32
  // CHECK-DAG:     %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<2x2xf32>
  // CHECK:         %[[ACC:.*]]:4 = scf.for {{.*}} iter_args(%[[D0:.*]] = %[[ZERO]], %[[D1:.*]] = %[[ZERO]], %[[D2:.*]] = %[[ZERO]], %[[D3:.*]] = %[[ZERO]])
  // CHECK:           %[[A0:.*]] = nvgpu.ldmatrix %{{.*}}[%{{.*}}] {numTiles = 4 : i32, transpose = false} : {{.*}} -> vector<4x2xbf16>
  // CHECK:           %[[A1:.*]] = nvgpu.ldmatrix
  // CHECK:           %[[B:.*]] = nvgpu.ldmatrix %{{.*}}[%{{.*}}] {numTiles = 4 : i32, transpose = false} : {{.*}} -> vector<4x2xbf16>
  // CHECK:           %[[B0:.*]] = vector.extract_strided_slice %[[B]] {offsets = [0, 0], sizes = [2, 2], strides = [1, 1]}
  // CHECK:           %[[B1:.*]] = vector.extract_strided_slice %[[B]] {offsets = [2, 0], sizes = [2, 2], strides = [1, 1]}
  // CHECK:           %[[E0:.*]] = nvgpu.mma.sync(%[[A0]], %[[B0]], %[[D0]]) {mmaShape = [16, 8, 16]} : (vector<4x2xbf16>, vector<2x2xbf16>, vector<2x2xf32>) -> vector<2x2xf32>
  // CHECK:           %[[E1:.*]] = nvgpu.mma.sync(%[[A0]], %[[B1]], %[[D1]])
  // CHECK:           %[[E2:.*]] = nvgpu.mma.sync(%[[A1]], %[[B0]], %[[D2]])
  // CHECK:           %[[E3:.*]] = nvgpu.mma.sync(%[[A1]], %[[B1]], %[[D3]])
  // CHECK-COUNT-3:   nvgpu.ldmatrix
  // CHECK:           %[[F0:.*]] = nvgpu.mma.sync(%{{.*}}, %{{.*}}, %[[E0]])
  // CHECK-COUNT-3:   nvgpu.mma.sync
  // CHECK:           scf.yield %[[F0]], %{{.*}}, %{{.*}}, %{{.*}} :
  //
  // The epilogue, block by block.
  // CHECK:         arith.maximumf %[[ACC]]#0, %[[ZERO]] : vector<2x2xf32>
  // CHECK:         arith.maximumf %[[ACC]]#3, %[[ZERO]] : vector<2x2xf32>
  // CHECK-COUNT-4: arith.truncf %{{.*}} : vector<2x2xf32> to vector<2x2xbf16>
  //
  // 33 channels: pairs cannot be stored as one, the last columns are dropped.
  // CHECK:         scf.if
  // CHECK:           scf.if
  // CHECK:             vector.store %{{.*}} : memref<2310xbf16>, vector<1xbf16>
  // CHECK-NOT:     conv.scatter
  gpu.func @contract(%a: memref<32x32xbf16, #smem>, %b: memref<32x32xbf16, #smem>, %y: memref<2x5x7x33xbf16>, %m: index) kernel
      attributes {conv.schedule = #schedule, known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c9 = arith.constant 9 : index
    %p = arith.constant 0.0 : bf16
    %zero = arith.constant dense<0.0> : vector<32x32xf32>
    %acc = scf.for %k = %c0 to %c9 step %c1 iter_args(%d = %zero) -> (vector<32x32xf32>) {
      %va = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x32xbf16, #smem>, vector<32x32xbf16>
      %vb = vector.transfer_read %b[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x32xbf16, #smem>, vector<32x32xbf16>
      %e = vector.contract {
        indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
        iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>
      } %va, %vb, %d : vector<32x32xbf16>, vector<32x32xbf16> into vector<32x32xf32>
      scf.yield %e : vector<32x32xf32>
    }
    %r = arith.maximumf %acc, %zero : vector<32x32xf32>
    %o = arith.truncf %r : vector<32x32xf32> to vector<32x32xbf16>
    conv.scatter %o into %y[%m, %c0, %c0] view #y : vector<32x32xbf16> into memref<2x5x7x33xbf16>
    gpu.return
  }
}

// -----

// Operands with gemm-k as their rows are read transposed. Three blocks of B:
// two by one ldmatrix, the last by another.

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [16, 24, 16], warps = [1, 1], stages = 2, copy = cp_async, mma = mma_sync>
#y = #conv.view<rows = [16], taps = [1], stride = [1], step = [1], offset = [0], groups = 1>
#smem = #gpu.address_space<workgroup>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @transposed
  // CHECK:         nvgpu.ldmatrix {{.*}} {numTiles = 4 : i32, transpose = true} : memref<256xf16, #gpu.address_space<workgroup>> -> vector<4x2xf16>
  // CHECK:         nvgpu.ldmatrix {{.*}} {numTiles = 4 : i32, transpose = true} : memref<384xf16, #gpu.address_space<workgroup>> -> vector<4x2xf16>
  // CHECK:         nvgpu.ldmatrix {{.*}} {numTiles = 2 : i32, transpose = true} : memref<384xf16, #gpu.address_space<workgroup>> -> vector<2x2xf16>
  // CHECK-COUNT-3: nvgpu.mma.sync
  // CHECK-NOT:     nvgpu.mma.sync
  gpu.func @transposed(%a: memref<16x16xf16, #smem>, %b: memref<16x24xf16, #smem>, %y: memref<1x16x24xf32>) kernel
      attributes {conv.schedule = #schedule, known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : f16
    %zero = arith.constant dense<0.0> : vector<16x24xf32>
    %va = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : memref<16x16xf16, #smem>, vector<16x16xf16>
    %vb = vector.transfer_read %b[%c0, %c0], %p {in_bounds = [true, true]} : memref<16x24xf16, #smem>, vector<16x24xf16>
    %d = vector.contract {
      indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>
    } %va, %vb, %zero : vector<16x16xf16>, vector<16x24xf16> into vector<16x24xf32>
    conv.scatter %d into %y[%c0, %c0, %c0] view #y : vector<16x24xf32> into memref<1x16x24xf32>
    gpu.return
  }
}

// -----

// A row is read where its columns are held, its tail replaced by the padding.
// A residual is loaded in the layout of the tile.

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [16, 16, 16], warps = [1, 1], stages = 2, copy = cp_async, mma = mma_sync>
#y = #conv.view<rows = [40], taps = [1], stride = [1], step = [1], offset = [0], groups = 1>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @epilogue
  // CHECK-SAME:    %[[BIAS:[^:]*]]: memref<24xf32>
  // CHECK-DAG:     %[[PAD:.*]] = arith.constant 0.000000e+00 : f32
  // CHECK-DAG:     %[[C24:.*]] = arith.constant 24 : index
  // CHECK:         %[[IN:.*]] = arith.cmpi ult, %{{.*}}, %[[C24]]
  // CHECK:         %[[V:.*]] = memref.load %[[BIAS]]
  // CHECK:         arith.select %[[IN]], %[[V]], %[[PAD]]
  // CHECK:         vector.broadcast %{{.*}} : vector<2xf32> to vector<2x2xf32>
  // CHECK-COUNT-4: vector.load %{{.*}} {alignment = 4 : i64} : memref<960xf16>, vector<2xf16>
  // CHECK:         arith.extf %{{.*}} : vector<2x2xf16> to vector<2x2xf32>
  // CHECK:         arith.addf %{{.*}} : vector<2x2xf32>
  // CHECK:         vector.store %{{.*}} {alignment = 8 : i64} : memref<960xf32>, vector<2xf32>
  gpu.func @epilogue(%bias: memref<24xf32>, %r: memref<1x40x24xf16>, %y: memref<1x40x24xf32>, %m: index, %b: index) kernel
      attributes {conv.schedule = #schedule, known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %p = arith.constant 0.0 : f32
    %n = arith.muli %b, %c16 : index
    %row = vector.transfer_read %bias[%n], %p : memref<24xf32>, vector<16xf32>
    %rows = vector.broadcast %row : vector<16xf32> to vector<16x16xf32>
    %res = conv.im2col %r[%m, %c0, %n] view #y : memref<1x40x24xf16> -> vector<16x16xf16>
    %res32 = arith.extf %res : vector<16x16xf16> to vector<16x16xf32>
    %sum = arith.addf %rows, %res32 : vector<16x16xf32>
    conv.scatter %sum into %y[%m, %c0, %n] view #y : vector<16x16xf32> into memref<1x40x24xf32>
    gpu.return
  }
}

// -----

// Where the operands have left room, and channels allow it, the tile goes
// through shared memory and is stored in pieces of rows.

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [32, 16, 16], warps = [1, 1], stages = 2, copy = cp_async, mma = mma_sync>
#y = #conv.view<rows = [4, 4], taps = [1, 1], stride = [2, 2], step = [1, 1], offset = [1, 0], groups = 1>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @staged
  // CHECK-DAG:     %[[C4:.*]] = arith.constant 4 : index
  // CHECK:         nvvm.cp.async.wait.group 0
  // CHECK-NEXT:    gpu.barrier
  // CHECK:         %[[STAGE:.*]] = memref.alloc() : memref<512xf16, #gpu.address_space<workgroup>>
  // CHECK-COUNT-8: vector.store %{{.*}}, %[[STAGE]][%{{.*}}] {alignment = 4 : i64} : {{.*}}, vector<2xf16>
  // CHECK:         gpu.barrier
  // The view of a stride phase: the row's position is divided out.
  // CHECK:         arith.divui %{{.*}}, %[[C4]]
  // CHECK:         %[[CHUNK:.*]] = vector.load %[[STAGE]][%{{.*}}] {alignment = 16 : i64}
  // CHECK:         vector.store %[[CHUNK]], %{{.*}} {alignment = 16 : i64} : memref<2048xf16>, vector<8xf16>
  // CHECK-COUNT-1: vector.store
  // CHECK-NOT:     vector.store
  gpu.func @staged(%y: memref<2x8x8x16xf16>) kernel
      attributes {conv.schedule = #schedule, known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %ring = memref.alloc() : memref<2x32x16xf16, #gpu.address_space<workgroup>>
    %v = arith.constant dense<1.0> : vector<32x16xf16>
    conv.scatter %v into %y[%c0, %c0, %c0] view #y : vector<32x16xf16> into memref<2x8x8x16xf16>
    gpu.return
  }
}

// -----

// A tile of the epilogue in shared memory is read where the result is held, its
// chunks permuted like those of an operand.

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [16, 16, 16], warps = [1, 1], stages = 2, copy = cp_async, mma = mma_sync>
#y = #conv.view<rows = [16], taps = [1], stride = [1], step = [1], offset = [0], groups = 1>
#smem = #gpu.address_space<workgroup>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @shared
  // CHECK:         arith.xori
  // CHECK-COUNT-4: vector.load %{{.*}} {alignment = 4 : i64} : memref<256xf16, #gpu.address_space<workgroup>>, vector<2xf16>
  // CHECK-NOT:     vector.load
  gpu.func @shared(%t: memref<16x16xf16, #smem>, %y: memref<1x16x16xf16>) kernel
      attributes {conv.schedule = #schedule, known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : f16
    %v = vector.transfer_read %t[%c0, %c0], %p {in_bounds = [true, true]} : memref<16x16xf16, #smem>, vector<16x16xf16>
    conv.scatter %v into %y[%c0, %c0, %c0] view #y : vector<16x16xf16> into memref<1x16x16xf16>
    gpu.return
  }
}
