// RUN: conv-opt %s --convert-conv-matrices-to-linalg --split-input-file --verify-diagnostics

func.func @tile(%x: tensor<1x4x6xf32>, %m: index) -> tensor<2x3xf32> {
  // expected-error @below {{'conv.im2col' op has no linalg form while it is a tile of a matrix}}
  %X = conv.im2col %x[%m, %m, %m] view <rows = [3], taps = [2], stride = [1], step = [1], offset = [0], groups = 1> : tensor<1x4x6xf32> -> tensor<2x3xf32>
  return %X : tensor<2x3xf32>
}

// -----

func.func @buffers(%x: memref<1x4x6xf32>, %a: memref<3x6xf32>) {
  // expected-error @below {{'conv.im2col' op has no linalg form unless it is on tensors}}
  conv.im2col %x into %a view <rows = [3], taps = [2], stride = [1], step = [1], offset = [0], groups = 1> : memref<1x4x6xf32> into memref<3x6xf32>
  return
}

// -----

func.func @registers(%v: vector<4x6xf32>, %y: memref<1x4x6xf32>) {
  // expected-error @below {{'conv.scatter' op has no linalg form unless it is on tensors and has a result}}
  conv.scatter %v into %y view <rows = [4], taps = [1], stride = [1], step = [1], offset = [0], groups = 1> : vector<4x6xf32> into memref<1x4x6xf32>
  return
}

// -----

func.func @tile_of_result(%e: tensor<2x6xf32>, %y: tensor<1x4x6xf32>, %m: index) -> tensor<1x4x6xf32> {
  // expected-error @below {{'conv.scatter' op has no linalg form while it is a tile of a matrix}}
  %r = conv.scatter %e into %y[%m, %m, %m] view <rows = [4], taps = [1], stride = [1], step = [1], offset = [0], groups = 1> : tensor<2x6xf32> into tensor<1x4x6xf32> -> tensor<1x4x6xf32>
  return %r : tensor<1x4x6xf32>
}

// -----

func.func @rows_and_taps(%e: tensor<2x2x6xf32>, %y: tensor<1x4x6xf32>) -> tensor<1x4x6xf32> {
  // expected-error @below {{'conv.scatter' op has no linalg form for a view with several rows and several taps along one dimension}}
  %r = conv.scatter %e into %y view <rows = [2], taps = [2], stride = [2], step = [1], offset = [0], groups = 1> : tensor<2x2x6xf32> into tensor<1x4x6xf32> -> tensor<1x4x6xf32>
  return %r : tensor<1x4x6xf32>
}

// -----

func.func @shifted_taps(%x: tensor<2x4x8xf32>) -> tensor<2x4x3x8xf32> {
  // expected-error @below {{'conv.im2col' op has no linalg form with taps that shift channels}}
  %r = conv.im2col %x view <rows = [4], taps = [1], stride = [1], step = [1], offset = [0], groups = 1, row_groups = 2> tap_shift step 2 offset -2 : tensor<2x4x8xf32> -> tensor<2x4x3x8xf32>
  return %r : tensor<2x4x3x8xf32>
}
