// Functions of operations that fuse with no convolution, for the plain-kernels
// tests of Emulator and CUDA.

#element = affine_map<(n, p, q, k) -> (n, p, q, k)>
#channel = affine_map<(n, p, q, k) -> (k)>
#id2 = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
#swapped = affine_map<(i, j) -> (j, i)>

// A residual and an activation in front of a convolution.
func.func @before(%x: tensor<1x7x9x24xbf16>, %r: tensor<1x7x9x24xbf16>, %w: tensor<16x3x3x24xbf16>) -> tensor<1x7x9x16xbf16> {
  %zero = arith.constant 0.0 : bf16
  %ex = tensor.empty() : tensor<1x7x9x24xbf16>
  %sum = linalg.add ins(%x, %r : tensor<1x7x9x24xbf16>, tensor<1x7x9x24xbf16>) outs(%ex : tensor<1x7x9x24xbf16>) -> tensor<1x7x9x24xbf16>
  %relu = linalg.generic {indexing_maps = [#element, #element], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%sum : tensor<1x7x9x24xbf16>) outs(%ex : tensor<1x7x9x24xbf16>) {
  ^bb0(%a: bf16, %out: bf16):
    %0 = arith.maximumf %a, %zero : bf16
    linalg.yield %0 : bf16
  } -> tensor<1x7x9x24xbf16>
  %e = tensor.empty() : tensor<1x7x9x16xbf16>
  %y = conv.forward ins(%relu, %w : tensor<1x7x9x24xbf16>, tensor<16x3x3x24xbf16>) outs(%e : tensor<1x7x9x16xbf16>) pad [1, 1] -> tensor<1x7x9x16xbf16>
  return %y : tensor<1x7x9x16xbf16>
}

// Two epilogues on one result.
func.func @two_epilogues(%x: tensor<1x5x6x16xf16>, %w: tensor<12x3x3x16xf16>) -> (tensor<1x3x4x12xf16>, tensor<1x3x4x12xf16>) {
  %e = tensor.empty() : tensor<1x3x4x12xf32>
  %c = conv.forward ins(%x, %w : tensor<1x5x6x16xf16>, tensor<12x3x3x16xf16>) outs(%e : tensor<1x3x4x12xf32>) -> tensor<1x3x4x12xf32>
  %o = tensor.empty() : tensor<1x3x4x12xf16>
  %u = linalg.generic {indexing_maps = [#element, #element], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%c : tensor<1x3x4x12xf32>) outs(%o : tensor<1x3x4x12xf16>) {
  ^bb0(%a: f32, %out: f16):
    %0 = math.absf %a : f32
    %1 = arith.truncf %0 : f32 to f16
    linalg.yield %1 : f16
  } -> tensor<1x3x4x12xf16>
  %v = linalg.generic {indexing_maps = [#element, #element], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%c : tensor<1x3x4x12xf32>) outs(%o : tensor<1x3x4x12xf16>) {
  ^bb0(%a: f32, %out: f16):
    %0 = arith.negf %a : f32
    %1 = arith.truncf %0 : f32 to f16
    linalg.yield %1 : f16
  } -> tensor<1x3x4x12xf16>
  return %u, %v : tensor<1x3x4x12xf16>, tensor<1x3x4x12xf16>
}

// An activation between two convolutions whose operand is a result, too.
func.func @between(%x: tensor<1x5x6x16xbf16>, %w: tensor<16x3x3x16xbf16>, %v: tensor<8x1x1x16xbf16>) -> (tensor<1x3x4x16xbf16>, tensor<1x3x4x8xbf16>) {
  %zero = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<1x3x4x16xbf16>
  %c = conv.forward ins(%x, %w : tensor<1x5x6x16xbf16>, tensor<16x3x3x16xbf16>) outs(%e : tensor<1x3x4x16xbf16>) -> tensor<1x3x4x16xbf16>
  %relu = linalg.generic {indexing_maps = [#element, #element], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%c : tensor<1x3x4x16xbf16>) outs(%e : tensor<1x3x4x16xbf16>) {
  ^bb0(%a: bf16, %out: bf16):
    %0 = arith.maximumf %a, %zero : bf16
    linalg.yield %0 : bf16
  } -> tensor<1x3x4x16xbf16>
  %f = tensor.empty() : tensor<1x3x4x8xbf16>
  %y = conv.forward ins(%relu, %v : tensor<1x3x4x16xbf16>, tensor<8x1x1x16xbf16>) outs(%f : tensor<1x3x4x8xbf16>) -> tensor<1x3x4x8xbf16>
  return %c, %y : tensor<1x3x4x16xbf16>, tensor<1x3x4x8xbf16>
}

// Extents that nothing divides: 3 * 5 * 7 * 11 elements, one at a time.
func.func @chain(%x: tensor<3x5x7x11xf16>) -> tensor<3x5x7x11xf32> {
  %e = tensor.empty() : tensor<3x5x7x11xf32>
  %a = linalg.generic {indexing_maps = [#element, #element], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x : tensor<3x5x7x11xf16>) outs(%e : tensor<3x5x7x11xf32>) {
  ^bb0(%in: f16, %out: f32):
    %0 = arith.extf %in : f16 to f32
    linalg.yield %0 : f32
  } -> tensor<3x5x7x11xf32>
  %b = linalg.exp ins(%a : tensor<3x5x7x11xf32>) outs(%e : tensor<3x5x7x11xf32>) -> tensor<3x5x7x11xf32>
  %c = linalg.mul ins(%b, %a : tensor<3x5x7x11xf32>, tensor<3x5x7x11xf32>) outs(%e : tensor<3x5x7x11xf32>) -> tensor<3x5x7x11xf32>
  return %c : tensor<3x5x7x11xf32>
}

// Operands that are the same along a dimension, and a number.
func.func @broadcasts(%x: tensor<13x24xf32>, %r: tensor<13xf32>, %c: tensor<24xbf16>) -> tensor<13x24xbf16> {
  %half = arith.constant 0.5 : f32
  %e = tensor.empty() : tensor<13x24xbf16>
  %y = linalg.generic {indexing_maps = [#id2, #row, #column, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%x, %r, %c : tensor<13x24xf32>, tensor<13xf32>, tensor<24xbf16>) outs(%e : tensor<13x24xbf16>) {
  ^bb0(%a: f32, %b: f32, %d: bf16, %out: bf16):
    %0 = arith.addf %a, %b : f32
    %1 = arith.extf %d : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.mulf %2, %half : f32
    %4 = arith.truncf %3 : f32 to bf16
    linalg.yield %4 : bf16
  } -> tensor<13x24xbf16>
  return %y : tensor<13x24xbf16>
}

// Reads along a column.
func.func @transposed(%x: tensor<24x10xf16>, %r: tensor<10x24xf16>) -> tensor<10x24xf16> {
  %e = tensor.empty() : tensor<10x24xf16>
  %t = linalg.transpose ins(%x : tensor<24x10xf16>) outs(%e : tensor<10x24xf16>) permutation = [1, 0]
  %y = linalg.sub ins(%t, %r : tensor<10x24xf16>, tensor<10x24xf16>) outs(%e : tensor<10x24xf16>) -> tensor<10x24xf16>
  return %y : tensor<10x24xf16>
}

// Partial sums in ascending order, then the type of the result.
func.func @partial_sums(%p: tensor<5x9x40xf32>) -> tensor<9x40xbf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<9x40xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<9x40xf32>) -> tensor<9x40xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(s, i, j) -> (s, i, j)>, affine_map<(s, i, j) -> (i, j)>], iterator_types = ["reduction", "parallel", "parallel"]}
      ins(%p : tensor<5x9x40xf32>) outs(%i : tensor<9x40xf32>) {
  ^bb0(%a: f32, %sum: f32):
    %0 = arith.addf %sum, %a : f32
    linalg.yield %0 : f32
  } -> tensor<9x40xf32>
  %o = tensor.empty() : tensor<9x40xbf16>
  %y = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<9x40xf32>) outs(%o : tensor<9x40xbf16>) {
  ^bb0(%a: f32, %out: bf16):
    %0 = arith.truncf %a : f32 to bf16
    linalg.yield %0 : bf16
  } -> tensor<9x40xbf16>
  return %y : tensor<9x40xbf16>
}

// A sum over each row is not computed again for each of its elements.
func.func @row_sums(%x: tensor<6x20xf32>) -> tensor<6x20xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<6xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<6xf32>) -> tensor<6xf32>
  %s = linalg.reduce ins(%x : tensor<6x20xf32>) outs(%i : tensor<6xf32>) dimensions = [1]
    (%a: f32, %sum: f32) { %0 = arith.addf %sum, %a : f32 linalg.yield %0 : f32 }
  %o = tensor.empty() : tensor<6x20xf32>
  %y = linalg.generic {indexing_maps = [#id2, #row, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<6x20xf32>, tensor<6xf32>) outs(%o : tensor<6x20xf32>) {
  ^bb0(%a: f32, %sum: f32, %out: f32):
    %0 = arith.subf %a, %sum : f32
    linalg.yield %0 : f32
  } -> tensor<6x20xf32>
  return %y : tensor<6x20xf32>
}

