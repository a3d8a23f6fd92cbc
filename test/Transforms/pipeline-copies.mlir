// RUN: conv-opt %s -pass-pipeline="builtin.module(gpu.module(gpu.func(conv-pipeline-copies)),canonicalize,cse)" -split-input-file -verify-diagnostics | FileCheck %s

// Two loops become one of 2 * 9 blocks; block k lives in slot k mod 3.

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [32, 16, 32], warps = [2, 1], stages = 3, copy = cp_async, mma = mma_sync>
#x = #conv.view<rows = [6, 7], taps = [3, 3], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1>
#w = #conv.view<rows = [1, 1], taps = [3, 3], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1>
#y = #conv.view<rows = [6, 7], taps = [1, 1], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1>
#smem = #gpu.address_space<workgroup>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @nest
  // CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
  // CHECK-DAG:     %[[C1:.*]] = arith.constant 1 : index
  // CHECK-DAG:     %[[C2:.*]] = arith.constant 2 : index
  // CHECK-DAG:     %[[C9:.*]] = arith.constant 9 : index
  // CHECK-DAG:     %[[C18:.*]] = arith.constant 18 : index
  // CHECK-DAG:     %[[C32:.*]] = arith.constant 32 : index
  // CHECK-DAG:     memref.alloc() : memref<3x32x32xf16, #gpu.address_space<workgroup>>
  // CHECK-DAG:     memref.alloc() : memref<3x16x32xf16, #gpu.address_space<workgroup>>
  // Two blocks ahead, each a group.
  // CHECK-COUNT-2: conv.im2col {{.*}} async
  // CHECK:         nvvm.cp.async.commit.group
  // CHECK-COUNT-2: conv.im2col {{.*}} async
  // CHECK:         nvvm.cp.async.commit.group
  // CHECK-NOT:     conv.im2col
  // The loop carries the slot and the block that is copied next: 2 = (0, 2).
  // CHECK:         scf.for %{{.*}} = %[[C0]] to %[[C18]] {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}, %[[SLOT:.*]] = %[[C0]], %[[CB:.*]] = %[[C0]], %[[T:.*]] = %[[C2]])
  // CHECK-NEXT:      nvvm.cp.async.wait.group 1
  // CHECK-NEXT:      gpu.barrier
  // CHECK:           memref.subview %{{.*}}[%[[SLOT]], 0, 0]
  // CHECK:           %[[R:.*]] = vector.contract {{.*}} %[[ACC]]
  // Block k + 2 into slot k - 1, without a condition: past the end it reads zero.
  // CHECK-NEXT:      %[[FIRST:.*]] = arith.cmpi eq, %[[SLOT]], %[[C0]]
  // CHECK-NEXT:      %[[BELOW:.*]] = arith.subi %[[SLOT]], %[[C1]]
  // CHECK-NEXT:      %[[FREE:.*]] = arith.select %[[FIRST]], %[[C2]], %[[BELOW]]
  // CHECK-NEXT:      %[[C:.*]] = arith.muli %[[CB]], %[[C32]]
  // CHECK-NEXT:      memref.subview %{{.*}}[%[[FREE]], 0, 0]
  // CHECK-NEXT:      conv.im2col %{{.*}}[%{{.*}}, %[[T]], %[[C]]] into %{{.*}} async
  // CHECK:           conv.im2col %{{.*}}[%{{.*}}, %[[T]], %[[C]]] into %{{.*}} async
  // CHECK-NEXT:      nvvm.cp.async.commit.group
  // CHECK:           %[[WRAPS:.*]] = arith.cmpi eq, %{{.*}}, %[[C9]]
  // CHECK:           scf.yield %[[R]]
  // CHECK:         nvvm.cp.async.wait.group 0
  // CHECK:         conv.scatter
  gpu.func @nest(%x: memref<1x8x9x64xf16>, %w: memref<24x3x3x64xf16>, %y: memref<1x6x7x24xf32>) kernel attributes {conv.schedule = #schedule} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c9 = arith.constant 9 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : f16
    %zero = arith.constant dense<0.0> : vector<32x16xf32>
    %m = gpu.block_id x
    %a = memref.alloc() : memref<32x32xf16, #smem>
    %b = memref.alloc() : memref<16x32xf16, #smem>
    %acc = scf.for %c = %c0 to %c64 step %c32 iter_args(%a0 = %zero) -> (vector<32x16xf32>) {
      %acc1 = scf.for %t = %c0 to %c9 step %c1 iter_args(%a1 = %a0) -> (vector<32x16xf32>) {
        conv.im2col %x[%m, %t, %c] into %a view <rows = [6, 7], taps = [3, 3], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1> : memref<1x8x9x64xf16> into memref<32x32xf16, #smem>
        %va = vector.transfer_read %a[%c0, %c0], %pad {in_bounds = [true, true]} : memref<32x32xf16, #smem>, vector<32x32xf16>
        conv.im2col %w[%c0, %t, %c] into %b view <rows = [1, 1], taps = [3, 3], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1> : memref<24x3x3x64xf16> into memref<16x32xf16, #smem>
        %vb = vector.transfer_read %b[%c0, %c0], %pad {in_bounds = [true, true]} : memref<16x32xf16, #smem>, vector<16x32xf16>
        %r = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} %va, %vb, %a1 : vector<32x32xf16>, vector<16x32xf16> into vector<32x16xf32>
        scf.yield %r : vector<32x16xf32>
      }
      scf.yield %acc1 : vector<32x16xf32>
    }
    conv.scatter %acc into %y[%m, %c0, %c0] view #y : vector<32x16xf32> into memref<1x6x7x24xf32>
    gpu.return
  }
}

