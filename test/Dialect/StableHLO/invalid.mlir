// RUN: conv-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: tensor<2x9x10x4xf32>, %w: tensor<3x3x4x6xf32>) -> tensor<2x7x8x6xf32> {
  // expected-error @below {{expected 'b' once among the dimensions of the left operand, but it is there 2 times}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, b, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x10x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x7x8x6xf32>
  return %0 : tensor<2x7x8x6xf32>
}

// -----

func.func @f(%x: tensor<2x9x10x4xf32>, %w: tensor<3x3x4x6xf32>) -> tensor<2x7x8x6xf32> {
  // expected-error @below {{expected 1 once among the dimensions of the right operand, but it is there 0 times}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 2, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x10x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x7x8x6xf32>
  return %0 : tensor<2x7x8x6xf32>
}

// -----

func.func @f(%x: tensor<2x9x10x4xf32>, %w: tensor<3x3x4x6xf32>) -> tensor<2x7x8x6xf32> {
  // expected-error @below {{expected 'o', 'i' or the number of a spatial dimension}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, f, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x10x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x7x8x6xf32>
  return %0 : tensor<2x7x8x6xf32>
}

// -----

func.func @f(%x: tensor<2x9x10x4xf32>, %w: tensor<3x3x4x6xf32>) -> tensor<2x7x8x6xf32> {
  // expected-error @below {{expected as many of all three tensors, but got 4, 3 and 4}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x10x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x7x8x6xf32>
  return %0 : tensor<2x7x8x6xf32>
}

// -----

func.func @f(%x: tensor<2x9x10x4xf32>, %w: tensor<3x3x4x6xf32>) -> tensor<2x7x8x6xf32> {
  // expected-error @below {{has a tensor of 'tensor<2x9x10x4xf32>': expected 3 dimensions, as the dimension numbers have}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x10x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x7x8x6xf32>
  return %0 : tensor<2x7x8x6xf32>
}

// -----

func.func @f(%x: tensor<2x9x10x4xf32>, %w: tensor<3x3x4x6xf32>) -> tensor<2x7x8x6xf32> {
  // expected-error @below {{has 1 entries in 'stride': expected 2, one for each spatial dimension}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x10x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x7x8x6xf32>
  return %0 : tensor<2x7x8x6xf32>
}

// -----

func.func @f(%x: tensor<2x9x10x4xf32>, %w: tensor<3x3x4x6xf32>) -> tensor<2x7x8x6xf32> {
  // expected-error @below {{expected [low, high], but got 3 numbers}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1, 1], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x10x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x7x8x6xf32>
  return %0 : tensor<2x7x8x6xf32>
}

// -----

func.func @f(%x: tensor<2x9x10x4xf32>, %w: tensor<3x3x4x6xf32>) -> tensor<2x7x8x6xf32> {
  // expected-error @below {{expected 2x2 numbers}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x10x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x7x8x6xf32>
  return %0 : tensor<2x7x8x6xf32>
}

// -----

func.func @f(%x: tensor<2x9x10x4xf32>, %w: tensor<3x3x4x6xf32>) -> tensor<2x7x8x6xf32> {
  // expected-error @below {{expected stride, pad, lhs_dilate, rhs_dilate or reverse, but got 'step'}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {step = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x10x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x7x8x6xf32>
  return %0 : tensor<2x7x8x6xf32>
}

// -----

func.func @f(%x: tensor<2x9x10x4xf32>, %w: tensor<3x3x4x6xf32>) -> tensor<2x7x8x6xf32> {
  // expected-error @below {{'stride' stands here twice}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], stride = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x10x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x7x8x6xf32>
  return %0 : tensor<2x7x8x6xf32>
}

// -----

func.func @f(%x: tensor<2x9x10x4xf32>, %w: tensor<3x3x4x6xf32>) -> tensor<2x7x8x6xf32> {
  // expected-error @below {{has 0 as a stride: expected a number from 1 to 2147483647}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [0, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x10x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x7x8x6xf32>
  return %0 : tensor<2x7x8x6xf32>
}

// -----

func.func @f(%x: tensor<2x9x10x4xf32>, %w: tensor<3x3x4x6xf32>) -> tensor<2x7x8x6xf32> {
  // expected-error @below {{has 4294967296 as a dilation: expected a number from 1 to 2147483647}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {rhs_dilate = [1, 4294967296]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x10x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x7x8x6xf32>
  return %0 : tensor<2x7x8x6xf32>
}