func.func @filled(%x: tensor<3xf32>) -> tensor<7x300xbf16> {
  %three = arith.constant 3.0 : bf16
  %e = tensor.empty() : tensor<7x300xbf16>
  %y = linalg.fill ins(%three : bf16) outs(%e : tensor<7x300xbf16>) -> tensor<7x300xbf16>
  return %y : tensor<7x300xbf16>
}

// A window that moves by two, after a convolution.
func.func @pooled(%x: tensor<1x7x9x16xf16>, %w: tensor<16x1x1x16xf16>) -> tensor<1x3x4x16xf16> {
  %low = arith.constant -60000.0 : f16
  %e = tensor.empty() : tensor<1x7x9x16xf16>
  %c = conv.forward ins(%x, %w : tensor<1x7x9x16xf16>, tensor<16x1x1x16xf16>) outs(%e : tensor<1x7x9x16xf16>) -> tensor<1x7x9x16xf16>
  %o = tensor.empty() : tensor<1x3x4x16xf16>
  %i = linalg.fill ins(%low : f16) outs(%o : tensor<1x3x4x16xf16>) -> tensor<1x3x4x16xf16>
  %window = tensor.empty() : tensor<3x2xf16>
  %y = linalg.pooling_nhwc_max {strides = dense<2> : vector<2xi64>, dilations = dense<1> : vector<2xi64>}
      ins(%c, %window : tensor<1x7x9x16xf16>, tensor<3x2xf16>) outs(%i : tensor<1x3x4x16xf16>) -> tensor<1x3x4x16xf16>
  return %y : tensor<1x3x4x16xf16>
}

