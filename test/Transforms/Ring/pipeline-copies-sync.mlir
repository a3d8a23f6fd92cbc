// RUN: conv-opt %s -pass-pipeline="builtin.module(gpu.module(conv-plan-kernels,conv-pipeline-copies),canonicalize,cse)" | FileCheck %s

// With copy=sync the ring is that of cp.async (pipeline-copies.mlir), but nothing
// is on its way: threads have stored a block when they meet at the barrier.

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [32, 16, 32], warps = [2, 1], stages = 3, copy = sync, mma = mma_sync>
#x = #conv.view<rows = [6, 7], taps = [3, 3], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1>
#w = #conv.view<rows = [1, 1], taps = [3, 3], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1>
#y = #conv.view<rows = [6, 7], taps = [1, 1], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1>
#smem = #gpu.address_space<workgroup>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @nest
  // CHECK-NOT:     async
  // CHECK-COUNT-4: conv.im2col
  // CHECK:         scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}, %[[SLOT:.*]] = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}})
  // CHECK-NEXT:      gpu.barrier
  // CHECK:           memref.subview %{{.*}}[%[[SLOT]], 0, 0]
  // CHECK:           vector.contract {{.*}} %[[ACC]]
  // CHECK-COUNT-2:   conv.im2col
  // CHECK-NOT:       async
  // CHECK:           scf.yield
  // CHECK-NOT:     async
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
