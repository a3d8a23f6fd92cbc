// RUN: conv-opt %s -conv-select-schedule=chip=sm_90a -verify-diagnostics | FileCheck %s
// RUN: conv-opt %s -conv-select-schedule=chip=sm_90a --remarks-filter=conv-select-schedule -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK-DAG: remark: [Passed] schedule-chosen | Category:conv-select-schedule | {{.*}}algorithm=implicit_gemm {{.*}} candidates
// REMARK-DAG: remark: [Missed] wgmma-not-taken | Category:conv-select-schedule | {{.*}}runs on mma.sync with cp.async: 

// Each type has its instruction; a block of gemm-k is 32, 64 or 128 bytes.

// CHECK-LABEL: @tf32
// CHECK:       conv.forward
// CHECK-SAME:  tile={{[0-9]+}}x{{[0-9]+}}x32 {{.*}} copy=tma mma=wgmma
func.func @tf32(%x: tensor<2x28x28x64xf32>, %w: tensor<64x3x3x64xf32>, %y0: tensor<2x26x26x64xf32>) -> tensor<2x26x26x64xf32> {
  %y = conv.forward ins(%x, %w : tensor<2x28x28x64xf32>, tensor<64x3x3x64xf32>) outs(%y0 : tensor<2x26x26x64xf32>) precision tf32 -> tensor<2x26x26x64xf32>
  return %y : tensor<2x26x26x64xf32>
}

// CHECK-LABEL: @s8
// CHECK:       conv.forward
// CHECK-SAME:  tile={{[0-9]+}}x{{[0-9]+}}x64 {{.*}} copy=tma mma=wgmma
func.func @s8(%x: tensor<2x28x28x64xi8>, %w: tensor<64x3x3x64xi8>, %y0: tensor<2x26x26x64xi32>) -> tensor<2x26x26x64xi32> {
  %y = conv.forward ins(%x, %w : tensor<2x28x28x64xi8>, tensor<64x3x3x64xi8>) outs(%y0 : tensor<2x26x26x64xi32>) -> tensor<2x26x26x64xi32>
  return %y : tensor<2x26x26x64xi32>
}

// wgmma multiplies other widths than 16 bits along contiguous gemm-k only: wgrad makes transposed
// copies where they cost less than they save.

// CHECK-LABEL: @wgrad
// CHECK:       conv.wgrad
// CHECK-SAME:  copy=tma mma=wgmma
func.func @wgrad(%x: tensor<64x14x14x512xf8E4M3FN>, %dy: tensor<64x14x14x512xf8E4M3FN>, %dw0: tensor<512x3x3x512xf32>) -> tensor<512x3x3x512xf32> {
  %dw = conv.wgrad ins(%x, %dy : tensor<64x14x14x512xf8E4M3FN>, tensor<64x14x14x512xf8E4M3FN>) outs(%dw0 : tensor<512x3x3x512xf32>)
    {pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>} -> tensor<512x3x3x512xf32>
  return %dw : tensor<512x3x3x512xf32>
}

// CHECK-LABEL: @groups
// CHECK:       conv.wgrad
// CHECK-SAME:  copy=cp_async mma=mma_sync
func.func @groups(%x: tensor<2x28x28x512xi8>, %dy: tensor<2x28x28x512xi8>, %dw0: tensor<512x1x1x64xi32>) -> tensor<512x1x1x64xi32> {
  // expected-remark @below {{runs on mma.sync with cp.async: wgmma multiplies s8 only where neighbours in memory are neighbours along gemm-k, and wgrad with groups, input dilation or flip has no transposed copies}}
  %dw = conv.wgrad ins(%x, %dy : tensor<2x28x28x512xi8>, tensor<2x28x28x512xi8>) outs(%dw0 : tensor<512x1x1x64xi32>) groups 8 -> tensor<512x1x1x64xi32>
  return %dw : tensor<512x1x1x64xi32>
}

