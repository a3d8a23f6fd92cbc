// RUN: conv-opt %s --convert-linalg-to-conv --split-input-file | FileCheck %s

// Every named convolution, on a fill with zero.

// CHECK-LABEL: func @conv_1d
// CHECK-SAME: (%[[X:.*]]: tensor<18xf32>, %[[W:.*]]: tensor<3xf32>)
// CHECK: %[[X3:.*]] = tensor.expand_shape %[[X]] {{\[}}[0, 1, 2]] output_shape [1, 18, 1]
// CHECK: %[[W3:.*]] = tensor.expand_shape %[[W]] {{\[}}[0, 1, 2]] output_shape [1, 3, 1]
// CHECK: %[[Y3:.*]] = conv.forward ins(%[[X3]], %[[W3]] : {{.*}}) outs(%{{.*}} : tensor<1x16x1xf32>) ->
// CHECK: tensor.collapse_shape %[[Y3]] {{\[}}[0, 1, 2]] : tensor<1x16x1xf32> into tensor<16xf32>
func.func @conv_1d(%x: tensor<18xf32>, %w: tensor<3xf32>) -> tensor<16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %y = linalg.conv_1d ins(%x, %w : tensor<18xf32>, tensor<3xf32>) outs(%i : tensor<16xf32>) -> tensor<16xf32>
  return %y : tensor<16xf32>
}

// -----

// CHECK-LABEL: func @conv_1d_nwc_wcf
// CHECK-SAME: (%[[X:.*]]: tensor<2x18x5xf32>, %[[W:.*]]: tensor<3x5x7xf32>)
// CHECK: %[[WT:.*]] = linalg.transpose ins(%[[W]] : {{.*}}) outs(%{{.*}} : tensor<7x3x5xf32>) permutation = [2, 0, 1]
// CHECK: conv.forward ins(%[[X]], %[[WT]] : {{.*}}) outs(%{{.*}} : tensor<2x7x7xf32>) stride [2] dilation [2] ->
func.func @conv_1d_nwc_wcf(%x: tensor<2x18x5xf32>, %w: tensor<3x5x7xf32>) -> tensor<2x7x7xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x7x7xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %y = linalg.conv_1d_nwc_wcf {strides = dense<2> : tensor<1xi64>, dilations = dense<2> : tensor<1xi64>} ins(%x, %w : tensor<2x18x5xf32>, tensor<3x5x7xf32>) outs(%i : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  return %y : tensor<2x7x7xf32>
}

// -----

// CHECK-LABEL: func @conv_1d_ncw_fcw
// CHECK-SAME: (%[[X:.*]]: tensor<2x5x18xf32>, %[[W:.*]]: tensor<7x5x3xf32>)
// CHECK: conv.forward ins(%[[X]], %[[W]] : {{.*}}) outs(%{{.*}} : tensor<2x7x16xf32>) layout nchw ->
func.func @conv_1d_ncw_fcw(%x: tensor<2x5x18xf32>, %w: tensor<7x5x3xf32>) -> tensor<2x7x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x7x16xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<2x7x16xf32>) -> tensor<2x7x16xf32>
  %y = linalg.conv_1d_ncw_fcw ins(%x, %w : tensor<2x5x18xf32>, tensor<7x5x3xf32>) outs(%i : tensor<2x7x16xf32>) -> tensor<2x7x16xf32>
  return %y : tensor<2x7x16xf32>
}

// -----

// CHECK-LABEL: func @conv_2d
// CHECK-SAME: (%[[X:.*]]: tensor<8x9xf32>, %[[W:.*]]: tensor<3x2xf32>)
// CHECK: conv.forward {{.*}} outs(%{{.*}} : tensor<1x6x8x1xf32>) ->
// CHECK: tensor.collapse_shape %{{.*}} {{\[}}[0, 1], [2, 3]] : tensor<1x6x8x1xf32> into tensor<6x8xf32>
func.func @conv_2d(%x: tensor<8x9xf32>, %w: tensor<3x2xf32>) -> tensor<6x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<6x8xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<6x8xf32>) -> tensor<6x8xf32>
  %y = linalg.conv_2d ins(%x, %w : tensor<8x9xf32>, tensor<3x2xf32>) outs(%i : tensor<6x8xf32>) -> tensor<6x8xf32>
  return %y : tensor<6x8xf32>
}

// -----