func.func @product(%a: tensor<9x13xf32>, %b: tensor<13x20xf32>) -> tensor<9x20xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<9x20xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<9x20xf32>) -> tensor<9x20xf32>
  %y = linalg.matmul ins(%a, %b : tensor<9x13xf32>, tensor<13x20xf32>) outs(%i : tensor<9x20xf32>) -> tensor<9x20xf32>
  return %y : tensor<9x20xf32>
}

// The destination is an argument, whose elements are read: it keeps them.
func.func @in_place(%x: tensor<9x20xf32>, %y: tensor<9x20xf32>) -> tensor<9x20xf32> {
  %s = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<9x20xf32>) outs(%y : tensor<9x20xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<9x20xf32>
  return %s : tensor<9x20xf32>
}

// A gradient with weight decay: what follows the convolution fuses with it, or,
// where its taps and channels are one dimension, does not.
func.func @decay(%x: tensor<1x7x9x16xbf16>, %dy: tensor<1x5x8x12xbf16>, %w: tensor<12x3x2x16xbf16>) -> tensor<12x3x2x16xbf16> {
  %decay = arith.constant 0.125 : f32
  %e = tensor.empty() : tensor<12x3x2x16xf32>
  %dw = conv.wgrad ins(%x, %dy : tensor<1x7x9x16xbf16>, tensor<1x5x8x12xbf16>) outs(%e : tensor<12x3x2x16xf32>) -> tensor<12x3x2x16xf32>
  %o = tensor.empty() : tensor<12x3x2x16xbf16>
  %y = linalg.generic {indexing_maps = [#element, #element, #element], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%dw, %w : tensor<12x3x2x16xf32>, tensor<12x3x2x16xbf16>) outs(%o : tensor<12x3x2x16xbf16>) {
  ^bb0(%a: f32, %b: bf16, %out: bf16):
    %0 = arith.extf %b : bf16 to f32
    %1 = arith.mulf %0, %decay : f32
    %2 = arith.addf %a, %1 : f32
    %3 = arith.truncf %2 : f32 to bf16
    linalg.yield %3 : bf16
  } -> tensor<12x3x2x16xbf16>
  return %y : tensor<12x3x2x16xbf16>
}

// A gradient through an activation, and the gradient of filters beside it.
func.func @backward(%dy: tensor<1x5x6x16xbf16>, %y: tensor<1x5x6x16xbf16>, %x: tensor<1x11x7x8xbf16>, %w: tensor<16x3x2x8xbf16>) -> (tensor<1x11x7x8xbf16>, tensor<16x3x2x8xf32>) {
  %zero = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<1x5x6x16xbf16>
  %g = linalg.generic {indexing_maps = [#element, #element, #element], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%dy, %y : tensor<1x5x6x16xbf16>, tensor<1x5x6x16xbf16>) outs(%e : tensor<1x5x6x16xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %out: bf16):
    %0 = arith.cmpf ogt, %b, %zero : bf16
    %1 = arith.select %0, %a, %zero : bf16
    linalg.yield %1 : bf16
  } -> tensor<1x5x6x16xbf16>
  %ex = tensor.empty() : tensor<1x11x7x8xbf16>
  %dx = conv.dgrad ins(%g, %w : tensor<1x5x6x16xbf16>, tensor<16x3x2x8xbf16>) outs(%ex : tensor<1x11x7x8xbf16>) stride [2, 1] -> tensor<1x11x7x8xbf16>
  %ew = tensor.empty() : tensor<16x3x2x8xf32>
  %dw = conv.wgrad ins(%x, %g : tensor<1x11x7x8xbf16>, tensor<1x5x6x16xbf16>) outs(%ew : tensor<16x3x2x8xf32>) stride [2, 1] -> tensor<16x3x2x8xf32>
  return %dx, %dw : tensor<1x11x7x8xbf16>, tensor<16x3x2x8xf32>
}

// A sum of no rows is what its destination holds.
func.func @nothing_to_add(%x: tensor<0x24xf32>, %y: tensor<24xf32>) -> tensor<24xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<24xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<24xf32>) -> tensor<24xf32>
  %sum = linalg.reduce ins(%x : tensor<0x24xf32>) outs(%zeros : tensor<24xf32>) dimensions = [0]
    (%in: f32, %out: f32) {
      %s = arith.addf %in, %out : f32
      linalg.yield %s : f32
    }
  %r = linalg.sub ins(%sum, %y : tensor<24xf32>, tensor<24xf32>) outs(%e : tensor<24xf32>) -> tensor<24xf32>
  return %r : tensor<24xf32>
}

