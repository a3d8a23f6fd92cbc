// RUN: conv-opt %s -conv-tile-to-workgroups -canonicalize -cse -split-input-file | FileCheck %s

// Rows, columns and channels that no tile divides: the tiles stay static.

#x = #conv.view<rows = [6, 7], taps = [3, 3], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1>
#w = #conv.view<rows = [1, 1], taps = [3, 3], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1>
#y = #conv.view<rows = [6, 7], taps = [1, 1], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1>
#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [32, 16, 32], warps = [2, 1], stages = 2, copy = cp_async, mma = mma_sync>

// CHECK-LABEL: @forward
// CHECK-SAME:  %[[X:.*]]: tensor<1x8x9x40xf16>, %[[W:.*]]: tensor<24x3x3x40xf16>, %[[BIAS:.*]]: tensor<24xf32>
func.func @forward(%x: tensor<1x8x9x40xf16>, %w: tensor<24x3x3x40xf16>, %bias: tensor<24xf32>) -> tensor<1x6x7x24xf16> {
  %X = conv.im2col %x view #x : tensor<1x8x9x40xf16> -> tensor<42x9x40xf16>
  %W = conv.im2col %w view #w : tensor<24x3x3x40xf16> -> tensor<24x9x40xf16>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<42x24xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<42x24xf32>) -> tensor<42x24xf32>
  %acc = linalg.generic {
      indexing_maps = [affine_map<(m, n, t, c) -> (m, t, c)>, affine_map<(m, n, t, c) -> (n, t, c)>, affine_map<(m, n, t, c) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%X, %W : tensor<42x9x40xf16>, tensor<24x9x40xf16>) outs(%init : tensor<42x24xf32>) attrs = {conv.schedule = #schedule} {
  ^bb0(%a: f16, %b: f16, %c: f32):
    %0 = arith.extf %a : f16 to f32
    %1 = arith.extf %b : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %c, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<42x24xf32>
  %e2 = tensor.empty() : tensor<42x24xf16>
  %r = linalg.generic {
      indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%acc, %bias : tensor<42x24xf32>, tensor<24xf32>) outs(%e2 : tensor<42x24xf16>) {
  ^bb0(%a: f32, %b: f32, %o: f16):
    %0 = arith.addf %a, %b : f32
    %1 = arith.truncf %0 : f32 to f16
    linalg.yield %1 : f16
  } -> tensor<42x24xf16>
  %y0 = tensor.empty() : tensor<1x6x7x24xf16>
  %y = conv.scatter %r into %y0 view #y : tensor<42x24xf16> into tensor<1x6x7x24xf16> -> tensor<1x6x7x24xf16>
  return %y : tensor<1x6x7x24xf16>
}

// CHECK-DAG:  %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:  %[[C9:.*]] = arith.constant 9 : index
// CHECK-DAG:  %[[C32:.*]] = arith.constant 32 : index
// CHECK-DAG:  %[[C64:.*]] = arith.constant 64 : index
// CHECK:      scf.forall (%[[BM:.*]], %[[BN:.*]]) in (2, 2) shared_outs(%[[O:.*]] =
// CHECK-DAG:    %[[M:.*]] = affine.apply #{{.*}}(%[[BM]])
// CHECK-DAG:    %[[N:.*]] = affine.apply #{{.*}}(%[[BN]])
// CHECK:        scf.for %[[C:.*]] = %[[C0]] to %[[C64]] step %[[C32]]
// CHECK:          scf.for %[[T:.*]] = %[[C0]] to %[[C9]]
// CHECK-DAG:        conv.im2col %[[X]][%[[M]], %[[T]], %[[C]]] {{.*}} -> tensor<32x32xf16>
// CHECK-DAG:        conv.im2col %[[W]][%[[N]], %[[T]], %[[C]]] {{.*}} -> tensor<16x32xf16>
// CHECK:            linalg.generic
// CHECK:        tensor.extract_slice %[[BIAS]][%[[N]]] [%{{.*}}] [1] : tensor<24xf32> to tensor<?xf32>
// CHECK:        tensor.pad
// CHECK:        linalg.generic
// CHECK:        scf.forall.in_parallel {
// CHECK-NEXT:     conv.scatter %{{.*}} into %[[O]][%[[M]], %[[C0]], %[[N]]] {{.*}} : tensor<32x16xf16> into tensor<1x6x7x24xf16>
// CHECK:      mapping = [#gpu.block<y>, #gpu.block<x>]

// -----

// Groups are one more dimension of the grid; their unit tile leaves no trace
// in the shapes.

#x = #conv.view<rows = [7], taps = [3], stride = [1], step = [1], offset = [0], groups = 2>
#w = #conv.view<rows = [1], taps = [3], stride = [1], step = [1], offset = [0], groups = 1, row_groups = 2>
#y = #conv.view<rows = [7], taps = [1], stride = [1], step = [1], offset = [0], groups = 2>
#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [16, 16, 16], warps = [1, 1], stages = 2, copy = cp_async, mma = mma_sync>

// CHECK-LABEL: @grouped
func.func @grouped(%x: tensor<2x9x32xf16>, %w: tensor<32x3x16xf16>) -> tensor<2x7x32xf32> {
  %X = conv.im2col %x view #x : tensor<2x9x32xf16> -> tensor<14x3x2x16xf16>
  %W = conv.im2col %w view #w : tensor<32x3x16xf16> -> tensor<2x16x3x16xf16>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<14x2x16xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<14x2x16xf32>) -> tensor<14x2x16xf32>
  %acc = linalg.generic {
      indexing_maps = [affine_map<(g, m, n, t, c) -> (m, t, g, c)>, affine_map<(g, m, n, t, c) -> (g, n, t, c)>, affine_map<(g, m, n, t, c) -> (m, g, n)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%X, %W : tensor<14x3x2x16xf16>, tensor<2x16x3x16xf16>) outs(%init : tensor<14x2x16xf32>) attrs = {conv.schedule = #schedule} {
  ^bb0(%a: f16, %b: f16, %c: f32):
    %0 = arith.extf %a : f16 to f32
    %1 = arith.extf %b : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %c, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<14x2x16xf32>
  %y0 = tensor.empty() : tensor<2x7x32xf32>
  %y = conv.scatter %acc into %y0 view #y : tensor<14x2x16xf32> into tensor<2x7x32xf32> -> tensor<2x7x32xf32>
  return %y : tensor<2x7x32xf32>
}

// CHECK:      scf.forall (%{{.*}}, %[[G:.*]], %{{.*}}) in (1, 2, 1)
// CHECK:        conv.im2col %arg0[%{{.*}}, %{{.*}}, %[[G]], %{{.*}}] {{.*}} -> tensor<16x16xf16>
// CHECK:        conv.im2col %arg1[%[[G]], %{{.*}}, %{{.*}}, %{{.*}}] {{.*}} -> tensor<16x16xf16>
// CHECK:        linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<16x16xf16>, tensor<16x16xf16>) outs(%{{.*}} : tensor<16x16xf32>)
// CHECK:        conv.scatter %{{.*}} into %{{.*}}[%{{.*}}, %{{.*}}, %[[G]], %{{.*}}] {{.*}} : tensor<16x16xf32>

// -----

// Two stride phases of dgrad are one kernel of 3 + 2 tiles; the phase with more
// taps comes first, in whichever order they were written.

#dy0 = #conv.view<rows = [5, 8], taps = [2, 1], stride = [1, 1], step = [1, 1], offset = [-1, 0], groups = 1>
#dy1 = #conv.view<rows = [4, 8], taps = [1, 1], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1>
#w0 = #conv.view<rows = [1, 1], taps = [2, 1], stride = [1, 1], step = [-2, -1], offset = [2, 0], groups = 1>
#w1 = #conv.view<rows = [1, 1], taps = [1, 1], stride = [1, 1], step = [-2, -1], offset = [1, 0], groups = 1>
#dx0 = #conv.view<rows = [5, 8], taps = [1, 1], stride = [2, 1], step = [1, 1], offset = [0, 0], groups = 1>
#dx1 = #conv.view<rows = [4, 8], taps = [1, 1], stride = [2, 1], step = [1, 1], offset = [1, 0], groups = 1>
#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [16, 16, 16], warps = [1, 1], stages = 2, copy = cp_async, mma = mma_sync>
#mtk = affine_map<(m, n, t, k) -> (m, t, k)>
#ktn = affine_map<(m, n, t, k) -> (k, t, n)>
#mn = affine_map<(m, n, t, k) -> (m, n)>

// CHECK-LABEL: @phases
// CHECK-SAME:  %[[DY:.*]]: tensor<1x4x8x16xf16>, %[[W:.*]]: tensor<16x3x1x16xf16>, %[[DX:.*]]: tensor<1x9x8x16xf32>
func.func @phases(%dy: tensor<1x4x8x16xf16>, %w: tensor<16x3x1x16xf16>, %dx: tensor<1x9x8x16xf32>) -> tensor<1x9x8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %DY1 = conv.im2col %dy view #dy1 : tensor<1x4x8x16xf16> -> tensor<32x1x16xf16>
  %W1 = conv.im2col %w view #w1 : tensor<16x3x1x16xf16> -> tensor<16x1x16xf16>
  %e1 = tensor.empty() : tensor<32x16xf32>
  %i1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<32x16xf32>) -> tensor<32x16xf32>
  %a1 = linalg.generic {indexing_maps = [#mtk, #ktn, #mn], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%DY1, %W1 : tensor<32x1x16xf16>, tensor<16x1x16xf16>) outs(%i1 : tensor<32x16xf32>) attrs = {conv.schedule = #schedule} {
  ^bb0(%a: f16, %b: f16, %c: f32):
    %0 = arith.extf %a : f16 to f32
    %1 = arith.extf %b : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %c, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<32x16xf32>
  %s1 = conv.scatter %a1 into %dx view #dx1 : tensor<32x16xf32> into tensor<1x9x8x16xf32> -> tensor<1x9x8x16xf32>
  %DY0 = conv.im2col %dy view #dy0 : tensor<1x4x8x16xf16> -> tensor<40x2x16xf16>
  %W0 = conv.im2col %w view #w0 : tensor<16x3x1x16xf16> -> tensor<16x2x16xf16>
  %e0 = tensor.empty() : tensor<40x16xf32>
  %i0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<40x16xf32>) -> tensor<40x16xf32>
  %a0 = linalg.generic {indexing_maps = [#mtk, #ktn, #mn], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%DY0, %W0 : tensor<40x2x16xf16>, tensor<16x2x16xf16>) outs(%i0 : tensor<40x16xf32>) attrs = {conv.schedule = #schedule} {
  ^bb0(%a: f16, %b: f16, %c: f32):
    %0 = arith.extf %a : f16 to f32
    %1 = arith.extf %b : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %c, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<40x16xf32>
  %s0 = conv.scatter %a0 into %s1 view #dx0 : tensor<40x16xf32> into tensor<1x9x8x16xf32> -> tensor<1x9x8x16xf32>
  return %s0 : tensor<1x9x8x16xf32>
}

// CHECK-DAG:  %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:  %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG:  %[[C2:.*]] = arith.constant 2 : index
// CHECK-DAG:  %[[C3:.*]] = arith.constant 3 : index
// CHECK:      %[[R:.*]] = scf.forall (%[[I:.*]], %{{.*}}) in (5, 1) shared_outs(%[[O:.*]] = %[[DX]])
// CHECK-DAG:    %[[LATER:.*]] = arith.cmpi uge, %[[I]], %[[C3]]
// CHECK-DAG:    %[[P:.*]] = arith.select %[[LATER]], %[[C1]], %[[C0]]
// CHECK-DAG:    %[[FIRST:.*]] = arith.select %[[LATER]], %[[C3]], %[[C0]]
// CHECK-DAG:    %[[M:.*]] = affine.apply #{{.*}}(%[[I]], %[[FIRST]])
// CHECK-DAG:    %[[TAPS:.*]] = arith.select %[[LATER]], %[[C1]], %[[C2]]
// CHECK:        scf.for %[[T:.*]] = %[[C0]] to %[[TAPS]] step %[[C1]]
// CHECK-DAG:      conv.im2col %[[DY]][%[[M]], %[[T]], %{{.*}}] at %[[P]] views [<rows = [5, 8], {{.*}}>, <rows = [4, 8], {{.*}}>] {{.*}} -> tensor<16x16xf16>
// CHECK-DAG:      conv.im2col %[[W]][%{{.*}}, %[[T]], %{{.*}}] at %[[P]] views
// CHECK:        conv.scatter %{{.*}} into %[[O]][%[[M]], %[[C0]], %{{.*}}] at %[[P]] views [<rows = [5, 8], {{.*}}>, <rows = [4, 8], {{.*}}>]
// CHECK-NOT:  conv.scatter
// CHECK:      return %[[R]]

// -----

// A phase that no tap reaches runs no iteration and stores zeros.

#dy = #conv.view<rows = [4], taps = [1], stride = [1], step = [1], offset = [0], groups = 1>
#w = #conv.view<rows = [1], taps = [1], stride = [1], step = [-2], offset = [0], groups = 1>
#dx0 = #conv.view<rows = [4], taps = [1], stride = [2], step = [1], offset = [0], groups = 1>
#dx1 = #conv.view<rows = [3], taps = [1], stride = [2], step = [1], offset = [1], groups = 1>
#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [16, 16, 16], warps = [1, 1], stages = 2, copy = cp_async, mma = mma_sync>

// CHECK-LABEL: @phase_without_taps
func.func @phase_without_taps(%dy: tensor<1x4x16xf16>, %w: tensor<16x1x16xf16>, %dx: tensor<1x7x16xf32>) -> tensor<1x7x16xf32> {
  %zero = arith.constant 0.0 : f32
  %DY = conv.im2col %dy view #dy : tensor<1x4x16xf16> -> tensor<4x1x16xf16>
  %W = conv.im2col %w view #w : tensor<16x1x16xf16> -> tensor<16x1x16xf16>
  %e0 = tensor.empty() : tensor<4x16xf32>
  %i0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<4x16xf32>) -> tensor<4x16xf32>
  %a0 = linalg.generic {indexing_maps = [affine_map<(m, n, t, k) -> (m, t, k)>, affine_map<(m, n, t, k) -> (k, t, n)>, affine_map<(m, n, t, k) -> (m, n)>],
                        iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%DY, %W : tensor<4x1x16xf16>, tensor<16x1x16xf16>) outs(%i0 : tensor<4x16xf32>) attrs = {conv.schedule = #schedule} {
  ^bb0(%a: f16, %b: f16, %c: f32):
    %0 = arith.extf %a : f16 to f32
    %1 = arith.extf %b : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %c, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<4x16xf32>
  %s0 = conv.scatter %a0 into %dx view #dx0 : tensor<4x16xf32> into tensor<1x7x16xf32> -> tensor<1x7x16xf32>
  %e1 = tensor.empty() : tensor<3x16xf32>
  %i1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<3x16xf32>) -> tensor<3x16xf32>
  %s1 = conv.scatter %i1 into %s0 view #dx1 : tensor<3x16xf32> into tensor<1x7x16xf32> -> tensor<1x7x16xf32>
  return %s1 : tensor<1x7x16xf32>
}

// CHECK-DAG:  %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:  %[[C1:.*]] = arith.constant 1 : index
// CHECK:      scf.forall (%[[I:.*]], %{{.*}}) in (2, 1)
// CHECK:        %[[LATER:.*]] = arith.cmpi uge, %[[I]], %[[C1]]
// CHECK:        %[[TAPS:.*]] = arith.select %[[LATER]], %[[C0]], %[[C1]]
// CHECK:        scf.for %{{.*}} = %[[C0]] to %[[TAPS]]
// CHECK:          conv.im2col {{.*}} views [<rows = [4], taps = [1], {{.*}}>, <rows = [4], taps = [0], {{.*}}>]
// CHECK:        conv.scatter {{.*}} views [<rows = [4], {{.*}}>, <rows = [3], {{.*}}>]

// -----

// Gemm-k in three parts: 5 blocks of rows are 2 + 2 + 1. Each leaves its sums in
// a part of the workspace; they are added on the tensor.

#x = #conv.view<rows = [70], taps = [3], stride = [1], step = [1], offset = [0], groups = 1>
#dy = #conv.view<rows = [70], taps = [1], stride = [1], step = [1], offset = [0], groups = 1>
#dw = #conv.view<rows = [1], taps = [3], stride = [1], step = [1], offset = [0], groups = 1>
#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [16, 32, 16], warps = [1, 1], stages = 2, copy = cp_async, mma = mma_sync, split = 3>

// CHECK-LABEL: @split
// CHECK-SAME:  %[[X:.*]]: tensor<1x72x20xf16>, %[[DY:.*]]: tensor<1x70x24xf16>
func.func @split(%x: tensor<1x72x20xf16>, %dy: tensor<1x70x24xf16>, %dw: tensor<24x3x20xf16>) -> tensor<24x3x20xf16> {
  %zero = arith.constant 0.0 : f32
  %X = conv.im2col %x view #x : tensor<1x72x20xf16> -> tensor<70x3x20xf16>
  %DY = conv.im2col %dy view #dy : tensor<1x70x24xf16> -> tensor<70x24xf16>
  %e = tensor.empty() : tensor<24x3x20xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<24x3x20xf32>) -> tensor<24x3x20xf32>
  %acc = linalg.generic {indexing_maps = [affine_map<(n, t, c, m) -> (m, n)>, affine_map<(n, t, c, m) -> (m, t, c)>, affine_map<(n, t, c, m) -> (n, t, c)>],
                         iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%DY, %X : tensor<70x24xf16>, tensor<70x3x20xf16>) outs(%i : tensor<24x3x20xf32>) attrs = {conv.schedule = #schedule} {
  ^bb0(%a: f16, %b: f16, %c: f32):
    %0 = arith.extf %a : f16 to f32
    %1 = arith.extf %b : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %c, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<24x3x20xf32>
  %e2 = tensor.empty() : tensor<24x3x20xf16>
  %r = linalg.generic {indexing_maps = [affine_map<(n, t, c) -> (n, t, c)>, affine_map<(n, t, c) -> (n, t, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%acc : tensor<24x3x20xf32>) outs(%e2 : tensor<24x3x20xf16>) {
  ^bb0(%a: f32, %o: f16):
    %0 = arith.truncf %a : f32 to f16
    linalg.yield %0 : f16
  } -> tensor<24x3x20xf16>
  %y = conv.scatter %r into %dw view #dw : tensor<24x3x20xf16> into tensor<24x3x20xf16> -> tensor<24x3x20xf16>
  return %y : tensor<24x3x20xf16>
}

// CHECK-DAG:  %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:  %[[C2:.*]] = arith.constant 2 : index
// CHECK-DAG:  %[[C16:.*]] = arith.constant 16 : index
// CHECK-DAG:  %[[C32:.*]] = arith.constant 32 : index
// CHECK:      %[[WS:.*]] = tensor.empty() : tensor<72x3x20xf32>
// CHECK:      %[[P:.*]] = scf.forall (%[[S:.*]], %[[BN:.*]], %[[T:.*]], %{{.*}}) in (3, 2, 3, 1) shared_outs(%[[O:.*]] = %[[WS]])
// CHECK-DAG:    %[[N:.*]] = affine.apply #{{.*}}(%[[BN]])
// CHECK-DAG:    %[[BEFORE:.*]] = arith.minui %[[S]], %[[C2]]
// CHECK-DAG:    %[[LONGER:.*]] = arith.cmpi ult, %[[S]], %[[C2]]
// CHECK-DAG:    %[[LENGTH:.*]] = arith.select %[[LONGER]], %[[C32]], %[[C16]]
// CHECK:        scf.for %[[M:.*]] = %[[C0]] to %[[LENGTH]] step %[[C16]]
// CHECK:          %[[ROW:.*]] = affine.apply #{{.*}}(%{{.*}})
// CHECK-DAG:      conv.im2col %[[DY]][%[[ROW]], %[[C0]], %[[N]]] {{.*}} -> tensor<16x16xf16>
// CHECK-DAG:      conv.im2col %[[X]][%[[ROW]], %[[T]], %{{.*}}] {{.*}} -> tensor<16x32xf16>
// CHECK-NOT:    arith.truncf
// CHECK:        conv.scatter %{{.*}} into %[[O]][%[[S]], %[[N]], %[[T]], %{{.*}}] view <{{.*}}, row_groups = 3> : tensor<16x32xf32> into tensor<72x3x20xf32>
// CHECK:      mapping = [#gpu.block<linear_dim_3>, #gpu.block<linear_dim_2>, #gpu.block<linear_dim_1>, #gpu.block<linear_dim_0>]
// CHECK:      %[[PARTS:.*]] = tensor.expand_shape %[[P]] {{\[}}[0, 1], [2], [3]] {{.*}} into tensor<3x24x3x20xf32>
// CHECK:      %[[SUM:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%[[PARTS]] : {{.*}})
// CHECK:        arith.addf
// CHECK:      linalg.generic {{.*}} ins(%[[SUM]] : tensor<24x3x20xf32>)
// CHECK:        arith.truncf

// -----

// With explicit im2col phases have matrices of their own: each with a contraction
// is a kernel, and what reaches no tap is left to a plain one.

// CHECK-LABEL: @separate_phases
// CHECK:         %[[FIRST:.*]] = scf.forall {{.*}} shared_outs(%{{.*}} = %arg2) -> (tensor<1x8x16xf32>)
// CHECK:           conv.scatter {{.*}}offset = [0]
// CHECK:         }
// CHECK:         conv.scatter %{{.*}} into %[[FIRST]] view {{.*}}offset = [1]
#schedule = #conv.schedule<algorithm = im2col, tile = [16, 16, 16], warps = [1, 1], stages = 2, copy = cp_async, mma = mma_sync>
#dy = #conv.view<rows = [4], taps = [1], stride = [1], step = [1], offset = [0], groups = 1>
#w = #conv.view<rows = [1], taps = [1], stride = [1], step = [1], offset = [0], groups = 1>

func.func @separate_phases(%dy: tensor<1x4x16xf16>, %w: tensor<16x1x16xf16>, %dx: tensor<1x8x16xf32>) -> tensor<1x8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %DY = conv.im2col %dy view #dy : tensor<1x4x16xf16> -> tensor<4x16xf16>
  %W = conv.im2col %w view #w : tensor<16x1x16xf16> -> tensor<16x16xf16>
  %e = tensor.empty() : tensor<4x16xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%DY, %W : tensor<4x16xf16>, tensor<16x16xf16>) outs(%i : tensor<4x16xf32>) attrs = {conv.schedule = #schedule} {
  ^bb0(%p: f16, %q: f16, %c: f32):
    %0 = arith.extf %p : f16 to f32
    %1 = arith.extf %q : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %c, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<4x16xf32>
  %s0 = conv.scatter %a into %dx view <rows = [4], taps = [1], stride = [2], step = [1], offset = [0], groups = 1> : tensor<4x16xf32> into tensor<1x8x16xf32> -> tensor<1x8x16xf32>
  %s1 = conv.scatter %i into %s0 view <rows = [4], taps = [1], stride = [2], step = [1], offset = [1], groups = 1> : tensor<4x16xf32> into tensor<1x8x16xf32> -> tensor<1x8x16xf32>
  return %s1 : tensor<1x8x16xf32>
}
