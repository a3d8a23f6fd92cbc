// RUN: conv-opt %s --convert-linalg-to-conv --split-input-file --verify-diagnostics | FileCheck %s
// RUN: conv-opt %s --convert-linalg-to-conv --split-input-file --remarks-filter=convert-linalg-to-conv -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK-DAG: remark: [Passed] convolution-imported | Category:convert-linalg-to-conv | {{.*}}imported as conv.forward
// REMARK-DAG: remark: [Analysis] more-precise-than-text | Category:convert-linalg-to-conv | {{.*}}more precision than the text
// REMARK-DAG: remark: [Missed] convolution-left | Category:convert-linalg-to-conv | {{.*}}not imported as a convolution: 

// Zeros around x become padding of the window.
// CHECK-LABEL: func @pad
// CHECK-SAME: (%[[X:.*]]: tensor<2x8x9x4xf32>, %[[W:.*]]: tensor<6x3x2x4xf32>)
// CHECK-NOT: tensor.pad
// CHECK: conv.forward ins(%[[X]], %[[W]] : tensor<2x8x9x4xf32>, {{.*}} pad [1, 0:2] ->
func.func @pad(%x: tensor<2x8x9x4xf32>, %w: tensor<6x3x2x4xf32>) -> tensor<2x8x10x6xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 0, 0] high[0, 1, 2, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<2x8x9x4xf32> to tensor<2x10x11x4xf32>
  %e = tensor.empty() : tensor<2x8x10x6xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<2x8x10x6xf32>) -> tensor<2x8x10x6xf32>
  %y = linalg.conv_2d_nhwc_fhwc ins(%p, %w : tensor<2x10x11x4xf32>, tensor<6x3x2x4xf32>) outs(%i : tensor<2x8x10x6xf32>) -> tensor<2x8x10x6xf32>
  return %y : tensor<2x8x10x6xf32>
}

// -----

// Also where x is reshaped for conv: groups, channels first.
// CHECK-LABEL: func @pad_groups
// CHECK-SAME: (%[[X:.*]]: tensor<2x3x4x8x9xf32>,
// CHECK: tensor.collapse_shape %[[X]] {{.*}} into tensor<2x12x8x9xf32>
// CHECK: conv.forward {{.*}} pad [2:0, 0:1] groups 3 layout nchw
func.func @pad_groups(%x: tensor<2x3x4x8x9xf32>, %w: tensor<3x6x4x3x2xf32>) -> tensor<2x3x6x8x9xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 0, 2, 0] high[0, 0, 0, 0, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index, %f: index):
    tensor.yield %zero : f32
  } : tensor<2x3x4x8x9xf32> to tensor<2x3x4x10x10xf32>
  %e = tensor.empty() : tensor<2x3x6x8x9xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<2x3x6x8x9xf32>) -> tensor<2x3x6x8x9xf32>
  %y = linalg.conv_2d_ngchw_gfchw ins(%p, %w : tensor<2x3x4x10x10xf32>, tensor<3x6x4x3x2xf32>) outs(%i : tensor<2x3x6x8x9xf32>) -> tensor<2x3x6x8x9xf32>
  return %y : tensor<2x3x6x8x9xf32>
}

// -----

// CHECK-LABEL: func @keep_pad_of_channels
// CHECK: %[[P:.*]] = tensor.pad
// CHECK: conv.forward ins(%[[P]],
func.func @keep_pad_of_channels(%x: tensor<2x18x4xf32>, %w: tensor<3x5x7xf32>) -> tensor<2x16x7xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1] high[0, 0, 0] {
  ^bb0(%a: index, %b: index, %c: index):
    tensor.yield %zero : f32
  } : tensor<2x18x4xf32> to tensor<2x18x5xf32>
  %e = tensor.empty() : tensor<2x16x7xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<2x16x7xf32>) -> tensor<2x16x7xf32>
  %y = linalg.conv_1d_nwc_wcf ins(%p, %w : tensor<2x18x5xf32>, tensor<3x5x7xf32>) outs(%i : tensor<2x16x7xf32>) -> tensor<2x16x7xf32>
  return %y : tensor<2x16x7xf32>
}

// -----

