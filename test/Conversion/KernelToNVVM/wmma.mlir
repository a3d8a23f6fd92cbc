// RUN: conv-opt %s -conv-lower-to-nvvm -split-input-file | FileCheck %s

// Matrices in registers: upstream's patterns. What a loop carries are the
// registers of the sums.

// CHECK-LABEL: llvm.func @f16
// CHECK:         ^bb1({{.*}}: !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>{{.*}}):
// CHECK:         nvvm.wmma.load {{.*}} {eltype = #nvvm.mma_type<f16>, frag = #nvvm.mma_frag<a>, {{.*}}layout = #nvvm.mma_layout<row>
// CHECK:         nvvm.wmma.load {{.*}} {eltype = #nvvm.mma_type<f16>, frag = #nvvm.mma_frag<b>, {{.*}}layout = #nvvm.mma_layout<col>
// CHECK-NOT:     convert.float.to.tf32
// CHECK:         nvvm.wmma.mma {{.*}}layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>
// CHECK:         nvvm.wmma.store
gpu.module @kernels {
  gpu.func @f16(%x: memref<8xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c4096 = arith.constant 4096 : index
    %zero = arith.constant 0.0 : f32
    %dynamic = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %s = memref.view %dynamic[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<64x32xf16, #gpu.address_space<workgroup>>
    %o = memref.view %dynamic[%c4096][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<64x64xf32, #gpu.address_space<workgroup>>
    %c = gpu.subgroup_mma_constant_matrix %zero : !gpu.mma_matrix<16x16xf32, "COp">
    %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%acc = %c) -> (!gpu.mma_matrix<16x16xf32, "COp">) {
      %a = gpu.subgroup_mma_load_matrix %s[%i, %c0] {leadDimension = 32 : index} : memref<64x32xf16, #gpu.address_space<workgroup>> -> !gpu.mma_matrix<16x16xf16, "AOp">
      %b = gpu.subgroup_mma_load_matrix %s[%i, %c0] {leadDimension = 32 : index, transpose} : memref<64x32xf16, #gpu.address_space<workgroup>> -> !gpu.mma_matrix<16x16xf16, "BOp">
      %d = gpu.subgroup_mma_compute %a, %b, %acc {b_transpose} : !gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp"> -> !gpu.mma_matrix<16x16xf32, "COp">
      scf.yield %d : !gpu.mma_matrix<16x16xf32, "COp">
    }
    gpu.subgroup_mma_store_matrix %r, %o[%c0, %c0] {leadDimension = 64 : index} : !gpu.mma_matrix<16x16xf32, "COp">, memref<64x64xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

// Factors of f32 are multiplied as tf32, and rounded, not cut off: four
// registers of each.

// CHECK-LABEL: llvm.func @tf32
// CHECK:         nvvm.wmma.load {{.*}} {eltype = #nvvm.mma_type<tf32>, frag = #nvvm.mma_frag<a>
// CHECK:         nvvm.wmma.load {{.*}} {eltype = #nvvm.mma_type<tf32>, frag = #nvvm.mma_frag<b>
// CHECK:         %[[NUMBER:.*]] = llvm.bitcast %{{.*}} : i32 to f32
// CHECK:         %[[ROUNDED:.*]] = nvvm.convert.float.to.tf32 %[[NUMBER]] {rnd = #nvvm.fp_rnd_mode<rna>}
// CHECK-COUNT-7: nvvm.convert.float.to.tf32
// CHECK-NOT:     nvvm.convert.float.to.tf32
// CHECK:         nvvm.wmma.mma %[[ROUNDED]], {{.*}}eltypeA = #nvvm.mma_type<tf32>
gpu.module @kernels {
  gpu.func @tf32(%x: memref<8xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c8192 = arith.constant 8192 : index
    %zero = arith.constant 0.0 : f32
    %dynamic = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %s = memref.view %dynamic[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<64x32xf32, #gpu.address_space<workgroup>>
    %o = memref.view %dynamic[%c8192][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<64x64xf32, #gpu.address_space<workgroup>>
    %c = gpu.subgroup_mma_constant_matrix %zero : !gpu.mma_matrix<16x16xf32, "COp">
    %a = gpu.subgroup_mma_load_matrix %s[%c0, %c0] {leadDimension = 32 : index} : memref<64x32xf32, #gpu.address_space<workgroup>> -> !gpu.mma_matrix<16x8xf32, "AOp">
    %b = gpu.subgroup_mma_load_matrix %s[%c0, %c0] {leadDimension = 32 : index} : memref<64x32xf32, #gpu.address_space<workgroup>> -> !gpu.mma_matrix<8x16xf32, "BOp">
    %d = gpu.subgroup_mma_compute %a, %b, %c : !gpu.mma_matrix<16x8xf32, "AOp">, !gpu.mma_matrix<8x16xf32, "BOp"> -> !gpu.mma_matrix<16x16xf32, "COp">
    gpu.subgroup_mma_store_matrix %d, %o[%c0, %c0] {leadDimension = 64 : index} : !gpu.mma_matrix<16x16xf32, "COp">, memref<64x64xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}
