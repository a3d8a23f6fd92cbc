// RUN: conv-opt %s --convert-linalg-to-conv --split-input-file 2>%t.more | FileCheck %s --check-prefixes=BOTH,MORE
// RUN: FileCheck %s --check-prefix=SAYS-MORE --implicit-check-not=remark: < %t.more
// RUN: conv-opt %s --convert-linalg-to-conv=precision=text --split-input-file 2>%t.text | FileCheck %s --check-prefixes=BOTH,TEXT
// RUN: FileCheck %s --check-prefix=SAYS-TEXT --implicit-check-not=remark: < %t.text
// RUN: not conv-opt %s --convert-linalg-to-conv=precision=less 2>&1 | FileCheck %s --check-prefix=OTHER

// OTHER: Cannot find option named 'less'

#x = affine_map<(n, q, k, s, c) -> (n, q + s, c)>
#w = affine_map<(n, q, k, s, c) -> (k, s, c)>
#y = affine_map<(n, q, k, s, c) -> (n, q, k)>

// SAYS-MORE: remark: imported as conv.forward with more precision than the text: it forms products, which the text forms in 'f16', in 'f32'; precision=text keeps the operation as written
// SAYS-TEXT: remark: not imported as a convolution: the precision of the text is asked for, and a convolution has more: it forms products, which the text forms in 'f16', in 'f32'
// BOTH-LABEL: func @narrow_products
// MORE: conv.forward
// TEXT: linalg.generic
func.func @narrow_products(%x: tensor<2x18x5xf16>, %w: tensor<7x3x5xf16>, %i: tensor<2x16x7xf32>) -> tensor<2x16x7xf32> {
  %y = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%x, %w : tensor<2x18x5xf16>, tensor<7x3x5xf16>) outs(%i : tensor<2x16x7xf32>) {
  ^bb0(%a: f16, %b: f16, %sum: f32):
    %p = arith.mulf %a, %b : f16
    %e = arith.extf %p : f16 to f32
    %s = arith.addf %sum, %e : f32
    linalg.yield %s : f32
  } -> tensor<2x16x7xf32>
  return %y : tensor<2x16x7xf32>
}

// -----

// A named operation computes in the type of its result.
// SAYS-MORE: remark: imported as conv.forward with more precision than the text: it forms products, which the text forms in 'bf16', and sums, which the text forms in 'bf16', in 'f32'
// SAYS-TEXT: remark: not imported
// BOTH-LABEL: func @narrow_sums
// MORE: conv.forward
// TEXT: linalg.conv_1d_nwc_wcf
func.func @narrow_sums(%x: tensor<2x18x5xbf16>, %w: tensor<3x5x7xbf16>, %i: tensor<2x16x7xbf16>) -> tensor<2x16x7xbf16> {
  %y = linalg.conv_1d_nwc_wcf ins(%x, %w : tensor<2x18x5xbf16>, tensor<3x5x7xbf16>) outs(%i : tensor<2x16x7xbf16>) -> tensor<2x16x7xbf16>
  return %y : tensor<2x16x7xbf16>
}

// -----

// What has the precision of the text either way.
// BOTH-LABEL: func @same
// BOTH: conv.forward
// BOTH: conv.forward
// BOTH: conv.forward
func.func @same(%x: tensor<2x18x5xbf16>, %w: tensor<3x5x7xbf16>, %i: tensor<2x16x7xf32>,
                %xd: tensor<2x18x5xf64>, %wd: tensor<3x5x7xf64>, %id: tensor<2x16x7xf64>,
                %xi: tensor<2x18x5xi8>, %wi: tensor<3x5x7xi8>, %ii: tensor<2x16x7xi32>)
    -> (tensor<2x16x7xf32>, tensor<2x16x7xf64>, tensor<2x16x7xi32>) {
  %y = linalg.conv_1d_nwc_wcf ins(%x, %w : tensor<2x18x5xbf16>, tensor<3x5x7xbf16>) outs(%i : tensor<2x16x7xf32>) -> tensor<2x16x7xf32>
  %yd = linalg.conv_1d_nwc_wcf ins(%xd, %wd : tensor<2x18x5xf64>, tensor<3x5x7xf64>) outs(%id : tensor<2x16x7xf64>) -> tensor<2x16x7xf64>
  %yi = linalg.conv_1d_nwc_wcf ins(%xi, %wi : tensor<2x18x5xi8>, tensor<3x5x7xi8>) outs(%ii : tensor<2x16x7xi32>) -> tensor<2x16x7xi32>
  return %y, %yd, %yi : tensor<2x16x7xf32>, tensor<2x16x7xf64>, tensor<2x16x7xi32>
}

// -----

// Sums of 8-bit floats may have fewer bits on tensor cores.
// SAYS-TEXT: remark: not imported as a convolution: the precision of the text is asked for, and a convolution of 8-bit floats may have less: its sums, which the text forms in 'f32', have 14 significant bits
// BOTH-LABEL: func @floats_of_8_bits
// MORE: conv.forward
// TEXT: linalg.conv_1d_nwc_wcf
func.func @floats_of_8_bits(%x: tensor<2x18x5xf8E4M3FN>, %w: tensor<3x5x7xf8E4M3FN>, %i: tensor<2x16x7xf32>) -> tensor<2x16x7xf32> {
  %y = linalg.conv_1d_nwc_wcf ins(%x, %w : tensor<2x18x5xf8E4M3FN>, tensor<3x5x7xf8E4M3FN>) outs(%i : tensor<2x16x7xf32>) -> tensor<2x16x7xf32>
  return %y : tensor<2x16x7xf32>
}
