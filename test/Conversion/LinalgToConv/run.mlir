// REQUIRES: mlir
// RUN: conv-opt %s --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" \
// RUN:   --convert-conv-to-loops --convert-linalg-to-loops --expand-strided-metadata --lower-affine \
// RUN:   --convert-scf-to-cf --convert-to-llvm --reconcile-unrealized-casts \
// RUN: | mlir-runner -e main -entry-point-result=void \
// RUN:     -shared-libs=%mlir_lib_dir/libmlir_runner_utils.so,%mlir_lib_dir/libmlir_c_runner_utils.so \
// RUN: | grep -v base@ > %t.linalg
// RUN: conv-opt %s --convert-linalg-to-conv --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" \
// RUN:   --convert-conv-to-loops --convert-linalg-to-loops --expand-strided-metadata --lower-affine \
// RUN:   --convert-scf-to-cf --convert-to-llvm --reconcile-unrealized-casts \
// RUN: | mlir-runner -e main -entry-point-result=void \
// RUN:     -shared-libs=%mlir_lib_dir/libmlir_runner_utils.so,%mlir_lib_dir/libmlir_c_runner_utils.so \
// RUN: | grep -v base@ > %t.conv
// RUN: diff %t.linalg %t.conv
// RUN: FileCheck %s < %t.conv
// RUN: conv-opt %s --convert-linalg-to-conv | FileCheck %s --check-prefix=IMPORTED

// The imported convolutions compute what the loops of linalg compute, in exact
// small integers. All of them are imported:
// IMPORTED-COUNT-6: conv.forward
// IMPORTED-NOT: linalg.conv
// IMPORTED-NOT: linalg.depthwise

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

// Padding, stride, dilation, a filter to be transposed.
func.func @nhwc_hwcf() {
  %nx = arith.constant 210 : index
  %sx = arith.constant 7 : index
  %fx = call @data(%nx, %sx) : (index, index) -> tensor<?xf32>
  %tx = tensor.cast %fx : tensor<?xf32> to tensor<210xf32>
  %x = tensor.expand_shape %tx [[0, 1, 2, 3]] output_shape [2, 5, 7, 3] : tensor<210xf32> into tensor<2x5x7x3xf32>
  %nw = arith.constant 72 : index
  %sw = arith.constant 100010 : index
  %fw = call @data(%nw, %sw) : (index, index) -> tensor<?xf32>
  %tw = tensor.cast %fw : tensor<?xf32> to tensor<72xf32>
  %w = tensor.expand_shape %tw [[0, 1, 2, 3]] output_shape [3, 2, 3, 4] : tensor<72xf32> into tensor<3x2x3x4xf32>
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 0, 0] high[0, 1, 2, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %zero : f32
  } : tensor<2x5x7x3xf32> to tensor<2x7x9x3xf32>
  %e = tensor.empty() : tensor<2x3x7x4xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<2x3x7x4xf32>) -> tensor<2x3x7x4xf32>
  %y = linalg.conv_2d_nhwc_hwcf {strides = dense<[2, 1]> : tensor<2xi64>, dilations = dense<[1, 2]> : tensor<2xi64>}
         ins(%p, %w : tensor<2x7x9x3xf32>, tensor<3x2x3x4xf32>) outs(%i : tensor<2x3x7x4xf32>) -> tensor<2x3x7x4xf32>
  %flat = tensor.collapse_shape %y [[0, 1, 2, 3]] : tensor<2x3x7x4xf32> into tensor<168xf32>
  %u = tensor.cast %flat : tensor<168xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  return
}

