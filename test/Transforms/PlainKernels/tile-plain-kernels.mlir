// RUN: conv-opt %s -conv-tile-plain-kernels -canonicalize -split-input-file -verify-diagnostics | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>

// A sum over parts and what follows it are one kernel. Each thread has the
// four columns that an access to the parts holds.

// CHECK-LABEL: @sum
// CHECK-SAME:    %[[PARTS:.*]]: tensor<4x33x64xf32>, %[[BIAS:.*]]: tensor<64xf32>
// CHECK:         scf.forall (%[[I:.*]], %[[J:.*]]) in (33, 16) shared_outs(%[[OUT:.*]] = %{{.*}}) -> (tensor<33x64xbf16>)
// CHECK:           %[[N:.*]] = affine.apply #{{.*}}(%[[J]])
// CHECK:           linalg.fill {{.*}} -> tensor<1x4xf32>
// CHECK:           scf.for %[[K:.*]] = %c0 to %c4 step %c1
// CHECK:             linalg.generic {{.*}} ins(%{{.*}} : tensor<1x1x4xf32>)
// CHECK:           tensor.extract_slice %[[BIAS]][%[[N]]] [4] [1]
// CHECK:           %[[Y:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<1x4xbf16>)
// CHECK:           tensor.parallel_insert_slice %[[Y]] into %[[OUT]][%[[I]], %[[N]]] [1, 4] [1, 1]
// CHECK:         } {mapping = [#gpu.thread<linear_dim_1>, #gpu.thread<linear_dim_0>]}
// CHECK-NOT:     scf.forall
func.func @sum(%parts: tensor<4x33x64xf32>, %bias: tensor<64xf32>) -> tensor<33x64xbf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<33x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<33x64xf32>) -> tensor<33x64xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(s, i, j) -> (s, i, j)>, affine_map<(s, i, j) -> (i, j)>], iterator_types = ["reduction", "parallel", "parallel"]}
      ins(%parts : tensor<4x33x64xf32>) outs(%f : tensor<33x64xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %0 = arith.addf %acc, %x : f32
    linalg.yield %0 : f32
  } -> tensor<33x64xf32>
  %o = tensor.empty() : tensor<33x64xbf16>
  %y = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%s, %bias : tensor<33x64xf32>, tensor<64xf32>) outs(%o : tensor<33x64xbf16>) {
  ^bb0(%x: f32, %b: f32, %out: bf16):
    %0 = arith.addf %x, %b : f32
    %1 = arith.truncf %0 : f32 to bf16
    linalg.yield %1 : bf16
  } -> tensor<33x64xbf16>
  return %y : tensor<33x64xbf16>
}

// -----

// Named operations in a chain are one, and dimensions that all operands walk
// together, too: 3 * 5 * 8 elements, eight for a thread.

// CHECK-LABEL: @chain
// CHECK:         scf.forall (%{{.*}}) in (15) {{.*}} -> (tensor<120xf16>)
// CHECK:           linalg.generic
// CHECK:             arith.addf
// CHECK:             math.exp
// CHECK-NOT:       linalg.generic
// CHECK:         tensor.expand_shape
func.func @chain(%x: tensor<3x5x8xf16>, %y: tensor<3x5x8xf16>) -> tensor<3x5x8xf16> {
  %e = tensor.empty() : tensor<3x5x8xf16>
  %s = linalg.add ins(%x, %y : tensor<3x5x8xf16>, tensor<3x5x8xf16>) outs(%e : tensor<3x5x8xf16>) -> tensor<3x5x8xf16>
  %z = linalg.exp ins(%s : tensor<3x5x8xf16>) outs(%e : tensor<3x5x8xf16>) -> tensor<3x5x8xf16>
  return %z : tensor<3x5x8xf16>
}

// -----

// A producer with two readers is computed once, in a kernel of its own; where no
// power of two divides the extent a thread has one element.

