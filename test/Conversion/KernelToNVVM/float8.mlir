// RUN: conv-opt %s -conv-lower-to-nvvm -split-input-file | FileCheck %s

// 8-bit floats are bytes; pairs are converted at once, too large numbers become
// the largest one. The first operand becomes the upper byte.

// CHECK-LABEL: llvm.func @narrow
// CHECK:         %[[FIRST:.*]] = llvm.extractelement %{{.*}}[%{{.*}} : i64] : vector<3xf32>
// CHECK:         %[[SECOND:.*]] = llvm.extractelement
// CHECK:         %[[LAST:.*]] = llvm.extractelement
// CHECK:         nvvm.convert.f32x2.to.f8x2 %[[SECOND]], %[[FIRST]] {rnd = #nvvm.fp_rnd_mode<rn>, sat = #nvvm.sat_mode<satfinite>} : vector<2xi8>(f8E4M3FN)
// CHECK:         nvvm.convert.f32x2.to.f8x2 %[[LAST]], %[[LAST]] {
// CHECK:         llvm.store %{{.*}} : vector<3xi8>, !llvm.ptr
gpu.module @kernels {
  gpu.func @narrow(%x: memref<3xf32>, %y: memref<3xf8E4M3FN>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0] : memref<3xf32>, vector<3xf32>
    %n = arith.truncf %v : vector<3xf32> to vector<3xf8E4M3FN>
    vector.store %n, %y[%c0] : memref<3xf8E4M3FN>, vector<3xf8E4M3FN>
    gpu.return
  }
}

// -----

// f16 holds both formats.

// CHECK-LABEL: llvm.func @widen
// CHECK-COUNT-2: nvvm.convert.f8x2.to.f16x2 %{{.*}} : vector<2xi8>(f8E5M2) -> vector<2xf16>
// CHECK-NOT:     nvvm.convert
gpu.module @kernels {
  gpu.func @widen(%x: memref<4xf8E5M2>, %y: memref<2x2xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %v = vector.load %x[%c0] : memref<4xf8E5M2>, vector<4xf8E5M2>
    %m = vector.shape_cast %v : vector<4xf8E5M2> to vector<2x2xf8E5M2>
    %w = arith.extf %m : vector<2x2xf8E5M2> to vector<2x2xf32>
    %r = vector.extract %w[1] : vector<2xf32> from vector<2x2xf32>
    %q = vector.extract %w[0] : vector<2xf32> from vector<2x2xf32>
    vector.store %q, %y[%c0, %c0] : memref<2x2xf32>, vector<2xf32>
    vector.store %r, %y[%c1, %c0] : memref<2x2xf32>, vector<2xf32>
    gpu.return
  }
}

// -----

// CHECK-LABEL: llvm.func @matrices
// CHECK:         %[[W:.*]] = nvvm.ldmatrix %{{.*}} {eltType = #nvvm.ld_st_matrix_elt_type<b16>, {{.*}}num = 2 : i32{{.*}}} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32)>
// CHECK:         llvm.extractvalue %[[W]][1]
gpu.module @kernels {
  gpu.func @matrices(%y: memref<64xi32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %dynamic = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %s = memref.view %dynamic[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<512xf8E4M3FN, #gpu.address_space<workgroup>>
    %a = nvgpu.ldmatrix %s[%c0] {numTiles = 2 : i32, transpose = false} : memref<512xf8E4M3FN, #gpu.address_space<workgroup>> -> vector<2x4xf8E4M3FN>
    %r = vector.extract %a[1] : vector<4xf8E4M3FN> from vector<2x4xf8E4M3FN>
    %b = vector.bitcast %r : vector<4xf8E4M3FN> to vector<1xi32>
    vector.store %b, %y[%c0] : memref<64xi32>, vector<1xi32>
    gpu.return
  }
}
