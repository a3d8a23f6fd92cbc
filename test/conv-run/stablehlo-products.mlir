// Programs around products of matrices, as networks have them: on tensor cores, and
// by loops where there is a batch.

// RUN: conv-run %s --entry=shared --device=emulator --verify --target=sm_90a | FileCheck %s
// RUN: conv-run %s --entry=chain --device=emulator --verify --target=sm_90a | FileCheck %s
// RUN: conv-run %s --entry=chain --device=emulator --verify --target=sm_80 | FileCheck %s
// RUN: conv-run %s --entry=largest --device=emulator --verify --target=sm_90a | FileCheck %s
// RUN: conv-run %s --entry=dense --device=emulator --verify --target=sm_90a | FileCheck %s --check-prefix=DENSE
// CHECK: verify {{.*}}full: passed

// Two sums read what is computed of a third: it has a kernel of its own.
func.func @shared(%x: tensor<3x5x6xf32>) -> (tensor<3x5x5xf32>, tensor<3x5x6xf32>) {
  %0 = stablehlo.dot_general %x, %x, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<3x5x6xf32>, tensor<3x5x6xf32>) -> tensor<3x5x5xf32>
  %1 = stablehlo.tanh %0 : tensor<3x5x5xf32>
  %2 = stablehlo.dot_general %1, %x, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<3x5x5xf32>, tensor<3x5x6xf32>) -> tensor<3x5x6xf32>
  %3 = stablehlo.dot_general %1, %x, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<3x5x5xf32>, tensor<3x5x6xf32>) -> tensor<3x5x6xf32>
  %4 = stablehlo.add %2, %3 : tensor<3x5x6xf32>
  return %0, %4 : tensor<3x5x5xf32>, tensor<3x5x6xf32>
}

// More operations behind a product than a rewriter has iterations.
func.func @chain(%x: tensor<2x3x5x8xf32>, %w: tensor<8x6xf32>) -> tensor<2x3x5x6xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [3] x [0] : (tensor<2x3x5x8xf32>, tensor<8x6xf32>) -> tensor<2x3x5x6xf32>
  %1 = stablehlo.negate %0 : tensor<2x3x5x6xf32>
  %2 = stablehlo.tanh %1 : tensor<2x3x5x6xf32>
  %3 = stablehlo.abs %2 : tensor<2x3x5x6xf32>
  %4 = stablehlo.exponential %3 : tensor<2x3x5x6xf32>
  %5 = stablehlo.log %4 : tensor<2x3x5x6xf32>
  %6 = stablehlo.logistic %5 : tensor<2x3x5x6xf32>
  %7 = stablehlo.negate %6 : tensor<2x3x5x6xf32>
  %8 = stablehlo.tanh %7 : tensor<2x3x5x6xf32>
  %9 = stablehlo.abs %8 : tensor<2x3x5x6xf32>
  %10 = stablehlo.sqrt %9 : tensor<2x3x5x6xf32>
  %11 = stablehlo.negate %10 : tensor<2x3x5x6xf32>
  %12 = stablehlo.tanh %11 : tensor<2x3x5x6xf32>
  %13 = stablehlo.exponential %12 : tensor<2x3x5x6xf32>
  return %13 : tensor<2x3x5x6xf32>
}

// The gradient of a largest element: two kernels read the same conditions.
func.func @largest(%x: tensor<2x4x3xf32>, %dy: tensor<2x3xf32>) -> tensor<2x4x3xf32> {
  %c = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %c) applies stablehlo.maximum across dimensions = [1] : (tensor<2x4x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0, 2] : (tensor<2x3xf32>) -> tensor<2x4x3xf32>
  %2 = stablehlo.compare EQ, %x, %1, FLOAT : (tensor<2x4x3xf32>, tensor<2x4x3xf32>) -> tensor<2x4x3xi1>
  %3 = stablehlo.convert %2 : (tensor<2x4x3xi1>) -> tensor<2x4x3xf32>
  %4 = stablehlo.reduce(%3 init: %z) applies stablehlo.add across dimensions = [1] : (tensor<2x4x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %5 = stablehlo.divide %dy, %4 : tensor<2x3xf32>
  %6 = stablehlo.broadcast_in_dim %5, dims = [0, 2] : (tensor<2x3xf32>) -> tensor<2x4x3xf32>
  %7 = stablehlo.multiply %6, %3 : tensor<2x4x3xf32>
  return %7 : tensor<2x4x3xf32>
}

// A dense layer behind a convolution, and the gradients of both.
// DENSE: kernel {{.*}}conv_dgrad_bf16
// DENSE: kernel {{.*}}conv_wgrad_bf16
// DENSE: verify {{.*}}full: passed
func.func @dense(%x: tensor<3x3x3x8xbf16>, %w: tensor<3x3x8x8xbf16>, %v: tensor<8x16xbf16>, %dy: tensor<3x16xbf16>)
    -> (tensor<3x16xbf16>, tensor<8x16xbf16>, tensor<3x3x8x8xbf16>) {
  %z = stablehlo.constant dense<0.0> : tensor<bf16>
  %zeros = stablehlo.broadcast_in_dim %z, dims = [] : (tensor<bf16>) -> tensor<3x1x1x8xbf16>
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<3x3x3x8xbf16>, tensor<3x3x8x8xbf16>) -> tensor<3x1x1x8xbf16>
  %1 = stablehlo.maximum %0, %zeros : tensor<3x1x1x8xbf16>
  %2 = stablehlo.reshape %1 : (tensor<3x1x1x8xbf16>) -> tensor<3x8xbf16>
  %3 = stablehlo.dot_general %2, %v, contracting_dims = [1] x [0] : (tensor<3x8xbf16>, tensor<8x16xbf16>) -> tensor<3x16xbf16>
  %4 = stablehlo.dot_general %2, %dy, contracting_dims = [0] x [0] : (tensor<3x8xbf16>, tensor<3x16xbf16>) -> tensor<8x16xbf16>
  %5 = stablehlo.dot_general %dy, %v, contracting_dims = [1] x [1] : (tensor<3x16xbf16>, tensor<8x16xbf16>) -> tensor<3x8xbf16>
  %6 = stablehlo.reshape %5 : (tensor<3x8xbf16>) -> tensor<3x1x1x8xbf16>
  %7 = stablehlo.compare GT, %0, %zeros, FLOAT : (tensor<3x1x1x8xbf16>, tensor<3x1x1x8xbf16>) -> tensor<3x1x1x8xi1>
  %8 = stablehlo.select %7, %6, %zeros : tensor<3x1x1x8xi1>, tensor<3x1x1x8xbf16>
  %9 = stablehlo.convolution(%x, %8) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<3x3x3x8xbf16>, tensor<3x1x1x8xbf16>) -> tensor<3x3x8x8xbf16>
  return %3, %4, %9 : tensor<3x16xbf16>, tensor<8x16xbf16>, tensor<3x3x8x8xbf16>
}
