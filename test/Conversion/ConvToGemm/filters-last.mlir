// RUN: conv-opt %s --split-input-file --conv-to-matrices='chip=sm_90a schedule="copy=tma mma=wgmma"' | FileCheck %s
// RUN: conv-opt %s --split-input-file --conv-to-matrices='chip=sm_90a schedule="copy=tma mma=wgmma"' --remarks-filter='convert-conv-to-gemm' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: conv-opt %s --split-input-file --conv-to-matrices='chip=sm_80' | FileCheck %s --check-prefix=SM80

// A filter [R, S, C, K] comes through a transposition, which is not made where kernels read it.

// Forward: a row is a channel, and tiles are MN-major.

// CHECK-DAG:   #[[W:.*]] = affine_map<(d0, d1, d2, d3) -> (d3, d2, d1)>
// CHECK-LABEL: {{^ *}}func.func @forward
// CHECK-NOT:     linalg.transpose
// CHECK:         %[[T:.*]] = tensor.expand_shape %{{.*}} : tensor<3x2x32x48xf16> into tensor<1x3x2x32x48xf16>
// CHECK:         conv.im2col %[[T]] view <rows = [1, 1, 32], taps = [3, 2, 1], stride = [1, 1, 1], step = [1, 1, 1], offset = [0, 0, 0], groups = 1> : tensor<1x3x2x32x48xf16> -> tensor<32x6x48xf16>
// CHECK:         linalg.generic {indexing_maps = [#{{.*}}, #[[W]], #{{.*}}]
// REMARK:      filters-last.mlir:[[# @LINE + 8]]:{{.*}}[Passed] filter-read | Category:convert-conv-to-gemm | Function=forward | Remark="read with its filters last"
// SM80-LABEL:  {{^ *}}func.func @forward
// SM80-NOT:      linalg.transpose
// SM80:          conv.im2col %{{.*}} : tensor<1x3x2x32x48xf16> -> tensor<32x6x48xf16>
func.func @forward(%x: tensor<2x9x10x32xf16>, %w: tensor<3x2x32x48xf16>) -> tensor<2x7x9x48xf16> {
  %e = tensor.empty() : tensor<48x3x2x32xf16>
  %t = linalg.transpose ins(%w : tensor<3x2x32x48xf16>) outs(%e : tensor<48x3x2x32xf16>) permutation = [3, 0, 1, 2]
  %d = tensor.empty() : tensor<2x7x9x48xf16>
  %y = conv.forward ins(%x, %t : tensor<2x9x10x32xf16>, tensor<48x3x2x32xf16>) outs(%d : tensor<2x7x9x48xf16>) -> tensor<2x7x9x48xf16>
  return %y : tensor<2x7x9x48xf16>
}

// -----

// Dgrad: tiles are K-major, as wgmma wants those of 8 bits. Taps are walked backwards. All stride
// phases have one tensor.

// CHECK-DAG:   #[[W:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d2, d3)>
// CHECK-LABEL: {{^ *}}func.func @dgrad
// CHECK-NOT:     linalg.transpose
// CHECK:         %[[T:.*]] = tensor.expand_shape %{{.*}} : tensor<3x2x32x48xi8> into tensor<1x3x2x32x48xi8>
// CHECK:         conv.im2col %[[T]] view <rows = [1, 1, 32], taps = [2, 2, 1], stride = [1, 1, 1], step = [-2, -1, 1], offset = [2, 1, 0], groups = 1> : {{.*}} -> tensor<32x4x48xi8>
// CHECK:         linalg.generic {indexing_maps = [#{{.*}}, #[[W]], #{{.*}}]
// CHECK:         conv.im2col %[[T]] view <rows = [1, 1, 32], taps = [1, 2, 1], {{.*}} offset = [1, 1, 0], groups = 1> : {{.*}} -> tensor<32x2x48xi8>
// REMARK:      [Passed] filter-read {{.*}}Function=dgrad
func.func @dgrad(%dy: tensor<2x9x9x48xi8>, %w: tensor<3x2x32x48xi8>) -> tensor<2x19x10x32xi32> {
  %e = tensor.empty() : tensor<48x3x2x32xi8>
  %t = linalg.transpose ins(%w : tensor<3x2x32x48xi8>) outs(%e : tensor<48x3x2x32xi8>) permutation = [3, 0, 1, 2]
  %d = tensor.empty() : tensor<2x19x10x32xi32>
  %dx = conv.dgrad ins(%dy, %t : tensor<2x9x9x48xi8>, tensor<48x3x2x32xi8>) outs(%d : tensor<2x19x10x32xi32>) stride [2, 1] -> tensor<2x19x10x32xi32>
  return %dx : tensor<2x19x10x32xi32>
}