// -----

func.func @f(%x: tensor<2x9x10x4xf32>, %w: tensor<3x3x4x6xf32>) -> tensor<2x7x8x6xf32> {
  // expected-error @below {{has -9223372036854775808 as a padding}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[-9223372036854775808, 0], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x10x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x7x8x6xf32>
  return %0 : tensor<2x7x8x6xf32>
}

// -----

func.func @f(%x: tensor<2x9x10x4xf32>, %w: tensor<3x3x4x6xf32>) -> tensor<2x7x8x6xf32> {
  // expected-error @below {{has 4 features 'f': expected the 4 of 'i' in 2 groups}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x9x10x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x7x8x6xf32>
  return %0 : tensor<2x7x8x6xf32>
}

// -----

func.func @f(%x: tensor<2x9x10x4xf32>, %w: tensor<3x3x4x6xf32>) -> tensor<2x7x8x6xf32> {
  // expected-error @below {{has 2 groups of features and 2 of batches: expected one of them}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 2 : i64, feature_group_count = 2 : i64} : (tensor<2x9x10x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x7x8x6xf32>
  return %0 : tensor<2x7x8x6xf32>
}

// -----

func.func @f(%x: tensor<2x9x10x4xf32>, %w: tensor<3x3x4x6xf32>) -> tensor<2x7x8x6xf32> {
  // expected-error @below {{expected multiples of the groups}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 4 : i64, feature_group_count = 1 : i64} : (tensor<2x9x10x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x7x8x6xf32>
  return %0 : tensor<2x7x8x6xf32>
}

// -----

func.func @f(%x: tensor<2x9x10x4xf32>, %w: tensor<3x3x4x6xf32>) -> tensor<2x7x8x6xf32> {
  // expected-error @below {{has 0 as feature_group_count}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 0 : i64} : (tensor<2x9x10x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x7x8x6xf32>
  return %0 : tensor<2x7x8x6xf32>
}

// -----

func.func @f(%x: tensor<2x9x10x4xf32>, %w: tensor<3x3x4x6xf32>) -> tensor<2x7x8x6xf32> {
  // expected-error @below {{makes 'tensor<2x7x8x6xf32>': expected 'tensor<2x9x10x6xf32>'}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x10x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x7x8x6xf32>
  return %0 : tensor<2x7x8x6xf32>
}

// -----

func.func @f(%x: tensor<2x9x10x4xf32>, %w: tensor<3x3x4x6xbf16>) -> tensor<2x7x8x6xf32> {
  // expected-error @below {{multiplies 'f32' and 'bf16': expected one type}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x10x4xf32>, tensor<3x3x4x6xbf16>) -> tensor<2x7x8x6xf32>
  return %0 : tensor<2x7x8x6xf32>
}

// -----

func.func @f(%x: tensor<?x9x10x4xf32>, %w: tensor<3x3x4x6xf32>) -> tensor<2x7x8x6xf32> {
  // expected-error @below {{must be statically shaped tensor}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<?x9x10x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x7x8x6xf32>
  return %0 : tensor<2x7x8x6xf32>
}

// -----

func.func @f(%x: tensor<2x9x10x4xcomplex<f32>>, %w: tensor<3x3x4x6xcomplex<f32>>) -> tensor<2x7x8x6xcomplex<f32>> {
  // expected-error @below {{but got 'tensor<2x9x10x4xcomplex<f32>>'}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x10x4xcomplex<f32>>, tensor<3x3x4x6xcomplex<f32>>) -> tensor<2x7x8x6xcomplex<f32>>
  return %0 : tensor<2x7x8x6xcomplex<f32>>
}

// -----

