// RUN: conv-opt %s -conv-to-kernels='chip=sm_90a schedule="tile=128x32x32,warps=8x1,stages=3,copy=tma,mma=wgmma"' | FileCheck %s
// RUN: conv-opt %s -conv-to-kernels='chip=sm_90a schedule="tile=128x32x32,warps=8x1,stages=3,copy=tma,mma=wgmma,window=true"' | FileCheck %s --check-prefix=WINDOW

// TMA does not know of groups: tiles are loaded from the whole tensor, at the
// group's first channel or row. Groups have 32 channels and 48 filters, so that
// a second tile of filters has 16 rows of the next group. The result's scatter
// drops what comes of them.

// CHECK-LABEL: gpu.func @forward_0
// CHECK-DAG:     %[[CHANNEL:.*]] = arith.muli %[[GROUP:.*]], %c32
// CHECK-DAG:     %[[ROWS:.*]] = arith.muli %[[GROUP]], %c48
// CHECK-DAG:     %[[ROW:.*]] = arith.addi %[[ROWS]], %{{.*}}
// CHECK-DAG:     engine.load_tile %{{.*}}[%{{.*}}, %{{.*}}, %[[CHANNEL]]] {{.*}} offset = [-1, -1], groups = 1> {{.*}} memref<2x13x14x64xbf16> into memref<128x32xbf16
// CHECK-DAG:     engine.load_tile %{{.*}}[%[[ROW]], %{{.*}}, %{{.*}}] {{.*}} groups = 1> {{.*}} memref<96x3x3x32xbf16> into memref<32x32xbf16
// CHECK:         conv.scatter %{{.*}} into %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] {{.*}} groups = 2>

// WINDOW-LABEL: gpu.func @forward_0
// WINDOW-DAG:     %[[CHANNEL:.*]] = arith.muli %[[GROUP:.*]], %c32
// WINDOW-DAG:     engine.load_box %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}, %[[CHANNEL]]]
// WINDOW:         engine.load_tile {{.*}} memref<96x3x3x32xbf16> into memref<32x32xbf16
func.func @forward(%x: tensor<2x13x14x64xbf16>, %w: tensor<96x3x3x32xbf16>, %y0: tensor<2x13x14x96xbf16>) -> tensor<2x13x14x96xbf16> {
  %y = conv.forward ins(%x, %w : tensor<2x13x14x64xbf16>, tensor<96x3x3x32xbf16>) outs(%y0 : tensor<2x13x14x96xbf16>) pad [1, 1] groups 2 -> tensor<2x13x14x96xbf16>
  return %y : tensor<2x13x14x96xbf16>
}