// Groups, channels first.
func.func @ngchw_fgchw() {
  %nx = arith.constant 240 : index
  %sx = arith.constant 7 : index
  %fx = call @data(%nx, %sx) : (index, index) -> tensor<?xf32>
  %tx = tensor.cast %fx : tensor<?xf32> to tensor<240xf32>
  %x = tensor.expand_shape %tx [[0, 1, 2, 3, 4]] output_shape [2, 3, 2, 4, 5] : tensor<240xf32> into tensor<2x3x2x4x5xf32>
  %nw = arith.constant 144 : index
  %sw = arith.constant 100010 : index
  %fw = call @data(%nw, %sw) : (index, index) -> tensor<?xf32>
  %tw = tensor.cast %fw : tensor<?xf32> to tensor<144xf32>
  %w = tensor.expand_shape %tw [[0, 1, 2, 3, 4]] output_shape [4, 3, 2, 2, 3] : tensor<144xf32> into tensor<4x3x2x2x3xf32>
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 0, 0, 0] high[0, 0, 0, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index, %i4: index):
    tensor.yield %zero : f32
  } : tensor<2x3x2x4x5xf32> to tensor<2x3x2x5x5xf32>
  %e = tensor.empty() : tensor<2x3x4x4x3xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<2x3x4x4x3xf32>) -> tensor<2x3x4x4x3xf32>
  %y = linalg.conv_2d_ngchw_fgchw
         ins(%p, %w : tensor<2x3x2x5x5xf32>, tensor<4x3x2x2x3xf32>) outs(%i : tensor<2x3x4x4x3xf32>) -> tensor<2x3x4x4x3xf32>
  %flat = tensor.collapse_shape %y [[0, 1, 2, 3, 4]] : tensor<2x3x4x4x3xf32> into tensor<288xf32>
  %u = tensor.cast %flat : tensor<288xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  return
}

// Groups, channels last.
func.func @nhwgc_gfhwc() {
  %nx = arith.constant 120 : index
  %sx = arith.constant 7 : index
  %fx = call @data(%nx, %sx) : (index, index) -> tensor<?xf32>
  %tx = tensor.cast %fx : tensor<?xf32> to tensor<120xf32>
  %x = tensor.expand_shape %tx [[0, 1, 2, 3, 4]] output_shape [1, 5, 4, 3, 2] : tensor<120xf32> into tensor<1x5x4x3x2xf32>
  %nw = arith.constant 144 : index
  %sw = arith.constant 100010 : index
  %fw = call @data(%nw, %sw) : (index, index) -> tensor<?xf32>
  %tw = tensor.cast %fw : tensor<?xf32> to tensor<144xf32>
  %w = tensor.expand_shape %tw [[0, 1, 2, 3, 4]] output_shape [3, 4, 3, 2, 2] : tensor<144xf32> into tensor<3x4x3x2x2xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x3x3x3x4xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1x3x3x3x4xf32>) -> tensor<1x3x3x3x4xf32>
  %y = linalg.conv_2d_nhwgc_gfhwc
         ins(%x, %w : tensor<1x5x4x3x2xf32>, tensor<3x4x3x2x2xf32>) outs(%i : tensor<1x3x3x3x4xf32>) -> tensor<1x3x3x3x4xf32>
  %flat = tensor.collapse_shape %y [[0, 1, 2, 3, 4]] : tensor<1x3x3x3x4xf32> into tensor<108xf32>
  %u = tensor.cast %flat : tensor<108xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  return
}

// Depthwise with multiplier.
func.func @depthwise_nhwc_hwcm() {
  %nx = arith.constant 120 : index
  %sx = arith.constant 7 : index
  %fx = call @data(%nx, %sx) : (index, index) -> tensor<?xf32>
  %tx = tensor.cast %fx : tensor<?xf32> to tensor<120xf32>
  %x = tensor.expand_shape %tx [[0, 1, 2, 3]] output_shape [2, 5, 4, 3] : tensor<120xf32> into tensor<2x5x4x3xf32>
  %nw = arith.constant 36 : index
  %sw = arith.constant 100010 : index
  %fw = call @data(%nw, %sw) : (index, index) -> tensor<?xf32>
  %tw = tensor.cast %fw : tensor<?xf32> to tensor<36xf32>
  %w = tensor.expand_shape %tw [[0, 1, 2, 3]] output_shape [3, 2, 3, 2] : tensor<36xf32> into tensor<3x2x3x2xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x3x3x3x2xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<2x3x3x3x2xf32>) -> tensor<2x3x3x3x2xf32>
  %y = linalg.depthwise_conv_2d_nhwc_hwcm
         ins(%x, %w : tensor<2x5x4x3xf32>, tensor<3x2x3x2xf32>) outs(%i : tensor<2x3x3x3x2xf32>) -> tensor<2x3x3x3x2xf32>
  %flat = tensor.collapse_shape %y [[0, 1, 2, 3, 4]] : tensor<2x3x3x3x2xf32> into tensor<108xf32>
  %u = tensor.cast %flat : tensor<108xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  return
}

