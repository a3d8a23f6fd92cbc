// RUN: conv-opt %s -conv-tile-to-workgroups -canonicalize -cse -split-input-file | FileCheck %s

// 134 tiles on 132 workgroups: two are left, each in two parts of three and two blocks of gemm-k.

#x = #conv.view<rows = [131, 65], taps = [1, 1], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1>
#w = #conv.view<rows = [1, 1], taps = [1, 1], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1>
#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 16, 32], warps = [4, 1], stages = 2, copy = tma, mma = wgmma, tail = 2>

// CHECK-LABEL: @forward
// CHECK-SAME:  %[[X:.*]]: tensor<1x131x65x160xf16>, %[[W:.*]]: tensor<12x1x1x160xf16>, %[[BIAS:.*]]: tensor<12xf32>
func.func @forward(%x: tensor<1x131x65x160xf16>, %w: tensor<12x1x1x160xf16>, %bias: tensor<12xf32>) -> tensor<1x131x65x12xf16> {
  %X = conv.im2col %x view #x : tensor<1x131x65x160xf16> -> tensor<8515x1x160xf16>
  %W = conv.im2col %w view #w : tensor<12x1x1x160xf16> -> tensor<12x1x160xf16>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8515x12xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<8515x12xf32>) -> tensor<8515x12xf32>
  %acc = linalg.generic {
      indexing_maps = [affine_map<(m, n, t, c) -> (m, t, c)>, affine_map<(m, n, t, c) -> (n, t, c)>, affine_map<(m, n, t, c) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%X, %W : tensor<8515x1x160xf16>, tensor<12x1x160xf16>) outs(%init : tensor<8515x12xf32>) attrs = {conv.schedule = #schedule} {
  ^bb0(%a: f16, %b: f16, %c: f32):
    %0 = arith.extf %a : f16 to f32
    %1 = arith.extf %b : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %c, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<8515x12xf32>
  %e2 = tensor.empty() : tensor<8515x12xf16>
  %r = linalg.generic {
      indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%acc, %bias : tensor<8515x12xf32>, tensor<12xf32>) outs(%e2 : tensor<8515x12xf16>) {
  ^bb0(%a: f32, %b: f32, %o: f16):
    %0 = arith.addf %a, %b : f32
    %1 = arith.truncf %0 : f32 to f16
    linalg.yield %1 : f16
  } -> tensor<8515x12xf16>
  %y0 = tensor.empty() : tensor<1x131x65x12xf16>
  %y = conv.scatter %r into %y0 view #x : tensor<8515x12xf16> into tensor<1x131x65x12xf16> -> tensor<1x131x65x12xf16>
  return %y : tensor<1x131x65x12xf16>
}

// CHECK-DAG:  %[[WS:.*]] = tensor.empty() : tensor<4x64x16xf32>
// CHECK:      %[[BOTH:.*]]:2 = scf.forall (%[[I:.*]]) in (136) shared_outs(%[[O:.*]] = %{{.*}}, %[[P:.*]] = %[[WS]])
// CHECK-DAG:    %[[WHOLE:.*]] = arith.cmpi ult, %[[I]], %[[C132:.*]] : index
// CHECK-DAG:    %[[PART:.*]] = arith.cmpi uge, %[[I]], %[[C132]] : index
// CHECK:        %[[PLACE:.*]] = arith.select %[[PART]], %{{.*}}, %{{.*}} : index
// CHECK:        %[[S:.*]] = arith.divui %[[PLACE]], %[[C2:.*]] : index
// CHECK:        %[[R:.*]] = arith.remui %[[PLACE]], %[[C2]] : index
// CHECK:        %[[LEFT:.*]] = arith.addi %[[R]], %[[C132]]
// CHECK:        %[[TILE:.*]] = arith.select %[[PART]], %[[LEFT]], %[[I]] : index
// CHECK:        %[[LENGTH:.*]] = arith.select %[[PART]], %{{.*}}, %[[C160:.*]] : index
// CHECK:        %[[ACC:.*]] = scf.for %{{.*}} = %{{.*}} to %[[LENGTH]] step %{{.*}} iter_args
// CHECK:        %[[E:.*]] = linalg.generic {{.*}} ins(%[[ACC]], %{{.*}} : tensor<64x16xf32>, tensor<16xf32>)
// CHECK:        scf.forall.in_parallel {
// CHECK-NEXT:     conv.scatter %[[E]] into %[[O]][{{.*}}] if %[[WHOLE]] view <rows = [131, 65], {{.*}} : tensor<64x16xf16> into tensor<1x131x65x12xf16>
// CHECK-NEXT:     conv.scatter %[[ACC]] into %[[P]][{{.*}}] if %[[PART]] view <rows = [64], taps = [1], stride = [1], step = [1], offset = [0], groups = 1> : tensor<64x16xf32> into tensor<4x64x16xf32>

// The sums: threads of 2 tiles with 64 rows of 4 times 4 neighbours. Columns and rows past the result are left out.

// CHECK:      scf.forall (%[[T:.*]], %[[M:.*]], %[[N:.*]]) in (2, 64, 4) shared_outs(%[[Y:.*]] = %[[BOTH]]#0)
// CHECK:        %[[SUM:.*]] = scf.for %[[K:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%{{.*}}) -> (tensor<1x4xf32>)
// CHECK:          %[[SLOT:.*]] = affine.apply #{{.*}}(%[[K]], %[[T]])
// CHECK:          tensor.extract_slice %[[BOTH]]#1[%[[SLOT]], %[[M]], %{{.*}}] [1, 1, 4] [1, 1, 1] : tensor<4x64x16xf32> to tensor<4xf32>
// CHECK:        %[[E:.*]] = linalg.generic {{.*}} ins(%[[SUM]], %{{.*}} : tensor<1x4xf32>, tensor<4xf32>)
// CHECK:        %[[INSIDE:.*]] = arith.andi
// CHECK:        conv.scatter %[[E]] into %[[Y]][{{.*}}] if %[[INSIDE]] view
// CHECK:      mapping = [#gpu.thread<linear_dim_2>, #gpu.thread<linear_dim_1>, #gpu.thread<linear_dim_0>]

// -----

// Even parts of five tiles, of 222 blocks each, on 132 workgroups: 26 workgroups have 8 or 9 of the first 221 blocks of each tile. Two that are left, the first
// ones, have the last block of two and of three tiles: they have a second and a third item, which the other workgroups do not have.

#x = #conv.view<rows = [3552], taps = [1], stride = [1], step = [1], offset = [0], groups = 1>
#dw = #conv.view<rows = [1], taps = [1], stride = [1], step = [1], offset = [0], groups = 1>
#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 16, 16], warps = [4, 1], stages = 3, copy = tma, mma = wgmma, tail = even>

func.func @even(%x: tensor<1x3552x80xf16>, %dy: tensor<1x3552x64xf16>) -> tensor<64x1x80xf16> {
  %X = conv.im2col %x view #x : tensor<1x3552x80xf16> -> tensor<3552x1x80xf16>
  %DY = conv.im2col %dy view #x : tensor<1x3552x64xf16> -> tensor<3552x64xf16>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x1x80xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<64x1x80xf32>) -> tensor<64x1x80xf32>
  %acc = linalg.generic {
      indexing_maps = [affine_map<(m, t, n, p) -> (p, m)>, affine_map<(m, t, n, p) -> (p, t, n)>, affine_map<(m, t, n, p) -> (m, t, n)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%DY, %X : tensor<3552x64xf16>, tensor<3552x1x80xf16>) outs(%init : tensor<64x1x80xf32>) attrs = {conv.schedule = #schedule} {
  ^bb0(%a: f16, %b: f16, %c: f32):
    %0 = arith.extf %a : f16 to f32
    %1 = arith.extf %b : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %c, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<64x1x80xf32>
  %e2 = tensor.empty() : tensor<64x1x80xf16>
  %r = linalg.generic {
      indexing_maps = [affine_map<(m, t, n) -> (m, t, n)>, affine_map<(m, t, n) -> (m, t, n)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%acc : tensor<64x1x80xf32>) outs(%e2 : tensor<64x1x80xf16>) {
  ^bb0(%a: f32, %o: f16):
    %1 = arith.truncf %a : f32 to f16
    linalg.yield %1 : f16
  } -> tensor<64x1x80xf16>
  %y0 = tensor.empty() : tensor<64x1x80xf16>
  %y = conv.scatter %r into %y0 view #dw : tensor<64x1x80xf16> into tensor<64x1x80xf16> -> tensor<64x1x80xf16>
  return %y : tensor<64x1x80xf16>
}

// CHECK-DAG:  #[[ITEMS:.*]] = affine_map<(d0) -> (1, ((d0 + 1) * 5) floordiv 2 - (d0 * 5) floordiv 2 - (d0 floordiv 2) * 5)>
// CHECK-DAG:  #[[OF_PARTS:.*]] = affine_map<(d0, d1) -> (d0 * 5 + d1)>
// CHECK-LABEL: @even
// CHECK-DAG:  %[[WS:.*]] = tensor.empty() : tensor<136x64x16xf32>
// CHECK:      %[[PARTS:.*]] = scf.forall (%[[I:.*]]) in (266) shared_outs(%[[P:.*]] = %[[WS]])
// CHECK:        %[[W:.*]] = arith.remui %[[I]], %c132 : index
// CHECK:        %[[FILLS:.*]] = arith.cmpi ult, %[[W]], %c2 : index
// CHECK:        %[[FILLER:.*]] = arith.select %[[FILLS]], %[[W]], %c0 : index
// CHECK:        %[[OTHERS:.*]] = arith.subi %[[W]], %c2
// CHECK:        %[[OTHER:.*]] = arith.select %[[FILLS]], %c0, %[[OTHERS]] : index
// CHECK:        %[[PART:.*]] = arith.divui %[[OTHER]], %c5 : index
// CHECK:        %[[EACH:.*]] = arith.muli %[[PART]], %c8
// CHECK:        %[[BEFORE:.*]] = arith.minui %[[PART]], %c13 : index
// CHECK:        %[[FIRST:.*]] = arith.addi %[[EACH]], %[[BEFORE]]
// CHECK:        %[[IS_LONGER:.*]] = arith.cmpi ult, %[[PART]], %c13 : index
// CHECK:        %[[LENGTH:.*]] = arith.select %[[IS_LONGER]], %c9, %c8 : index
// CHECK:        %[[TILE:.*]] = arith.remui %[[OTHER]], %c5 : index
// CHECK:        %[[ROUND:.*]] = arith.divui %[[I]], %c132 : index
// CHECK:        %[[FILLED:.*]] = arith.addi %{{.*}}, %[[ROUND]]
// CHECK:        %[[SLOT:.*]] = arith.addi %{{.*}}, %c130
// CHECK:        %[[FILLED_FIRST:.*]] = arith.addi %{{.*}}, %c221
// CHECK:        arith.select %[[FILLS]], %[[FILLED]], %[[TILE]] : index
// CHECK:        %[[AT:.*]] = arith.select %[[FILLS]], %[[SLOT]], %[[OTHERS]] : index
// CHECK:        %[[FIRST_BLOCK:.*]] = arith.select %[[FILLS]], %[[FILLED_FIRST]], %[[FIRST]] : index
// CHECK:        %[[BLOCKS:.*]] = arith.select %[[FILLS]], %{{.*}}, %[[LENGTH]] : index
// CHECK:        %[[END:.*]] = affine.apply #{{.*}}(%[[BLOCKS]])
// CHECK:        %[[ACC:.*]] = scf.for %[[K:.*]] = %{{.*}} to %[[END]] step %{{.*}} iter_args
// CHECK:          affine.apply #{{.*}}(%[[K]], %[[FIRST_BLOCK]])
// CHECK:        %[[LINE:.*]] = affine.apply #{{.*}}(%[[AT]])
// CHECK:        scf.forall.in_parallel {
// CHECK-NEXT:     conv.scatter %[[ACC]] into %[[P]][%[[LINE]], %c0, %c0] view <rows = [64], taps = [1], stride = [1], step = [1], offset = [0], groups = 1> : tensor<64x16xf32> into tensor<136x64x16xf32>
// CHECK-NEXT:   }
// CHECK-NEXT: } {conv.items = #[[ITEMS]], conv.schedule =

// The sums: of 26 parts of a tile, and of a filler's.

// CHECK:      scf.forall (%[[T:.*]], %{{.*}}, %{{.*}}, %{{.*}}) in (5, 64, 1, 4)
// CHECK:        scf.for %[[K:.*]] = %{{.*}} to %c27 step
// CHECK-DAG:      %[[OF_PART:.*]] = affine.apply #[[OF_PARTS]](%[[K]], %[[T]])
// CHECK-DAG:      %[[IS_PART:.*]] = arith.cmpi ult, %[[K]], %c26 : index
// CHECK:          %[[THERE:.*]] = arith.cmpi ule
// CHECK:          %[[AT:.*]] = arith.select %[[IS_PART]], %[[OF_PART]], %{{.*}} : index
// CHECK:          %[[V:.*]] = tensor.extract_slice %[[PARTS]][%[[AT]], {{.*}}] [1, 1, 4] [1, 1, 1] : tensor<136x64x16xf32> to tensor<4xf32>
// CHECK:          linalg.generic {{.*}} ins(%[[V]] : tensor<4xf32>)
// CHECK-NEXT:     ^bb0(%[[ELEMENT:.*]]: f32, %[[SUM:.*]]: f32):
// CHECK-NEXT:       %[[ADDED:.*]] = arith.select %[[THERE]], %[[ELEMENT]], %{{.*}} : f32
// CHECK-NEXT:       arith.addf %[[SUM]], %[[ADDED]] : f32
