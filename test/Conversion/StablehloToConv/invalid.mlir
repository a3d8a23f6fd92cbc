// RUN: conv-opt %s --convert-stablehlo-to-conv --split-input-file --verify-diagnostics

func.func @no_window(%x: tensor<2x4xf32>, %w: tensor<4x6xf32>) -> tensor<2x6xf32> {
  // expected-error @below {{'stablehlo.convolution' op cannot be imported: it has 0 spatial dimensions; a convolution has 1 to 3}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f]x[i, o]->[b, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x4xf32>, tensor<4x6xf32>) -> tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}

// -----

func.func @integers(%x: tensor<2x9x4xi32>, %w: tensor<6x3x4xi32>) -> tensor<2x7x6xi32> {
  // expected-error @below {{its elements are integers of 32 bits; convolutions of integers have those of 8 bits}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[o, 0, i]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x4xi32>, tensor<6x3x4xi32>) -> tensor<2x7x6xi32>
  return %0 : tensor<2x7x6xi32>
}

// -----

func.func @narrow_sum(%x: tensor<2x9x4xi8>, %w: tensor<6x3x4xi8>) -> tensor<2x7x6xi16> {
  // expected-error @below {{its result has integers of 16 bits; those of convolutions have 8 or 32 bits}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[o, 0, i]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x4xi8>, tensor<6x3x4xi8>) -> tensor<2x7x6xi16>
  return %0 : tensor<2x7x6xi16>
}

// -----

func.func @narrow_result(%x: tensor<2x9x4xf32>, %w: tensor<6x3x4xf32>) -> tensor<2x7x6xbf16> {
  // expected-error @below {{'stablehlo.convolution' op cannot be imported: conv-c17}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[o, 0, i]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x4xf32>, tensor<6x3x4xf32>) -> tensor<2x7x6xbf16>
  return %0 : tensor<2x7x6xbf16>
}

// -----

func.func @f(%x: tensor<4x8xf32>, %c: tensor<f32>) -> tensor<8xf32> {
  // expected-error @below {{cannot be imported: its first value is no constant of dense elements}}
  %0 = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @f(%x: tensor<4x8xf32>, %c: tensor<f32>) -> tensor<4x8xf32> {
  // expected-error @below {{cannot be imported: the value that it pads with is no constant of dense elements}}
  %0 = stablehlo.pad %x, %c, low = [0, 0], high = [0, 0], interior = [0, 0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

func.func @f(%x: tensor<4x8xf32>, %c: tensor<f32>) -> tensor<4x6xf32> {
  // expected-error @below {{cannot be imported: its first value is no constant of dense elements}}
  %0 = "stablehlo.reduce_window"(%x, %c) <{window_dimensions = array<i64: 1, 3>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

func.func @f(%x: tensor<4x9xf32>, %dy: tensor<4x4xf32>, %c: tensor<f32>) -> tensor<4x9xf32> {
  // expected-error @below {{cannot be imported: its first value is no constant of dense elements}}
  %0 = "stablehlo.select_and_scatter"(%x, %dy, %c) <{window_dimensions = array<i64: 1, 3>, window_strides = array<i64: 1, 2>}> ({
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

// -----

func.func @f(%x: tensor<4x9xf32>, %dy: tensor<4x5xf32>) -> tensor<4x9xf32> {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  // expected-error @below {{cannot be imported: its window has padding: expected a stablehlo.pad in front}}
  %0 = "stablehlo.select_and_scatter"(%x, %dy, %c) <{padding = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 3>, window_strides = array<i64: 1, 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x9xf32>, tensor<4x5xf32>, tensor<f32>) -> tensor<4x9xf32>
  return %0 : tensor<4x9xf32>
}
