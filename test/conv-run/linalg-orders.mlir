// Convolutions and gradients of linalg.generic with their dimensions in any
// order run as convolutions, and mean what their text says.
//
// RUN: conv-run %s --entry=forward --device=emulator --input=integers:1 --input=integers:2 --verify | FileCheck %s --check-prefixes=FORWARD,RIGHT
// RUN: conv-run %s --entry=wgrad --device=emulator --input=integers:1 --input=integers:2 --verify | FileCheck %s --check-prefixes=WGRAD,RIGHT
// RUN: conv-run %s --entry=dgrad --device=emulator --input=integers:1 --input=integers:2 --verify | FileCheck %s --check-prefixes=DGRAD,RIGHT
// RUN: conv-run %s --entry=plain --device=emulator --input=integers:1 --input=integers:2 --verify --json | FileCheck %s --check-prefix=PLAIN

// FORWARD: 1 convolution
// FORWARD: kernel     forward_conv_forward_bf16_
// WGRAD: 1 convolution
// WGRAD: kernel     {{.*}}conv_wgrad_f16_
// DGRAD: 1 convolution
// DGRAD: kernel     {{.*}}conv_dgrad_f16_
// RIGHT: verify     full: passed, relative error 0 (

// Why one is a plain kernel is in the report for programs, too.
// PLAIN: "remarks": [
// PLAIN: {{.*}}not imported as a convolution: the index 'd0 + d2 + d3' is not the sum of one or two loops
// PLAIN: "passed": true

// From channels first to channels last, with a cast in front.
func.func @forward(%x: tensor<2x8x6x10xbf16>, %w: tensor<3x2x8x16xbf16>) -> tensor<2x4x5x16xf32> {
  %ex = tensor.empty() : tensor<2x8x6x10xf32>
  %xf = linalg.generic {indexing_maps = [affine_map<(n, c, h, w) -> (n, c, h, w)>, affine_map<(n, c, h, w) -> (n, c, h, w)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x : tensor<2x8x6x10xbf16>) outs(%ex : tensor<2x8x6x10xf32>) {
  ^bb0(%a: bf16, %o: f32):
    %b = arith.extf %a : bf16 to f32
    linalg.yield %b : f32
  } -> tensor<2x8x6x10xf32>
  %ew = tensor.empty() : tensor<3x2x8x16xf32>
  %wf = linalg.generic {indexing_maps = [affine_map<(r, s, c, k) -> (r, s, c, k)>, affine_map<(r, s, c, k) -> (r, s, c, k)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%w : tensor<3x2x8x16xbf16>) outs(%ew : tensor<3x2x8x16xf32>) {
  ^bb0(%a: bf16, %o: f32):
    %b = arith.extf %a : bf16 to f32
    linalg.yield %b : f32
  } -> tensor<3x2x8x16xf32>
  %i = arith.constant dense<0.0> : tensor<2x4x5x16xf32>
  %y = linalg.generic {indexing_maps = [
      affine_map<(n, p, q, k, r, s, c) -> (n, c, p + r, q * 2 - s + 1)>,
      affine_map<(n, p, q, k, r, s, c) -> (r, s, c, k)>,
      affine_map<(n, p, q, k, r, s, c) -> (n, p, q, k)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%xf, %wf : tensor<2x8x6x10xf32>, tensor<3x2x8x16xf32>) outs(%i : tensor<2x4x5x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<2x4x5x16xf32>
  return %y : tensor<2x4x5x16xf32>
}

// The gradient of a filter that is stored with its channels outermost, from
// tensors with channels first.
func.func @wgrad(%x: tensor<2x8x9x7xf16>, %dy: tensor<2x16x4x6xf16>) -> tensor<8x3x2x16xf32> {
  %i = arith.constant dense<0.0> : tensor<8x3x2x16xf32>
  %y = linalg.generic {indexing_maps = [
      affine_map<(k, c, r, s, n, p, q) -> (n, c, r + p * 2, s + q)>,
      affine_map<(k, c, r, s, n, p, q) -> (n, k, p, q)>,
      affine_map<(k, c, r, s, n, p, q) -> (c, r, s, k)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %dy : tensor<2x8x9x7xf16>, tensor<2x16x4x6xf16>) outs(%i : tensor<8x3x2x16xf32>) {
  ^bb0(%a: f16, %b: f16, %o: f32):
    %aw = arith.extf %a : f16 to f32
    %bw = arith.extf %b : f16 to f32
    %p = arith.mulf %aw, %bw : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<8x3x2x16xf32>
  return %y : tensor<8x3x2x16xf32>
}

// The gradient of an input whose stride has spread dy, with the filter
// backwards.
func.func @dgrad(%dy: tensor<2x3x4x16xf16>, %w: tensor<16x3x2x8xf16>) -> tensor<2x8x8x8xf32> {
  %z = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<2x10x9x16xf16>
  %zeros = linalg.fill ins(%z : f16) outs(%e : tensor<2x10x9x16xf16>) -> tensor<2x10x9x16xf16>
  %spread = tensor.insert_slice %dy into %zeros[0, 2, 1, 0] [2, 3, 4, 16] [1, 2, 2, 1] : tensor<2x3x4x16xf16> into tensor<2x10x9x16xf16>
  %i = arith.constant dense<0.0> : tensor<2x8x8x8xf32>
  %y = linalg.generic {indexing_maps = [
      affine_map<(n, h, w, c, r, s, k) -> (n, h - r + 2, w - s + 1, k)>,
      affine_map<(n, h, w, c, r, s, k) -> (k, r, s, c)>,
      affine_map<(n, h, w, c, r, s, k) -> (n, h, w, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%spread, %w : tensor<2x10x9x16xf16>, tensor<16x3x2x8xf16>) outs(%i : tensor<2x8x8x8xf32>) {
  ^bb0(%a: f16, %b: f16, %o: f32):
    %aw = arith.extf %a : f16 to f32
    %bw = arith.extf %b : f16 to f32
    %p = arith.mulf %aw, %bw : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<2x8x8x8xf32>
  return %y : tensor<2x8x8x8xf32>
}

func.func @plain(%x: tensor<9xf32>, %w: tensor<4x3x2xf32>) -> tensor<6x4xf32> {
  %i = arith.constant dense<0.0> : tensor<6x4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(q, k, r, s) -> (q + r + s)>,
      affine_map<(q, k, r, s) -> (k, r, s)>, affine_map<(q, k, r, s) -> (q, k)>],
      iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<9xf32>, tensor<4x3x2xf32>) outs(%i : tensor<6x4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}