// CHECK-LABEL: func @conv_2d_nhwc_hwcf
// CHECK-SAME: (%[[X:.*]]: tensor<2x8x9x4xf32>, %[[W:.*]]: tensor<3x2x4x6xf32>)
// CHECK: %[[WT:.*]] = linalg.transpose ins(%[[W]] : {{.*}}) outs(%{{.*}} : tensor<6x3x2x4xf32>) permutation = [3, 0, 1, 2]
// CHECK: conv.forward ins(%[[X]], %[[WT]] : {{.*}}) outs(%{{.*}} : tensor<2x3x8x6xf32>) stride [2, 1] ->
func.func @conv_2d_nhwc_hwcf(%x: tensor<2x8x9x4xf32>, %w: tensor<3x2x4x6xf32>) -> tensor<2x3x8x6xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x3x8x6xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<2x3x8x6xf32>) -> tensor<2x3x8x6xf32>
  %y = linalg.conv_2d_nhwc_hwcf {strides = dense<[2, 1]> : tensor<2xi64>, dilations = dense<[1, 1]> : tensor<2xi64>} ins(%x, %w : tensor<2x8x9x4xf32>, tensor<3x2x4x6xf32>) outs(%i : tensor<2x3x8x6xf32>) -> tensor<2x3x8x6xf32>
  return %y : tensor<2x3x8x6xf32>
}

// -----

// CHECK-LABEL: func @conv_2d_nhwc_fhwc
// CHECK-SAME: (%[[X:.*]]: tensor<2x8x9x4xf32>, %[[W:.*]]: tensor<6x3x2x4xf32>)
// CHECK: %[[E:.*]] = tensor.empty() : tensor<2x6x8x6xf32>
// CHECK-NOT: linalg
// CHECK: %[[Y:.*]] = conv.forward ins(%[[X]], %[[W]] : {{.*}}) outs(%[[E]] : tensor<2x6x8x6xf32>) ->
// CHECK: return %[[Y]]
func.func @conv_2d_nhwc_fhwc(%x: tensor<2x8x9x4xf32>, %w: tensor<6x3x2x4xf32>) -> tensor<2x6x8x6xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x6x8x6xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<2x6x8x6xf32>) -> tensor<2x6x8x6xf32>
  %y = linalg.conv_2d_nhwc_fhwc ins(%x, %w : tensor<2x8x9x4xf32>, tensor<6x3x2x4xf32>) outs(%i : tensor<2x6x8x6xf32>) -> tensor<2x6x8x6xf32>
  return %y : tensor<2x6x8x6xf32>
}

// -----

// CHECK-LABEL: func @conv_2d_nchw_fchw
// CHECK-SAME: (%[[X:.*]]: tensor<2x4x8x9xf32>, %[[W:.*]]: tensor<6x4x3x2xf32>)
// CHECK: conv.forward ins(%[[X]], %[[W]] : {{.*}}) outs(%{{.*}} : tensor<2x6x6x8xf32>) layout nchw ->
func.func @conv_2d_nchw_fchw(%x: tensor<2x4x8x9xf32>, %w: tensor<6x4x3x2xf32>) -> tensor<2x6x6x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x6x6x8xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<2x6x6x8xf32>) -> tensor<2x6x6x8xf32>
  %y = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<2x4x8x9xf32>, tensor<6x4x3x2xf32>) outs(%i : tensor<2x6x6x8xf32>) -> tensor<2x6x6x8xf32>
  return %y : tensor<2x6x6x8xf32>
}

// -----

// CHECK-LABEL: func @conv_2d_ngchw_fgchw
// CHECK-SAME: (%[[X:.*]]: tensor<2x3x4x8x9xf32>, %[[W:.*]]: tensor<6x3x4x3x2xf32>)
// CHECK: %[[XC:.*]] = tensor.collapse_shape %[[X]] {{\[}}[0], [1, 2], [3], [4]] : {{.*}} into tensor<2x12x8x9xf32>
// CHECK: %[[WT:.*]] = linalg.transpose ins(%[[W]] : {{.*}}) outs(%{{.*}} : tensor<3x6x4x3x2xf32>) permutation = [1, 0, 2, 3, 4]
// CHECK: %[[WC:.*]] = tensor.collapse_shape %[[WT]] {{\[}}[0, 1], [2], [3], [4]] : {{.*}} into tensor<18x4x3x2xf32>
// CHECK: %[[Y:.*]] = conv.forward ins(%[[XC]], %[[WC]] : {{.*}}) outs(%{{.*}} : tensor<2x18x6x8xf32>) groups 3 layout nchw ->
// CHECK: tensor.expand_shape %[[Y]] {{\[}}[0], [1, 2], [3], [4]] output_shape [2, 3, 6, 6, 8]
func.func @conv_2d_ngchw_fgchw(%x: tensor<2x3x4x8x9xf32>, %w: tensor<6x3x4x3x2xf32>) -> tensor<2x3x6x6x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x3x6x6x8xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<2x3x6x6x8xf32>) -> tensor<2x3x6x6x8xf32>
  %y = linalg.conv_2d_ngchw_fgchw ins(%x, %w : tensor<2x3x4x8x9xf32>, tensor<6x3x4x3x2xf32>) outs(%i : tensor<2x3x6x6x8xf32>) -> tensor<2x3x6x6x8xf32>
  return %y : tensor<2x3x6x6x8xf32>
}