// Linalg adds to its init: here a bias.
// CHECK-LABEL: func @init
// CHECK-SAME: %[[I:[^ ]*]]: tensor<2x16x7xf32>)
// CHECK: %[[E:.*]] = tensor.empty() : tensor<2x16x7xf32>
// CHECK: %[[Y:.*]] = conv.forward {{.*}} outs(%[[E]] :
// CHECK: %[[S:.*]] = linalg.add ins(%[[Y]], %[[I]] :
// CHECK: return %[[S]]
func.func @init(%x: tensor<2x18x5xf32>, %w: tensor<3x5x7xf32>, %i: tensor<2x16x7xf32>) -> tensor<2x16x7xf32> {
  %y = linalg.conv_1d_nwc_wcf ins(%x, %w : tensor<2x18x5xf32>, tensor<3x5x7xf32>) outs(%i : tensor<2x16x7xf32>) -> tensor<2x16x7xf32>
  return %y : tensor<2x16x7xf32>
}

// -----

// The accumulation type is f32 at least; what the text adds in a wider one
// stays.
// CHECK-LABEL: func @types
// CHECK: conv.forward {{.*}}xf16>{{.*}} outs({{.*}}xf16>) layout nchw ->
// CHECK: linalg.conv_1d_ncw_fcw {{.*}}xf64>)
// CHECK: conv.forward {{.*}}xi8>{{.*}} outs({{.*}}xi32>) layout nchw ->
func.func @types(%x: tensor<2x5x18xf16>, %w: tensor<7x5x3xf16>, %xi: tensor<2x5x18xi8>, %wi: tensor<7x5x3xi8>)
    -> (tensor<2x7x16xf16>, tensor<2x7x16xf64>, tensor<2x7x16xi32>) {
  %i16 = arith.constant dense<0.0> : tensor<2x7x16xf16>
  // expected-remark @below {{imported as conv.forward with more precision than the text}}
  %y16 = linalg.conv_1d_ncw_fcw ins(%x, %w : tensor<2x5x18xf16>, tensor<7x5x3xf16>) outs(%i16 : tensor<2x7x16xf16>) -> tensor<2x7x16xf16>
  %i64 = arith.constant dense<0.0> : tensor<2x7x16xf64>
  // expected-remark @below {{not imported as a convolution: its sums are formed in 'f64', those of a convolution of 'f16' in 'f32'}}
  %y64 = linalg.conv_1d_ncw_fcw ins(%x, %w : tensor<2x5x18xf16>, tensor<7x5x3xf16>) outs(%i64 : tensor<2x7x16xf64>) -> tensor<2x7x16xf64>
  %ii = arith.constant dense<0> : tensor<2x7x16xi32>
  %yi = linalg.conv_1d_ncw_fcw ins(%xi, %wi : tensor<2x5x18xi8>, tensor<7x5x3xi8>) outs(%ii : tensor<2x7x16xi32>) -> tensor<2x7x16xi32>
  return %y16, %y64, %yi : tensor<2x7x16xf16>, tensor<2x7x16xf64>, tensor<2x7x16xi32>
}

// -----

// Linalg may leave out positions at the end: the rest of x is cropped.
// CHECK-LABEL: func @fewer_outputs
// CHECK: conv.forward {{.*}} outs(%{{.*}} : tensor<2x7x12xf32>) pad [0:-4] layout nchw
func.func @fewer_outputs(%x: tensor<2x5x18xf32>, %w: tensor<7x5x3xf32>) -> tensor<2x7x12xf32> {
  %i = arith.constant dense<0.0> : tensor<2x7x12xf32>
  %y = linalg.conv_1d_ncw_fcw ins(%x, %w : tensor<2x5x18xf32>, tensor<7x5x3xf32>) outs(%i : tensor<2x7x12xf32>) -> tensor<2x7x12xf32>
  return %y : tensor<2x7x12xf32>
}

// -----

// A generic operation of the same form, its filter in an order of its own.
#x = affine_map<(n, q, k, s, c) -> (n, s * 3 + q * 2, c)>
#w = affine_map<(n, q, k, s, c) -> (c, k, s)>
#y = affine_map<(n, q, k, s, c) -> (n, q, k)>
// CHECK-LABEL: func @generic
// CHECK: linalg.transpose {{.*}} permutation = [1, 2, 0]
// CHECK-NOT: linalg.generic
// CHECK: conv.forward {{.*}} outs(%{{.*}} : tensor<2x6x7xf32>) stride [2] dilation [3] ->
func.func @generic(%x: tensor<2x17x5xf16>, %w: tensor<5x7x3xf16>) -> tensor<2x6x7xf32> {
  %i = arith.constant dense<0.0> : tensor<2x6x7xf32>
  %y = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%x, %w : tensor<2x17x5xf16>, tensor<5x7x3xf16>) outs(%i : tensor<2x6x7xf32>) {
  ^bb0(%a: f16, %b: f16, %sum: f32):
    %aw = arith.extf %a : f16 to f32
    %bw = arith.extf %b : f16 to f32
    %p = arith.mulf %aw, %bw : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  } -> tensor<2x6x7xf32>
  return %y : tensor<2x6x7xf32>
}

