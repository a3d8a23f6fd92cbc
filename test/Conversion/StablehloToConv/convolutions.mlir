// RUN: conv-opt %s --convert-stablehlo-to-conv | FileCheck %s
// RUN: conv-opt %s --convert-stablehlo-to-conv --remarks-filter=convert-stablehlo-to-conv -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK-DAG: remark: [Passed] convolution-imported | Category:convert-stablehlo-to-conv | {{.*}}imported as conv.

// Each convolution becomes the one of three that it is written as.

// CHECK-LABEL: func @forward_nhwc
// CHECK-NOT: linalg.transpose
// CHECK: conv.forward ins(%arg0, %arg1 : tensor<2x9x10x4xbf16>, tensor<6x3x2x4xbf16>) outs({{.*}}) stride [2, 1] pad [1:0, -1:2] dilation [1, 2] input_dilation [1, 2] -> tensor<2x4x18x6xf32>
func.func @forward_nhwc(%x: tensor<2x9x10x4xbf16>, %w: tensor<6x3x2x4xbf16>) -> tensor<2x4x18x6xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[o, 0, 1, i]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[1, 0], [-1, 2]], lhs_dilate = [1, 2], rhs_dilate = [1, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x10x4xbf16>, tensor<6x3x2x4xbf16>) -> tensor<2x4x18x6xf32>
  return %0 : tensor<2x4x18x6xf32>
}

// CHECK-LABEL: func @forward_nchw
// CHECK-NOT: linalg.transpose
// CHECK: conv.forward ins(%arg0, %arg1 : tensor<2x4x9xf32>, tensor<6x2x3xf32>) outs({{.*}}) groups 2 layout nchw -> tensor<2x6x7xf32>
func.func @forward_nchw(%x: tensor<2x4x9xf32>, %w: tensor<6x2x3xf32>) -> tensor<2x6x7xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x4x9xf32>, tensor<6x2x3xf32>) -> tensor<2x6x7xf32>
  return %0 : tensor<2x6x7xf32>
}

// JAX's filters are transposed.
// CHECK-LABEL: func @hwio
// CHECK: %[[W:.*]] = linalg.transpose ins(%arg1 : tensor<3x2x4x6xf32>) outs({{.*}}) permutation = [3, 0, 1, 2]
// CHECK: conv.forward ins(%arg0, %[[W]] : tensor<2x9x10x4xf32>, tensor<6x3x2x4xf32>)
func.func @hwio(%x: tensor<2x9x10x4xf32>, %w: tensor<3x2x4x6xf32>) -> tensor<2x7x9x6xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x10x4xf32>, tensor<3x2x4x6xf32>) -> tensor<2x7x9x6xf32>
  return %0 : tensor<2x7x9x6xf32>
}

// Spatial dimensions may stand in any order, too.
// CHECK-LABEL: func @any_order
// CHECK: %[[X:.*]] = linalg.transpose ins(%arg0 : tensor<10x4x9x2xf32>) outs({{.*}}) permutation = [3, 2, 0, 1]
// CHECK: conv.forward ins(%[[X]], %arg1 : tensor<2x9x10x4xf32>, tensor<6x3x2x4xf32>)
// CHECK: linalg.transpose ins({{.*}} : tensor<2x7x9x6xf32>) outs({{.*}}) permutation = [2, 3, 1, 0]
func.func @any_order(%x: tensor<10x4x9x2xf32>, %w: tensor<6x3x2x4xf32>) -> tensor<9x6x7x2xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [1, f, 0, b]x[o, 0, 1, i]->[1, f, 0, b], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<10x4x9x2xf32>, tensor<6x3x2x4xf32>) -> tensor<9x6x7x2xf32>
  return %0 : tensor<9x6x7x2xf32>
}

// Groups of images become groups of channels.
// CHECK-LABEL: func @batch_groups
// CHECK: linalg.transpose ins({{.*}} : tensor<2x3x9x4xf32>) outs({{.*}}) permutation = [1, 2, 0, 3]
// CHECK: conv.forward ins(%{{.*}}, %arg1 : tensor<3x9x8xf32>, tensor<10x2x4xf32>) outs({{.*}}) groups 2 -> tensor<3x8x10xf32>
func.func @batch_groups(%x: tensor<6x9x4xf32>, %w: tensor<10x2x4xf32>) -> tensor<3x8x10xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[o, 0, i]->[b, 0, f], window = {} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<6x9x4xf32>, tensor<10x2x4xf32>) -> tensor<3x8x10xf32>
  return %0 : tensor<3x8x10xf32>
}

