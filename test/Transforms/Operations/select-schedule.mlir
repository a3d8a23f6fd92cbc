// RUN: conv-opt %s -conv-select-schedule="chip=sm_80" | FileCheck %s --check-prefixes=CHECK,SM80
// RUN: conv-opt %s -conv-select-schedule="chip=sm_86" | FileCheck %s --check-prefixes=CHECK,SM86
// RUN: conv-opt %s -conv-select-schedule="chip=sm_80 schedule=tile=64x32x16,warps=2x1,stages=3" | FileCheck %s --check-prefix=GIVEN

// A layer that fills the chip takes a large tile.

// CHECK-LABEL: @large
// CHECK:       conv.forward
// CHECK-SAME:  conv.schedule = #conv.schedule<algorithm=implicit_gemm tile={{128|256}}x128x64
// GIVEN:       tile=64x32x16 warps=2x1 stages=3
func.func @large(%x: tensor<64x28x28x128xf16>, %w: tensor<128x3x3x128xf16>, %y0: tensor<64x28x28x128xf16>) -> tensor<64x28x28x128xf16> {
  %y = conv.forward ins(%x, %w : tensor<64x28x28x128xf16>, tensor<128x3x3x128xf16>) outs(%y0 : tensor<64x28x28x128xf16>) {pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>} -> tensor<64x28x28x128xf16>
  return %y : tensor<64x28x28x128xf16>
}

// A small one takes a small tile, and few channels a short block of gemm-k.

// CHECK-LABEL: @small
// CHECK:       conv.forward
// SM80-SAME:   tile=32x{{16|32}}x16
// SM86-SAME:   tile=32x{{16|32}}x16
func.func @small(%x: tensor<1x8x9x5xf16>, %w: tensor<6x3x3x5xf16>, %y0: tensor<1x6x7x6xf16>) -> tensor<1x6x7x6xf16> {
  %y = conv.forward ins(%x, %w : tensor<1x8x9x5xf16>, tensor<6x3x3x5xf16>) outs(%y0 : tensor<1x6x7x6xf16>) -> tensor<1x6x7x6xf16>
  return %y : tensor<1x6x7x6xf16>
}

// A sum over many pixels into a small result: parts of it fill the chip.

// CHECK-LABEL: @few_filters
// CHECK:       conv.wgrad
// CHECK-SAME:  tile={{[0-9]+}}x{{16|32}}x64
// CHECK-SAME:  mma=mma_sync split-k={{[0-9]+}}>
// GIVEN-LABEL: @few_filters
// GIVEN:       split-k={{[2-9]|[1-9][0-9]}}
func.func @few_filters(%x: tensor<16x64x65x16xf16>, %dy: tensor<16x64x65x16xf16>, %dw0: tensor<16x3x3x16xf16>) -> tensor<16x3x3x16xf16> {
  %dw = conv.wgrad ins(%x, %dy : tensor<16x64x65x16xf16>, tensor<16x64x65x16xf16>) outs(%dw0 : tensor<16x3x3x16xf16>) pad [1, 1] -> tensor<16x3x3x16xf16>
  return %dw : tensor<16x3x3x16xf16>
}

// Stride phases share the chip: nothing is split.

// CHECK-LABEL: @strided
// CHECK:       conv.dgrad
// CHECK-SAME:  tile={{64|128}}x64x64 {{.*}} mma=mma_sync split-k=1>}
func.func @strided(%dy: tensor<16x28x28x64xf16>, %w: tensor<64x3x3x64xf16>, %dx0: tensor<16x56x56x64xf16>) -> tensor<16x56x56x64xf16> {
  %dx = conv.dgrad ins(%dy, %w : tensor<16x28x28x64xf16>, tensor<64x3x3x64xf16>) outs(%dx0 : tensor<16x56x56x64xf16>) stride [2, 2] pad [1:0, 1:0] -> tensor<16x56x56x64xf16>
  return %dx : tensor<16x56x56x64xf16>
}
