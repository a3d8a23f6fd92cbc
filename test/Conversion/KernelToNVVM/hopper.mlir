// RUN: conv-opt %s -conv-lower-to-nvvm -split-input-file | FileCheck %s

#smem = #gpu.address_space<workgroup>
!map = !nvgpu.tensormap.descriptor<tensor = memref<64x64xbf16, 3>, swizzle = swizzle_128b, l2promo = l2promo_128b, oob = zero, interleave = none>
!ring = !nvgpu.mbarrier.group<memorySpace = #smem, num_barriers = 4>

// A tensor map is passed by value and read in the parameters. Barriers are
// static shared memory. A kernel that moves registers between its warps has
// one workgroup on a multiprocessor.

// CHECK: llvm.mlir.global private @__mbarrier() {addr_space = 3 : i32, alignment = 8 : i64} : !llvm.array<4 x i64>
// CHECK: llvm.func @loads(%[[BUFFER:[^:]*]]: !llvm.ptr, %[[MAP:[^:]*]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}) attributes {{{.*}}nvvm.minctasm = 1
// CHECK: %[[BARRIER:.*]] = llvm.getelementptr %{{.*}}[3] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i64
// CHECK: nvvm.mbarrier.init %[[BARRIER]], %{{.*}} : !llvm.ptr<3>, i32
// CHECK: %[[ADDRESS:.*]] = llvm.ptrtoint %{{.*}} : !llvm.ptr<3> to i64
// CHECK: %[[DEST:.*]] = llvm.inttoptr %[[ADDRESS]] : i64 to !llvm.ptr<7>
// CHECK: %[[R:.*]] = llvm.trunc %{{.*}} : i32 to i16
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %[[DEST]], %[[MAP]], %[[BARRIER]], box[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] im2col[%[[R]], %{{.*}}] {mode = #nvvm.tma_load_mode<im2col>} : !llvm.ptr<7>, !llvm.ptr
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %[[MAP]], %{{.*}}, box[%{{.*}}, %{{.*}}] : !llvm.ptr<7>, !llvm.ptr
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta %[[MAP]], %{{.*}}, box[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] {mode = #nvvm.tma_store_mode<im2col>} : !llvm.ptr, <3>
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta %[[MAP]], %{{.*}}, box[%{{.*}}, %{{.*}}] : !llvm.ptr, <3>
gpu.module @kernels {
  gpu.func @loads(%x: memref<64xf32>, %map: !map) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    nvvm.setmaxregister decrease 40
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %i = gpu.block_id x
    %memory = gpu.dynamic_shared_memory : memref<?xi8, #smem>
    %tile = memref.view %memory[%c0][] : memref<?xi8, #smem> to memref<8192xbf16, #smem>
    %full = nvgpu.mbarrier.create -> !ring
    nvgpu.mbarrier.init %full[%c3], %c1 : !ring
    engine.tma_load %map[%c0, %i, %i, %c1] offsets [%i, %c1] to %tile[%i], %full[%c3] : !map, memref<8192xbf16, #smem>, !ring
    engine.tma_load %map[%c0, %i] to %tile[%i], %full[%c3] : !map, memref<8192xbf16, #smem>, !ring
    engine.tma_store %tile[%i] to %map[%c0, %i, %i, %c1] im2col : memref<8192xbf16, #smem>, !map
    engine.tma_store %tile[%i] to %map[%c0, %i] : memref<8192xbf16, #smem>, !map
    gpu.return
  }
}

// -----

// The words of a descriptor. A is K-major in one panel of 64 bytes: a stride of
// 512 bytes, swizzle 2; its row 64 is 4096 bytes from its start. B is MN-major
// in panels of 128 bytes: the next panel is 4096 bytes further, a stride of 1024
// bytes, swizzle 1. 16 columns of A are 32 bytes, 16 rows of B 2048. All in
// units of 16 bytes; the addend of a slot comes last.

#smem = #gpu.address_space<workgroup>
!acc = !nvgpu.warpgroup.accumulator<fragmented = vector<64x128xf32>>

// CHECK-LABEL: llvm.func @majors
// CHECK-DAG: %[[STEP_A:.*]] = llvm.mlir.constant(2 : i32) : i32
// CHECK-DAG: %[[STEP_B:.*]] = llvm.mlir.constant(128 : i32) : i32
// CHECK-DAG: %[[HIGH_A:.*]] = llvm.mlir.constant(-9223371899415822336 : i64) : i64
// CHECK-DAG: %[[HIGH_B:.*]] = llvm.mlir.constant(4611686293305294848 : i64) : i64
// CHECK-DAG: %[[LEADING_B:.*]] = llvm.mlir.constant(16777216 : i32) : i32
// CHECK-DAG: %[[LEADING_A:.*]] = llvm.mlir.constant(65536 : i32) : i32
// CHECK-DAG: %[[ROW_UNITS:.*]] = llvm.mlir.constant(4 : i32) : i32
// CHECK-DAG: %[[ROW:.*]] = llvm.mlir.constant(64 : index) : i32
// CHECK-DAG: %[[ZERO:.*]] = llvm.mlir.zero : !llvm.struct<(f32,
// CHECK: %[[START_A:.*]] = llvm.or %{{.*}}, %[[LEADING_A]] : i32
// CHECK: %[[DISTANCE:.*]] = llvm.mul %[[ROW]], %[[ROW_UNITS]] : i32
// CHECK: %[[ROW_A:.*]] = llvm.add %[[START_A]], %[[DISTANCE]] : i32
// CHECK: %[[A0:.*]] = llvm.add %[[ROW_A]], %{{.*}} : i32
// CHECK: %[[START_B:.*]] = llvm.or %{{.*}}, %[[LEADING_B]] : i32
// CHECK: %[[B0:.*]] = llvm.add %[[START_B]], %{{.*}} : i32
// CHECK-DAG: %[[DESC_A0:.*]] = llvm.or %{{.*}}, %[[HIGH_A]] : i64
// CHECK-DAG: %[[DESC_B0:.*]] = llvm.or %{{.*}}, %[[HIGH_B]] : i64
// CHECK: %[[D0:.*]] = nvvm.wgmma.mma_async %[[DESC_A0]], %[[DESC_B0]], %[[ZERO]], <m = 64, n = 128, k = 16>, D[<f32>, <zero>], A[<bf16>, <one>, <row>], B[<bf16>, <one>, <row>]
// CHECK-DAG: llvm.add %[[A0]], %[[STEP_A]] : i32
// CHECK-DAG: llvm.add %[[B0]], %[[STEP_B]] : i32
// CHECK: %[[D1:.*]] = nvvm.wgmma.mma_async %{{.*}}, %{{.*}}, %[[D0]], {{.*}} D[<f32>, <one>]
// CHECK-NOT: mma_async
// The last of the 16 column groups.
// CHECK: %[[E:.*]] = llvm.extractvalue %[[D1]][60]
// CHECK: llvm.insertelement %[[E]]
gpu.module @kernels {
  gpu.func @majors(%y: memref<64xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %t = gpu.thread_id x
    %memory = gpu.dynamic_shared_memory : memref<?xi8, #smem>
    %a = memref.view %memory[%c0][] : memref<?xi8, #smem> to memref<128x32xbf16, #smem>
    %b = memref.view %memory[%c0][] : memref<?xi8, #smem> to memref<32x128xbf16, #smem>
    %zero = engine.zero_accumulator : !acc
    nvvm.wgmma.fence.aligned
    %d = engine.warpgroup_mma %a[%c64], %b, %zero {transpose_b} : memref<128x32xbf16, #smem>, memref<32x128xbf16, #smem>, !acc
    nvvm.wgmma.commit.group.sync.aligned
    nvvm.wgmma.wait.group.sync.aligned 0
    %f:16 = engine.read_accumulator %d : !acc
    %r = vector.extract %f#15[0] : vector<2xf32> from vector<2x2xf32>
    vector.store %r, %y[%t] : memref<64xf32>, vector<2xf32>
    gpu.return
  }
}

// -----

// Lanes hold pairs of 16-bit elements in one register each.

#smem = #gpu.address_space<workgroup>

// CHECK-LABEL: llvm.func @matrices
// CHECK-SAME:    (%[[INDEX:[^:]*]]: i32,
// CHECK:         %[[ROW:.*]] = llvm.getelementptr %{{.*}}[%[[INDEX]]] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, bf16
// CHECK:         %[[A:.*]] = llvm.bitcast %{{.*}} : vector<2xbf16> to i32
// CHECK:         %[[B:.*]] = llvm.bitcast %{{.*}} : vector<2xbf16> to i32
// CHECK:         nvvm.stmatrix %[[ROW]], %[[A]], %[[B]] {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>} : !llvm.ptr<3>, i32, i32
gpu.module @kernels {
  gpu.func @matrices(%i: index, %a: vector<2xbf16>, %b: vector<2xbf16>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %memory = gpu.dynamic_shared_memory : memref<?xi8, #smem>
    %tile = memref.view %memory[%c0][] : memref<?xi8, #smem> to memref<8192xbf16, #smem>
    engine.store_matrices %a, %b to %tile[%i] : vector<2xbf16>, vector<2xbf16> to memref<8192xbf16, #smem>
    gpu.return
  }
}