// -----

// What is not imported stays, and says why.

func.func @dynamic(%x: tensor<?x18x5xf32>, %w: tensor<3x5x7xf32>, %i: tensor<?x16x7xf32>) -> tensor<?x16x7xf32> {
  // expected-remark @below {{not imported as a convolution: its shapes are not static}}
  %y = linalg.conv_1d_nwc_wcf ins(%x, %w : tensor<?x18x5xf32>, tensor<3x5x7xf32>) outs(%i : tensor<?x16x7xf32>) -> tensor<?x16x7xf32>
  return %y : tensor<?x16x7xf32>
}

// -----

func.func @buffers(%x: memref<2x18x5xf32>, %w: memref<3x5x7xf32>, %y: memref<2x16x7xf32>) {
  // expected-remark @below {{not imported as a convolution: it is not on tensors}}
  linalg.conv_1d_nwc_wcf ins(%x, %w : memref<2x18x5xf32>, memref<3x5x7xf32>) outs(%y : memref<2x16x7xf32>)
  return
}

// -----

func.func @mixed_types(%x: tensor<2x18x5xf16>, %w: tensor<3x5x7xf32>, %i: tensor<2x16x7xf32>) -> tensor<2x16x7xf32> {
  // expected-remark @below {{not imported as a convolution: conv-c17: both inputs must have the same element type, or be 'f8E4M3FN' and 'f8E5M2', but have 'f16' and 'f32'}}
  %y = linalg.conv_1d_nwc_wcf ins(%x, %w : tensor<2x18x5xf16>, tensor<3x5x7xf32>) outs(%i : tensor<2x16x7xf32>) -> tensor<2x16x7xf32>
  return %y : tensor<2x16x7xf32>
}

// -----

#x = affine_map<(n, q, k, s, c) -> (n, q + s + 2, c)>
#w = affine_map<(n, q, k, s, c) -> (k, s, c)>
#y = affine_map<(n, q, k, s, c) -> (n, q, k)>
// A constant in an index: positions are left out in front.
// CHECK-LABEL: func @shifted
// CHECK: conv.forward {{.*}} pad [-2:0] ->
func.func @shifted(%x: tensor<2x20x5xf32>, %w: tensor<7x3x5xf32>, %i: tensor<2x16x7xf32>) -> tensor<2x16x7xf32> {
  %y = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%x, %w : tensor<2x20x5xf32>, tensor<7x3x5xf32>) outs(%i : tensor<2x16x7xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  } -> tensor<2x16x7xf32>
  return %y : tensor<2x16x7xf32>
}

// -----

#x = affine_map<(n, q, k, s, c) -> (n, q + s, c)>
#w = affine_map<(n, q, k, s, c) -> (k, s, c)>
#y = affine_map<(n, q, k, s, c) -> (n, q, k)>
func.func @unsigned(%x: tensor<2x18x5xi8>, %w: tensor<7x3x5xi8>, %i: tensor<2x16x7xi32>) -> tensor<2x16x7xi32> {
  // expected-remark @below {{not imported as a convolution: its body has a 'arith.extui'; only widening, multiplication and addition of signed integers or floats can be imported}}
  %y = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%x, %w : tensor<2x18x5xi8>, tensor<7x3x5xi8>) outs(%i : tensor<2x16x7xi32>) {
  ^bb0(%a: i8, %b: i8, %sum: i32):
    %aw = arith.extui %a : i8 to i32
    %bw = arith.extui %b : i8 to i32
    %p = arith.muli %aw, %bw : i32
    %s = arith.addi %sum, %p : i32
    linalg.yield %s : i32
  } -> tensor<2x16x7xi32>
  return %y : tensor<2x16x7xi32>
}

// -----

