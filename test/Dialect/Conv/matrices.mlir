// RUN: conv-opt %s | conv-opt | FileCheck %s
// RUN: conv-opt %s --mlir-print-op-generic | conv-opt | FileCheck %s

// Round trips of conv.im2col and conv.scatter.

#x = #conv.view<rows = [6, 7], taps = [3, 3], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1>
#y = #conv.view<rows = [6, 7], taps = [1, 1], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1>

// CHECK-LABEL: func @tensors
func.func @tensors(%x: tensor<1x8x9x4xf16>, %y0: tensor<1x6x7x9xf16>, %m: tensor<42x9xf16>, %d: tensor<16x4xf16>, %i: index) {
  // CHECK: conv.im2col %{{.*}} view <rows = [6, 7], taps = [3, 3], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1> : tensor<1x8x9x4xf16> -> tensor<42x9x4xf16>
  %0 = conv.im2col %x view #x : tensor<1x8x9x4xf16> -> tensor<42x9x4xf16>
  // CHECK: conv.im2col %{{.*}}[%[[i:.*]], %[[i]], %[[i]]] view <{{.*}}> : tensor<1x8x9x4xf16> -> tensor<16x4xf16>
  %1 = conv.im2col %x[%i, %i, %i] view #x : tensor<1x8x9x4xf16> -> tensor<16x4xf16>
  // CHECK: conv.im2col %{{.*}}[{{.*}}] into %{{.*}} view <{{.*}}> : tensor<1x8x9x4xf16> into tensor<16x4xf16> -> tensor<16x4xf16>
  %2 = conv.im2col %x[%i, %i, %i] into %d view #x : tensor<1x8x9x4xf16> into tensor<16x4xf16> -> tensor<16x4xf16>
  // CHECK: conv.scatter %{{.*}} into %{{.*}} view <{{.*}}> : tensor<42x9xf16> into tensor<1x6x7x9xf16> -> tensor<1x6x7x9xf16>
  %3 = conv.scatter %m into %y0 view #y : tensor<42x9xf16> into tensor<1x6x7x9xf16> -> tensor<1x6x7x9xf16>
  return
}

// CHECK-LABEL: func @condition
// CHECK-SAME:  %[[c:.*]]: i1
func.func @condition(%c: i1, %y0: tensor<1x6x7x9xf16>, %m: tensor<16x9xf16>) -> tensor<1x6x7x9xf16> {
  %c0 = arith.constant 0 : index
  %y = scf.forall (%i) in (3) shared_outs(%o = %y0) -> (tensor<1x6x7x9xf16>) {
    scf.forall.in_parallel {
      // CHECK: conv.scatter %{{.*}} into %{{.*}}[{{.*}}] if %[[c]] view <{{.*}}> : tensor<16x9xf16> into tensor<1x6x7x9xf16>
      conv.scatter %m into %o[%i, %c0, %c0] if %c view #y : tensor<16x9xf16> into tensor<1x6x7x9xf16>
    }
  }
  return %y : tensor<1x6x7x9xf16>
}

// CHECK-LABEL: func @buffers
func.func @buffers(%x: memref<1x8x9x4xf16>, %y: memref<1x6x7x9xf16>, %v: vector<16x4xf16>, %d: memref<16x4xf16, 3>, %i: index) {
  // CHECK: conv.im2col %{{.*}}[{{.*}}] into %{{.*}} async view <{{.*}}> : memref<1x8x9x4xf16> into memref<16x4xf16, 3>
  conv.im2col %x[%i, %i, %i] into %d async view #x : memref<1x8x9x4xf16> into memref<16x4xf16, 3>
  // CHECK: conv.im2col {{.*}} -> vector<16x4xf16>
  %0 = conv.im2col %x[%i, %i, %i] view #x : memref<1x8x9x4xf16> -> vector<16x4xf16>
  // CHECK: conv.scatter %{{.*}} into %{{.*}}[{{.*}}] view <{{.*}}> : vector<16x4xf16> into memref<1x6x7x9xf16>
  conv.scatter %v into %y[%i, %i, %i] view #y : vector<16x4xf16> into memref<1x6x7x9xf16>
  return
}

// A tile of one of several matrices.

#even = #conv.view<rows = [4], taps = [2], stride = [1], step = [1], offset = [-1], groups = 1>
#odd = #conv.view<rows = [3], taps = [0], stride = [1], step = [1], offset = [0], groups = 1>
#even_rows = #conv.view<rows = [4], taps = [1], stride = [2], step = [1], offset = [0], groups = 1>
#odd_rows = #conv.view<rows = [3], taps = [1], stride = [2], step = [1], offset = [1], groups = 1>