// A result that is returned twice, since ones change nothing, and an argument.
func.func @equal_results(%x: tensor<1x5x6x16xf16>, %w: tensor<12x3x3x16xf16>, %z: tensor<4x6xf32>) -> (tensor<1x3x4x12xf32>, tensor<1x3x4x12xf32>, tensor<4x6xf32>) {
  %e = tensor.empty() : tensor<1x3x4x12xf32>
  %y = conv.forward ins(%x, %w : tensor<1x5x6x16xf16>, tensor<12x3x3x16xf16>) outs(%e : tensor<1x3x4x12xf32>) -> tensor<1x3x4x12xf32>
  %ones = arith.constant dense<1.0> : tensor<1x3x4x12xf32>
  %a = linalg.mul ins(%y, %ones : tensor<1x3x4x12xf32>, tensor<1x3x4x12xf32>) outs(%e : tensor<1x3x4x12xf32>) -> tensor<1x3x4x12xf32>
  %f = tensor.empty() : tensor<4x6xf32>
  %same = linalg.map ins(%z : tensor<4x6xf32>) outs(%f : tensor<4x6xf32>) (%v: f32, %out: f32) {
    linalg.yield %v : f32
  }
  return %y, %a, %same : tensor<1x3x4x12xf32>, tensor<1x3x4x12xf32>, tensor<4x6xf32>
}

