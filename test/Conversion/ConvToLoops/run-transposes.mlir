// REQUIRES: mlir
// RUN: conv-opt %s --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" \
// RUN:   --convert-conv-to-loops --convert-linalg-to-loops --expand-strided-metadata --lower-affine \
// RUN:   --convert-scf-to-cf --convert-to-llvm --reconcile-unrealized-casts \
// RUN: | mlir-runner -e main -entry-point-result=void \
// RUN:     -shared-libs=%mlir_lib_dir/libmlir_runner_utils.so,%mlir_lib_dir/libmlir_c_runner_utils.so \
// RUN: | FileCheck %s

// The three operations are one linear map and its transposes:
//
//   <dy, forward(x, w)> = <dgrad(dy, w), x> = <wgrad(x, dy), w>
//
// in exact small integers, for convolutions that have something of everything.

func.func private @printMemrefF32(tensor<*xf32>)

// Integers from -2 to 2 without a pattern that a wrong index would keep.
func.func @data(%count: index, %seed: index) -> tensor<?xf32> {
  %e = tensor.empty(%count) : tensor<?xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e : tensor<?xf32>) {
  ^bb0(%old: f32):
    %i = linalg.index 0 : index
    %factor = arith.constant 1103515245 : index
    %shift = arith.constant 16 : index
    %range = arith.constant 5 : index
    %centre = arith.constant -2 : index
    %j = arith.addi %i, %seed : index
    %a = arith.muli %j, %factor : index
    %b = arith.shrui %a, %shift : index
    %c = arith.remui %b, %range : index
    %d = arith.addi %c, %centre : index
    %f = arith.index_cast %d : index to i32
    %g = arith.sitofp %f : i32 to f32
    linalg.yield %g : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

func.func @dot(%a: tensor<?xf32>, %b: tensor<?xf32>) -> f32 {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %0 = linalg.dot ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %1 = tensor.extract %0[] : tensor<f32>
  return %1 : f32
}

// 1-D: stride beyond the filter, so that dgrad has untouched positions.
func.func @one() {
  %nx = arith.constant 102 : index
  %sx = arith.constant 7 : index
  %fx = call @data(%nx, %sx) : (index, index) -> tensor<?xf32>
  %tx = tensor.cast %fx : tensor<?xf32> to tensor<102xf32>
  %x = tensor.expand_shape %tx [[0, 1, 2]] output_shape [2, 17, 3] : tensor<102xf32> into tensor<2x17x3xf32>
  %nw = arith.constant 30 : index
  %sw = arith.constant 100010 : index
  %fw = call @data(%nw, %sw) : (index, index) -> tensor<?xf32>
  %tw = tensor.cast %fw : tensor<?xf32> to tensor<30xf32>
  %w = tensor.expand_shape %tw [[0, 1, 2]] output_shape [5, 2, 3] : tensor<30xf32> into tensor<5x2x3xf32>
  %ny = arith.constant 60 : index
  %sy = arith.constant 200013 : index
  %fy = call @data(%ny, %sy) : (index, index) -> tensor<?xf32>
  %ty = tensor.cast %fy : tensor<?xf32> to tensor<60xf32>
  %dy = tensor.expand_shape %ty [[0, 1, 2]] output_shape [2, 6, 5] : tensor<60xf32> into tensor<2x6x5xf32>
  %y0 = tensor.empty() : tensor<2x6x5xf32>
  %y = conv.forward ins(%x, %w : tensor<2x17x3xf32>, tensor<5x2x3xf32>) outs(%y0 : tensor<2x6x5xf32>)
         stride [3] pad [1:0] -> tensor<2x6x5xf32>
  %flat_y = tensor.collapse_shape %y [[0, 1, 2]] : tensor<2x6x5xf32> into tensor<60xf32>
  %any_y = tensor.cast %flat_y : tensor<60xf32> to tensor<?xf32>
  %rforward = call @dot(%fy, %any_y) : (tensor<?xf32>, tensor<?xf32>) -> f32
  %dx0 = tensor.empty() : tensor<2x17x3xf32>
  %dx = conv.dgrad ins(%dy, %w : tensor<2x6x5xf32>, tensor<5x2x3xf32>) outs(%dx0 : tensor<2x17x3xf32>)
         stride [3] pad [1:0] -> tensor<2x17x3xf32>
  %flat_dx = tensor.collapse_shape %dx [[0, 1, 2]] : tensor<2x17x3xf32> into tensor<102xf32>
  %any_dx = tensor.cast %flat_dx : tensor<102xf32> to tensor<?xf32>
  %rdgrad = call @dot(%fx, %any_dx) : (tensor<?xf32>, tensor<?xf32>) -> f32
  %dw0 = tensor.empty() : tensor<5x2x3xf32>
  %dw = conv.wgrad ins(%x, %dy : tensor<2x17x3xf32>, tensor<2x6x5xf32>) outs(%dw0 : tensor<5x2x3xf32>)
         stride [3] pad [1:0] -> tensor<5x2x3xf32>
  %flat_dw = tensor.collapse_shape %dw [[0, 1, 2]] : tensor<5x2x3xf32> into tensor<30xf32>
  %any_dw = tensor.cast %flat_dw : tensor<30xf32> to tensor<?xf32>
  %rwgrad = call @dot(%fw, %any_dw) : (tensor<?xf32>, tensor<?xf32>) -> f32
  %all = tensor.from_elements %rforward, %rdgrad, %rwgrad : tensor<3xf32>
  %u = tensor.cast %all : tensor<3xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  return
}

// 2-D, everything unequal.
func.func @two() {
  %nx = arith.constant 504 : index
  %sx = arith.constant 7 : index
  %fx = call @data(%nx, %sx) : (index, index) -> tensor<?xf32>
  %tx = tensor.cast %fx : tensor<?xf32> to tensor<504xf32>
  %x = tensor.expand_shape %tx [[0, 1, 2, 3]] output_shape [2, 9, 7, 4] : tensor<504xf32> into tensor<2x9x7x4xf32>
  %nw = arith.constant 72 : index
  %sw = arith.constant 100010 : index
  %fw = call @data(%nw, %sw) : (index, index) -> tensor<?xf32>
  %tw = tensor.cast %fw : tensor<?xf32> to tensor<72xf32>
  %w = tensor.expand_shape %tw [[0, 1, 2, 3]] output_shape [6, 3, 2, 2] : tensor<72xf32> into tensor<6x3x2x2xf32>
  %ny = arith.constant 144 : index
  %sy = arith.constant 200013 : index
  %fy = call @data(%ny, %sy) : (index, index) -> tensor<?xf32>
  %ty = tensor.cast %fy : tensor<?xf32> to tensor<144xf32>
  %dy = tensor.expand_shape %ty [[0, 1, 2, 3]] output_shape [2, 4, 3, 6] : tensor<144xf32> into tensor<2x4x3x6xf32>
  %y0 = tensor.empty() : tensor<2x4x3x6xf32>
  %y = conv.forward ins(%x, %w : tensor<2x9x7x4xf32>, tensor<6x3x2x2xf32>) outs(%y0 : tensor<2x4x3x6xf32>)
         stride [2, 3] pad [1:2, 0:3] dilation [2, 1] groups 2 -> tensor<2x4x3x6xf32>
  %flat_y = tensor.collapse_shape %y [[0, 1, 2, 3]] : tensor<2x4x3x6xf32> into tensor<144xf32>
  %any_y = tensor.cast %flat_y : tensor<144xf32> to tensor<?xf32>
  %rforward = call @dot(%fy, %any_y) : (tensor<?xf32>, tensor<?xf32>) -> f32
  %dx0 = tensor.empty() : tensor<2x9x7x4xf32>
  %dx = conv.dgrad ins(%dy, %w : tensor<2x4x3x6xf32>, tensor<6x3x2x2xf32>) outs(%dx0 : tensor<2x9x7x4xf32>)
         stride [2, 3] pad [1:2, 0:3] dilation [2, 1] groups 2 -> tensor<2x9x7x4xf32>
  %flat_dx = tensor.collapse_shape %dx [[0, 1, 2, 3]] : tensor<2x9x7x4xf32> into tensor<504xf32>
  %any_dx = tensor.cast %flat_dx : tensor<504xf32> to tensor<?xf32>
  %rdgrad = call @dot(%fx, %any_dx) : (tensor<?xf32>, tensor<?xf32>) -> f32
  %dw0 = tensor.empty() : tensor<6x3x2x2xf32>
  %dw = conv.wgrad ins(%x, %dy : tensor<2x9x7x4xf32>, tensor<2x4x3x6xf32>) outs(%dw0 : tensor<6x3x2x2xf32>)
         stride [2, 3] pad [1:2, 0:3] dilation [2, 1] groups 2 -> tensor<6x3x2x2xf32>
  %flat_dw = tensor.collapse_shape %dw [[0, 1, 2, 3]] : tensor<6x3x2x2xf32> into tensor<72xf32>
  %any_dw = tensor.cast %flat_dw : tensor<72xf32> to tensor<?xf32>
  %rwgrad = call @dot(%fw, %any_dw) : (tensor<?xf32>, tensor<?xf32>) -> f32
  %all = tensor.from_elements %rforward, %rdgrad, %rwgrad : tensor<3xf32>
  %u = tensor.cast %all : tensor<3xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  return
}

// Channels first, cropped at one end, stride and dilation with a common divisor.
func.func @two_nchw() {
  %nx = arith.constant 528 : index
  %sx = arith.constant 7 : index
  %fx = call @data(%nx, %sx) : (index, index) -> tensor<?xf32>
  %tx = tensor.cast %fx : tensor<?xf32> to tensor<528xf32>
  %x = tensor.expand_shape %tx [[0, 1, 2, 3]] output_shape [2, 3, 11, 8] : tensor<528xf32> into tensor<2x3x11x8xf32>
  %nw = arith.constant 72 : index
  %sw = arith.constant 100010 : index
  %fw = call @data(%nw, %sw) : (index, index) -> tensor<?xf32>
  %tw = tensor.cast %fw : tensor<?xf32> to tensor<72xf32>
  %w = tensor.expand_shape %tw [[0, 1, 2, 3]] output_shape [4, 3, 2, 3] : tensor<72xf32> into tensor<4x3x2x3xf32>
  %ny = arith.constant 32 : index
  %sy = arith.constant 200013 : index
  %fy = call @data(%ny, %sy) : (index, index) -> tensor<?xf32>
  %ty = tensor.cast %fy : tensor<?xf32> to tensor<32xf32>
  %dy = tensor.expand_shape %ty [[0, 1, 2, 3]] output_shape [2, 4, 2, 2] : tensor<32xf32> into tensor<2x4x2x2xf32>
  %y0 = tensor.empty() : tensor<2x4x2x2xf32>
  %y = conv.forward ins(%x, %w : tensor<2x3x11x8xf32>, tensor<4x3x2x3xf32>) outs(%y0 : tensor<2x4x2x2xf32>)
         stride [4, 2] pad [-1:3, 2:-2] dilation [6, 2] layout nchw -> tensor<2x4x2x2xf32>
  %flat_y = tensor.collapse_shape %y [[0, 1, 2, 3]] : tensor<2x4x2x2xf32> into tensor<32xf32>
  %any_y = tensor.cast %flat_y : tensor<32xf32> to tensor<?xf32>
  %rforward = call @dot(%fy, %any_y) : (tensor<?xf32>, tensor<?xf32>) -> f32
  %dx0 = tensor.empty() : tensor<2x3x11x8xf32>
  %dx = conv.dgrad ins(%dy, %w : tensor<2x4x2x2xf32>, tensor<4x3x2x3xf32>) outs(%dx0 : tensor<2x3x11x8xf32>)
         stride [4, 2] pad [-1:3, 2:-2] dilation [6, 2] layout nchw -> tensor<2x3x11x8xf32>
  %flat_dx = tensor.collapse_shape %dx [[0, 1, 2, 3]] : tensor<2x3x11x8xf32> into tensor<528xf32>
  %any_dx = tensor.cast %flat_dx : tensor<528xf32> to tensor<?xf32>
  %rdgrad = call @dot(%fx, %any_dx) : (tensor<?xf32>, tensor<?xf32>) -> f32
  %dw0 = tensor.empty() : tensor<4x3x2x3xf32>
  %dw = conv.wgrad ins(%x, %dy : tensor<2x3x11x8xf32>, tensor<2x4x2x2xf32>) outs(%dw0 : tensor<4x3x2x3xf32>)
         stride [4, 2] pad [-1:3, 2:-2] dilation [6, 2] layout nchw -> tensor<4x3x2x3xf32>
  %flat_dw = tensor.collapse_shape %dw [[0, 1, 2, 3]] : tensor<4x3x2x3xf32> into tensor<72xf32>
  %any_dw = tensor.cast %flat_dw : tensor<72xf32> to tensor<?xf32>
  %rwgrad = call @dot(%fw, %any_dw) : (tensor<?xf32>, tensor<?xf32>) -> f32
  %all = tensor.from_elements %rforward, %rdgrad, %rwgrad : tensor<3xf32>
  %u = tensor.cast %all : tensor<3xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  return
}

// Depthwise with multiplier.
func.func @depthwise() {
  %nx = arith.constant 90 : index
  %sx = arith.constant 7 : index
  %fx = call @data(%nx, %sx) : (index, index) -> tensor<?xf32>
  %tx = tensor.cast %fx : tensor<?xf32> to tensor<90xf32>
  %x = tensor.expand_shape %tx [[0, 1, 2, 3]] output_shape [1, 6, 5, 3] : tensor<90xf32> into tensor<1x6x5x3xf32>
  %nw = arith.constant 54 : index
  %sw = arith.constant 100010 : index
  %fw = call @data(%nw, %sw) : (index, index) -> tensor<?xf32>
  %tw = tensor.cast %fw : tensor<?xf32> to tensor<54xf32>
  %w = tensor.expand_shape %tw [[0, 1, 2, 3]] output_shape [6, 3, 3, 1] : tensor<54xf32> into tensor<6x3x3x1xf32>
  %ny = arith.constant 72 : index
  %sy = arith.constant 200013 : index
  %fy = call @data(%ny, %sy) : (index, index) -> tensor<?xf32>
  %ty = tensor.cast %fy : tensor<?xf32> to tensor<72xf32>
  %dy = tensor.expand_shape %ty [[0, 1, 2, 3]] output_shape [1, 6, 2, 6] : tensor<72xf32> into tensor<1x6x2x6xf32>
  %y0 = tensor.empty() : tensor<1x6x2x6xf32>
  %y = conv.forward ins(%x, %w : tensor<1x6x5x3xf32>, tensor<6x3x3x1xf32>) outs(%y0 : tensor<1x6x2x6xf32>)
         stride [1, 2] pad [1, 1:0] groups 3 -> tensor<1x6x2x6xf32>
  %flat_y = tensor.collapse_shape %y [[0, 1, 2, 3]] : tensor<1x6x2x6xf32> into tensor<72xf32>
  %any_y = tensor.cast %flat_y : tensor<72xf32> to tensor<?xf32>
  %rforward = call @dot(%fy, %any_y) : (tensor<?xf32>, tensor<?xf32>) -> f32
  %dx0 = tensor.empty() : tensor<1x6x5x3xf32>
  %dx = conv.dgrad ins(%dy, %w : tensor<1x6x2x6xf32>, tensor<6x3x3x1xf32>) outs(%dx0 : tensor<1x6x5x3xf32>)
         stride [1, 2] pad [1, 1:0] groups 3 -> tensor<1x6x5x3xf32>
  %flat_dx = tensor.collapse_shape %dx [[0, 1, 2, 3]] : tensor<1x6x5x3xf32> into tensor<90xf32>
  %any_dx = tensor.cast %flat_dx : tensor<90xf32> to tensor<?xf32>
  %rdgrad = call @dot(%fx, %any_dx) : (tensor<?xf32>, tensor<?xf32>) -> f32
  %dw0 = tensor.empty() : tensor<6x3x3x1xf32>
  %dw = conv.wgrad ins(%x, %dy : tensor<1x6x5x3xf32>, tensor<1x6x2x6xf32>) outs(%dw0 : tensor<6x3x3x1xf32>)
         stride [1, 2] pad [1, 1:0] groups 3 -> tensor<6x3x3x1xf32>
  %flat_dw = tensor.collapse_shape %dw [[0, 1, 2, 3]] : tensor<6x3x3x1xf32> into tensor<54xf32>
  %any_dw = tensor.cast %flat_dw : tensor<54xf32> to tensor<?xf32>
  %rwgrad = call @dot(%fw, %any_dw) : (tensor<?xf32>, tensor<?xf32>) -> f32
  %all = tensor.from_elements %rforward, %rdgrad, %rwgrad : tensor<3xf32>
  %u = tensor.cast %all : tensor<3xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  return
}

// 3-D, dilated and strided.
func.func @three() {
  %nx = arith.constant 720 : index
  %sx = arith.constant 7 : index
  %fx = call @data(%nx, %sx) : (index, index) -> tensor<?xf32>
  %tx = tensor.cast %fx : tensor<?xf32> to tensor<720xf32>
  %x = tensor.expand_shape %tx [[0, 1, 2, 3, 4]] output_shape [2, 5, 6, 4, 3] : tensor<720xf32> into tensor<2x5x6x4x3xf32>
  %nw = arith.constant 36 : index
  %sw = arith.constant 100010 : index
  %fw = call @data(%nw, %sw) : (index, index) -> tensor<?xf32>
  %tw = tensor.cast %fw : tensor<?xf32> to tensor<36xf32>
  %w = tensor.expand_shape %tw [[0, 1, 2, 3, 4]] output_shape [2, 2, 1, 3, 3] : tensor<36xf32> into tensor<2x2x1x3x3xf32>
  %ny = arith.constant 144 : index
  %sy = arith.constant 200013 : index
  %fy = call @data(%ny, %sy) : (index, index) -> tensor<?xf32>
  %ty = tensor.cast %fy : tensor<?xf32> to tensor<144xf32>
  %dy = tensor.expand_shape %ty [[0, 1, 2, 3, 4]] output_shape [2, 4, 3, 3, 2] : tensor<144xf32> into tensor<2x4x3x3x2xf32>
  %y0 = tensor.empty() : tensor<2x4x3x3x2xf32>
  %y = conv.forward ins(%x, %w : tensor<2x5x6x4x3xf32>, tensor<2x2x1x3x3xf32>) outs(%y0 : tensor<2x4x3x3x2xf32>)
         stride [1, 2, 2] pad [1:0, 0, 2:1] dilation [2, 3, 1] -> tensor<2x4x3x3x2xf32>
  %flat_y = tensor.collapse_shape %y [[0, 1, 2, 3, 4]] : tensor<2x4x3x3x2xf32> into tensor<144xf32>
  %any_y = tensor.cast %flat_y : tensor<144xf32> to tensor<?xf32>
  %rforward = call @dot(%fy, %any_y) : (tensor<?xf32>, tensor<?xf32>) -> f32
  %dx0 = tensor.empty() : tensor<2x5x6x4x3xf32>
  %dx = conv.dgrad ins(%dy, %w : tensor<2x4x3x3x2xf32>, tensor<2x2x1x3x3xf32>) outs(%dx0 : tensor<2x5x6x4x3xf32>)
         stride [1, 2, 2] pad [1:0, 0, 2:1] dilation [2, 3, 1] -> tensor<2x5x6x4x3xf32>
  %flat_dx = tensor.collapse_shape %dx [[0, 1, 2, 3, 4]] : tensor<2x5x6x4x3xf32> into tensor<720xf32>
  %any_dx = tensor.cast %flat_dx : tensor<720xf32> to tensor<?xf32>
  %rdgrad = call @dot(%fx, %any_dx) : (tensor<?xf32>, tensor<?xf32>) -> f32
  %dw0 = tensor.empty() : tensor<2x2x1x3x3xf32>
  %dw = conv.wgrad ins(%x, %dy : tensor<2x5x6x4x3xf32>, tensor<2x4x3x3x2xf32>) outs(%dw0 : tensor<2x2x1x3x3xf32>)
         stride [1, 2, 2] pad [1:0, 0, 2:1] dilation [2, 3, 1] -> tensor<2x2x1x3x3xf32>
  %flat_dw = tensor.collapse_shape %dw [[0, 1, 2, 3, 4]] : tensor<2x2x1x3x3xf32> into tensor<36xf32>
  %any_dw = tensor.cast %flat_dw : tensor<36xf32> to tensor<?xf32>
  %rwgrad = call @dot(%fw, %any_dw) : (tensor<?xf32>, tensor<?xf32>) -> f32
  %all = tensor.from_elements %rforward, %rdgrad, %rwgrad : tensor<3xf32>
  %u = tensor.cast %all : tensor<3xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  return
}

// Input dilation, with and without a common divisor with the stride.
func.func @spread() {
  %nx = arith.constant 80 : index
  %sx = arith.constant 7 : index
  %fx = call @data(%nx, %sx) : (index, index) -> tensor<?xf32>
  %tx = tensor.cast %fx : tensor<?xf32> to tensor<80xf32>
  %x = tensor.expand_shape %tx [[0, 1, 2, 3]] output_shape [2, 5, 4, 2] : tensor<80xf32> into tensor<2x5x4x2xf32>
  %nw = arith.constant 72 : index
  %sw = arith.constant 100010 : index
  %fw = call @data(%nw, %sw) : (index, index) -> tensor<?xf32>
  %tw = tensor.cast %fw : tensor<?xf32> to tensor<72xf32>
  %w = tensor.expand_shape %tw [[0, 1, 2, 3]] output_shape [3, 3, 4, 2] : tensor<72xf32> into tensor<3x3x4x2xf32>
  %ny = arith.constant 108 : index
  %sy = arith.constant 200013 : index
  %fy = call @data(%ny, %sy) : (index, index) -> tensor<?xf32>
  %ty = tensor.cast %fy : tensor<?xf32> to tensor<108xf32>
  %dy = tensor.expand_shape %ty [[0, 1, 2, 3]] output_shape [2, 9, 2, 3] : tensor<108xf32> into tensor<2x9x2x3xf32>
  %y0 = tensor.empty() : tensor<2x9x2x3xf32>
  %y = conv.forward ins(%x, %w : tensor<2x5x4x2xf32>, tensor<3x3x4x2xf32>) outs(%y0 : tensor<2x9x2x3xf32>)
         stride [2, 3] pad [2:1, 1:4] dilation [1, 2] input_dilation [4, 2] -> tensor<2x9x2x3xf32>
  %flat_y = tensor.collapse_shape %y [[0, 1, 2, 3]] : tensor<2x9x2x3xf32> into tensor<108xf32>
  %any_y = tensor.cast %flat_y : tensor<108xf32> to tensor<?xf32>
  %rforward = call @dot(%fy, %any_y) : (tensor<?xf32>, tensor<?xf32>) -> f32
  %dx0 = tensor.empty() : tensor<2x5x4x2xf32>
  %dx = conv.dgrad ins(%dy, %w : tensor<2x9x2x3xf32>, tensor<3x3x4x2xf32>) outs(%dx0 : tensor<2x5x4x2xf32>)
         stride [2, 3] pad [2:1, 1:4] dilation [1, 2] input_dilation [4, 2] -> tensor<2x5x4x2xf32>
  %flat_dx = tensor.collapse_shape %dx [[0, 1, 2, 3]] : tensor<2x5x4x2xf32> into tensor<80xf32>
  %any_dx = tensor.cast %flat_dx : tensor<80xf32> to tensor<?xf32>
  %rdgrad = call @dot(%fx, %any_dx) : (tensor<?xf32>, tensor<?xf32>) -> f32
  %dw0 = tensor.empty() : tensor<3x3x4x2xf32>
  %dw = conv.wgrad ins(%x, %dy : tensor<2x5x4x2xf32>, tensor<2x9x2x3xf32>) outs(%dw0 : tensor<3x3x4x2xf32>)
         stride [2, 3] pad [2:1, 1:4] dilation [1, 2] input_dilation [4, 2] -> tensor<3x3x4x2xf32>
  %flat_dw = tensor.collapse_shape %dw [[0, 1, 2, 3]] : tensor<3x3x4x2xf32> into tensor<72xf32>
  %any_dw = tensor.cast %flat_dw : tensor<72xf32> to tensor<?xf32>
  %rwgrad = call @dot(%fw, %any_dw) : (tensor<?xf32>, tensor<?xf32>) -> f32
  %all = tensor.from_elements %rforward, %rdgrad, %rwgrad : tensor<3xf32>
  %u = tensor.cast %all : tensor<3xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  return
}

// 3-D, channels first, groups, input dilation.
func.func @spread_nchw() {
  %nx = arith.constant 96 : index
  %sx = arith.constant 7 : index
  %fx = call @data(%nx, %sx) : (index, index) -> tensor<?xf32>
  %tx = tensor.cast %fx : tensor<?xf32> to tensor<96xf32>
  %x = tensor.expand_shape %tx [[0, 1, 2, 3, 4]] output_shape [1, 4, 3, 2, 4] : tensor<96xf32> into tensor<1x4x3x2x4xf32>
  %nw = arith.constant 96 : index
  %sw = arith.constant 100010 : index
  %fw = call @data(%nw, %sw) : (index, index) -> tensor<?xf32>
  %tw = tensor.cast %fw : tensor<?xf32> to tensor<96xf32>
  %w = tensor.expand_shape %tw [[0, 1, 2, 3, 4]] output_shape [4, 2, 2, 2, 3] : tensor<96xf32> into tensor<4x2x2x2x3xf32>
  %ny = arith.constant 120 : index
  %sy = arith.constant 200013 : index
  %fy = call @data(%ny, %sy) : (index, index) -> tensor<?xf32>
  %ty = tensor.cast %fy : tensor<?xf32> to tensor<120xf32>
  %dy = tensor.expand_shape %ty [[0, 1, 2, 3, 4]] output_shape [1, 4, 5, 2, 3] : tensor<120xf32> into tensor<1x4x5x2x3xf32>
  %y0 = tensor.empty() : tensor<1x4x5x2x3xf32>
  %y = conv.forward ins(%x, %w : tensor<1x4x3x2x4xf32>, tensor<4x2x2x2x3xf32>) outs(%y0 : tensor<1x4x5x2x3xf32>)
         stride [1, 2, 1] pad [0:1, 1, 1:0] dilation [1, 2, 1] input_dilation [2, 3, 1] groups 2 layout nchw -> tensor<1x4x5x2x3xf32>
  %flat_y = tensor.collapse_shape %y [[0, 1, 2, 3, 4]] : tensor<1x4x5x2x3xf32> into tensor<120xf32>
  %any_y = tensor.cast %flat_y : tensor<120xf32> to tensor<?xf32>
  %rforward = call @dot(%fy, %any_y) : (tensor<?xf32>, tensor<?xf32>) -> f32
  %dx0 = tensor.empty() : tensor<1x4x3x2x4xf32>
  %dx = conv.dgrad ins(%dy, %w : tensor<1x4x5x2x3xf32>, tensor<4x2x2x2x3xf32>) outs(%dx0 : tensor<1x4x3x2x4xf32>)
         stride [1, 2, 1] pad [0:1, 1, 1:0] dilation [1, 2, 1] input_dilation [2, 3, 1] groups 2 layout nchw -> tensor<1x4x3x2x4xf32>
  %flat_dx = tensor.collapse_shape %dx [[0, 1, 2, 3, 4]] : tensor<1x4x3x2x4xf32> into tensor<96xf32>
  %any_dx = tensor.cast %flat_dx : tensor<96xf32> to tensor<?xf32>
  %rdgrad = call @dot(%fx, %any_dx) : (tensor<?xf32>, tensor<?xf32>) -> f32
  %dw0 = tensor.empty() : tensor<4x2x2x2x3xf32>
  %dw = conv.wgrad ins(%x, %dy : tensor<1x4x3x2x4xf32>, tensor<1x4x5x2x3xf32>) outs(%dw0 : tensor<4x2x2x2x3xf32>)
         stride [1, 2, 1] pad [0:1, 1, 1:0] dilation [1, 2, 1] input_dilation [2, 3, 1] groups 2 layout nchw -> tensor<4x2x2x2x3xf32>
  %flat_dw = tensor.collapse_shape %dw [[0, 1, 2, 3, 4]] : tensor<4x2x2x2x3xf32> into tensor<96xf32>
  %any_dw = tensor.cast %flat_dw : tensor<96xf32> to tensor<?xf32>
  %rwgrad = call @dot(%fw, %any_dw) : (tensor<?xf32>, tensor<?xf32>) -> f32
  %all = tensor.from_elements %rforward, %rdgrad, %rwgrad : tensor<3xf32>
  %u = tensor.cast %all : tensor<3xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  return
}

func.func @main() {
  // CHECK: {{\[}}[[ONE:-?[1-9][0-9]*]], [[ONE]], [[ONE]]]
  call @one() : () -> ()
  // CHECK: {{\[}}[[TWO:-?[1-9][0-9]*]], [[TWO]], [[TWO]]]
  call @two() : () -> ()
  // CHECK: {{\[}}[[TWO_NCHW:-?[1-9][0-9]*]], [[TWO_NCHW]], [[TWO_NCHW]]]
  call @two_nchw() : () -> ()
  // CHECK: {{\[}}[[DEPTHWISE:-?[1-9][0-9]*]], [[DEPTHWISE]], [[DEPTHWISE]]]
  call @depthwise() : () -> ()
  // CHECK: {{\[}}[[THREE:-?[1-9][0-9]*]], [[THREE]], [[THREE]]]
  call @three() : () -> ()
  // CHECK: {{\[}}[[SPREAD:-?[1-9][0-9]*]], [[SPREAD]], [[SPREAD]]]
  call @spread() : () -> ()
  // CHECK: {{\[}}[[SPREAD_NCHW:-?[1-9][0-9]*]], [[SPREAD_NCHW]], [[SPREAD_NCHW]]]
  call @spread_nchw() : () -> ()
  return
}