// CHECK-LABEL: @shared
// CHECK:         scf.forall (%{{.*}}) in (15)
// CHECK:           math.exp
// CHECK:         scf.forall (%{{.*}}) in (15)
// CHECK:           arith.negf
// CHECK:         scf.forall (%{{.*}}) in (15)
// CHECK:           math.absf
func.func @shared(%x: tensor<15xf32>) -> (tensor<15xf32>, tensor<15xf32>) {
  %e = tensor.empty() : tensor<15xf32>
  %s = linalg.exp ins(%x : tensor<15xf32>) outs(%e : tensor<15xf32>) -> tensor<15xf32>
  %u = linalg.negf ins(%s : tensor<15xf32>) outs(%e : tensor<15xf32>) -> tensor<15xf32>
  %v = linalg.abs ins(%s : tensor<15xf32>) outs(%e : tensor<15xf32>) -> tensor<15xf32>
  return %u, %v : tensor<15xf32>, tensor<15xf32>
}

// -----

#x = #conv.view<rows = [7, 9], taps = [3, 2], stride = [1, 1], step = [1, 1], offset = [-1, 0], groups = 1>

// The copy of explicit im2col: a virtual matrix is read where it is needed.

// CHECK-LABEL: @workspace
// CHECK:         scf.forall (%[[M:.*]], %[[T:.*]], %[[C:.*]]) in (63, 6, 3) {{.*}} -> (tensor<63x6x24xbf16>)
// CHECK:           conv.im2col %{{.*}}[%[[M]], %[[T]], %{{.*}}] view {{.*}} -> tensor<1x1x8xbf16>
func.func @workspace(%x: tensor<1x7x9x24xbf16>) -> tensor<63x6x24xbf16> {
  %ws = tensor.empty() : tensor<63x6x24xbf16>
  %X = conv.im2col %x into %ws view #x : tensor<1x7x9x24xbf16> into tensor<63x6x24xbf16> -> tensor<63x6x24xbf16>
  return %X : tensor<63x6x24xbf16>
}

// -----

#y = #conv.view<rows = [3, 4], taps = [1, 1], stride = [2, 2], step = [1, 1], offset = [1, 0], groups = 1>

// Elements that a view leaves out of a gradient.

// CHECK-LABEL: @scatter
// CHECK:         scf.forall (%[[M:.*]], %[[N:.*]]) in (12, 4) shared_outs(%[[OUT:.*]] = %{{.*}})
// CHECK:           %[[V:.*]] = linalg.fill {{.*}} -> tensor<1x4xf32>
// CHECK:           conv.scatter %[[V]] into %[[OUT]][%[[M]], %c0, %{{.*}}]
func.func @scatter(%d: tensor<1x7x8x16xf32>) -> tensor<1x7x8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<12x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<12x16xf32>) -> tensor<12x16xf32>
  %y = conv.scatter %f into %d view #y : tensor<12x16xf32> into tensor<1x7x8x16xf32> -> tensor<1x7x8x16xf32>
  return %y : tensor<1x7x8x16xf32>
}

// -----

// A result without dimensions has one of extent 1 meanwhile.

// CHECK-LABEL: @scalar
// CHECK:         tensor.expand_shape %{{.*}} [] output_shape [1] : tensor<f32> into tensor<1xf32>
// CHECK:         scf.forall (%{{.*}}) in (1)
// CHECK:           linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} {{.*}} outs(%{{.*}} : tensor<1xf32>)
// CHECK:         tensor.collapse_shape %{{.*}} [] : tensor<1xf32> into tensor<f32>
func.func @scalar(%x: tensor<8xf32>, %s: tensor<f32>) -> tensor<f32> {
  %y = linalg.reduce ins(%x : tensor<8xf32>) outs(%s : tensor<f32>) dimensions = [0]
    (%a: f32, %sum: f32) { %0 = arith.addf %sum, %a : f32 linalg.yield %0 : f32 }
  return %y : tensor<f32>
}

// -----

