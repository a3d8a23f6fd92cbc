// Functions around convolutions, for the functions-around tests of Emulator and
// CUDA: behind, where they are part of its kernel, and where they are not.

#element = affine_map<(n, p, q, k) -> (n, p, q, k)>
#channel = affine_map<(n, p, q, k) -> (k)>

// gelu with a bias, of channels that are no whole tile.
func.func @gelu(%x: tensor<2x6x7x64xbf16>, %w: tensor<72x3x3x64xbf16>, %b: tensor<72xf32>) -> tensor<2x6x7x72xbf16> {
  %half = arith.constant 0.5 : f32
  %root = arith.constant 0.70710678 : f32
  %e = tensor.empty() : tensor<2x6x7x72xf32>
  %c = conv.forward ins(%x, %w : tensor<2x6x7x64xbf16>, tensor<72x3x3x64xbf16>) outs(%e : tensor<2x6x7x72xf32>) pad [1, 1] -> tensor<2x6x7x72xf32>
  %o = tensor.empty() : tensor<2x6x7x72xbf16>
  %y = linalg.generic {indexing_maps = [#element, #channel, #element], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%c, %b : tensor<2x6x7x72xf32>, tensor<72xf32>) outs(%o : tensor<2x6x7x72xbf16>) {
  ^bb0(%a: f32, %bias: f32, %old: bf16):
    %0 = arith.addf %a, %bias : f32
    %1 = arith.mulf %0, %root : f32
    %2 = math.erf %1 : f32
    %3 = arith.mulf %0, %half : f32
    %4 = math.fma %3, %2, %3 : f32
    %5 = arith.truncf %4 : f32 to bf16
    linalg.yield %5 : bf16
  } -> tensor<2x6x7x72xbf16>
  return %y : tensor<2x6x7x72xbf16>
}

// mish, x tanh(log(1 + exp(x))), channels first, of a result in f32.
func.func @mish(%x: tensor<1x32x8x8xf16>, %w: tensor<40x32x1x1xf16>) -> tensor<1x40x8x8xf32> {
  %e = tensor.empty() : tensor<1x40x8x8xf32>
  %c = conv.forward ins(%x, %w : tensor<1x32x8x8xf16>, tensor<40x32x1x1xf16>) outs(%e : tensor<1x40x8x8xf32>) layout nchw -> tensor<1x40x8x8xf32>
  %y = linalg.generic {indexing_maps = [#element, #element], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%c : tensor<1x40x8x8xf32>) outs(%e : tensor<1x40x8x8xf32>) {
  ^bb0(%a: f32, %old: f32):
    %0 = math.exp %a : f32
    %1 = math.log1p %0 : f32
    %2 = math.tanh %1 : f32
    %3 = arith.mulf %a, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<1x40x8x8xf32>
  return %y : tensor<1x40x8x8xf32>
}

// Approximate silu between two convolutions, a hard swish behind the second.
func.func @between(%x: tensor<1x9x8x16xf16>, %w: tensor<32x3x3x16xf16>, %v: tensor<24x1x1x32xf16>) -> tensor<1x7x6x24xf16> {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %three = arith.constant 3.0 : f32
  %six = arith.constant 6.0 : f32
  %sixth = arith.constant 0.16666667 : f32
  %e = tensor.empty() : tensor<1x7x6x32xf32>
  %c = conv.forward ins(%x, %w : tensor<1x9x8x16xf16>, tensor<32x3x3x16xf16>) outs(%e : tensor<1x7x6x32xf32>) -> tensor<1x7x6x32xf32>
  %m = tensor.empty() : tensor<1x7x6x32xf16>
  %s = linalg.generic {indexing_maps = [#element, #element], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%c : tensor<1x7x6x32xf32>) outs(%m : tensor<1x7x6x32xf16>) {
  ^bb0(%a: f32, %old: f16):
    %0 = arith.negf %a : f32
    %1 = math.exp %0 fastmath<afn> : f32
    %2 = arith.addf %1, %one : f32
    %3 = arith.divf %a, %2 fastmath<afn> : f32
    %4 = arith.truncf %3 : f32 to f16
    linalg.yield %4 : f16
  } -> tensor<1x7x6x32xf16>
  %f = tensor.empty() : tensor<1x7x6x24xf32>
  %d = conv.forward ins(%s, %v : tensor<1x7x6x32xf16>, tensor<24x1x1x32xf16>) outs(%f : tensor<1x7x6x24xf32>) -> tensor<1x7x6x24xf32>
  %o = tensor.empty() : tensor<1x7x6x24xf16>
  %y = linalg.generic {indexing_maps = [#element, #element], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%d : tensor<1x7x6x24xf32>) outs(%o : tensor<1x7x6x24xf16>) {
  ^bb0(%a: f32, %old: f16):
    %0 = arith.addf %a, %three : f32
    %1 = math.clampf %0 to [%zero, %six] : f32
    %2 = arith.mulf %a, %1 : f32
    %3 = arith.mulf %2, %sixth : f32
    %4 = arith.truncf %3 : f32 to f16
    linalg.yield %4 : f16
  } -> tensor<1x7x6x24xf16>
  return %y : tensor<1x7x6x24xf16>
}

// In front of the sources of all three operations: a kernel of its own for each.
func.func @before(%x: tensor<1x8x8x32xf16>, %w: tensor<32x3x3x32xf16>, %dy: tensor<1x8x8x32xf16>) -> (tensor<1x8x8x32xf16>, tensor<1x8x8x32xf16>, tensor<32x3x3x32xf32>) {
  %ex = tensor.empty() : tensor<1x8x8x32xf16>
  %a = linalg.tanh ins(%x : tensor<1x8x8x32xf16>) outs(%ex : tensor<1x8x8x32xf16>) -> tensor<1x8x8x32xf16>
  %b = linalg.erf ins(%dy : tensor<1x8x8x32xf16>) outs(%ex : tensor<1x8x8x32xf16>) -> tensor<1x8x8x32xf16>
  %y = conv.forward ins(%a, %w : tensor<1x8x8x32xf16>, tensor<32x3x3x32xf16>) outs(%ex : tensor<1x8x8x32xf16>) pad [1, 1] -> tensor<1x8x8x32xf16>
  %dx = conv.dgrad ins(%b, %w : tensor<1x8x8x32xf16>, tensor<32x3x3x32xf16>) outs(%ex : tensor<1x8x8x32xf16>) pad [1, 1] -> tensor<1x8x8x32xf16>
  %ew = tensor.empty() : tensor<32x3x3x32xf32>
  %dw = conv.wgrad ins(%a, %b : tensor<1x8x8x32xf16>, tensor<1x8x8x32xf16>) outs(%ew : tensor<32x3x3x32xf32>) pad [1, 1] -> tensor<32x3x3x32xf32>
  return %y, %dx, %dw : tensor<1x8x8x32xf16>, tensor<1x8x8x32xf16>, tensor<32x3x3x32xf32>
}

// The gradient of relu, behind dgrad, by the result of the forward activation.
func.func @relu_gradient(%dy: tensor<2x5x6x64xbf16>, %w: tensor<64x3x3x48xbf16>, %act: tensor<2x10x12x48xbf16>) -> tensor<2x10x12x48xbf16> {
  %zero = arith.constant 0.0 : bf16
  %none = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x10x12x48xf32>
  %d = conv.dgrad ins(%dy, %w : tensor<2x5x6x64xbf16>, tensor<64x3x3x48xbf16>) outs(%e : tensor<2x10x12x48xf32>) stride [2, 2] pad [1, 1] -> tensor<2x10x12x48xf32>
  %o = tensor.empty() : tensor<2x10x12x48xbf16>
  %y = linalg.generic {indexing_maps = [#element, #element, #element], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%d, %act : tensor<2x10x12x48xf32>, tensor<2x10x12x48xbf16>) outs(%o : tensor<2x10x12x48xbf16>) {
  ^bb0(%a: f32, %m: bf16, %old: bf16):
    %0 = arith.cmpf ogt, %m, %zero : bf16
    %1 = arith.select %0, %a, %none : f32
    %2 = arith.truncf %1 : f32 to bf16
    linalg.yield %2 : bf16
  } -> tensor<2x10x12x48xbf16>
  return %y : tensor<2x10x12x48xbf16>
}

// Every function that the entries above leave out.
func.func @library(%x: tensor<6x20xf32>) -> (tensor<6x20xf32>, tensor<6x20xf32>, tensor<6x20xf32>, tensor<6x20xf32>, tensor<6x20xf32>, tensor<6x20xf32>, tensor<6x20xf32>, tensor<6x20xf32>, tensor<6x20xf32>, tensor<6x20xf32>, tensor<6x20xf32>, tensor<6x20xf32>, tensor<6x20xf32>, tensor<6x20xf32>, tensor<6x20xf32>, tensor<6x20xf32>, tensor<6x20xf32>, tensor<6x20xf32>, tensor<6x20xf32>, tensor<6x20xf32>, tensor<6x20xf32>, tensor<6x20xf32>, tensor<6x20xf32>, tensor<6x20xf32>) {
  %low = arith.constant -0.25 : f32
  %high = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %i = arith.constant 3 : i32
  %e = tensor.empty() : tensor<6x20xf32>
  %0 = linalg.map ins(%x : tensor<6x20xf32>) outs(%e : tensor<6x20xf32>) (%v: f32, %old: f32) {
    %r = math.expm1 %v : f32
    linalg.yield %r : f32
  }
  %1 = linalg.map ins(%x : tensor<6x20xf32>) outs(%e : tensor<6x20xf32>) (%v: f32, %old: f32) {
    %r = math.erfc %v : f32
    linalg.yield %r : f32
  }
  %2 = linalg.map ins(%x : tensor<6x20xf32>) outs(%e : tensor<6x20xf32>) (%v: f32, %old: f32) {
    %a = math.absf %v : f32
    %p = arith.addf %a, %one : f32
    %r = math.log10 %p : f32
    linalg.yield %r : f32
  }
  %3 = linalg.map ins(%x : tensor<6x20xf32>) outs(%e : tensor<6x20xf32>) (%v: f32, %old: f32) {
    %a = math.absf %v : f32
    %p = arith.addf %a, %one : f32
    %r = math.log1p %p : f32
    linalg.yield %r : f32
  }
  %4 = linalg.map ins(%x : tensor<6x20xf32>) outs(%e : tensor<6x20xf32>) (%v: f32, %old: f32) {
    %a = math.absf %v : f32
    %p = arith.addf %a, %one : f32
    %r = math.log2 %p : f32
    linalg.yield %r : f32
  }
  %5 = linalg.map ins(%x : tensor<6x20xf32>) outs(%e : tensor<6x20xf32>) (%v: f32, %old: f32) {
    %r = math.cbrt %v : f32
    linalg.yield %r : f32
  }
  %6 = linalg.map ins(%x : tensor<6x20xf32>) outs(%e : tensor<6x20xf32>) (%v: f32, %old: f32) {
    %r = math.sin %v : f32
    linalg.yield %r : f32
  }
  %7 = linalg.map ins(%x : tensor<6x20xf32>) outs(%e : tensor<6x20xf32>) (%v: f32, %old: f32) {
    %r = math.cos %v : f32
    linalg.yield %r : f32
  }
  %8 = linalg.map ins(%x : tensor<6x20xf32>) outs(%e : tensor<6x20xf32>) (%v: f32, %old: f32) {
    %r = math.tan %v : f32
    linalg.yield %r : f32
  }
  %9 = linalg.map ins(%x : tensor<6x20xf32>) outs(%e : tensor<6x20xf32>) (%v: f32, %old: f32) {
    %r = math.sinh %v : f32
    linalg.yield %r : f32
  }
  %10 = linalg.map ins(%x : tensor<6x20xf32>) outs(%e : tensor<6x20xf32>) (%v: f32, %old: f32) {
    %r = math.cosh %v : f32
    linalg.yield %r : f32
  }
  %11 = linalg.map ins(%x : tensor<6x20xf32>) outs(%e : tensor<6x20xf32>) (%v: f32, %old: f32) {
    %r = math.asinh %v : f32
    linalg.yield %r : f32
  }
  %12 = linalg.map ins(%x : tensor<6x20xf32>) outs(%e : tensor<6x20xf32>) (%v: f32, %old: f32) {
    %r = math.atan %v : f32
    linalg.yield %r : f32
  }
  %13 = linalg.map ins(%x : tensor<6x20xf32>) outs(%e : tensor<6x20xf32>) (%v: f32, %old: f32) {
    %a = math.absf %v : f32
    %p = arith.addf %a, %one : f32
    %r = math.atan2 %v, %p : f32
    linalg.yield %r : f32
  }
  %14 = linalg.map ins(%x : tensor<6x20xf32>) outs(%e : tensor<6x20xf32>) (%v: f32, %old: f32) {
    %r = math.ceil %v : f32
    linalg.yield %r : f32
  }
  %15 = linalg.map ins(%x : tensor<6x20xf32>) outs(%e : tensor<6x20xf32>) (%v: f32, %old: f32) {
    %r = math.floor %v : f32
    linalg.yield %r : f32
  }
  %16 = linalg.map ins(%x : tensor<6x20xf32>) outs(%e : tensor<6x20xf32>) (%v: f32, %old: f32) {
    %r = math.round %v : f32
    linalg.yield %r : f32
  }
  %17 = linalg.map ins(%x : tensor<6x20xf32>) outs(%e : tensor<6x20xf32>) (%v: f32, %old: f32) {
    %r = math.trunc %v : f32
    linalg.yield %r : f32
  }
  %18 = linalg.map ins(%x : tensor<6x20xf32>) outs(%e : tensor<6x20xf32>) (%v: f32, %old: f32) {
    %a = math.absf %v : f32
    %p = arith.addf %a, %one : f32
    %r = math.copysign %p, %v : f32
    linalg.yield %r : f32
  }
  %19 = linalg.map ins(%x : tensor<6x20xf32>) outs(%e : tensor<6x20xf32>) (%v: f32, %old: f32) {
    %a = math.absf %v : f32
    %p = arith.addf %a, %one : f32
    %r = math.powf %p, %v : f32
    linalg.yield %r : f32
  }
  %20 = linalg.map ins(%x : tensor<6x20xf32>) outs(%e : tensor<6x20xf32>) (%v: f32, %old: f32) {
    %r = math.fpowi %v, %i : f32, i32
    linalg.yield %r : f32
  }
  %21 = linalg.map ins(%x : tensor<6x20xf32>) outs(%e : tensor<6x20xf32>) (%v: f32, %old: f32) {
    %r = math.clampf %v to [%low, %high] : f32
    linalg.yield %r : f32
  }
  %22 = linalg.map ins(%x : tensor<6x20xf32>) outs(%e : tensor<6x20xf32>) (%v: f32, %old: f32) {
    %n = math.isnan %v : f32
    %r = arith.uitofp %n : i1 to f32
    linalg.yield %r : f32
  }
  %23 = linalg.map ins(%x : tensor<6x20xf32>) outs(%e : tensor<6x20xf32>) (%v: f32, %old: f32) {
    %a = math.absf %v : f32
    %p = arith.addf %a, %one : f32
    %n = arith.cmpf one, %v, %low : f32
    %m = arith.cmpf ult, %v, %high : f32
    %o = arith.andi %n, %m : i1
    %r = arith.select %o, %v, %p : f32
    linalg.yield %r : f32
  }
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23 : tensor<6x20xf32>, tensor<6x20xf32>, tensor<6x20xf32>, tensor<6x20xf32>, tensor<6x20xf32>, tensor<6x20xf32>, tensor<6x20xf32>, tensor<6x20xf32>, tensor<6x20xf32>, tensor<6x20xf32>, tensor<6x20xf32>, tensor<6x20xf32>, tensor<6x20xf32>, tensor<6x20xf32>, tensor<6x20xf32>, tensor<6x20xf32>, tensor<6x20xf32>, tensor<6x20xf32>, tensor<6x20xf32>, tensor<6x20xf32>, tensor<6x20xf32>, tensor<6x20xf32>, tensor<6x20xf32>, tensor<6x20xf32>
}

// Functions of 16 bits, some of which would overflow on the way, and powers of
// negative numbers; what is no number, and what is none of f16.
func.func @narrow_library(%x: tensor<6x20xf16>, %y: tensor<6x20xbf16>, %z: tensor<6x20xf32>) -> (tensor<6x20xf16>, tensor<6x20xf16>, tensor<6x20xf16>, tensor<6x20xf16>, tensor<6x20xbf16>, tensor<6x20xbf16>, tensor<6x20xf32>, tensor<6x20xf32>) {
  %e = tensor.empty() : tensor<6x20xf16>
  %f = tensor.empty() : tensor<6x20xbf16>
  %g = tensor.empty() : tensor<6x20xf32>
  %c11 = arith.constant 11.2 : f16
  %c4 = arith.constant 4.0 : bf16
  %c3 = arith.constant -3.0 : bf16
  %c5 = arith.constant 5.0 : f32
  %c12 = arith.constant 12.0 : f32
  %0 = linalg.map ins(%x : tensor<6x20xf16>) outs(%e : tensor<6x20xf16>) (%v: f16, %old: f16) {
    %s = arith.mulf %v, %c11 : f16
    %r = math.round %s : f16
    linalg.yield %r : f16
  }
  %1 = linalg.map ins(%x : tensor<6x20xf16>) outs(%e : tensor<6x20xf16>) (%v: f16, %old: f16) {
    %s = arith.mulf %v, %c11 : f16
    %r = math.cosh %s : f16
    linalg.yield %r : f16
  }
  %2 = linalg.map ins(%x : tensor<6x20xf16>) outs(%e : tensor<6x20xf16>) (%v: f16, %old: f16) {
    %r = math.log %v : f16
    linalg.yield %r : f16
  }
  %3 = linalg.map ins(%x : tensor<6x20xf16>) outs(%e : tensor<6x20xf16>) (%v: f16, %old: f16) {
    %s = arith.mulf %v, %c11 : f16
    %t = arith.mulf %s, %s : f16
    %r = math.exp %t : f16
    linalg.yield %r : f16
  }
  %4 = linalg.map ins(%y : tensor<6x20xbf16>) outs(%f : tensor<6x20xbf16>) (%v: bf16, %old: bf16) {
    %r = math.powf %v, %c4 : bf16
    linalg.yield %r : bf16
  }
  %5 = linalg.map ins(%y : tensor<6x20xbf16>) outs(%f : tensor<6x20xbf16>) (%v: bf16, %old: bf16) {
    %p = math.powf %v, %c3 : bf16
    %a = math.absf %p : bf16
    %q = math.rsqrt %a : bf16
    %r = arith.addf %p, %q : bf16
    linalg.yield %r : bf16
  }
  %6 = linalg.map ins(%z : tensor<6x20xf32>) outs(%g : tensor<6x20xf32>) (%v: f32, %old: f32) {
    %r = math.powf %v, %c5 : f32
    linalg.yield %r : f32
  }
  // Whole numbers from -12 to 12, to the power of such.
  %7 = linalg.map ins(%z : tensor<6x20xf32>) outs(%g : tensor<6x20xf32>) (%v: f32, %old: f32) {
    %s = arith.mulf %v, %c12 : f32
    %t = math.roundeven %s : f32
    %u = math.powf %t, %t : f32
    %r = math.powf %u, %v : f32
    linalg.yield %r : f32
  }
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<6x20xf16>, tensor<6x20xf16>, tensor<6x20xf16>, tensor<6x20xf16>, tensor<6x20xbf16>, tensor<6x20xbf16>, tensor<6x20xf32>, tensor<6x20xf32>
}

// Integers keep the bits that their type has.
func.func @integers(%x: tensor<6x20xi8>, %y: tensor<6x20xi8>, %z: tensor<6x20xi32>) -> (tensor<6x20xi8>, tensor<6x20xi8>, tensor<6x20xi8>, tensor<6x20xi32>) {
  %e = tensor.empty() : tensor<6x20xi8>
  %g = tensor.empty() : tensor<6x20xi32>
  %0 = linalg.map { arith.addi } ins(%x, %y : tensor<6x20xi8>, tensor<6x20xi8>) outs(%e : tensor<6x20xi8>)
  %1 = linalg.map { arith.subi } ins(%0, %y : tensor<6x20xi8>, tensor<6x20xi8>) outs(%e : tensor<6x20xi8>)
  %2 = linalg.map { arith.muli } ins(%x, %y : tensor<6x20xi8>, tensor<6x20xi8>) outs(%e : tensor<6x20xi8>)
  %3 = linalg.map ins(%z : tensor<6x20xi32>) outs(%g : tensor<6x20xi32>) (%v: i32, %old: i32) {
    %c = arith.constant 1000003 : i32
    %a = arith.muli %v, %c : i32
    %b = arith.muli %a, %a : i32
    linalg.yield %b : i32
  }
  return %0, %1, %2, %3 : tensor<6x20xi8>, tensor<6x20xi8>, tensor<6x20xi8>, tensor<6x20xi32>
}

// Integers behind a convolution: divisions that round up and down, shifts, bits
// and comparisons.
func.func @integer_epilogue(%x: tensor<2x6x7x32xi8>, %w: tensor<24x3x3x32xi8>) -> tensor<2x6x7x24xi8> {
  %c3 = arith.constant 3 : i32
  %c7 = arith.constant 7 : i32
  %minus = arith.constant -5 : i32
  %e = tensor.empty() : tensor<2x6x7x24xi32>
  %c = conv.forward ins(%x, %w : tensor<2x6x7x32xi8>, tensor<24x3x3x32xi8>) outs(%e : tensor<2x6x7x24xi32>) pad [1, 1] -> tensor<2x6x7x24xi32>
  %o = tensor.empty() : tensor<2x6x7x24xi8>
  %y = linalg.generic {indexing_maps = [#element, #element], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%c : tensor<2x6x7x24xi32>) outs(%o : tensor<2x6x7x24xi8>) {
  ^bb0(%a: i32, %old: i8):
    %0 = arith.floordivsi %a, %c7 : i32
    %1 = arith.ceildivsi %a, %minus : i32
    %2 = arith.ceildivui %a, %c7 : i32
    %3 = arith.shrsi %a, %c3 : i32
    %4 = arith.shrui %2, %c3 : i32
    %5 = arith.cmpi slt, %0, %1 : i32
    %6 = arith.cmpi ult, %a, %4 : i32
    %7 = arith.select %5, %0, %3 : i32
    %8 = arith.select %6, %1, %7 : i32
    %9 = arith.remsi %8, %c7 : i32
    %10 = arith.shli %9, %c3 : i32
    %11 = arith.xori %10, %4 : i32
    %12 = arith.trunci %11 : i32 to i8
    linalg.yield %12 : i8
  } -> tensor<2x6x7x24xi8>
  return %y : tensor<2x6x7x24xi8>
}

// The gradient of the filter and that of the bias: a product and a sum in one
// plan, each in kernels of its own.
func.func @bias_gradient(%x: tensor<3x9x8x16xbf16>, %dy: tensor<3x9x8x40xbf16>) -> (tensor<40x3x3x16xf32>, tensor<40xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<40x3x3x16xf32>
  %dw = conv.wgrad ins(%x, %dy : tensor<3x9x8x16xbf16>, tensor<3x9x8x40xbf16>) outs(%e : tensor<40x3x3x16xf32>) pad [1, 1] -> tensor<40x3x3x16xf32>
  %f = tensor.empty() : tensor<40xf32>
  %i = linalg.fill ins(%zero : f32) outs(%f : tensor<40xf32>) -> tensor<40xf32>
  %db = linalg.generic {indexing_maps = [affine_map<(k, n, p, q) -> (n, p, q, k)>, affine_map<(k, n, p, q) -> (k)>], iterator_types = ["parallel", "reduction", "reduction", "reduction"]}
      ins(%dy : tensor<3x9x8x40xbf16>) outs(%i : tensor<40xf32>) {
  ^bb0(%a: bf16, %sum: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<40xf32>
  return %dw, %db : tensor<40x3x3x16xf32>, tensor<40xf32>
}

// What each image and channel is multiplied by is no epilogue: a kernel of its
// own, which reads f32 and writes bf16.
func.func @squeeze_excite(%x: tensor<2x6x7x16xbf16>, %w: tensor<24x3x3x16xbf16>, %s: tensor<2x24xf32>) -> tensor<2x6x7x24xbf16> {
  %e = tensor.empty() : tensor<2x6x7x24xf32>
  %y = conv.forward ins(%x, %w : tensor<2x6x7x16xbf16>, tensor<24x3x3x16xbf16>) outs(%e : tensor<2x6x7x24xf32>) pad [1, 1] -> tensor<2x6x7x24xf32>
  %o = tensor.empty() : tensor<2x6x7x24xbf16>
  %r = linalg.generic {indexing_maps = [affine_map<(n, h, w, c) -> (n, h, w, c)>, affine_map<(n, h, w, c) -> (n, c)>, affine_map<(n, h, w, c) -> (n, h, w, c)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%y, %s : tensor<2x6x7x24xf32>, tensor<2x24xf32>) outs(%o : tensor<2x6x7x24xbf16>) {
  ^bb0(%a: f32, %b: f32, %old: bf16):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.truncf %0 : f32 to bf16
    linalg.yield %1 : bf16
  } -> tensor<2x6x7x24xbf16>
  return %r : tensor<2x6x7x24xbf16>
}

// The same with channels first, where the convolution's kernel transposes its
// result.
func.func @squeeze_excite_first(%x: tensor<2x32x9x10xbf16>, %w: tensor<24x32x3x3xbf16>, %s: tensor<2x24xf32>) -> tensor<2x24x9x10xbf16> {
  %e = tensor.empty() : tensor<2x24x9x10xf32>
  %y = conv.forward ins(%x, %w : tensor<2x32x9x10xbf16>, tensor<24x32x3x3xbf16>) outs(%e : tensor<2x24x9x10xf32>) pad [1, 1] layout nchw -> tensor<2x24x9x10xf32>
  %o = tensor.empty() : tensor<2x24x9x10xbf16>
  %r = linalg.generic {indexing_maps = [affine_map<(n, c, h, w) -> (n, c, h, w)>, affine_map<(n, c, h, w) -> (n, c)>, affine_map<(n, c, h, w) -> (n, c, h, w)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%y, %s : tensor<2x24x9x10xf32>, tensor<2x24xf32>) outs(%o : tensor<2x24x9x10xbf16>) {
  ^bb0(%a: f32, %b: f32, %old: bf16):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.truncf %0 : f32 to bf16
    linalg.yield %1 : bf16
  } -> tensor<2x24x9x10xbf16>
  return %r : tensor<2x24x9x10xbf16>
}

// Two results of one operation.
func.func @two_results(%x: tensor<2x6x7x16xbf16>, %w: tensor<24x3x3x16xbf16>) -> (tensor<2x6x7x24xf32>, tensor<2x6x7x24xf32>) {
  %e = tensor.empty() : tensor<2x6x7x24xf32>
  %y = conv.forward ins(%x, %w : tensor<2x6x7x16xbf16>, tensor<24x3x3x16xbf16>) outs(%e : tensor<2x6x7x24xf32>) pad [1, 1] -> tensor<2x6x7x24xf32>
  %zero = arith.constant 0.0 : f32
  %r:2 = linalg.generic {indexing_maps = [affine_map<(n, h, w, c) -> (n, h, w, c)>, affine_map<(n, h, w, c) -> (n, h, w, c)>, affine_map<(n, h, w, c) -> (n, h, w, c)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%y : tensor<2x6x7x24xf32>) outs(%e, %e : tensor<2x6x7x24xf32>, tensor<2x6x7x24xf32>) {
  ^bb0(%a: f32, %old0: f32, %old1: f32):
    %0 = arith.maximumf %a, %zero : f32
    %1 = arith.minimumf %a, %zero : f32
    linalg.yield %0, %1 : f32, f32
  } -> (tensor<2x6x7x24xf32>, tensor<2x6x7x24xf32>)
  return %r#0, %r#1 : tensor<2x6x7x24xf32>, tensor<2x6x7x24xf32>
}

// The sum and the sum of squares of each row.
func.func @moments(%x: tensor<8x64xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(n, k) -> (n, k)>, affine_map<(n, k) -> (n)>, affine_map<(n, k) -> (n)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x64xf32>) outs(%i, %i : tensor<8xf32>, tensor<8xf32>) {
  ^bb0(%a: f32, %sum: f32, %squares: f32):
    %0 = arith.addf %sum, %a : f32
    %1 = arith.mulf %a, %a : f32
    %2 = arith.addf %squares, %1 : f32
    linalg.yield %0, %2 : f32, f32
  } -> (tensor<8xf32>, tensor<8xf32>)
  return %r#0, %r#1 : tensor<8xf32>, tensor<8xf32>
}

// Zeros around the input are padding.
func.func @pad(%x: tensor<1x6x6x16xbf16>, %w: tensor<32x3x3x16xbf16>) -> tensor<1x8x8x32xbf16> {
  %zero = arith.constant 0.0 : bf16
  %p = tensor.pad %x low[0, 2, 2, 0] high[0, 2, 2, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : bf16
  } : tensor<1x6x6x16xbf16> to tensor<1x10x10x16xbf16>
  %e = tensor.empty() : tensor<1x8x8x32xbf16>
  %y = conv.forward ins(%p, %w : tensor<1x10x10x16xbf16>, tensor<32x3x3x16xbf16>) outs(%e : tensor<1x8x8x32xbf16>) -> tensor<1x8x8x32xbf16>
  return %y : tensor<1x8x8x32xbf16>
}

// The sum over positions of a result in bf16: its roundings, of which some go
// the other way than the definition's, are part of the sum's error.
func.func @sum_of_rounded(%x: tensor<2x8x8x16xbf16>, %w: tensor<32x3x3x16xbf16>) -> (tensor<2x8x8x32xbf16>, tensor<32xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x8x8x32xbf16>
  %y = conv.forward ins(%x, %w : tensor<2x8x8x16xbf16>, tensor<32x3x3x16xbf16>) outs(%e : tensor<2x8x8x32xbf16>) pad [1, 1] -> tensor<2x8x8x32xbf16>
  %f = tensor.empty() : tensor<32xf32>
  %i = linalg.fill ins(%zero : f32) outs(%f : tensor<32xf32>) -> tensor<32xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(c, n, h, w) -> (n, h, w, c)>, affine_map<(c, n, h, w) -> (c)>], iterator_types = ["parallel", "reduction", "reduction", "reduction"]}
      ins(%y : tensor<2x8x8x32xbf16>) outs(%i : tensor<32xf32>) {
  ^bb0(%a: bf16, %sum: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<32xf32>
  return %y, %s : tensor<2x8x8x32xbf16>, tensor<32xf32>
}

// Poolings with a stride along the innermost dimension of what they make.
func.func @pooling_channels_first(%x: tensor<2x8x16x16xf16>) -> tensor<2x8x8x8xf16> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<2x8x8x8xf16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<2x8x8x8xf16>) -> tensor<2x8x8x8xf16>
  %window = tensor.empty() : tensor<2x2xf16>
  %p = linalg.pooling_nchw_max {strides = dense<2> : tensor<2xi64>} ins(%x, %window : tensor<2x8x16x16xf16>, tensor<2x2xf16>) outs(%f : tensor<2x8x8x8xf16>) -> tensor<2x8x8x8xf16>
  return %p : tensor<2x8x8x8xf16>
}

func.func @pooling_transposed(%x: tensor<2x8x8x16xf16>, %w: tensor<16x1x1x16xf16>) -> tensor<2x16x4x4xf16> {
  %e0 = tensor.empty() : tensor<2x8x8x16xf16>
  %y = conv.forward ins(%x, %w : tensor<2x8x8x16xf16>, tensor<16x1x1x16xf16>) outs(%e0 : tensor<2x8x8x16xf16>) -> tensor<2x8x8x16xf16>
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<2x4x4x16xf16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<2x4x4x16xf16>) -> tensor<2x4x4x16xf16>
  %window = tensor.empty() : tensor<2x2xf16>
  %p = linalg.pooling_nhwc_max {strides = dense<2> : tensor<2xi64>} ins(%y, %window : tensor<2x8x8x16xf16>, tensor<2x2xf16>) outs(%f : tensor<2x4x4x16xf16>) -> tensor<2x4x4x16xf16>
  %g = tensor.empty() : tensor<2x16x4x4xf16>
  %t = linalg.transpose ins(%p : tensor<2x4x4x16xf16>) outs(%g : tensor<2x16x4x4xf16>) permutation = [0, 3, 1, 2]
  return %t : tensor<2x16x4x4xf16>
}

// Behind a convolution, sums of its filter: a row that a kernel of its own makes,
// and that operations in the kernel of the convolution scale.
func.func @sums_of_filter(%x: tensor<1x7x6x96xbf16>, %w: tensor<48x3x3x96xbf16>) -> tensor<1x5x4x48xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<1x5x4x48xf32>
  %y = conv.forward ins(%x, %w : tensor<1x7x6x96xbf16>, tensor<48x3x3x96xbf16>) outs(%e0 : tensor<1x5x4x48xf32>) -> tensor<1x5x4x48xf32>
  %e1 = tensor.empty() : tensor<48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e1 : tensor<48xf32>) -> tensor<48xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(k, r, s, c) -> (k, r, s, c)>, affine_map<(k, r, s, c) -> (k)>],
      iterator_types = ["parallel", "reduction", "reduction", "reduction"]}
      ins(%w : tensor<48x3x3x96xbf16>) outs(%f : tensor<48xf32>) {
  ^bb0(%a: bf16, %sum: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<48xf32>
  %e2 = tensor.empty() : tensor<48xf32>
  %h = linalg.generic {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>], iterator_types = ["parallel"]}
      ins(%s : tensor<48xf32>) outs(%e2 : tensor<48xf32>) {
  ^bb0(%a: f32, %o: f32):
    %half = arith.constant 0.5 : f32
    %0 = arith.mulf %a, %half : f32
    linalg.yield %0 : f32
  } -> tensor<48xf32>
  %e3 = tensor.empty() : tensor<1x5x4x48xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, p, q, k) -> (n, p, q, k)>, affine_map<(n, p, q, k) -> (k)>, affine_map<(n, p, q, k) -> (n, p, q, k)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%y, %h : tensor<1x5x4x48xf32>, tensor<48xf32>) outs(%e3 : tensor<1x5x4x48xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.subf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<1x5x4x48xf32>
  return %r : tensor<1x5x4x48xf32>
}