// The gradient of a filter: images are features, and the window is dy.
// CHECK-LABEL: func @wgrad
// CHECK: conv.wgrad ins(%arg0, %arg1 : tensor<4x9x10x8xf32>, tensor<4x4x8x6xf32>) outs({{.*}}) stride [2, 1] pad [1:-1, 1] dilation [1, 2] groups 2 -> tensor<6x3x3x4xf32>
func.func @wgrad(%x: tensor<4x9x10x8xf32>, %dy: tensor<4x4x8x6xf32>) -> tensor<6x3x3x4xf32> {
  %0 = stablehlo.convolution(%x, %dy) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[f, 0, 1, b], window = {stride = [1, 2], pad = [[1, -1], [1, 1]], rhs_dilate = [2, 1]} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<4x9x10x8xf32>, tensor<4x4x8x6xf32>) -> tensor<6x3x3x4xf32>
  return %0 : tensor<6x3x3x4xf32>
}

// The gradient of an input has its filter backwards. What JAX does to a filter
// with groups, and the import, undo each other; the types before the
// conversions are multiplied.
// CHECK-LABEL: func @dgrad
// CHECK-NOT: linalg
// CHECK: conv.dgrad ins(%arg0, %arg1 : tensor<4x4x8x6xbf16>, tensor<6x3x3x4xbf16>) outs({{.*}}) stride [2, 1] pad [1:-1, 1] dilation [1, 2] groups 2 -> tensor<4x9x10x8xf32>
// CHECK-NEXT: return
func.func @dgrad(%dy: tensor<4x4x8x6xbf16>, %w: tensor<6x3x3x4xbf16>) -> tensor<4x9x10x8xf32> {
  %0 = stablehlo.reshape %w : (tensor<6x3x3x4xbf16>) -> tensor<2x3x3x3x4xbf16>
  %1 = stablehlo.transpose %0, dims = [1, 2, 3, 0, 4] : (tensor<2x3x3x3x4xbf16>) -> tensor<3x3x3x2x4xbf16>
  %2 = stablehlo.reshape %1 : (tensor<3x3x3x2x4xbf16>) -> tensor<3x3x3x8xbf16>
  %3 = stablehlo.reverse %2, dims = [1, 2] : tensor<3x3x3x8xbf16>
  %4 = stablehlo.convert %3 : (tensor<3x3x3x8xbf16>) -> tensor<3x3x3x8xf32>
  %5 = stablehlo.convert %dy : (tensor<4x4x8x6xbf16>) -> tensor<4x4x8x6xf32>
  %6 = stablehlo.convolution(%5, %4) dim_numbers = [b, 0, 1, f]x[i, 0, 1, o]->[b, 0, 1, f], window = {pad = [[1, 3], [3, 3]], lhs_dilate = [2, 1], rhs_dilate = [1, 2]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<4x4x8x6xf32>, tensor<3x3x3x8xf32>) -> tensor<4x9x10x8xf32>
  return %6 : tensor<4x9x10x8xf32>
}

// JAX's filter of one tap is read as it lies, and so is it in the gradient.
// CHECK-LABEL: func @pointwise
// CHECK-NOT: linalg.transpose
// CHECK: %[[W:.*]] = tensor.{{.*}} %arg1
// CHECK: conv.dgrad ins(%arg0, %{{.*}} : tensor<2x9x8x16xbf16>, tensor<16x1x1x24xbf16>) {{.*}} -> tensor<2x9x8x24xbf16>
// CHECK: conv.forward ins(%arg2, %{{.*}} : tensor<2x9x8x24xbf16>, tensor<16x1x1x24xbf16>) {{.*}} -> tensor<2x9x8x16xbf16>
func.func @pointwise(%x: tensor<2x9x8x16xbf16>, %w: tensor<1x1x16x24xbf16>, %dy: tensor<2x9x8x24xbf16>) -> (tensor<2x9x8x24xbf16>, tensor<2x9x8x16xbf16>) {
  %y = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x8x16xbf16>, tensor<1x1x16x24xbf16>) -> tensor<2x9x8x24xbf16>
  %0 = stablehlo.reverse %w, dims = [0, 1] : tensor<1x1x16x24xbf16>
  %dx = stablehlo.convolution(%dy, %0) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x8x24xbf16>, tensor<1x1x16x24xbf16>) -> tensor<2x9x8x16xbf16>
  return %y, %dx : tensor<2x9x8x24xbf16>, tensor<2x9x8x16xbf16>
}

