// JAX's convolution and both gradients: filters "HWIO" are read as they lie, also in 8 bits. The
// gradient of a filter is transposed.
// RUN: conv-run %s --entry=forward --device=emulator --target=sm_80 --verify | FileCheck %s
// RUN: conv-run %s --entry=forward --device=emulator --target=sm_90a --verify | FileCheck %s
// RUN: conv-run %s --entry=dgrad --device=emulator --target=sm_80 --verify | FileCheck %s
// RUN: conv-run %s --entry=dgrad --device=emulator --target=sm_90a --verify | FileCheck %s
// RUN: conv-run %s --entry=dgrad_s8 --device=emulator --target=sm_90a --verify | FileCheck %s
// RUN: conv-run %s --entry=volume --device=emulator --target=sm_90a --verify | FileCheck %s
// RUN: conv-run %s --entry=wgrad --device=emulator --target=sm_90a --verify | FileCheck %s --check-prefix=WGRAD
// RUN: conv-run %s --entry=wgrad --device=emulator --target=sm_90a --schedule=split-k=2 --verify | FileCheck %s --check-prefix=PARTS

// All forms of kernels read tiles of it.
// RUN: conv-run %s --entry=forward --device=emulator --target=sm_90a --schedule='copy=tma mma=wgmma window=true' --verify | FileCheck %s
// RUN: conv-run %s --entry=forward --device=emulator --target=sm_90a --schedule='copy=tma mma=wgmma tile=64x64x32 warps=1x4' --verify | FileCheck %s
// RUN: conv-run %s --entry=forward --device=emulator --target=sm_90a --schedule='copy=tma mma=wgmma tile=64x64x32 cluster=2x1' --verify | FileCheck %s
// RUN: conv-run %s --entry=forward --device=emulator --target=sm_90a --schedule='copy=tma mma=wgmma tile=64x48x16' --verify | FileCheck %s
// RUN: conv-run %s --entry=dgrad --device=emulator --target=sm_90a --schedule='copy=tma mma=wgmma tile=64x32x32 cluster=1x1 teams=2' --verify | FileCheck %s
// RUN: conv-run %s --entry=volume --device=emulator --target=sm_80 --schedule='mma=wmma' --verify | FileCheck %s
// RUN: conv-run %s --entry=forward --device=emulator --target=sm_80 --schedule='copy=sync reading=strided' --verify | FileCheck %s

// CHECK-NOT: kernel {{.*}}transpose
// CHECK: verify     full: passed
// WGRAD: kernel {{.*}}transpose
// WGRAD: verify     full: passed
// PARTS-NOT: kernel {{.*}}conv_transpose
// PARTS: verify     full: passed

func.func @forward(%x: tensor<2x9x10x32xbf16>, %w: tensor<3x2x32x64xbf16>) -> tensor<2x9x9x64xbf16> {
  %y = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x10x32xbf16>, tensor<3x2x32x64xbf16>) -> tensor<2x9x9x64xbf16>
  return %y : tensor<2x9x9x64xbf16>
}

// Of a stride of 2 along H.
func.func @dgrad(%dy: tensor<2x4x9x64xbf16>, %w: tensor<3x2x32x64xbf16>) -> tensor<2x9x10x32xbf16> {
  %0 = stablehlo.reverse %w, dims = [0, 1] : tensor<3x2x32x64xbf16>
  %dx = stablehlo.convolution(%dy, %0) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {pad = [[2, 2], [1, 1]], lhs_dilate = [2, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x4x9x64xbf16>, tensor<3x2x32x64xbf16>) -> tensor<2x9x10x32xbf16>
  return %dx : tensor<2x9x10x32xbf16>
}

func.func @dgrad_s8(%dy: tensor<2x4x9x64xi8>, %w: tensor<3x2x32x64xi8>) -> tensor<2x9x10x32xi32> {
  %0 = stablehlo.reverse %w, dims = [0, 1] : tensor<3x2x32x64xi8>
  %dx = stablehlo.convolution(%dy, %0) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {pad = [[2, 2], [1, 1]], lhs_dilate = [2, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x4x9x64xi8>, tensor<3x2x32x64xi8>) -> tensor<2x9x10x32xi32>
  return %dx : tensor<2x9x10x32xi32>
}

func.func @volume(%x: tensor<2x5x6x4x32xf16>, %w: tensor<3x2x2x32x64xf16>) -> tensor<2x3x5x3x64xf16> {
  %y = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, 2, f]x[0, 1, 2, i, o]->[b, 0, 1, 2, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x5x6x4x32xf16>, tensor<3x2x2x32x64xf16>) -> tensor<2x3x5x3x64xf16>
  return %y : tensor<2x3x5x3x64xf16>
}

func.func @wgrad(%x: tensor<2x9x10x32xbf16>, %dy: tensor<2x9x9x64xbf16>) -> tensor<3x2x32x64xbf16> {
  %dw = stablehlo.convolution(%x, %dy) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {pad = [[1, 1], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x10x32xbf16>, tensor<2x9x9x64xbf16>) -> tensor<3x2x32x64xbf16>
  return %dw : tensor<3x2x32x64xbf16>
}