// 3-D, added to something.
func.func @ndhwc_dhwcf_init() {
  %nx = arith.constant 120 : index
  %sx = arith.constant 7 : index
  %fx = call @data(%nx, %sx) : (index, index) -> tensor<?xf32>
  %tx = tensor.cast %fx : tensor<?xf32> to tensor<120xf32>
  %x = tensor.expand_shape %tx [[0, 1, 2, 3, 4]] output_shape [1, 4, 5, 3, 2] : tensor<120xf32> into tensor<1x4x5x3x2xf32>
  %nw = arith.constant 72 : index
  %sw = arith.constant 100010 : index
  %fw = call @data(%nw, %sw) : (index, index) -> tensor<?xf32>
  %tw = tensor.cast %fw : tensor<?xf32> to tensor<72xf32>
  %w = tensor.expand_shape %tw [[0, 1, 2, 3, 4]] output_shape [2, 3, 2, 2, 3] : tensor<72xf32> into tensor<2x3x2x2x3xf32>
  %zero = arith.constant 0.0 : f32
  %ni = arith.constant 36 : index
  %si = arith.constant 200013 : index
  %fi = call @data(%ni, %si) : (index, index) -> tensor<?xf32>
  %ti = tensor.cast %fi : tensor<?xf32> to tensor<36xf32>
  %i = tensor.expand_shape %ti [[0, 1, 2, 3, 4]] output_shape [1, 3, 2, 2, 3] : tensor<36xf32> into tensor<1x3x2x2x3xf32>
  %y = linalg.conv_3d_ndhwc_dhwcf {strides = dense<[1, 2, 1]> : tensor<3xi64>, dilations = dense<1> : tensor<3xi64>}
         ins(%x, %w : tensor<1x4x5x3x2xf32>, tensor<2x3x2x2x3xf32>) outs(%i : tensor<1x3x2x2x3xf32>) -> tensor<1x3x2x2x3xf32>
  %flat = tensor.collapse_shape %y [[0, 1, 2, 3, 4]] : tensor<1x3x2x2x3xf32> into tensor<36xf32>
  %u = tensor.cast %flat : tensor<36xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  return
}

// Not all positions that fit.
func.func @fewer_outputs() {
  %nx = arith.constant 54 : index
  %sx = arith.constant 7 : index
  %fx = call @data(%nx, %sx) : (index, index) -> tensor<?xf32>
  %tx = tensor.cast %fx : tensor<?xf32> to tensor<54xf32>
  %x = tensor.expand_shape %tx [[0, 1, 2]] output_shape [2, 3, 9] : tensor<54xf32> into tensor<2x3x9xf32>
  %nw = arith.constant 36 : index
  %sw = arith.constant 100010 : index
  %fw = call @data(%nw, %sw) : (index, index) -> tensor<?xf32>
  %tw = tensor.cast %fw : tensor<?xf32> to tensor<36xf32>
  %w = tensor.expand_shape %tw [[0, 1, 2]] output_shape [4, 3, 3] : tensor<36xf32> into tensor<4x3x3xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x4x5xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<2x4x5xf32>) -> tensor<2x4x5xf32>
  %y = linalg.conv_1d_ncw_fcw
         ins(%x, %w : tensor<2x3x9xf32>, tensor<4x3x3xf32>) outs(%i : tensor<2x4x5xf32>) -> tensor<2x4x5xf32>
  %flat = tensor.collapse_shape %y [[0, 1, 2]] : tensor<2x4x5xf32> into tensor<40xf32>
  %u = tensor.cast %flat : tensor<40xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  return
}

func.func @main() {
  // CHECK: {{^}}[{{.*}},
  call @nhwc_hwcf() : () -> ()
  // CHECK: {{^}}[{{.*}},
  call @ngchw_fgchw() : () -> ()
  // CHECK: {{^}}[{{.*}},
  call @nhwgc_gfhwc() : () -> ()
  // CHECK: {{^}}[{{.*}},
  call @depthwise_nhwc_hwcm() : () -> ()
  // CHECK: {{^}}[{{.*}},
  call @ndhwc_dhwcf_init() : () -> ()
  // CHECK: {{^}}[{{.*}},
  call @fewer_outputs() : () -> ()
  return
}
