// A tensor.pad that is no padding of a convolution has a kernel: of other
// values, in front of what is no convolution or keeps the precision of the text.
// With zeros it is padding of a gradient, too.
//
// RUN: conv-run %s --entry=ones --device=emulator --input=integers --verify | FileCheck %s --check-prefix=ONES
// RUN: conv-run %s --entry=gradient --device=emulator --input=integers:1 --input=integers:2 --verify | FileCheck %s --check-prefix=GRADIENT
// RUN: conv-run %s --entry=layer --device=emulator --input=integers:1 --input=integers:2 --verify | FileCheck %s --check-prefixes=LAYER,MORE
// RUN: conv-run %s --entry=layer --device=emulator --input=integers:1 --input=integers:2 --verify --precision=text | FileCheck %s --check-prefixes=LAYER,TEXT

// RUN: conv-run %s --entry=shift --device=emulator --input=integers --verify | FileCheck %s --check-prefix=ONES

// ONES: verify     full: passed, relative error 0 (
// GRADIENT: 1 convolution
// GRADIENT: verify     full: passed, relative error 0 (
// MORE: 1 convolution
// TEXT: 0 convolutions
// LAYER: verify     full: passed, relative error 0 (

func.func @ones(%x: tensor<4x5xf32>) -> tensor<7x5xf32> {
  %one = arith.constant 1.0 : f32
  %y = tensor.pad %x low[1, -1] high[2, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %one : f32
  } : tensor<4x5xf32> to tensor<7x5xf32>
  return %y : tensor<7x5xf32>
}

// As many as are cropped are added: the type stays, the elements do not.
func.func @shift(%x: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %two = arith.constant 2.0 : f32
  %y = tensor.pad %x low[1, 0] high[-1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %two : f32
  } : tensor<4x5xf32> to tensor<4x5xf32>
  return %y : tensor<4x5xf32>
}

func.func @gradient(%x: tensor<2x5x8xf32>, %dy: tensor<2x5x16xf32>) -> tensor<16x3x8xf32> {
  %z = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 0] high[0, 1, 0] {
  ^bb0(%a: index, %b: index, %c: index):
    tensor.yield %z : f32
  } : tensor<2x5x8xf32> to tensor<2x7x8xf32>
  %i = arith.constant dense<0.0> : tensor<16x3x8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(k, r, c, n, p) -> (n, r + p, c)>,
      affine_map<(k, r, c, n, p) -> (n, p, k)>, affine_map<(k, r, c, n, p) -> (k, r, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%p, %dy : tensor<2x7x8xf32>, tensor<2x5x16xf32>) outs(%i : tensor<16x3x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<16x3x8xf32>
  return %y : tensor<16x3x8xf32>
}

func.func @layer(%x: tensor<2x6x5x3xbf16>, %w: tensor<3x3x3x8xbf16>) -> tensor<2x6x5x8xbf16> {
  %z = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<2x6x5x8xbf16>
  %i = linalg.fill ins(%z : bf16) outs(%e : tensor<2x6x5x8xbf16>) -> tensor<2x6x5x8xbf16>
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %z : bf16
  } : tensor<2x6x5x3xbf16> to tensor<2x8x7x3xbf16>
  %y = linalg.conv_2d_nhwc_hwcf ins(%p, %w : tensor<2x8x7x3xbf16>, tensor<3x3x3x8xbf16>) outs(%i : tensor<2x6x5x8xbf16>) -> tensor<2x6x5x8xbf16>
  return %y : tensor<2x6x5x8xbf16>
}