// CHECK-LABEL: func @phases
// CHECK-SAME: %[[p:[a-z0-9]+]]: index
func.func @phases(%p: index, %dy: memref<1x4x4xf16>, %dx: memref<1x7x4xf16>, %v: vector<16x4xf16>, %d: memref<16x4xf16, 3>, %i: index) {
  // CHECK: conv.im2col %{{.*}}[{{.*}}] into %{{.*}} async at %[[p]] views [<rows = [4], taps = [2], {{.*}} groups = 1>, <rows = [3], taps = [0], {{.*}}>] : memref<1x4x4xf16> into memref<16x4xf16, 3>
  conv.im2col %dy[%i, %i, %i] into %d async at %p views [#even, #odd] : memref<1x4x4xf16> into memref<16x4xf16, 3>
  // CHECK: conv.scatter %{{.*}} into %{{.*}}[{{.*}}] at %[[p]] views [<rows = [4], {{.*}}>, <rows = [3], {{.*}}>] : vector<16x4xf16> into memref<1x7x4xf16>
  conv.scatter %v into %dx[%i, %i, %i] at %p views [#even_rows, #odd_rows] : vector<16x4xf16> into memref<1x7x4xf16>
  return
}

// CHECK-LABEL: func @zero_fill
func.func @zero_fill(%m: tensor<8x9xf16>, %dx: tensor<2x9x7xf16>) -> tensor<2x9x7xf16> {
  // CHECK: conv.scatter %{{.*}} into %{{.*}} view <rows = [4], {{.*}}> channels_first zero_fill : tensor<8x9xf16> into tensor<2x9x7xf16> -> tensor<2x9x7xf16>
  %0 = conv.scatter %m into %dx view #even_rows channels_first zero_fill : tensor<8x9xf16> into tensor<2x9x7xf16> -> tensor<2x9x7xf16>
  return %0 : tensor<2x9x7xf16>
}

// CHECK-LABEL: func @zero_fill_channels_last
func.func @zero_fill_channels_last(%v: vector<8x16xf16>, %dx: memref<2x7x9xf16>, %i: index) {
  // CHECK: conv.scatter %{{.*}} into %{{.*}}[{{.*}}] view <rows = [4], {{.*}}> zero_fill : vector<8x16xf16> into memref<2x7x9xf16>
  conv.scatter %v into %dx[%i, %i, %i] view #even_rows zero_fill : vector<8x16xf16> into memref<2x7x9xf16>
  return
}

// CHECK-LABEL: func @row_groups
func.func @row_groups(%w: tensor<6x3x4xf16>, %i: index) {
  // CHECK: conv.im2col %{{.*}} view <{{.*}}, groups = 1, row_groups = 2> : tensor<6x3x4xf16> -> tensor<2x3x3x4xf16>
  %0 = conv.im2col %w view <rows = [1], taps = [3], stride = [1], step = [1], offset = [0], groups = 1, row_groups = 2> : tensor<6x3x4xf16> -> tensor<2x3x3x4xf16>
  // CHECK: conv.im2col %{{.*}}[%[[i:.*]], %[[i]], %[[i]], %[[i]], %[[i]]] view <{{.*}}, groups = 2, row_groups = 2>
  %1 = conv.im2col %w[%i, %i, %i, %i, %i] view <rows = [1], taps = [3], stride = [1], step = [1], offset = [0], groups = 2, row_groups = 2> : tensor<6x3x4xf16> -> tensor<16x16xf16>
  return
}

// CHECK-LABEL: func.func private @schedules
// CHECK-SAME:    a = #conv.schedule<algorithm=implicit_gemm tile=128x64x64 warps=8x1 stages=4 copy=tma mma=wgmma split-k=1>
// CHECK-SAME:    b = #conv.schedule<{{.*}} mma=wgmma split-k=4 cluster=2x1 resident=2 window=true staging=64 merge=8>
// CHECK-SAME:    c = #conv.schedule<{{.*}} mma=wgmma split-k=1 staging=128 tail=3 fold=1x3>
// CHECK-SAME:    d = #conv.schedule<{{.*}} mma=wgmma split-k=1 tail=even>
func.func private @schedules() attributes {
  a = #conv.schedule<algorithm = implicit_gemm, tile = [128, 64, 64], warps = [8, 1], stages = 4, copy = tma, mma = wgmma, resident = 1, window = false>,
  b = #conv.schedule<algorithm = implicit_gemm, tile = [128, 64, 64], warps = [8, 1], stages = 4, copy = tma, mma = wgmma, staging = 64, window = true, cluster = [2, 1], resident = 2, merge = 8, split = 4>,
  c = #conv.schedule<algorithm = implicit_gemm, tile = [128, 64, 64], warps = [8, 1], stages = 4, copy = tma, mma = wgmma, fold = [1, 3], tail = 3, staging = 128>,
  d = #conv.schedule<algorithm = implicit_gemm, tile = [128, 64, 64], warps = [8, 1], stages = 4, copy = tma, mma = wgmma, tail = even>
}

// CHECK-LABEL: func @shifted_taps
func.func @shifted_taps(%x: tensor<2x64x256xbf16>) -> tensor<2x64x3x256xbf16> {
  // CHECK: conv.im2col %{{.*}} view <rows = [64], {{.*}}, row_groups = 2> tap_shift step 16 offset -16 : tensor<2x64x256xbf16> -> tensor<2x64x3x256xbf16>
  %0 = conv.im2col %x view <rows = [64], taps = [1], stride = [1], step = [1], offset = [0], groups = 1, row_groups = 2> tap_shift step 16 offset -16 : tensor<2x64x256xbf16> -> tensor<2x64x3x256xbf16>
  return %0 : tensor<2x64x3x256xbf16>
}

// CHECK-LABEL: func @add_taps
func.func @add_taps(%a: tensor<2x384x256xf32>, %b: vector<128x128xf16>) {
  // CHECK: conv.add_taps %{{.*}} line 16 shifts [-1, 0, 1] : tensor<2x384x256xf32> -> tensor<2x128x256xf32>
  %0 = conv.add_taps %a line 16 shifts [-1, 0, 1] : tensor<2x384x256xf32> -> tensor<2x128x256xf32>
  // CHECK: conv.add_taps %{{.*}} line 56 shifts [0, 3] : vector<128x128xf16> -> vector<64x112xf16>
  %1 = conv.add_taps %b line 56 shifts [0, 3] : vector<128x128xf16> -> vector<64x112xf16>
  return
}

// CHECK: a = #conv.schedule<{{.*}} mma=wgmma split-k=1 kn2row=true>
func.func private @kn2row() attributes {
  a = #conv.schedule<algorithm = implicit_gemm, tile = [64, 128, 64], warps = [4, 1], stages = 4, copy = tma, mma = wgmma, kn2row = true>
}
