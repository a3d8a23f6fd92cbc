// RUN: conv-run %s --entry=function --target=sm_90a --no-tuning --emit=plan -o %t.plan 2>&1 | FileCheck %s --allow-empty
// RUN: conv-run %s --entry=quotient --target=sm_90a --no-tuning --emit=plan -o %t.plan 2>&1 | FileCheck %s --allow-empty
// RUN: conv-run %s --entry=rounding --target=sm_90a --no-tuning --emit=plan -o %t.plan 2>&1 | FileCheck %s --allow-empty

// Sums that are rounded to 16 bits, of which a function is computed: ptxas does
// not serialise the products.
// CHECK-NOT: C75

func.func @function(%x: tensor<64x56x56x64xf16>, %w: tensor<64x3x3x64xf16>) -> tensor<64x56x56x64xf16> {
  %e = tensor.empty() : tensor<64x56x56x64xf16>
  %y = conv.forward ins(%x, %w : tensor<64x56x56x64xf16>, tensor<64x3x3x64xf16>) outs(%e : tensor<64x56x56x64xf16>) pad [1, 1] -> tensor<64x56x56x64xf16>
  %t = linalg.tanh ins(%y : tensor<64x56x56x64xf16>) outs(%e : tensor<64x56x56x64xf16>) -> tensor<64x56x56x64xf16>
  return %t : tensor<64x56x56x64xf16>
}

func.func @quotient(%x: tensor<64x56x56x64xf16>, %w: tensor<64x3x3x64xf16>) -> tensor<64x56x56x64xf16> {
  %c = arith.constant dense<3.0> : tensor<64x56x56x64xf16>
  %e = tensor.empty() : tensor<64x56x56x64xf16>
  %y = conv.forward ins(%x, %w : tensor<64x56x56x64xf16>, tensor<64x3x3x64xf16>) outs(%e : tensor<64x56x56x64xf16>) pad [1, 1] -> tensor<64x56x56x64xf16>
  %t = linalg.div ins(%y, %c : tensor<64x56x56x64xf16>, tensor<64x56x56x64xf16>) outs(%e : tensor<64x56x56x64xf16>) -> tensor<64x56x56x64xf16>
  return %t : tensor<64x56x56x64xf16>
}

func.func @rounding(%x: tensor<64x56x56x64xbf16>, %w: tensor<64x3x3x64xbf16>) -> tensor<64x56x56x64xbf16> {
  %e = tensor.empty() : tensor<64x56x56x64xbf16>
  %y = conv.forward ins(%x, %w : tensor<64x56x56x64xbf16>, tensor<64x3x3x64xbf16>) outs(%e : tensor<64x56x56x64xbf16>) pad [1, 1] -> tensor<64x56x56x64xbf16>
  %t = linalg.ceil ins(%y : tensor<64x56x56x64xbf16>) outs(%e : tensor<64x56x56x64xbf16>) -> tensor<64x56x56x64xbf16>
  return %t : tensor<64x56x56x64xbf16>
}
