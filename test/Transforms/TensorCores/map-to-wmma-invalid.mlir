// RUN: conv-opt %s -conv-map-to-mma-sync -split-input-file -verify-diagnostics

// Upstream's matrices have no elements of bf16.

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [16, 16, 16], warps = [1, 1], stages = 2, copy = cp_async, mma = wmma>
#y = #conv.view<rows = [16], taps = [1], stride = [1], step = [1], offset = [0], groups = 1>
#smem = #gpu.address_space<workgroup>

gpu.module @kernels {
  gpu.func @bf16(%a: memref<16x16xbf16, #smem>, %b: memref<16x16xbf16, #smem>, %y: memref<1x16x16xf32>) kernel
      attributes {conv.schedule = #schedule, known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : bf16
    %zero = arith.constant dense<0.0> : vector<16x16xf32>
    %va = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : memref<16x16xbf16, #smem>, vector<16x16xbf16>
    %vb = vector.transfer_read %b[%c0, %c0], %p {in_bounds = [true, true]} : memref<16x16xbf16, #smem>, vector<16x16xbf16>
    // expected-error @below {{mma=wmma multiplies f16 and tf32, but not bf16, which mma=mma_sync does}}
    %d = vector.contract {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>
    } %va, %vb, %zero : vector<16x16xbf16>, vector<16x16xbf16> into vector<16x16xf32>
    conv.scatter %d into %y[%c0, %c0, %c0] view #y : vector<16x16xf32> into memref<1x16x16xf32>
    gpu.barrier
    gpu.return
  }
}

// -----

// A tile of columns that are no whole matrices.

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [16, 8, 16], warps = [1, 1], stages = 2, copy = cp_async, mma = wmma>
#y = #conv.view<rows = [16], taps = [1], stride = [1], step = [1], offset = [0], groups = 1>
#smem = #gpu.address_space<workgroup>

gpu.module @kernels {
  // expected-error @below {{the tile's gemm-n (8) must be a multiple of 16 (1 warps times 16 of the matrix instruction)}}
  gpu.func @columns(%y: memref<1x16x8xf32>) kernel
      attributes {conv.schedule = #schedule, known_block_size = array<i32: 32, 1, 1>} {
    gpu.barrier
    gpu.return
  }
}
