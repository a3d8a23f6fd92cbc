// DEFINE: %{entry} =
// DEFINE: %{compile} = conv-run %s --entry=%{entry} --target=sm_90a --no-tuning
// DEFINE: %{check} = %{compile} --emit=ptx -o %t.ptx && FileCheck %s < %t.ptx && \
// DEFINE:   %{compile} --emit=plan -o %t.plan > %t.log 2>&1 && conv-run %t.plan --describe >> %t.log && \
// DEFINE:   FileCheck %s --check-prefix=PLAN --implicit-check-not=C75 < %t.log

// REDEFINE: %{entry} = function
// RUN: %{check}
// REDEFINE: %{entry} = quotient
// RUN: %{check}
// REDEFINE: %{entry} = rounding
// RUN: %{check}

// Sums that are rounded to 16 bits, of which a function is computed: a zero of
// their sign is added before, so that ptxas, where there is one, does not
// serialise the products.
// CHECK: wgmma.wait_group.sync.aligned 0
// CHECK: and.b32 {{.*}}, -2147483648
// CHECK: add.rn.f32
// CHECK: cvt.rn.{{b?}}f16
// PLAN: schedule {{.*}} mma=wgmma

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
