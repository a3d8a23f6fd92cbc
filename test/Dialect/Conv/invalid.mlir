// RUN: conv-opt %s --split-input-file --verify-diagnostics

// One case per rule of docs/ConvSpec.md. (conv-c2 cannot be broken here: no
// tensor has a negative extent.)

// conv-c1

func.func @f(%x: tensor<2x4xf32>, %w: tensor<6x4xf32>, %y: tensor<2x6xf32>) {
  // expected-error @below {{'conv.forward' op conv-c1: spatial rank (0) must be 1, 2 or 3}}
  %0 = conv.forward ins(%x, %w : tensor<2x4xf32>, tensor<6x4xf32>) outs(%y : tensor<2x6xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x3x3x3x4xf32>, %w: tensor<6x3x3x3x3x4xf32>, %y: tensor<2x1x1x1x1x6xf32>) {
  // expected-error @below {{'conv.forward' op conv-c1: spatial rank (4) must be 1, 2 or 3}}
  %0 = conv.forward ins(%x, %w : tensor<2x3x3x3x3x4xf32>, tensor<6x3x3x3x3x4xf32>) outs(%y : tensor<2x1x1x1x1x6xf32>) -> tensor<2x1x1x1x1x6xf32>
  return
}

// -----

// conv-c3

func.func @f(%x: tensor<2x8x9x0xf32>, %w: tensor<6x3x2x0xf32>, %y: tensor<2x6x8x6xf32>) {
  // expected-error @below {{'conv.forward' op conv-c3: C (0) must be at least 1}}
  %0 = conv.forward ins(%x, %w : tensor<2x8x9x0xf32>, tensor<6x3x2x0xf32>) outs(%y : tensor<2x6x8x6xf32>) -> tensor<2x6x8x6xf32>
  return
}

// -----

func.func @f(%x: tensor<2x0x4xf32>, %dy: tensor<2x3x6xf32>, %dw: tensor<6x1x4xf32>) {
  // expected-error @below {{'conv.wgrad' op conv-c3: input extent W (0) must be at least 1}}
  %0 = conv.wgrad ins(%x, %dy : tensor<2x0x4xf32>, tensor<2x3x6xf32>) outs(%dw : tensor<6x1x4xf32>) pad [2] -> tensor<6x1x4xf32>
  return
}

// -----

// conv-c4

func.func @f(%x: tensor<2x8x9x4xf32>, %w: tensor<6x3x2x4xf32>, %y: tensor<2x6x8x6xf32>) {
  // expected-error @below {{'conv.forward' op conv-c4: groups (0) must be at least 1}}
  %0 = conv.forward ins(%x, %w : tensor<2x8x9x4xf32>, tensor<6x3x2x4xf32>) outs(%y : tensor<2x6x8x6xf32>) groups 0 -> tensor<2x6x8x6xf32>
  return
}

// -----

// conv-c5

func.func @f(%x: tensor<2x8x9x4xf32>, %w: tensor<6x3x2x4xf32>, %y: tensor<2x6x8x6xf32>) {
  // expected-error @below {{'conv.forward' op conv-c5: groups (3) must divide input channels C (4)}}
  %0 = conv.forward ins(%x, %w : tensor<2x8x9x4xf32>, tensor<6x3x2x4xf32>) outs(%y : tensor<2x6x8x6xf32>) groups 3 -> tensor<2x6x8x6xf32>
  return
}

// -----

// conv-c6

func.func @f(%dy: tensor<2x6x8x6xf32>, %w: tensor<6x3x2x1xf32>, %dx: tensor<2x8x9x4xf32>) {
  // expected-error @below {{'conv.dgrad' op conv-c6: groups (4) must divide output channels K (6)}}
  %0 = conv.dgrad ins(%dy, %w : tensor<2x6x8x6xf32>, tensor<6x3x2x1xf32>) outs(%dx : tensor<2x8x9x4xf32>) groups 4 -> tensor<2x8x9x4xf32>
  return
}

// -----

// conv-c7

func.func @f(%x: tensor<2x8x9x4xf32>, %w: tensor<6x3x2x4xf32>, %y: tensor<2x6x8x6xf32>) {
  // expected-error @below {{'conv.forward' op conv-c7: stride along W (0) must be at least 1}}
  %0 = conv.forward ins(%x, %w : tensor<2x8x9x4xf32>, tensor<6x3x2x4xf32>) outs(%y : tensor<2x6x8x6xf32>) stride [1, 0] -> tensor<2x6x8x6xf32>
  return
}

// -----

// conv-c8

func.func @f(%x: tensor<2x8x9x4xf32>, %w: tensor<6x3x2x4xf32>, %y: tensor<2x6x8x6xf32>) {
  // expected-error @below {{'conv.forward' op conv-c8: dilation along H (-1) must be at least 1}}
  %0 = conv.forward ins(%x, %w : tensor<2x8x9x4xf32>, tensor<6x3x2x4xf32>) outs(%y : tensor<2x6x8x6xf32>) dilation [-1, 1] -> tensor<2x6x8x6xf32>
  return
}

// -----

// conv-c9

func.func @f(%x: tensor<2x8x9x4xf32>, %w: tensor<6x3x2x4xf32>, %y: tensor<2x6x8x6xf32>) {
  // expected-error @below {{'conv.forward' op conv-c9: input dilation along H (0) must be at least 1}}
  %0 = conv.forward ins(%x, %w : tensor<2x8x9x4xf32>, tensor<6x3x2x4xf32>) outs(%y : tensor<2x6x8x6xf32>) input_dilation [0, 1] -> tensor<2x6x8x6xf32>
  return
}

// -----

// conv-c10

func.func @f(%x: tensor<2x8x9x4xf32>, %w: tensor<6x3x2x4xf32>, %y: tensor<2x6x8x6xf32>) {
  // expected-error @below {{'conv.forward' op conv-c10: padding (high) along W (2147483648) must not exceed 2^31 - 1 in magnitude}}
  %0 = conv.forward ins(%x, %w : tensor<2x8x9x4xf32>, tensor<6x3x2x4xf32>) outs(%y : tensor<2x6x8x6xf32>) pad [0, 1:2147483648] -> tensor<2x6x8x6xf32>
  return
}

// -----

// conv-c11

func.func @f(%x: tensor<2x8x9x4xf32>, %w: tensor<6x3x2x4xf32>, %y: tensor<2x6x8x6xf32>) {
  // expected-error @below {{'conv.forward' op conv-c11: padding (-4:-4) crops all of the input extent H (8); at least 1 position must be left}}
  %0 = conv.forward ins(%x, %w : tensor<2x8x9x4xf32>, tensor<6x3x2x4xf32>) outs(%y : tensor<2x6x8x6xf32>) pad [-4, 0] -> tensor<2x6x8x6xf32>
  return
}

// -----

// conv-c12

func.func @f(%x: tensor<2x8x9x4xf32>, %w: tensor<6x3x2x4xf32>, %y: tensor<2x6x8x6xf32>) {
  // expected-error @below {{'conv.forward' op conv-c12: filter extent R (3) with dilation 4 spans 9 and does not fit the padded input extent H (8) = 8 with padding 0:0}}
  %0 = conv.forward ins(%x, %w : tensor<2x8x9x4xf32>, tensor<6x3x2x4xf32>) outs(%y : tensor<2x6x8x6xf32>) dilation [4, 1] -> tensor<2x6x8x6xf32>
  return
}

// -----

// conv-c13

func.func @f(%x: tensor<2147483647x3x2147483647xf32>, %w: tensor<1x1x2147483647xf32>, %y: tensor<2147483647x3x1xf32>) {
  // expected-error @below {{'conv.forward' op conv-c13: the elements of x must number fewer than 2^63}}
  %0 = conv.forward ins(%x, %w : tensor<2147483647x3x2147483647xf32>, tensor<1x1x2147483647xf32>) outs(%y : tensor<2147483647x3x1xf32>) -> tensor<2147483647x3x1xf32>
  return
}

// -----

// conv-c14

func.func @f(%x: tensor<2x8x9x4xf32>, %w: tensor<6x3x2x4xf32>, %y: tensor<2x6x8x6xf32>) {
  // expected-error @below {{'conv.forward' op conv-c14: stride must have 2 entries, one per spatial dimension, but has 1}}
  %0 = conv.forward ins(%x, %w : tensor<2x8x9x4xf32>, tensor<6x3x2x4xf32>) outs(%y : tensor<2x6x8x6xf32>) stride [1] -> tensor<2x6x8x6xf32>
  return
}

// -----

func.func @f(%x: tensor<2x8x9x4xf32>, %w: tensor<6x3x2x4xf32>, %y: tensor<2x6x8x6xf32>) {
  // expected-error @below {{'conv.forward' op conv-c14: pad_low must have 2 entries, one per spatial dimension, but has 3}}
  %0 = conv.forward ins(%x, %w : tensor<2x8x9x4xf32>, tensor<6x3x2x4xf32>) outs(%y : tensor<2x6x8x6xf32>) pad [1, 1, 1] -> tensor<2x6x8x6xf32>
  return
}

// -----

func.func @f(%x: tensor<2x8x9x4xf32>, %w: tensor<6x3x2x4xf32>, %y: tensor<2x6x8x6xf32>) {
  // expected-error @below {{'conv.forward' op conv-c14: dilation must have 2 entries, one per spatial dimension, but has 0}}
  %0 = conv.forward ins(%x, %w : tensor<2x8x9x4xf32>, tensor<6x3x2x4xf32>) outs(%y : tensor<2x6x8x6xf32>) dilation [] -> tensor<2x6x8x6xf32>
  return
}

// -----

func.func @f(%x: tensor<2x8x9x4xf32>, %w: tensor<6x3x2x4xf32>, %y: tensor<2x6x8x6xf32>) {
  // expected-error @below {{'conv.forward' op conv-c14: input_dilation must have 2 entries, one per spatial dimension, but has 1}}
  %0 = conv.forward ins(%x, %w : tensor<2x8x9x4xf32>, tensor<6x3x2x4xf32>) outs(%y : tensor<2x6x8x6xf32>) input_dilation [2] -> tensor<2x6x8x6xf32>
  return
}

// -----

// conv-c15

func.func @f(%x: tensor<2x8x9x4xf32>, %w: tensor<6x3x4xf32>, %y: tensor<2x6x8x6xf32>) {
  // expected-error @below {{'conv.forward' op conv-c15: w must have rank 4, as x has, but w is 'tensor<6x3x4xf32>'}}
  %0 = conv.forward ins(%x, %w : tensor<2x8x9x4xf32>, tensor<6x3x4xf32>) outs(%y : tensor<2x6x8x6xf32>) -> tensor<2x6x8x6xf32>
  return
}

// -----

func.func @f(%dy: tensor<2x6x8xf32>, %w: tensor<6x3x2x4xf32>, %dx: tensor<2x8x9x4xf32>) {
  // expected-error @below {{'conv.dgrad' op conv-c15: dy must have rank 4, as dx has, but dy is 'tensor<2x6x8xf32>'}}
  %0 = conv.dgrad ins(%dy, %w : tensor<2x6x8xf32>, tensor<6x3x2x4xf32>) outs(%dx : tensor<2x8x9x4xf32>) -> tensor<2x8x9x4xf32>
  return
}

// -----

// conv-c16

func.func @f(%x: tensor<2x8x9x4xf32>, %w: tensor<6x3x2x4xf32>, %y: tensor<2x6x7x6xf32>) {
  // expected-error @below {{'conv.forward' op conv-c16: extent Q of y must be 8, but y is 'tensor<2x6x7x6xf32>'}}
  %0 = conv.forward ins(%x, %w : tensor<2x8x9x4xf32>, tensor<6x3x2x4xf32>) outs(%y : tensor<2x6x7x6xf32>) -> tensor<2x6x7x6xf32>
  return
}

// -----

func.func @f(%x: tensor<2x8x9x4xf32>, %w: tensor<6x3x2x2xf32>, %y: tensor<2x6x8x6xf32>) {
  // expected-error @below {{'conv.forward' op conv-c16: extent C/G of w must be 4, but w is 'tensor<6x3x2x2xf32>'}}
  %0 = conv.forward ins(%x, %w : tensor<2x8x9x4xf32>, tensor<6x3x2x2xf32>) outs(%y : tensor<2x6x8x6xf32>) -> tensor<2x6x8x6xf32>
  return
}

// -----

func.func @f(%x: tensor<2x4x8x9xf32>, %w: tensor<6x2x3x2xf32>, %y: tensor<2x6x6x8xf32>) {
  // expected-error @below {{'conv.forward' op conv-c16: extent C/G of w must be 4, but w is 'tensor<6x2x3x2xf32>'}}
  %0 = conv.forward ins(%x, %w : tensor<2x4x8x9xf32>, tensor<6x2x3x2xf32>) outs(%y : tensor<2x6x6x8xf32>) layout nchw -> tensor<2x6x6x8xf32>
  return
}

// -----

func.func @f(%dy: tensor<3x6x8x6xf32>, %w: tensor<6x3x2x4xf32>, %dx: tensor<2x8x9x4xf32>) {
  // expected-error @below {{'conv.dgrad' op conv-c16: extent N of dy must be 2, but dy is 'tensor<3x6x8x6xf32>'}}
  %0 = conv.dgrad ins(%dy, %w : tensor<3x6x8x6xf32>, tensor<6x3x2x4xf32>) outs(%dx : tensor<2x8x9x4xf32>) -> tensor<2x8x9x4xf32>
  return
}

// -----

// Both 8 and 9 would give P = 4, 10 gives 5.
func.func @f(%dy: tensor<2x4x8x6xf32>, %w: tensor<6x3x2x4xf32>, %dx: tensor<2x10x9x4xf32>) {
  // expected-error @below {{'conv.dgrad' op conv-c16: extent P of dy must be 5, but dy is 'tensor<2x4x8x6xf32>'}}
  %0 = conv.dgrad ins(%dy, %w : tensor<2x4x8x6xf32>, tensor<6x3x2x4xf32>) outs(%dx : tensor<2x10x9x4xf32>) stride [2, 1] pad [1:0, 0] -> tensor<2x10x9x4xf32>
  return
}

// -----

func.func @f(%x: tensor<2x8x9x4xf32>, %dy: tensor<2x6x8x5xf32>, %dw: tensor<6x3x2x4xf32>) {
  // expected-error @below {{'conv.wgrad' op conv-c16: extent K of dy must be 6, but dy is 'tensor<2x6x8x5xf32>'}}
  %0 = conv.wgrad ins(%x, %dy : tensor<2x8x9x4xf32>, tensor<2x6x8x5xf32>) outs(%dw : tensor<6x3x2x4xf32>) -> tensor<6x3x2x4xf32>
  return
}

// -----

// conv-c17

func.func @f(%x: tensor<2x8x9x4xf32>, %w: tensor<6x3x2x4xbf16>, %y: tensor<2x6x8x6xf32>) {
  // expected-error @below {{'conv.forward' op conv-c17: both inputs must have the same element type, or be 'f8E4M3FN' and 'f8E5M2', but have 'f32' and 'bf16'}}
  %0 = conv.forward ins(%x, %w : tensor<2x8x9x4xf32>, tensor<6x3x2x4xbf16>) outs(%y : tensor<2x6x8x6xf32>) -> tensor<2x6x8x6xf32>
  return
}

// -----

func.func @f(%dy: tensor<2x6x8x6xf8E5M2>, %w: tensor<6x3x2x4xf8E4M3FN>, %dx: tensor<2x8x9x4xf8E5M2>) {
  // expected-error @below {{'conv.dgrad' op conv-c17: the result must have elements of 'f8E4M3FN' or a wider type of its kind, but has 'f8E5M2'}}
  %0 = conv.dgrad ins(%dy, %w : tensor<2x6x8x6xf8E5M2>, tensor<6x3x2x4xf8E4M3FN>) outs(%dx : tensor<2x8x9x4xf8E5M2>) -> tensor<2x8x9x4xf8E5M2>
  return
}

// -----

func.func @f(%x: tensor<2x8x9x4xf32>, %w: tensor<6x3x2x4xf32>, %y: tensor<2x6x8x6xbf16>) {
  // expected-error @below {{'conv.forward' op conv-c17: the result must have elements of 'f32' or a wider type of its kind, but has 'bf16'}}
  %0 = conv.forward ins(%x, %w : tensor<2x8x9x4xf32>, tensor<6x3x2x4xf32>) outs(%y : tensor<2x6x8x6xbf16>) -> tensor<2x6x8x6xbf16>
  return
}

// -----

func.func @f(%x: tensor<2x8x9x4xbf16>, %w: tensor<6x3x2x4xbf16>, %y: tensor<2x6x8x6xf16>) {
  // expected-error @below {{'conv.forward' op conv-c17: the result must have elements of 'bf16' or a wider type of its kind, but has 'f16'}}
  %0 = conv.forward ins(%x, %w : tensor<2x8x9x4xbf16>, tensor<6x3x2x4xbf16>) outs(%y : tensor<2x6x8x6xf16>) -> tensor<2x6x8x6xf16>
  return
}

// -----

func.func @f(%x: tensor<2x8x9x4xui8>, %w: tensor<6x3x2x4xui8>, %y: tensor<2x6x8x6xi32>) {
  // expected-error @below {{'conv.forward' op conv-c17: elements must be floats or signless integers, but are 'ui8'}}
  %0 = conv.forward ins(%x, %w : tensor<2x8x9x4xui8>, tensor<6x3x2x4xui8>) outs(%y : tensor<2x6x8x6xi32>) acc i32 -> tensor<2x6x8x6xi32>
  return
}

// -----

func.func @f(%x: tensor<2x8x9x4xi8>, %w: tensor<6x3x2x4xi8>, %y: tensor<2x6x8x6xf32>) {
  // expected-error @below {{'conv.forward' op conv-c17: the result must have elements of 'i8' or a wider type of its kind, but has 'f32'}}
  %0 = conv.forward ins(%x, %w : tensor<2x8x9x4xi8>, tensor<6x3x2x4xi8>) outs(%y : tensor<2x6x8x6xf32>) -> tensor<2x6x8x6xf32>
  return
}

// -----

// conv-c18

func.func @f(%x: tensor<2x8x9x4xf32>, %w: tensor<6x3x2x4xf32>, %y: tensor<2x6x8x6xf32>) {
  // expected-error @below {{'conv.forward' op conv-c18: acc_type 'f16' cannot hold products of 'f32'; 'f32' can}}
  %0 = conv.forward ins(%x, %w : tensor<2x8x9x4xf32>, tensor<6x3x2x4xf32>) outs(%y : tensor<2x6x8x6xf32>) acc f16 -> tensor<2x6x8x6xf32>
  return
}

// -----

func.func @f(%x: tensor<2x8x9x4xi16>, %w: tensor<6x3x2x4xi16>, %y: tensor<2x6x8x6xi32>) {
  // expected-error @below {{'conv.forward' op conv-c18: acc_type 'i16' cannot hold products of 'i16'; 'i32' can}}
  %0 = conv.forward ins(%x, %w : tensor<2x8x9x4xi16>, tensor<6x3x2x4xi16>) outs(%y : tensor<2x6x8x6xi32>) acc i16 -> tensor<2x6x8x6xi32>
  return
}

// -----

func.func @f(%x: tensor<2x8x9x4xf32>, %w: tensor<6x3x2x4xf32>, %y: tensor<2x6x8x6xf32>) {
  // expected-error @below {{'conv.forward' op conv-c18: acc_type 'i64' cannot hold products of 'f32'; 'f32' can}}
  %0 = conv.forward ins(%x, %w : tensor<2x8x9x4xf32>, tensor<6x3x2x4xf32>) outs(%y : tensor<2x6x8x6xf32>) acc i64 -> tensor<2x6x8x6xf32>
  return
}

// -----

// conv-c19

func.func @f(%x: tensor<?x8x9x4xf32>, %w: tensor<6x3x2x4xf32>, %y: tensor<2x6x8x6xf32>) {
  // expected-error @below {{'conv.forward' op conv-c19: operands must have static shapes, but x is 'tensor<?x8x9x4xf32>'}}
  %0 = conv.forward ins(%x, %w : tensor<?x8x9x4xf32>, tensor<6x3x2x4xf32>) outs(%y : tensor<2x6x8x6xf32>) -> tensor<2x6x8x6xf32>
  return
}

// -----

// conv-c20

func.func @f(%x: memref<2x8x9x4xf32>, %w: tensor<6x3x2x4xf32>, %y: tensor<2x6x8x6xf32>) {
  // expected-error @below {{'conv.forward' op conv-c20: operands must be all tensors or all buffers, but x is 'memref<2x8x9x4xf32>' while the destination is 'tensor<2x6x8x6xf32>'}}
  %0 = conv.forward ins(%x, %w : memref<2x8x9x4xf32>, tensor<6x3x2x4xf32>) outs(%y : tensor<2x6x8x6xf32>) -> tensor<2x6x8x6xf32>
  return
}

// -----

// conv-c21

func.func @f(%x: tensor<2x8x9x4xf16>, %w: tensor<6x3x2x4xf16>, %y: tensor<2x6x8x6xf16>) {
  // expected-error @below {{'conv.forward' op conv-c21: the precision of products can be 'tf32' where elements are 'f32', but is 'tf32' where they are 'f16'}}
  %0 = conv.forward ins(%x, %w : tensor<2x8x9x4xf16>, tensor<6x3x2x4xf16>) outs(%y : tensor<2x6x8x6xf16>) precision tf32 -> tensor<2x6x8x6xf16>
  return
}

// -----

func.func @f(%x: tensor<2x8x9x4xf32>, %w: tensor<6x3x2x4xf32>, %y: tensor<2x6x8x6xf32>) {
  // expected-error @below {{'conv.forward' op conv-c21: the precision of products can be 'tf32' where elements are 'f32', but is 'bf16' where they are 'f32'}}
  %0 = conv.forward ins(%x, %w : tensor<2x8x9x4xf32>, tensor<6x3x2x4xf32>) outs(%y : tensor<2x6x8x6xf32>) precision bf16 -> tensor<2x6x8x6xf32>
  return
}

// -----

// Destination style, assembly, schedule

func.func @f(%x: tensor<2x8x9x4xf32>, %w: tensor<6x3x2x4xf32>, %y: tensor<2x6x8x6xf32>) {
  // expected-error @below {{expected the number of tensor results (0) to be equal to the number of output tensors (1)}}
  conv.forward ins(%x, %w : tensor<2x8x9x4xf32>, tensor<6x3x2x4xf32>) outs(%y : tensor<2x6x8x6xf32>)
  return
}

// -----

func.func @f(%x: tensor<2x8x9x4xf32>, %w: tensor<6x3x2x4xf32>, %y: tensor<2x6x8x6xf32>) {
  // expected-error @below {{expected a type after 'precision'; it can be tf32}}
  %0 = conv.forward ins(%x, %w : tensor<2x8x9x4xf32>, tensor<6x3x2x4xf32>) outs(%y : tensor<2x6x8x6xf32>) precision fp8 -> tensor<2x6x8x6xf32>
  return
}

// -----

func.func @f(%x: tensor<2x8x9x4xf32>, %w: tensor<6x3x2x4xf32>, %y: tensor<2x6x8x6xf32>) {
  // expected-error @below {{expected layout nhwc or nchw, but got 'chwn'}}
  %0 = conv.forward ins(%x, %w : tensor<2x8x9x4xf32>, tensor<6x3x2x4xf32>) outs(%y : tensor<2x6x8x6xf32>) layout chwn -> tensor<2x6x8x6xf32>
  return
}

// -----

func.func @f(%x: tensor<2x8x9x4xf32>, %w: tensor<6x3x2x4xf32>, %y: tensor<2x6x8x6xf32>) {
  // expected-error @below {{'conv.schedule' must be a #conv.schedule, but is "fast"}}
  %0 = conv.forward ins(%x, %w : tensor<2x8x9x4xf32>, tensor<6x3x2x4xf32>) outs(%y : tensor<2x6x8x6xf32>) {conv.schedule = "fast"} -> tensor<2x6x8x6xf32>
  return
}

// -----

func.func @f(%x: tensor<2x8x9x4xf32>, %w: tensor<6x3x2x4xf32>, %y: tensor<2x6x8x6xf32>) {
  // expected-error @below {{unknown attribute 'conv.shedule' of the conv dialect; it has 'conv.schedule', 'conv.chip', 'conv.kernel_plan', 'conv.loops', 'conv.plain', 'conv.producer', 'conv.producers', 'conv.loader', 'conv.helper', 'conv.row_sums', 'conv.sum_lanes', 'conv.items', 'conv.group', 'conv.origin', 'conv.shared_bytes' and 'conv.wide_indices'}}
  %0 = conv.forward ins(%x, %w : tensor<2x8x9x4xf32>, tensor<6x3x2x4xf32>) outs(%y : tensor<2x6x8x6xf32>) {conv.shedule = "fast"} -> tensor<2x6x8x6xf32>
  return
}

// -----

func.func @f() {
  // expected-error @below {{'conv.items' must be an affine map of one dimension to one or more, but is 3 : i64}}
  scf.forall (%i) in (8) {
  } {conv.items = 3}
  return
}

// -----

func.func @f() {
  // expected-error @below {{'conv.items' must be an affine map of one dimension to one or more, but is affine_map<(d0, d1) -> (d0)>}}
  scf.forall (%i) in (8) {
  } {conv.items = affine_map<(d0, d1) -> (d0)>}
  return
}

// -----

func.func @f() {
  // expected-error @below {{'conv.items' must be an affine map of one dimension to one or more, but is affine_map<(d0) -> ()>}}
  scf.forall (%i) in (8) {
  } {conv.items = affine_map<(d0) -> ()>}
  return
}