func.func @deep(%x: tensor<2x2x2x2x2x2x2x2x2x2x3xf32>) -> tensor<3x2x2x2x2x2x2x2x2x2x2xf32> {
  %e = tensor.empty() : tensor<3x2x2x2x2x2x2x2x2x2x2xf32>
  // expected-error @below {{has no kernel: a result must have 1 to 10 dimensions, but this has 11}}
  %y = linalg.transpose ins(%x : tensor<2x2x2x2x2x2x2x2x2x2x3xf32>) outs(%e : tensor<3x2x2x2x2x2x2x2x2x2x2xf32>)
    permutation = [10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]
  return %y : tensor<3x2x2x2x2x2x2x2x2x2x2xf32>
}

// -----

#x = #conv.view<rows = [7, 9], taps = [3, 2], stride = [1, 1], step = [1, 1], offset = [-1, 0], groups = 1>

func.func @padded(%x: tensor<1x7x9x24xbf16>) -> tensor<64x6x24xbf16> {
  %ws = tensor.empty() : tensor<64x6x24xbf16>
  // expected-error @below {{has no kernel: it pads its matrix}}
  %X = conv.im2col %x into %ws view #x : tensor<1x7x9x24xbf16> into tensor<64x6x24xbf16> -> tensor<64x6x24xbf16>
  return %X : tensor<64x6x24xbf16>
}

// -----

#view = #conv.view<rows = [6, 8], taps = [3, 3], stride = [1, 1], step = [1, 1], offset = [-1, -1], groups = 1>

func.func @part(%x: tensor<2x6x8x16xbf16>, %w: tensor<9x16xbf16>, %i: index) -> tensor<1x1x4x8xf32> {
  // expected-error @below {{has no kernel: it computes a part, which only one within a loop does}}
  %0 = conv.depthwise %x, %w[%i, %i, %i, %i] view #view : tensor<2x6x8x16xbf16>, tensor<9x16xbf16> -> tensor<1x1x4x8xf32>
  return %0 : tensor<1x1x4x8xf32>
}

// -----

#view = #conv.view<rows = [6, 8], taps = [3, 3], stride = [1, 1], step = [1, 1], offset = [-1, -1], groups = 1>

func.func @vector(%x: memref<2x6x8x16xbf16>, %w: memref<9x16xbf16>, %i: index) -> vector<1x1x4x8xf32> {
  // expected-error @below {{has no kernel: it computes a part, which only one within a loop does}}
  %0 = conv.depthwise %x, %w[%i, %i, %i, %i] view #view : memref<2x6x8x16xbf16>, memref<9x16xbf16> -> vector<1x1x4x8xf32>
  return %0 : vector<1x1x4x8xf32>
}

// -----

// A reshape keeps operations apart no more than nothing does: the sum, whose
// diagonal alone is read, is computed where it is read. Of 5 parts of 12 x 6
// each thread adds those of one element.

