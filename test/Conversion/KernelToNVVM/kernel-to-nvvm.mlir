// RUN: conv-opt %s -conv-lower-to-nvvm -split-input-file | FileCheck %s

// Bare pointers, 32-bit indices, the exact block size; dynamic shared memory is
// external. mma.sync on bf16 takes pairs as integers.

// CHECK: llvm.mlir.global external @[[SHARED:.*]]() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
// CHECK: llvm.func @kernel(%{{[^:]*}}: !llvm.ptr) attributes {{{.*}}nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>}
// CHECK-NOT: unrealized_conversion_cast
// CHECK:   nvvm.read.ptx.sreg.tid.x range <i32, 0, 32> : i32
// CHECK:   nvvm.ldmatrix
// CHECK:   nvvm.mma.sync {{.*}} multiplicandAPtxType = #nvvm.mma_type<bf16>{{.*}} : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
// The loop is left as it is by ptxas too.
// CHECK:   llvm.br {{.*}}loop_annotation
gpu.module @kernels {
  gpu.func @kernel(%y: memref<64xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %t = gpu.thread_id x
    %dynamic = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %s = memref.view %dynamic[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<256xbf16, #gpu.address_space<workgroup>>
    %i = arith.muli %t, %c8 : index
    %zero = arith.constant dense<0.0> : vector<2x2xf32>
    %d = scf.for %k = %c0 to %c8 step %c1 iter_args(%acc = %zero) -> (vector<2x2xf32>) {
      %a = nvgpu.ldmatrix %s[%i] {numTiles = 4 : i32, transpose = false} : memref<256xbf16, #gpu.address_space<workgroup>> -> vector<4x2xbf16>
      %b = vector.extract_strided_slice %a {offsets = [2], sizes = [2], strides = [1]} : vector<4x2xbf16> to vector<2x2xbf16>
      %e = nvgpu.mma.sync (%a, %b, %acc) {mmaShape = [16, 8, 16]} : (vector<4x2xbf16>, vector<2x2xbf16>, vector<2x2xf32>) -> vector<2x2xf32>
      scf.yield %e : vector<2x2xf32>
    }
    %row = vector.extract %d[0] : vector<2xf32> from vector<2x2xf32>
    vector.store %row, %y[%t] : memref<64xf32>, vector<2xf32>
    gpu.return
  }
}

// -----

// A tensor of 2^30 elements is indexed with 64 bits.

// CHECK-LABEL: llvm.func @large
// CHECK: llvm.getelementptr {{.*}} : (!llvm.ptr, i64)
gpu.module @kernels {
  gpu.func @large(%y: memref<1073741824xf16>, %v: f16) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %t = gpu.thread_id x
    memref.store %v, %y[%t] : memref<1073741824xf16>
    gpu.return
  }
}
