// Parts of tensors, and elements at computed positions, have kernels, and the
// reference knows them.
//
// RUN: conv-run %s --entry=extract --device=emulator --input=integers --verify | FileCheck %s
// RUN: conv-run %s --entry=insert --device=emulator --input=integers:1 --input=integers:2 --verify | FileCheck %s
// RUN: conv-run %s --entry=concat --device=emulator --input=integers:1 --input=integers:2 --verify | FileCheck %s
// RUN: conv-run %s --entry=gather --device=emulator --input=integers --verify | FileCheck %s
// RUN: conv-run %s --entry=layer --device=emulator --input=integers:1 --input=integers:2 --verify | FileCheck %s --check-prefixes=CHECK,LAYER

// LAYER: 1 convolution
// CHECK: verify     full: passed, relative error 0 (

func.func @extract(%x: tensor<2x6x5xf32>) -> tensor<3x4xf32> {
  %y = tensor.extract_slice %x[1, 1, 1] [1, 3, 4] [1, 2, 1] : tensor<2x6x5xf32> to tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}

func.func @insert(%x: tensor<2x6x5xf16>, %s: tensor<3x2xf16>) -> tensor<2x6x5xf16> {
  %y = tensor.insert_slice %s into %x[1, 0, 1] [1, 3, 2] [1, 2, 3] : tensor<3x2xf16> into tensor<2x6x5xf16>
  return %y : tensor<2x6x5xf16>
}

func.func @concat(%a: tensor<2x3x5xi8>, %b: tensor<2x4x5xi8>) -> tensor<2x10x5xi8> {
  %y = tensor.concat dim(1) %a, %b, %a : (tensor<2x3x5xi8>, tensor<2x4x5xi8>, tensor<2x3x5xi8>) -> tensor<2x10x5xi8>
  return %y : tensor<2x10x5xi8>
}

// What the loops are at, and an element of a tensor of two dimensions there.
func.func @gather(%x: tensor<4x5xf32>) -> tensor<5x4xf32> {
  %e = tensor.empty() : tensor<5x4xf32>
  %c3 = arith.constant 3 : index
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<5x4xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %back = arith.subi %c3, %j : index
    %v = tensor.extract %x[%back, %i] : tensor<4x5xf32>
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to f32
    %r = arith.addf %v, %f : f32
    linalg.yield %r : f32
  } -> tensor<5x4xf32>
  return %y : tensor<5x4xf32>
}

// Between convolutions: every second position of x, and a result in a frame of
// ones.
func.func @layer(%x: tensor<1x12x7x16xbf16>, %w: tensor<8x3x3x16xbf16>) -> tensor<1x6x7x8xf32> {
  %s = tensor.extract_slice %x[0, 1, 0, 0] [1, 6, 7, 16] [1, 2, 1, 1] : tensor<1x12x7x16xbf16> to tensor<1x6x7x16xbf16>
  %e = tensor.empty() : tensor<1x4x5x8xf32>
  %y = conv.forward ins(%s, %w : tensor<1x6x7x16xbf16>, tensor<8x3x3x16xbf16>) outs(%e : tensor<1x4x5x8xf32>) -> tensor<1x4x5x8xf32>
  %one = arith.constant 1.0 : f32
  %f = tensor.empty() : tensor<1x6x7x8xf32>
  %ones = linalg.fill ins(%one : f32) outs(%f : tensor<1x6x7x8xf32>) -> tensor<1x6x7x8xf32>
  %r = tensor.insert_slice %y into %ones[0, 1, 1, 0] [1, 4, 5, 8] [1, 1, 1, 1] : tensor<1x4x5x8xf32> into tensor<1x6x7x8xf32>
  return %r : tensor<1x6x7x8xf32>
}