// A stride, or 32 bits: the filter is transposed.
// CHECK-LABEL: func @not_pointwise
// CHECK-COUNT-2: conv.forward
func.func @not_pointwise(%x: tensor<2x9x8x16xbf16>, %w: tensor<1x1x16x24xbf16>, %xf: tensor<2x9x8x16xf32>, %wf: tensor<1x1x16x24xf32>) -> (tensor<2x5x4x24xbf16>, tensor<2x9x8x24xf32>) {
  %y = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x8x16xbf16>, tensor<1x1x16x24xbf16>) -> tensor<2x5x4x24xbf16>
  %z = stablehlo.convolution(%xf, %wf) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x8x16xf32>, tensor<1x1x16x24xf32>) -> tensor<2x9x8x24xf32>
  return %y, %z : tensor<2x5x4x24xbf16>, tensor<2x9x8x24xf32>
}

// Two 8-bit floats are multiplied with each other as they are.
// CHECK-LABEL: func @two_types
// CHECK-NOT: extf
// CHECK: conv.forward ins(%arg0, %arg1 : tensor<2x9x16xf8E4M3FN>, tensor<6x3x16xf8E5M2>) {{.*}} -> tensor<2x7x6xf32>
func.func @two_types(%x: tensor<2x9x16xf8E4M3FN>, %w: tensor<6x3x16xf8E5M2>) -> tensor<2x7x6xf32> {
  %0 = stablehlo.convert %x : (tensor<2x9x16xf8E4M3FN>) -> tensor<2x9x16xf32>
  %1 = stablehlo.convert %w : (tensor<6x3x16xf8E5M2>) -> tensor<6x3x16xf32>
  %2 = stablehlo.convolution(%0, %1) dim_numbers = [b, 0, f]x[o, 0, i]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x16xf32>, tensor<6x3x16xf32>) -> tensor<2x7x6xf32>
  return %2 : tensor<2x7x6xf32>
}

// A 16-bit float and one of 8 bits are not.
// CHECK-LABEL: func @two_widths
// CHECK-COUNT-2: arith.extf
// CHECK: conv.forward ins(%{{.*}}, %{{.*}} : tensor<2x9x16xf32>, tensor<6x3x16xf32>)
func.func @two_widths(%x: tensor<2x9x16xbf16>, %w: tensor<6x3x16xf8E5M2>) -> tensor<2x7x6xf32> {
  %0 = stablehlo.convert %x : (tensor<2x9x16xbf16>) -> tensor<2x9x16xf32>
  %1 = stablehlo.convert %w : (tensor<6x3x16xf8E5M2>) -> tensor<6x3x16xf32>
  %2 = stablehlo.convolution(%0, %1) dim_numbers = [b, 0, f]x[o, 0, i]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x16xf32>, tensor<6x3x16xf32>) -> tensor<2x7x6xf32>
  return %2 : tensor<2x7x6xf32>
}

// Only one operand is converted: both stay as wide as they are.
// CHECK-LABEL: func @one_converted
// CHECK: arith.extf
// CHECK: conv.forward ins(%arg0, %{{.*}} : tensor<2x9x4xf32>, tensor<6x3x4xf32>)
func.func @one_converted(%x: tensor<2x9x4xf32>, %w: tensor<6x3x4xbf16>) -> tensor<2x7x6xf32> {
  %0 = stablehlo.convert %w : (tensor<6x3x4xbf16>) -> tensor<6x3x4xf32>
  %1 = stablehlo.convolution(%x, %0) dim_numbers = [b, 0, f]x[o, 0, i]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x4xf32>, tensor<6x3x4xf32>) -> tensor<2x7x6xf32>
  return %1 : tensor<2x7x6xf32>
}

