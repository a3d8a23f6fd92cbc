// JAX's convolution of one tap and its gradient: no kernel transposes the filter.
// RUN: conv-run %s --device=emulator --target=sm_80 --verify | FileCheck %s
// RUN: conv-run %s --device=emulator --target=sm_90a --verify | FileCheck %s

// CHECK-NOT: kernel {{.*}}transpose
// CHECK: verify     full: passed

func.func @main(%x: tensor<2x5x6x32xbf16>, %w: tensor<1x1x32x64xbf16>, %dy: tensor<2x5x6x64xbf16>) -> (tensor<2x5x6x64xbf16>, tensor<2x5x6x32xbf16>) {
  %y = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x5x6x32xbf16>, tensor<1x1x32x64xbf16>) -> tensor<2x5x6x64xbf16>
  %0 = stablehlo.reverse %w, dims = [0, 1] : tensor<1x1x32x64xbf16>
  %dx = stablehlo.convolution(%dy, %0) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x5x6x64xbf16>, tensor<1x1x32x64xbf16>) -> tensor<2x5x6x32xbf16>
  return %y, %dx : tensor<2x5x6x64xbf16>, tensor<2x5x6x32xbf16>
}