// -----

// One block of gemm-k: there is no loop to begin with, and the ring still holds.

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [32, 16, 32], warps = [2, 1], stages = 2, copy = cp_async, mma = mma_sync>
#x = #conv.view<rows = [6, 7], taps = [1, 1], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1>
#w = #conv.view<rows = [1, 1], taps = [1, 1], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1>
#smem = #gpu.address_space<workgroup>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @one_block
  // CHECK:         conv.im2col {{.*}} async
  // CHECK:         conv.im2col {{.*}} async
  // CHECK:         nvvm.cp.async.commit.group
  // CHECK:         nvvm.cp.async.wait.group 0
  // CHECK:         gpu.barrier
  // CHECK:         vector.contract
  // CHECK:         conv.scatter
  gpu.func @one_block(%x: memref<1x6x7x32xf16>, %w: memref<24x1x1x32xf16>, %y: memref<1x6x7x24xf32>) kernel attributes {conv.schedule = #schedule} {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0.0 : f16
    %zero = arith.constant dense<0.0> : vector<32x16xf32>
    %m = gpu.block_id x
    %a = memref.alloc() : memref<32x32xf16, #smem>
    %b = memref.alloc() : memref<16x32xf16, #smem>
    conv.im2col %x[%m, %c0, %c0] into %a view <rows = [6, 7], taps = [1, 1], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1> : memref<1x6x7x32xf16> into memref<32x32xf16, #smem>
    %va = vector.transfer_read %a[%c0, %c0], %pad {in_bounds = [true, true]} : memref<32x32xf16, #smem>, vector<32x32xf16>
    conv.im2col %w[%c0, %c0, %c0] into %b view <rows = [1, 1], taps = [1, 1], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1> : memref<24x1x1x32xf16> into memref<16x32xf16, #smem>
    %vb = vector.transfer_read %b[%c0, %c0], %pad {in_bounds = [true, true]} : memref<16x32xf16, #smem>, vector<16x32xf16>
    %acc = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} %va, %vb, %zero : vector<32x32xf16>, vector<16x32xf16> into vector<32x16xf32>
    conv.scatter %acc into %y[%m, %c0, %c0] view #x : vector<32x16xf32> into memref<1x6x7x24xf32>
    gpu.return
  }
}

// -----

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [32, 16, 32], warps = [2, 1], stages = 1, copy = cp_async, mma = mma_sync>

gpu.module @kernels {
  // expected-error @below {{needs a ring of at least 2 stages, but its schedule has 1}}
  gpu.func @shallow() kernel attributes {conv.schedule = #schedule} {
    gpu.return
  }
}

// -----

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [32, 16, 32], warps = [2, 1], stages = 2, copy = cp_async, mma = mma_sync>

gpu.module @kernels {
  // expected-error @below {{must have one contraction, but has 0}}
  gpu.func @empty() kernel attributes {conv.schedule = #schedule} {
    gpu.return
  }
}
