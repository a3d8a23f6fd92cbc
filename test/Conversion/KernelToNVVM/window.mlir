// RUN: conv-opt %s -conv-lower-to-nvvm | FileCheck %s

// The descriptors of taps in a window, in units of 16 bytes. Both operands are
// lines of 128 bytes with swizzle 1. 16 rows of A are 2048 bytes further, and its
// groups of eight lines 1024 bytes apart. In B the next tap is one line further
// (leading dimension: 128 bytes), a group of eight positions is in the row below
// that of the other, ten lines apart (stride: 1280 bytes), and the next two rows
// are 20 lines further. The first tap is at a line, each 128 bytes.

#smem = #gpu.address_space<workgroup>
!acc = !nvgpu.warpgroup.accumulator<fragmented = vector<64x192xf32>>
!half_acc = !nvgpu.warpgroup.accumulator<fragmented = vector<64x96xf32>>

// CHECK-LABEL: llvm.func @taps
// CHECK-DAG: %[[STEP_A:.*]] = llvm.mlir.constant(128 : i32) : i32
// CHECK-DAG: %[[STEP_B:.*]] = llvm.mlir.constant(160 : i32) : i32
// CHECK-DAG: %[[HIGH_A:.*]] = llvm.mlir.constant(4611686293305294848 : i64) : i64
// CHECK-DAG: %[[HIGH_B:.*]] = llvm.mlir.constant(4611686362024771584 : i64) : i64
// CHECK-DAG: %[[LEADING_B:.*]] = llvm.mlir.constant(524288 : i32) : i32
// CHECK-DAG: %[[LINE_UNITS:.*]] = llvm.mlir.constant(8 : i32) : i32
// CHECK-DAG: %[[ZERO:.*]] = llvm.mlir.zero : !llvm.struct<(f32,
// CHECK: %[[START_B:.*]] = llvm.or %{{.*}}, %[[LEADING_B]] : i32
// CHECK: %[[DISTANCE:.*]] = llvm.mul %{{.*}}, %[[LINE_UNITS]] : i32
// CHECK: %[[LINE:.*]] = llvm.add %[[START_B]], %[[DISTANCE]] : i32
// CHECK: %[[B0:.*]] = llvm.add %[[LINE]], %{{.*}} : i32
// CHECK-DAG: %[[DESC_A0:.*]] = llvm.or %{{.*}}, %[[HIGH_A]] : i64
// CHECK-DAG: %[[DESC_B0:.*]] = llvm.or %{{.*}}, %[[HIGH_B]] : i64
// CHECK: %[[D0:.*]] = nvvm.wgmma.mma_async %[[DESC_A0]], %[[DESC_B0]], %[[ZERO]], <m = 64, n = 192, k = 16>, D[<f32>, <zero>], A[<bf16>, <one>, <col>], B[<bf16>, <one>, <row>]
// CHECK-DAG: llvm.add %{{.*}}, %[[STEP_A]] : i32
// CHECK-DAG: %[[B1:.*]] = llvm.add %[[B0]], %[[STEP_B]] : i32
// CHECK: %[[D1:.*]] = nvvm.wgmma.mma_async %{{.*}}, %{{.*}}, %[[D0]], <m = 64, n = 192, k = 16>, D[<f32>, <one>],
// CHECK: nvvm.wgmma.mma_async {{.*}} %[[D1]],
// CHECK: nvvm.wgmma.mma_async
// CHECK-NOT: nvvm.wgmma.mma_async
gpu.module @kernels {
  gpu.func @taps(%out: memref<64xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c8192 = arith.constant 8192 : index
    %line = gpu.block_id x
    %memory = gpu.dynamic_shared_memory : memref<?xi8, #smem>
    %a = memref.view %memory[%c0][] : memref<?xi8, #smem> to memref<64x64xbf16, #smem>
    %window = memref.view %memory[%c8192][] : memref<?xi8, #smem> to memref<1x8x10x64xbf16, #smem>
    %zero = engine.zero_accumulator : !acc
    %d = engine.window_mma %a, %window[%line] box [1, 8, 8] distance 1, %zero : memref<64x64xbf16, #smem>, memref<1x8x10x64xbf16, #smem>, !acc
    %f:24 = engine.read_accumulator %d : !acc
    %v = vector.extract %f#0[0, 0] : f32 from vector<2x2xf32>
    memref.store %v, %out[%c0] : memref<64xf32>
    gpu.return
  }
  // Lines of the window may be half as long, those of A stay: swizzle 2, leading
  // dimension and stride of 64 and 640 bytes, and 1280 to the next two rows.
  // CHECK-LABEL: llvm.func @half_lines
  // CHECK-DAG: llvm.mlir.constant(80 : i32) : i32
  // CHECK-DAG: llvm.mlir.constant(4611686293305294848 : i64) : i64
  // CHECK-DAG: llvm.mlir.constant(-9223371865056083968 : i64) : i64
  // CHECK-DAG: llvm.mlir.constant(262144 : i32) : i32
  // CHECK-COUNT-4: nvvm.wgmma.mma_async {{.*}} <m = 64, n = 96, k = 16>
  gpu.func @half_lines(%out: memref<64xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c8192 = arith.constant 8192 : index
    %line = gpu.block_id x
    %memory = gpu.dynamic_shared_memory : memref<?xi8, #smem>
    %a = memref.view %memory[%c0][] : memref<?xi8, #smem> to memref<64x64xbf16, #smem>
    %window = memref.view %memory[%c8192][] : memref<?xi8, #smem> to memref<1x8x10x32xbf16, #smem>
    %zero = engine.zero_accumulator : !half_acc
    %d = engine.window_mma %a, %window[%line] box [1, 8, 8] distance 1, %zero : memref<64x64xbf16, #smem>, memref<1x8x10x32xbf16, #smem>, !half_acc
    %f:12 = engine.read_accumulator %d : !half_acc
    %v = vector.extract %f#0[0, 0] : f32 from vector<2x2xf32>
    memref.store %v, %out[%c0] : memref<64xf32>
    gpu.return
  }
}