// -----

// CHECK-LABEL: func @conv_2d_ngchw_gfchw
// CHECK-SAME: (%[[X:.*]]: tensor<2x3x4x8x9xf32>, %[[W:.*]]: tensor<3x6x4x3x2xf32>)
// CHECK-NOT: linalg.transpose
// CHECK: conv.forward {{.*}} outs(%{{.*}} : tensor<2x18x6x8xf32>) groups 3 layout nchw ->
func.func @conv_2d_ngchw_gfchw(%x: tensor<2x3x4x8x9xf32>, %w: tensor<3x6x4x3x2xf32>) -> tensor<2x3x6x6x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x3x6x6x8xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<2x3x6x6x8xf32>) -> tensor<2x3x6x6x8xf32>
  %y = linalg.conv_2d_ngchw_gfchw ins(%x, %w : tensor<2x3x4x8x9xf32>, tensor<3x6x4x3x2xf32>) outs(%i : tensor<2x3x6x6x8xf32>) -> tensor<2x3x6x6x8xf32>
  return %y : tensor<2x3x6x6x8xf32>
}

// -----

// CHECK-LABEL: func @conv_2d_nhwgc_gfhwc
// CHECK-SAME: (%[[X:.*]]: tensor<2x8x9x3x4xf32>, %[[W:.*]]: tensor<3x6x3x2x4xf32>)
// CHECK: %[[XC:.*]] = tensor.collapse_shape %[[X]] {{\[}}[0], [1], [2], [3, 4]] : {{.*}} into tensor<2x8x9x12xf32>
// CHECK-NOT: linalg.transpose
// CHECK: %[[WC:.*]] = tensor.collapse_shape %[[W]] {{\[}}[0, 1], [2], [3], [4]] : {{.*}} into tensor<18x3x2x4xf32>
// CHECK: conv.forward ins(%[[XC]], %[[WC]] : {{.*}}) outs(%{{.*}} : tensor<2x6x8x18xf32>) groups 3 ->
func.func @conv_2d_nhwgc_gfhwc(%x: tensor<2x8x9x3x4xf32>, %w: tensor<3x6x3x2x4xf32>) -> tensor<2x6x8x3x6xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x6x8x3x6xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<2x6x8x3x6xf32>) -> tensor<2x6x8x3x6xf32>
  %y = linalg.conv_2d_nhwgc_gfhwc ins(%x, %w : tensor<2x8x9x3x4xf32>, tensor<3x6x3x2x4xf32>) outs(%i : tensor<2x6x8x3x6xf32>) -> tensor<2x6x8x3x6xf32>
  return %y : tensor<2x6x8x3x6xf32>
}

// -----

// CHECK-LABEL: func @conv_3d
// CHECK-SAME: (%[[X:.*]]: tensor<5x8x9xf32>, %[[W:.*]]: tensor<2x3x2xf32>)
// CHECK: conv.forward {{.*}} outs(%{{.*}} : tensor<1x4x6x8x1xf32>) ->
func.func @conv_3d(%x: tensor<5x8x9xf32>, %w: tensor<2x3x2xf32>) -> tensor<4x6x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x6x8xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<4x6x8xf32>) -> tensor<4x6x8xf32>
  %y = linalg.conv_3d ins(%x, %w : tensor<5x8x9xf32>, tensor<2x3x2xf32>) outs(%i : tensor<4x6x8xf32>) -> tensor<4x6x8xf32>
  return %y : tensor<4x6x8xf32>
}

// -----