#x = affine_map<(m, n, q, k, s, c) -> (m, n, q + s, c)>
#w = affine_map<(m, n, q, k, s, c) -> (k, s, c)>
#y = affine_map<(m, n, q, k, s, c) -> (m, n, q, k)>
// A second dimension of images is one of positions, with one tap.
// CHECK-LABEL: func @two_batches
// CHECK: tensor.expand_shape %{{.*}} : tensor<7x3x5xf32> into tensor<7x1x3x5xf32>
// CHECK: conv.forward {{.*}} : tensor<3x2x18x5xf32>, tensor<7x1x3x5xf32>)
func.func @two_batches(%x: tensor<3x2x18x5xf32>, %w: tensor<7x3x5xf32>, %i: tensor<3x2x16x7xf32>) -> tensor<3x2x16x7xf32> {
  %y = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%x, %w : tensor<3x2x18x5xf32>, tensor<7x3x5xf32>) outs(%i : tensor<3x2x16x7xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  } -> tensor<3x2x16x7xf32>
  return %y : tensor<3x2x16x7xf32>
}

// -----

// Not convolutions: no remark.
// CHECK-LABEL: func @others
// CHECK: linalg.matmul
// CHECK: linalg.pooling_nwc_sum
func.func @others(%a: tensor<4x5xf32>, %b: tensor<5x6xf32>, %c: tensor<4x6xf32>, %x: tensor<2x18x5xf32>, %w: tensor<3xf32>, %y: tensor<2x16x5xf32>)
    -> (tensor<4x6xf32>, tensor<2x16x5xf32>) {
  %m = linalg.matmul ins(%a, %b : tensor<4x5xf32>, tensor<5x6xf32>) outs(%c : tensor<4x6xf32>) -> tensor<4x6xf32>
  %p = linalg.pooling_nwc_sum ins(%x, %w : tensor<2x18x5xf32>, tensor<3xf32>) outs(%y : tensor<2x16x5xf32>) -> tensor<2x16x5xf32>
  return %m, %p : tensor<4x6xf32>, tensor<2x16x5xf32>
}

// -----

// Both types of 8-bit floats, which tensor cores multiply with each other.
// CHECK-LABEL: func @floats_of_two_types
// CHECK: conv.forward ins({{.*}} : tensor<2x18x5xf8E4M3FN>, tensor<7x3x5xf8E5M2>)
func.func @floats_of_two_types(%x: tensor<2x18x5xf8E4M3FN>, %w: tensor<3x5x7xf8E5M2>, %i: tensor<2x16x7xf32>) -> tensor<2x16x7xf32> {
  %y = linalg.conv_1d_nwc_wcf ins(%x, %w : tensor<2x18x5xf8E4M3FN>, tensor<3x5x7xf8E5M2>) outs(%i : tensor<2x16x7xf32>) -> tensor<2x16x7xf32>
  return %y : tensor<2x16x7xf32>
}

// -----

// The same behind conversions.
// CHECK-LABEL: func @widened_floats_of_two_types
// CHECK: conv.forward ins({{.*}} : tensor<2x18x5xf8E4M3FN>, tensor<7x3x5xf8E5M2>)
#id = affine_map<(a, b, c) -> (a, b, c)>
#loops = {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
func.func @widened_floats_of_two_types(%x: tensor<2x18x5xf8E4M3FN>, %w: tensor<3x5x7xf8E5M2>, %xe: tensor<2x18x5xf32>, %we: tensor<3x5x7xf32>, %i: tensor<2x16x7xf32>) -> tensor<2x16x7xf32> {
  %xf = linalg.generic #loops ins(%x : tensor<2x18x5xf8E4M3FN>) outs(%xe : tensor<2x18x5xf32>) {
  ^bb0(%a: f8E4M3FN, %b: f32):
    %c = arith.extf %a : f8E4M3FN to f32
    linalg.yield %c : f32
  } -> tensor<2x18x5xf32>
  %wf = linalg.generic #loops ins(%w : tensor<3x5x7xf8E5M2>) outs(%we : tensor<3x5x7xf32>) {
  ^bb0(%a: f8E5M2, %b: f32):
    %c = arith.extf %a : f8E5M2 to f32
    linalg.yield %c : f32
  } -> tensor<3x5x7xf32>
  %y = linalg.conv_1d_nwc_wcf ins(%xf, %wf : tensor<2x18x5xf32>, tensor<3x5x7xf32>) outs(%i : tensor<2x16x7xf32>) -> tensor<2x16x7xf32>
  return %y : tensor<2x16x7xf32>
}
