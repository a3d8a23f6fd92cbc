// RUN: conv-opt %s | conv-opt | FileCheck %s
// RUN: conv-opt %s --mlir-print-op-generic | conv-opt | FileCheck %s
// RUN: conv-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

// The text is the one that JAX prints, in both forms.

// CHECK-LABEL: func @convolution
// CHECK: stablehlo.convolution(%{{.*}}, %{{.*}}) dim_numbers = [b, 0, 1, f]x[o, 0, 1, i]->[b, 0, 1, f], window = {stride = [2, 1], pad = {{\[\[}}1, 0], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 2], reverse = [false, true]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]} : (tensor<4x9x10x8xbf16>, tensor<6x3x3x4xbf16>) -> tensor<4x4x8x6xf32>
// GENERIC: "stablehlo.convolution"(%{{.*}}, %{{.*}}) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[o, 0, 1, i]->[b, 0, 1, f]>, feature_group_count = 2 : i64, lhs_dilation = array<i64: 1, 1>, padding = dense<{{\[\[}}1, 0], [1, 1]]> : tensor<2x2xi64>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>], rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: false, true>, window_strides = array<i64: 2, 1>}>
func.func @convolution(%x: tensor<4x9x10x8xbf16>, %w: tensor<6x3x3x4xbf16>) -> tensor<4x4x8x6xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[o, 0, 1, i]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[1, 0], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 2], reverse = [0, 1]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]} : (tensor<4x9x10x8xbf16>, tensor<6x3x3x4xbf16>) -> tensor<4x4x8x6xf32>
  return %0 : tensor<4x4x8x6xf32>
}

// A window may say nothing, and a tensor may have no elements.
// CHECK-LABEL: func @defaults
// CHECK: stablehlo.convolution(%{{.*}}, %{{.*}}) dim_numbers = [f, 0, b]x[i, o, 0]->[0, b, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<3x2x4xf32>, tensor<3x5x4xf32>) -> tensor<0x4x5xf32>
func.func @defaults(%x: tensor<3x2x4xf32>, %w: tensor<3x5x4xf32>) -> tensor<0x4x5xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [f, 0, b]x[i, o, 0]->[0, b, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<3x2x4xf32>, tensor<3x5x4xf32>) -> tensor<0x4x5xf32>
  return %0 : tensor<0x4x5xf32>
}

// CHECK-LABEL: func @moves
// CHECK: stablehlo.constant dense<2.500000e+00> : tensor<f32>
// CHECK: stablehlo.broadcast_in_dim %{{.*}}, dims = [] : (tensor<f32>) -> tensor<3x2xf32>
// CHECK: stablehlo.transpose %{{.*}}, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
// CHECK: stablehlo.reverse %{{.*}}, dims = [0] : tensor<2x3xf32>
// CHECK: stablehlo.reshape %{{.*}} : (tensor<2x3xf32>) -> tensor<3x2xf32>
func.func @moves(%x: tensor<2x3xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>) {
  %c = stablehlo.constant dense<2.5> : tensor<f32>
  %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> tensor<3x2xf32>
  %1 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %2 = stablehlo.reverse %x, dims = [0] : tensor<2x3xf32>
  %3 = stablehlo.reshape %2 : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %0, %1, %3 : tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>
}

