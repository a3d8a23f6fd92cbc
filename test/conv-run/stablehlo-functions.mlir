// Gradients of maxima over windows, and functions.

// RUN: conv-run %s --entry=overlapping --device=emulator --verify --target=sm_90a --input=integers --input=integers:2 | FileCheck %s
// RUN: conv-run %s --entry=smallest --device=emulator --verify --target=sm_80 --input=integers --input=integers:2 | FileCheck %s
// RUN: conv-run %s --entry=functions --device=emulator --verify --target=sm_90a | FileCheck %s
// RUN: conv-run %s --entry=narrow --device=emulator --verify --target=sm_90a | FileCheck %s
// CHECK: verify {{.*}}full: passed

func.func @overlapping(%x: tensor<2x9x7x5xf32>, %dy: tensor<2x4x3x5xf32>) -> tensor<2x9x7x5xf32> {
  %c = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = "stablehlo.select_and_scatter"(%x, %dy, %c) <{padding = dense<0> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %b, %a : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x9x7x5xf32>, tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x9x7x5xf32>
  return %0 : tensor<2x9x7x5xf32>
}

// The last one of equal elements; windows that leave elements out, of integers.
func.func @smallest(%x: tensor<5x12xi8>, %dy: tensor<3x4xi8>) -> tensor<5x12xi8> {
  %c = stablehlo.constant dense<0> : tensor<i8>
  %0 = "stablehlo.select_and_scatter"(%x, %dy, %c) <{window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 2, 3>}> ({
  ^bb0(%a: tensor<i8>, %b: tensor<i8>):
    %1 = stablehlo.compare LT, %a, %b : (tensor<i8>, tensor<i8>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<i8>, %b: tensor<i8>):
    %1 = stablehlo.add %a, %b : tensor<i8>
    stablehlo.return %1 : tensor<i8>
  }) : (tensor<5x12xi8>, tensor<3x4xi8>, tensor<i8>) -> tensor<5x12xi8>
  return %0 : tensor<5x12xi8>
}

// Of numbers far from 0 and close to it.
func.func @functions(%x: tensor<4x33xf32>) -> (tensor<4x33xf32>, tensor<4x33xf32>, tensor<4x33xf32>, tensor<4x33xf32>, tensor<4x33xf32>, tensor<4x33xf32>) {
  %hundred = stablehlo.constant dense<1.0e3> : tensor<4x33xf32>
  %large = stablehlo.multiply %x, %hundred : tensor<4x33xf32>
  %small = stablehlo.divide %x, %hundred : tensor<4x33xf32>
  %0 = stablehlo.sine %large : tensor<4x33xf32>
  %1 = stablehlo.cosine %large : tensor<4x33xf32>
  %2 = chlo.asinh %large : tensor<4x33xf32> -> tensor<4x33xf32>
  %3 = chlo.sinh %small : tensor<4x33xf32> -> tensor<4x33xf32>
  %4 = chlo.erfc %x : tensor<4x33xf32> -> tensor<4x33xf32>
  %5 = stablehlo.tan %small : tensor<4x33xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<4x33xf32>, tensor<4x33xf32>, tensor<4x33xf32>, tensor<4x33xf32>, tensor<4x33xf32>, tensor<4x33xf32>
}

func.func @narrow(%x: tensor<3x16xbf16>, %n: tensor<3x16xi8>) -> (tensor<3x16xbf16>, tensor<3x16xi8>) {
  %0 = chlo.erf %x : tensor<3x16xbf16> -> tensor<3x16xbf16>
  %1 = stablehlo.sine %0 : tensor<3x16xbf16>
  %2 = chlo.square %1 : tensor<3x16xbf16> -> tensor<3x16xbf16>
  %3 = stablehlo.log_plus_one %2 : tensor<3x16xbf16>
  %i = stablehlo.iota dim = 1 : tensor<3x16xi8>
  %4 = stablehlo.and %n, %i : tensor<3x16xi8>
  %5 = stablehlo.not %4 : tensor<3x16xi8>
  %6 = stablehlo.sign %n : tensor<3x16xi8>
  %7 = stablehlo.xor %5, %6 : tensor<3x16xi8>
  return %3, %7 : tensor<3x16xbf16>, tensor<3x16xi8>
}