// CHECK-LABEL: func @conv_3d_ndhwc_dhwcf
// CHECK-SAME: (%[[X:.*]]: tensor<2x5x8x9x4xf32>, %[[W:.*]]: tensor<2x3x2x4x6xf32>)
// CHECK: linalg.transpose {{.*}} permutation = [4, 0, 1, 2, 3]
// CHECK: conv.forward ins(%[[X]], {{.*}}) outs(%{{.*}} : tensor<2x4x3x3x6xf32>) stride [1, 2, 2] dilation [1, 1, 3] ->
func.func @conv_3d_ndhwc_dhwcf(%x: tensor<2x5x8x9x4xf32>, %w: tensor<2x3x2x4x6xf32>) -> tensor<2x4x3x3x6xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x4x3x3x6xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<2x4x3x3x6xf32>) -> tensor<2x4x3x3x6xf32>
  %y = linalg.conv_3d_ndhwc_dhwcf {strides = dense<[1, 2, 2]> : tensor<3xi64>, dilations = dense<[1, 1, 3]> : tensor<3xi64>} ins(%x, %w : tensor<2x5x8x9x4xf32>, tensor<2x3x2x4x6xf32>) outs(%i : tensor<2x4x3x3x6xf32>) -> tensor<2x4x3x3x6xf32>
  return %y : tensor<2x4x3x3x6xf32>
}

// -----

// CHECK-LABEL: func @conv_3d_ncdhw_fcdhw
// CHECK-SAME: (%[[X:.*]]: tensor<2x4x5x8x9xf32>, %[[W:.*]]: tensor<6x4x2x3x2xf32>)
// CHECK: conv.forward ins(%[[X]], %[[W]] : {{.*}}) outs(%{{.*}} : tensor<2x6x4x6x8xf32>) layout nchw ->
func.func @conv_3d_ncdhw_fcdhw(%x: tensor<2x4x5x8x9xf32>, %w: tensor<6x4x2x3x2xf32>) -> tensor<2x6x4x6x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x6x4x6x8xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<2x6x4x6x8xf32>) -> tensor<2x6x4x6x8xf32>
  %y = linalg.conv_3d_ncdhw_fcdhw ins(%x, %w : tensor<2x4x5x8x9xf32>, tensor<6x4x2x3x2xf32>) outs(%i : tensor<2x6x4x6x8xf32>) -> tensor<2x6x4x6x8xf32>
  return %y : tensor<2x6x4x6x8xf32>
}

// -----

// Depthwise: a group for each channel.

// CHECK-LABEL: func @depthwise_conv_1d_nwc_wc
// CHECK-SAME: (%[[X:.*]]: tensor<2x18x5xf32>, %[[W:.*]]: tensor<3x5xf32>)
// CHECK: %[[WT:.*]] = linalg.transpose ins(%[[W]] : {{.*}}) outs(%{{.*}} : tensor<5x3xf32>) permutation = [1, 0]
// CHECK: %[[WE:.*]] = tensor.expand_shape %[[WT]] {{\[}}[0], [1, 2]] output_shape [5, 3, 1]
// CHECK: conv.forward ins(%[[X]], %[[WE]] : {{.*}}) outs(%{{.*}} : tensor<2x16x5xf32>) groups 5 ->
func.func @depthwise_conv_1d_nwc_wc(%x: tensor<2x18x5xf32>, %w: tensor<3x5xf32>) -> tensor<2x16x5xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x16x5xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<2x16x5xf32>) -> tensor<2x16x5xf32>
  %y = linalg.depthwise_conv_1d_nwc_wc ins(%x, %w : tensor<2x18x5xf32>, tensor<3x5xf32>) outs(%i : tensor<2x16x5xf32>) -> tensor<2x16x5xf32>
  return %y : tensor<2x16x5xf32>
}

// -----

// CHECK-LABEL: func @depthwise_conv_1d_ncw_cw
// CHECK-SAME: (%[[X:.*]]: tensor<2x5x18xf32>, %[[W:.*]]: tensor<5x3xf32>)
// CHECK: %[[WE:.*]] = tensor.expand_shape %[[W]] {{\[}}[0], [1, 2]] output_shape [5, 1, 3]
// CHECK: conv.forward ins(%[[X]], %[[WE]] : {{.*}}) outs(%{{.*}} : tensor<2x5x16xf32>) groups 5 layout nchw ->
func.func @depthwise_conv_1d_ncw_cw(%x: tensor<2x5x18xf32>, %w: tensor<5x3xf32>) -> tensor<2x5x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x5x16xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<2x5x16xf32>) -> tensor<2x5x16xf32>
  %y = linalg.depthwise_conv_1d_ncw_cw ins(%x, %w : tensor<2x5x18xf32>, tensor<5x3xf32>) outs(%i : tensor<2x5x16xf32>) -> tensor<2x5x16xf32>
  return %y : tensor<2x5x16xf32>
}

