// RUN: conv-opt %s -pass-pipeline="builtin.module(gpu.module(conv-plan-kernels,conv-pipeline-copies),canonicalize,cse)" -split-input-file -verify-diagnostics | FileCheck %s

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

// As many taps as the stride phase has: the loop runs 2 * taps blocks, and the
// digit of the tap begins anew at that number, always where it is 0. What is
// copied in front of the loop is counted the same way.

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [32, 16, 32], warps = [2, 1], stages = 3, copy = cp_async, mma = mma_sync>
#smem = #gpu.address_space<workgroup>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @taps_of_a_phase
  // CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
  // CHECK-DAG:     %[[C1:.*]] = arith.constant 1 : index
  // CHECK-DAG:     %[[C2:.*]] = arith.constant 2 : index
  // CHECK:         %[[P:.*]] = arith.select %{{.*}}, %[[C1]], %[[C0]]
  // CHECK:         %[[TAPS:.*]] = arith.select
  // CHECK:         %[[BLOCKS:.*]] = arith.muli %[[TAPS]], %[[C2]]
  // CHECK:         conv.im2col %{{.*}}[%{{.*}}, %[[C0]], %[[C0]]] into %{{.*}} async at %[[P]] views
  // CHECK:         nvvm.cp.async.commit.group
  // CHECK:         %[[WRAPS:.*]] = arith.cmpi ule, %[[TAPS]], %[[C1]]
  // CHECK:         %[[T1:.*]] = arith.select %[[WRAPS]], %[[C0]], %[[C1]]
  // CHECK:         conv.im2col %{{.*}}[%{{.*}}, %[[T1]], %{{.*}}] into %{{.*}} async at %[[P]] views
  // CHECK:         scf.for %{{.*}} = %[[C0]] to %[[BLOCKS]] step %[[C1]]
  // CHECK:           vector.contract
  // CHECK:           conv.im2col {{.*}} async at %[[P]] views
  // CHECK:           arith.cmpi uge, %{{.*}}, %[[TAPS]]
  gpu.func @taps_of_a_phase(%x: memref<1x8x64xf16>, %w: memref<64x3x16xf16>, %y: memref<1x16x16xf32>) kernel attributes {conv.schedule = #schedule} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : f16
    %zero = arith.constant dense<0.0> : vector<32x16xf32>
    %m = gpu.block_id x
    %later = arith.cmpi uge, %m, %c1 : index
    %p = arith.select %later, %c1, %c0 : index
    %taps = arith.select %later, %c1, %c2 : index
    %a = memref.alloc() : memref<32x32xf16, #smem>
    %b = memref.alloc() : memref<32x16xf16, #smem>
    %acc = scf.for %k = %c0 to %c64 step %c32 iter_args(%a0 = %zero) -> (vector<32x16xf32>) {
      %acc1 = scf.for %t = %c0 to %taps step %c1 iter_args(%a1 = %a0) -> (vector<32x16xf32>) {
        conv.im2col %x[%m, %t, %k] into %a at %p views [<rows = [8], taps = [2], stride = [1], step = [1], offset = [-1], groups = 1>, <rows = [8], taps = [1], stride = [1], step = [1], offset = [0], groups = 1>] : memref<1x8x64xf16> into memref<32x32xf16, #smem>
        %va = vector.transfer_read %a[%c0, %c0], %pad {in_bounds = [true, true]} : memref<32x32xf16, #smem>, vector<32x32xf16>
        conv.im2col %w[%k, %t, %c0] into %b at %p views [<rows = [1], taps = [2], stride = [1], step = [-2], offset = [2], groups = 1>, <rows = [1], taps = [1], stride = [1], step = [-2], offset = [1], groups = 1>] : memref<64x3x16xf16> into memref<32x16xf16, #smem>
        %vb = vector.transfer_read %b[%c0, %c0], %pad {in_bounds = [true, true]} : memref<32x16xf16, #smem>, vector<32x16xf16>
        %r = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} %va, %vb, %a1 : vector<32x32xf16>, vector<32x16xf16> into vector<32x16xf32>
        scf.yield %r : vector<32x16xf32>
      }
      scf.yield %acc1 : vector<32x16xf32>
    }
    conv.scatter %acc into %y[%m, %c0, %c0] at %p views [<rows = [8], taps = [1], stride = [2], step = [1], offset = [0], groups = 1>, <rows = [8], taps = [1], stride = [2], step = [1], offset = [1], groups = 1>] : vector<32x16xf32> into memref<1x16x16xf32>
    gpu.return
  }
}

// -----

