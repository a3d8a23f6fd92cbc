// A gradient of a filter of StableHLO whose operands have two types of 8-bit
// floats: the images e4m3, their gradients e5m2.
// RUN: conv-run %s --device=emulator --target=sm_89 --verify | FileCheck %s
// RUN: conv-run %s --device=emulator --target=sm_90a --verify | FileCheck %s

// CHECK: kernel {{.*}}wgrad_e4m3
// CHECK: verify     full: passed

func.func @main(%x: tensor<2x9x8x32xf8E4M3FN>, %dy: tensor<2x7x7x64xf8E5M2>) -> tensor<3x2x32x64xf32> {
  %0 = stablehlo.convert %x : (tensor<2x9x8x32xf8E4M3FN>) -> tensor<2x9x8x32xf32>
  %1 = stablehlo.convert %dy : (tensor<2x7x7x64xf8E5M2>) -> tensor<2x7x7x64xf32>
  %2 = stablehlo.convolution(%0, %1) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x8x32xf32>, tensor<2x7x7x64xf32>) -> tensor<3x2x32x64xf32>
  return %2 : tensor<3x2x32x64xf32>
}