// -----

// CHECK-LABEL: func @depthwise_conv_1d_nwc_wcm
// CHECK-SAME: (%[[X:.*]]: tensor<2x18x5xf32>, %[[W:.*]]: tensor<3x5x2xf32>)
// CHECK: %[[WT:.*]] = linalg.transpose ins(%[[W]] : {{.*}}) outs(%{{.*}} : tensor<5x2x3xf32>) permutation = [1, 2, 0]
// CHECK: %[[WC:.*]] = tensor.collapse_shape %[[WT]] {{\[}}[0, 1], [2]] : {{.*}} into tensor<10x3xf32>
// CHECK: %[[WE:.*]] = tensor.expand_shape %[[WC]] {{\[}}[0], [1, 2]] output_shape [10, 3, 1]
// CHECK: %[[Y:.*]] = conv.forward ins(%[[X]], %[[WE]] : {{.*}}) outs(%{{.*}} : tensor<2x16x10xf32>) groups 5 ->
// CHECK: tensor.expand_shape %[[Y]] {{\[}}[0], [1], [2, 3]] output_shape [2, 16, 5, 2]
func.func @depthwise_conv_1d_nwc_wcm(%x: tensor<2x18x5xf32>, %w: tensor<3x5x2xf32>) -> tensor<2x16x5x2xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x16x5x2xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<2x16x5x2xf32>) -> tensor<2x16x5x2xf32>
  %y = linalg.depthwise_conv_1d_nwc_wcm ins(%x, %w : tensor<2x18x5xf32>, tensor<3x5x2xf32>) outs(%i : tensor<2x16x5x2xf32>) -> tensor<2x16x5x2xf32>
  return %y : tensor<2x16x5x2xf32>
}

// -----

// CHECK-LABEL: func @depthwise_conv_2d_nhwc_hwc
// CHECK-SAME: (%[[X:.*]]: tensor<2x8x9x4xf32>, %[[W:.*]]: tensor<3x2x4xf32>)
// CHECK: conv.forward ins(%[[X]], {{.*}}) outs(%{{.*}} : tensor<2x3x3x4xf32>) stride [2, 2] dilation [1, 3] groups 4 ->
func.func @depthwise_conv_2d_nhwc_hwc(%x: tensor<2x8x9x4xf32>, %w: tensor<3x2x4xf32>) -> tensor<2x3x3x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x3x3x4xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<2x3x3x4xf32>) -> tensor<2x3x3x4xf32>
  %y = linalg.depthwise_conv_2d_nhwc_hwc {strides = dense<[2, 2]> : tensor<2xi64>, dilations = dense<[1, 3]> : tensor<2xi64>} ins(%x, %w : tensor<2x8x9x4xf32>, tensor<3x2x4xf32>) outs(%i : tensor<2x3x3x4xf32>) -> tensor<2x3x3x4xf32>
  return %y : tensor<2x3x3x4xf32>
}

// -----

// CHECK-LABEL: func @depthwise_conv_2d_nchw_chw
// CHECK-SAME: (%[[X:.*]]: tensor<2x4x8x9xf32>, %[[W:.*]]: tensor<4x3x2xf32>)
// CHECK-NOT: linalg.transpose
// CHECK: conv.forward ins(%[[X]], {{.*}}) outs(%{{.*}} : tensor<2x4x6x8xf32>) groups 4 layout nchw ->
func.func @depthwise_conv_2d_nchw_chw(%x: tensor<2x4x8x9xf32>, %w: tensor<4x3x2xf32>) -> tensor<2x4x6x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x4x6x8xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<2x4x6x8xf32>) -> tensor<2x4x6x8xf32>
  %y = linalg.depthwise_conv_2d_nchw_chw ins(%x, %w : tensor<2x4x8x9xf32>, tensor<4x3x2xf32>) outs(%i : tensor<2x4x6x8xf32>) -> tensor<2x4x6x8xf32>
  return %y : tensor<2x4x6x8xf32>
}

// -----