// A window backwards is a filter backwards; one and one are none; a dimension
// alone is reversed by hand.
// CHECK-LABEL: func @reversals
// CHECK: conv.forward ins(%arg0, %arg1 : tensor<2x9x10x4xf32>, tensor<6x3x2x4xf32>) outs({{.*}}) flip -> tensor<2x7x9x6xf32>
// CHECK: conv.forward ins(%arg0, %arg1 : tensor<2x9x10x4xf32>, tensor<6x3x2x4xf32>) outs({{.*}}) -> tensor<2x7x9x6xf32>
// CHECK: tensor.extract
// CHECK: conv.forward ins(%arg0, %{{.*}} -> tensor<2x7x9x6xf32>
func.func @reversals(%x: tensor<2x9x10x4xf32>, %w: tensor<6x3x2x4xf32>) -> (tensor<2x7x9x6xf32>, tensor<2x7x9x6xf32>, tensor<2x7x9x6xf32>) {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[o, 0, 1, i]->[b, 0, 1, f], window = {reverse = [true, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x10x4xf32>, tensor<6x3x2x4xf32>) -> tensor<2x7x9x6xf32>
  %r = stablehlo.reverse %w, dims = [1, 2] : tensor<6x3x2x4xf32>
  %1 = stablehlo.convolution(%x, %r) dim_numbers = [b, 0, 1, f]x[o, 0, 1, i]->[b, 0, 1, f], window = {reverse = [true, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x10x4xf32>, tensor<6x3x2x4xf32>) -> tensor<2x7x9x6xf32>
  %2 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[o, 0, 1, i]->[b, 0, 1, f], window = {reverse = [false, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x10x4xf32>, tensor<6x3x2x4xf32>) -> tensor<2x7x9x6xf32>
  return %0, %1, %2 : tensor<2x7x9x6xf32>, tensor<2x7x9x6xf32>, tensor<2x7x9x6xf32>
}

// Where nothing is added up the result is zero.
// CHECK-LABEL: func @empty
// CHECK: linalg.fill {{.*}} -> tensor<2x4x6xf32>
// CHECK: linalg.fill {{.*}} -> tensor<2x5x6xf32>
// CHECK-NOT: conv.
func.func @empty(%x: tensor<2x0x4xf32>, %y: tensor<2x3x4xf32>, %w: tensor<6x3x4xf32>) -> (tensor<2x4x6xf32>, tensor<2x5x6xf32>) {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[o, 0, i]->[b, 0, f], window = {pad = [[2, 4]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x0x4xf32>, tensor<6x3x4xf32>) -> tensor<2x4x6xf32>
  %1 = stablehlo.convolution(%y, %w) dim_numbers = [b, 0, f]x[o, 0, i]->[b, 0, f], window = {pad = [[-3, 7]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3x4xf32>, tensor<6x3x4xf32>) -> tensor<2x5x6xf32>
  return %0, %1 : tensor<2x4x6xf32>, tensor<2x5x6xf32>
}

// CHECK-LABEL: func @integers
// CHECK: conv.forward ins(%arg0, %arg1 : tensor<2x9x4xi8>, tensor<6x3x4xi8>) outs({{.*}}) -> tensor<2x7x6xi32>
func.func @integers(%x: tensor<2x9x4xi8>, %w: tensor<6x3x4xi8>) -> tensor<2x7x6xi32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[o, 0, i]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x4xi8>, tensor<6x3x4xi8>) -> tensor<2x7x6xi32>
  return %0 : tensor<2x7x6xi32>
}

// A product of matrices is a convolution of one image with one tap. The filter
// is read as it lies.
// CHECK-LABEL: func @rows_times_columns
// CHECK: %[[X:.*]] = tensor.expand_shape %arg0 {{.*}} : tensor<5x8xbf16> into tensor<1x5x8xbf16>
// CHECK: conv.dgrad ins(%[[X]], %{{.*}} : tensor<1x5x8xbf16>, tensor<8x1x16xbf16>) outs(%{{.*}} : tensor<1x5x16xf32>)
// CHECK: tensor.collapse_shape %{{.*}} : tensor<1x5x16xf32> into tensor<5x16xf32>
func.func @rows_times_columns(%x: tensor<5x8xbf16>, %w: tensor<8x16xbf16>) -> tensor<5x16xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<5x8xbf16>, tensor<8x16xbf16>) -> tensor<5x16xf32>
  return %0 : tensor<5x16xf32>
}

// The gradient of a filter, whose rows are those of the right operand.
// CHECK-LABEL: func @columns_times_columns
// CHECK: conv.wgrad ins(%{{.*}}, %{{.*}} : tensor<1x5x8xf32>, tensor<1x5x16xf32>) outs(%{{.*}} : tensor<16x1x8xf32>)
// CHECK: linalg.transpose ins(%{{.*}} : tensor<16x8xf32>) {{.*}} permutation = [1, 0]
func.func @columns_times_columns(%x: tensor<5x8xf32>, %dy: tensor<5x16xf32>) -> tensor<8x16xf32> {
  %0 = stablehlo.dot_general %x, %dy, contracting_dims = [0] x [0] : (tensor<5x8xf32>, tensor<5x16xf32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

// CHECK-LABEL: func @columns_times_rows
// CHECK: linalg.transpose ins(%arg0 : tensor<8x5xf32>) {{.*}} permutation = [1, 0]
// CHECK: conv.forward ins(%{{.*}}, %{{.*}} : tensor<1x5x8xf32>, tensor<16x1x8xf32>)
func.func @columns_times_rows(%x: tensor<8x5xf32>, %w: tensor<16x8xf32>) -> tensor<5x16xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [0] x [1] : (tensor<8x5xf32>, tensor<16x8xf32>) -> tensor<5x16xf32>
  return %0 : tensor<5x16xf32>
}
