// RUN: conv-opt %s --convert-linalg-to-conv --split-input-file --verify-diagnostics | FileCheck %s

// Gradients have the maps of a convolution, and another result.

// CHECK-LABEL: func @wgrad
// CHECK: conv.wgrad ins(%{{.*}}, %{{.*}} : tensor<2x8x9x7xf32>, tensor<2x16x4x6xf32>) outs({{.*}} : tensor<16x8x3x2xf32>) stride [2, 1] layout nchw ->
func.func @wgrad(%x: tensor<2x8x9x7xf32>, %dy: tensor<2x16x4x6xf32>) -> tensor<16x8x3x2xf32> {
  %i = arith.constant dense<0.0> : tensor<16x8x3x2xf32>
  %y = linalg.generic {indexing_maps = [
      affine_map<(k, c, r, s, n, p, q) -> (n, c, r + p * 2, s + q)>,
      affine_map<(k, c, r, s, n, p, q) -> (n, k, p, q)>,
      affine_map<(k, c, r, s, n, p, q) -> (k, c, r, s)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
    ins(%x, %dy : tensor<2x8x9x7xf32>, tensor<2x16x4x6xf32>) outs(%i : tensor<16x8x3x2xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  } -> tensor<16x8x3x2xf32>
  return %y : tensor<16x8x3x2xf32>
}

// -----

// What adds to positions of x is the gradient of x.

// CHECK-LABEL: func @scatter
// CHECK: conv.dgrad {{.*}} outs({{.*}} : tensor<2x9x9x8xf32>) stride [2, 1] dilation [1, 3] ->
func.func @scatter(%dy: tensor<2x4x6x16xf32>, %w: tensor<16x3x2x8xf32>) -> tensor<2x9x9x8xf32> {
  %i = arith.constant dense<0.0> : tensor<2x9x9x8xf32>
  %y = linalg.generic {indexing_maps = [
      affine_map<(n, p, q, c, k, r, s) -> (n, p, q, k)>,
      affine_map<(n, p, q, c, k, r, s) -> (k, r, s, c)>,
      affine_map<(n, p, q, c, k, r, s) -> (n, p * 2 + r, q + s * 3, c)>],
      iterator_types = ["reduction", "reduction", "reduction", "parallel", "reduction", "reduction", "reduction"]}
    ins(%dy, %w : tensor<2x4x6x16xf32>, tensor<16x3x2x8xf32>) outs(%i : tensor<2x9x9x8xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  } -> tensor<2x9x9x8xf32>
  return %y : tensor<2x9x9x8xf32>
}

// -----

// A stride has spread dy, and torch-mlir turns the filter around by tensor.extract.

// CHECK-LABEL: func @spread
// CHECK-SAME: (%[[DY:.*]]: tensor<2x16x3x4xf32>, %[[W:.*]]: tensor<16x8x3x2xf32>)
// CHECK: conv.dgrad ins(%[[DY]], %[[W]] : {{.*}}) outs({{.*}} : tensor<2x8x8x8xf32>) stride [2, 2] pad [{{.*}}] layout nchw ->
func.func @spread(%dy: tensor<2x16x3x4xf32>, %w: tensor<16x8x3x2xf32>) -> tensor<2x8x8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %e = tensor.empty() : tensor<2x16x10x9xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x16x10x9xf32>) -> tensor<2x16x10x9xf32>
  %spread = tensor.insert_slice %dy into %z[0, 0, 2, 1] [2, 16, 3, 4] [1, 1, 2, 2] : tensor<2x16x3x4xf32> into tensor<2x16x10x9xf32>
  %f = tensor.empty() : tensor<16x8x3x2xf32>
  %back = linalg.generic {indexing_maps = [affine_map<(k, c, r, s) -> (k, c, r, s)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    outs(%f : tensor<16x8x3x2xf32>) {
  ^bb0(%o: f32):
    %k = linalg.index 0 : index
    %c = linalg.index 1 : index
    %r = linalg.index 2 : index
    %s = linalg.index 3 : index
    %rb = arith.subi %c2, %r : index
    %sb = arith.subi %c1, %s : index
    %v = tensor.extract %w[%k, %c, %rb, %sb] : tensor<16x8x3x2xf32>
    linalg.yield %v : f32
  } -> tensor<16x8x3x2xf32>
  %i = arith.constant dense<0.0> : tensor<2x8x8x8xf32>
  %y = linalg.generic {indexing_maps = [
      affine_map<(n, c, h, w, k, r, s) -> (n, k, h + r, w + s)>,
      affine_map<(n, c, h, w, k, r, s) -> (k, c, r, s)>,
      affine_map<(n, c, h, w, k, r, s) -> (n, c, h, w)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
    ins(%spread, %back : tensor<2x16x10x9xf32>, tensor<16x8x3x2xf32>) outs(%i : tensor<2x8x8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  } -> tensor<2x8x8x8xf32>
  return %y : tensor<2x8x8x8xf32>
}

// -----

// Zeros between elements of x, and no filter that runs backwards.

// CHECK-LABEL: func @input_dilation
// CHECK: conv.forward ins(%{{.*}}, %{{.*}} : tensor<2x4x8xf32>, tensor<16x3x8xf32>) {{.*}} pad [1] input_dilation [2] ->
func.func @input_dilation(%x: tensor<2x4x8xf32>, %w: tensor<16x3x8xf32>) -> tensor<2x7x16xf32> {
  %z = arith.constant dense<0.0> : tensor<2x9x8xf32>
  %spread = tensor.insert_slice %x into %z[0, 1, 0] [2, 4, 8] [1, 2, 1] : tensor<2x4x8xf32> into tensor<2x9x8xf32>
  %i = arith.constant dense<0.0> : tensor<2x7x16xf32>
  %y = linalg.generic {indexing_maps = [
      affine_map<(n, q, k, s, c) -> (n, q + s, c)>,
      affine_map<(n, q, k, s, c) -> (k, s, c)>,
      affine_map<(n, q, k, s, c) -> (n, q, k)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%spread, %w : tensor<2x9x8xf32>, tensor<16x3x8xf32>) outs(%i : tensor<2x7x16xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  } -> tensor<2x7x16xf32>
  return %y : tensor<2x7x16xf32>
}

// -----

// Between ones it stays.

// CHECK-LABEL: func @between_ones
// CHECK: %[[S:.*]] = tensor.insert_slice
// CHECK: conv.forward ins(%[[S]],
func.func @between_ones(%x: tensor<2x4x8xf32>, %w: tensor<16x3x8xf32>) -> tensor<2x7x16xf32> {
  %z = arith.constant dense<1.0> : tensor<2x9x8xf32>
  %spread = tensor.insert_slice %x into %z[0, 1, 0] [2, 4, 8] [1, 2, 1] : tensor<2x4x8xf32> into tensor<2x9x8xf32>
  %i = arith.constant dense<0.0> : tensor<2x7x16xf32>
  %y = linalg.generic {indexing_maps = [
      affine_map<(n, q, k, s, c) -> (n, q + s, c)>,
      affine_map<(n, q, k, s, c) -> (k, s, c)>,
      affine_map<(n, q, k, s, c) -> (n, q, k)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%spread, %w : tensor<2x9x8xf32>, tensor<16x3x8xf32>) outs(%i : tensor<2x7x16xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  } -> tensor<2x7x16xf32>
  return %y : tensor<2x7x16xf32>
}

// -----

// A window that runs backwards, as of a filter that is flipped.

// CHECK-LABEL: func @flip
// CHECK: conv.forward {{.*}} dilation [1, 2] flip ->
func.func @flip(%x: tensor<2x6x8x8xf32>, %w: tensor<16x3x2x8xf32>) -> tensor<2x4x6x16xf32> {
  %i = arith.constant dense<0.0> : tensor<2x4x6x16xf32>
  %y = linalg.generic {indexing_maps = [
      affine_map<(n, p, q, k, r, s, c) -> (n, p - r + 2, q - s * 2 + 2, c)>,
      affine_map<(n, p, q, k, r, s, c) -> (k, r, s, c)>,
      affine_map<(n, p, q, k, r, s, c) -> (n, p, q, k)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
    ins(%x, %w : tensor<2x6x8x8xf32>, tensor<16x3x2x8xf32>) outs(%i : tensor<2x4x6x16xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  } -> tensor<2x4x6x16xf32>
  return %y : tensor<2x4x6x16xf32>
}

// -----

// Backwards along one dimension: a kernel turns the filter around there.

// CHECK-LABEL: func @flip_one
// CHECK: %[[R:.*]] = linalg.generic {{.*}} outs({{.*}} : tensor<16x3x2x8xf32>)
// CHECK: tensor.extract
// CHECK: conv.forward ins(%{{.*}}, %[[R]] : {{.*}} outs({{.*}} : tensor<2x4x6x16xf32>) ->
func.func @flip_one(%x: tensor<2x6x7x8xf32>, %w: tensor<16x3x2x8xf32>) -> tensor<2x4x6x16xf32> {
  %i = arith.constant dense<0.0> : tensor<2x4x6x16xf32>
  %y = linalg.generic {indexing_maps = [
      affine_map<(n, p, q, k, r, s, c) -> (n, p - r + 2, q + s, c)>,
      affine_map<(n, p, q, k, r, s, c) -> (k, r, s, c)>,
      affine_map<(n, p, q, k, r, s, c) -> (n, p, q, k)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
    ins(%x, %w : tensor<2x6x7x8xf32>, tensor<16x3x2x8xf32>) outs(%i : tensor<2x4x6x16xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  } -> tensor<2x4x6x16xf32>
  return %y : tensor<2x4x6x16xf32>
}

// -----

// Positions of the result run against those of x, as taps of a filter may.

// CHECK-LABEL: func @against
// CHECK: conv.wgrad {{.*}} flip ->
func.func @against(%x: tensor<2x9x8xf32>, %w: tensor<16x3x8xf32>) -> tensor<2x7x16xf32> {
  %i = arith.constant dense<0.0> : tensor<2x7x16xf32>
  %y = linalg.generic {indexing_maps = [
      affine_map<(n, q, k, s, c) -> (n, s - q + 6, c)>,
      affine_map<(n, q, k, s, c) -> (k, s, c)>,
      affine_map<(n, q, k, s, c) -> (n, q, k)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%x, %w : tensor<2x9x8xf32>, tensor<16x3x8xf32>) outs(%i : tensor<2x7x16xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  } -> tensor<2x7x16xf32>
  return %y : tensor<2x7x16xf32>
}

// -----

// Both loops run backwards: none of the operations does that.

func.func @both_backwards(%x: tensor<2x9x8xf32>, %w: tensor<16x3x8xf32>) -> tensor<2x7x16xf32> {
  %i = arith.constant dense<0.0> : tensor<2x7x16xf32>
  // expected-remark @below {{not imported as a convolution: a window moves backwards along its tensor while positions move forwards}}
  %y = linalg.generic {indexing_maps = [
      affine_map<(n, q, k, s, c) -> (n, 8 - s - q, c)>,
      affine_map<(n, q, k, s, c) -> (k, s, c)>,
      affine_map<(n, q, k, s, c) -> (n, q, k)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%x, %w : tensor<2x9x8xf32>, tensor<16x3x8xf32>) outs(%i : tensor<2x7x16xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  } -> tensor<2x7x16xf32>
  return %y : tensor<2x7x16xf32>
}