// CHECK-LABEL: func @depthwise_conv_2d_nhwc_hwcm
// CHECK-SAME: (%[[X:.*]]: tensor<2x8x9x4xf32>, %[[W:.*]]: tensor<3x2x4x5xf32>)
// CHECK: conv.forward ins(%[[X]], {{.*}}) outs(%{{.*}} : tensor<2x6x8x20xf32>) groups 4 ->
func.func @depthwise_conv_2d_nhwc_hwcm(%x: tensor<2x8x9x4xf32>, %w: tensor<3x2x4x5xf32>) -> tensor<2x6x8x4x5xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x6x8x4x5xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<2x6x8x4x5xf32>) -> tensor<2x6x8x4x5xf32>
  %y = linalg.depthwise_conv_2d_nhwc_hwcm ins(%x, %w : tensor<2x8x9x4xf32>, tensor<3x2x4x5xf32>) outs(%i : tensor<2x6x8x4x5xf32>) -> tensor<2x6x8x4x5xf32>
  return %y : tensor<2x6x8x4x5xf32>
}

// -----

// CHECK-LABEL: func @depthwise_conv_3d_ndhwc_dhwc
// CHECK-SAME: (%[[X:.*]]: tensor<2x5x8x9x4xf32>, %[[W:.*]]: tensor<2x3x2x4xf32>)
// CHECK: conv.forward ins(%[[X]], {{.*}}) outs(%{{.*}} : tensor<2x4x6x8x4xf32>) groups 4 ->
func.func @depthwise_conv_3d_ndhwc_dhwc(%x: tensor<2x5x8x9x4xf32>, %w: tensor<2x3x2x4xf32>) -> tensor<2x4x6x8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x4x6x8x4xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<2x4x6x8x4xf32>) -> tensor<2x4x6x8x4xf32>
  %y = linalg.depthwise_conv_3d_ndhwc_dhwc ins(%x, %w : tensor<2x5x8x9x4xf32>, tensor<2x3x2x4xf32>) outs(%i : tensor<2x4x6x8x4xf32>) -> tensor<2x4x6x8x4xf32>
  return %y : tensor<2x4x6x8x4xf32>
}

// -----

// CHECK-LABEL: func @depthwise_conv_3d_ncdhw_cdhw
// CHECK-SAME: (%[[X:.*]]: tensor<2x4x5x8x9xf32>, %[[W:.*]]: tensor<4x2x3x2xf32>)
// CHECK: conv.forward ins(%[[X]], {{.*}}) outs(%{{.*}} : tensor<2x4x4x6x8xf32>) groups 4 layout nchw ->
func.func @depthwise_conv_3d_ncdhw_cdhw(%x: tensor<2x4x5x8x9xf32>, %w: tensor<4x2x3x2xf32>) -> tensor<2x4x4x6x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x4x4x6x8xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<2x4x4x6x8xf32>) -> tensor<2x4x4x6x8xf32>
  %y = linalg.depthwise_conv_3d_ncdhw_cdhw ins(%x, %w : tensor<2x4x5x8x9xf32>, tensor<4x2x3x2xf32>) outs(%i : tensor<2x4x4x6x8xf32>) -> tensor<2x4x4x6x8xf32>
  return %y : tensor<2x4x4x6x8xf32>
}

// -----

// CHECK-LABEL: func @depthwise_conv_3d_ndhwc_dhwcm
// CHECK-SAME: (%[[X:.*]]: tensor<2x5x8x9x4xf32>, %[[W:.*]]: tensor<2x3x2x4x3xf32>)
// CHECK: conv.forward ins(%[[X]], {{.*}}) outs(%{{.*}} : tensor<2x4x6x8x12xf32>) groups 4 ->
func.func @depthwise_conv_3d_ndhwc_dhwcm(%x: tensor<2x5x8x9x4xf32>, %w: tensor<2x3x2x4x3xf32>) -> tensor<2x4x6x8x4x3xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x4x6x8x4x3xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<2x4x6x8x4x3xf32>) -> tensor<2x4x6x8x4x3xf32>
  %y = linalg.depthwise_conv_3d_ndhwc_dhwcm ins(%x, %w : tensor<2x5x8x9x4xf32>, tensor<2x3x2x4x3xf32>) outs(%i : tensor<2x4x6x8x4x3xf32>) -> tensor<2x4x6x8x4x3xf32>
  return %y : tensor<2x4x6x8x4x3xf32>
}
