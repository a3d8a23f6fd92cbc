// Indexing maps that run backwards or begin at a position, in plain kernels.
//
// RUN: conv-run %s --entry=reverse --device=emulator --input=integers --verify | FileCheck %s
// RUN: conv-run %s --entry=stored --device=emulator --input=integers --verify | FileCheck %s
// RUN: conv-run %s --entry=window --device=emulator --input=integers:1 --input=integers:2 --verify | FileCheck %s
// RUN: conv-run %s --entry=shifted --device=emulator --input=integers:1 --input=integers:2 --verify | FileCheck %s

// CHECK: 0 convolutions
// CHECK: verify     full: passed, relative error 0 (

func.func @reverse(%x: tensor<6x5x8xbf16>) -> tensor<6x5x8xbf16> {
  %e = tensor.empty() : tensor<6x5x8xbf16>
  %y = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (5 - a, b, 7 - c)>, affine_map<(a, b, c) -> (a, b, c)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<6x5x8xbf16>) outs(%e : tensor<6x5x8xbf16>) {
  ^bb0(%a: bf16, %o: bf16):
    linalg.yield %a : bf16
  } -> tensor<6x5x8xbf16>
  return %y : tensor<6x5x8xbf16>
}

func.func @stored(%x: tensor<6x8xf32>) -> tensor<8x6xf32> {
  %e = tensor.empty() : tensor<8x6xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (7 - b, a)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<6x8xf32>) outs(%e : tensor<8x6xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<8x6xf32>
  return %y : tensor<8x6xf32>
}

// The largest product over a window, which runs backwards in one dimension.
func.func @window(%x: tensor<6x7x4xf32>, %w: tensor<3x2xf32>) -> tensor<4x6x4xf32> {
  %i = arith.constant dense<-8.0> : tensor<4x6x4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(p, q, c, r, s) -> (p - r + 2, q + s, c)>,
      affine_map<(p, q, c, r, s) -> (r, s)>, affine_map<(p, q, c, r, s) -> (p, q, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<6x7x4xf32>, tensor<3x2xf32>) outs(%i : tensor<4x6x4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.maximumf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x6x4xf32>
  return %y : tensor<4x6x4xf32>
}

func.func @shifted(%x: tensor<5x6xf32>, %v: tensor<4xf32>) -> tensor<3xf32> {
  %i = arith.constant dense<-8.0> : tensor<3xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(r, q) -> (r + 1, 2 * q + 1)>, affine_map<(r, q) -> (r)>, affine_map<(r, q) -> (q)>],
      iterator_types = ["reduction", "parallel"]}
      ins(%x, %v : tensor<5x6xf32>, tensor<4xf32>) outs(%i : tensor<3xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.maximumf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<3xf32>
  return %y : tensor<3xf32>
}