#parts = affine_map<(d0, d1, d2) -> (d2, d0, d1)>
#sum = affine_map<(d0, d1, d2) -> (d0, d1)>
#diagonal = affine_map<(d0, d1, d2) -> (d0, d1, d0, d2)>
#all = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-LABEL: func @diagonal
// CHECK:         scf.forall (%[[I:.*]], %[[J:.*]], %[[K:.*]]) in (3, 4, 1)
// CHECK:           tensor.extract_slice %{{.*}}[0, %[[I]], %[[J]], %[[I]], 0] [5, 1, 1, 1, 2]
// CHECK:           scf.for
// CHECK:             arith.addf
// CHECK:           arith.truncf
// CHECK-NOT:     scf.forall (
func.func @diagonal(%x: tensor<5x12x6xf32>) -> tensor<12x2xf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<12x6xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<12x6xf32>) -> tensor<12x6xf32>
  %s = linalg.generic {indexing_maps = [#parts, #sum], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<5x12x6xf32>) outs(%zeros : tensor<12x6xf32>) {
  ^bb0(%in: f32, %out: f32):
    %a = arith.addf %out, %in : f32
    linalg.yield %a : f32
  } -> tensor<12x6xf32>
  %m = tensor.expand_shape %s [[0, 1], [2, 3]] output_shape [3, 4, 3, 2] : tensor<12x6xf32> into tensor<3x4x3x2xf32>
  %r = tensor.empty() : tensor<3x4x2xf16>
  %d = linalg.generic {indexing_maps = [#diagonal, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%m : tensor<3x4x3x2xf32>) outs(%r : tensor<3x4x2xf16>) {
  ^bb0(%in: f32, %out: f16):
    %t = arith.truncf %in : f32 to f16
    linalg.yield %t : f16
  } -> tensor<3x4x2xf16>
  %y = tensor.collapse_shape %d [[0, 1], [2]] : tensor<3x4x2xf16> into tensor<12x2xf16>
  return %y : tensor<12x2xf16>
}

// -----

// A transposition: blocks of 8 x 8, of which a warp has 4 x 8. 35 pixels are
// read one by one by neighbouring lanes, four channels are written at a time.

// CHECK-LABEL: @transposed
// CHECK-SAME:    %[[X:.*]]: tensor<2x64x96xbf16>, %{{.*}}: tensor<2x12x35xbf16>
// CHECK:         scf.forall (%[[N:.*]], %[[I:.*]], %[[J:.*]], %[[A:.*]], %[[B:.*]]) in (2, 3, 1, 4, 8) shared_outs(%[[OUT:.*]] = %{{.*}}) -> (tensor<2x96x64xbf16>)
// CHECK-DAG:       %[[P:.*]] = affine.apply {{.*}}(%[[I]], %[[A]])
// CHECK-DAG:       %[[C:.*]] = affine.apply {{.*}}(%[[B]])
// CHECK:           tensor.extract_slice %[[X]][%[[N]], %[[C]], %[[P]]] [1, 8, 8] [1, 1, 1]
// CHECK:           tensor.parallel_insert_slice %{{.*}} into %[[OUT]][%[[N]], %[[P]], %[[C]]] [1, 8, 8] [1, 1, 1]
// CHECK:         } {mapping = [#gpu.thread<linear_dim_4>, #gpu.thread<linear_dim_3>, #gpu.thread<linear_dim_2>, #gpu.thread<linear_dim_1>, #gpu.thread<linear_dim_0>]}
// CHECK:         scf.forall {{.*}} in (2, 1, 1, 35, 3)
// CHECK:           tensor.parallel_insert_slice {{.*}} [1, 1, 4] [1, 1, 1]
func.func @transposed(%x: tensor<2x64x96xbf16>, %y: tensor<2x12x35xbf16>) -> (tensor<2x96x64xbf16>, tensor<2x35x12xbf16>) {
  %e = tensor.empty() : tensor<2x96x64xbf16>
  %t = linalg.transpose ins(%x : tensor<2x64x96xbf16>) outs(%e : tensor<2x96x64xbf16>) permutation = [0, 2, 1]
  %f = tensor.empty() : tensor<2x35x12xbf16>
  %u = linalg.transpose ins(%y : tensor<2x12x35xbf16>) outs(%f : tensor<2x35x12xbf16>) permutation = [0, 2, 1]
  return %t, %u : tensor<2x96x64xbf16>, tensor<2x35x12xbf16>
}

// -----

// A sum that is transposed: eight lanes of a warp read neighbours of each part,
// four of four elements each write neighbours.

// CHECK-LABEL: @transposed_sum
// CHECK:         scf.forall (%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) in (2, 8, 3, 8, 4)
// CHECK:           scf.for
// CHECK:             tensor.extract_slice %{{.*}} [1, 1, 4, 1] [1, 1, 1, 1] : tensor<3x1x4x1xf32>
// CHECK:           tensor.parallel_insert_slice {{.*}} [1, 1, 4] [1, 1, 1]
func.func @transposed_sum(%parts: tensor<3x2x48x64xf32>) -> tensor<2x64x48xf32> {
  %zero = arith.constant 0.0 : f32
  %i = tensor.empty() : tensor<2x48x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%i : tensor<2x48x64xf32>) -> tensor<2x48x64xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(n, p, c, k) -> (k, n, p, c)>, affine_map<(n, p, c, k) -> (n, p, c)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
         ins(%parts : tensor<3x2x48x64xf32>) outs(%z : tensor<2x48x64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %a = arith.addf %out, %in : f32
    linalg.yield %a : f32
  } -> tensor<2x48x64xf32>
  %e = tensor.empty() : tensor<2x64x48xf32>
  %t = linalg.transpose ins(%s : tensor<2x48x64xf32>) outs(%e : tensor<2x64x48xf32>) permutation = [0, 2, 1]
  return %t : tensor<2x64x48xf32>
}

