// RUN: conv-opt %s -conv-lower-to-nvvm | FileCheck %s

// Inline PTX with A in registers. B has rows of 256 bytes, two panels of 136 rows
// of 128 bytes: swizzle 1, a stride of 1024 bytes. Position 80 is in the second
// panel, 17408 bytes from its start and 32 further, in units of 16 bytes. What the first
// product adds to is left out, by its predicate.

#smem = #gpu.address_space<workgroup>
!acc = !nvgpu.warpgroup.accumulator<fragmented = vector<64x8xf32>>

// CHECK-LABEL: llvm.func @registers
// CHECK-DAG: %[[SECOND:.*]] = llvm.mlir.constant(1090 : i32) : i32
// CHECK-DAG: %[[HIGH:.*]] = llvm.mlir.constant(4611686293305294848 : i64) : i64
// CHECK-DAG: %[[ZERO:.*]] = llvm.mlir.zero : f32
// CHECK: %[[PAIR:.*]] = llvm.load %{{.*}} : !llvm.ptr -> vector<2xbf16>
// CHECK: nvvm.wgmma.fence.aligned
// CHECK-DAG: %[[A:.*]] = llvm.bitcast %[[PAIR]] : vector<2xbf16> to i32
// CHECK-DAG: %[[WIDE:.*]] = llvm.zext %[[LOW:.*]] : i32 to i64
// CHECK-DAG: %[[B:.*]] = llvm.or %[[WIDE]], %[[HIGH]] : i64
// CHECK: %[[D:.*]] = llvm.inline_asm has_side_effects
// CHECK-SAME: "{ .reg .pred p; setp.ne.b32 p, 0, 0; wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {$0, $1, $2, $3}, {$4, $5, $6, $7}, $8, p, 1, 1, 0; }",
// CHECK-SAME: "=f,=f,=f,=f,r,r,r,r,l,0,1,2,3" %[[A]], %[[A]], %[[A]], %[[A]], %[[B]], %[[ZERO]], %[[ZERO]], %[[ZERO]], %[[ZERO]] :
// CHECK-SAME: (i32, i32, i32, i32, i64, f32, f32, f32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
// CHECK-DAG: llvm.add %[[LOW]], %[[SECOND]] : i32
// CHECK-DAG: %[[E0:.*]] = llvm.extractvalue %[[D]][0]
// CHECK: llvm.inline_asm {{.*}}"{ .reg .pred p; setp.ne.b32 p, 1, 0; {{.*}}, %[[E0]], %
gpu.module @kernels {
  gpu.func @registers(%x: memref<64x2xbf16>, %out: memref<64xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %memory = gpu.dynamic_shared_memory : memref<?xi8, #smem>
    %b = memref.view %memory[%c0][] : memref<?xi8, #smem> to memref<136x128xbf16, #smem>
    %zero = engine.zero_accumulator : !acc
    %a = vector.load %x[%c0, %c0] : memref<64x2xbf16>, vector<2xbf16>
    nvvm.wgmma.fence.aligned
    %first = engine.register_mma [%a, %a, %a, %a], %b at 0, %zero : memref<136x128xbf16, #smem>, !acc
    %d = engine.register_mma [%a, %a, %a, %a], %b at 80, %first : memref<136x128xbf16, #smem>, !acc
    %f = engine.read_accumulator %d : !acc
    %v = vector.extract %f[0, 0] : f32 from vector<2x2xf32>
    memref.store %v, %out[%c0] : memref<64xf32>
    gpu.return
  }
}
