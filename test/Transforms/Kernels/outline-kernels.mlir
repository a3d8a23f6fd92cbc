// RUN: conv-opt %s -conv-outline-kernels -split-input-file -verify-diagnostics | FileCheck %s
// RUN: not conv-opt %s -conv-outline-kernels -split-input-file --remarks-filter=conv-outline-kernels -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK-DAG: remark: [Passed] kernel-made | Category:conv-outline-kernels | {{.*}}of a convolution

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [32, 16, 32], warps = [2, 1], stages = 2, copy = cp_async, mma = mma_sync>
#y = #conv.view<rows = [6, 7], taps = [1, 1], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1>

// CHECK:       gpu.module @conv_kernels
// CHECK:         gpu.func @main_0(%[[BUF:.*]]: memref<1x6x7x24xf16>) kernel attributes {conv.schedule = #{{.*}}, known_block_size = array<i32: 64, 1, 1>}
// CHECK:           %[[ID:.*]] = gpu.block_id x
// CHECK:           %[[J:.*]] = arith.remui %[[ID]], %{{.*}}
// CHECK:           %[[I:.*]] = arith.divui %[[ID]], %{{.*}}
// CHECK:           conv.scatter %{{.*}} into %[[BUF]][%[[I]], %{{.*}}, %[[J]]]
// CHECK:       func.func @main(%[[Y:.*]]: memref<1x6x7x24xf16>)
// CHECK-NOT:     scf.forall
// CHECK-DAG:     %[[BLOCKS:.*]] = arith.constant 6 : index
// CHECK-DAG:     %[[THREADS:.*]] = arith.constant 64 : index
// CHECK:         gpu.launch_func @conv_kernels::@main_0 blocks in (%[[BLOCKS]], %{{.*}}) threads in (%[[THREADS]], %{{.*}}) args(%[[Y]] : memref<1x6x7x24xf16>)
func.func @main(%y: memref<1x6x7x24xf16>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<1.0> : vector<32x16xf16>
  scf.forall (%i, %j) in (2, 3) {
    conv.scatter %v into %y[%i, %c0, %j] view #y : vector<32x16xf16> into memref<1x6x7x24xf16>
  } {conv.schedule = #schedule}
  return
}

// -----

// A forall without a schedule stays on the host.

// CHECK-LABEL: @host
// CHECK-NOT:     gpu.launch_func
// CHECK:         scf.forall
func.func @host(%y: memref<8xf32>) {
  %v = arith.constant 1.0 : f32
  scf.forall (%i) in (8) {
    memref.store %v, %y[%i] : memref<8xf32>
  }
  return
}

// -----

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [32, 16, 32], warps = [2, 1], stages = 2, copy = cp_async, mma = mma_sync>

func.func @foreign(%y: memref<8xf32>) {
  %v = arith.constant 1.0 : f32
  scf.forall (%i) in (8) {
    // expected-error @below {{cannot be part of a kernel}}
    memref.store %v, %y[%i] : memref<8xf32>
  } {conv.schedule = #schedule}
  return
}

// -----

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [32, 16, 32], warps = [2, 1], stages = 2, copy = cp_async, mma = mma_sync>

func.func @dynamic(%n: index) {
  // expected-error @below {{must be bufferised and have constant bounds}}
  scf.forall (%i) in (%n) {
  } {mapping = [#gpu.thread<linear_dim_0>]}
  return
}

// -----

// The indices of a plain kernel are threads: 21 of them, in one workgroup.

// CHECK:       gpu.func @plain_0(%[[BUF:.*]]: memref<3x7x4xf32>) kernel attributes {conv.plain, known_block_size = array<i32: 256, 1, 1>}
// CHECK:         %[[B:.*]] = gpu.block_id x
// CHECK:         %[[FIRST:.*]] = arith.muli %[[B]], %{{.*}}
// CHECK:         %[[T:.*]] = gpu.thread_id x
// CHECK:         %[[N:.*]] = arith.addi %[[FIRST]], %[[T]]
// CHECK:         %[[EXISTS:.*]] = arith.cmpi ult, %[[N]], %{{.*}}
// CHECK:         scf.if %[[EXISTS]] {
// CHECK:           %[[J:.*]] = arith.remui %[[N]], %{{.*}}
// CHECK:           %[[I:.*]] = arith.divui %[[N]], %{{.*}}
// CHECK:           vector.transfer_write %{{.*}}, %[[BUF]][%[[I]], %[[J]], %{{.*}}]
// CHECK:       func.func @plain
// CHECK:         gpu.launch_func @conv_kernels::@plain_0 blocks in (%c1{{.*}}) threads in (%c256,
func.func @plain(%y: memref<3x7x4xf32>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<1.0> : vector<4xf32>
  scf.forall (%i, %j) in (3, 7) {
    vector.transfer_write %v, %y[%i, %j, %c0] {in_bounds = [true]} : vector<4xf32>, memref<3x7x4xf32>
  } {mapping = [#gpu.thread<linear_dim_1>, #gpu.thread<linear_dim_0>]}
  return
}

// -----

// Workgroups that stay have as many items as the loop says.

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 16, 16], warps = [4, 1], stages = 2, copy = tma, mma = wgmma, tail = even>
#y = #conv.view<rows = [6, 7], taps = [1, 1], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1>

// CHECK:       #[[MAP:.*]] = affine_map<(d0) -> (1, d0 * -2 + 3)>
// CHECK:         gpu.func @main_0
// CHECK:           %[[ID:.*]] = gpu.block_id x
// CHECK:           %[[GRID:.*]] = gpu.grid_dim x
// CHECK:           %[[ITEMS:.*]] = affine.max #[[MAP]](%[[ID]])
// CHECK:           %[[ALL:.*]] = arith.muli %[[ITEMS]], %[[GRID]] : index
// CHECK:           %[[END:.*]] = arith.addi %[[ID]], %[[ALL]] : index
// CHECK:           scf.for %{{.*}} = %[[ID]] to %[[END]] step %[[GRID]]
func.func @main(%y: memref<1x6x7x24xf16>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<1.0> : vector<64x16xf16>
  scf.forall (%i) in (265) {
    conv.scatter %v into %y[%i, %c0, %c0] view #y : vector<64x16xf16> into memref<1x6x7x24xf16>
  } {conv.items = affine_map<(d0) -> (1, d0 * -2 + 3)>, conv.schedule = #schedule}
  return
}

// -----

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [32, 16, 32], warps = [2, 1], stages = 2, copy = cp_async, mma = mma_sync>
#y = #conv.view<rows = [6, 7], taps = [1, 1], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1>

func.func @items(%y: memref<1x6x7x24xf16>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<1.0> : vector<32x16xf16>
  // expected-error @below {{has 'conv.items', but its workgroups do not stay for several items}}
  scf.forall (%i) in (265) {
    conv.scatter %v into %y[%i, %c0, %c0] view #y : vector<32x16xf16> into memref<1x6x7x24xf16>
  } {conv.items = affine_map<(d0) -> (1)>, conv.schedule = #schedule}
  return
}