// -----

// Few results inside of the transposed loop: a workgroup reads whole sectors as
// it is.

// CHECK-LABEL: @transposed_sum_of_taps
// CHECK:         scf.forall (%{{.*}}, %{{.*}}, %{{.*}}) in (24, 64, 9)
func.func @transposed_sum_of_taps(%parts: tensor<3x24x9x64xf32>) -> tensor<24x64x9xf32> {
  %zero = arith.constant 0.0 : f32
  %i = tensor.empty() : tensor<24x9x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%i : tensor<24x9x64xf32>) -> tensor<24x9x64xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(k, t, c, p) -> (p, k, t, c)>, affine_map<(k, t, c, p) -> (k, t, c)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
         ins(%parts : tensor<3x24x9x64xf32>) outs(%z : tensor<24x9x64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %a = arith.addf %out, %in : f32
    linalg.yield %a : f32
  } -> tensor<24x9x64xf32>
  %e = tensor.empty() : tensor<24x64x9xf32>
  %t = linalg.transpose ins(%s : tensor<24x9x64xf32>) outs(%e : tensor<24x64x9xf32>) permutation = [0, 2, 1]
  return %t : tensor<24x64x9xf32>
}

// -----

// Sums of many parts are read along the channels, which are innermost in a part,
// by four at a time.

// CHECK-LABEL: @transposed_sum_of_many_parts
// CHECK:         scf.forall (%{{.*}}, %{{.*}}, %{{.*}}) in (24, 9, 16)
// CHECK:             linalg.generic {{.*}} ins(%{{.*}} : tensor<1x1x1x4xf32>)
// CHECK:           tensor.parallel_insert_slice {{.*}} [1, 4, 1] [1, 1, 1]
func.func @transposed_sum_of_many_parts(%parts: tensor<32x24x9x64xf32>) -> tensor<24x64x9xf32> {
  %zero = arith.constant 0.0 : f32
  %i = tensor.empty() : tensor<24x9x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%i : tensor<24x9x64xf32>) -> tensor<24x9x64xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(n, p, c, k) -> (k, n, p, c)>, affine_map<(n, p, c, k) -> (n, p, c)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
         ins(%parts : tensor<32x24x9x64xf32>) outs(%z : tensor<24x9x64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %a = arith.addf %out, %in : f32
    linalg.yield %a : f32
  } -> tensor<24x9x64xf32>
  %e = tensor.empty() : tensor<24x64x9xf32>
  %t = linalg.transpose ins(%s : tensor<24x9x64xf32>) outs(%e : tensor<24x64x9xf32>) permutation = [0, 2, 1]
  return %t : tensor<24x64x9xf32>
}

// -----

// Nine taps are no whole accesses, but the taps of eight channels are nine: each
// thread gathers one of these. Of 8 taps nothing is gathered, nor of so few
// channels that they make no access.