// A convolution whose result does not matter.
func.func @without_products(%x: tensor<1x5x6x16xi8>, %w: tensor<12x3x3x16xi8>) -> tensor<1x3x4x12xi32> {
  %e = tensor.empty() : tensor<1x3x4x12xi32>
  %y = conv.forward ins(%x, %w : tensor<1x5x6x16xi8>, tensor<12x3x3x16xi8>) outs(%e : tensor<1x3x4x12xi32>) -> tensor<1x3x4x12xi32>
  %zeros = arith.constant dense<0> : tensor<1x3x4x12xi32>
  %a = linalg.mul ins(%y, %zeros : tensor<1x3x4x12xi32>, tensor<1x3x4x12xi32>) outs(%e : tensor<1x3x4x12xi32>) -> tensor<1x3x4x12xi32>
  return %a : tensor<1x3x4x12xi32>
}

// What is computed in its own place, read through windows.
func.func @updated_windows(%x: tensor<2x5x8x16xbf16>, %y: tensor<2x5x8x16xbf16>) -> tensor<2x3x6x16xbf16> {
  %t = linalg.generic {indexing_maps = [#element, #element], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x : tensor<2x5x8x16xbf16>) outs(%y : tensor<2x5x8x16xbf16>) {
  ^bb0(%a: bf16, %old: bf16):
    %0 = arith.subf %a, %old : bf16
    linalg.yield %0 : bf16
  } -> tensor<2x5x8x16xbf16>
  %zero = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<2x3x6x16xbf16>
  %i = linalg.fill ins(%zero : bf16) outs(%e : tensor<2x3x6x16xbf16>) -> tensor<2x3x6x16xbf16>
  %window = tensor.empty() : tensor<3x3xbf16>
  %p = linalg.pooling_nhwc_max ins(%t, %window : tensor<2x5x8x16xbf16>, tensor<3x3xbf16>) outs(%i : tensor<2x3x6x16xbf16>) -> tensor<2x3x6x16xbf16>
  return %p : tensor<2x3x6x16xbf16>
}

// The same behind a transposition and in front of a sum.
func.func @updated_sum(%x: tensor<6x8x4xf32>, %y: tensor<8x6x4xf32>) -> tensor<6x4xf32> {
  %e = tensor.empty() : tensor<8x6x4xf32>
  %t = linalg.transpose ins(%x : tensor<6x8x4xf32>) outs(%e : tensor<8x6x4xf32>) permutation = [1, 0, 2]
  %u = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> (a, b, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%t : tensor<8x6x4xf32>) outs(%y : tensor<8x6x4xf32>) {
  ^bb0(%a: f32, %old: f32):
    %0 = arith.subf %a, %old : f32
    linalg.yield %0 : f32
  } -> tensor<8x6x4xf32>
  %zero = arith.constant 0.0 : f32
  %f = tensor.empty() : tensor<6x4xf32>
  %i = linalg.fill ins(%zero : f32) outs(%f : tensor<6x4xf32>) -> tensor<6x4xf32>
  %r = linalg.reduce { arith.addf } ins(%u : tensor<8x6x4xf32>) outs(%i : tensor<6x4xf32>) dimensions = [0]
  return %r : tensor<6x4xf32>
}

// The same in front of a transposition, with a value for each pair of two indices.
func.func @updated_transposed(%x: tensor<4x16x16x6xf32>, %v: tensor<6x16xf32>, %y: tensor<4x16x16x6xf32>) -> tensor<6x16x16x4xf32> {
  %u = linalg.generic {indexing_maps = [#element, affine_map<(n, p, q, k) -> (k, p)>, #element], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x, %v : tensor<4x16x16x6xf32>, tensor<6x16xf32>) outs(%y : tensor<4x16x16x6xf32>) {
  ^bb0(%a: f32, %b: f32, %old: f32):
    %0 = arith.subf %a, %b : f32
    %1 = arith.subf %0, %old : f32
    linalg.yield %1 : f32
  } -> tensor<4x16x16x6xf32>
  %e = tensor.empty() : tensor<6x16x16x4xf32>
  %t = linalg.transpose ins(%u : tensor<4x16x16x6xf32>) outs(%e : tensor<6x16x16x4xf32>) permutation = [3, 1, 2, 0]
  return %t : tensor<6x16x16x4xf32>
}

// One value of each column, read by threads that own blocks of a transposition.
func.func @transposed_sum(%x: tensor<2x8x8x16xbf16>, %v: tensor<16xbf16>) -> tensor<2x16x8x8xbf16> {
  %e = tensor.empty() : tensor<2x8x8x16xbf16>
  %s = linalg.generic {indexing_maps = [#element, #channel, #element], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x, %v : tensor<2x8x8x16xbf16>, tensor<16xbf16>) outs(%e : tensor<2x8x8x16xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %old: bf16):
    %0 = arith.addf %a, %b : bf16
    linalg.yield %0 : bf16
  } -> tensor<2x8x8x16xbf16>
  %f = tensor.empty() : tensor<2x16x8x8xbf16>
  %t = linalg.transpose ins(%s : tensor<2x8x8x16xbf16>) outs(%f : tensor<2x16x8x8xbf16>) permutation = [0, 3, 1, 2]
  return %t : tensor<2x16x8x8xbf16>
}

// The same of each row, and one value of all.
func.func @sum_of_transposed(%x: tensor<2x8x8x16xbf16>, %v: tensor<8xbf16>, %s: tensor<bf16>) -> tensor<2x16x8x8xbf16> {
  %e = tensor.empty() : tensor<2x16x8x8xbf16>
  %t = linalg.transpose ins(%x : tensor<2x8x8x16xbf16>) outs(%e : tensor<2x16x8x8xbf16>) permutation = [0, 3, 1, 2]
  %r = linalg.generic {indexing_maps = [#element, #channel, affine_map<(n, p, q, k) -> ()>, #element], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%t, %v, %s : tensor<2x16x8x8xbf16>, tensor<8xbf16>, tensor<bf16>) outs(%e : tensor<2x16x8x8xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %c: bf16, %old: bf16):
    %0 = arith.addf %a, %b : bf16
    %1 = arith.mulf %0, %c : bf16
    linalg.yield %1 : bf16
  } -> tensor<2x16x8x8xbf16>
  return %r : tensor<2x16x8x8xbf16>
}

// Factors on both sides of a transposition, and a sum behind them.
func.func @scaled_sum(%x: tensor<6x2x12xf32>, %v: tensor<6x2xf32>, %u: tensor<6xf32>) -> tensor<2x6xf32> {
  %e = tensor.empty() : tensor<6x2x12xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> (a, b)>, affine_map<(a, b, c) -> (a, b, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %v : tensor<6x2x12xf32>, tensor<6x2xf32>) outs(%e : tensor<6x2x12xf32>) {
  ^bb0(%a: f32, %b: f32, %old: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<6x2x12xf32>
  %f = tensor.empty() : tensor<2x6x12xf32>
  %t = linalg.transpose ins(%m : tensor<6x2x12xf32>) outs(%f : tensor<2x6x12xf32>) permutation = [1, 0, 2]
  %s = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> (b)>, affine_map<(a, b, c) -> (a, b, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%t, %u : tensor<2x6x12xf32>, tensor<6xf32>) outs(%f : tensor<2x6x12xf32>) {
  ^bb0(%a: f32, %b: f32, %old: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<2x6x12xf32>
  %zero = arith.constant 0.0 : f32
  %g = tensor.empty() : tensor<2x6xf32>
  %i = linalg.fill ins(%zero : f32) outs(%g : tensor<2x6xf32>) -> tensor<2x6xf32>
  %r = linalg.reduce { arith.addf } ins(%s : tensor<2x6x12xf32>) outs(%i : tensor<2x6xf32>) dimensions = [2]
  return %r : tensor<2x6xf32>
}

// One tensor as both operands, and as what is added to.
func.func @one_operand(%w: tensor<16x1x1x16xf32>) -> tensor<16x1x1x16xf32> {
  %e = tensor.empty() : tensor<16x1x1x16xf32>
  %r = conv.forward ins(%w, %w : tensor<16x1x1x16xf32>, tensor<16x1x1x16xf32>) outs(%e : tensor<16x1x1x16xf32>) -> tensor<16x1x1x16xf32>
  return %r : tensor<16x1x1x16xf32>
}
func.func @one_image(%x: tensor<1x3x8x3xbf16>) -> tensor<3x1x1x3xbf16> {
  %e = tensor.empty() : tensor<3x1x1x3xbf16>
  %r = conv.wgrad ins(%x, %x : tensor<1x3x8x3xbf16>, tensor<1x3x8x3xbf16>) outs(%e : tensor<3x1x1x3xbf16>) -> tensor<3x1x1x3xbf16>
  return %r : tensor<3x1x1x3xbf16>
}
func.func @added_to_input(%x: tensor<2x5x7x16xbf16>, %w: tensor<16x3x3x16xbf16>) -> tensor<2x5x7x16xbf16> {
  %r = conv.forward ins(%x, %w : tensor<2x5x7x16xbf16>, tensor<16x3x3x16xbf16>) outs(%x : tensor<2x5x7x16xbf16>) pad [1, 1] accumulate -> tensor<2x5x7x16xbf16>
  return %r : tensor<2x5x7x16xbf16>
}
func.func @one_tile(%w: tensor<64x1x1x64xbf16>) -> tensor<64x1x1x64xbf16> {
  %e = tensor.empty() : tensor<64x1x1x64xbf16>
  %r = conv.forward ins(%w, %w : tensor<64x1x1x64xbf16>, tensor<64x1x1x64xbf16>) outs(%e : tensor<64x1x1x64xbf16>) -> tensor<64x1x1x64xbf16>
  return %r : tensor<64x1x1x64xbf16>
}

// The destination, whose elements are not read, is an input.
func.func @into_input(%x: tensor<2x16x5x7xbf16>, %w: tensor<16x16x3x3xbf16>) -> tensor<2x16x5x7xbf16> {
  %r = conv.forward ins(%x, %w : tensor<2x16x5x7xbf16>, tensor<16x16x3x3xbf16>) outs(%x : tensor<2x16x5x7xbf16>) pad [1, 1] layout nchw -> tensor<2x16x5x7xbf16>
  return %r : tensor<2x16x5x7xbf16>
}
