// RUN: conv-opt %s -conv-to-kernels='chip=sm_90a schedule="tile=64x576x32,warps=4x3,stages=2,split-k=1,copy=tma,mma=wgmma,window=true,gather=true"' | FileCheck %s --check-prefix=RING
// RUN: conv-opt %s -conv-to-kernels='chip=sm_90a schedule="tile=64x576x32,warps=4x3,stages=2,split-k=1,copy=tma,mma=wgmma,window=true,gather=true"' -conv-map-to-wgmma -canonicalize -cse | FileCheck %s --check-prefix=THREADS

// Windows of x with a stride are made of boxes as they lie. Two rows of 16
// positions meet five rows of 28, three of one phase and two of the other, with
// 17 lines each. Of the images of dy, of 140 positions, TMA could not load
// boxes: a kernel in front transposes them, and TMA loads their lines.

// RING-LABEL: gpu.func @strided_0(
// RING:         conv.plain
// RING-LABEL: gpu.func @strided_1(
// RING-SAME:    %[[DY:.*]]: memref<2x10x14x64xbf16>, %[[SOURCE:.*]]: memref<2x64x20x28xbf16>
// RING-DAG:     %[[X:.*]] = memref.collapse_shape %[[SOURCE]] {{\[}}[0], [1], [2, 3]{{\]}} : {{.*}} into memref<2x64x560xbf16>
// RING-DAG:     %[[LINES:.*]] = memref.alloc() : memref<2x32x64xbf16
// RING-DAG:     %[[WINDOWS:.*]] = memref.alloc() : memref<2x216x64xbf16
// RING:         engine.transpose_rows %{{.*}}[%c4] into %{{.*}} row 0 rows 5 width 28 column 1 pitch 17 lines 187 {conv.producers = 3 : i64, phase_lines = array<i64: 51, 93>, phases = array<i64: 2, 2>, stride = array<i64: 2, 2>}
// RING:         engine.load_box %[[X]]
// RING:         engine.load_box %[[DY]]
// RING:         %[[PHASES:.*]] = memref.expand_shape {{.*}} into memref<1x11x17x64xbf16
// RING:         engine.read_taps %[[PHASES]] box [1, 2, 16] taps [3, 3] step [1, 1] {phase_lines = array<i64: 51, 93>, stride = array<i64: 2, 2>}

// A warpgroup has a row of the filter: its first two taps, of two phases, are
// one instruction, and the third one, of the first phase again, another.

// THREADS-LABEL: gpu.func @strided_1(
// THREADS:         %[[COLUMNS:.*]] = arith.muli %{{.*}}, %c93
// THREADS:         %[[ROW:.*]] = arith.divui %[[TAP:.*]], %c2
// THREADS-NEXT:    %[[ROWLINE:.*]] = arith.muli %[[ROW]], %c17
// THREADS:         %[[PHASE:.*]] = arith.remui %[[TAP]], %c2
// THREADS-NEXT:    %[[PHASELINE:.*]] = arith.muli %[[PHASE]], %c51
// THREADS:         %[[FIRST:.*]] = arith.addi %{{.*}}, %[[PHASELINE]]
// THREADS:         engine.window_mma %{{.*}}, %{{.*}}[%[[FIRST]]] box [1, 2, 16] distance 93, {{.*}}fragmented = vector<64x128xf32>
// THREADS:         engine.window_mma %{{.*}}, %{{.*}}[%{{.*}}] box [1, 2, 16] distance 1, {{.*}}fragmented = vector<64x64xf32>
func.func @strided(%x: tensor<2x64x20x28xbf16>, %dy: tensor<2x64x10x14xbf16>) -> tensor<64x64x3x3xf32> {
  %e = tensor.empty() : tensor<64x64x3x3xf32>
  %dw = conv.wgrad ins(%x, %dy : tensor<2x64x20x28xbf16>, tensor<2x64x10x14xbf16>) outs(%e : tensor<64x64x3x3xf32>) stride [2, 2] pad [1, 1] layout nchw -> tensor<64x64x3x3xf32>
  return %dw : tensor<64x64x3x3xf32>
}