// CHECK-LABEL: @taps_innermost
// CHECK-SAME:    %[[X:.*]]: tensor<24x9x64xbf16>, %{{.*}}: tensor<24x8x64xbf16>, %{{.*}}: tensor<24x9x3xbf16>
// CHECK:         %[[FLAT:.*]] = tensor.collapse_shape %[[X]] {{.*}} into tensor<13824xbf16>
// CHECK:         scf.forall (%{{.*}}, %{{.*}}) in (24, 72) {{.*}} -> (tensor<24x576xbf16>)
// CHECK:           linalg.generic {{.*}} outs(%{{.*}} : tensor<1x8xbf16>)
// CHECK:             %[[CHANNEL:.*]] = arith.divui %[[INDEX:.*]], %c9
// CHECK:             %[[TAP:.*]] = arith.remui %[[INDEX]], %c9
// CHECK:             tensor.extract %[[FLAT]][%{{.*}}]
// CHECK:         tensor.expand_shape {{.*}} output_shape [24, 64, 9]
// CHECK-NOT:     tensor.extract %
func.func @taps_innermost(%x: tensor<24x9x64xbf16>, %y: tensor<24x8x64xbf16>, %z: tensor<24x9x3xbf16>) -> (tensor<24x64x9xbf16>, tensor<24x64x8xbf16>, tensor<24x3x9xbf16>) {
  %e = tensor.empty() : tensor<24x64x9xbf16>
  %t = linalg.transpose ins(%x : tensor<24x9x64xbf16>) outs(%e : tensor<24x64x9xbf16>) permutation = [0, 2, 1]
  %f = tensor.empty() : tensor<24x64x8xbf16>
  %u = linalg.transpose ins(%y : tensor<24x8x64xbf16>) outs(%f : tensor<24x64x8xbf16>) permutation = [0, 2, 1]
  %g = tensor.empty() : tensor<24x3x9xbf16>
  %v = linalg.transpose ins(%z : tensor<24x9x3xbf16>) outs(%g : tensor<24x3x9xbf16>) permutation = [0, 2, 1]
  return %t, %u, %v : tensor<24x64x9xbf16>, tensor<24x64x8xbf16>, tensor<24x3x9xbf16>
}

// -----

// Nor of a slice, which would be copied to be one dimension, or where rows are
// repeated.

// CHECK-LABEL: @short_rows_of_others
// CHECK-NOT:     tensor.extract %
// CHECK:         return
func.func @short_rows_of_others(%x: tensor<3x10x66xf16>, %y: tensor<9x64xbf16>) -> (tensor<3x64x9xf16>, tensor<24x64x9xbf16>) {
  %s = tensor.extract_slice %x[0, 0, 0] [3, 9, 64] [1, 1, 1] : tensor<3x10x66xf16> to tensor<3x9x64xf16>
  %e = tensor.empty() : tensor<3x64x9xf16>
  %t = linalg.transpose ins(%s : tensor<3x9x64xf16>) outs(%e : tensor<3x64x9xf16>) permutation = [0, 2, 1]
  %f = tensor.empty() : tensor<24x64x9xbf16>
  %u = linalg.generic {indexing_maps = [affine_map<(n, c, k) -> (k, c)>, affine_map<(n, c, k) -> (n, c, k)>], iterator_types = ["parallel", "parallel", "parallel"]}
         ins(%y : tensor<9x64xbf16>) outs(%f : tensor<24x64x9xbf16>) {
  ^bb0(%in: bf16, %out: bf16):
    linalg.yield %in : bf16
  } -> tensor<24x64x9xbf16>
  return %t, %u : tensor<3x64x9xf16>, tensor<24x64x9xbf16>
}

// -----