// CHECK-LABEL: @e4m3
// CHECK:       conv.wgrad
// CHECK-SAME:  copy=cp_async mma=mma_sync
func.func @e4m3(%x: tensor<2x28x28x64xf8E4M3FN>, %dy: tensor<2x28x28x64xf8E4M3FN>, %dw0: tensor<64x1x1x64xf32>) -> tensor<64x1x1x64xf32> {
  // expected-remark @below {{runs on mma.sync with cp.async: wgmma would need transposed copies, which take longer than it saves, or too much memory}}
  %dw = conv.wgrad ins(%x, %dy : tensor<2x28x28x64xf8E4M3FN>, tensor<2x28x28x64xf8E4M3FN>) outs(%dw0 : tensor<64x1x1x64xf32>) -> tensor<64x1x1x64xf32>
  return %dw : tensor<64x1x1x64xf32>
}

// TMA takes rows of 32 bytes one at a time, as longer ones: where one tap is all there is to
// multiply, cp.async is faster, unless the filter is loaded once. Several taps share a window.

// CHECK-LABEL: @narrow
// CHECK:       conv.forward
// CHECK-SAME:  copy=cp_async mma=mma_sync
// CHECK:       conv.forward
// CHECK-SAME:  copy=tma mma=wgmma
// CHECK:       conv.forward
// CHECK-SAME:  copy=tma mma=wgmma
func.func @narrow(%x: tensor<64x56x56x16xbf16>, %w1: tensor<400x1x1x16xbf16>, %w2: tensor<96x1x1x16xbf16>, %w3: tensor<96x3x3x16xbf16>, %a0: tensor<64x56x56x400xf32>, %b0: tensor<64x56x56x96xf32>, %c0: tensor<64x54x54x96xf32>) -> (tensor<64x56x56x400xf32>, tensor<64x56x56x96xf32>, tensor<64x54x54x96xf32>) {
  // expected-remark @below {{runs on mma.sync with cp.async: rows of 32 bytes or less are faster by cp.async than by TMA}}
  %a = conv.forward ins(%x, %w1 : tensor<64x56x56x16xbf16>, tensor<400x1x1x16xbf16>) outs(%a0 : tensor<64x56x56x400xf32>) -> tensor<64x56x56x400xf32>
  %b = conv.forward ins(%x, %w2 : tensor<64x56x56x16xbf16>, tensor<96x1x1x16xbf16>) outs(%b0 : tensor<64x56x56x96xf32>) -> tensor<64x56x56x96xf32>
  %c = conv.forward ins(%x, %w3 : tensor<64x56x56x16xbf16>, tensor<96x3x3x16xbf16>) outs(%c0 : tensor<64x54x54x96xf32>) -> tensor<64x54x54x96xf32>
  return %a, %b, %c : tensor<64x56x56x400xf32>, tensor<64x56x56x96xf32>, tensor<64x54x54x96xf32>
}

// f32 is multiplied as it is; neither it nor f64 has a wgmma to miss.

// CHECK-LABEL: @f32
// CHECK:       conv.wgrad
// CHECK-SAME:  copy=cp_async mma=fma
func.func @f32(%x: tensor<2x28x28x64xf32>, %dy: tensor<2x28x28x64xf32>, %dw0: tensor<64x1x1x64xf32>) -> tensor<64x1x1x64xf32> {
  %dw = conv.wgrad ins(%x, %dy : tensor<2x28x28x64xf32>, tensor<2x28x28x64xf32>) outs(%dw0 : tensor<64x1x1x64xf32>) -> tensor<64x1x1x64xf32>
  return %dw : tensor<64x1x1x64xf32>
}

// CHECK-LABEL: @f64
// CHECK:       conv.dgrad
// CHECK-SAME:  tile={{[0-9]+}}x{{[0-9]+}}x{{8|16}} {{.*}} copy=cp_async mma=mma_sync
func.func @f64(%dy: tensor<2x28x28x64xf64>, %w: tensor<64x1x1x64xf64>, %dx0: tensor<2x28x28x64xf64>) -> tensor<2x28x28x64xf64> {
  %dx = conv.dgrad ins(%dy, %w : tensor<2x28x28x64xf64>, tensor<64x1x1x64xf64>) outs(%dx0 : tensor<2x28x28x64xf64>) -> tensor<2x28x28x64xf64>
  return %dx : tensor<2x28x28x64xf64>
}