// -----

// Of three dimensions two become one. Several transpositions are one, too.

// CHECK-LABEL: {{^ *}}func.func @volume
// CHECK-NOT:     linalg.transpose
// CHECK:         conv.im2col %{{.*}} view <rows = [1, 1, 32], taps = [6, 3, 1], stride = [1, 1, 1], step = [1, 1, 1], offset = [0, 0, 0], groups = 1> : tensor<1x6x3x32x64xbf16> -> tensor<32x18x64xbf16>
// REMARK:      [Passed] filter-read {{.*}}Function=volume
func.func @volume(%x: tensor<2x5x6x4x32xbf16>, %w: tensor<3x2x3x32x64xbf16>) -> tensor<2x3x5x2x64xbf16> {
  %e0 = tensor.empty() : tensor<64x32x3x2x3xbf16>
  %t0 = linalg.transpose ins(%w : tensor<3x2x3x32x64xbf16>) outs(%e0 : tensor<64x32x3x2x3xbf16>) permutation = [4, 3, 0, 1, 2]
  %e = tensor.empty() : tensor<64x3x2x3x32xbf16>
  %t = linalg.transpose ins(%t0 : tensor<64x32x3x2x3xbf16>) outs(%e : tensor<64x3x2x3x32xbf16>) permutation = [0, 2, 3, 4, 1]
  %d = tensor.empty() : tensor<2x3x5x2x64xbf16>
  %y = conv.forward ins(%x, %t : tensor<2x5x6x4x32xbf16>, tensor<64x3x2x3x32xbf16>) outs(%d : tensor<2x3x5x2x64xbf16>) -> tensor<2x3x5x2x64xbf16>
  return %y : tensor<2x3x5x2x64xbf16>
}

// -----

// Taps of stride phases along three dimensions have no common distance.

// CHECK-LABEL: {{^ *}}func.func @phases_of_volume
// CHECK:         linalg.transpose
// CHECK:         conv.im2col %{{.*}} : tensor<32x3x3x3x16xbf16> -> tensor<32x8x16xbf16>
// REMARK:      [Missed] filter-transposed {{.*}}Function=phases_of_volume | Remark="a kernel of its own puts the filters first: its taps along three dimensions are at one distance along no two of them"
func.func @phases_of_volume(%dy: tensor<2x3x4x5x32xbf16>, %w: tensor<3x3x3x16x32xbf16>) -> tensor<2x7x9x11x16xbf16> {
  %e = tensor.empty() : tensor<32x3x3x3x16xbf16>
  %t = linalg.transpose ins(%w : tensor<3x3x3x16x32xbf16>) outs(%e : tensor<32x3x3x3x16xbf16>) permutation = [4, 0, 1, 2, 3]
  %d = tensor.empty() : tensor<2x7x9x11x16xbf16>
  %dx = conv.dgrad ins(%dy, %t : tensor<2x3x4x5x32xbf16>, tensor<32x3x3x3x16xbf16>) outs(%d : tensor<2x7x9x11x16xbf16>) stride [2, 2, 2] -> tensor<2x7x9x11x16xbf16>
  return %dx : tensor<2x7x9x11x16xbf16>
}

// -----

// wgmma takes tf32 and 8 bits K-major only, and mma.sync reads them faster so.