// What reads at computed positions: a thread makes a whole short row, whose
// positions are constants then, and loops are not joined.
// CHECK-LABEL: func @gather
// CHECK:         scf.forall (%{{.*}}, %{{.*}}, %{{.*}}) in (3, 5, 1) {{.*}} -> (tensor<3x5x16xbf16>)
// CHECK:           linalg.generic {{.*}} outs(%{{.*}} : tensor<1x1x16xbf16>)
// CHECK:             tensor.extract
func.func @gather(%x: tensor<240xbf16>) -> tensor<3x5x16xbf16> {
  %e = tensor.empty() : tensor<3x5x16xbf16>
  %c80 = arith.constant 80 : index
  %c16 = arith.constant 16 : index
  %c15 = arith.constant 15 : index
  %y = linalg.generic {indexing_maps = [affine_map<(n, i, c) -> (n, i, c)>], iterator_types = ["parallel", "parallel", "parallel"]} outs(%e : tensor<3x5x16xbf16>) {
  ^bb0(%o: bf16):
    %n = linalg.index 0 : index
    %i = linalg.index 1 : index
    %c = linalg.index 2 : index
    %turned = arith.subi %c15, %c : index
    %a = arith.muli %n, %c80 : index
    %b = arith.muli %i, %c16 : index
    %ab = arith.addi %a, %b : index
    %offset = arith.addi %ab, %turned : index
    %v = tensor.extract %x[%offset] : tensor<240xbf16>
    linalg.yield %v : bf16
  } -> tensor<3x5x16xbf16>
  return %y : tensor<3x5x16xbf16>
}

// -----

// A pooling with a stride along the last dimension of its result: neighbours
// there are not neighbours of what is read, so a thread has one.
// CHECK-LABEL: func @pooling
// CHECK:         scf.forall (%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) in (1, 8, 8, 8) {{.*}} -> (tensor<1x8x8x8xf16>)
// CHECK:           linalg.generic {{.*}} outs(%{{.*}} : tensor<1x1x1x1xf16>)
func.func @pooling(%x: tensor<1x8x16x16xf16>) -> tensor<1x8x8x8xf16> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<1x8x8x8xf16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
  %window = tensor.empty() : tensor<2x2xf16>
  %p = linalg.pooling_nchw_max {strides = dense<2> : tensor<2xi64>} ins(%x, %window : tensor<1x8x16x16xf16>, tensor<2x2xf16>) outs(%f : tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
  return %p : tensor<1x8x8x8xf16>
}

// -----

// The same in front of a transposition, whose last dimension is one of lines.
// CHECK-LABEL: func @pooling_transposed
// CHECK:         scf.forall {{.*}} in (1, 16, 4, 4) {{.*}} -> (tensor<1x16x4x4xf16>)
// With the channels last, neighbours are neighbours.
// CHECK-LABEL: func @pooling_last
// CHECK:         scf.forall {{.*}} in (1, 4, 4, 2) {{.*}} -> (tensor<1x4x4x16xf16>)
func.func @pooling_transposed(%x: tensor<1x8x8x16xf16>) -> tensor<1x16x4x4xf16> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<1x4x4x16xf16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<1x4x4x16xf16>) -> tensor<1x4x4x16xf16>
  %window = tensor.empty() : tensor<2x2xf16>
  %p = linalg.pooling_nhwc_sum {strides = dense<2> : tensor<2xi64>} ins(%x, %window : tensor<1x8x8x16xf16>, tensor<2x2xf16>) outs(%f : tensor<1x4x4x16xf16>) -> tensor<1x4x4x16xf16>
  %g = tensor.empty() : tensor<1x16x4x4xf16>
  %t = linalg.transpose ins(%p : tensor<1x4x4x16xf16>) outs(%g : tensor<1x16x4x4xf16>) permutation = [0, 3, 1, 2]
  return %t : tensor<1x16x4x4xf16>
}
func.func @pooling_last(%x: tensor<1x8x8x16xf16>) -> tensor<1x4x4x16xf16> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<1x4x4x16xf16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<1x4x4x16xf16>) -> tensor<1x4x4x16xf16>
  %window = tensor.empty() : tensor<2x2xf16>
  %p = linalg.pooling_nhwc_sum {strides = dense<2> : tensor<2xi64>} ins(%x, %window : tensor<1x8x8x16xf16>, tensor<2x2xf16>) outs(%f : tensor<1x4x4x16xf16>) -> tensor<1x4x4x16xf16>
  return %p : tensor<1x4x4x16xf16>
}