// CHECK-LABEL: func @parts
// CHECK: stablehlo.pad %arg0, %{{.*}}, low = [1, -1], high = [0, 2], interior = [0, 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3x6xf32>
// CHECK: stablehlo.slice %{{.*}} [0:3, 1:6:2] : (tensor<3x6xf32>) -> tensor<3x3xf32>
// CHECK: stablehlo.concatenate %{{.*}}, %arg0, %{{.*}}, dim = 0 : (tensor<3x3xf32>, tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<8x3xf32>
// CHECK: stablehlo.abs %{{.*}} : tensor<8x3xf32>
func.func @parts(%x: tensor<2x3xf32>) -> tensor<8x3xf32> {
  %c = stablehlo.constant dense<2.5> : tensor<f32>
  %0 = stablehlo.pad %x, %c, low = [1, -1], high = [0, 2], interior = [0, 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3x6xf32>
  %1 = stablehlo.slice %0 [0:3, 1:6:2] : (tensor<3x6xf32>) -> tensor<3x3xf32>
  %2 = "stablehlo.concatenate"(%1, %x, %1) <{dimension = 0 : i64}> : (tensor<3x3xf32>, tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<8x3xf32>
  %3 = stablehlo.abs %2 : tensor<8x3xf32>
  return %3 : tensor<8x3xf32>
}

// CHECK-LABEL: func @elements
// CHECK: stablehlo.convert %{{.*}} : (tensor<4xbf16>) -> tensor<4xf32>
// CHECK: stablehlo.convert %{{.*}} : tensor<4xf32>
// CHECK: stablehlo.clamp %{{.*}}, %{{.*}}, %{{.*}} : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK: stablehlo.clamp %{{.*}}, %{{.*}}, %{{.*}} : tensor<4xf32>
// CHECK: stablehlo.compare GT, %{{.*}}, %{{.*}}, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
// CHECK: stablehlo.compare NE, %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
// CHECK: stablehlo.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<4xi1>, tensor<4xf32>
// CHECK: stablehlo.maximum %{{.*}}, %{{.*}} : tensor<4xf32>
// CHECK: stablehlo.logistic %{{.*}} : tensor<4xf32>
func.func @elements(%b: tensor<4xbf16>, %c: tensor<f32>) -> tensor<4xf32> {
  %0 = stablehlo.convert %b : (tensor<4xbf16>) -> tensor<4xf32>
  %1 = stablehlo.convert %0 : tensor<4xf32>
  %2 = stablehlo.clamp %c, %1, %c : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = stablehlo.clamp %1, %2, %1 : tensor<4xf32>
  %4 = stablehlo.compare GT, %1, %2, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %5 = stablehlo.compare NE, %1, %2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %6 = stablehlo.select %4, %1, %3 : tensor<4xi1>, tensor<4xf32>
  %7 = stablehlo.select %5, %6, %3 : tensor<4xi1>, tensor<4xf32>
  %8 = stablehlo.maximum %6, %7 : tensor<4xf32>
  %9 = stablehlo.logistic %8 : tensor<4xf32>
  return %9 : tensor<4xf32>
}

// CHECK-LABEL: func @reductions
// CHECK: stablehlo.reduce(%arg0 init: %{{.*}}) applies stablehlo.add across dimensions = [0, 2] : (tensor<4x8x3xf32>, tensor<f32>) -> tensor<8xf32>
// CHECK: stablehlo.reduce(%arg0 init: %{{.*}}) applies stablehlo.maximum across dimensions = [] : (tensor<4x8x3xf32>, tensor<f32>) -> tensor<4x8x3xf32>
// CHECK: stablehlo.reduce(%arg0 init: %{{.*}}) applies stablehlo.minimum across dimensions = [0, 1, 2] : (tensor<4x8x3xf32>, tensor<f32>) -> tensor<f32>
func.func @reductions(%x: tensor<4x8x3xf32>) -> (tensor<8xf32>, tensor<4x8x3xf32>, tensor<f32>) {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [0, 2] : (tensor<4x8x3xf32>, tensor<f32>) -> tensor<8xf32>
  %1 = stablehlo.reduce(%x init: %c) applies stablehlo.maximum across dimensions = [] : (tensor<4x8x3xf32>, tensor<f32>) -> tensor<4x8x3xf32>
  %2 = "stablehlo.reduce"(%x, %c) <{dimensions = array<i64: 0, 1, 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %3 = stablehlo.minimum %b, %a : tensor<f32>
    stablehlo.return %3 : tensor<f32>
  }) : (tensor<4x8x3xf32>, tensor<f32>) -> tensor<f32>
  return %0, %1, %2 : tensor<8xf32>, tensor<4x8x3xf32>, tensor<f32>
}

// CHECK-LABEL: func @windows
// CHECK: "stablehlo.reduce_window"(%arg0, %{{.*}}) <{padding = dense<{{\[}}[0, 0], [1, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 2>, window_dimensions = array<i64: 1, 3>, window_strides = array<i64: 1, 2>}> ({
// CHECK: stablehlo.maximum
// CHECK: }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x3xf32>
func.func @windows(%x: tensor<4x8xf32>) -> tensor<4x3xf32> {
  %c = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %c) <{padding = dense<[[0, 0], [1, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 2>, window_dimensions = array<i64: 1, 3>, window_strides = array<i64: 1, 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// CHECK-LABEL: func @products
// CHECK: stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, HIGHEST] : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
// CHECK: stablehlo.dot_general %arg0, %arg0, contracting_dims = [] x [] : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4x3x4xf32>
// CHECK: stablehlo.dot_general %arg2, %arg2, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x3x4xbf16>, tensor<2x3x4xbf16>) -> tensor<2x3x3xf32>
// CHECK: stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
// CHECK: stablehlo.log %{{.*}} : tensor<3x5xf32>
func.func @products(%x: tensor<3x4xf32>, %w: tensor<4x5xf32>, %b: tensor<2x3x4xbf16>)
    -> (tensor<3x5xf32>, tensor<3x4x3x4xf32>, tensor<2x3x3xf32>, tensor<3x5xf32>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0], precision = [DEFAULT, HIGHEST] : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  %1 = stablehlo.dot_general %x, %x, contracting_dims = [] x [] : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4x3x4xf32>
  %2 = stablehlo.dot_general %b, %b, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x3x4xbf16>, tensor<2x3x4xbf16>) -> tensor<2x3x3xf32>
  %3 = "stablehlo.dot_general"(%x, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  %4 = stablehlo.log %3 : tensor<3x5xf32>
  return %0, %1, %2, %4 : tensor<3x5xf32>, tensor<3x4x3x4xf32>, tensor<2x3x3xf32>, tensor<3x5xf32>
}

// CHECK-LABEL: func @scatter
// CHECK: "stablehlo.select_and_scatter"(%arg0, %arg1, %{{.*}}) <{padding = dense<0> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 3>, window_strides = array<i64: 1, 2>}> ({
// CHECK: stablehlo.compare GE
// CHECK: }, {
// CHECK: stablehlo.add
// CHECK: }) : (tensor<4x9xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<4x9xf32>
func.func @scatter(%x: tensor<4x9xf32>, %dy: tensor<4x4xf32>) -> tensor<4x9xf32> {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.select_and_scatter"(%x, %dy, %c) <{padding = dense<0> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 3>, window_strides = array<i64: 1, 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x9xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<4x9xf32>
  return %0 : tensor<4x9xf32>
}

// CHECK-LABEL: func @functions
// CHECK: stablehlo.cosine %{{.*}} : tensor<4xf32>
// CHECK: stablehlo.sine %{{.*}} : tensor<4xf32>
// CHECK: stablehlo.tan %{{.*}} : tensor<4xf32>
// CHECK: stablehlo.cbrt %{{.*}} : tensor<4xf32>
// CHECK: stablehlo.ceil %{{.*}} : tensor<4xf32>
// CHECK: stablehlo.floor %{{.*}} : tensor<4xf32>
// CHECK: stablehlo.exponential_minus_one %{{.*}} : tensor<4xf32>
// CHECK: stablehlo.log_plus_one %{{.*}} : tensor<4xf32>
// CHECK: stablehlo.round_nearest_afz %{{.*}} : tensor<4xf32>
// CHECK: stablehlo.round_nearest_even %{{.*}} : tensor<4xf32>
// CHECK: stablehlo.sign %{{.*}} : tensor<4xf32>
// CHECK: stablehlo.atan2 %{{.*}}, %arg0 : tensor<4xf32>
// CHECK: stablehlo.power %{{.*}}, %arg0 : tensor<4xf32>
// CHECK: chlo.acos %{{.*}} : tensor<4xf32> -> tensor<4xf32>
// CHECK: chlo.acosh %{{.*}} : tensor<4xf32> -> tensor<4xf32>
// CHECK: chlo.asin %{{.*}} : tensor<4xf32> -> tensor<4xf32>
// CHECK: chlo.asinh %{{.*}} : tensor<4xf32> -> tensor<4xf32>
// CHECK: chlo.atan %{{.*}} : tensor<4xf32> -> tensor<4xf32>
// CHECK: chlo.atanh %{{.*}} : tensor<4xf32> -> tensor<4xf32>
// CHECK: chlo.cosh %{{.*}} : tensor<4xf32> -> tensor<4xf32>
// CHECK: chlo.erf %{{.*}} : tensor<4xf32> -> tensor<4xf32>
// CHECK: chlo.erfc %{{.*}} : tensor<4xf32> -> tensor<4xf32>
// CHECK: chlo.sinh %{{.*}} : tensor<4xf32> -> tensor<4xf32>
// CHECK: chlo.square %{{.*}} : tensor<4xf32> -> tensor<4xf32>
// CHECK: chlo.tan %{{.*}} : tensor<4xf32> -> tensor<4xf32>
func.func @functions(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.cosine %x : tensor<4xf32>
  %1 = stablehlo.sine %0 : tensor<4xf32>
  %2 = stablehlo.tan %1 : tensor<4xf32>
  %3 = stablehlo.cbrt %2 : tensor<4xf32>
  %4 = stablehlo.ceil %3 : tensor<4xf32>
  %5 = stablehlo.floor %4 : tensor<4xf32>
  %6 = stablehlo.exponential_minus_one %5 : tensor<4xf32>
  %7 = stablehlo.log_plus_one %6 : tensor<4xf32>
  %8 = stablehlo.round_nearest_afz %7 : tensor<4xf32>
  %9 = stablehlo.round_nearest_even %8 : tensor<4xf32>
  %10 = stablehlo.sign %9 : tensor<4xf32>
  %11 = stablehlo.atan2 %10, %x : tensor<4xf32>
  %12 = stablehlo.power %11, %x : tensor<4xf32>
  %13 = chlo.acos %12 : tensor<4xf32> -> tensor<4xf32>
  %14 = chlo.acosh %13 : tensor<4xf32> -> tensor<4xf32>
  %15 = chlo.asin %14 : tensor<4xf32> -> tensor<4xf32>
  %16 = chlo.asinh %15 : tensor<4xf32> -> tensor<4xf32>
  %17 = chlo.atan %16 : tensor<4xf32> -> tensor<4xf32>
  %18 = chlo.atanh %17 : tensor<4xf32> -> tensor<4xf32>
  %19 = chlo.cosh %18 : tensor<4xf32> -> tensor<4xf32>
  %20 = chlo.erf %19 : tensor<4xf32> -> tensor<4xf32>
  %21 = chlo.erfc %20 : tensor<4xf32> -> tensor<4xf32>
  %22 = chlo.sinh %21 : tensor<4xf32> -> tensor<4xf32>
  %23 = chlo.square %22 : tensor<4xf32> -> tensor<4xf32>
  %24 = chlo.tan %23 : tensor<4xf32> -> tensor<4xf32>
  return %24 : tensor<4xf32>
}

// CHECK-LABEL: func @bits
// CHECK: stablehlo.iota dim = 1 : tensor<2x3xi32>
// CHECK: stablehlo.and %arg0, %{{.*}} : tensor<2x3xi32>
// CHECK: stablehlo.or %{{.*}}, %arg0 : tensor<2x3xi32>
// CHECK: stablehlo.xor %{{.*}}, %arg0 : tensor<2x3xi32>
// CHECK: stablehlo.not %{{.*}} : tensor<2x3xi32>
// CHECK: stablehlo.is_finite %arg1 : (tensor<2x3xf32>) -> tensor<2x3xi1>
// CHECK: stablehlo.not %{{.*}} : tensor<2x3xi1>
func.func @bits(%x: tensor<2x3xi32>, %y: tensor<2x3xf32>) -> (tensor<2x3xi32>, tensor<2x3xi1>) {
  %0 = stablehlo.iota dim = 1 : tensor<2x3xi32>
  %1 = stablehlo.and %x, %0 : tensor<2x3xi32>
  %2 = stablehlo.or %1, %x : tensor<2x3xi32>
  %3 = stablehlo.xor %2, %x : tensor<2x3xi32>
  %4 = stablehlo.not %3 : tensor<2x3xi32>
  %5 = stablehlo.is_finite %y : (tensor<2x3xf32>) -> tensor<2x3xi1>
  %6 = stablehlo.not %5 : tensor<2x3xi1>
  return %4, %6 : tensor<2x3xi32>, tensor<2x3xi1>
}
