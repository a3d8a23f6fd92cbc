// RUN: conv-opt %s --convert-linalg-to-conv --split-input-file --verify-diagnostics | FileCheck %s

// A convolution adds exact products of signed integers, modulo the width of its
// result: what the text does otherwise stays.

#x = affine_map<(n, q, k, s, c) -> (n, q + s, c)>
#w = affine_map<(n, q, k, s, c) -> (k, s, c)>
#y = affine_map<(n, q, k, s, c) -> (n, q, k)>

// CHECK-LABEL: func @product_of_16_bits
// CHECK: conv.forward
func.func @product_of_16_bits(%x: tensor<2x18x5xi8>, %w: tensor<7x3x5xi8>, %i: tensor<2x16x7xi32>) -> tensor<2x16x7xi32> {
  %y = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%x, %w : tensor<2x18x5xi8>, tensor<7x3x5xi8>) outs(%i : tensor<2x16x7xi32>) {
  ^bb0(%a: i8, %b: i8, %sum: i32):
    %aw = arith.extsi %a : i8 to i16
    %bw = arith.extsi %b : i8 to i16
    %p = arith.muli %bw, %aw : i16
    %e = arith.extsi %p : i16 to i32
    %s = arith.addi %e, %sum : i32
    linalg.yield %s : i32
  } -> tensor<2x16x7xi32>
  return %y : tensor<2x16x7xi32>
}

// -----

#x = affine_map<(n, q, k, s, c) -> (n, q + s, c)>
#w = affine_map<(n, q, k, s, c) -> (k, s, c)>
#y = affine_map<(n, q, k, s, c) -> (n, q, k)>

// Products and sums wrap alike.
// CHECK-LABEL: func @all_of_8_bits
// CHECK: conv.forward
func.func @all_of_8_bits(%x: tensor<2x18x5xi8>, %w: tensor<7x3x5xi8>, %i: tensor<2x16x7xi8>) -> tensor<2x16x7xi8> {
  %y = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%x, %w : tensor<2x18x5xi8>, tensor<7x3x5xi8>) outs(%i : tensor<2x16x7xi8>) {
  ^bb0(%a: i8, %b: i8, %sum: i8):
    %p = arith.muli %a, %b : i8
    %s = arith.addi %sum, %p : i8
    linalg.yield %s : i8
  } -> tensor<2x16x7xi8>
  return %y : tensor<2x16x7xi8>
}

// -----

#x = affine_map<(n, q, k, s, c) -> (n, q + s, c)>
#w = affine_map<(n, q, k, s, c) -> (k, s, c)>
#y = affine_map<(n, q, k, s, c) -> (n, q, k)>

// CHECK-LABEL: func @narrow_product
// CHECK-NOT: conv.forward
// CHECK: linalg.generic
func.func @narrow_product(%x: tensor<2x18x5xi8>, %w: tensor<7x3x5xi8>, %i: tensor<2x16x7xi32>) -> tensor<2x16x7xi32> {
  // expected-remark @below {{not imported as a convolution: its products are formed in 'i8', where they wrap; those of a convolution do not}}
  %y = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%x, %w : tensor<2x18x5xi8>, tensor<7x3x5xi8>) outs(%i : tensor<2x16x7xi32>) {
  ^bb0(%a: i8, %b: i8, %sum: i32):
    %p = arith.muli %a, %b : i8
    %e = arith.extsi %p : i8 to i32
    %s = arith.addi %sum, %e : i32
    linalg.yield %s : i32
  } -> tensor<2x16x7xi32>
  return %y : tensor<2x16x7xi32>
}

// -----

#x = affine_map<(n, q, k, s, c) -> (n, q + s, c)>
#w = affine_map<(n, q, k, s, c) -> (k, s, c)>
#y = affine_map<(n, q, k, s, c) -> (n, q, k)>

// CHECK-LABEL: func @product_without_a_sign
// CHECK-NOT: conv.forward
func.func @product_without_a_sign(%x: tensor<2x18x5xi8>, %w: tensor<7x3x5xi8>, %i: tensor<2x16x7xi32>) -> tensor<2x16x7xi32> {
  // expected-remark @below {{not imported as a convolution: its body has a 'arith.extui'}}
  %y = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%x, %w : tensor<2x18x5xi8>, tensor<7x3x5xi8>) outs(%i : tensor<2x16x7xi32>) {
  ^bb0(%a: i8, %b: i8, %sum: i32):
    %aw = arith.extsi %a : i8 to i16
    %bw = arith.extsi %b : i8 to i16
    %p = arith.muli %aw, %bw : i16
    %e = arith.extui %p : i16 to i32
    %s = arith.addi %sum, %e : i32
    linalg.yield %s : i32
  } -> tensor<2x16x7xi32>
  return %y : tensor<2x16x7xi32>
}

// -----

#x = affine_map<(n, q, k, s, c) -> (n, q + s, c)>
#w = affine_map<(n, q, k, s, c) -> (k, s, c)>
#y = affine_map<(n, q, k, s, c) -> (n, q, k)>

// CHECK-LABEL: func @sum_of_other_width
// CHECK-NOT: conv.forward
func.func @sum_of_other_width(%x: tensor<2x18x5xi8>, %w: tensor<7x3x5xi8>, %i: tensor<2x16x7xi8>) -> tensor<2x16x7xi8> {
  // expected-remark @below {{not imported as a convolution: its body has a 'arith.trunci'}}
  %y = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%x, %w : tensor<2x18x5xi8>, tensor<7x3x5xi8>) outs(%i : tensor<2x16x7xi8>) {
  ^bb0(%a: i8, %b: i8, %sum: i8):
    %aw = arith.extsi %a : i8 to i16
    %bw = arith.extsi %b : i8 to i16
    %p = arith.muli %aw, %bw : i16
    %o = arith.extsi %sum : i8 to i16
    %s = arith.addi %o, %p : i16
    %r = arith.trunci %s : i16 to i8
    linalg.yield %r : i8
  } -> tensor<2x16x7xi8>
  return %y : tensor<2x16x7xi8>
}

// -----

// CHECK-LABEL: func @wide_elements
// CHECK-NOT: conv.forward
func.func @wide_elements(%x: tensor<2x18x5xi32>, %w: tensor<3x5x7xi32>, %i: tensor<2x16x7xi32>) -> tensor<2x16x7xi32> {
  // expected-remark @below {{not imported as a convolution: its elements are 'i32'; convolutions of integers have those of 8 bits}}
  %y = linalg.conv_1d_nwc_wcf ins(%x, %w : tensor<2x18x5xi32>, tensor<3x5x7xi32>) outs(%i : tensor<2x16x7xi32>) -> tensor<2x16x7xi32>
  return %y : tensor<2x16x7xi32>
}
