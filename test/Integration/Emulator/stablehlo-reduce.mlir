// Reductions of StableHLO: the gradient of a bias beside that of a filter, a
// loss, the largest element, sums of integers and of nothing.
// RUN: conv-run %s --device=emulator --target=sm_80 --verify | FileCheck %s
// RUN: conv-run %s --device=emulator --target=sm_90a --verify | FileCheck %s
// RUN: conv-opt %s --convert-stablehlo-to-conv --conv-to-threads=chip=sm_90a --remarks-filter=conv-fuse-bias-gradient -o /dev/null 2>&1 | FileCheck %s --check-prefix=FUSED

// FUSED: bias-gradient-fused
// CHECK: verify     full: passed

func.func @main(%x: tensor<2x9x8x32xbf16>, %dy: tensor<2x7x7x64xbf16>, %i: tensor<3x5xi8>, %n: tensor<0x3xf32>)
    -> (tensor<f32>, tensor<3x2x32x64xbf16>, tensor<64xf32>, tensor<2x7x64xbf16>, tensor<2x7x7xf32>, tensor<3xi32>, tensor<3xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %none = stablehlo.constant dense<0> : tensor<i32>
  %least = stablehlo.constant dense<0xFF80> : tensor<bf16>
  %most = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %dw = stablehlo.convolution(%x, %dy) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x8x32xbf16>, tensor<2x7x7x64xbf16>) -> tensor<3x2x32x64xbf16>
  %wide = stablehlo.convert %dy : (tensor<2x7x7x64xbf16>) -> tensor<2x7x7x64xf32>
  %db = stablehlo.reduce(%wide init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x7x7x64xf32>, tensor<f32>) -> tensor<64xf32>
  %square = stablehlo.multiply %wide, %wide : tensor<2x7x7x64xf32>
  %sum = stablehlo.reduce(%square init: %zero) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<2x7x7x64xf32>, tensor<f32>) -> tensor<f32>
  %part = stablehlo.constant dense<0.25> : tensor<f32>
  %loss = stablehlo.multiply %sum, %part : tensor<f32>
  %largest = stablehlo.reduce(%dy init: %least) applies stablehlo.maximum across dimensions = [1] : (tensor<2x7x7x64xbf16>, tensor<bf16>) -> tensor<2x7x64xbf16>
  %smallest = stablehlo.reduce(%wide init: %most) applies stablehlo.minimum across dimensions = [3] : (tensor<2x7x7x64xf32>, tensor<f32>) -> tensor<2x7x7xf32>
  %wider = stablehlo.convert %i : (tensor<3x5xi8>) -> tensor<3x5xi32>
  %sums = stablehlo.reduce(%wider init: %none) applies stablehlo.add across dimensions = [1] : (tensor<3x5xi32>, tensor<i32>) -> tensor<3xi32>
  %nothing = stablehlo.reduce(%n init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<0x3xf32>, tensor<f32>) -> tensor<3xf32>
  return %loss, %dw, %db, %largest, %smallest, %sums, %nothing : tensor<f32>, tensor<3x2x32x64xbf16>, tensor<64xf32>, tensor<2x7x64xbf16>, tensor<2x7x7xf32>, tensor<3xi32>, tensor<3xf32>
}