// A part of gemm-k: how many blocks it has is known in the kernel only.

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [16, 16, 32], warps = [1, 1], stages = 2, copy = cp_async, mma = mma_sync, split = 3>
#x = #conv.view<rows = [99], taps = [1], stride = [1], step = [1], offset = [0], groups = 1>
#smem = #gpu.address_space<workgroup>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @part
  // CHECK-DAG:     %[[C32:.*]] = arith.constant 32 : index
  // CHECK:         %[[LENGTH:.*]] = arith.select
  // CHECK:         %[[BLOCKS:.*]] = arith.divui %[[LENGTH]], %[[C32]]
  // CHECK-COUNT-2: conv.im2col %{{.*}} async
  // CHECK:         nvvm.cp.async.commit.group
  // CHECK:         scf.for %{{.*}} = %{{.*}} to %[[BLOCKS]]
  gpu.func @part(%x: memref<1x99x16xf16>, %dy: memref<1x99x16xf16>, %y: memref<48x1x16xf32>) kernel attributes {conv.schedule = #schedule} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : f16
    %zero = arith.constant dense<0.0> : vector<16x16xf32>
    %s = gpu.block_id x
    %longer = arith.cmpi ult, %s, %c1 : index
    %before = arith.minui %s, %c1 : index
    %length = arith.select %longer, %c64, %c32 : index
    %a = memref.alloc() : memref<32x16xf16, #smem>
    %b = memref.alloc() : memref<32x16xf16, #smem>
    %acc = scf.for %m = %c0 to %length step %c32 iter_args(%a0 = %zero) -> (vector<16x16xf32>) {
      %row = affine.apply affine_map<(m, s, b) -> (m + (s + b) * 32)>(%m, %s, %before)
      conv.im2col %dy[%row, %c0, %c0] into %a view #x : memref<1x99x16xf16> into memref<32x16xf16, #smem>
      %va = vector.transfer_read %a[%c0, %c0], %pad {in_bounds = [true, true]} : memref<32x16xf16, #smem>, vector<32x16xf16>
      conv.im2col %x[%row, %c0, %c0] into %b view #x : memref<1x99x16xf16> into memref<32x16xf16, #smem>
      %vb = vector.transfer_read %b[%c0, %c0], %pad {in_bounds = [true, true]} : memref<32x16xf16, #smem>, vector<32x16xf16>
      %r = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} %va, %vb, %a0 : vector<32x16xf16>, vector<32x16xf16> into vector<16x16xf32>
      scf.yield %r : vector<16x16xf32>
    }
    conv.scatter %acc into %y[%s, %c0, %c0, %c0] view <rows = [1], taps = [1], stride = [1], step = [1], offset = [0], groups = 1, row_groups = 3> : vector<16x16xf32> into memref<48x1x16xf32>
    gpu.return
  }
}

// -----

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [16, 16, 16], warps = [1, 1], stages = 2, copy = cp_async, mma = mma_sync>
#x = #conv.view<rows = [96], taps = [1], stride = [1], step = [1], offset = [0], groups = 1>
#smem = #gpu.address_space<workgroup>

gpu.module @kernels {
  gpu.func @bound_inside(%x: memref<1x96x16xf16>, %y: memref<1x96x16xf32>) kernel attributes {conv.schedule = #schedule} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c96 = arith.constant 96 : index
    %pad = arith.constant 0.0 : f16
    %zero = arith.constant dense<0.0> : vector<16x16xf32>
    %a = memref.alloc() : memref<16x16xf16, #smem>
    %acc = scf.for %m = %c0 to %c96 step %c16 iter_args(%a0 = %zero) -> (vector<16x16xf32>) {
      // expected-error @below {{must have a bound that is known in front of the gemm-k loops}}
      %acc1 = scf.for %t = %c0 to %m step %c1 iter_args(%a1 = %a0) -> (vector<16x16xf32>) {
        conv.im2col %x[%m, %t, %c0] into %a view #x : memref<1x96x16xf16> into memref<16x16xf16, #smem>
        %va = vector.transfer_read %a[%c0, %c0], %pad {in_bounds = [true, true]} : memref<16x16xf16, #smem>, vector<16x16xf16>
        %r = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} %va, %va, %a1 : vector<16x16xf16>, vector<16x16xf16> into vector<16x16xf32>
        scf.yield %r : vector<16x16xf32>
      }
      scf.yield %acc1 : vector<16x16xf32>
    }
    conv.scatter %acc into %y[%c0, %c0, %c0] view #x : vector<16x16xf32> into memref<1x96x16xf32>
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