func.func @f(%x: tensor<2x3xf32>) -> tensor<2x2xf32> {
  // expected-error @below {{names dimension 0 twice}}
  %0 = stablehlo.transpose %x, dims = [0, 0] : (tensor<2x3xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// -----

func.func @f(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // expected-error @below {{has a permutation of 1 dimensions: expected 2}}
  %0 = stablehlo.transpose %x, dims = [0] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

func.func @f(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // expected-error @below {{makes 'tensor<2x3xf32>': expected 'tensor<3x2xf32>'}}
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

func.func @f(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // expected-error @below {{names dimension 2: expected one below 2}}
  %0 = stablehlo.reverse %x, dims = [2] : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

func.func @f(%x: tensor<2x3xf32>) -> tensor<5xf32> {
  // expected-error @below {{makes 5 elements of 6: expected as many}}
  %0 = stablehlo.reshape %x : (tensor<2x3xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----

func.func @f(%x: tensor<2x3xf32>) -> tensor<2x4xf32> {
  // expected-error @below {{makes dimension 1 of extent 4 of one of extent 3: expected the same, or 1}}
  %0 = stablehlo.broadcast_in_dim %x, dims = [0, 1] : (tensor<2x3xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

func.func @f(%x: tensor<6xbf16>) -> tensor<2x3xf32> {
  // expected-error @below {{makes elements of 'f32' of 'bf16': expected the same type}}
  %0 = stablehlo.reshape %x : (tensor<6xbf16>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

func.func @f(%x: tensor<3xi1>) -> tensor<3xi1> {
  // expected-error @below {{has elements of 'i1': expected numbers}}
  %0 = stablehlo.add %x, %x : tensor<3xi1>
  return %0 : tensor<3xi1>
}

// -----

func.func @f(%x: tensor<3xi32>) -> tensor<3xi1> {
  // expected-error @below {{as FLOAT does not fit elements of 'i32'}}
  %0 = stablehlo.compare EQ, %x, %x, FLOAT : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
  return %0 : tensor<3xi1>
}

// -----

func.func @f(%x: tensor<3xf32>, %b: tensor<1xf32>) -> tensor<3xf32> {
  // expected-error @below {{has a bound of 'tensor<1xf32>': expected 'tensor<3xf32>', or one element of it}}
  %0 = stablehlo.clamp %b, %x, %b : (tensor<1xf32>, tensor<3xf32>, tensor<1xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @below {{expected types of 3 operands and one result, but got '(tensor<3xf32>) -> tensor<3xf32>'}}
  %0 = stablehlo.clamp %x, %x, %x : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @f(%x: tensor<3xf32>, %b: tensor<1xi1>) -> tensor<3xf32> {
  // expected-error @below {{has a condition of 'tensor<1xi1>': expected the shape of 'tensor<3xf32>', or one element}}
  %0 = stablehlo.select %b, %x, %x : tensor<1xi1>, tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @below {{custom op 'stablehlo.popcnt' is unknown}}
  %0 = stablehlo.popcnt %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @f(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @below {{expects parent op 'stablehlo.reduce', 'stablehlo.reduce_window' or 'stablehlo.select_and_scatter'}}
  stablehlo.return %x : tensor<f32>
}

// -----

func.func @f(%x: tensor<4x8xf32>, %c: tensor<f32>) -> tensor<8xf32> {
  // expected-error @below {{unregistered operation 'stablehlo.scatter'}}
  %0 = "stablehlo.scatter"(%x, %c) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @f(%x: tensor<4x8xf32>, %c: tensor<f32>) -> tensor<8xf32> {
  // expected-error @below {{applies stablehlo.multiply: expected stablehlo.add, stablehlo.maximum or stablehlo.minimum}}
  %0 = stablehlo.reduce(%x init: %c) applies stablehlo.multiply across dimensions = [0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @f(%x: tensor<4x8xf32>, %c: tensor<f32>) -> tensor<8xf32> {
  // expected-error @below {{names dimension 2: expected one below 2}}
  %0 = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [2] : (tensor<4x8xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @f(%x: tensor<4x8xf32>, %c: tensor<1xf32>) -> tensor<8xf32> {
  // expected-error @below {{begins with 'tensor<1xf32>': expected 'tensor<f32>'}}
  %0 = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [0] : (tensor<4x8xf32>, tensor<1xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @f(%x: tensor<4x8xf32>, %c: tensor<f32>) -> tensor<4xf32> {
  // expected-error @below {{makes 'tensor<4xf32>': expected 'tensor<8xf32>'}}
  %0 = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @f(%x: tensor<4x8xf32>, %c: tensor<f32>) -> tensor<8xf32> {
  // expected-error @below {{has another body than expected: one add, maximum or minimum of its two arguments of 'tensor<f32>'}}
  %0 = "stablehlo.reduce"(%x, %c) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %a : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @f(%x: tensor<4x8xf32>, %c: tensor<f32>) -> tensor<8xf32> {
  // expected-error @below {{has another body than expected: one add, maximum or minimum of its two arguments of 'tensor<f32>'}}
  %0 = "stablehlo.reduce"(%x, %c) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    "llvm.unreachable"() : () -> ()
  }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @f(%x: tensor<4x8xf32>, %c: tensor<f32>) -> tensor<4x8xf32> {
  // expected-error @below {{has 1 numbers in 'low': expected 2, one for each dimension}}
  %0 = stablehlo.pad %x, %c, low = [0], high = [0, 0], interior = [0, 0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

func.func @f(%x: tensor<4x8xf32>, %c: tensor<f32>) -> tensor<4x8xf32> {
  // expected-error @below {{has -1 in 'interior': expected a number from 0 to 2147483647}}
  %0 = stablehlo.pad %x, %c, low = [0, 0], high = [0, 0], interior = [0, -1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

func.func @f(%x: tensor<4x8xf32>, %c: tensor<f32>) -> tensor<4x8xf32> {
  // expected-error @below {{has 4294967296 in 'low': expected a number from -2147483648 to 2147483647}}
  %0 = stablehlo.pad %x, %c, low = [0, 4294967296], high = [0, 0], interior = [0, 0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

func.func @f(%x: tensor<4x8xf32>, %c: tensor<f32>) -> tensor<4x8xf32> {
  // expected-error @below {{makes 'tensor<4x8xf32>': expected extents of 4, 9}}
  %0 = stablehlo.pad %x, %c, low = [0, 1], high = [0, 0], interior = [0, 0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

func.func @f(%x: tensor<4x8xf32>, %c: tensor<1xf32>) -> tensor<4x8xf32> {
  // expected-error @below {{pads with 'tensor<1xf32>': expected 'tensor<f32>'}}
  %0 = stablehlo.pad %x, %c, low = [0, 0], high = [0, 0], interior = [0, 0] : (tensor<4x8xf32>, tensor<1xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

func.func @f(%x: tensor<4x8xf32>, %c: tensor<f32>) -> tensor<4x8xf32> {
  // expected-error @below {{has 1 numbers in 'start': expected 2}}
  %0 = stablehlo.slice %x [0:4] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

func.func @f(%x: tensor<4x8xf32>, %c: tensor<f32>) -> tensor<4x6xf32> {
  // expected-error @below {{takes 3 to 9 of dimension 1, which has 8 elements}}
  %0 = stablehlo.slice %x [0:4, 3:9] : (tensor<4x8xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

func.func @f(%x: tensor<4x8xf32>, %c: tensor<f32>) -> tensor<0x8xf32> {
  // expected-error @below {{takes 3 to 2 of dimension 0}}
  %0 = stablehlo.slice %x [3:2, 0:8] : (tensor<4x8xf32>) -> tensor<0x8xf32>
  return %0 : tensor<0x8xf32>
}

// -----

func.func @f(%x: tensor<4x8xf32>, %c: tensor<f32>) -> tensor<4x8xf32> {
  // expected-error @below {{has 0 in 'stride': expected a number from 1}}
  %0 = stablehlo.slice %x [0:4, 0:8:0] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

func.func @f(%x: tensor<4x8xf32>, %c: tensor<f32>) -> tensor<4x2xf32> {
  // expected-error @below {{makes 'tensor<4x2xf32>': expected 'tensor<4x3xf32>'}}
  %0 = stablehlo.slice %x [0:4, 0:8:3] : (tensor<4x8xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// -----

func.func @f(%x: tensor<4x8xf32>, %c: tensor<f32>) -> tensor<4x8xf32> {
  // expected-error @below {{joins nothing: expected one tensor or more}}
  %0 = "stablehlo.concatenate"() <{dimension = 0 : i64}> : () -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

func.func @f(%x: tensor<4x8xf32>, %c: tensor<f32>) -> tensor<4x8xf32> {
  // expected-error @below {{names dimension 2: expected one below 2}}
  %0 = stablehlo.concatenate %x, dim = 2 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

func.func @f(%x: tensor<4x8xf32>, %c: tensor<4x7xf32>) -> tensor<8x8xf32> {
  // expected-error @below {{joins tensors that differ in more than dimension 0}}
  %0 = stablehlo.concatenate %x, %c, dim = 0 : (tensor<4x8xf32>, tensor<4x7xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

func.func @f(%x: tensor<4x8xf32>, %c: tensor<f32>) -> tensor<4x8xf32> {
  // expected-error @below {{makes 'tensor<4x8xf32>': expected 'tensor<8x8xf32>'}}
  %0 = stablehlo.concatenate %x, %x, dim = 0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

func.func @f(%b: tensor<4xi1>) -> tensor<4xi1> {
  // expected-error @below {{has elements of 'i1': expected numbers}}
  %0 = stablehlo.abs %b : tensor<4xi1>
  return %0 : tensor<4xi1>
}

// -----

func.func @f(%x: tensor<6000000000000000000xi8>) -> tensor<8xi8> {
  // expected-error @below {{has 6000000000000000000 as an extent: expected a number from 0 to 2147483647}}
  %0 = stablehlo.concatenate %x, %x, dim = 0 : (tensor<6000000000000000000xi8>, tensor<6000000000000000000xi8>) -> tensor<8xi8>
  return %0 : tensor<8xi8>
}

// -----

func.func @f(%x: tensor<4x8xf32>, %c: tensor<f32>) -> tensor<4x3xf32> {
  // expected-error @below {{has 1 numbers in 'window_dimensions': expected 2, one for each dimension}}
  %0 = "stablehlo.reduce_window"(%x, %c) <{window_dimensions = array<i64: 3>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// -----

func.func @f(%x: tensor<4x8xf32>, %c: tensor<f32>) -> tensor<4x3xf32> {
  // expected-error @below {{has 0 in 'window_strides': expected a number from 1 to 2147483647}}
  %0 = "stablehlo.reduce_window"(%x, %c) <{window_dimensions = array<i64: 1, 3>, window_strides = array<i64: 1, 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// -----

func.func @f(%x: tensor<4x8xf32>, %c: tensor<f32>) -> tensor<4x3xf32> {
  // expected-error @below {{has 0 in 'base_dilations': expected a number from 1 to 2147483647}}
  %0 = "stablehlo.reduce_window"(%x, %c) <{window_dimensions = array<i64: 1, 3>, base_dilations = array<i64: 0, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// -----

func.func @f(%x: tensor<4x8xf32>, %c: tensor<f32>) -> tensor<4x3xf32> {
  // expected-error @below {{has 3 numbers in 'window_dilations': expected 2, one for each dimension}}
  %0 = "stablehlo.reduce_window"(%x, %c) <{window_dimensions = array<i64: 1, 3>, window_dilations = array<i64: 1, 1, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// -----

func.func @f(%x: tensor<4x8xf32>, %c: tensor<f32>) -> tensor<4x3xf32> {
  // expected-error @below {{has a padding of 'tensor<1x2xi64>': expected 2x2 numbers}}
  %0 = "stablehlo.reduce_window"(%x, %c) <{window_dimensions = array<i64: 1, 3>, padding = dense<0> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// -----

func.func @f(%x: tensor<4x8xf32>, %c: tensor<f32>) -> tensor<4x3xf32> {
  // expected-error @below {{has 4294967296 as a padding: expected a number from -2147483648 to 2147483647}}
  %0 = "stablehlo.reduce_window"(%x, %c) <{window_dimensions = array<i64: 1, 3>, padding = dense<4294967296> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// -----

func.func @f(%x: tensor<4x8xf32>, %c: tensor<f32>) -> tensor<4x3xf32> {
  // expected-error @below {{makes 'tensor<4x3xf32>': expected 'tensor<4x6xf32>'}}
  %0 = "stablehlo.reduce_window"(%x, %c) <{window_dimensions = array<i64: 1, 3>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// -----

func.func @f(%x: tensor<4x8xf32>, %c: tensor<f32>) -> tensor<4x6xf32> {
  // expected-error @below {{has another body than expected: one add, maximum or minimum of its two arguments of 'tensor<f32>'}}
  %0 = "stablehlo.reduce_window"(%x, %c) <{window_dimensions = array<i64: 1, 3>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.multiply %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

func.func @f(%x: tensor<3x4xf32>, %w: tensor<4x5xf32>) -> tensor<3x5xf32> {
  // expected-error @below {{expected 'contracting_dims'}}
  %0 = stablehlo.dot_general %x, %w, batching = [0] x [0] : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// -----

func.func @f(%x: tensor<3x4xf32>, %w: tensor<4x5xf32>) -> tensor<3x5xf32> {
  // expected-error @below {{expected DEFAULT, HIGH or HIGHEST, but got 'LOW'}}
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0], precision = [LOW] : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// -----

func.func @f(%x: tensor<3x4xf32>, %w: tensor<4x5xf32>) -> tensor<3x5xf32> {
  // expected-error @below {{names dimension 2: expected one below 2}}
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [2] x [0] : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// -----

func.func @f(%x: tensor<4x4xf32>, %w: tensor<4x5xf32>) -> tensor<4x5xf32> {
  // expected-error @below {{names dimension 0 twice}}
  %0 = stablehlo.dot_general %x, %w, batching_dims = [1] x [0], contracting_dims = [0] x [0] : (tensor<4x4xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// -----

func.func @f(%x: tensor<3x4xf32>, %w: tensor<4x5xf32>) -> tensor<3xf32> {
  // expected-error @below {{has 1 contracting dimensions on the left and 2 on the right: expected as many}}
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0, 1] : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @f(%x: tensor<3x4xf32>, %w: tensor<4x5xf32>) -> tensor<4x5xf32> {
  // expected-error @below {{has extents of 3 and 4 in a pair of contracting dimensions: expected the same}}
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [0] x [0] : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// -----

func.func @f(%x: tensor<3x4xf32>, %w: tensor<4x5xf32>) -> tensor<3xf32> {
  // expected-error @below {{has extents of 3 and 5 in a pair of batching dimensions: expected the same}}
  %0 = stablehlo.dot_general %x, %w, batching_dims = [0] x [1], contracting_dims = [1] x [0] : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @f(%x: tensor<3x4xf32>, %w: tensor<4x5xf32>) -> tensor<5x3xf32> {
  // expected-error @below {{makes 'tensor<5x3xf32>': expected 'tensor<3x5xf32>'}}
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<5x3xf32>
  return %0 : tensor<5x3xf32>
}

// -----

func.func @f(%x: tensor<3x4xf32>, %w: tensor<4x5xbf16>) -> tensor<3x5xf32> {
  // expected-error @below {{multiplies 'f32' and 'bf16': expected one type}}
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<3x4xf32>, tensor<4x5xbf16>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// -----

func.func @f(%x: tensor<3x4xi1>, %w: tensor<4x5xi1>) -> tensor<3x5xi1> {
  // expected-error @below {{has elements of 'i1': expected numbers}}
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<3x4xi1>, tensor<4x5xi1>) -> tensor<3x5xi1>
  return %0 : tensor<3x5xi1>
}

// -----

func.func @f(%x: tensor<3x4xf32>, %w: tensor<4x5xf32>) -> tensor<3x5xf32> {
  // expected-error @below {{expected one of lhs_batching_dimensions, rhs_batching_dimensions, lhs_contracting_dimensions, rhs_contracting_dimensions, but got 'lhs'}}
  %0 = "stablehlo.dot_general"(%x, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs = [1]>}> : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// -----

func.func @f(%x: tensor<3x4xf32>, %w: tensor<4x5xf32>) -> tensor<3x5xi32> {
  // expected-error @below {{makes elements of 'i32' of 'f32': expected floats of floats, integers of integers}}
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xi32>
  return %0 : tensor<3x5xi32>
}

// -----

func.func @f(%x: tensor<3x4xf32>, %w: tensor<4x5xf32>) -> tensor<3x5xf32> {
  // expected-error @below {{has 1 precisions: expected 2, one for each operand}}
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0], precision = [HIGH] : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// -----

func.func @f(%x: tensor<3x4xf32>, %w: tensor<4x5xf32>) -> tensor<3x5xf32> {
  // expected-error @below {{'lhs_contracting_dimensions' stands here twice}}
  %0 = "stablehlo.dot_general"(%x, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], lhs_contracting_dimensions = [1]>}> : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// -----

func.func @f(%x: tensor<4x9xf32>, %dy: tensor<4x5xf32>, %c: tensor<f32>) -> tensor<4x9xf32> {
  // expected-error @below {{has a source of 'tensor<4x5xf32>': expected an element for each window, 'tensor<4x4xf32>'}}
  %0 = "stablehlo.select_and_scatter"(%x, %dy, %c) <{window_dimensions = array<i64: 1, 3>, window_strides = array<i64: 1, 2>}> ({
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

// -----

func.func @f(%x: tensor<4x9xf32>, %dy: tensor<4x4xf32>, %c: tensor<f32>) -> tensor<4x8xf32> {
  // expected-error @below {{makes 'tensor<4x8xf32>': expected 'tensor<4x9xf32>'}}
  %0 = "stablehlo.select_and_scatter"(%x, %dy, %c) <{window_dimensions = array<i64: 1, 3>, window_strides = array<i64: 1, 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x9xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

func.func @f(%x: tensor<4x9xf32>, %dy: tensor<4x4xf32>, %c: tensor<f32>) -> tensor<4x9xf32> {
  // expected-error @below {{has 1 numbers in 'window_dimensions': expected 2, one for each dimension}}
  %0 = "stablehlo.select_and_scatter"(%x, %dy, %c) <{window_dimensions = array<i64: 3>, window_strides = array<i64: 1, 2>}> ({
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

func.func @f(%x: tensor<4x9xf32>, %dy: tensor<4x4xf32>, %c: tensor<f32>) -> tensor<4x9xf32> {
  // expected-error @below {{has 0 in 'window_strides': expected a number from 1 to 2147483647}}
  %0 = "stablehlo.select_and_scatter"(%x, %dy, %c) <{window_dimensions = array<i64: 1, 3>, window_strides = array<i64: 1, 0>}> ({
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

func.func @f(%x: tensor<4x9xf32>, %dy: tensor<4x4xf32>, %c: tensor<f32>) -> tensor<4x9xf32> {
  // expected-error @below {{has a padding of 'tensor<1x2xi64>': expected 2x2 numbers}}
  %0 = "stablehlo.select_and_scatter"(%x, %dy, %c) <{padding = dense<0> : tensor<1x2xi64>, window_dimensions = array<i64: 1, 3>, window_strides = array<i64: 1, 2>}> ({
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

func.func @f(%x: tensor<4x9xf32>, %dy: tensor<4x4xf32>, %c: tensor<f32>) -> tensor<4x9xf32> {
  // expected-error @below {{has another first body than expected: one compare of its two arguments of 'tensor<f32>', in order}}
  %0 = "stablehlo.select_and_scatter"(%x, %dy, %c) <{window_dimensions = array<i64: 1, 3>, window_strides = array<i64: 1, 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare GE, %b, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x9xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<4x9xf32>
  return %0 : tensor<4x9xf32>
}

// -----

func.func @f(%x: tensor<4x9xf32>, %dy: tensor<4x4xf32>, %c: tensor<f32>) -> tensor<4x9xf32> {
  // expected-error @below {{has another second body than expected: one add of its two arguments of 'tensor<f32>'}}
  %0 = "stablehlo.select_and_scatter"(%x, %dy, %c) <{window_dimensions = array<i64: 1, 3>, window_strides = array<i64: 1, 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x9xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<4x9xf32>
  return %0 : tensor<4x9xf32>
}

// -----

func.func @f() -> tensor<3x4xi32> {
  // expected-error @below {{names dimension 2: expected one below 2}}
  %0 = stablehlo.iota dim = 2 : tensor<3x4xi32>
  return %0 : tensor<3x4xi32>
}

// -----

func.func @f() -> tensor<3xi1> {
  // expected-error @below {{has elements of 'i1': expected numbers}}
  %0 = stablehlo.iota dim = 0 : tensor<3xi1>
  return %0 : tensor<3xi1>
}

// -----

func.func @f(%x: tensor<3xi32>) -> tensor<3xi32> {
  // expected-error @below {{statically shaped tensor of floating-point}}
  %0 = stablehlo.power %x, %x : tensor<3xi32>
  return %0 : tensor<3xi32>
}

// -----

func.func @f(%x: tensor<4x9xf32>, %c: tensor<f32>) -> tensor<f32> {
  // expected-error @below {{makes 'tensor<f32>': expected 'tensor<4x9xf32>'}}
  %0 = "stablehlo.select_and_scatter"(%x, %x, %c) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x9xf32>, tensor<4x9xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
