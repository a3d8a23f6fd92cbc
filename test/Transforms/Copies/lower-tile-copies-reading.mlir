// RUN: conv-opt %s -conv-lower-tile-copies -canonicalize -cse -split-input-file | FileCheck %s

// Which of the tile's 256 chunks, four in a row, each of 128 threads loads and
// stores. Cyclic: chunks t and t + 128.

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 16, 32], warps = [2, 2], stages = 2, copy = sync, mma = mma_sync>
#x = #conv.view<rows = [16, 16], taps = [1, 1], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1>
#smem = #gpu.address_space<workgroup>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @cyclic
  // CHECK-DAG:     %[[T:.*]] = gpu.thread_id x
  // CHECK-DAG:     %[[C4:.*]] = arith.constant 4 : index
  // CHECK-DAG:     arith.divui %[[T]], %[[C4]]
  // CHECK-DAG:     arith.remui %[[T]], %[[C4]]
  // CHECK:         vector.load {{.*}} vector<8xf16>
  // CHECK:         vector.store {{.*}} vector<8xf16>
  // CHECK:         vector.load {{.*}} vector<8xf16>
  // CHECK:         vector.store {{.*}} vector<8xf16>
  // CHECK-NOT:     vector.load
  gpu.func @cyclic(%x: memref<2x16x16x64xf16>, %s: memref<64x32xf16, #smem>) kernel
      attributes {conv.schedule = #schedule, known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    conv.im2col %x[%c0, %c0, %c0] into %s view #x : memref<2x16x16x64xf16> into memref<64x32xf16, #smem>
    gpu.return
  }
}

// -----

// Strided: chunks 2t and 2t + 1.

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 16, 32], warps = [2, 2], stages = 2, copy = sync, mma = mma_sync, reading = strided>
#x = #conv.view<rows = [16, 16], taps = [1, 1], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1>
#smem = #gpu.address_space<workgroup>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @strided
  // CHECK-DAG:     %[[T:.*]] = gpu.thread_id x
  // CHECK-DAG:     %[[C1:.*]] = arith.constant 1 : index
  // CHECK-DAG:     %[[C2:.*]] = arith.constant 2 : index
  // CHECK-DAG:     %[[C4:.*]] = arith.constant 4 : index
  // CHECK:         %[[FIRST:.*]] = arith.muli %[[T]], %[[C2]]
  // CHECK:         arith.divui %[[FIRST]], %[[C4]]
  // CHECK:         %[[NEXT:.*]] = arith.addi %[[FIRST]], %[[C1]]
  // CHECK:         arith.divui %[[NEXT]], %[[C4]]
  // CHECK-COUNT-2: vector.store {{.*}} vector<8xf16>
  // CHECK-NOT:     vector.store
  gpu.func @strided(%x: memref<2x16x16x64xf16>, %s: memref<64x32xf16, #smem>) kernel
      attributes {conv.schedule = #schedule, known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    conv.im2col %x[%c0, %c0, %c0] into %s view #x : memref<2x16x16x64xf16> into memref<64x32xf16, #smem>
    gpu.return
  }
}

// -----

// Warp by warp: each of four has 16 rows, 64 chunks, of which a lane takes two.

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 16, 32], warps = [2, 2], stages = 2, copy = sync, mma = mma_sync, reading = warp_tile>
#x = #conv.view<rows = [16, 16], taps = [1, 1], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1>
#smem = #gpu.address_space<workgroup>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @warp_tile
  // CHECK-DAG:     %[[T:.*]] = gpu.thread_id x
  // CHECK-DAG:     %[[C32:.*]] = arith.constant 32 : index
  // CHECK-DAG:     %[[C64:.*]] = arith.constant 64 : index
  // CHECK-DAG:     %[[LANE:.*]] = arith.remui %[[T]], %[[C32]]
  // CHECK-DAG:     %[[WARP:.*]] = arith.divui %[[T]], %[[C32]]
  // CHECK:         %[[FIRST:.*]] = arith.muli %[[WARP]], %[[C64]]
  // CHECK:         arith.addi %[[FIRST]], %[[LANE]]
  // CHECK:         arith.addi %[[LANE]], %[[C32]]
  // CHECK-COUNT-2: vector.store {{.*}} vector<8xf16>
  // CHECK-NOT:     vector.store
  gpu.func @warp_tile(%x: memref<2x16x16x64xf16>, %s: memref<64x32xf16, #smem>) kernel
      attributes {conv.schedule = #schedule, known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    conv.im2col %x[%c0, %c0, %c0] into %s view #x : memref<2x16x16x64xf16> into memref<64x32xf16, #smem>
    gpu.return
  }
}

// -----

// Seven rows of four chunks and four warps: a warp has two rows, and what lies
// behind the last row is nobody's.

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 16, 32], warps = [2, 2], stages = 2, copy = sync, mma = mma_sync, reading = warp_tile>
#x = #conv.view<rows = [16, 16], taps = [1, 1], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1>
#smem = #gpu.address_space<workgroup>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @left_over
  // CHECK-DAG:     %[[C8:.*]] = arith.constant 8 : index
  // CHECK-DAG:     %[[C28:.*]] = arith.constant 28 : index
  // CHECK-DAG:     %[[OWN:.*]] = arith.cmpi ult, %{{.*}}, %[[C8]]
  // CHECK-DAG:     %[[IN:.*]] = arith.cmpi ult, %{{.*}}, %[[C28]]
  // CHECK:         %[[EXISTS:.*]] = arith.andi %[[OWN]], %[[IN]]
  // CHECK:         scf.if %[[EXISTS]]
  // CHECK:           vector.store
  gpu.func @left_over(%x: memref<2x16x16x64xf16>, %s: memref<7x32xf16, #smem>) kernel
      attributes {conv.schedule = #schedule, known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    conv.im2col %x[%c0, %c0, %c0] into %s view #x : memref<2x16x16x64xf16> into memref<7x32xf16, #smem>
    gpu.return
  }
}
