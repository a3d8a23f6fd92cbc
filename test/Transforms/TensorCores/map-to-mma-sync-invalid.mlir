// RUN: conv-opt %s -conv-map-to-mma-sync -split-input-file -verify-diagnostics

gpu.module @kernels {
  // expected-error @below {{'gpu.func' op needs a schedule in 'conv.schedule'}}
  gpu.func @schedule() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @below {{the tile's gemm-m (48) must be a multiple of 32 (2 warps times 16 of the matrix instruction)}}
  gpu.func @tile() kernel attributes {
      conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [48, 16, 16], warps = [2, 1], stages = 2, copy = cp_async, mma = mma_sync>,
      known_block_size = array<i32: 64, 1, 1>} {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @below {{'known_block_size' must be the schedule's 64 threads, but is 32}}
  gpu.func @threads() kernel attributes {
      conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [32, 16, 16], warps = [2, 1], stages = 2, copy = cp_async, mma = mma_sync>,
      known_block_size = array<i32: 32, 1, 1>} {
    gpu.return
  }
}

// -----

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [16, 8, 16], warps = [1, 1], stages = 2, copy = cp_async, mma = mma_sync>
gpu.module @kernels {
  gpu.func @reduction(%y: memref<16x8xf32>) kernel attributes {conv.schedule = #schedule, known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1.0 : f32
    %v = vector.broadcast %one : f32 to vector<16x8xf32>
    // expected-error @below {{'vector.extract' op cannot be divided among the threads of a workgroup}}
    %e = vector.extract %v[0] : vector<8xf32> from vector<16x8xf32>
    gpu.return
  }
}

// -----

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [16, 8, 16], warps = [1, 1], stages = 2, copy = cp_async, mma = mma_sync>
#y = #conv.view<rows = [16], taps = [1], stride = [1], step = [1], offset = [0], groups = 1>
gpu.module @kernels {
  gpu.func @shape(%v: vector<32x8xf32>, %y: memref<1x16x8xf32>) kernel attributes {conv.schedule = #schedule, known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    // expected-error @below {{value must be the schedule's tile (16x8), but is 'vector<32x8xf32>'}}
    conv.scatter %v into %y[%c0, %c0, %c0] view #y : vector<32x8xf32> into memref<1x16x8xf32>
    gpu.return
  }
}

// -----

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [16, 8, 16], warps = [1, 1], stages = 2, copy = cp_async, mma = mma_sync>
#y = #conv.view<rows = [16], taps = [1], stride = [1], step = [1], offset = [0], groups = 1>
gpu.module @kernels {
  gpu.func @origin(%v: vector<16x8xf32>, %y: memref<1x16x8xf32>) kernel attributes {conv.schedule = #schedule, known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    // expected-error @below {{uses a tile that no operation before could divide among the threads: 'vector<16x8xf32>'}}
    conv.scatter %v into %y[%c0, %c0, %c0] view #y : vector<16x8xf32> into memref<1x16x8xf32>
    gpu.return
  }
}

// -----

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [16, 8, 16], warps = [1, 1], stages = 2, copy = cp_async, mma = mma_sync>
#map_a = affine_map<(m, n, k) -> (m, k)>
#map_b = affine_map<(m, n, k) -> (n, k)>
#map_d = affine_map<(m, n, k) -> (m, n)>
#smem = #gpu.address_space<workgroup>
gpu.module @kernels {
  gpu.func @operand(%a: memref<16x16xf32, #smem>, %b: memref<8x16xf32, #smem>) kernel attributes {conv.schedule = #schedule, known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : f32
    %d = arith.constant dense<0.0> : vector<16x8xf32>
    %va = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : memref<16x16xf32, #smem>, vector<16x16xf32>
    %vb = vector.transfer_read %b[%c0, %c0], %p {in_bounds = [true, true]} : memref<8x16xf32, #smem>, vector<8x16xf32>
    // expected-error @below {{mma.sync is available for f16, bf16, tf32, f64, i8, e4m3 and e5m2 operands, not for 'f32'}}
    %e = vector.contract {indexing_maps = [#map_a, #map_b, #map_d], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
      %va, %vb, %d : vector<16x16xf32>, vector<8x16xf32> into vector<16x8xf32>
    gpu.return
  }
}

// -----

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [16, 8, 8], warps = [1, 1], stages = 2, copy = cp_async, mma = mma_sync>
#map_a = affine_map<(m, n, k) -> (m, k)>
#map_b = affine_map<(m, n, k) -> (n, k)>
#map_d = affine_map<(m, n, k) -> (m, n)>
#smem = #gpu.address_space<workgroup>
gpu.module @kernels {
  gpu.func @step(%a: memref<16x8xf16, #smem>, %b: memref<8x8xf16, #smem>) kernel attributes {conv.schedule = #schedule, known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : f16
    %d = arith.constant dense<0.0> : vector<16x8xf32>
    %va = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : memref<16x8xf16, #smem>, vector<16x8xf16>
    %vb = vector.transfer_read %b[%c0, %c0], %p {in_bounds = [true, true]} : memref<8x8xf16, #smem>, vector<8x8xf16>
    // expected-error @below {{gemm-k of the tile must be a multiple of 16, but is 8}}
    %e = vector.contract {indexing_maps = [#map_a, #map_b, #map_d], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
      %va, %vb, %d : vector<16x8xf16>, vector<8x8xf16> into vector<16x8xf32>
    gpu.return
  }
}

// -----

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [16, 16, 16], warps = [1, 1], stages = 2, copy = cp_async, mma = mma_sync>
#map_a = affine_map<(m, n, k) -> (m, k)>
#map_b = affine_map<(m, n, k) -> (n, k)>
#map_d = affine_map<(m, n, k) -> (m, n)>
#smem = #gpu.address_space<workgroup>
gpu.module @kernels {
  gpu.func @swapped(%a: memref<16x16xf16, #smem>, %b: memref<16x16xf16, #smem>) kernel attributes {conv.schedule = #schedule, known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : f16
    %d = arith.constant dense<0.0> : vector<16x16xf32>
    %va = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : memref<16x16xf16, #smem>, vector<16x16xf16>
    %vb = vector.transfer_read %b[%c0, %c0], %p {in_bounds = [true, true]} : memref<16x16xf16, #smem>, vector<16x16xf16>
    // expected-error @below {{the left operand must be a matrix of gemm-m and gemm-k}}
    %e = vector.contract {indexing_maps = [#map_b, #map_a, #map_d], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
      %va, %vb, %d : vector<16x16xf16>, vector<16x16xf16> into vector<16x16xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @below {{a tile of 1048576x1048576 is 34359738368 sums a thread, which has 255 registers}}
  gpu.func @registers() kernel attributes {
      conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [1048576, 1048576, 16], warps = [1, 1], stages = 2, copy = cp_async, mma = mma_sync>,
      known_block_size = array<i32: 32, 1, 1>} {
    gpu.return
  }
}