// CHECK-LABEL: {{^ *}}func.func @forward_tf32
// CHECK:         linalg.transpose
// REMARK:      [Missed] filter-transposed | Category:convert-conv-to-gemm | Function=forward_tf32 | Remark="a kernel of its own puts the filters first: instructions that multiply tf32 want its channels next to each other"
// SM80-LABEL:  {{^ *}}func.func @forward_tf32
// SM80:          linalg.transpose
func.func @forward_tf32(%x: tensor<2x9x32xf32>, %w: tensor<3x32x48xf32>) -> tensor<2x7x48xf32> {
  %e = tensor.empty() : tensor<48x3x32xf32>
  %t = linalg.transpose ins(%w : tensor<3x32x48xf32>) outs(%e : tensor<48x3x32xf32>) permutation = [2, 0, 1]
  %d = tensor.empty() : tensor<2x7x48xf32>
  %y = conv.forward ins(%x, %t : tensor<2x9x32xf32>, tensor<48x3x32xf32>) outs(%d : tensor<2x7x48xf32>) precision tf32 -> tensor<2x7x48xf32>
  return %y : tensor<2x7x48xf32>
}

// -----

// Rows of ten filters begin at multiples of 4 bytes, those of channels at such of 16.

// CHECK-LABEL: {{^ *}}func.func @few_filters
// CHECK:         linalg.transpose
// REMARK:      [Missed] filter-transposed {{.*}}Function=few_filters | Remark="a kernel of its own puts the filters first: 10 filters are read by 4 bytes at a time, 32 channels by 16"
func.func @few_filters(%x: tensor<2x9x32xf16>, %w: tensor<3x32x10xf16>) -> tensor<2x7x10xf16> {
  %e = tensor.empty() : tensor<10x3x32xf16>
  %t = linalg.transpose ins(%w : tensor<3x32x10xf16>) outs(%e : tensor<10x3x32xf16>) permutation = [2, 0, 1]
  %d = tensor.empty() : tensor<2x7x10xf16>
  %y = conv.forward ins(%x, %t : tensor<2x9x32xf16>, tensor<10x3x32xf16>) outs(%d : tensor<2x7x10xf16>) -> tensor<2x7x10xf16>
  return %y : tensor<2x7x10xf16>
}

// -----

// CHECK-LABEL: {{^ *}}func.func @groups
// CHECK:         linalg.transpose
// REMARK:      [Missed] filter-transposed {{.*}}Function=groups | Remark="a kernel of its own puts the filters first: filters of a group
func.func @groups(%x: tensor<2x9x128xf16>, %w: tensor<3x64x128xf16>) -> tensor<2x7x128xf16> {
  %e = tensor.empty() : tensor<128x3x64xf16>
  %t = linalg.transpose ins(%w : tensor<3x64x128xf16>) outs(%e : tensor<128x3x64xf16>) permutation = [2, 0, 1]
  %d = tensor.empty() : tensor<2x7x128xf16>
  %y = conv.forward ins(%x, %t : tensor<2x9x128xf16>, tensor<128x3x64xf16>) outs(%d : tensor<2x7x128xf16>) groups 2 -> tensor<2x7x128xf16>
  return %y : tensor<2x7x128xf16>
}

// -----

// Another transposition says nothing of the filters.

// CHECK-LABEL: {{^ *}}func.func @other_order
// CHECK:         linalg.transpose
// REMARK-NOT:  Function=other_order
func.func @other_order(%x: tensor<2x9x10x32xf16>, %w: tensor<2x3x32x48xf16>) -> tensor<2x7x9x48xf16> {
  %e = tensor.empty() : tensor<48x3x2x32xf16>
  %t = linalg.transpose ins(%w : tensor<2x3x32x48xf16>) outs(%e : tensor<48x3x2x32xf16>) permutation = [3, 1, 0, 2]
  %d = tensor.empty() : tensor<2x7x9x48xf16>
  %y = conv.forward ins(%x, %t : tensor<2x9x10x32xf16>, tensor<48x3x2x32xf16>) outs(%d : tensor<2x7x9x48xf16>) -> tensor<2x7x9x48xf16>
  return %y : tensor<2x7x9x48xf16>
}
