// RUN: conv-opt %s -conv-to-matrices='chip=sm_90a schedule="tile=128x64x64,warps=8x1,stages=3,copy=tma,mma=wgmma,k-major=true"' | FileCheck %s --check-prefix=MATRICES
// RUN: conv-opt %s -conv-to-matrices='chip=sm_90a schedule="tile=128x64x64,warps=8x1,stages=3,copy=tma,mma=wgmma,k-major=true,gather=true"' | FileCheck %s --check-prefix=GATHER
// RUN: conv-opt %s -conv-to-kernels='chip=sm_90a schedule="tile=128x64x64,warps=8x1,stages=3,split-k=1,copy=tma,mma=wgmma,k-major=true"' | FileCheck %s --check-prefix=RING
// RUN: conv-opt %s -conv-to-kernels='chip=sm_90a schedule="tile=64x576x128,warps=4x3,stages=2,split-k=1,copy=tma,mma=wgmma,window=true,k-major=true"' -conv-map-to-wgmma -canonicalize -cse | FileCheck %s --check-prefix=WINDOW

// wgrad reads dy, whose channels are first, as it is: only x is transposed.
// Gemm-k are images and the positions of one.

// MATRICES-DAG:   #[[DY:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4)>
// MATRICES-DAG:   #[[X:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d2, d3)>
// MATRICES-DAG:   #[[DW:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d1, d2, d3)>
// MATRICES-LABEL: func @wgrad
// MATRICES-SAME:    %[[X0:.*]]: tensor<2x64x16x16xbf16>, %[[DY0:.*]]: tensor<2x128x16x16xbf16>
// MATRICES:         %[[XT:.*]] = linalg.transpose ins(%[[X0]]
// MATRICES:         %[[IMAGES:.*]] = tensor.collapse_shape %[[DY0]] {{\[}}[0], [1], [2, 3]] : {{.*}} into tensor<2x128x256xbf16>
// MATRICES:         %[[B:.*]] = conv.im2col %[[XT]] view <rows = [16, 16], taps = [3, 3], stride = [1, 1], step = [1, 1], offset = [-1, -1], groups = 1, row_groups = 2> : tensor<2x16x16x64xbf16> -> tensor<2x256x9x64xbf16>
// MATRICES:         %[[A:.*]] = conv.im2col %[[IMAGES]] view <rows = [128], {{.*}}, row_groups = 2> : tensor<2x128x256xbf16> -> tensor<2x128x256xbf16>
// MATRICES:         linalg.generic {indexing_maps = [#[[DY]], #[[X]], #[[DW]]], iterator_types = ["reduction", "parallel", "parallel", "parallel", "reduction"]} ins(%[[A]], %[[B]] : {{.*}} k-major=true>

// GATHER-LABEL: func @wgrad
// GATHER-SAME:    %[[X:.*]]: tensor<2x64x16x16xbf16>, %[[DY:.*]]: tensor<2x128x16x16xbf16>
// GATHER-NOT:     linalg.transpose ins
// GATHER:         conv.im2col %[[X]] view <{{.*}}, row_groups = 2> channels_first : tensor<2x64x16x16xbf16> -> tensor<2x256x9x64xbf16>

// RING-LABEL: gpu.func @wgrad_1
// RING:         engine.load_tile {{.*}} into {{.*}} {conv.producer} : memref<2x16x16x64xbf16> into memref<64x64xbf16
// RING:         engine.load_box %{{.*}}[%[[N:.*]], %[[K:.*]], %[[P:.*]]] into {{.*}} {conv.producer} : memref<2x128x256xbf16> into memref<128x64xbf16

// Of a window: two panels of 64 positions for each of 64 channels.

// WINDOW-LABEL: gpu.func @wgrad_1
// WINDOW:         engine.load_box %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] into {{.*}} : memref<2x128x256xbf16> into memref<64x128xbf16
// WINDOW:         engine.load_box %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] into {{.*}} : memref<2x16x16x64xbf16> into memref<1x10x18x64xbf16
// WINDOW:         engine.window_mma %{{.*}}, %{{.*}}[%{{.*}}] box [1, 8, 16] distance 1, %{{.*}} {k_major} : memref<64x128xbf16
func.func @wgrad(%x: tensor<2x64x16x16xbf16>, %dy: tensor<2x128x16x16xbf16>) -> tensor<128x64x3x3xf32> {
  %e = tensor.empty() : tensor<128x64x3x3xf32>
  %dw = conv.wgrad ins(%x, %dy : tensor<2x64x16x16xbf16>, tensor<2x128x16x16xbf16>) outs(%e : tensor<128x64x3x3xf32>) pad [1, 1] layout nchw -> tensor<128x64x3x3xf32>
  return %dw : tensor<128x64x3x3xf32>
}
